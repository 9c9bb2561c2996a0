//! Cycles of a graph by Tarjan's walk, with a stack of its own: imports, aliases and constants may lead thousands deep.

use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};

/// A number for each node that the starts lead to; nodes of one number reach each other.
pub fn cycles<N: Copy + Eq + Hash>(
    starts: impl IntoIterator<Item = N>,
    targets: impl FnMut(N) -> Vec<N>,
) -> FxHashMap<N, u32> {
    let mut walk = Walk {
        targets,
        order: FxHashMap::default(),
        low: FxHashMap::default(),
        open: Vec::new(),
        cycles: FxHashMap::default(),
        next: 0,
    };
    for start in starts {
        if !walk.order.contains_key(&start) {
            walk.run(start);
        }
    }
    walk.cycles
}

/// The nodes that lead back to themselves.
pub fn on_cycles<N: Copy + Eq + Hash>(
    starts: impl IntoIterator<Item = N>,
    mut targets: impl FnMut(N) -> Vec<N>,
) -> FxHashSet<N> {
    let mut own = FxHashSet::default();
    let cycles = cycles(starts, |node| {
        let targets = targets(node);
        if targets.contains(&node) {
            own.insert(node);
        }
        targets
    });
    let mut sizes: FxHashMap<u32, usize> = FxHashMap::default();
    for cycle in cycles.values() {
        *sizes.entry(*cycle).or_default() += 1;
    }
    let several = cycles.into_iter().filter(|(_, cycle)| sizes[cycle] > 1);
    own.extend(several.map(|it| it.0));
    own
}

struct Walk<N, F> {
    targets: F,
    order: FxHashMap<N, u32>,
    low: FxHashMap<N, u32>,
    /// Nodes whose cycle is not known yet.
    open: Vec<N>,
    cycles: FxHashMap<N, u32>,
    next: u32,
}

impl<N: Copy + Eq + Hash, F: FnMut(N) -> Vec<N>> Walk<N, F> {
    fn run(&mut self, start: N) {
        let mut stack = vec![(start, self.enter(start))];
        while let Some((node, targets)) = stack.last_mut() {
            let node = *node;
            let Some(target) = targets.pop() else {
                stack.pop();
                self.leave(node, stack.last().map(|it| it.0));
                continue;
            };
            if !self.order.contains_key(&target) {
                let inside = self.enter(target);
                stack.push((target, inside));
            } else if !self.cycles.contains_key(&target) {
                let seen = self.order[&target];
                self.lower(node, seen);
            }
        }
    }

    /// Gives where the node leads.
    fn enter(&mut self, node: N) -> Vec<N> {
        self.order.insert(node, self.next);
        self.low.insert(node, self.next);
        self.open.push(node);
        self.next += 1;
        (self.targets)(node)
    }

    fn lower(&mut self, node: N, to: u32) {
        if let Some(low) = self.low.get_mut(&node) {
            *low = to.min(*low);
        }
    }

    fn leave(&mut self, node: N, parent: Option<N>) {
        let low = self.low[&node];
        if low == self.order[&node] {
            while let Some(member) = self.open.pop() {
                self.cycles.insert(member, low);
                if member == node {
                    break;
                }
            }
        }
        if let Some(parent) = parent {
            self.lower(parent, low);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{cycles, on_cycles};

    #[test]
    fn nodes_that_reach_each_other_have_one_number() {
        let targets = |it: u32| match it {
            0 => vec![1, 3],
            1 => vec![2],
            2 => vec![1],
            4 => vec![4, 0],
            _ => Vec::new(),
        };
        let found = cycles(0..5, targets);
        assert_eq!(found[&1], found[&2]);
        assert!(found[&0] != found[&1] && found[&3] != found[&0]);
        let mut back: Vec<u32> = on_cycles(0..5, targets).into_iter().collect();
        back.sort_unstable();
        assert_eq!(back, [1, 2, 4]);
    }
}
