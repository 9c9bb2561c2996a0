//! Workflows that no client may call: a client's input is written by a model, and they let it reach a `trusted` place.

use gsw_abi::program::{Program, Workflow};

use crate::arguments::same_name;
use crate::say::say;

/// Whether clients may choose all its parameters.
pub(super) fn is_open(workflow: &Workflow) -> bool {
    workflow.guarded.is_empty()
}

/// Says once which workflows are not offered.
pub(super) fn report(program: &Program) {
    for why in program.workflows.iter().filter_map(why_closed) {
        say(&format!("warning: {why}"));
    }
}

/// Why there is nothing of this name for a client, where that is because a workflow is not offered.
pub(super) fn why_not(program: &Program, name: &str) -> Option<String> {
    let mut named = program.workflows.iter();
    why_closed(named.find(|it| same_name(&it.name, name))?)
}

/// Why no client may call it, if that is so.
pub(super) fn why_closed(workflow: &Workflow) -> Option<String> {
    let first = workflow.guarded.first()?;
    let (name, parameter) = (&workflow.name, &first.parameter);
    let takes = match &first.place {
        Some(place) => format!("comes to {place}, which takes only what is `trusted`"),
        None => "is `trusted`".to_owned(),
    };
    Some(format!(
        "`{name}` is not offered to clients: its parameter `{parameter}` {takes}, and what a client gives was written by a model; \
         look the value up, let a `human` give it, or vouch for it with `trust({parameter}, \"why\")`"
    ))
}
