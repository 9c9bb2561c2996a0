//! Two instructions of one shape: whether their results may differ.

use gsw_abi::program::FunctionIndex;

use crate::compare::item::{Cursor, Item};
use crate::compare::reach::Side;
use crate::compare::touched::Touched;
use crate::compare::walk::call::Called;
use crate::compare::walk::{After, Key, Lane, Walk};
use crate::ir::{Constant, ConstantIndex, Instruction};

impl<'a> Walk<'a> {
    pub(super) fn instruction(
        &mut self,
        lane: &mut Lane<'a>,
        old: &Instruction,
        old_at: Cursor,
        new: &Instruction,
        new_at: Cursor,
    ) {
        let is_tainted = self.instruction_differs(lane, old, old_at, new, new_at);
        let written = (
            Item::Instruction(old).writes(),
            Item::Instruction(new).writes(),
        );
        match written {
            (Some(old), Some(new)) => lane.pairing.write(old, new, is_tainted),
            (Some(old), None) => lane.pairing.taint(old),
            (None, Some(new)) => lane.pairing.taint_new(new),
            (None, None) => {}
        }
    }

    /// Whether the results of two instructions of one shape may differ.
    #[expect(
        clippy::too_many_lines,
        reason = "one arm a form: rustc names what a new form must join"
    )]
    fn instruction_differs(
        &mut self,
        lane: &mut Lane<'a>,
        old: &Instruction,
        old_at: Cursor,
        new: &Instruction,
        new_at: Cursor,
    ) -> bool {
        match (old, new) {
            (Instruction::Word { word: a, .. }, Instruction::Word { word: b, .. }) => a != b,
            (
                Instruction::Constant { constant: a, .. },
                Instruction::Constant { constant: b, .. },
            ) => !self.same_constant(*a, *b),
            (Instruction::Move { from: a, .. }, Instruction::Move { from: b, .. })
            | (Instruction::LoadExtra { from: a, .. }, Instruction::LoadExtra { from: b, .. })
            | (Instruction::LoadType { from: a, .. }, Instruction::LoadType { from: b, .. }) => {
                !lane.pairing.same_local(*a, *b)
            }
            (
                Instruction::Operation {
                    left: a, right: b, ..
                },
                Instruction::Operation {
                    left: c, right: d, ..
                },
            ) => !lane.pairing.same(a, c) || !lane.pairing.same(b, d),
            (
                Instruction::Object {
                    ty: a,
                    extra: b,
                    fields: c,
                    ..
                },
                Instruction::Object {
                    ty: d,
                    extra: e,
                    fields: f,
                    ..
                },
            ) => b != e || lane.pairing.differing(c, f).contains(&true) || !self.same_type(*a, *d),
            (
                Instruction::Closure {
                    function: a,
                    captures: b,
                    ..
                },
                Instruction::Closure {
                    function: c,
                    captures: d,
                    ..
                },
            ) => {
                let captures = lane.pairing.differing(b, d).contains(&true);
                self.value_differs(*a, *c, captures)
            }
            (
                Instruction::Frame {
                    function: a,
                    arguments: b,
                    ..
                },
                Instruction::Frame {
                    function: c,
                    arguments: d,
                    ..
                },
            ) => {
                let tainted = self.given(lane, &Called::of(*a, b), &Called::of(*c, d));
                let key = Key {
                    old: *a,
                    new: *c,
                    tainted,
                    after: After::ANYTHING,
                };
                self.functions(&key).result
            }
            (
                Instruction::Load {
                    from: a, index: b, ..
                },
                Instruction::Load {
                    from: c, index: d, ..
                },
            )
            | (
                Instruction::Capture {
                    from: a, index: b, ..
                },
                Instruction::Capture {
                    from: c, index: d, ..
                },
            ) => b != d || !lane.pairing.same_local(*a, *c),
            (Instruction::CellNew { value: a, .. }, Instruction::CellNew { value: b, .. }) => {
                if !lane.pairing.same(a, b) {
                    self.touch(Touched::CELLS);
                }
                false
            }
            (Instruction::CellGet { cell: a, .. }, Instruction::CellGet { cell: b, .. })
            | (Instruction::CellTake { cell: a, .. }, Instruction::CellTake { cell: b, .. }) => {
                self.touched.is_seen_in_cells() || !lane.pairing.same_local(*a, *b)
            }
            (
                Instruction::CellSet { cell: a, value: b },
                Instruction::CellSet { cell: c, value: d },
            ) => {
                if !lane.pairing.same_local(*a, *c) || !lane.pairing.same(b, d) {
                    self.touch(Touched::CELLS);
                }
                false
            }
            (
                Instruction::Runtime {
                    call: a,
                    arguments: b,
                    ..
                },
                Instruction::Runtime { arguments: c, .. },
            ) => self.plain_call(lane, *a, b, old_at, c, new_at),
            // Counting is passed over, and two of other shapes are not compared.
            _ => unreachable!("they are of one shape"),
        }
    }

    /// Whether function values of two functions may differ.
    fn value_differs(&mut self, old: FunctionIndex, new: FunctionIndex, captures: bool) -> bool {
        let key = Key {
            old,
            new,
            tainted: vec![captures],
            after: After::ANYTHING,
        };
        self.functions(&key).result || captures
    }

    fn same_constant(&mut self, old: ConstantIndex, new: ConstantIndex) -> bool {
        let constant =
            |side: &Side<'_>, it: ConstantIndex| side.module.constants.get(it.0 as usize).cloned();
        let (Some(old), Some(new)) = (constant(self.old, old), constant(self.new, new)) else {
            return false;
        };
        match (old, new) {
            (Constant::String { ty: a, text: b }, Constant::String { ty: c, text: d }) => {
                b == d && self.same_type(a, c) && self.names_same(&b)
            }
            (Constant::Header { ty: a, extra: b }, Constant::Header { ty: c, extra: d }) => {
                b == d && self.same_type(a, c)
            }
            (
                Constant::Word {
                    ty: a,
                    extra: b,
                    word: c,
                },
                Constant::Word {
                    ty: d,
                    extra: e,
                    word: f,
                },
            ) => (b, c) == (e, f) && self.same_type(a, d),
            (Constant::Closure { function: a, .. }, Constant::Closure { function: b, .. }) => {
                !self.value_differs(a, b, false)
            }
            (Constant::List { ty: a, words: b }, Constant::List { ty: c, words: d }) => {
                b == d && self.same_type(a, c)
            }
            (
                Constant::String { .. }
                | Constant::Header { .. }
                | Constant::Word { .. }
                | Constant::Closure { .. }
                | Constant::List { .. },
                _,
            ) => false,
        }
    }
}
