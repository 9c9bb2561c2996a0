//! The typed intermediate form of bodies: every name resolved, every type known, every conversion written out.
//!
//! Bodies of generic declarations are generic: their types may hold `Type::Parameter`, and an operator on such a type is
//! settled when the body is lowered for concrete types.

use gsw_source::{ItemId, Name, Span};

use crate::types::Type;

/// Which of an item's bodies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum BodyPart {
    /// The block of a function, workflow, tool or test; the value of a constant. Parameters are the declaration's.
    Main,
    /// The default of parameter n; its parameters are the declaration's first n.
    ParameterDefault(u32),
    /// The default of field `field` of a record (`variant` 0), or of a variant or error; no parameters.
    FieldDefault {
        /// The variant.
        variant: u32,
        /// The field.
        field: u32,
    },
    /// The `where` of field n of a record; its parameters are `it` and `self`, the whole record.
    FieldCheck(u32),
    /// The `where` of an alias; its parameter is `it`.
    AliasCheck,
    /// A prompt's or human's `user` text, a `string`; its parameters are the declaration's.
    User,
    /// A prompt's `system` text, a `string`; its parameters are the declaration's.
    System,
    /// Argument list and answer of example n as a tuple `(user text, answer as json)`; no parameters. The user text is made
    /// by calling the prompt's `User` part, see `ExpressionKind::PromptText`.
    Example(u32),
    /// The settings of an agent, prompt or human as `json`; an agent's has no parameters, a prompt's the prompt's.
    Settings,
    /// The key after `idempotent by`, a `string`; its parameters are the tool's.
    Key,
}

/// One body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Body {
    /// The item it belongs to.
    pub item: ItemId,
    /// Which of the item's bodies.
    pub part: BodyPart,
    /// The locals that the arguments go into, in order.
    pub parameters: Vec<LocalId>,
    /// All locals of the body, those of its lambdas included.
    pub locals: Vec<Local>,
    /// All expressions; children stand before their parents.
    pub expressions: Vec<Expression>,
    /// The whole.
    pub root: ExpressionId,
    /// The type of the whole.
    pub result: Type,
}

/// A local variable of a body.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LocalId(pub u32);

/// An expression of a body.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ExpressionId(pub u32);

/// A local variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Local {
    /// As written; `_` or empty for one that the compiler made.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// How it was bound.
    pub kind: LocalKind,
    /// Where its name stands, relative to the item.
    pub span: Span,
    /// Whether a lambda, `spawn` or `parallel` inside captures it. A captured `Var` or `State` lives in a cell.
    pub captured: Captured,
}

/// How a local was bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LocalKind {
    /// `let` or a pattern: never assigned again.
    Let,
    /// `var`
    Var,
    /// `state`
    State,
    /// A parameter of the body or of a lambda.
    Parameter,
}

/// Whether a local is used by a closure inside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Captured {
    /// No closure names it.
    No,
    /// Some closure does.
    Yes,
}

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
    /// `match`, also `if let` (its last arm is a wildcard).
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
        /// Plain, `.detail` or `.stream`.
        mode: PromptMode,
    },
    /// The user text of a prompt for these arguments, blocks included, without asking a model; a `string`.
    PromptText {
        /// The prompt.
        item: ItemId,
        /// As in `Call`.
        arguments: Vec<(u32, ExpressionId)>,
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
    /// A checked type to its base, a literal union to `string` or a wider one; also under `?` and in lists. Same bits.
    Forget,
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

/// A pattern with its type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    /// What it matches.
    pub kind: PatternKind,
    /// The type of what it is matched against.
    pub ty: Type,
    /// Where it stands, relative to the item.
    pub span: Span,
}

