//! What stands in the head of a declaration and may not: modifiers of another kind, reserved words as names, no body.

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
    if item.kind(db) == ItemKind::Prompt && asks_nothing(db, item, signature) {
        found.push(errors::asks_nothing(
            place(&signature.name),
            &signature.name.name,
        ));
    }
    misplaced(item, item.kind(db), signature, &mut found);
    found
}

/// Whether a prompt has nothing that a model could answer: no parameter, whose value would be shown, and no text but instructions.
fn asks_nothing(db: &dyn Db, item: ItemId, signature: &Signature) -> bool {
    let Some(tree) = item_ast(db, item) else {
        return false;
    };
    let ItemBody::Prompt { entries, .. } = &tree.body else {
        return false;
    };
    let says = |it: &PromptEntry| match it {
        PromptEntry::Text { role, .. } => *role != TextRole::System,
        PromptEntry::Statement(_) => true,
        PromptEntry::Example { .. } | PromptEntry::Setting(_) => false,
    };
    signature.parameters.is_empty() && !entries.iter().any(says)
}

/// Modifiers, `by` and repeat classes of declarations that have none. What workflows take is looked at with their bodies.
fn misplaced(item: ItemId, kind: ItemKind, signature: &Signature, found: &mut Vec<Diagnostic>) {
    let place = |span| Place::Item { item, span };
    for modifier in &signature.modifiers {
        let is_fitting = match kind {
            ItemKind::Workflow => true,
            ItemKind::Human | ItemKind::External => {
                matches!(modifier.kind, ModifierKind::Timeout(_))
            }
            ItemKind::Import
            | ItemKind::Function
            | ItemKind::Record
            | ItemKind::Alias
            | ItemKind::Enum
            | ItemKind::Error
            | ItemKind::Const
            | ItemKind::Agent
            | ItemKind::Prompt
            | ItemKind::Tool
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
