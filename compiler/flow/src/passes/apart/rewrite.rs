//! Writes the readings of a cut, and reads the homes instead of the fields after it.

use rustc_hash::FxHashMap;

use crate::ir::{Block, BlockId, Function, Instruction, Local, LocalId, Operand, Terminator};
use crate::passes::apart::cuts::Cut;
use crate::passes::apart::needs::Fields;
use crate::passes::liveness::LocalSet;
use crate::role::{
    edges, instruction_operands, instruction_written, targets_mut, terminator_operands,
};

/// A record that is a home or was read of one, and what it was moved from.
#[derive(Clone, Copy)]
struct Copied {
    to: LocalId,
    from: LocalId,
}

struct Rewriter<'a> {
    fields: &'a Fields,
    needs: &'a [LocalSet],
    /// By block, what is apart where it starts.
    starts: Vec<LocalSet>,
    /// By field.
    homes: FxHashMap<usize, LocalId>,
    locals: Vec<Local>,
    /// How often each local is written.
    writes: Vec<usize>,
    read: Vec<Copied>,
    cut: Vec<Copied>,
}

pub(super) fn rewrite(
    function: &mut Function,
    fields: &Fields,
    needs: &[LocalSet],
    cuts: &[Vec<Cut>],
) {
    let mut rewriter = Rewriter {
        fields,
        needs,
        starts: apart_at_start(function, fields, needs, cuts),
        homes: FxHashMap::default(),
        locals: std::mem::take(&mut function.locals),
        writes: Vec::new(),
        read: Vec::new(),
        cut: Vec::new(),
    };
    rewriter.writes = writes(function, rewriter.locals.len());
    for (index, cuts) in cuts.iter().enumerate() {
        let apart = rewriter.block(function, index, cuts);
        rewriter.edges(function, index, &apart);
    }
    let Rewriter {
        locals, read, cut, ..
    } = rewriter;
    function.locals = locals;
    // What is read of homes first: then a home of which only fields are read can be replaced by what was moved to it.
    join(function, read.into_iter().chain(cut));
}

/// By block, what is apart where it starts on some way, and is needed there.
fn apart_at_start(
    function: &Function,
    fields: &Fields,
    needs: &[LocalSet],
    cuts: &[Vec<Cut>],
) -> Vec<LocalSet> {
    let mut starts = vec![LocalSet::new(function.locals.len()); function.blocks.len()];
    let mut work: Vec<usize> = (0..function.blocks.len()).rev().collect();
    let mut queued = vec![true; function.blocks.len()];
    while let Some(index) = work.pop() {
        queued[index] = false;
        let block = &function.blocks[index];
        let mut apart = starts[index].clone();
        let mut cuts = cuts[index].iter().peekable();
        for (place, instruction) in block.instructions.iter().enumerate() {
            if let Some(written) = instruction_written(instruction) {
                apart.remove(written);
            }
            if let Some(cut) = cuts.next_if(|it| it.after == place) {
                apart.insert(cut.whole);
            }
        }
        for edge in edges(&block.terminator) {
            let target = edge.target.0 as usize;
            let arriving = apart.iter().filter(|it| edge.written != Some(*it));
            let mut grew = false;
            for local in arriving.filter(|it| !fields.needed(*it, &needs[target]).is_empty()) {
                grew |= starts[target].insert(local);
            }
            if grew && !std::mem::replace(&mut queued[target], true) {
                work.push(target);
            }
        }
    }
    starts
}

