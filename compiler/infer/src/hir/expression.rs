//! Expressions.

use gsw_names::types::Type;
use gsw_source::{ItemId, Name, Span};

use crate::hir::{
    BinaryOperator, ErrorPolicy, ExpressionId, LocalId, Modifiers, Pattern, RangeEnd, Statement,
    UnaryOperator,
};

/// An expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expression {
    /// What it does.
    pub kind: ExpressionKind,
    /// Its type.
    pub ty: Type,
    /// Where it stands, relative to the item.
    pub span: Span,
}

/// What an expression does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExpressionKind {
    /// An int.
    Int(i64),
    /// A float's bits.
    Float(u64),
    /// `true`, `false`
    Bool(bool),
    /// `none`
    None,
    /// `()`
    Unit,
    /// Nanoseconds.
    Duration(i64),
    /// A string without interpolation; also of a literal union's type.
    String(Name),
    /// The value of a local.
    Local(LocalId),
    /// The value of a constant.
    Constant(ItemId),
    /// A function's, prompt's, tool's or workflow's name as a value.
    FunctionValue {
        /// The declaration.
        item: ItemId,
        /// Its type arguments.
        type_arguments: Vec<Type>,
    },
    /// A variant's or error's name with a payload, used as a function value.
    ConstructorValue {
        /// The enum's or error's declaration.
        item: ItemId,
        /// The variant; 0 for an error.
        variant: u32,
    },
    /// `x => e`
    Lambda(Lambda),
    /// A record literal; a field that is missing takes `base`'s value, else its default.
    Record {
        /// The declaration.
        item: ItemId,
        /// Field index and value, in the order of evaluation.
        fields: Vec<(u32, ExpressionId)>,
        /// After `..`; evaluated last.
        base: Option<ExpressionId>,
    },
    /// A variant; a field that is missing takes its default.
    Variant {
        /// The enum.
        item: ItemId,
        /// Which variant.
        variant: u32,
        /// Field index and value, in the order of evaluation.
        fields: Vec<(u32, ExpressionId)>,
    },
    /// An error value.
    ErrorValue {
        /// Its declaration.
        item: ItemId,
        /// Field index and value, in the order of evaluation.
        fields: Vec<(u32, ExpressionId)>,
    },
    /// `[a, b]`
    List(Vec<ExpressionId>),
    /// `{ k: v }`
    Map(Vec<(ExpressionId, ExpressionId)>),
    /// `(a, b)`
    Tuple(Vec<ExpressionId>),
    /// A record's field.
    Field {
        /// The record.
        base: ExpressionId,
        /// Which field.
        index: u32,
    },
    /// `t.0`
    TupleField {
        /// The tuple.
        base: ExpressionId,
        /// Which element.
        index: u32,
    },
    /// `j.name` of a `json`.
    JsonField {
        /// The `json`.
        base: ExpressionId,
        /// The name.
        name: Name,
    },
    /// `xs[i]`, `m[k]`, `j[i]`: which one the base's type tells.
    Index {
        /// List, map or `json`.
        base: ExpressionId,
        /// Position or key.
        index: ExpressionId,
    },
    /// `"…${e}…"`; of type `secret` when a part is.
    Interpolation(Vec<Part>),
    /// `-x`, `not b`
    Unary {
        /// Which.
        operator: UnaryOperator,
        /// Of int, float, duration or bool.
        operand: ExpressionId,
    },
    /// An infix operator; both sides have fitting types, which tell what it does.
    Binary {
        /// Which.
        operator: BinaryOperator,
        /// Left.
        left: ExpressionId,
        /// Right; of `And` and `Or` evaluated only when needed.
        right: ExpressionId,
    },
    /// `x in xs`; the right side is a list, map or string.
    In {
        /// What is looked for.
        value: ExpressionId,
        /// Where.
        container: ExpressionId,
    },
    /// `a ?? b`
    Otherwise {
        /// An optional.
        value: ExpressionId,
        /// Evaluated when it is `none`; of the optional's type or of the type inside, as the whole's type tells.
        fallback: ExpressionId,
    },
    /// `a?.f`: when `base` is not `none`, its inside is bound and `body` evaluated; the whole is an optional.
    Chain {
        /// An optional.
        base: ExpressionId,
        /// What `body` names the inside by.
        local: LocalId,
        /// Already an optional when its type is one; otherwise it is made one.
        body: ExpressionId,
    },
    /// `a..b`: a list of ints; as what `for`, `in` and `parallel for` run over it is never built.
    Range {
        /// First.
        start: ExpressionId,
        /// End.
        end: ExpressionId,
        /// Whether `end` is in it.
        range_end: RangeEnd,
    },
    /// A conversion that is not written in source.
    Coerce {
        /// What is converted.
        value: ExpressionId,
        /// How; the whole's type is the target.
        coercion: Coercion,
    },
    /// `x as T`; the operand's type tells whether a `json` is decoded or a string becomes a literal union.
    As(ExpressionId),
    /// `if c { } else { }`
    If {
        /// Of type bool.
        condition: ExpressionId,
        /// When true.
        then: ExpressionId,
        /// When false; without it the whole is `()`.
        otherwise: Option<ExpressionId>,
    },
    /// `let p = e` in a condition: whether the value matches; a bool. The names of the pattern are bound where it is true.
    Matches {
        /// The value.
        value: ExpressionId,
        /// What must match.
        pattern: Pattern,
    },
    /// `match`
    Match {
        /// The value.
        value: ExpressionId,
        /// In order; together they match everything.
        arms: Vec<Arm>,
    },
    /// `e catch { }`; an error that no arm matches goes on, and so does an unwinding, which no arm may see.
    Catch {
        /// What is guarded.
        value: ExpressionId,
        /// Patterns over `Error`.
        arms: Vec<Arm>,
    },
    /// Statements, then the value of `tail`.
    Block {
        /// In order.
        statements: Vec<Statement>,
        /// The value; `()` without one.
        tail: Option<ExpressionId>,
    },
    /// `for p in e { }`; over a list, a map (the pattern takes a pair), a range or a stream.
    For {
        /// Matches every element.
        pattern: Pattern,
        /// What is run over.
        iterable: ExpressionId,
        /// Of any type; its value is dropped.
        body: ExpressionId,
    },
    /// `while c { }`
    While {
        /// Of type bool.
        condition: ExpressionId,
        /// Of any type; its value is dropped.
        body: ExpressionId,
    },
    /// `return e`: leaves the innermost lambda or the body.
    Return(Option<ExpressionId>),
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `fail e`
    Fail(ExpressionId),
    /// `emit e`; the operand is a `json`.
    Emit(ExpressionId),
    /// A call.
    Call {
        /// What is called.
        callee: Callee,
        /// Parameter index and value, in the order of evaluation; a parameter that is missing takes its default, evaluated
        /// after all of these, in order.
        arguments: Vec<(u32, ExpressionId)>,
    },
    /// A call of a prompt.
    PromptCall {
        /// The prompt.
        item: ItemId,
        /// As in `Call`.
        arguments: Vec<(u32, ExpressionId)>,
        /// The agent after `by` at the call.
        agent: Option<ItemId>,
        /// The settings after `with`, a `json`.
        settings: Option<ExpressionId>,
        /// The tools and workflows that these settings give to the model.
        given: Vec<ItemId>,
        /// Plain, `.detail` or `.stream`.
        mode: PromptMode,
        /// The answer that is to be criticised and improved, and the number of the round: `reflect p(…)`.
        improving: Option<(ExpressionId, ExpressionId)>,
    },
    /// The user text of a prompt for these arguments, blocks included, without asking a model; a `string`.
    PromptText {
        /// The prompt.
        item: ItemId,
        /// As in `Call`.
        arguments: Vec<(u32, ExpressionId)>,
    },
    /// A tool in the list after `tools`; a `json`.
    OfferedTool {
        /// The declaration.
        tool: ItemId,
        /// After `as`: what the model knows it by, instead of its own name.
        name: Option<Name>,
    },
    /// `spawn e`; the lambda has no parameters.
    Spawn(Lambda),
    /// `spawn detached wf(args)`; gives the run's id.
    SpawnDetached {
        /// The workflow.
        item: ItemId,
        /// As in `Call`.
        arguments: Vec<(u32, ExpressionId)>,
    },
    /// `await e`; the operand is a task, a list of tasks or a tuple of tasks.
    Await(ExpressionId),
    /// `race e`; the operand is a list of tasks.
    Race(ExpressionId),
    /// `parallel for`
    ParallelFor {
        /// A list or range; for a map, pairs.
        iterable: ExpressionId,
        /// After `limit`, an int.
        limit: Option<ExpressionId>,
        /// After `errors`.
        policy: ErrorPolicy,
        /// Of one parameter.
        body: Lambda,
    },
    /// `parallel (a, b)`; lambdas without parameters.
    Parallel(Vec<Lambda>),
    /// `step "name" mods { }`
    Step {
        /// A string.
        name: ExpressionId,
        /// At most one of each kind.
        modifiers: Modifiers,
        /// Evaluated in place; `return` may leave it.
        body: ExpressionId,
    },
    /// `timeout D { }` and the like.
    Modified {
        /// At most one of each kind.
        modifiers: Modifiers,
        /// Evaluated in place; `return` may leave it.
        body: ExpressionId,
    },
    /// Something was wrong and has been reported.
    Invalid,
}

