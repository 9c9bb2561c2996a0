//! Assignment to a part of a variable: `order.lines[2].qty += 1`.
//!
//! The variable lives in a cell. From the cell a chain of runtime calls leads to the place of the part, the address of the word
//! that holds it; on the way, what others share is replaced by copies, so that no other owner sees the change at the end. Until
//! then nothing has changed, so an error on the way needs no undoing. Where the change may break a `where`, the old value is
//! kept, and put back when a check raises.

use std::sync::Arc;

use gsw_abi::builtin;
use gsw_abi::call::RuntimeCall;
use gsw_infer::hir::{self, Change, ExpressionId, PlacePart, PlaceStep};
use gsw_names::types::Type;

use crate::ir::{LocalId, Operand};
use crate::lower::assignment::Right;
use crate::lower::builder::Builder;
use crate::lower::emitter::type_word;
use crate::lower::region::Region;
use crate::lower::variable::Variable;

/// A value that holds the part that changes, directly or further in.
struct Holder {
    place: Operand,
    ty: Type,
    /// Which part of it changes.
    part: HeldPart,
    part_type: Type,
}

#[derive(Clone, Copy)]
enum HeldPart {
    Field(u32),
    /// Of a list or map, at this position or key.
    Element(Operand),
}

impl Holder {
    /// The field that changes, of a record or tuple.
    fn field(&self) -> Option<u32> {
        match self.part {
            HeldPart::Field(index) => Some(index),
            HeldPart::Element(_) => None,
        }
    }
}

/// A value at a place.
#[derive(Clone)]
struct Placed {
    place: Operand,
    ty: Type,
}

struct Done {
    changed: Placed,
    /// The length before, where more was joined to its end.
    from: Option<Operand>,
    /// What takes it back, where a check may fail: this value at this place.
    before: Option<(Placed, Operand)>,
}

/// An assignment to a part, with all that was evaluated for it.
struct Assignment<'h> {
    cell: LocalId,
    holder: &'h Holder,
    change: Change,
    right: Right,
    /// Whether the change may break a `where`.
    is_checked: bool,
    /// Whether an observer may see the change.
    is_observed: bool,
}

impl Builder<'_, '_> {
    /// `x.f[i] = e`, `x.f[i] += e`
    pub fn assign_part(
        &mut self,
        local: hir::LocalId,
        path: &[PlaceStep],
        change: Change,
        value: ExpressionId,
    ) {
        // All that can wait or raise by itself comes before the first place: a place is an address, which must not outlive a wait.
        let (right, keys) = self.right_and_keys(path, change, value);
        let Variable::Cell(cell) = self.variables.place(local) else {
            self.unreachable();
            return;
        };
        let is_observed = self.is_observed(local);
        let holders = self.holders(local, cell, path, &keys);
        let Some(holder) = holders.last() else {
            return;
        };
        // From the inside out, as nested literals are checked.
        let mut checked: Vec<&Holder> = holders.iter().rev().collect();
        checked.retain(|it| {
            change != Change::SetUnchecked && self.change_is_checked(&it.ty, it.field())
        });
        let done = self.change_part(Assignment {
            cell,
            holder,
            change,
            right,
            is_checked: !checked.is_empty(),
            is_observed,
        });
        if let Some((at, old)) = &done.before {
            self.check_holders(&checked, cell, at, *old);
        }
        if is_observed {
            self.report_part(cell, &done);
        }
    }

    /// Evaluates the right side, then the positions and keys of the path.
    fn right_and_keys(
        &mut self,
        path: &[PlaceStep],
        change: Change,
        value: ExpressionId,
    ) -> (Right, Vec<Operand>) {
        let elements = match (change, path.last()) {
            (Change::Operator(operator), Some(last)) => {
                let ty = self.concrete(&last.ty);
                self.appended_elements(&ty, operator, value)
            }
            (
                Change::Set | Change::SetUnchecked | Change::Operator(_) | Change::Converted { .. },
                _,
            ) => None,
        };
        let is_literal = elements.is_some();
        let mut ids = elements.unwrap_or_else(|| vec![value]);
        let count = ids.len();
        ids.extend(path.iter().filter_map(|step| match step.part {
            PlacePart::Field(_) => None,
            PlacePart::Element(key) => Some(key),
        }));
        let mut values = self.operands(&ids);
        let keys = values.split_off(count);
        let right = if is_literal {
            Right::Elements(values)
        } else {
            Right::Value(values[0])
        };
        (right, keys)
    }

    /// Goes from the variable in `cell` to what holds the part that changes.
    fn holders(
        &mut self,
        local: hir::LocalId,
        cell: LocalId,
        path: &[PlaceStep],
        keys: &[Operand],
    ) -> Vec<Holder> {
        let start = if self.is_observed(local) {
            RuntimeCall::state_place
        } else {
            RuntimeCall::place_whole
        };
        let body = Arc::clone(&self.body);
        let mut ty = self.concrete(&body.local(local).ty);
        let mut place = self.runtime(builtin::INT, start, vec![Operand::Local(cell)]);
        let mut keys = keys.iter();
        let mut holders: Vec<Holder> = Vec::with_capacity(path.len());
        for step in path {
            if let Some(outer) = holders.last() {
                place = self.part_place(outer);
            }
            let part = match step.part {
                PlacePart::Field(index) => HeldPart::Field(index),
                PlacePart::Element(_) => {
                    let key = keys.next().copied();
                    HeldPart::Element(key.expect("every position and key was evaluated"))
                }
            };
            let part_type = self.concrete(&step.ty);
            holders.push(Holder {
                place,
                ty: std::mem::replace(&mut ty, part_type.clone()),
                part,
                part_type,
            });
        }
        holders
    }

