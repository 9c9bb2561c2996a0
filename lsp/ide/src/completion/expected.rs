//! What is wanted where an expression is written: its type, and the named parameters that it could be given to.

use gsw_names::types::Type;
use gsw_names::{Parameter, item_signature, type_declaration};
use gsw_source::{Db, ItemId, ItemKind, Name, Span};
use gsw_syntax::ast::{
    AssertExpectation, BinaryOperator, Child, Expression, ExpressionKind, Item, ItemBody,
    OperatorClass, Pattern, PatternKind, StatementKind,
};

use super::Cursor;
use super::site::record_named;
use crate::cursor::node_span;
use crate::expression_type::{expression_type, local_type};
use crate::parameters::{called, parameters_of};
use crate::scope::visible_at;

#[derive(Default)]
pub struct Expected {
    pub ty: Option<Type>,
    /// Parameters that the call around has no argument for yet.
    pub parameters: Vec<Parameter>,
}

/// What is wanted at the innermost of `nodes`.
pub fn expected(cursor: &Cursor<'_>, item: ItemId, tree: &Item, nodes: &[Child<'_>]) -> Expected {
    let Some((last, around)) = nodes.split_last() else {
        return Expected::default();
    };
    let own = node_span(*last).unwrap_or_default();
    let Some(parent) = around.last() else {
        return of_type(in_head(cursor.db, item, tree, own));
    };
    match parent {
        Child::Expression(it) => match passes_on(&it.kind, own) {
            Passed::Whole => of_type(expected(cursor, item, tree, around).ty),
            Passed::Element => match expected(cursor, item, tree, around).ty {
                Some(Type::List(element)) => of_type(Some(Type::clone(&element))),
                Some(_) | None => Expected::default(),
            },
            Passed::Result => of_type(Some(result_of(cursor.db, item))),
            Passed::Nothing => in_expression(cursor, item, &it.kind, own).unwrap_or_default(),
        },
        Child::Statement(it) => match &it.kind {
            // The value of a block is that of its last statement; what is being typed may be about to be that.
            StatementKind::Expression(_) if around.len() > 1 => {
                of_type(expected(cursor, item, tree, around).ty)
            }
            StatementKind::Expression(_) => of_result(cursor.db, item, tree),
            StatementKind::Let { .. }
            | StatementKind::Var { .. }
            | StatementKind::State { .. }
            | StatementKind::Assign { .. }
            | StatementKind::Defer(_)
            | StatementKind::Assert { .. }
            | StatementKind::Mock { .. }
            | StatementKind::MockAgent { .. }
            | StatementKind::Invalid => {
                in_statement(cursor.db, item, tree, &it.kind, own).unwrap_or_default()
            }
        },
        Child::Pattern(_) | Child::Type(_) | Child::Name(_) => Expected::default(),
    }
}

/// What of the type that is wanted of an expression is wanted of a part of it.
enum Passed {
    Whole,
    /// That of the elements of a list.
    Element,
    /// That of the result of the body.
    Result,
    Nothing,
}

fn passes_on(around: &ExpressionKind, own: Span) -> Passed {
    let is_within = |it: Span| it.holds(own);
    if let ExpressionKind::Parenthesized(_) | ExpressionKind::Do(_) = around {
        return Passed::Whole;
    }
    if let ExpressionKind::List(_) = around {
        return Passed::Element;
    }
    if let ExpressionKind::Return(_) = around {
        return Passed::Result;
    }
    let is_value = if let ExpressionKind::If {
        then, otherwise, ..
    } = around
    {
        let otherwise = otherwise.as_deref().map(|it| it.span);
        is_within(then.span) || otherwise.is_some_and(is_within)
    } else if let ExpressionKind::Match { arms, .. } | ExpressionKind::Catch { arms, .. } = around {
        arms.iter().any(|it| is_within(it.body.span))
    } else {
        false
    };
    match is_value {
        true => Passed::Whole,
        false => Passed::Nothing,
    }
}

