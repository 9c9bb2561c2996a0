//! What crosses the boundary of a step, task, iteration or workflow can be recorded.

use gsw_infer::hir::{Body, BodyPart, Captured, ExpressionKind, LocalKind};
use gsw_names::types::Type;
use gsw_names::{find_held, has_media_inside, holds_media, holds_secret, item_signature};
use gsw_source::{Db, Diagnostic, ItemId, ItemKind, Place};

use crate::errors;

#[expect(
    clippy::too_many_lines,
    reason = "one line a form: rustc names what a new form must join"
)]
pub(super) fn check(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
    if body.part == BodyPart::Rows
        && let Some(what) = unrecordable(db, &body.result).or_else(|| secret_in(db, &body.result))
    {
        let place = body.place(body.expression(body.root).span);
        found.push(errors::not_recordable(place, what, "the rows of a test"));
    }
    for local in &body.locals {
        // One that is captured is reported for what it could refer to.
        let is_state = local.kind == LocalKind::State && local.captured == Captured::No;
        if is_state && let Some(what) = unrecordable(db, &local.ty) {
            let place = body.place(local.span);
            found.push(errors::not_recordable(place, what, "a `state` variable"));
        }
    }
    for expression in &body.expressions {
        if let ExpressionKind::ParallelFor { iterable, .. } = &expression.kind {
            let iterable = body.expression(*iterable);
            if let Some(what) = unrecordable(db, &iterable.ty) {
                let place = body.place(iterable.span);
                found.push(errors::not_recordable(
                    place,
                    what,
                    "what an iteration is given",
                ));
            }
        }
        let (crossing, boundary, span) = match &expression.kind {
            ExpressionKind::Step { body: inner, .. } => (
                &body.expression(*inner).ty,
                "the result of a step",
                expression.span,
            ),
            ExpressionKind::Spawn(lambda) => (
                &body.expression(lambda.body).ty,
                "the result of a task",
                expression.span,
            ),
            ExpressionKind::ParallelFor { body: lambda, .. } => (
                &body.expression(lambda.body).ty,
                "the result of an iteration",
                expression.span,
            ),
            ExpressionKind::Int(_)
            | ExpressionKind::Float(_)
            | ExpressionKind::Bool(_)
            | ExpressionKind::None
            | ExpressionKind::Unit
            | ExpressionKind::Duration(_)
            | ExpressionKind::String(_)
            | ExpressionKind::Local(_)
            | ExpressionKind::Constant(_)
            | ExpressionKind::FunctionValue { .. }
            | ExpressionKind::ConstructorValue { .. }
            | ExpressionKind::Lambda(_)
            | ExpressionKind::Record { .. }
            | ExpressionKind::Variant { .. }
            | ExpressionKind::ErrorValue { .. }
            | ExpressionKind::List(_)
            | ExpressionKind::Map(_)
            | ExpressionKind::Tuple(_)
            | ExpressionKind::Field { .. }
            | ExpressionKind::TupleField { .. }
            | ExpressionKind::JsonField { .. }
            | ExpressionKind::Index { .. }
            | ExpressionKind::Interpolation(_)
            | ExpressionKind::Unary { .. }
            | ExpressionKind::Binary { .. }
            | ExpressionKind::In { .. }
            | ExpressionKind::Otherwise { .. }
            | ExpressionKind::Chain { .. }
            | ExpressionKind::Range { .. }
            | ExpressionKind::Coerce { .. }
            | ExpressionKind::As(_)
            | ExpressionKind::Matches { .. }
            | ExpressionKind::If { .. }
            | ExpressionKind::Match { .. }
            | ExpressionKind::Catch { .. }
            | ExpressionKind::Block { .. }
            | ExpressionKind::For { .. }
            | ExpressionKind::While { .. }
            | ExpressionKind::Return(_)
            | ExpressionKind::Break
            | ExpressionKind::Continue
            | ExpressionKind::Fail(_)
            | ExpressionKind::Emit(_)
            | ExpressionKind::Call { .. }
            | ExpressionKind::PromptCall { .. }
            | ExpressionKind::PromptText { .. }
            | ExpressionKind::OfferedTool { .. }
            | ExpressionKind::SpawnDetached { .. }
            | ExpressionKind::Undo(_)
            | ExpressionKind::Await(_)
            | ExpressionKind::Race { .. }
            | ExpressionKind::Parallel { .. }
            | ExpressionKind::Modified { .. }
            | ExpressionKind::Invalid => continue,
        };
        if let Some(what) = unrecordable(db, crossing) {
            found.push(errors::not_recordable(body.place(span), what, boundary));
        }
    }
}

