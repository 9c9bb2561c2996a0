//! Proves that a module keeps the rules of Flow. On in every test and every debug build.
//!
//! - Every block target, local, function, constant and span that is named exists.
//! - A local is written before it is read, on every path.
//! - A counted local owns its value from where it is written to exactly one consuming use, on every path: nothing is
//!   consumed twice, written over while it owns, or left owned where the function ends.
//! - All paths into a block agree on what is owned.
//! - A move keeps the representation: counted to counted, inline to inline.
//! - A call gives as many arguments as the function or the row of the table has parameters; a runtime call occurs where its
//!   kind belongs: plain in an instruction, raising and waiting in their terminators.
//! - A plain function holds no `Suspend` and calls no resumable function; a frame is one of a resumable function.

mod definition;
mod ownership;
mod shape;

use crate::ir::{Function, Module};

/// What is wrong, one sentence each; empty for a sound module.
#[must_use]
pub fn verify(module: &Module) -> Vec<String> {
    let mut problems = Vec::new();
    if module.functions.len() != module.program.functions.len() {
        problems.push("the table of functions and the code differ in length".to_owned());
        return problems;
    }
    for (function, entry) in module.functions.iter().zip(&module.program.functions) {
        let found = verify_function(module, function);
        problems.extend(found.into_iter().map(|it| format!("{}: {it}", entry.name)));
    }
    problems
}

fn verify_function(module: &Module, function: &Function) -> Vec<String> {
    let problems = shape::problems(module, function);
    if !problems.is_empty() {
        // The other checks index by what the shape names.
        return problems;
    }
    let mut problems = definition::problems(function);
    problems.extend(ownership::problems(function, &module.program.types));
    problems
}
