//! Where a record is to be taken apart: after the reading of a part that may grow, where only other fields are read later.

use crate::ir::{Block, Function, LocalId};
use crate::passes::apart::needs::{Fields, Reading};
use crate::passes::liveness::LocalSet;

/// A place at which a local is destructured.
pub(super) struct Cut {
    /// The instruction that it comes after.
    pub after: usize,
    pub whole: LocalId,
    /// The fields that are needed later.
    pub fields: Vec<usize>,
    /// What the instructions before it have read of the same local.
    pub readings: Vec<Reading>,
}

/// Readings of one local with nothing between them.
struct Run {
    cut: Cut,
    is_needed_whole: bool,
    reads_growing: bool,
}

/// By block, the cuts in the order of its instructions.
pub(super) fn cuts_of(function: &Function, fields: &Fields, needs: &[LocalSet]) -> Vec<Vec<Cut>> {
    let blocks = function.blocks.iter();
    blocks.map(|it| cuts_of_block(it, fields, needs)).collect()
}

fn cuts_of_block(block: &Block, fields: &Fields, starts: &[LocalSet]) -> Vec<Cut> {
    let mut needs = fields.before_terminator(block, starts);
    let mut cuts = Vec::new();
    let mut run: Option<Run> = None;
    for (index, instruction) in block.instructions.iter().enumerate().rev() {
        let reading = fields.reading(instruction);
        if run.as_ref().map(|it| it.cut.whole) != reading.map(|it| it.whole) {
            cuts.extend(run.take().and_then(Run::finish));
        }
        if let Some(reading) = reading {
            let run = run.get_or_insert_with(|| Run {
                cut: Cut {
                    after: index,
                    whole: reading.whole,
                    fields: fields.needed(reading.whole, &needs),
                    readings: Vec::new(),
                },
                is_needed_whole: needs.has(reading.whole),
                reads_growing: false,
            });
            // What is read again later has another owner anyway. A record that is read again may serve for both readings.
            let is_alone = !run.cut.fields.contains(&reading.field) || fields.is_record(reading.to);
            run.reads_growing |= is_alone && fields.is_growing(reading.to);
            run.cut.readings.push(reading);
        }
        fields.step_back(&mut needs, instruction);
    }
    cuts.extend(run.and_then(Run::finish));
    cuts.reverse();
    cuts
}

impl Run {
    fn finish(self) -> Option<Cut> {
        let is_cut = self.reads_growing && !self.is_needed_whole && !self.cut.fields.is_empty();
        is_cut.then_some(self.cut)
    }
}
