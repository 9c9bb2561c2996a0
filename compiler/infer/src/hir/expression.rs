//! Expressions.

use gsw_abi::setting::Turn;
use gsw_names::types::Type;
use gsw_source::{ItemId, Name, Span};

use crate::hir::{
    BinaryOperator, ErrorPolicy, ExpressionId, LocalId, Modifiers, Pattern, RacePolicy, RangeEnd,
    Statement, UnaryOperator,
};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expression {
    pub kind: ExpressionKind,
    pub ty: Type,
    /// Its span, relative to the item.
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExpressionKind {
    Int(i64),
    /// The bits of a float.
    Float(u64),
    Bool(bool),
    None,
    Unit,
    /// In nanoseconds.
    Duration(i64),
    /// A string without interpolation; also of a literal union's type.
    String(Name),
    /// The value of a local.
    Local(LocalId),
    /// The value of a constant.
    Constant(ItemId),
    /// A function's, prompt's, tool's or workflow's name as a value.
    FunctionValue {
        item: ItemId,
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
        item: ItemId,
        /// Field index and value, in the order of evaluation.
        fields: Vec<(u32, ExpressionId)>,
        /// The expression after `..`, evaluated after the fields.
        base: Option<ExpressionId>,
    },
    /// A variant; a field that is missing takes its default.
    Variant {
        item: ItemId,
        variant: u32,
        /// Field index and value, in the order of evaluation.
        fields: Vec<(u32, ExpressionId)>,
    },
    ErrorValue {
        item: ItemId,
        /// Field index and value, in the order of evaluation.
        fields: Vec<(u32, ExpressionId)>,
    },
    List(Vec<ExpressionId>),
    Map(Vec<(ExpressionId, ExpressionId)>),
    Tuple(Vec<ExpressionId>),
    Field {
        base: ExpressionId,
        index: u32,
    },
    TupleField {
        base: ExpressionId,
        index: u32,
    },
    /// `j.name` of a `json`.
    JsonField {
        base: ExpressionId,
        name: Name,
    },
    /// `xs[i]`, `m[k]`, `j[i]`: which one depends on the base's type.
    Index {
        base: ExpressionId,
        index: ExpressionId,
    },
    /// `"…${e}…"`; of type `secret` when a part is.
    Interpolation(Vec<Part>),
    /// `-x`, `not b`
    Unary {
        operator: UnaryOperator,
        /// Of int, float, duration or bool.
        operand: ExpressionId,
    },
    /// An infix operator; both sides have fitting types, which determine what it does.
    Binary {
        operator: BinaryOperator,
        left: ExpressionId,
        /// Right; of `And` and `Or` evaluated only when needed.
        right: ExpressionId,
    },
    /// `x in xs`; the right side is a list, map or string.
    In {
        value: ExpressionId,
        container: ExpressionId,
    },
    /// `a ?? b`
    Otherwise {
        value: ExpressionId,
        /// Evaluated when it is `none`; of the optional's type or of the type inside, depending on the whole's type.
        fallback: ExpressionId,
    },
    /// `a?.f`: when `base` is not `none`, its inside is bound and `body` evaluated; the whole is an optional.
    Chain {
        base: ExpressionId,
        /// What `body` names the inside by.
        local: LocalId,
        /// Already an optional when its type is one; otherwise it is made one.
        body: ExpressionId,
    },
    /// `a..b`: a list of ints; as what `for`, `in` and `parallel for` run over it is never built.
    Range {
        start: ExpressionId,
        end: ExpressionId,
        /// Whether `end` is in it.
        range_end: RangeEnd,
    },
    /// A conversion that is not written in source.
    Coerce {
        value: ExpressionId,
        /// How; the whole's type is the target.
        coercion: Coercion,
    },
    /// `x as T`; the operand's type determines whether a `json` is decoded or a string becomes a literal union.
    As(ExpressionId),
    /// `if c { } else { }`
    If {
        condition: ExpressionId,
        then: ExpressionId,
        /// When false; without it the whole is `()`.
        otherwise: Option<ExpressionId>,
    },
    /// `let p = e` in a condition: whether the value matches; a bool. The names of the pattern are bound where it is true.
    Matches {
        value: ExpressionId,
        pattern: Pattern,
    },
    Match {
        value: ExpressionId,
        /// In order; together they match everything.
        arms: Vec<Arm>,
    },
    /// `e catch { }`; an error that no arm matches passes on, and so does an unwinding, which no arm may see.
    Catch {
        value: ExpressionId,
        /// Their patterns are over the type `Error`.
        arms: Vec<Arm>,
    },
    /// Statements, then the value of `tail`.
    Block {
        statements: Vec<Statement>,
        /// The value; `()` without one.
        tail: Option<ExpressionId>,
    },
    /// `for p in e { }`; over a list, a map (the pattern takes a pair), a range or a stream.
    For {
        pattern: Pattern,
        iterable: ExpressionId,
        /// Of any type; its value is dropped.
        body: ExpressionId,
    },
    While {
        condition: ExpressionId,
        /// Of any type; its value is dropped.
        body: ExpressionId,
    },
    /// `return e`: leaves the innermost lambda or the body.
    Return(Option<ExpressionId>),
    Break,
    Continue,
    Fail(ExpressionId),
    /// `emit e`; the operand is a `json`.
    Emit(ExpressionId),
    Call {
        callee: Callee,
        /// Parameter index and value, in the order of evaluation; a parameter that is missing takes its default, evaluated
        /// after all of these, in order.
        arguments: Vec<(u32, ExpressionId)>,
    },
    /// A call of a prompt.
    PromptCall {
        item: ItemId,
        arguments: Vec<(u32, ExpressionId)>,
        /// The agent after `by` at the call.
        agent: Option<ItemId>,
        /// The settings after `with`, a `json`.
        settings: Option<ExpressionId>,
        /// The tools and workflows that these settings give to the model.
        given: Vec<ItemId>,
        /// The session that it continues.
        session: Option<ExpressionId>,
        turn: Turn,
        /// Plain, `.detail` or `.stream`.
        mode: PromptMode,
        /// The answer that is to be criticised and improved, and the number of the round: `reflect p(…)`.
        improving: Option<(ExpressionId, ExpressionId)>,
    },
    /// What a prompt says for these arguments, blocks included, without asking a model: the user text, a `string`, or the texts of
    /// a conversation.
    PromptText {
        item: ItemId,
        arguments: Vec<(u32, ExpressionId)>,
    },
    /// A tool in the list after `tools`; a `json`.
    OfferedTool {
        tool: ItemId,
        /// After `as`: what the model knows it by, instead of its own name.
        name: Option<Name>,
    },
    /// `spawn e`; the lambda has no parameters.
    Spawn(Lambda),
    /// `undo { }`: what takes back what was just done, with its modifiers inside; of type `()`.
    Undo(Lambda),
    /// `spawn detached wf(args)`; returns the run's id.
    SpawnDetached {
        item: ItemId,
        arguments: Vec<(u32, ExpressionId)>,
        /// After `with`: the id that the run is to have.
        id: Option<ExpressionId>,
    },
    /// `await e`; the operand is a task, a list of tasks or a tuple of tasks.
    Await(ExpressionId),
    /// `race e errors p`
    Race {
        /// A list of tasks.
        tasks: ExpressionId,
        policy: RacePolicy,
    },
    ParallelFor {
        /// A list or range; for a map, pairs.
        iterable: ExpressionId,
        /// How many run at once: an int.
        limit: Option<ExpressionId>,
        policy: ErrorPolicy,
        /// Takes the element as its one parameter.
        body: Lambda,
    },
    /// `parallel (a, b) errors p`
    Parallel {
        /// Lambdas without parameters.
        branches: Vec<Lambda>,
        policy: ErrorPolicy,
    },
    /// `step "name" mods { }`
    Step {
        /// What it was called in earlier versions of the program, a `string`.
        was: Option<ExpressionId>,
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

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lambda {
    pub parameters: Vec<LocalId>,
    pub body: ExpressionId,
    /// Locals of the enclosing code that it names, in order of first use.
    pub captures: Vec<LocalId>,
}

/// A piece of an interpolated string.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    Text(Name),
    /// A value, turned into text by its type.
    Expression(ExpressionId),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Callee {
    /// A function, method, workflow, tool, human or intrinsic; a method's receiver is argument 0.
    Item {
        item: ItemId,
        type_arguments: Vec<Type>,
    },
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
    /// The same for an argument of a tool that a server has: fields that are `none` where that is their default are left out.
    ToArgument,
    /// `string` to `secret`.
    ToSecret,
    /// A checked type to its base, a literal union to `string` or a wider one; also under `?` and in lists. Changes no
    /// representation.
    Widen,
    /// A base value to the checked type that the whole has; raises `AssertionFailed`.
    Check,
    /// Of what never has a value, so it is never performed.
    FromNever,
}

/// How a prompt is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PromptMode {
    Value,
    /// `.detail`: gives `Response<T>`.
    Detail,
    /// `.stream`: gives `Stream<T>`.
    Stream,
}

/// One arm of a `match` or `catch`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arm {
    pub pattern: Pattern,
    pub guard: Option<ExpressionId>,
    pub body: ExpressionId,
}
