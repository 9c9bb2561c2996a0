//! Tokens: small copyable values; their text stays in the source and their worth in a side table.

use gsw_source::{Name, Span};

/// Defines the kinds of tokens with the text that an error message shows for each.
macro_rules! token_kinds {
    (
        keywords { $($keyword:ident = $keyword_text:literal,)* }
        punctuation { $($mark:ident = $mark_text:literal,)* }
        others { $($other:ident = $other_text:literal,)* }
    ) => {
        /// What a token is.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum TokenKind {
            $(#[doc = concat!("`", $keyword_text, "`")] $keyword,)*
            $(#[doc = concat!("`", $mark_text, "`")] $mark,)*
            $(#[doc = concat!("Shown as “", $other_text, "”.")] $other,)*
        }

        impl TokenKind {
            /// Every kind, in order of its number.
            pub const ALL: &'static [Self] = &[
                $(Self::$keyword,)* $(Self::$mark,)* $(Self::$other,)*
            ];

            /// The reserved word spelled `text`.
            #[must_use]
            pub fn keyword(text: &str) -> Option<Self> {
                match text {
                    $($keyword_text => Some(Self::$keyword),)*
                    _ => None,
                }
            }

            /// Whether it is a reserved word.
            #[must_use]
            pub const fn is_keyword(self) -> bool {
                matches!(self, $(Self::$keyword)|*)
            }

            /// How an error message names it.
            #[must_use]
            pub const fn description(self) -> &'static str {
                match self {
                    $(Self::$keyword => concat!("`", $keyword_text, "`"),)*
                    $(Self::$mark => concat!("`", $mark_text, "`"),)*
                    $(Self::$other => $other_text,)*
                }
            }
        }
    };
}

token_kinds! {
    keywords {
        And = "and",
        As = "as",
        Assert = "assert",
        Await = "await",
        Break = "break",
        Catch = "catch",
        Const = "const",
        Continue = "continue",
        Defer = "defer",
        Do = "do",
        Else = "else",
        Enum = "enum",
        Error = "error",
        Fail = "fail",
        False = "false",
        Fn = "fn",
        For = "for",
        If = "if",
        Import = "import",
        In = "in",
        Let = "let",
        Match = "match",
        None = "none",
        Not = "not",
        Or = "or",
        Private = "private",
        Race = "race",
        Return = "return",
        SelfValue = "self",
        Spawn = "spawn",
        True = "true",
        Type = "type",
        Var = "var",
        While = "while",
        Workflow = "workflow",
    }
    punctuation {
        ParenOpen = "(",
        ParenClose = ")",
        BracketOpen = "[",
        BracketClose = "]",
        BraceOpen = "{",
        BraceClose = "}",
        Comma = ",",
        Semicolon = ";",
        Colon = ":",
        Dot = ".",
        QuestionDot = "?.",
        DotDot = "..",
        DotDotEqual = "..=",
        Question = "?",
        QuestionQuestion = "??",
        Bang = "!",
        Equal = "=",
        EqualEqual = "==",
        BangEqual = "!=",
        FatArrow = "=>",
        Arrow = "->",
        Plus = "+",
        Minus = "-",
        Star = "*",
        Slash = "/",
        Percent = "%",
        PlusEqual = "+=",
        MinusEqual = "-=",
        StarEqual = "*=",
        Less = "<",
        LessEqual = "<=",
        Greater = ">",
        GreaterEqual = ">=",
        Pipe = "|",
        At = "@",
        Underscore = "_",
    }
    others {
        Identifier = "a name",
        Int = "a number",
        Float = "a number with a point",
        Duration = "a duration",
        String = "a string",
        StringOpen = "a string with `${ }`",
        StringText = "text",
        InterpolationOpen = "`${`",
        InterpolationClose = "`}` of `${`",
        StringClose = "the end of the string",
        Newline = "the end of the line",
    }
}

impl TokenKind {
    /// Whether it opens a bracket, an interpolation or a string with interpolations.
    #[must_use]
    pub const fn is_opener(self) -> bool {
        matches!(
            self,
            Self::ParenOpen
                | Self::BracketOpen
                | Self::BraceOpen
                | Self::InterpolationOpen
                | Self::StringOpen
        )
    }

