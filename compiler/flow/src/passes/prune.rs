//! Drops blocks that cannot be reached and blocks that only jump on.

use crate::ir::{Block, BlockId, Function, Terminator};
use crate::role::{edges, targets_mut};

/// Drops what cannot be reached and renumbers the rest in the order of a walk from block 0.
pub fn prune(function: &mut Function) {
    skip_empty_blocks(function);
    let mut order = Vec::new();
    let mut seen = vec![false; function.blocks.len()];
    let mut stack = vec![BlockId(0)];
    seen[0] = true;
    // Depth first and the first edge first, so the way without errors is laid out in a line.
    while let Some(block) = stack.pop() {
        order.push(block);
        for edge in edges(&function.blocks[block.0 as usize].terminator)
            .iter()
            .rev()
        {
            if !std::mem::replace(&mut seen[edge.target.0 as usize], true) {
                stack.push(edge.target);
            }
        }
    }
    let mut renamed = vec![BlockId(0); function.blocks.len()];
    for (index, block) in order.iter().enumerate() {
        renamed[block.0 as usize] = BlockId(index as u32);
    }
    let mut old: Vec<Option<Block>> = std::mem::take(&mut function.blocks)
        .into_iter()
        .map(Some)
        .collect();
    for block in order {
        let mut block = old[block.0 as usize]
            .take()
            .expect("each block is walked once");
        for target in targets_mut(&mut block.terminator) {
            *target = renamed[target.0 as usize];
        }
        function.blocks.push(block);
    }
}

/// Edges to a block that holds nothing but a jump lead to where it jumps.
fn skip_empty_blocks(function: &mut Function) {
    let hop: Vec<Option<BlockId>> = function
        .blocks
        .iter()
        .map(|block| {
            let Terminator::Jump(target) = block.terminator else {
                return None;
            };
            block.instructions.is_empty().then_some(target)
        })
        .collect();
    for index in 0..function.blocks.len() {
        for target in targets_mut(&mut function.blocks[index].terminator) {
            // A cycle of empty blocks is an endless loop; the bound ends the walk.
            for _ in 0..hop.len() {
                match hop[target.0 as usize] {
                    Some(next) => *target = next,
                    None => break,
                }
            }
        }
    }
}
