//! Blocks that release what is owned on edges to a block with other predecessors: most of them are the ways of errors out of a
//! function.
//!
//! What is owned grows and shrinks along the code, so the edges to one target release nearly the same as their neighbours. A
//! block for each of them would make code in proportion to edges times values. Instead they form a tree: its root releases what
//! all edges release, each half below what all of its edges release besides, down to single edges. A value that is owned along
//! a stretch of the code is released in as many blocks as there are levels, at most twice each.

use std::collections::BTreeMap;

use crate::ir::{Block, BlockId, Function, Instruction, Terminator};
use crate::passes::liveness::LocalSet;
use crate::role::targets_mut;

/// An edge, by its block and its place among the edges of it.
#[derive(Clone, Copy)]
struct Place {
    block: usize,
    edge: usize,
}

/// Edges that release the same.
struct Way {
    releases: LocalSet,
    edges: Vec<Place>,
}

/// By target: the ways to it that release something, in the order of the code.
#[derive(Default)]
pub(super) struct WaysOut(BTreeMap<BlockId, Vec<Way>>);

impl WaysOut {
    /// The edge number `edge` of `block`, which leads to `target`, is to release these.
    pub(super) fn add(&mut self, target: BlockId, block: usize, edge: usize, releases: LocalSet) {
        let place = Place { block, edge };
        let ways = self.0.entry(target).or_default();
        // Neighbours alone are compared: equal sets further apart meet in the tree.
        match ways.last_mut() {
            Some(last) if last.releases == releases => last.edges.push(place),
            Some(_) | None => ways.push(Way {
                releases,
                edges: vec![place],
            }),
        }
    }

    /// Writes the blocks, and leads the edges to them.
    pub(super) fn write(self, function: &mut Function) {
        for (target, ways) in self.0 {
            release_along(function, target, ways);
        }
    }
}

/// Leads these ways to `next`, which all of them release the same before.
fn release_along(function: &mut Function, mut next: BlockId, mut ways: Vec<Way>) {
    let Some(first) = ways.first() else { return };
    let mut common = first.releases.clone();
    for way in &ways[1..] {
        common.keep(&way.releases);
    }
    if !common.is_empty() {
        function.blocks.push(Block {
            instructions: common.iter().map(Instruction::Release).collect(),
            terminator: Terminator::Jump(next),
        });
        next = BlockId(function.blocks.len() as u32 - 1);
        for way in &mut ways {
            way.releases.subtract(&common);
        }
    }
    if let [way] = &ways[..] {
        for place in &way.edges {
            let block = &mut function.blocks[place.block];
            *targets_mut(&mut block.terminator)[place.edge] = next;
        }
        return;
    }
    let later = ways.split_off(ways.len() / 2);
    release_along(function, next, ways);
    release_along(function, next, later);
}
