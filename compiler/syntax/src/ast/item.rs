//! Declarations.

use gsw_source::{Name, Span};

use crate::ast::{Block, Expression, Identifier, Modifier, Pattern, Statement, TypeExpression};
use crate::token::Word;

/// One declaration with what precedes it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Item {
    /// The text of its `///` lines, joined by line breaks, without the slashes and one space after them.
    pub docs: Option<String>,
    pub attributes: Vec<Attribute>,
    /// Whether other modules see it.
    pub visibility: Visibility,
    pub body: ItemBody,
    /// From its first doc line or attribute to its last token; starts at 0.
    pub span: Span,
}

/// Which code may name a declaration.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Visibility {
    Public,
    /// Visible in its own module only.
    Private,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ItemBody {
    Import(Import),
    /// `fn f(…) -> T { … }`
    Function(Function),
    /// `type R { … }`
    Record(RecordDeclaration),
    /// `type A = T where check`
    Alias {
        name: Identifier,
        generics: Vec<Identifier>,
        target: TypeExpression,
        /// The check after `where`, over `it`.
        check: Option<Expression>,
    },
    /// `enum E { … }`
    Enum(EnumDeclaration),
    Error(ErrorDeclaration),
    /// `const X: T = e`
    Const(Constant),
    /// `agent a { … }`
    Agent {
        name: Identifier,
        settings: Vec<Setting>,
    },
    /// `prompt p(…) -> T by a { … }`
    Prompt {
        /// Head; `by` is its agent.
        signature: Signature,
        /// Texts, statements around them, `example` and settings.
        entries: Vec<PromptEntry>,
    },
    /// `workflow w(…) -> T mods { … }`
    Workflow {
        signature: Signature,
        body: Block,
    },
    /// `tool t(…) -> T once { … }`
    Tool {
        signature: Signature,
        /// Body; none where the program's host has it.
        body: Option<Block>,
    },
    /// `mcp docs = stdio(…)`
    Mcp {
        name: Identifier,
        transport: Expression,
    },
    /// `hook h { before_tool(call) { … } }`
    Hook {
        name: Identifier,
        handlers: Vec<HookHandler>,
    },
    /// `human approve(…) -> T timeout D { user "…" }`
    Human {
        signature: Signature,
        /// `user` texts, statements around them, `example` and settings.
        entries: Vec<PromptEntry>,
    },
    /// `external payment(…) -> T by key timeout D`; the key is the signature's `by`.
    External {
        signature: Signature,
    },
    /// `skill s …`, whose inside is specified by a later page and kept unparsed.
    Skill {
        name: Identifier,
    },
    /// `test "name" for p in rows pass 0.9 repeat 5 { … }`
    Test {
        name: Name,
        name_span: Span,
        rows: Option<TestRows>,
        /// Which share of its runs must pass, a literal after `pass`.
        pass: Option<Expression>,
        /// How often each row is run, a literal after `repeat`.
        repeat: Option<Expression>,
        cassette: Option<Expression>,
        body: Block,
    },
    /// `permissions { fs.read: ["./src"] }`
    Permissions {
        /// One per line; a dotted name is one name with a dot in it.
        settings: Vec<Setting>,
    },
    /// Text that is no declaration; already reported.
    Invalid,
}

impl ItemBody {
    /// The head of a declaration that has parameters and is called; `None` for any other.
    #[must_use]
    pub const fn signature(&self) -> Option<&Signature> {
        match self {
            Self::Function(it) => Some(&it.signature),
            Self::Prompt { signature, .. }
            | Self::Workflow { signature, .. }
            | Self::Tool { signature, .. }
            | Self::Human { signature, .. }
            | Self::External { signature } => Some(signature),
            Self::Import(_)
            | Self::Record(_)
            | Self::Alias { .. }
            | Self::Enum(_)
            | Self::Error(_)
            | Self::Const(_)
            | Self::Agent { .. }
            | Self::Mcp { .. }
            | Self::Hook { .. }
            | Self::Skill { .. }
            | Self::Test { .. }
            | Self::Permissions { .. }
            | Self::Invalid => None,
        }
    }

    /// The type parameters that it declares itself.
    #[must_use]
    pub fn generics(&self) -> &[Identifier] {
        match self {
            Self::Record(it) => &it.generics,
            Self::Enum(it) => &it.generics,
            Self::Alias { generics, .. } => generics,
            Self::Function(_)
            | Self::Prompt { .. }
            | Self::Workflow { .. }
            | Self::Tool { .. }
            | Self::Human { .. }
            | Self::External { .. } => self.signature().map_or(&[], |it| &it.generics),
            Self::Import(_)
            | Self::Error(_)
            | Self::Const(_)
            | Self::Agent { .. }
            | Self::Mcp { .. }
            | Self::Hook { .. }
            | Self::Skill { .. }
            | Self::Test { .. }
            | Self::Permissions { .. }
            | Self::Invalid => &[],
        }
    }
}

/// `import path`, `import path as s`, `import path.{A, B as C}`
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Import {
    /// As written: `std/fs`, `./schemas`, `../a/b`.
    pub path: Name,
    pub path_span: Span,
    pub alias: Option<Identifier>,
    /// The names in braces; `None` when there are no braces.
    pub names: Option<Vec<ImportedName>>,
}

