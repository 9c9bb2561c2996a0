//! Where nodes begin: what is inside of one is known by its name.

use gsw_abi::call::NodeKind;

use crate::compare::item::Cursor;
use crate::compare::walk::{Lane, Walk, known_as};
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
        let ([Operand::Word(kind), old_name, ..], [Operand::Word(other), new_name, ..]) =
            (old, new)
        else {
            return self.way(lane, old_at, new_at);
        };
        let mut kinds = NodeKind::ALL.into_iter();
        let Some(kind) = kinds.find(|it| *it as u64 == *kind && kind == other) else {
            return self.way(lane, old_at, new_at);
        };
        let known = (
            known_as(self.old, lane.old, old_at, kind, old_name),
            known_as(self.new, lane.new, new_at, kind, new_name),
        );
        let is_same = match &known {
            (Some(old), Some(new)) => old == new,
            (None, None) => lane.pairing.same(old_name, new_name),
            (None, Some(_)) | (Some(_), None) => false,
        };
        let is_empty = self.old.first_operation(lane.old, old_at).is_none() && !lane.after.old;
        if is_same || is_empty {
            return;
        }
        let named = |it: Option<String>| it.unwrap_or_else(|| "a name that is computed".to_owned());
        let what = What::Renamed {
            kind: kind.name(),
            old: named(known.0),
            new: named(known.1),
        };
        self.part(Class::Changes, what, (lane.old, old_at), (lane.new, new_at));
    }
}
