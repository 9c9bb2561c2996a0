//! Tokens: small copyable values; their text stays in the source, the values of literals in a side table.

mod word;

use gsw_source::{Name, Span};

pub use word::{ModifierName, Word};

/// Defines the kinds of tokens with the text that an error message shows for each.
macro_rules! token_kinds {
    (
        keywords { $($keyword:ident = $keyword_text:literal,)* }
        punctuation { $($mark:ident = $mark_text:literal,)* }
        others { $($other:ident = $other_text:literal,)* }
    ) => {
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

            /// The text of a reserved word or mark; of anything else, how an error message names it.
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self {
                    $(Self::$keyword => $keyword_text,)*
                    $(Self::$mark => $mark_text,)*
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
        SlashEqual = "/=",
        PercentEqual = "%=",
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

/// What part kinds of tokens play in the grammar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenClass {
    /// A name, or what can stand for one.
    Name,
    Literal,
    /// A string without interpolation, or a piece of one with them.
    Text,
    /// A reserved word that starts a declaration, a statement or an expression.
    Keyword,
    /// A reserved word between two parts of an expression.
    Joint,
    /// Opens a bracket, an interpolation or a string with interpolations, which this kind closes.
    Opener(TokenKind),
    /// Closes what an opener opens.
    Closer,
    /// Ends a statement or an element.
    Separator,
    Mark,
}

impl TokenKind {
    /// What part it plays in the grammar.
    #[must_use]
    #[expect(
        clippy::too_many_lines,
        reason = "one line a kind: rustc asks for the class of a new one"
    )]
    pub const fn class(self) -> TokenClass {
        match self {
            Self::Identifier | Self::SelfValue | Self::Underscore => TokenClass::Name,
            Self::True | Self::False | Self::None | Self::Int | Self::Float | Self::Duration => {
                TokenClass::Literal
            }
            Self::String | Self::StringText => TokenClass::Text,
            Self::And | Self::As | Self::Catch | Self::Else | Self::In | Self::Or => {
                TokenClass::Joint
            }
            Self::Assert
            | Self::Await
            | Self::Break
            | Self::Const
            | Self::Continue
            | Self::Defer
            | Self::Do
            | Self::Enum
            | Self::Error
            | Self::Fail
            | Self::Fn
            | Self::For
            | Self::If
            | Self::Import
            | Self::Let
            | Self::Match
            | Self::Not
            | Self::Private
            | Self::Race
            | Self::Return
            | Self::Spawn
            | Self::Type
            | Self::Var
            | Self::While
            | Self::Workflow => TokenClass::Keyword,
            Self::ParenOpen => TokenClass::Opener(Self::ParenClose),
            Self::BracketOpen => TokenClass::Opener(Self::BracketClose),
            Self::BraceOpen => TokenClass::Opener(Self::BraceClose),
            Self::InterpolationOpen => TokenClass::Opener(Self::InterpolationClose),
            Self::StringOpen => TokenClass::Opener(Self::StringClose),
            Self::ParenClose
            | Self::BracketClose
            | Self::BraceClose
            | Self::InterpolationClose
            | Self::StringClose => TokenClass::Closer,
            Self::Comma | Self::Semicolon | Self::Newline => TokenClass::Separator,
            Self::Colon
            | Self::Dot
            | Self::QuestionDot
            | Self::DotDot
            | Self::DotDotEqual
            | Self::Question
            | Self::QuestionQuestion
            | Self::Bang
            | Self::Equal
            | Self::EqualEqual
            | Self::BangEqual
            | Self::FatArrow
            | Self::Arrow
            | Self::Plus
            | Self::Minus
            | Self::Star
            | Self::Slash
            | Self::Percent
            | Self::PlusEqual
            | Self::MinusEqual
            | Self::StarEqual
            | Self::SlashEqual
            | Self::PercentEqual
            | Self::Less
            | Self::LessEqual
            | Self::Greater
            | Self::GreaterEqual
            | Self::Pipe
            | Self::At => TokenClass::Mark,
        }
    }

    /// Whether it opens a bracket, an interpolation or a string with interpolations.
    #[must_use]
    pub const fn is_opener(self) -> bool {
        self.closer().is_some()
    }

    #[must_use]
    pub const fn closer(self) -> Option<Self> {
        if let TokenClass::Opener(closer) = self.class() {
            Some(closer)
        } else {
            None
        }
    }

    /// Whether it closes what an opener opens.
    #[must_use]
    pub const fn is_closer(self) -> bool {
        matches!(self.class(), TokenClass::Closer)
    }

    /// Whether it is a literal by itself; strings are productions of their own.
    #[must_use]
    pub const fn is_literal(self) -> bool {
        matches!(self.class(), TokenClass::Literal)
    }

    /// Whether it ends a statement or an element.
    #[must_use]
    pub const fn is_separator(self) -> bool {
        matches!(self.class(), TokenClass::Separator)
    }

    /// Whether an expression can start with it.
    #[must_use]
    pub const fn starts_expression(self) -> bool {
        match self.class() {
            TokenClass::Name | TokenClass::Literal | TokenClass::Keyword => true,
            TokenClass::Text => matches!(self, Self::String),
            TokenClass::Opener(_) => !matches!(self, Self::InterpolationOpen),
            TokenClass::Mark => matches!(self, Self::Minus),
            TokenClass::Joint | TokenClass::Closer | TokenClass::Separator => false,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    pub kind: TokenKind,
    /// Which contextual word an identifier is.
    pub word: Word,
    /// Whether a line break, or the beginning of the file, precedes it.
    pub line_start: LineStart,
    /// The index of a literal's value; for a bracket the distance to its partner, 0 when it has none.
    pub value: u32,
    pub span: Span,
}

/// The position of a token in its line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineStart {
    /// Something precedes it on its line.
    Inside,
    /// It is the first on its line, after blanks.
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
    /// In nanoseconds.
    Duration(i64),
    /// A string's text without escapes and indentation.
    Text(Name),
}