/// `A` or `A as B` in an import's braces.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ImportedName {
    /// The name in the other module.
    pub name: Identifier,
    /// The name here, when it differs.
    pub alias: Option<Identifier>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Attribute {
    pub name: Identifier,
    /// The arguments; empty without parentheses.
    pub arguments: Vec<Expression>,
    pub span: Span,
}

/// What is between a declaration's keyword and its body.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Signature {
    pub name: Identifier,
    pub generics: Vec<Identifier>,
    pub parameters: Vec<Parameter>,
    /// After `->`; `None` means `()`.
    pub result: Option<TypeExpression>,
    /// `trusted` after the result.
    pub trusted: Option<Span>,
    /// After `!`; `None` when it is left to inference.
    pub throws: Option<Vec<TypeExpression>>,
    /// After `by`: the agent of a prompt, the key of an `external`.
    pub by: Option<Expression>,
    pub repeat: Option<RepeatClass>,
    /// `timeout`, `retry`, `reflect`, `budget` in written order.
    pub modifiers: Vec<Modifier>,
}

/// How a tool may be repeated.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum RepeatClass {
    Pure(Span),
    Reads(Span),
    /// `idempotent by key`
    Idempotent(Box<Expression>),
    Once(Span),
}

/// One parameter of a function, prompt, tool, workflow, variant or error.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Parameter {
    pub docs: Option<String>,
    pub attributes: Vec<Attribute>,
    /// Its name; `self` for the receiver of a method.
    pub name: Identifier,
    /// Its type; `None` for `self`, for a hook's parameters and where an error's or variant's field leaves it out.
    pub ty: Option<TypeExpression>,
    /// `trusted` after the type.
    pub trusted: Option<Span>,
    pub default: Option<Expression>,
}

/// `fn f<T>(…) -> T ! E { … }`
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Function {
    /// `Bug` in `fn Bug.urgent(self)`.
    pub receiver: Option<Identifier>,
    pub signature: Signature,
    /// `None` only for an `@intrinsic` of the standard library.
    pub body: Option<Block>,
}

/// `type R<T> { … }`
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RecordDeclaration {
    pub name: Identifier,
    pub generics: Vec<Identifier>,
    pub fields: Vec<FieldDeclaration>,
}

/// `name: T = default where check`
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FieldDeclaration {
    pub docs: Option<String>,
    pub attributes: Vec<Attribute>,
    pub name: Identifier,
    pub ty: TypeExpression,
    pub default: Option<Expression>,
    /// After `where`, over `it` and `self`.
    pub check: Option<Expression>,
}

/// `enum E<T> { … }`
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct EnumDeclaration {
    pub name: Identifier,
    pub generics: Vec<Identifier>,
    pub variants: Vec<Variant>,
}

/// `B(x: int, y: string?)`
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Variant {
    pub docs: Option<String>,
    /// `@alias("b")` and others before it.
    pub attributes: Vec<Attribute>,
    pub name: Identifier,
    /// Its payload; empty for none.
    pub fields: Vec<Parameter>,
}

/// `error DeployFailed(env: string, log: string)`
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ErrorDeclaration {
    pub name: Identifier,
    /// Its payload; a field without a type is a `string`.
    pub fields: Vec<Parameter>,
}

/// `const X: T = e`
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Constant {
    pub name: Identifier,
    pub ty: Option<TypeExpression>,
    pub value: Expression,
}

/// `name: value` in an agent, prompt, `with` or `permissions` body.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Setting {
    pub name: Identifier,
    pub value: SettingValue,
}

/// The value of a setting.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SettingValue {
    /// An expression, also a map literal.
    Expression(Expression),
    /// `{ ttl: 1h }`: settings of their own.
    Settings { settings: Vec<Setting>, span: Span },
}

/// The speaker of a text of a prompt, by the word before it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TextRole {
    System,
    User,
    Assistant,
}

impl TextRole {
    pub const ALL: [Self; 3] = [Self::System, Self::User, Self::Assistant];

    #[must_use]
    pub const fn word(self) -> Word {
        match self {
            Self::System => Word::System,
            Self::User => Word::User,
            Self::Assistant => Word::Assistant,
        }
    }

    /// The role that a word stands for.
    #[must_use]
    pub fn of_word(word: Word) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.word() == word)
    }

    /// Its word as it is written.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// A line in the body of a prompt or human.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum PromptEntry {
    /// `user "…"`
    Text {
        role: TextRole,
        text: Expression,
        /// From the word `system`, `user` or `assistant` on.
        span: Span,
    },
    /// `let x = e`, `if c { user "…" }`
    Statement(Statement),
    /// `example (args) -> answer`
    Example {
        /// Arguments as in a call.
        arguments: Vec<crate::ast::Argument>,
        /// The answer that a model should give.
        answer: Expression,
        span: Span,
    },
    /// `temperature: 0.0`
    Setting(Setting),
}

/// `for p in rows` in the head of a test.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TestRows {
    pub pattern: Pattern,
    pub rows: Expression,
}

/// `before_tool(call) { … }`
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct HookHandler {
    /// `before_tool`, `after_tool`, `session_start` or `session_end`.
    pub name: Identifier,
    pub parameters: Vec<Parameter>,
    pub body: Block,
}
