//! Texts by which a program names a part of itself while it runs: `workflows.find("triage")`, `call.name == "wipe"`, the variables that a
//! judge revises. No rename follows them, so one that would leave them behind is refused.

use gsw_infer::hir::{
    Body, Callee, Expression, ExpressionId, ExpressionKind, LocalKind, OperatorClass, PatternKind,
};
use gsw_infer::{infer_item, visit_patterns};
use gsw_names::types::Type;
use gsw_names::{KnownItem, is_std, module_path};
use gsw_source::{Db, File, ItemId, ItemKind, Span};
use gsw_syntax::file_item_ids;

use crate::cursor::in_file;
use crate::expression_type::local;
use crate::symbol::Symbol;

/// The first text in `files` that most likely means `symbol`, which is called `name`.
pub fn text_for(db: &dyn Db, files: &[File], symbol: Symbol, name: &str) -> Option<(File, Span)> {
    if !is_known_to_runs(db, symbol) {
        return None;
    }
    files.iter().find_map(|file| {
        let mut items = file_item_ids(db, *file).iter();
        items.find_map(|item| {
            let mut bodies = infer_item(db, *item).bodies.iter();
            let span = bodies.find_map(|it| text_in(db, it, name))?;
            Some((*file, in_file(db, *item, span)))
        })
    })
}

/// Whether a run knows it by its name: what is a node, and what nodes are given and keep.
fn is_known_to_runs(db: &dyn Db, symbol: Symbol) -> bool {
    match symbol {
        Symbol::Item(item) => is_node(item.kind(db)),
        Symbol::Local { item, declared } => {
            let kind = local(db, item, declared).map(|it| it.kind);
            let is_parameter = matches!(kind, None | Some(LocalKind::Parameter));
            kind == Some(LocalKind::State) || (is_parameter && is_node(item.kind(db)))
        }
        Symbol::Variant { .. } | Symbol::Field { .. } | Symbol::Module(_) => false,
    }
}

const fn is_node(kind: ItemKind) -> bool {
    match kind {
        ItemKind::Agent
        | ItemKind::Prompt
        | ItemKind::Workflow
        | ItemKind::Tool
        | ItemKind::Human
        | ItemKind::External => true,
        ItemKind::Import
        | ItemKind::Function
        | ItemKind::Record
        | ItemKind::Alias
        | ItemKind::Enum
        | ItemKind::Error
        | ItemKind::Const
        | ItemKind::Mcp
        | ItemKind::Hook
        | ItemKind::Skill
        | ItemKind::Test
        | ItemKind::Permissions
        | ItemKind::Invalid => false,
    }
}

fn text_in(db: &dyn Db, body: &Body, name: &str) -> Option<Span> {
    let mut texts = body.expressions.iter().filter(|it| is_text(it, name));
    let looked_up: Vec<Span> = body
        .expressions
        .iter()
        .flat_map(|it| looked_up(db, body, it))
        .collect();
    let is_inside = |span: Span| {
        let mut around = looked_up.iter();
        around.any(|it| it.holds(span))
    };
    let found = texts.find(|it| is_inside(it.span)).map(|it| it.span);
    found.or_else(|| {
        body.expressions
            .iter()
            .find_map(|it| case(db, body, it, name))
    })
}

fn is_text(it: &Expression, name: &str) -> bool {
    matches!(&it.kind, ExpressionKind::String(text) if text == name)
}

/// Whether a body asks the run for parts of the program by their names.
pub fn starts_by_name(db: &dyn Db, body: &Body) -> bool {
    let called = body.expressions.iter().filter_map(|it| {
        if let ExpressionKind::Call {
            callee: Callee::Item { item, .. },
            ..
        } = &it.kind
        {
            return Some(*item);
        }
        None
    });
    called.into_iter().any(|it| asks_the_run(db, it))
}

/// The places in an expression whose texts are names: what asks the run, what a judge revises, what is compared with a name that the
/// library gives.
fn looked_up(db: &dyn Db, body: &Body, expression: &Expression) -> Vec<Span> {
    let span = |id: ExpressionId| body.expression(id).span;
    if let ExpressionKind::Call {
        callee: Callee::Item { item, .. },
        ..
    } = &expression.kind
        && asks_the_run(db, *item)
    {
        return vec![expression.span];
    }
    if let ExpressionKind::Record { item, .. } = &expression.kind
        && Some(*item) == KnownItem::Reflection.item(db)
    {
        return vec![expression.span];
    }
    if let ExpressionKind::Binary {
        operator,
        left,
        right,
    } = &expression.kind
        && matches!(operator.class(), OperatorClass::Equality(_))
        && [*left, *right].iter().any(|it| is_given(db, body, *it))
    {
        return vec![span(*left), span(*right)];
    }
    if let ExpressionKind::In { value, container } = &expression.kind
        && is_given(db, body, *value)
    {
        return vec![span(*container)];
    }
    Vec::new()
}

/// The arm of a `match` over a name that the library gives.
fn case(db: &dyn Db, body: &Body, expression: &Expression, name: &str) -> Option<Span> {
    let ExpressionKind::Match { value, arms } = &expression.kind else {
        return None;
    };
    if !is_given(db, body, *value) {
        return None;
    }
    let mut found = None;
    for arm in arms {
        visit_patterns(&arm.pattern, &mut |it| {
            if matches!(&it.kind, PatternKind::String(text) if text == name) {
                found = found.or(Some(it.span));
            }
        });
    }
    found
}

/// Whether it is a field of the library's description of a call or a node.
fn is_given(db: &dyn Db, body: &Body, id: ExpressionId) -> bool {
    if let ExpressionKind::Coerce { value, .. } = &body.expression(id).kind {
        return is_given(db, body, *value);
    }
    let ExpressionKind::Field { base, .. } = &body.expression(id).kind else {
        return false;
    };
    matches!(&body.expression(*base).ty, Type::Record(item, _) if is_std(db, item.file(db)))
}

/// The modules of the library that find parts of the program by their names.
const ABOUT_THE_RUN: &[&str] = &["std/context", "std/introspect", "std/runs", "std/workflows"];

fn asks_the_run(db: &dyn Db, item: ItemId) -> bool {
    module_path(db, item.file(db)).is_some_and(|it| ABOUT_THE_RUN.contains(&it))
}