/// What a pattern matches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PatternKind {
    /// Anything.
    Wildcard,
    /// Anything, bound.
    Binding(LocalId),
    /// An int or a duration's nanoseconds.
    Int(i64),
    /// A float's bits.
    Float(u64),
    /// A bool.
    Bool(bool),
    /// A string or one of a literal union.
    String(Name),
    /// A constant's value, by `==`.
    Constant(ItemId),
    /// `none`
    None,
    /// The inside of an optional that is there; every pattern on an optional but `none`, `_`'s kin included, is written so.
    Some(Box<Pattern>),
    /// `start..=end` of ints.
    Range {
        /// First.
        start: i64,
        /// Last.
        end: i64,
    },
    /// A variant.
    Variant {
        /// The enum.
        item: ItemId,
        /// Which variant.
        variant: u32,
        /// Field index and pattern; fields left out match anything.
        fields: Vec<(u32, Pattern)>,
    },
    /// An error of this declaration.
    Error {
        /// The declaration.
        item: ItemId,
        /// Field index and pattern; fields left out match anything.
        fields: Vec<(u32, Pattern)>,
    },
    /// One of the nine errors of a model: `ModelError`.
    ModelError,
    /// A record.
    Record {
        /// Field index and pattern; fields left out match anything.
        fields: Vec<(u32, Pattern)>,
    },
    /// A tuple.
    Tuple(Vec<Pattern>),
    /// A list.
    List {
        /// The first elements.
        before: Vec<Pattern>,
        /// What the rest is; `None` when there is to be none.
        rest: Option<ListRest>,
        /// The last elements.
        after: Vec<Pattern>,
    },
    /// Any of these; all bind the same locals.
    Or(Vec<Pattern>),
    /// Something was wrong and has been reported.
    Invalid,
}

/// The rest of a list pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ListRest {
    /// `..`
    Ignored,
    /// `..rest`
    Bound(LocalId),
}

/// One statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// Where it stands, relative to the item.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StatementKind {
    /// `let p = e`; the pattern always matches.
    Let {
        /// What is bound.
        pattern: Pattern,
        /// The value.
        value: ExpressionId,
    },
    /// `var x = e`, `state x = e`
    Var {
        /// The variable.
        local: LocalId,
        /// Its first value.
        value: ExpressionId,
    },
    /// `x = e`, `x += e`: the value is evaluated first, then the variable is taken, changed and stored, with no wait between.
    Assign {
        /// The variable.
        local: LocalId,
        /// For `+=` and its kin.
        operator: Option<BinaryOperator>,
        /// The right side.
        value: ExpressionId,
    },
    /// The value is dropped.
    Expression(ExpressionId),
    /// Runs when the block is left in any way.
    Defer(ExpressionId),
    /// `assert c, "why"`; its text for the message.
    Assert {
        /// Of type bool.
        condition: ExpressionId,
        /// After the comma.
        message: Option<ExpressionId>,
        /// The condition as source text.
        source: Name,
    },
    /// `assert e fails P`
    AssertFails {
        /// What must raise.
        value: ExpressionId,
        /// Over `Error`.
        pattern: Pattern,
        /// The expression as source text.
        source: Name,
    },
    /// `mock p(patterns) -> value`, only in tests.
    Mock {
        /// What is mocked.
        item: ItemId,
        /// One per parameter.
        patterns: Vec<Pattern>,
        /// The value; its lambda has one parameter per parameter of the mocked.
        outcome: Lambda,
    },
}

/// The modifiers of a step, block or workflow, from the outside in: budget, reflect, retry, timeout.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Modifiers {
    /// `budget(usd:, tokens:, calls:, time:)`, each an expression.
    pub budget: Option<Budget>,
    /// `reflect N with p`
    pub reflect: Option<Reflect>,
    /// `retry N backoff D max D`
    pub retry: Option<Retry>,
    /// `timeout D`, a duration.
    pub timeout: Option<ExpressionId>,
}

/// `budget(…)`
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Budget {
    /// A float.
    pub usd: Option<ExpressionId>,
    /// An int.
    pub tokens: Option<ExpressionId>,
    /// An int.
    pub calls: Option<ExpressionId>,
    /// A duration.
    pub time: Option<ExpressionId>,
}

/// `reflect N with p`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reflect {
    /// An int.
    pub count: ExpressionId,
    /// A function value.
    pub with: Option<ExpressionId>,
}

/// `retry N backoff D max D`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Retry {
    /// An int.
    pub count: ExpressionId,
    /// A duration.
    pub backoff: Option<ExpressionId>,
    /// A duration.
    pub max: Option<ExpressionId>,
}

/// What `parallel for` does with errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorPolicy {
    /// The first error wins.
    First,
    /// The result is `[Result<T>]`.
    Settle,
    /// One `Many`.
    Merge,
}

/// A prefix operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOperator {
    /// `-`
    Negate,
    /// `not`
    Not,
}

/// Whether a range holds its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RangeEnd {
    /// `..`
    Exclusive,
    /// `..=`
    Inclusive,
}

/// An infix operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names are the operators")]
pub enum BinaryOperator {
    And,
    Or,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Body {
    /// The expression with this id.
    #[must_use]
    pub fn expression(&self, id: ExpressionId) -> &Expression {
        &self.expressions[id.0 as usize]
    }

    /// The local with this id.
    #[must_use]
    pub fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.0 as usize]
    }
}