/// A closure's code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lambda {
    /// In order.
    pub parameters: Vec<LocalId>,
    /// What it gives.
    pub body: ExpressionId,
    /// Locals of the enclosing code that it names, in order of first use.
    pub captures: Vec<LocalId>,
}

/// A piece of an interpolated string.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// Text.
    Text(Name),
    /// A value, turned into text by its type.
    Expression(ExpressionId),
}

/// What is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Callee {
    /// A function, method, workflow, tool, human or intrinsic; a method's receiver is argument 0.
    Item {
        /// The declaration.
        item: ItemId,
        /// Its type arguments.
        type_arguments: Vec<Type>,
    },
    /// A function value.
    Value(ExpressionId),
    /// `E.values()` of an enum without payloads.
    EnumValues(ItemId),
}

/// A conversion that is not written in source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coercion {
    /// `T` to `T?`.
    ToOptional,
    /// Any value with a JSON form to `json`.
    ToJson,
    /// `string` to `secret`.
    ToSecret,
    /// A checked type to its base, a literal union to `string` or a wider one; also under `?` and in lists. Changes no
    /// representation.
    Widen,
    /// A base value to the checked type that the whole has; raises `AssertionFailed`.
    Check,
    /// From `Never`: never happens.
    FromNever,
}

/// How a prompt is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PromptMode {
    /// Gives the value.
    Value,
    /// `.detail`: gives `Response<T>`.
    Detail,
    /// `.stream`: gives `Stream<T>`.
    Stream,
    /// `revise p(…)`
    Revise,
}

/// One arm of a `match` or `catch`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arm {
    /// What must match.
    pub pattern: Pattern,
    /// After `if`.
    pub guard: Option<ExpressionId>,
    /// The value.
    pub body: ExpressionId,
}