/// A body's last expression has the type of the result.
fn of_result(db: &dyn Db, item: ItemId, tree: &Item) -> Expected {
    let has_result = tree.body.signature().is_some();
    match has_result && !matches!(item.kind(db), ItemKind::Prompt | ItemKind::Human) {
        true => of_type(Some(result_of(db, item))),
        false => Expected::default(),
    }
}

fn result_of(db: &dyn Db, item: ItemId) -> Type {
    item_signature(db, item).signature.result.clone()
}

/// The declared type of what has a default, or of a constant, where its value is at `own`.
fn in_head(db: &dyn Db, item: ItemId, tree: &Item, own: Span) -> Option<Type> {
    let is_own = |it: &Option<Expression>| it.as_ref().is_some_and(|it| it.span == own);
    if let ItemBody::Const(constant) = &tree.body {
        return (constant.value.span == own).then(|| result_of(db, item));
    }
    if let ItemBody::Record(record) = &tree.body {
        let field = record.fields.iter().find(|it| is_own(&it.default))?;
        let declared = type_declaration(db, item).declaration.fields();
        let declared = declared.iter().find(|it| it.name == field.name.name)?;
        return Some(declared.ty.clone());
    }
    let parameters = &tree.body.signature()?.parameters;
    let parameter = parameters.iter().find(|it| is_own(&it.default))?;
    let declared = &item_signature(db, item).signature.parameters;
    let declared = declared.iter().find(|it| it.name == parameter.name.name)?;
    Some(declared.ty.clone())
}

fn of_type(ty: Option<Type>) -> Expected {
    Expected {
        ty,
        parameters: Vec::new(),
    }
}

fn in_expression(
    cursor: &Cursor<'_>,
    item: ItemId,
    around: &ExpressionKind,
    own: Span,
) -> Option<Expected> {
    if let ExpressionKind::Call {
        callee, arguments, ..
    } = around
    {
        let position = arguments.iter().position(|it| it.value.span == own)?;
        let called = called(cursor.db, item, callee.span)?;
        let parameters = parameters_of(cursor.db, &called);
        let argument = &arguments[position];
        let named = |name: &Name| parameters.iter().find(|it| it.name == *name);
        let wanted = match &argument.name {
            Some(name) => named(&name.name),
            None => parameters.get(position),
        };
        let ty = wanted.map(|it| it.ty.clone());
        let taken: Vec<&Name> = arguments
            .iter()
            .filter_map(|it| it.name.as_ref().map(|it| &it.name))
            .collect();
        let before = arguments.iter().take(position);
        let by_position = before.filter(|it| it.name.is_none()).count();
        let left = parameters
            .iter()
            .skip(by_position)
            .filter(|it| argument.name.is_none() && !taken.contains(&&it.name));
        return Some(Expected {
            ty,
            parameters: left.cloned().collect(),
        });
    }
    if let ExpressionKind::Record { path, fields, .. } = around {
        let field = fields
            .iter()
            .find(|it| it.value.as_ref().is_some_and(|it| it.span == own))?;
        let owner = record_named(cursor, path)?;
        let declared = type_declaration(cursor.db, owner).declaration.fields();
        let declared = declared.iter().find(|it| it.name == field.name.name)?;
        return Some(of_type(Some(declared.ty.clone())));
    }
    if let ExpressionKind::Binary {
        operator,
        left,
        right,
        ..
    } = around
        && is_comparison(*operator)
        && right.span == own
    {
        return Some(of_type(expression_type(cursor.db, item, left.span)));
    }
    None
}

fn is_comparison(operator: BinaryOperator) -> bool {
    matches!(
        operator.class(),
        OperatorClass::Equality | OperatorClass::Order
    )
}

fn in_statement(
    db: &dyn Db,
    item: ItemId,
    tree: &Item,
    around: &StatementKind,
    own: Span,
) -> Option<Expected> {
    if let StatementKind::Let { pattern, value, .. } | StatementKind::Var { pattern, value, .. } =
        around
        && value.span == own
    {
        return Some(of_type(local_type(db, item, pattern.span)));
    }
    if let StatementKind::Assign { target, value, .. } = around
        && value.span == own
    {
        let ty = expression_type(db, item, target.span);
        return Some(of_type(ty.or_else(|| assigned(db, item, tree, target))));
    }
    None
}

