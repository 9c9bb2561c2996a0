//! Why an expression has no value.

use gsw_abi::builtin::BuiltinError;
use gsw_source::{Db, ItemId};

use crate::value::Value;

/// A value, or why there is none.
pub type Flow<T> = Result<T, Stop>;

/// Why an expression has no value.
#[derive(Debug)]
pub enum Stop {
    Break,
    Continue,
    Return(Value),
    Raise(Raised),
    /// The task is cancelled where it waits.
    Cancelled,
    /// The reference cannot say what happens; a sentence that says why.
    Unsupported(String),
    /// It is too much to be evaluated; a sentence that says why.
    Limit(String),
}

/// An error that was raised and not yet caught.
#[derive(Clone, Debug)]
pub struct Raised {
    pub item: ItemId,
    pub fields: std::rc::Rc<Vec<Value>>,
}

impl Raised {
    /// The error as a value.
    pub fn value(&self) -> Value {
        Value::Error(self.item, self.fields.clone())
    }
}

/// Stands for texts that the language does not fix; a result that holds one is not compared.
pub const UNSPECIFIED: &str = "\u{1}unsaid\u{1}";

/// Stops where the reference cannot say what happens.
pub fn unsupported<T>(why: impl Into<String>) -> Flow<T> {
    Err(Stop::Unsupported(why.into()))
}

pub fn limit<T>(why: impl Into<String>) -> Flow<T> {
    Err(Stop::Limit(why.into()))
}

pub fn raise<T>(db: &dyn Db, error: BuiltinError, fields: Vec<Value>) -> Flow<T> {
    match gsw_names::builtin_item(db, error) {
        Some(item) => Err(Stop::Raise(Raised {
            item,
            fields: std::rc::Rc::new(fields),
        })),
        None => unsupported(format!("the prelude lacks `{}`", error.name())),
    }
}

/// Raises `DecodeError` at a path.
pub fn decode_error<T>(db: &dyn Db, path: &str) -> Flow<T> {
    let fields = vec![
        Value::text(path),
        Value::text(UNSPECIFIED),
        Value::text(UNSPECIFIED),
    ];
    raise(db, BuiltinError::DecodeError, fields)
}
