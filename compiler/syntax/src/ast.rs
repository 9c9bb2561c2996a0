//! The syntax tree: what was written, with spans relative to the item that it is in. Names are not resolved here.

mod children;
mod expression;
mod item;
mod operator;
mod pattern;
mod statement;
mod type_expression;

pub use children::{Child, ChildMut, children, children_mut, item_children, item_children_mut};
pub use expression::{
    Argument, CatchForm, Conversion, Expression, ExpressionKind, FieldInit, LambdaParameter,
    Literal, MapEntry, MatchArm, Modifier, ModifierKind, StringPart,
};
pub use item::{
    Attribute, Constant, EnumDeclaration, ErrorDeclaration, FieldDeclaration, Function,
    HookHandler, Import, ImportedName, Item, ItemBody, Parameter, PromptEntry, RecordDeclaration,
    RepeatClass, Setting, SettingValue, Signature, TestRows, TextRole, Variant, Visibility,
};
pub use operator::{
    AssignOperator, BinaryOperator, Chain, OperatorClass, Precedence, RangeEnd, UnaryOperator,
};
pub use pattern::{ListRest, Pattern, PatternField, PatternKind, Rest};
pub use statement::{
    AssertExpectation, Block, ScriptTurn, ScriptTurnKind, Statement, StatementKind,
};
pub use type_expression::{FunctionType, TypeExpression, TypeExpressionKind};

use gsw_source::{Name, Span};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Identifier {
    pub name: Name,
    pub span: Span,
}
