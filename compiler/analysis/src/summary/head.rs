//! What the head of an item says about a call of it, and what each of its bodies adds.

use gsw_abi::builtin::BuiltinError;
use gsw_abi::call::{CallKind, RuntimeCall};
use gsw_infer::hir::{Body, BodyPart};
use gsw_infer::infer_item;
use gsw_names::types::{Effect, Type};
use gsw_names::{Signature, builtin_set, item_signature, model_errors};
use gsw_source::{Db, ItemId, ItemKind};

use super::Known;
use super::body::Outcome;
use super::facts::add;
use super::task::{add_modifiers, deadlock};
use crate::call_summary::{Acts, Summary, Waits};

/// Adds what an agent, a hook, or a tool or workflow that a model is given, does to what the prompt's call does. What hooks,
/// tools and workflows raise goes back to the model; what the settings of an agent raise reaches the caller of the prompt.
pub(super) fn add_given(db: &dyn Db, source: ItemId, given: &Summary, does: &mut Summary) {
    does.effects = does.effects.union(given.effects);
    if source.kind(db) == ItemKind::Agent {
        does.errors.extend(&given.errors);
    }
}

/// Adds what the head of `item` says about a call of it, whatever its bodies do.
pub(super) fn add_head(db: &dyn Db, item: ItemId, summary: &mut Summary) {
    let declared = item_signature(db, item);
    summary.effects = summary.effects.union(declared.effects);
    match item.kind(db) {
        ItemKind::Prompt => {
            summary.errors.extend(&model_errors(db));
            summary.effects = summary.effects.with(Effect::Model);
            summary.waits = Waits::Always;
        }
        ItemKind::Human => add_question(db, item, Effect::Human, summary),
        ItemKind::External => {
            add_question(db, item, Effect::External, summary);
            if has_key(db, item) {
                // A text that is no key, such as an empty one, is found only when it is asked for.
                let failed = builtin_set(db, BuiltinError::Failed);
                summary.late.extend(&failed);
            }
        }
        ItemKind::Workflow => add_written(db, item, summary),
        ItemKind::Tool => {
            summary.waits = Waits::Always;
            add_written(db, item, summary);
            if has_key(db, item) {
                // A call waits for another one that has its key.
                summary.late.extend(&deadlock(db));
            }
            if gsw_names::is_host_tool(db, item) {
                summary.effects = summary.effects.with(Effect::Host);
                summary
                    .errors
                    .extend(&builtin_set(db, BuiltinError::ToolFailed));
            }
        }
        ItemKind::Test => summary.waits = Waits::Always,
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
        | ItemKind::Permissions
        | ItemKind::Invalid => {}
    }
    if let Some(call) = declared.signature.intrinsic {
        add_row(db, call, &declared.signature, summary);
    }
}

/// Whether calls are told apart by a text that the head gives.
fn has_key(db: &dyn Db, item: ItemId) -> bool {
    let mut bodies = infer_item(db, item).bodies.iter();
    bodies.any(|it| it.part == BodyPart::Key)
}

/// Adds what the modifiers in a head do.
fn add_written(db: &dyn Db, item: ItemId, summary: &mut Summary) {
    let bodies = infer_item(db, item);
    let main = bodies.bodies.iter().find(|it| it.part == BodyPart::Main);
    if let Some(main) = main {
        add_modifiers(db, main, &bodies.modifiers, summary);
    }
}

/// Adds what asking a person or the outside does.
fn add_question(db: &dyn Db, item: ItemId, effect: Effect, summary: &mut Summary) {
    summary.effects = summary.effects.with(effect);
    summary.waits = Waits::Always;
    if has_timeout(db, item) {
        summary
            .errors
            .extend(&builtin_set(db, BuiltinError::Timeout));
    }
}

/// A written `!` is what callers see: what the body raises beyond it is reported there.
pub(super) fn fix_head(db: &dyn Db, item: ItemId, summary: &mut Summary) {
    if let Some(throws) = &item_signature(db, item).signature.throws {
        summary.errors = throws.clone();
    }
}

/// Adds what one of the bodies of an item does to what a call of it does.
pub(super) fn add_part(body: &Body, mut outcome: Outcome, known: &mut Known) {
    // Its own variables are not shared.
    if outcome.does.acts == Acts::Inside {
        outcome.does.acts = Acts::Never;
    }
    match body.part {
        BodyPart::Main => known.result.join(&outcome.value),
        BodyPart::ParameterDefault(_) | BodyPart::FieldDefault { .. } => {
            known.learn_default(body.part, &outcome.value);
        }
        BodyPart::FieldCheck(_) | BodyPart::AliasCheck => {
            known.checks.extend(&outcome.does.errors);
        }
        // Evaluated once, before any run of the test.
        BodyPart::Rows => return,
        // What an example raises, the first call of its prompt raises.
        BodyPart::Example(_)
        | BodyPart::User
        | BodyPart::System
        | BodyPart::Messages
        | BodyPart::Settings
        | BodyPart::Key
        | BodyPart::Handler(_) => {}
    }
    add(&mut known.call, &outcome.does);
}

fn add_row(db: &dyn Db, call: RuntimeCall, signature: &Signature, summary: &mut Summary) {
    match call.kind() {
        // The table of runtime calls knows whether a call suspends; the library only adds what it raises.
        CallKind::Waiting => summary.waits = Waits::Always,
        CallKind::Plain | CallKind::Raising => {}
    }
    if matches!(call, RuntimeCall::queue_push | RuntimeCall::queue_pop) {
        summary.late.extend(&deadlock(db));
    }
    // A callee without a result is called for its effects.
    if signature.result == Type::Unit {
        summary.acts = Acts::Outside;
    }
    if let Some(throws) = &signature.throws {
        summary.errors.extend(throws);
    }
}

fn has_timeout(db: &dyn Db, item: ItemId) -> bool {
    use gsw_syntax::ast::{ItemBody, ModifierKind};
    let tree = gsw_syntax::item_ast(db, item);
    let Some(ItemBody::Human { signature, .. } | ItemBody::External { signature }) =
        tree.as_deref().map(|it| &it.body)
    else {
        return false;
    };
    let mut modifiers = signature.modifiers.iter();
    modifiers.any(|it| matches!(it.kind, ModifierKind::Timeout(_)))
}