/// The type of the variable that is assigned: its name there is no expression to the checker.
fn assigned(db: &dyn Db, item: ItemId, tree: &Item, target: &Expression) -> Option<Type> {
    let ExpressionKind::Name(name) = &target.kind else {
        return None;
    };
    let mut visible = visible_at(tree, target.span.start).into_iter();
    let local = visible.find(|it| it.name == *name)?;
    local_type(db, item, local.declared)
}

/// The type of what the innermost pattern of `nodes` is matched against: of the `match` around it, `Error` in a `catch`, of a field where
/// it is that of a record's field.
pub fn matched(cursor: &Cursor<'_>, item: ItemId, nodes: &[Child<'_>]) -> Option<Type> {
    let mut patterns = nodes.iter().filter_map(|it| match it {
        Child::Pattern(it) => Some(*it),
        Child::Expression(_) | Child::Statement(_) | Child::Type(_) | Child::Name(_) => None,
    });
    let own = patterns.next_back()?;
    if let Some(outer) = patterns.next_back() {
        return field_of(cursor, outer, own);
    }
    let around = nodes.iter().rev().find_map(|node| match node {
        Child::Expression(it) => Some(&it.kind),
        Child::Statement(_) | Child::Pattern(_) | Child::Type(_) | Child::Name(_) => None,
    });
    let failing = nodes.iter().rev().any(|node| match node {
        Child::Statement(it) => matches!(
            it.kind,
            StatementKind::Assert {
                expectation: AssertExpectation::Fails(_),
                ..
            }
        ),
        Child::Expression(_) | Child::Pattern(_) | Child::Type(_) | Child::Name(_) => false,
    });
    if let Some(ExpressionKind::Match { value, .. } | ExpressionKind::Let { value, .. }) = around {
        return expression_type(cursor.db, item, value.span);
    }
    let is_error = failing || matches!(around, Some(ExpressionKind::Catch { .. }));
    is_error.then_some(Type::Error)
}

/// The type of the field that one pattern of a record takes with another.
fn field_of(cursor: &Cursor<'_>, outer: &Pattern, own: &Pattern) -> Option<Type> {
    let PatternKind::Record { path, fields, .. } = &outer.kind else {
        return None;
    };
    let field = fields.iter().find(|it| it.pattern.span == own.span)?;
    let owner = record_named(cursor, path)?;
    let declared = type_declaration(cursor.db, owner).declaration.fields();
    let name = &field.name.as_ref()?.name;
    let declared = declared.iter().find(|it| it.name == *name)?;
    Some(declared.ty.clone())
}

/// The variants and errors that the other arms around take, whatever they hold.
pub fn taken(nodes: &[Child<'_>]) -> Vec<Name> {
    let arms = nodes.iter().rev().find_map(|node| {
        let Child::Expression(it) = node else {
            return None;
        };
        if let ExpressionKind::Match { arms, .. } | ExpressionKind::Catch { arms, .. } = &it.kind {
            return Some(arms);
        }
        None
    });
    let arms = arms.into_iter().flatten();
    let whole = arms.filter(|it| it.guard.is_none());
    whole.filter_map(|it| whole_variant(&it.pattern)).collect()
}

/// The variant that a pattern takes with everything that it can hold.
fn whole_variant(pattern: &Pattern) -> Option<Name> {
    let takes_all =
        |it: &Pattern| matches!(it.kind, PatternKind::Wildcard | PatternKind::Binding(_));
    match &pattern.kind {
        // What is no variant is no name of one either.
        PatternKind::Binding(name) => Some(name.name.clone()),
        PatternKind::Variant { path, fields, .. } => {
            let mut fields = fields.iter().flatten();
            let name = path.last()?.name.clone();
            fields.all(|it| takes_all(&it.pattern)).then_some(name)
        }
        PatternKind::Record { .. }
        | PatternKind::Tuple(_)
        | PatternKind::Or(_)
        | PatternKind::List { .. }
        | PatternKind::Wildcard
        | PatternKind::Literal(_)
        | PatternKind::Range { .. }
        | PatternKind::Invalid => None,
    }
}
