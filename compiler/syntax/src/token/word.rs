//! Words that mean something in some places and are ordinary names elsewhere.

/// Defines the words that the grammar asks for in places where any name is allowed. Those of modifiers are an enum of
/// their own besides, so that code that handles modifiers names them all.
macro_rules! words {
    (
        modifiers { $($modifier:ident = $modifier_text:literal,)* }
        others { $($other:ident = $other_text:literal,)* }
    ) => {
        /// An identifier that means something in some places; `Other` means nothing anywhere.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum Word {
            Other,
            $(#[doc = concat!("`", $modifier_text, "`")] $modifier,)*
            $(#[doc = concat!("`", $other_text, "`")] $other,)*
        }

        impl Word {
            #[must_use]
            pub fn classify(text: &str) -> Self {
                match text {
                    $($modifier_text => Self::$modifier,)*
                    $($other_text => Self::$other,)*
                    _ => Self::Other,
                }
            }

            /// The modifier that starts with it.
            #[must_use]
            pub const fn modifier(self) -> Option<ModifierName> {
                match self {
                    $(Self::$modifier => Some(ModifierName::$modifier),)*
                    Self::Other $(| Self::$other)* => None,
                }
            }
        }

        /// A modifier, by the word that it starts with.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum ModifierName {
            $(#[doc = concat!("`", $modifier_text, "`")] $modifier,)*
        }

        impl ModifierName {
            pub const ALL: &'static [Self] = &[$(Self::$modifier,)*];

            /// The word that it starts with.
            #[must_use]
            pub const fn word(self) -> Word {
                match self {
                    $(Self::$modifier => Word::$modifier,)*
                }
            }

            /// Its word as it is written.
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self {
                    $(Self::$modifier => $modifier_text,)*
                }
            }
        }
    };
}

words! {
    modifiers {
        Timeout = "timeout",
        Retry = "retry",
        Reflect = "reflect",
        Budget = "budget",
        Limit = "limit",
        Errors = "errors",
    }
    others {
        Agent = "agent",
        Prompt = "prompt",
        Tool = "tool",
        Mcp = "mcp",
        Hook = "hook",
        Human = "human",
        External = "external",
        Skill = "skill",
        Test = "test",
        Permissions = "permissions",
        Step = "step",
        Parallel = "parallel",
        Revise = "revise",
        State = "state",
        Emit = "emit",
        Mock = "mock",
        Detached = "detached",
        Undo = "undo",
        Was = "was",
        User = "user",
        System = "system",
        Assistant = "assistant",
        Example = "example",
        Fails = "fails",
        Cassette = "cassette",
        Backoff = "backoff",
        Max = "max",
        By = "by",
        With = "with",
        Where = "where",
        Until = "until",
        Uses = "uses",
        Pure = "pure",
        Reads = "reads",
        Idempotent = "idempotent",
        Once = "once",
        Trusted = "trusted",
        Then = "then",
        Call = "call",
        Answer = "answer",
        Pass = "pass",
        Repeat = "repeat",
    }
}

impl Word {
    /// Whether it starts a modifier or the part of a `retry` that may be on a line of its own.
    #[must_use]
    pub const fn belongs_to_modifier(self) -> bool {
        self.modifier().is_some() || matches!(self, Self::Backoff | Self::Max)
    }
}
