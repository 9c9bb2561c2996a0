//! Where nodes begin: what is inside of one is known by its name.

use gsw_abi::call::RuntimeCall;

use crate::compare::item::Cursor;
use crate::compare::names::entered;
use crate::compare::touched::Touched;
use crate::compare::walk::{Lane, Walk};
use crate::compare::{Class, What};
use crate::ir::Operand;

impl<'a> Walk<'a> {
    /// A node begins: what is inside is known by its name.
    pub(super) fn node(
        &mut self,
        lane: &mut Lane<'a>,
        old: &[Operand],
        old_at: Cursor,
        new: &[Operand],
        new_at: Cursor,
    ) {
        let known = (
            entered(self.old.module, lane.old, old_at),
            entered(self.new.module, lane.new, new_at),
        );
        let ((Some(one), Some(other)), [_, old_name, ..], [_, new_name, ..]) = (known, old, new)
        else {
            return self.way(lane, old_at, new_at);
        };
        if one.kind != other.kind {
            return self.way(lane, old_at, new_at);
        }
        if lane.pairing.differing(old, new).contains(&true) {
            self.touch(Touched::by_call(RuntimeCall::node_enter));
        }
        let is_same = match (&one.name, &other.name) {
            (Some(old), Some(new)) => old == new,
            (None, None) => lane.pairing.same(old_name, new_name),
            (None, Some(_)) | (Some(_), None) => false,
        };
        if is_same {
            return;
        }
        // Another node of either name is counted anew.
        let is_alone = !self.old.names.has(&one) && !self.new.names.has(&other);
        let asks_nothing = self.old.first_operation(lane.old, old_at).is_none() && !lane.after.old;
        if is_alone && asks_nothing {
            return;
        }
        let named = |it: Option<String>| it.unwrap_or_else(|| "a name that is computed".to_owned());
        let what = What::Renamed {
            kind: one.kind.name(),
            old: named(one.name),
            new: named(other.name),
        };
        self.part(Class::Changes, what, (lane.old, old_at), (lane.new, new_at));
    }
}