    /// What closes this opener.
    #[must_use]
    pub const fn closer(self) -> Option<Self> {
        match self {
            Self::ParenOpen => Some(Self::ParenClose),
            Self::BracketOpen => Some(Self::BracketClose),
            Self::BraceOpen => Some(Self::BraceClose),
            Self::InterpolationOpen => Some(Self::InterpolationClose),
            Self::StringOpen => Some(Self::StringClose),
            _ => None,
        }
    }

    /// Whether it closes what an opener opens.
    #[must_use]
    pub const fn is_closer(self) -> bool {
        matches!(
            self,
            Self::ParenClose
                | Self::BracketClose
                | Self::BraceClose
                | Self::InterpolationClose
                | Self::StringClose
        )
    }

    /// Whether it compares two values; such operators do not chain.
    #[must_use]
    pub const fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::EqualEqual
                | Self::BangEqual
                | Self::Less
                | Self::LessEqual
                | Self::Greater
                | Self::GreaterEqual
                | Self::In
        )
    }
}

/// Defines the words that the grammar asks for in places where any name could stand.
macro_rules! words {
    ($($word:ident = $text:literal,)*) => {
        /// An identifier that means something in some places; `Other` means nothing anywhere.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum Word {
            /// An ordinary name.
            Other,
            $(#[doc = concat!("`", $text, "`")] $word,)*
        }

        impl Word {
            /// The word spelled `text`.
            #[must_use]
            pub fn classify(text: &str) -> Self {
                match text {
                    $($text => Self::$word,)*
                    _ => Self::Other,
                }
            }

            /// How an error message names it.
            #[must_use]
            pub const fn description(self) -> &'static str {
                match self {
                    Self::Other => "a name",
                    $(Self::$word => concat!("`", $text, "`"),)*
                }
            }
        }
    };
}

words! {
    Agent = "agent",
    Prompt = "prompt",
    Tool = "tool",
    Mcp = "mcp",
    Hook = "hook",
    Human = "human",
    Skill = "skill",
    Test = "test",
    Permissions = "permissions",
    Step = "step",
    Parallel = "parallel",
    Timeout = "timeout",
    Retry = "retry",
    Budget = "budget",
    Reflect = "reflect",
    Revise = "revise",
    State = "state",
    Emit = "emit",
    Mock = "mock",
    Detached = "detached",
    User = "user",
    System = "system",
    Example = "example",
    Fails = "fails",
    Cassette = "cassette",
    Backoff = "backoff",
    Max = "max",
    Limit = "limit",
    Errors = "errors",
    By = "by",
    With = "with",
    Where = "where",
    Until = "until",
    Uses = "uses",
    Pure = "pure",
    Reads = "reads",
    Idempotent = "idempotent",
    Once = "once",
}

/// One token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Which contextual word an identifier is.
    pub word: Word,
    /// Whether a line break, or the beginning of the file, stands before it.
    pub line_start: LineStart,
    /// The index of a literal's value; for a bracket the distance to its partner, 0 when it has none.
    pub value: u32,
    /// Its bytes.
    pub span: Span,
}

/// Where in its line a token stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineStart {
    /// Something stands before it on its line.
    Inside,
    /// It is the first on its line, behind blanks.
    Indented,
    /// It is the first on its line, with nothing before it.
    Margin,
}

impl Token {
    /// Whether it is a bracket whose partner exists.
    #[must_use]
    pub const fn is_matched(self) -> bool {
        self.value != 0
    }

    /// Whether it is an identifier or a reserved word, which may be a field or a named argument.
    #[must_use]
    pub fn is_word(self) -> bool {
        matches!(self.kind, TokenKind::Identifier) || self.kind.is_keyword()
    }
}

/// What a literal token stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// An int; `None` when it does not fit, which has been reported.
    Int(Option<i128>),
    /// The bits of a float.
    Float(u64),
    /// Nanoseconds.
    Duration(i64),
    /// A string's text without escapes and indentation.
    Text(Name),
}
