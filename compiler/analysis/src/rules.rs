//! Rules on where things may be and what may cross what, over typed bodies.

mod boundary;
mod broken_check;
mod capture;
mod constant;
mod former;
mod head;
mod leaving;
mod mocked;
mod offered_default;
mod permission;
mod place;
mod repeat;
mod secret;
mod setting;
mod uncached;

use gsw_infer::hir::Body;
use gsw_source::{Db, Diagnostic, ItemId};

pub(crate) use constant::evaluated_by;
pub use mocked::is_mockable;
pub use permission::contains;
pub(crate) use repeat::written_class;
pub use repeat::{RepeatClass, repeat_class};

/// Everything that `body` does where it may not.
pub fn rule_diagnostics(db: &dyn Db, body: &Body) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    leaving::check(body, &mut found);
    place::check(db, body, &mut found);
    capture::check(db, body, &mut found);
    boundary::check(db, body, &mut found);
    repeat::check(db, body, &mut found);
    permission::check(db, body, &mut found);
    broken_check::check(db, body, &mut found);
    setting::check(db, body, &mut found);
    constant::check(db, body, &mut found);
    mocked::check(db, body, &mut found);
    offered_default::check(db, body, &mut found);
    former::check(body, &mut found);
    uncached::check(db, body, &mut found);
    found
}

/// What the head of `item` does where it may not.
pub fn head_diagnostics(db: &dyn Db, item: ItemId) -> Vec<Diagnostic> {
    let mut found = boundary::check_head(db, item);
    found.extend(head::check_head(db, item));
    found.extend(secret::check_head(db, item));
    found.extend(former::check_head(db, item));
    found
}
