//! Which fields of which locals are read later, and which locals are needed whole.

use gsw_abi::call::Parameter;
use gsw_abi::types::{Type, TypeId, TypeTable};
use rustc_hash::FxHashMap;

use crate::ir::{Block, Function, Instruction, LocalId, Operand, Terminator};
use crate::passes::liveness::{LocalSet, backwards};
use crate::role::{edges, instruction_operands, instruction_written, terminator_operands};

/// A word of a record or tuple.
#[derive(Clone, Copy)]
pub(super) struct Field {
    pub whole: LocalId,
    pub index: u32,
    pub ty: TypeId,
}

/// A reading of a field.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    pub to: LocalId,
    pub whole: LocalId,
    /// Its number in [`Fields::all`].
    pub field: usize,
}

/// The fields that a function reads of records and tuples.
pub(super) struct Fields {
    pub all: Vec<Field>,
    numbers: FxHashMap<(LocalId, u32), usize>,
    by_whole: FxHashMap<LocalId, Vec<usize>>,
    /// Locals of which something may grow.
    growing: LocalSet,
    /// Of a local, how it stands in a set of needs: by itself while it is needed whole. Fields come after all locals.
    locals: usize,
    is_record: Vec<bool>,
}

impl Fields {
    /// The fields, if something that grows is read of a record that has others.
    pub fn of(function: &Function, types: &TypeTable) -> Option<Self> {
        let is_record: Vec<bool> = function
            .locals
            .iter()
            .map(|it| matches!(types.get(it.ty), Type::Record(_) | Type::Tuple(_)))
            .collect();
        let mut fields = Self {
            all: Vec::new(),
            numbers: FxHashMap::default(),
            by_whole: FxHashMap::default(),
            growing: growing(function, types, &is_record),
            locals: function.locals.len(),
            is_record,
        };
        let mut holds_growing = false;
        for instruction in function.blocks.iter().flat_map(|it| &it.instructions) {
            if let Instruction::Load { to, from, index } = *instruction
                && fields.is_record(from)
            {
                fields.add(from, index, function.locals[to.0 as usize].ty);
                holds_growing |= fields.growing.has(to);
            }
        }
        let has_others = fields.by_whole.values().any(|it| it.len() > 1);
        (holds_growing && has_others).then_some(fields)
    }

    fn add(&mut self, whole: LocalId, index: u32, ty: TypeId) {
        let number = self.all.len();
        if *self.numbers.entry((whole, index)).or_insert(number) == number {
            self.all.push(Field { whole, index, ty });
            self.by_whole.entry(whole).or_default().push(number);
        }
    }

    pub fn is_record(&self, local: LocalId) -> bool {
        self.is_record[local.0 as usize]
    }

    pub fn is_growing(&self, local: LocalId) -> bool {
        self.growing.has(local)
    }

    /// What an instruction reads of a record that it leaves as it is.
    pub fn reading(&self, instruction: &Instruction) -> Option<Reading> {
        let Instruction::Load { to, from, index } = *instruction else {
            return None;
        };
        let field = *self.numbers.get(&(from, index))?;
        let reading = Reading {
            to,
            whole: from,
            field,
        };
        (to != from).then_some(reading)
    }

    /// The fields of `whole` among these needs.
    pub fn needed(&self, whole: LocalId, needs: &LocalSet) -> Vec<usize> {
        let fields = self.by_whole.get(&whole).into_iter().flatten().copied();
        fields.filter(|it| needs.has(self.bit(*it))).collect()
    }

    /// Nothing.
    fn none(&self) -> LocalSet {
        LocalSet::new(self.locals + self.all.len())
    }

    fn bit(&self, field: usize) -> LocalId {
        LocalId((self.locals + field) as u32)
    }

    fn write(&self, needs: &mut LocalSet, written: LocalId) {
        needs.remove(written);
        for &field in self.by_whole.get(&written).into_iter().flatten() {
            needs.remove(self.bit(field));
        }
    }

