//! Whether every local is written before it is read.

use crate::ir::{Function, LocalId};
use crate::passes::liveness::{LocalSet, live_at_start};

/// Reads of locals that some path does not write before: those that are live where the function starts.
pub fn problems(function: &Function) -> Vec<String> {
    let mut all = LocalSet::new(function.locals.len());
    for local in 0..function.locals.len() {
        all.insert(LocalId(local as u32));
    }
    // Over all locals, counted or not: what is live at the entry is read on some path before it is written.
    live_at_start(function, &all)[0]
        .iter()
        .filter(|it| it.0 >= function.parameters)
        .map(|it| format!("{it:?} may be read before it is written"))
        .collect()
}
