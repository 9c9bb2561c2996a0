//! The names by which runs know nodes, and which of these several nodes may share.
//!
//! Nodes of one name beside each other are told apart by their number. So a node in which nothing is asked for matters
//! where another one may have its name: when it comes or goes, the others are counted anew.

use std::collections::{HashMap, HashSet};

use gsw_abi::call::{NodeKind, RuntimeCall};

use crate::compare::identity;
use crate::compare::item::{Cursor, Item, item, text_of};
use crate::compare::reach::places;
use crate::ir::{Function, Instruction, Module, Operand};

/// The names that nodes of more than one place may have, in either version.
#[derive(Default)]
pub(super) struct SharedNames {
    repeated: HashSet<(NodeKind, String)>,
    /// Kinds of which one place computes the name, and there are others.
    computed: HashSet<NodeKind>,
}

/// A place where a node begins.
pub(super) struct Entered {
    pub(super) kind: NodeKind,
    /// The name by which runs know it, where it is a constant.
    pub(super) name: Option<String>,
}

impl SharedNames {
    pub(super) fn of(old: &Module, new: &Module) -> Self {
        let mut shared = Self::default();
        shared.add(old);
        shared.add(new);
        shared
    }

    fn add(&mut self, module: &Module) {
        let mut counts: HashMap<NodeKind, HashMap<Option<String>, usize>> = HashMap::new();
        for function in &module.functions {
            let entered = places(function).filter_map(|at| entered(module, function, at));
            for Entered { kind, name } in entered {
                *counts.entry(kind).or_default().entry(name).or_default() += 1;
            }
        }
        for (kind, names) in counts {
            if names.contains_key(&None) && names.values().sum::<usize>() > 1 {
                self.computed.insert(kind);
            }
            let repeated = names.into_iter().filter(|(_, count)| *count > 1);
            let named = repeated.filter_map(|(name, _)| Some((kind, name?)));
            self.repeated.extend(named);
        }
    }

    /// Whether another node may have the name of this one.
    pub(super) fn has(&self, node: &Entered) -> bool {
        // No list of names: what is computed may be any.
        self.computed.contains(&node.kind)
            || node.name.as_ref().is_some_and(|name| {
                let key = (node.kind, name.clone());
                self.repeated.contains(&key)
            })
    }
}

/// The node that begins at a place.
pub(super) fn entered(module: &Module, function: &Function, at: Cursor) -> Option<Entered> {
    let (kind, name) = named_at(function, at)?;
    let name = known_as(module, function, at, kind, name);
    Some(Entered { kind, name })
}

/// The kind and the name, as it is given, of the node that begins at a place.
pub(super) fn named_at(function: &Function, at: Cursor) -> Option<(NodeKind, &Operand)> {
    let Item::Instruction(Instruction::Runtime {
        call: RuntimeCall::node_enter,
        arguments,
        ..
    }) = item(function, at)
    else {
        return None;
    };
    let [Operand::Word(kind), name, ..] = &arguments[..] else {
        return None;
    };
    let kind = NodeKind::ALL.into_iter().find(|it| *it as u64 == *kind)?;
    Some((kind, name))
}

/// The name by which runs know a node that begins here, where it is a constant.
fn known_as(
    module: &Module,
    function: &Function,
    at: Cursor,
    kind: NodeKind,
    name: &Operand,
) -> Option<String> {
    let block = function.blocks[at.block].instructions[..at.index].iter();
    // Its earlier name is given just before, and is of no other node.
    let calls = block.enumerate().rev().filter_map(|(index, it)| {
        if let Instruction::Runtime {
            call, arguments, ..
        } = it
        {
            return Some((index, *call, arguments));
        }
        None
    });
    let mut of_nodes = calls
        .filter(|(_, call, _)| matches!(call, RuntimeCall::node_was | RuntimeCall::node_enter));
    let was = of_nodes.next();
    if let Some((index, RuntimeCall::node_was, arguments)) = was {
        let at = Cursor {
            block: at.block,
            index,
        };
        return text_of(module, function, at, arguments.first()?).map(str::to_owned);
    }
    let name = text_of(module, function, at, name)?;
    Some(identity(&module.program, kind, name))
}
