//! What is wanted where an expression is written: its type, and the named parameters that it could be given to.

use gsw_names::types::Type;
use gsw_names::{Parameter, TypeDeclarationKind, item_signature, type_declaration};
use gsw_source::{Db, ItemId, ItemKind, Name, Span};
use gsw_syntax::ast::{BinaryOperator, Child, ExpressionKind, Item, OperatorClass, StatementKind};

use super::Cursor;
use super::site::record_named;
use crate::cursor::node_span;
use crate::expression_type::{expression_type, local_type};
use crate::parameters::{called, parameters_of};

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
    for node in around.iter().rev() {
        let found = match node {
            Child::Expression(it) => in_expression(cursor, item, &it.kind, own),
            Child::Statement(it) => in_statement(cursor.db, item, &it.kind, own),
            Child::Pattern(_) | Child::Type(_) | Child::Name(_) => None,
        };
        if let Some(found) = found {
            return found;
        }
    }
    of_result(cursor.db, item, tree, around)
}

/// A body's last expression has the type of the result.
fn of_result(db: &dyn Db, item: ItemId, tree: &Item, around: &[Child<'_>]) -> Expected {
    let is_only_a_statement = around.len() == 1 && crate::symbol::signature(tree).is_some();
    match is_only_a_statement && !matches!(item.kind(db), ItemKind::Prompt | ItemKind::Human) {
        true => of_type(Some(item_signature(db, item).signature.result.clone())),
        false => Expected::default(),
    }
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
        let TypeDeclarationKind::Record(declared) =
            &type_declaration(cursor.db, owner).declaration.kind
        else {
            return None;
        };
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

fn in_statement(db: &dyn Db, item: ItemId, around: &StatementKind, own: Span) -> Option<Expected> {
    if let StatementKind::Let { pattern, value, .. } | StatementKind::Var { pattern, value, .. } =
        around
        && value.span == own
    {
        return Some(of_type(local_type(db, item, pattern.span)));
    }
    if let StatementKind::Assign { target, value, .. } = around
        && value.span == own
    {
        return Some(of_type(expression_type(db, item, target.span)));
    }
    None
}

/// The type of what the pattern among `nodes` is matched against: of the `match` around it, `Error` in a `catch`.
pub fn matched(db: &dyn Db, item: ItemId, nodes: &[Child<'_>]) -> Option<Type> {
    // A pattern in another one is matched against a part.
    let patterns = nodes
        .iter()
        .filter(|it| matches!(it, Child::Pattern(_)))
        .count();
    let around = nodes.iter().rev().find_map(|node| match node {
        Child::Expression(it) => Some(&it.kind),
        Child::Statement(_) | Child::Pattern(_) | Child::Type(_) | Child::Name(_) => None,
    })?;
    if patterns > 1 {
        return None;
    }
    if let ExpressionKind::Match { value, .. } | ExpressionKind::Let { value, .. } = around {
        return expression_type(db, item, value.span);
    }
    matches!(around, ExpressionKind::Catch { .. }).then_some(Type::Error)
}
