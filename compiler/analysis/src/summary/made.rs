//! What records, variants and errors bring, their defaults included.

use gsw_abi::types::ErrorClass;
use gsw_infer::hir::{BodyPart, ExpressionId, ExpressionKind};
use gsw_names::types::ErrorSet;
use gsw_names::{error_class, error_name};
use gsw_source::ItemId;

use super::body::{BodyWalk, Outcome};
use super::facts::add;

impl<'a> BodyWalk<'a, '_> {
    /// A record, a variant or an error, with the defaults and checks that its declaration has.
    pub(super) fn made(&mut self, kind: &'a ExpressionKind, item: ItemId) -> Outcome {
        let mut outcome = self.inside(kind);
        let declared = self.unit.of(item);
        add(&mut outcome.does, &declared.call);
        for (_, facts) in declared.defaults.iter().filter(|it| fills(it.0, kind)) {
            outcome.value.join(facts);
        }
        outcome
    }

    pub(super) fn error_value(&mut self, item: ItemId, kind: &'a ExpressionKind) -> Outcome {
        let mut outcome = self.made(kind, item);
        // Errors that it carries are not what it is: what takes them out again knows nothing of them (`bind`).
        outcome.value.error = ErrorSet::default();
        if error_class(self.db(), item) != ErrorClass::Fault {
            // Faults are in no set: every operation could raise one, so listing them would say nothing.
            let name = error_name(self.db(), item);
            outcome.value.error.kinds.insert(name);
        }
        outcome
    }
}

/// Whether a default of a declaration becomes a part of what is made of it here.
pub(crate) fn fills(default: BodyPart, made: &ExpressionKind) -> bool {
    let BodyPart::FieldDefault { variant, field } = default else {
        return false;
    };
    let is_left_out = |fields: &[(u32, ExpressionId)]| fields.iter().all(|(it, _)| *it != field);
    if let ExpressionKind::Record { fields, base, .. } = made {
        base.is_none() && is_left_out(fields)
    } else if let ExpressionKind::Variant {
        variant: made,
        fields,
        ..
    } = made
    {
        *made == variant && is_left_out(fields)
    } else if let ExpressionKind::ErrorValue { fields, .. } = made {
        is_left_out(fields)
    } else {
        false
    }
}
