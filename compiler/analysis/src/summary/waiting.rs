//! Which expressions may wait: the table of all places that hold one of their own, and a report where one waits that may not.

use gsw_infer::hir::{Body, BodyPart};
use gsw_infer::infer_item;
use gsw_source::{Db, Diagnostic, ItemKind, Severity};

use super::body::BodyFacts;
use super::report::{origin, raising_place};
use crate::call_summary::{Summary, Waits};
use crate::errors;
use crate::errors::NoWaiting;

/// Why this part of an item must not wait, or `None` when it may. A part that must not is a plain function, which the runtime
/// calls where it cannot suspend.
fn refusal(kind: ItemKind, part: BodyPart) -> Option<NoWaiting> {
    match part {
        BodyPart::Main => (kind == ItemKind::Const).then_some(NoWaiting::Constant),
        BodyPart::ParameterDefault(_) if kind == ItemKind::Workflow => {
            Some(NoWaiting::StartedFromOutside("workflow"))
        }
        BodyPart::ParameterDefault(_) if kind == ItemKind::Tool => {
            Some(NoWaiting::StartedFromOutside("tool"))
        }
        // Of a function, a prompt or a question, which only code calls.
        BodyPart::ParameterDefault(_) => None,
        BodyPart::FieldDefault { .. } => Some(NoWaiting::FieldDefault),
        BodyPart::FieldCheck(_) | BodyPart::AliasCheck => Some(NoWaiting::Check),
        BodyPart::User | BodyPart::System | BodyPart::Handler(_) | BodyPart::Rows => None,
        BodyPart::Messages => Some(NoWaiting::Conversation),
        BodyPart::Example(_) => Some(NoWaiting::Example),
        BodyPart::Settings => (kind == ItemKind::Agent).then_some(NoWaiting::AgentSetting),
        BodyPart::Key => Some(NoWaiting::Key),
    }
}

/// A report when `body` may not wait and does, or calls a function that may or may not wait.
pub(super) fn waiting_diagnostic(
    db: &dyn Db,
    body: &Body,
    facts: &BodyFacts,
) -> Option<Diagnostic> {
    let reason = refusal(body.item.kind(db), body.part)?;
    let waits = |does: &Summary| does.waits != Waits::Never;
    // `WithArguments` counts as waiting too: in a part that has no caller it is unknown whether the function waits.
    let whole = facts.does.get(body.root.0 as usize)?;
    // A constant with an effect is reported for that.
    let is_reported = reason == NoWaiting::Constant && whole.effects.iter().next().is_some();
    let is_broken = infer_item(db, body.item)
        .diagnostics
        .iter()
        .any(|it| it.severity == Severity::Error);
    if !waits(whole) || is_reported || is_broken {
        return None;
    }
    // What an example shows is written elsewhere, and may wait where the prompt is called.
    let place = raising_place(db, body, origin(body, facts, body.root, &waits));
    Some(errors::cannot_wait(place, reason))
}