impl Rewriter<'_> {
    /// Rewrites the instructions of a block; gives what is apart at its end.
    fn block(&mut self, function: &mut Function, index: usize, cuts: &[Cut]) -> LocalSet {
        let mut apart = self.starts[index].clone();
        let mut cuts = cuts.iter().peekable();
        let old = std::mem::take(&mut function.blocks[index].instructions);
        let mut new = Vec::with_capacity(old.len());
        for (place, instruction) in old.into_iter().enumerate() {
            let written = instruction_written(&instruction);
            match self.fields.reading(&instruction) {
                Some(reading) if apart.has(reading.whole) => {
                    let (to, from) = (reading.to, self.home(reading.field));
                    if self.fields.is_record(to) {
                        self.read.push(Copied { to, from });
                    }
                    new.push(Instruction::Move { to, from });
                }
                Some(_) | None => new.push(instruction),
            }
            if let Some(written) = written {
                apart.remove(written);
            }
            if let Some(cut) = cuts.next_if(|it| it.after == place)
                && apart.insert(cut.whole)
            {
                self.cut(cut, &mut new);
            }
        }
        function.blocks[index].instructions = new;
        apart
    }

    /// Gives each field that is needed after a cut its home.
    fn cut(&mut self, cut: &Cut, new: &mut Vec<Instruction>) {
        // Last, so that the readings of `whole` stand together: no cut is then found between them.
        let mut moves = Vec::new();
        for &field in &cut.fields {
            let home = self.home(field);
            let same = cut
                .readings
                .iter()
                .find(|it| it.field == field && self.writes[it.to.0 as usize] == 1);
            if let Some(same) = same {
                let (to, from) = (home, same.to);
                if self.fields.is_record(from) {
                    self.cut.push(Copied { to, from });
                }
                moves.push(Instruction::Move { to, from });
            } else {
                new.push(self.load(field, home));
            }
        }
        new.append(&mut moves);
    }

    /// Takes apart, on the edges of a block, what is apart at their targets.
    fn edges(&mut self, function: &mut Function, index: usize, apart: &LocalSet) {
        let edges = edges(&function.blocks[index].terminator);
        for (number, edge) in edges.iter().enumerate() {
            let target = edge.target.0 as usize;
            let mut missing = self.starts[target].clone();
            let mut here = apart.clone();
            if let Some(written) = edge.written {
                here.remove(written);
            }
            missing.subtract(&here);
            let mut loads = Vec::new();
            for whole in missing.iter() {
                for field in self.fields.needed(whole, &self.needs[target]) {
                    let home = self.home(field);
                    loads.push(self.load(field, home));
                }
            }
            if loads.is_empty() {
                continue;
            }
            if let Terminator::Jump(_) = function.blocks[index].terminator {
                function.blocks[index].instructions.append(&mut loads);
                continue;
            }
            function.blocks.push(Block {
                instructions: loads,
                terminator: Terminator::Jump(edge.target),
            });
            let between = BlockId(function.blocks.len() as u32 - 1);
            *targets_mut(&mut function.blocks[index].terminator)[number] = between;
        }
    }

    fn home(&mut self, field: usize) -> LocalId {
        let ty = self.fields.all[field].ty;
        *self.homes.entry(field).or_insert_with(|| {
            self.locals.push(Local { ty, name: None });
            LocalId(self.locals.len() as u32 - 1)
        })
    }

    fn load(&self, field: usize, to: LocalId) -> Instruction {
        let field = self.fields.all[field];
        Instruction::Load {
            to,
            from: field.whole,
            index: field.index,
        }
    }
}

/// Reads the fields of a copied record from what it was copied from, when nothing else is done with the copy.
///
/// Both are written once, so wherever the copy is read they are the same.
fn join(function: &mut Function, copies: impl Iterator<Item = Copied>) {
    let writes = writes(function, function.locals.len());
    let mut read_whole = read_whole(function);
    let mut joined: FxHashMap<LocalId, LocalId> = FxHashMap::default();
    for Copied { to, from } in copies {
        let is_once = writes[to.0 as usize] == 1 && writes[from.0 as usize] == 1;
        if is_once && read_whole[to.0 as usize] == 0 {
            // The move goes.
            read_whole[from.0 as usize] -= 1;
            joined.insert(to, from);
        }
    }
    for instruction in function
        .blocks
        .iter_mut()
        .flat_map(|it| &mut it.instructions)
    {
        if let Instruction::Load { from, .. } = instruction {
            while let Some(source) = joined.get(from) {
                *from = *source;
            }
        }
    }
    for block in &mut function.blocks {
        block.instructions.retain(
            |it| !matches!(it, Instruction::Move { to, from } if joined.get(to) == Some(from)),
        );
    }
}

/// By local, how often something else is done with it than reading a field.
fn read_whole(function: &Function) -> Vec<usize> {
    let mut count = vec![0; function.locals.len()];
    for block in &function.blocks {
        let instructions = block.instructions.iter();
        let wholes = instructions.filter(|it| !matches!(it, Instruction::Load { .. }));
        let operands = wholes.flat_map(instruction_operands);
        for (operand, _) in operands.chain(terminator_operands(&block.terminator)) {
            if let Operand::Local(local) = operand {
                count[local.0 as usize] += 1;
            }
        }
    }
    count
}

/// How often each local is written, that of a parameter by the caller included.
fn writes(function: &Function, locals: usize) -> Vec<usize> {
    let mut writes = vec![0; locals];
    writes[..function.parameters as usize].fill(1);
    for block in &function.blocks {
        let instructions = block.instructions.iter().filter_map(instruction_written);
        let ends = edges(&block.terminator);
        for local in instructions.chain(ends.iter().filter_map(|it| it.written)) {
            writes[local.0 as usize] += 1;
        }
    }
    writes
}
