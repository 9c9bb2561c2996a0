//! Locals whose names are not in the one style.

use gsw_infer::hir::Body;
use gsw_names::local_name;
use gsw_source::{Diagnostic, ItemId};

pub(super) fn check(item: ItemId, body: &Body, found: &mut Vec<Diagnostic>) {
    for (index, local) in body.locals.iter().enumerate() {
        let is_parameter = body.parameters.iter().any(|it| it.0 as usize == index);
        if !is_parameter && local.span.start < local.span.end {
            found.extend(local_name(item, &local.name, local.span));
        }
    }
}