    /// The place of the part, which is there or `OutOfRange` is raised.
    fn part_place(&mut self, holder: &Holder) -> Operand {
        let (call, part) = match holder.part {
            HeldPart::Field(index) => (RuntimeCall::place_field, Operand::Word(index.into())),
            HeldPart::Element(key) if self.is_map(&holder.ty) => (RuntimeCall::place_entry, key),
            HeldPart::Element(index) => (RuntimeCall::place_element, index),
        };
        self.runtime(builtin::INT, call, vec![holder.place, part])
    }

    fn is_map(&self, ty: &Type) -> bool {
        matches!(self.program.base_type(ty), Type::Map(..))
    }

    fn change_part(&mut self, assignment: Assignment<'_>) -> Done {
        if let (Change::Set | Change::SetUnchecked, Right::Value(value), HeldPart::Element(key)) =
            (assignment.change, &assignment.right, assignment.holder.part)
            && self.is_map(&assignment.holder.ty)
        {
            // The key need not be there yet, so there is no place of the part to go to.
            return self.insert(&assignment, key, *value);
        }
        let Assignment {
            cell,
            holder,
            change,
            right,
            is_checked,
            is_observed,
        } = assignment;
        let part = Placed {
            place: self.part_place(holder),
            ty: holder.part_type.clone(),
        };
        let (new, before, from) = match (change, right) {
            (Change::Operator(operator), right) if self.joins(&part.ty) => {
                let id = self.type_id(&part.ty);
                let length = vec![type_word(id), part.place];
                let from = is_observed
                    .then(|| self.runtime(builtin::INT, RuntimeCall::place_length, length));
                // Taken out, the old value has one owner and grows in place. Where a check may raise it has to be kept, so that it can be
                // put back.
                let old = if is_checked || matches!(part.ty, Type::Checked(..)) {
                    self.value_at(&part)
                } else {
                    self.runtime(id, RuntimeCall::place_take, vec![part.place])
                };
                (self.updated(&part.ty, operator, old, right), old, from)
            }
            (Change::Operator(operator), right) => {
                let old = self.value_at(&part);
                (self.updated(&part.ty, operator, old, right), old, None)
            }
            (Change::Converted { old, right, new }, Right::Value(value)) => {
                let before = self.value_at(&part);
                self.bind(old, before);
                self.bind(right, value);
                (self.expression(new), before, None)
            }
            (Change::Set | Change::SetUnchecked, Right::Value(value)) => {
                let before = is_checked.then(|| self.value_at(&part));
                (value, before.unwrap_or(Operand::Word(0)), None)
            }
            // Only an operator is given the elements of a list.
            (Change::Set | Change::SetUnchecked | Change::Converted { .. }, Right::Elements(_)) => {
                (self.unreachable(), Operand::Word(0), None)
            }
        };
        self.replace(cell, &part, new);
        Done {
            before: is_checked.then(|| (part.clone(), before)),
            changed: part,
            from,
        }
    }

    /// `m[k] = v`
    fn insert(&mut self, assignment: &Assignment<'_>, key: Operand, value: Operand) -> Done {
        let holder = assignment.holder;
        let map = Placed {
            place: holder.place,
            ty: holder.ty.clone(),
        };
        // The whole map is kept, since an insertion is undone by the map from before.
        let before = assignment.is_checked.then(|| self.value_at(&map));
        let cell = Operand::Local(assignment.cell);
        let arguments = vec![cell, holder.place, key, value];
        Done {
            changed: Placed {
                place: self.runtime(builtin::INT, RuntimeCall::place_insert, arguments),
                ty: holder.part_type.clone(),
            },
            from: None,
            before: before.map(|it| (map, it)),
        }
    }

    /// Puts a value at a place.
    fn replace(&mut self, cell: LocalId, part: &Placed, value: Operand) {
        let ty = self.type_id(&part.ty);
        let arguments = vec![Operand::Local(cell), type_word(ty), part.place, value];
        self.perform(RuntimeCall::place_set, arguments);
    }

    fn value_at(&mut self, part: &Placed) -> Operand {
        let ty = self.type_id(&part.ty);
        self.runtime(ty, RuntimeCall::place_get, vec![type_word(ty), part.place])
    }

    /// Runs the checks that the change may have broken; when one raises, the old value is put back.
    fn check_holders(&mut self, holders: &[&Holder], cell: LocalId, at: &Placed, old: Operand) {
        let landing = self.new_landing();
        self.open(Region::Catch(landing));
        for holder in holders {
            let value = self.value_at(&Placed {
                place: holder.place,
                ty: holder.ty.clone(),
            });
            self.check_change(&holder.ty, holder.field(), value);
        }
        self.close();
        let done = self.block();
        self.jump(done);
        self.start(landing.block);
        // Also on an unwinding: a `defer` that reads the variable sees it as it was.
        self.replace(cell, at, old);
        self.pass_on(landing.error);
        self.start(done);
    }

    /// Reports which part of a `state` variable has changed, and how.
    fn report_part(&mut self, cell: LocalId, done: &Done) {
        let Placed { place, ty } = &done.changed;
        let ty = self.type_id(ty);
        let mut arguments = vec![Operand::Local(cell), type_word(ty), *place];
        let call = match done.from {
            None => RuntimeCall::state_part_set,
            Some(from) => {
                arguments.push(from);
                RuntimeCall::state_part_append
            }
        };
        self.perform(call, arguments);
    }
}