/// What a declaration is called whose parameters and result cross a boundary.
pub(super) fn boundary_word(kind: ItemKind) -> Option<&'static str> {
    match kind {
        ItemKind::Workflow => Some("a workflow"),
        ItemKind::Prompt => Some("a prompt"),
        ItemKind::Tool => Some("a tool"),
        ItemKind::Human => Some("a human"),
        ItemKind::External => Some("an external"),
        ItemKind::Import
        | ItemKind::Function
        | ItemKind::Record
        | ItemKind::Alias
        | ItemKind::Enum
        | ItemKind::Error
        | ItemKind::Const
        | ItemKind::Agent
        | ItemKind::Mcp
        | ItemKind::Hook
        | ItemKind::Skill
        | ItemKind::Test
        | ItemKind::Permissions
        | ItemKind::Invalid => None,
    }
}

/// Parameters and result of a workflow, prompt, tool, human or external.
pub(super) fn check_head(db: &dyn Db, item: ItemId) -> Vec<Diagnostic> {
    let Some(word) = boundary_word(item.kind(db)) else {
        return Vec::new();
    };
    let signature = &item_signature(db, item).signature;
    let is_asked = matches!(
        item.kind(db),
        ItemKind::Prompt | ItemKind::Human | ItemKind::External
    );
    let mut found = Vec::new();
    for parameter in &signature.parameters {
        if is_asked && has_media_inside(db, &parameter.ty) {
            let place = Place::Item {
                item,
                span: parameter.span,
            };
            let boundary = format!("a parameter of {word}");
            found.push(errors::media_inside(place, &boundary));
        }
        if let Some(what) = unrecordable(db, &parameter.ty) {
            let place = Place::Item {
                item,
                span: parameter.span,
            };
            found.push(errors::not_recordable(
                place,
                what,
                &format!("a parameter of {word}"),
            ));
        }
    }
    let tree = gsw_names::item_head(db, item);
    let name = tree.as_deref().and_then(gsw_names::declared_name);
    if let (true, Some(name)) = (is_asked && holds_media(db, &signature.result), name) {
        let place = Place::Item {
            item,
            span: name.span,
        };
        found.push(errors::media_answer(place, word));
    }
    if let (Some(what), Some(name)) = (unrecordable(db, &signature.result), name) {
        let place = Place::Item {
            item,
            span: name.span,
        };
        found.push(errors::not_recordable(
            place,
            what,
            &format!("the result of {word}"),
        ));
    }
    found
}

/// Each row is given to a run of its own as text, in which a secret is not.
fn secret_in(db: &dyn Db, ty: &Type) -> Option<&'static str> {
    holds_secret(db, ty).then_some("a `secret`")
}

/// What in a value of this type cannot be recorded.
pub(super) fn unrecordable(db: &dyn Db, ty: &Type) -> Option<&'static str> {
    let wanted = |ty: &Type| match ty {
        Type::Function(_) => Some("a function"),
        Type::Task(_) => Some("a `Task`"),
        Type::Stream(_) => Some("a `Stream`"),
        Type::Queue(_) => Some("a `Queue`"),
        Type::Session => Some("a `Session`"),
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
        | Type::Error
        | Type::Agent
        | Type::Never
        | Type::Literals(_)
        | Type::Optional(_)
        | Type::List(_)
        | Type::Map(..)
        | Type::Tuple(_)
        | Type::Record(..)
        | Type::Enum(..)
        | Type::Checked(..)
        | Type::Partial(_)
        | Type::Parameter(..)
        | Type::Variable(_)
        | Type::Text(_)
        | Type::Invalid => None,
    };
    find_held(db, ty, Some("a type without end"), wanted)
}
