//! Whether code can wait: which instances become native functions and which state machines.
//!
//! Idea: waiting is not written in source, and code that never waits must not pay for it. So *colour* is an inferred generic
//! argument: each instance is `Plain`, a native function that runs to its end, or `Resumable`, a state machine over a frame on
//! the heap that can be left at every wait. A function that takes functions is compiled once for each colour of its arguments:
//!
//! ```text
//! prices.map(x => x * 2)              // `map` for plain arguments: a native loop
//! files.map(f => find_bugs(f))        // `find_bugs` asks a model: `map` again, resumable
//! ```
//!
//! The checker has solved this (`Waits`, a fixpoint over calls and values): a body or a lambda waits always, never, or with its
//! function-typed arguments, and so do the functions that a call is given to call.
//!
//! Invariants:
//!
//! - a plain function holds no `Suspend` and calls no resumable function ([`crate::verify`] proves it for the functions that are
//!   known); a function value that it is given is plain, since otherwise it would be another instance;
//! - every answer comes from the summaries. A second opinion here, however careful, would be wrong: an instance for waiting
//!   arguments gives closures that wait, which code that the summaries call plain cannot call.
//!
//! Making a closure or a task does not wait; running it may, and that is the concern of its own instance.

use gsw_abi::call::CallKind;
use gsw_analysis::Waits;
use gsw_infer::hir::{Body, ExpressionId};
use gsw_source::{ItemId, ItemKind};

use crate::program_view::ProgramView;

/// Whether the function values that an instance was given as arguments wait.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ArgumentsWait {
    No,
    /// Some do, or it is not known.
    Yes,
}

/// Whether calling the lambda that `id` makes can wait.
pub fn lambda_waits(
    view: &dyn ProgramView,
    body: &Body,
    id: ExpressionId,
    arguments: ArgumentsWait,
) -> bool {
    match view.lambda_waits(body.item, body.part, (id, 0)) {
        Some(Waits::Always) => true,
        Some(Waits::WithArguments) => arguments == ArgumentsWait::Yes,
        Some(Waits::Never) => false,
        // No summary: nothing is known, and a frame can do all that a plain function can.
        None => true,
    }
}

/// Whether a call of `item` can wait; for intrinsics the table of runtime calls says it.
pub fn item_waits(view: &dyn ProgramView, item: ItemId) -> Waits {
    if let Some(call) = view.signature(item).intrinsic {
        return match call.kind() {
            CallKind::Waiting => Waits::Always,
            CallKind::Plain | CallKind::Raising => Waits::Never,
        };
    }
    match item.kind(view.db()) {
        ItemKind::Workflow
        | ItemKind::Tool
        | ItemKind::Prompt
        | ItemKind::Human
        | ItemKind::External
        | ItemKind::Test => Waits::Always,
        ItemKind::Function | ItemKind::Mcp => view.waits(item),
        ItemKind::Import
        | ItemKind::Record
        | ItemKind::Alias
        | ItemKind::Enum
        | ItemKind::Error
        | ItemKind::Const
        | ItemKind::Agent
        | ItemKind::Hook
        | ItemKind::Skill
        | ItemKind::Permissions
        | ItemKind::Invalid => Waits::Never,
    }
}
