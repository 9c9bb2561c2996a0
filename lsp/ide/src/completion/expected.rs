//! What is wanted where an expression is written: its type, and the named parameters that it could be given to.

use gsw_abi::hook::Moment;
use gsw_names::types::Type;
use gsw_names::{
    Definition, Parameter, handler_form, item_signature, substitute, type_declaration,
};
use gsw_source::{Db, ItemId, ItemKind, Name, Span};
use gsw_syntax::ast::{
    Argument, AssertExpectation, BinaryOperator, Child, Expression, ExpressionKind, HookHandler,
    Identifier, Item, ItemBody, OperatorClass, Pattern, PatternKind, StatementKind,
};

use super::Cursor;
use super::site::{named, record_named};
use crate::cursor::node_span;
use crate::expression_type::{expression_type, local_type};
use crate::parameters::{called, parameters_of};
use crate::scope::visible_at;
use crate::speculation::MARKER;

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
            Passed::Result => of_result(cursor.db, item, tree, own),
            Passed::Error => of_type(Some(Type::Error)),
            Passed::Nothing => in_expression(cursor, item, &it.kind, own).unwrap_or_default(),
        },
        Child::Statement(it) => match &it.kind {
            // The value of a block is that of its last statement; what is being typed may be about to be that.
            StatementKind::Expression(_) if around.len() > 1 => {
                of_type(expected(cursor, item, tree, around).ty)
            }
            StatementKind::Expression(_) => of_result(cursor.db, item, tree, own),
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
    Error,
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
    if let ExpressionKind::Fail(_) = around {
        return Passed::Error;
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
fn of_result(db: &dyn Db, item: ItemId, tree: &Item, own: Span) -> Expected {
    if let ItemBody::Hook { handlers, .. } = &tree.body {
        return of_type(decision(db, handlers, own));
    }
    let has_result = tree.body.signature().is_some();
    match has_result && !matches!(item.kind(db), ItemKind::Prompt | ItemKind::Human) {
        true => of_type(Some(result_of(db, item))),
        false => Expected::default(),
    }
}

/// What the handler around `own` decides; of what it need not decide the type without the `?`.
fn decision(db: &dyn Db, handlers: &[HookHandler], own: Span) -> Option<Type> {
    let around = handlers.iter().find(|it| it.body.span.holds(own))?;
    let form = handler_form(db, Moment::named(&around.name.name)?)?;
    let signature = &item_signature(db, form).signature;
    Some(present(signature.parameters.last()?.ty.clone()))
}

/// A type without the `?` of its own.
pub fn present(ty: Type) -> Type {
    if let Type::Optional(inside) = ty {
        Type::clone(&inside)
    } else {
        ty
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

/// The parameters that the marked name of an argument may name; `None` where no name of `arguments` is marked.
pub fn parameters_left(
    db: &dyn Db,
    item: ItemId,
    callee: &Expression,
    arguments: &[Argument],
) -> Option<Vec<Parameter>> {
    let name = |it: &Argument| it.name.as_ref().map(|it| it.name.clone());
    let is_marked = |it: &Argument| name(it).is_some_and(|it| it.contains(MARKER));
    arguments.iter().find(|it| is_marked(it))?;
    let mut left = parameters_of(db, &called(db, item, callee.span)?);
    let by_position = arguments.iter().filter(|it| it.name.is_none()).count();
    left.drain(..by_position.min(left.len()));
    left.retain(|it| {
        !arguments
            .iter()
            .any(|other| name(other).as_ref() == Some(&it.name))
    });
    Some(left)
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
    if patterns.next().is_some() {
        return matched_part(cursor, item, nodes, own);
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

/// The type of what a pattern inside of another one is matched against.
fn matched_part(
    cursor: &Cursor<'_>,
    item: ItemId,
    nodes: &[Child<'_>],
    own: &Pattern,
) -> Option<Type> {
    let (_, around) = nodes.split_last()?;
    let Child::Pattern(outer) = around.last()? else {
        return None;
    };
    let db = cursor.db;
    let is_own = |it: &Pattern| it.span == own.span;
    let whole = || matched(cursor, item, around).map(present);
    if let PatternKind::Or(_) = &outer.kind {
        return matched(cursor, item, around);
    }
    if let PatternKind::Record { path, fields, .. } = &outer.kind {
        let field = fields.iter().find(|it| is_own(&it.pattern))?;
        let declared = type_declaration(db, record_named(cursor, path)?)
            .declaration
            .fields();
        let name = &field.name.as_ref()?.name;
        return Some(declared.iter().find(|it| it.name == *name)?.ty.clone());
    }
    if let PatternKind::Variant { path, fields, .. } = &outer.kind {
        let fields = fields.as_ref()?;
        let at = fields.iter().position(|it| is_own(&it.pattern))?;
        let declared = payload(cursor, path, whole())?;
        let field = match &fields[at].name {
            Some(name) => declared.iter().find(|it| it.name == name.name)?,
            None => declared.get(at)?,
        };
        return Some(field.ty.clone());
    }
    match (&outer.kind, whole()?) {
        (PatternKind::Tuple(parts), Type::Tuple(types)) => {
            types.get(parts.iter().position(is_own)?).cloned()
        }
        (PatternKind::List { .. }, Type::List(element)) => Some(Type::clone(&element)),
        _ => None,
    }
}

/// What the variant or error of this name has, where a value of type `whole` is destructured.
pub fn payload(
    cursor: &Cursor<'_>,
    path: &[Identifier],
    whole: Option<Type>,
) -> Option<Vec<Parameter>> {
    let db = cursor.db;
    let name = &path.last()?.name;
    if let Some(Type::Enum(owner, arguments)) = whole {
        let variants = type_declaration(db, owner).declaration.variants();
        let own = variants.iter().find(|it| it.name == *name)?;
        let fields = own.fields.iter().map(|it| Parameter {
            ty: substitute(&it.ty, &arguments),
            ..it.clone()
        });
        return Some(fields.collect());
    }
    let (item, variant) = match named(cursor, path)? {
        Definition::Item(item) => (item, 0),
        Definition::Variant { item, variant } => (item, variant),
        Definition::Module(_) => return None,
    };
    Some(
        type_declaration(db, item)
            .declaration
            .fields_of(variant)
            .to_vec(),
    )
}

/// The variants and errors that arms take whatever they hold.
#[derive(Default)]
pub struct Taken {
    /// By an arm above: an arm for one of them is never reached.
    pub above: Vec<Name>,
    /// By an arm below: one before it may take a part of what it takes.
    pub below: Vec<Name>,
}

/// What the other arms around byte `inside` take.
pub fn taken(nodes: &[Child<'_>], inside: u32) -> Taken {
    let arms = nodes.iter().rev().find_map(|node| {
        let Child::Expression(it) = node else {
            return None;
        };
        if let ExpressionKind::Match { arms, .. } | ExpressionKind::Catch { arms, .. } = &it.kind {
            return Some(arms);
        }
        None
    });
    let mut found = Taken::default();
    for arm in arms.into_iter().flatten().filter(|it| it.guard.is_none()) {
        let Some(name) = whole_variant(&arm.pattern) else {
            continue;
        };
        match arm.pattern.span.start > inside {
            true => found.below.push(name),
            false => found.above.push(name),
        }
    }
    found
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
