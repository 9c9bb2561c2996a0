//! What is in the head of a declaration and is not allowed there: modifiers of another kind, reserved words as names,
//! no body.

use gsw_infer::errors::calls;
use gsw_names::{is_std, item_head};
use gsw_source::{Db, Diagnostic, ItemId, ItemKind, Place};
use gsw_syntax::ast::{Identifier, ItemBody, ModifierKind, PromptEntry, Signature, TextRole};
use gsw_syntax::{TokenKind, item_ast};

use crate::errors;

pub(super) fn check_head(db: &dyn Db, item: ItemId) -> Vec<Diagnostic> {
    // The library may name `log.error` and declares what the runtime does without a body.
    if is_std(db, item.file(db)) {
        return Vec::new();
    }
    let Some(head) = item_head(db, item) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let place = |it: &Identifier| Place::Item {
        item,
        span: it.span,
    };
    let Some(signature) = head.body.signature() else {
        return found;
    };
    let is_method = matches!(&head.body, ItemBody::Function(it) if it.receiver.is_some());
    if TokenKind::keyword(&signature.name.name).is_some() && !is_method {
        found.push(errors::reserved_word(
            place(&signature.name),
            &signature.name.name,
        ));
    }
    for parameter in &signature.parameters {
        let name = &parameter.name;
        if TokenKind::keyword(&name.name).is_some_and(|it| it != TokenKind::SelfValue) {
            found.push(errors::reserved_word(place(name), &name.name));
        }
    }
    if matches!(&head.body, ItemBody::Function(it) if it.body.is_none()) {
        found.push(errors::missing_body(
            place(&signature.name),
            &signature.name.name,
        ));
    }
    found.extend(unanswerable(db, item, signature));
    misplaced(item, item.kind(db), signature, &mut found);
    found
}

/// A prompt that leaves a model nothing to answer: it has no parameter, whose value would be shown, and no text but instructions;
/// or its last text is the model's own.
fn unanswerable(db: &dyn Db, item: ItemId, signature: &Signature) -> Option<Diagnostic> {
    let tree = item_ast(db, item)?;
    let ItemBody::Prompt { entries, .. } = &tree.body else {
        return None;
    };
    // A statement decides what follows.
    if entries
        .iter()
        .any(|it| matches!(it, PromptEntry::Statement(_)))
    {
        return None;
    }
    let mut texts = entries.iter().rev().filter_map(|it| match it {
        PromptEntry::Text { role, span, .. } => Some((*role, *span)),
        PromptEntry::Statement(_) | PromptEntry::Example { .. } | PromptEntry::Setting(_) => None,
    });
    let place = |span| Place::Item { item, span };
    match texts.find(|(role, _)| *role != TextRole::System) {
        Some((TextRole::Assistant, span)) => Some(errors::ends_with_answer(place(span))),
        None if signature.parameters.is_empty() => Some(errors::asks_nothing(
            place(signature.name.span),
            &signature.name.name,
        )),
        Some((TextRole::User | TextRole::System, _)) | None => None,
    }
}

/// Modifiers, `by` and repeat classes of declarations that have none. The values of those that have are checked with their bodies.
fn misplaced(item: ItemId, kind: ItemKind, signature: &Signature, found: &mut Vec<Diagnostic>) {
    let place = |span| Place::Item { item, span };
    for modifier in &signature.modifiers {
        let is_fitting = match kind {
            ItemKind::Workflow => true,
            ItemKind::Human | ItemKind::External => {
                matches!(modifier.kind, ModifierKind::Timeout(_))
            }
            ItemKind::Tool => matches!(
                modifier.kind,
                ModifierKind::Timeout(_) | ModifierKind::Retry { .. }
            ),
            ItemKind::Import
            | ItemKind::Function
            | ItemKind::Record
            | ItemKind::Alias
            | ItemKind::Enum
            | ItemKind::Error
            | ItemKind::Const
            | ItemKind::Agent
            | ItemKind::Prompt
            | ItemKind::Mcp
            | ItemKind::Hook
            | ItemKind::Skill
            | ItemKind::Test
            | ItemKind::Permissions
            | ItemKind::Invalid => false,
        };
        if !is_fitting {
            let place = place(modifier.span);
            found.push(calls::misplaced_modifier(place, &modifier.kind));
        }
    }
    if let (Some(agent), false) = (
        &signature.by,
        matches!(kind, ItemKind::Prompt | ItemKind::External | ItemKind::Tool),
    ) {
        found.push(errors::misplaced_agent(place(agent.span)));
    }
    if let (Some(class), false) = (&signature.repeat, kind == ItemKind::Tool) {
        let (word, span) = match class {
            gsw_syntax::ast::RepeatClass::Pure(span) => ("pure", *span),
            gsw_syntax::ast::RepeatClass::Reads(span) => ("reads", *span),
            gsw_syntax::ast::RepeatClass::Once(span) => ("once", *span),
            gsw_syntax::ast::RepeatClass::Idempotent(key) => ("idempotent", key.span),
        };
        found.push(errors::misplaced_repeat_class(place(span), word));
    }
}
