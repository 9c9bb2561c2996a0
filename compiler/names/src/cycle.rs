//! Cycles of a graph by Tarjan's walk, with a stack of its own: imports, aliases and constants may lead thousands deep.

use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};

/// A number for each node that the starts lead to; nodes of one number reach each other.
pub fn cycles<N: Copy + Eq + Hash>(
    starts: impl IntoIterator<Item = N>,
    targets: impl FnMut(N) -> Vec<N>,
) -> FxHashMap<N, u32> {
    let numbered = (0..).zip(groups(starts, targets));
    let nodes = numbered.flat_map(|(number, it)| it.into_iter().map(move |it| (it, number)));
    nodes.collect()
}

/// The nodes that the starts lead to, in groups that reach each other. What a group leads to comes before it.
pub fn groups<N: Copy + Eq + Hash>(
    starts: impl IntoIterator<Item = N>,
    targets: impl FnMut(N) -> Vec<N>,
) -> Vec<Vec<N>> {
    let mut walk = Walk {
        targets,
        order: FxHashMap::default(),
        low: FxHashMap::default(),
        open: Vec::new(),
        closed: FxHashSet::default(),
        groups: Vec::new(),
        next: 0,
    };
    for start in starts {
        if !walk.order.contains_key(&start) {
            walk.run(start);
        }
    }
    walk.groups
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
    /// Nodes whose group is not known yet.
    open: Vec<N>,
    /// Those whose group is known.
    closed: FxHashSet<N>,
    groups: Vec<Vec<N>>,
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
            } else if !self.closed.contains(&target) {
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
            let start = self.open.iter().rposition(|it| *it == node);
            // Every node is open until its group is known.
            let group = self.open.split_off(start.unwrap_or_default());
            self.closed.extend(&group);
            self.groups.push(group);
        }
        if let Some(parent) = parent {
            self.lower(parent, low);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{cycles, groups, on_cycles};

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

    #[test]
    fn a_group_comes_after_those_that_it_leads_to() {
        let targets = |it: u32| match it {
            0 => vec![3, 1],
            1 => vec![2],
            2 => vec![1, 4],
            _ => Vec::new(),
        };
        let found = groups([0, 3], targets);
        assert_eq!(found, [vec![4], vec![1, 2], vec![3], vec![0]]);
    }
}
