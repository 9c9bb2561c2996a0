//! What is open around the code that is being written, and how it is left.

use gsw_abi::builtin;
use gsw_abi::call::RuntimeCall;
use gsw_names::types::Type;

use crate::ir::{BlockId, LocalId, Operand, Terminator};
use crate::lower::builder::Builder;
use crate::lower::code::Landing;
use crate::lower::defer::Exit;
use crate::lower::emitter::Emitter;

/// How the innermost loop is left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LoopExit {
    Break,
    Continue,
}

/// What a node's output is when it is left by `return`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ReturnOutput {
    /// The returned value: the node is the function's own.
    Returned,
    /// The result of a tool with a key: further calls with that key are given it.
    Kept,
    /// Nothing: the node is a step that is left half-way.
    Nothing,
}

/// Where `break` or `continue` goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LoopTarget {
    /// How many regions stay open.
    pub depth: usize,
    pub block: BlockId,
}

/// Something open around the code that is being written.
#[derive(Clone, Debug)]
pub(crate) enum Region {
    Loop {
        /// Where `break` goes.
        leave: BlockId,
        /// Where `continue` goes.
        next: BlockId,
    },
    /// Errors are caught, nothing else is to be done.
    Catch(Landing),
    /// A node of the run's tree.
    Node {
        landing: Landing,
        /// What it gives when it is left by `return`.
        output: ReturnOutput,
    },
    /// The tasks of the current node are awaited where this is left.
    Join,
    Timeout {
        scope: LocalId,
        landing: Landing,
    },
    Budget {
        scope: LocalId,
        landing: Landing,
    },
    /// A `defer` that is to run.
    Defer {
        /// Its place among those that are open.
        deferral: usize,
        /// Where errors go before they are raised further.
        landing: Landing,
    },
    /// The code of a `defer`.
    Deferred(Landing),
}

impl Region {
    /// Where errors inside go, when they are caught here.
    pub fn landing(&self) -> Option<Landing> {
        match self {
            Self::Loop { .. } | Self::Join => None,
            Self::Catch(landing)
            | Self::Node { landing, .. }
            | Self::Timeout { landing, .. }
            | Self::Budget { landing, .. }
            | Self::Defer { landing, .. }
            | Self::Deferred(landing) => Some(*landing),
        }
    }

    /// What it gives when it is left by `return`; `None` when it is no node.
    fn output(&self) -> Option<ReturnOutput> {
        match self {
            Self::Node { output, .. } => Some(*output),
            Self::Loop { .. }
            | Self::Catch(_)
            | Self::Join
            | Self::Timeout { .. }
            | Self::Budget { .. }
            | Self::Defer { .. }
            | Self::Deferred(_) => None,
        }
    }
}

impl Builder<'_, '_> {
    /// `return value`: leaves everything that is open.
    pub fn leave_function(&mut self, value: Operand, ty: &Type) {
        if self.has_defer() {
            self.return_through_defers(value, ty);
            return;
        }
        let value = if self.regions().is_empty() {
            value
        } else {
            // What is left on the way may assign the variable that is returned.
            let id = self.type_id(ty);
            Operand::Local(self.copy(value, id))
        };
        self.leave_all((value, ty));
    }

    /// Whether a `defer` is open.
    pub fn has_defer(&self) -> bool {
        self.regions()
            .iter()
            .any(|it| matches!(it, Region::Defer { .. }))
    }

    /// `break`, `continue`: leaves what is open inside the innermost loop and continues.
    pub fn leave_loop(&mut self, exit: LoopExit) -> Operand {
        let innermost = self
            .regions()
            .iter()
            .rposition(|it| matches!(it, Region::Loop { .. }));
        let Some(depth) = innermost else {
            // The checker has reported a `break` outside of a loop.
            return self.unreachable();
        };
        let Region::Loop { leave, next } = self.regions()[depth] else {
            return self.unreachable();
        };
        let block = match exit {
            LoopExit::Break => leave,
            LoopExit::Continue => next,
        };
        self.leave_to_loop(LoopTarget {
            depth: depth + 1,
            block,
        });
        Operand::Word(0)
    }

    /// Writes the way out of the function: what is to be done where the regions are left by `return`, up to the first `defer`,
    /// whose code continues from there. They stay open for what is written after.
    pub fn leave_all(&mut self, returned: (Operand, &Type)) {
        let open = self.regions().to_vec();
        // Closed one by one while their code is written, so that an error on the way out goes to the regions further out.
        while let Some(region) = self.close() {
            if let Region::Defer { deferral, .. } = region {
                self.leave_by_defer(deferral, Exit::Return);
                self.reopen(open);
                return;
            }
            self.leave(&region, Some(returned));
        }
        self.end(Terminator::Return(returned.0));
        self.reopen(open);
    }

    /// Writes the way to a loop: what is to be done where the regions in between are left, up to the first `defer`, whose code
    /// continues from there. The regions stay open for what is written after.
    pub fn leave_to_loop(&mut self, exit: LoopTarget) {
        let open = self.regions().to_vec();
        while self.regions().len() > exit.depth {
            let Some(region) = self.close() else {
                break;
            };
            if let Region::Defer { deferral, .. } = region {
                // The rest of the way is written where the shared code of that `defer` ends.
                self.leave_by_defer(deferral, Exit::Loop(exit));
                self.reopen(open);
                return;
            }
            self.leave(&region, None);
        }
        self.jump(exit.block);
        self.reopen(open);
    }

    /// Writes what is to be done where one region is left on a normal way; it is not open any more.
    fn leave(&mut self, region: &Region, returned: Option<(Operand, &Type)>) {
        match region {
            // The way that leaves a `defer` decides how its code continues.
            Region::Loop { .. } | Region::Catch(_) | Region::Deferred(_) | Region::Defer { .. } => {
            }
            // A function's own node ends normally by `return`; a step that is left half-way cancels its tasks.
            Region::Join => match (returned, self.enclosing_output()) {
                (Some(_), ReturnOutput::Returned | ReturnOutput::Kept) => self.join_tasks(),
                (Some(_), ReturnOutput::Nothing) | (None, _) => {
                    self.runtime(builtin::UNIT, RuntimeCall::node_abort, Vec::new());
                }
            },
            Region::Timeout { scope, .. } => {
                self.perform(RuntimeCall::timeout_leave, vec![Operand::Local(*scope)]);
            }
            Region::Budget { scope, .. } => {
                self.perform(RuntimeCall::budget_leave, vec![Operand::Local(*scope)]);
            }
            Region::Node { output, .. } => {
                let value = match (output, returned) {
                    (ReturnOutput::Nothing, _) | (_, None) => Operand::Word(0),
                    (output, Some((value, ty))) => {
                        self.keep_result(*output, value, ty);
                        self.output_json(value, ty)
                    }
                };
                self.perform(RuntimeCall::node_complete, vec![value]);
            }
        }
    }
}

impl Emitter<'_, '_> {
    /// What the innermost open node gives when it is left by `return`.
    pub fn enclosing_output(&self) -> ReturnOutput {
        let output = self.regions().iter().rev().find_map(Region::output);
        output.unwrap_or(ReturnOutput::Nothing)
    }

    /// Waits for the tasks of the current node.
    pub fn join_tasks(&mut self) {
        self.runtime(builtin::UNIT, RuntimeCall::node_join, Vec::new());
    }
}
