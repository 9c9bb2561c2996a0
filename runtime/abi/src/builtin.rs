//! The types that every program has, at fixed places of its type table.

use crate::types::{ErrorClass, ErrorKind, Field, Secrecy, Trust, Type, TypeId, TypeTable};

/// Declares the fixed types in order.
macro_rules! fixed {
    ($($(#[$doc:meta])* $name:ident = $ty:expr;)*) => {
        fixed!(@constants 0u32; $($(#[$doc])* $name;)*);
        fn fixed_types() -> Vec<Type> { vec![$($ty),*] }
    };
    (@constants $index:expr; $(#[$doc:meta])* $name:ident; $($rest:tt)*) => {
        $(#[$doc])*
        pub const $name: TypeId = TypeId($index);
        fixed!(@constants $index + 1; $($rest)*);
    };
    (@constants $index:expr;) => {
        const FIXED: u32 = $index;
    };
}

fixed! {
    UNIT = Type::Unit;
    BOOL = Type::Bool;
    INT = Type::Int;
    FLOAT = Type::Float;
    STRING = Type::String;
    BYTES = Type::Bytes;
    TIME = Type::Time;
    DURATION = Type::Duration;
    JSON = Type::Json;
    SECRET = Type::Secret;
    MEDIA = Type::Media;
    ERROR = Type::Error;
    FUNCTION = Type::Function;
    SESSION = Type::Session;
    LIST_STRING = Type::List(STRING);
    LIST_JSON = Type::List(JSON);
    MAP_STRING_JSON = Type::Map { key: STRING, value: JSON };
    OPTIONAL_STRING = Type::Optional(STRING);
    OPTIONAL_INT = Type::Optional(INT);
    OPTIONAL_DURATION = Type::Optional(DURATION);
    /// `Issue`: what does not fit in an answer.
    ISSUE = Type::Record(crate::types::Record {
        name: "Issue".into(),
        docs: None,
        fields: vec![text("path"), text("expected"), text("found"), text("message")],
    });
    LIST_ISSUE = Type::List(ISSUE);
    LIST_ERROR = Type::List(ERROR);
    OPTIONAL_BYTES = Type::Optional(BYTES);
    LIST_INT = Type::List(INT);
}

/// A built-in kind of error; its type has the id [`BuiltinError::ty`].
macro_rules! errors {
    ($($(#[$doc:meta])* $variant:ident $class:ident ($($field:ident: $ty:expr),*);)*) => {
        /// The built-in kinds of error, in the order of their types.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u32)]
        pub enum BuiltinError { $($(#[$doc])* $variant),* }

        impl BuiltinError {
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Its name in the language.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => stringify!($variant)),* }
            }

            fn describe(self) -> ErrorKind {
                match self {
                    $(Self::$variant => ErrorKind {
                        name: stringify!($variant).into(),
                        docs: None,
                        class: ErrorClass::$class,
                        fields: vec![$(field(stringify!($field), $ty)),*],
                    }),*
                }
            }
        }
    };
}

errors! {
    /// The provider asks to wait.
    RateLimited Model (retry_after: OPTIONAL_DURATION);
    /// The provider has no capacity.
    Overloaded Model ();
    /// The key is missing or refused.
    Unauthorized Model (message: STRING);
    /// The account has no credit left.
    QuotaExceeded Model (message: STRING);
    /// The answer does not fit the type.
    InvalidResponse Model (issues: LIST_ISSUE);
    Refused Model (reason: STRING);
    /// The request is larger than the model takes.
    ContextTooLong Model (tokens: OPTIONAL_INT, limit: OPTIONAL_INT);
    /// The answer was cut at its token limit.
    MaxTokens Model ();
    /// Anything else that a provider reports, also an unreachable one.
    ProviderError Model (status: OPTIONAL_INT, message: STRING);
    Timeout Error (after: DURATION);
    ToolFailed Error (tool: STRING, message: STRING);
    McpError Error (server: STRING, message: STRING);
    IoError Error (path: OPTIONAL_STRING, message: STRING);
    /// An HTTP answer was not a success.
    HttpError Error (status: INT, body: STRING);
    /// A value does not fit the type it is read as.
    DecodeError Error (path: STRING, expected: STRING, found: STRING);
    Failed Error (message: STRING);
    Many Error (errors: LIST_ERROR);
    /// An integer left 64 bits.
    Overflow Fault ();
    /// Division or remainder by zero.
    DivisionByZero Fault ();
    /// An index or key that is not there.
    OutOfRange Fault (message: STRING);
    StackOverflow Fault ();
    /// An `assert` or a check does not hold.
    AssertionFailed Fault (message: STRING);
    /// A budget is used up.
    BudgetExceeded Fault (what: STRING);
    /// The program, or its user, did not permit it.
    PermissionDenied Fault (what: STRING);
    /// A `once` effect began and its end was never seen.
    OutcomeUnknown Fault (what: STRING);
    OutOfMemory Fault ();
    /// A mistake of the runtime or the compiler.
    Internal Fault (message: STRING);
    /// The awaited task was cancelled.
    Cancelled Fault (reason: OPTIONAL_STRING);
    /// Not nameable: unwinds a cancelled task or scope. `scope` says which.
    Unwind Unwind (scope: INT);
}

impl BuiltinError {
    /// The id of its type.
    #[must_use]
    pub const fn ty(self) -> TypeId {
        TypeId(FIXED + self as u32)
    }

    /// The kind whose type this is.
    #[must_use]
    pub fn of(ty: TypeId) -> Option<Self> {
        let index = ty.0.checked_sub(FIXED)?;
        Self::ALL.get(index as usize).copied()
    }

    /// The kind of this name, which a program can write (`Unwind` cannot be).
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|it| it.name() == name && *it != Self::Unwind)
    }
}

/// A table that holds just the fixed types; a program's own follow.
#[must_use]
pub fn type_table() -> TypeTable {
    let mut types = fixed_types();
    types.extend(
        BuiltinError::ALL
            .iter()
            .map(|it| Type::ErrorKind(it.describe())),
    );
    TypeTable { types }
}

fn text(name: &str) -> Field {
    field(name, STRING)
}

fn field(name: &str, ty: TypeId) -> Field {
    Field {
        name: name.into(),
        wire: name.into(),
        docs: None,
        ty,
        default: None,
        check: None,
        secrecy: Secrecy::Shown,
        trust: Trust::Any,
    }
}

#[cfg(test)]
mod tests {
    use super::{BuiltinError, JSON, LIST_INT, type_table};
    use crate::types::Type;

    #[test]
    fn fixed_ids_name_their_types() {
        let table = type_table();
        assert_eq!(table.get(JSON), &Type::Json);
        assert_eq!(table.get(LIST_INT), &Type::List(super::INT));
        for &kind in BuiltinError::ALL {
            let Type::ErrorKind(described) = table.get(kind.ty()) else {
                panic!("{kind:?}")
            };
            assert_eq!(described.name, kind.name());
            assert_eq!(BuiltinError::of(kind.ty()), Some(kind));
        }
    }
}
