//! What becomes a function: a body with concrete types, a lambda in one, or code that the compiler makes.

use gsw_abi::hook::Moment;
use gsw_infer::hir::{BodyPart, ExpressionId};
use gsw_names::types::Type;
use gsw_source::ItemId;

use crate::waiting::ArgumentsWait;

/// A body for concrete types.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct BodyInstance {
    pub item: ItemId,
    pub part: BodyPart,
    /// Concrete types for its type parameters.
    pub type_arguments: Vec<Type>,
    /// Whether its function-typed arguments wait.
    pub arguments: ArgumentsWait,
}

/// What a lambda is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LambdaUse {
    Value,
    /// The code of a task, which is always resumable.
    Task,
}

/// What a prompt's function gives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PromptForm {
    Value,
    Detail,
    Stream,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Instance {
    Body(BodyInstance),
    /// A lambda; parameter 0 is its closure.
    Lambda {
        /// The body that it is in.
        owner: BodyInstance,
        /// The expression that holds it.
        expression: ExpressionId,
        /// Which one of that expression.
        position: u32,
        purpose: LambdaUse,
    },
    /// The code of a `mock`; parameter 0 is its closure.
    Mock {
        /// The test that it is in.
        owner: BodyInstance,
        outcome: ExpressionId,
    },
    /// A declaration as a function value; parameter 0 is its closure.
    FunctionValue {
        item: ItemId,
        type_arguments: Vec<Type>,
    },
    /// A variant's or error's constructor as a function value; parameter 0 is its closure.
    ConstructorValue {
        /// The enum's or error's declaration.
        item: ItemId,
        /// The variant; 0 for an error.
        variant: u32,
        result: Type,
    },
    /// A prompt; after its parameters come the agent's name and the settings of the call, each 0 when not given.
    Prompt {
        item: ItemId,
        form: PromptForm,
    },
    /// A prompt that is started from outside, with nothing but its parameters.
    PromptEntry {
        item: ItemId,
    },
    /// A prompt or a `human` as a tool, which is a node of its own.
    CalledByModel {
        item: ItemId,
    },
    /// A handler of a hook, with what the library makes of what it says.
    Handler {
        item: ItemId,
        index: u32,
        moment: Moment,
    },
    /// What a prompt says, with its blocks.
    PromptText {
        item: ItemId,
    },
    /// The few-shot pairs of a prompt as a `json` list.
    Examples {
        item: ItemId,
    },
    /// The default of a parameter for starts of a declaration from outside. It never waits, but has a frame, in which the
    /// runtime can put any number of the parameters before it.
    Default {
        item: ItemId,
        parameter: u32,
    },
    /// A question to a person.
    Human {
        item: ItemId,
    },
    /// An answer from outside.
    External {
        item: ItemId,
    },
    /// The rows of a test for its runner.
    Rows {
        item: ItemId,
    },
}

impl Instance {
    /// The declaration that it belongs to.
    pub fn item(&self) -> ItemId {
        match self {
            Self::Body(body)
            | Self::Lambda { owner: body, .. }
            | Self::Mock { owner: body, .. } => body.item,
            Self::FunctionValue { item, .. }
            | Self::ConstructorValue { item, .. }
            | Self::Prompt { item, .. }
            | Self::PromptEntry { item }
            | Self::CalledByModel { item }
            | Self::Handler { item, .. }
            | Self::PromptText { item }
            | Self::Examples { item }
            | Self::Default { item, .. }
            | Self::Human { item }
            | Self::External { item }
            | Self::Rows { item } => *item,
        }
    }
}

/// Types may nest so deep in a type argument; a program that needs more instantiates itself without end.
pub const DEEPEST_TYPE: usize = 64;

/// For this many types, and kinds of function arguments, a function may be needed; a guess at what is beyond any program.
pub const MOST_INSTANCES: usize = 2_000;

/// How deep types nest in `ty`.
#[must_use]
pub fn type_depth(ty: &Type) -> usize {
    let deepest = |them: &[Type]| them.iter().map(type_depth).max().unwrap_or(0);
    1 + match ty {
        Type::Optional(it)
        | Type::List(it)
        | Type::Task(it)
        | Type::Stream(it)
        | Type::Queue(it)
        | Type::Partial(it) => type_depth(it),
        Type::Map(key, value) => type_depth(key).max(type_depth(value)),
        Type::Tuple(all) | Type::Record(_, all) | Type::Enum(_, all) | Type::Checked(_, all) => {
            deepest(all)
        }
        Type::Function(function) => deepest(&function.parameters).max(type_depth(&function.result)),
        Type::Unit
        | Type::Bool
        | Type::Int
        | Type::Float
        | Type::String
        | Type::Bytes
        | Type::Time
        | Type::Duration
        | Type::Json
        | Type::Secret
        | Type::Image
        | Type::Document
        | Type::Session
        | Type::Error
        | Type::Agent
        | Type::Never
        | Type::Literals(_)
        | Type::Parameter(..)
        | Type::Variable(_)
        | Type::Text(_)
        | Type::Invalid => 0,
    }
}
