//! Values as the language describes them.
//!
//! A present optional is its inside, because optionals do not nest; `json` keeps its own `null`, which is not `none`.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use gsw_infer::hir::{Body, ExpressionId, LocalId, LocalKind};
use gsw_names::types::Type;
use gsw_source::ItemId;

use crate::json::Json;
use crate::queue::Queue;
use crate::task::TaskCell;

#[derive(Clone, Debug)]
pub enum Value {
    Unit,
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    /// In nanoseconds.
    Duration(i64),
    /// A string, also of a literal union.
    Text(Rc<str>),
    Json(Rc<Json>),
    List(Rc<Vec<Value>>),
    Tuple(Rc<Vec<Value>>),
    /// A map, in order of insertion.
    Map(Rc<Vec<(Value, Value)>>),
    Record(ItemId, Rc<Vec<Value>>),
    /// A variant of an enum.
    Variant(ItemId, u32, Rc<Vec<Value>>),
    /// An error, by its declaration.
    Error(ItemId, Rc<Vec<Value>>),
    Function(Rc<Function>),
    Task(TaskCell),
    Queue(QueueCell),
}

/// A queue: shared by all its holders.
pub type QueueCell = Rc<RefCell<Queue<Value>>>;

/// A variable: shared by all that captured it.
pub type Cell = Rc<RefCell<Value>>;

#[derive(Debug)]
pub enum Function {
    /// A declaration with its type arguments.
    Item(ItemId, Rc<[Type]>),
    /// A variant (of an enum) or an error (variant 0) that takes its fields.
    Constructor(ItemId, u32),
    Closure(Closure),
}

/// A lambda with what it captured.
#[derive(Clone, Debug)]
pub struct Closure {
    /// The body that it is in.
    pub body: Arc<Body>,
    pub parameters: Vec<LocalId>,
    pub root: ExpressionId,
    pub captured: Vec<(LocalId, Cell)>,
    /// The type arguments of the code around it.
    pub types: Rc<[Type]>,
}

impl Value {
    pub fn text(text: impl Into<Rc<str>>) -> Self {
        Self::Text(text.into())
    }

    pub fn list(elements: Vec<Self>) -> Self {
        Self::List(Rc::new(elements))
    }

    pub fn tuple(parts: Vec<Self>) -> Self {
        Self::Tuple(Rc::new(parts))
    }

    /// A map without repeated keys.
    pub fn map(entries: Vec<(Self, Self)>) -> Self {
        Self::Map(Rc::new(entries))
    }

    pub fn json(json: Json) -> Self {
        Self::Json(Rc::new(json))
    }

    pub fn function(function: Function) -> Self {
        Self::Function(Rc::new(function))
    }

    /// The value, or `none`.
    pub fn optional(value: Option<Self>) -> Self {
        value.unwrap_or(Self::None)
    }
}

impl Closure {
    /// Whether it can see a variable that others may change: then it matters when it runs.
    pub fn shares(&self) -> bool {
        self.captured.iter().any(|(local, cell)| {
            let kind = self.body.local(*local).kind;
            matches!(kind, LocalKind::Var | LocalKind::State) || shares(&cell.borrow())
        })
    }
}

fn shares(value: &Value) -> bool {
    match value {
        Value::Function(function) => match &**function {
            Function::Closure(closure) => closure.shares(),
            Function::Item(..) | Function::Constructor(..) => false,
        },
        Value::List(parts) | Value::Tuple(parts) | Value::Record(_, parts) => {
            parts.iter().any(shares)
        }
        Value::Variant(_, _, fields) => fields.iter().any(shares),
        Value::Map(entries) => entries.iter().any(|(_, value)| shares(value)),
        Value::Queue(_) => true,
        Value::Unit
        | Value::None
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Float(_)
        | Value::Duration(_)
        | Value::Text(_)
        | Value::Json(_)
        | Value::Error(..)
        | Value::Task(_) => false,
    }
}

/// What surrounds the current code, as far as taking back goes.
#[derive(Debug)]
pub enum Undoing {
    /// A workflow, with what it has registered.
    Workflow(Vec<Closure>),
    /// Something that takes back: nothing is registered there.
    Undo,
}
