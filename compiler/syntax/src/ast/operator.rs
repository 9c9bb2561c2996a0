//! Operators: how each is written, how tightly it binds and what sort of operands it takes.

use crate::token::TokenKind;

/// Defines an enum of operators with the token that each is written as, or the last of its tokens beside its text.
macro_rules! operators {
    ($(#[$docs:meta])* $name:ident { $($operator:ident = $token:ident $(as $text:literal)?,)* }) => {
        $(#[$docs])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name {
            $($operator,)*
        }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$operator,)*];

            /// The token that it is written as.
            #[must_use]
            pub const fn token(self) -> TokenKind {
                match self {
                    $(Self::$operator => TokenKind::$token,)*
                }
            }

            /// The operator that is written as a token of that kind.
            #[must_use]
            pub const fn of_token(kind: TokenKind) -> Option<Self> {
                const BY_TOKEN: [Option<$name>; TokenKind::ALL.len()] = {
                    let mut table = [None; TokenKind::ALL.len()];
                    $(table[TokenKind::$token as usize] = Some($name::$operator);)*
                    table
                };
                BY_TOKEN[kind as usize]
            }

            #[must_use]
            pub const fn symbol(self) -> &'static str {
                match self {
                    $(Self::$operator => operators!(@text $token $($text)?),)*
                }
            }
        }
    };
    (@text $token:ident) => {
        TokenKind::$token.text()
    };
    (@text $token:ident $text:literal) => {
        $text
    };
}

operators! {
    /// An infix operator between two values.
    BinaryOperator {
        Or = Or,
        And = And,
        Equal = EqualEqual,
        NotEqual = BangEqual,
        Less = Less,
        LessEqual = LessEqual,
        Greater = Greater,
        GreaterEqual = GreaterEqual,
        NotIn = In as "not in",
        // After it, because the token alone is this one.
        In = In,
        Otherwise = QuestionQuestion,
        Add = Plus,
        Subtract = Minus,
        Multiply = Star,
        Divide = Slash,
        Remainder = Percent,
    }
}

operators! {
    UnaryOperator {
        Negate = Minus,
        Not = Not,
    }
}

operators! {
    /// What an assignment does to its target.
    AssignOperator {
        Set = Equal,
        Add = PlusEqual,
        Subtract = MinusEqual,
        Multiply = StarEqual,
        Divide = SlashEqual,
        Remainder = PercentEqual,
    }
}

operators! {
    /// Whether a range holds its end.
    RangeEnd {
        Exclusive = DotDot,
        Inclusive = DotDotEqual,
    }
}

operators! {
    /// Which dot precedes a field.
    Chain {
        Plain = Dot,
        Optional = QuestionDot,
    }
}

/// How tightly an operator binds, the loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u16)]
pub enum Precedence {
    Catch,
    Or,
    And,
    Not,
    /// `==`, `<`, `in` and their kin, which do not chain
    Comparison,
    /// `??`, which groups to the right
    Otherwise,
    Range,
    /// `+` and `-`
    Sum,
    /// `*`, `/` and `%`
    Product,
    Conversion,
    /// `-` and `await`
    Prefix,
}

/// What sort of operands an operator takes and what it makes of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OperatorClass {
    Logic,
    /// Whether two values are the same.
    Equality,
    /// How two values are ordered.
    Order,
    /// Whether a collection holds a value.
    Membership,
    /// A value, or another where it is `none` or an error.
    Fallback,
    /// A number, or what is added up like one.
    Arithmetic,
}

impl BinaryOperator {
    #[must_use]
    pub const fn precedence(self) -> Precedence {
        match self {
            Self::Or => Precedence::Or,
            Self::And => Precedence::And,
            Self::Equal
            | Self::NotEqual
            | Self::Less
            | Self::LessEqual
            | Self::Greater
            | Self::GreaterEqual
            | Self::NotIn
            | Self::In => Precedence::Comparison,
            Self::Otherwise => Precedence::Otherwise,
            Self::Add | Self::Subtract => Precedence::Sum,
            Self::Multiply | Self::Divide | Self::Remainder => Precedence::Product,
        }
    }

    /// What sort of operands it takes.
    #[must_use]
    pub const fn class(self) -> OperatorClass {
        match self {
            Self::Or | Self::And => OperatorClass::Logic,
            Self::Equal | Self::NotEqual => OperatorClass::Equality,
            Self::Less | Self::LessEqual | Self::Greater | Self::GreaterEqual => {
                OperatorClass::Order
            }
            Self::NotIn | Self::In => OperatorClass::Membership,
            Self::Otherwise => OperatorClass::Fallback,
            Self::Add | Self::Subtract | Self::Multiply | Self::Divide | Self::Remainder => {
                OperatorClass::Arithmetic
            }
        }
    }

    /// Whether a line can start with it: one that starts with `-` is a statement of its own.
    #[must_use]
    pub const fn may_start_line(self) -> bool {
        !matches!(self, Self::Subtract)
    }
}

impl UnaryOperator {
    #[must_use]
    pub const fn precedence(self) -> Precedence {
        match self {
            Self::Negate => Precedence::Prefix,
            Self::Not => Precedence::Not,
        }
    }
}