    /// From what is needed after an instruction to what is needed before it.
    pub fn step_back(&self, needs: &mut LocalSet, instruction: &Instruction) {
        if let Some(written) = instruction_written(instruction) {
            self.write(needs, written);
        }
        if let Instruction::Load { from, index, .. } = instruction
            && let Some(field) = self.numbers.get(&(*from, *index))
        {
            needs.insert(self.bit(*field));
            return;
        }
        for (operand, _) in instruction_operands(instruction) {
            self.need_whole(needs, operand);
        }
    }

    fn need_whole(&self, needs: &mut LocalSet, operand: Operand) {
        if let Operand::Local(local) = operand
            && self.by_whole.contains_key(&local)
        {
            needs.insert(local);
        }
    }

    /// What is needed after the last instruction of a block.
    pub fn before_terminator(&self, block: &Block, starts: &[LocalSet]) -> LocalSet {
        let mut needs = self.none();
        for edge in edges(&block.terminator) {
            let mut there = starts[edge.target.0 as usize].clone();
            if let Some(written) = edge.written {
                self.write(&mut there, written);
            }
            needs.extend(&there);
        }
        for (operand, _) in terminator_operands(&block.terminator) {
            self.need_whole(&mut needs, operand);
        }
        needs
    }
}

/// By block, what is needed where it starts.
pub(super) fn needs_at_start(function: &Function, fields: &Fields) -> Vec<LocalSet> {
    backwards(function, fields.none(), |block, starts| {
        let mut needs = fields.before_terminator(block, starts);
        for instruction in block.instructions.iter().rev() {
            fields.step_back(&mut needs, instruction);
        }
        needs
    })
}

/// The locals that are given to something that may change them in place, or of which such a part is read.
fn growing(function: &Function, types: &TypeTable, is_record: &[bool]) -> LocalSet {
    let mut growing = LocalSet::new(function.locals.len());
    for block in &function.blocks {
        for instruction in &block.instructions {
            if let Instruction::Runtime {
                to: Some(to),
                call,
                arguments,
            } = instruction
            {
                let owned = call.parameters().iter().zip(arguments);
                let owned = owned.filter(|it| *it.0 == Parameter::Own).map(|it| *it.1);
                grow(function, types, &mut growing, owned, *to);
            }
            // A variable that may be changed.
            if let Instruction::CellNew {
                value: Operand::Local(local),
                ..
            } = instruction
            {
                growing.insert(*local);
            }
        }
        if let Terminator::Call { to, arguments, .. }
        | Terminator::CallValue { to, arguments, .. } = &block.terminator
        {
            grow(
                function,
                types,
                &mut growing,
                arguments.iter().copied(),
                *to,
            );
        }
    }
    while pass_on(function, is_record, &mut growing) {}
    growing
}

/// Of `given`, what a call that results in `to` may give back grown: of the same type, or in a record or tuple with more.
fn grow(
    function: &Function,
    types: &TypeTable,
    growing: &mut LocalSet,
    given: impl Iterator<Item = Operand>,
    to: LocalId,
) {
    let result = function.locals[to.0 as usize].ty;
    for operand in given {
        let Operand::Local(local) = operand else {
            continue;
        };
        let ty = function.locals[local.0 as usize].ty;
        let is_given_back =
            ty == result || matches!(types.get(result), Type::Record(_) | Type::Tuple(_));
        if is_given_back && types.is_reference(ty) {
            growing.insert(local);
        }
    }
}

/// What a growing local was moved from or read of is growing too; whether there was more of it.
fn pass_on(function: &Function, is_record: &[bool], growing: &mut LocalSet) -> bool {
    let mut grew = false;
    for block in function.blocks.iter().rev() {
        for instruction in block.instructions.iter().rev() {
            if let Instruction::Move { to, from } = *instruction
                && growing.has(to)
            {
                grew |= growing.insert(from);
            }
            if let Instruction::Load { to, from, .. } = *instruction
                && growing.has(to)
                && is_record[from.0 as usize]
            {
                grew |= growing.insert(from);
            }
        }
    }
    grew
}
