//! Whether everything that is named exists and is where it may be.

use gsw_abi::call::{CallKind, RuntimeCall};
use gsw_abi::program::{Colour, FunctionIndex};

use crate::ir::{Function, Instruction, LocalId, Module, Operand, Terminator};
use crate::role::{edges, instruction_operands, instruction_written, terminator_operands};

/// What is named and does not exist, or is where it may not be.
pub fn problems(module: &Module, function: &Function) -> Vec<String> {
    let mut check = Check {
        module,
        function,
        problems: Vec::new(),
    };
    if function.blocks.is_empty() {
        return vec!["there is no block".to_owned()];
    }
    for block in &function.blocks {
        for instruction in &block.instructions {
            check.instruction(instruction);
        }
        check.terminator(&block.terminator);
    }
    check.problems
}

struct Check<'a> {
    module: &'a Module,
    function: &'a Function,
    problems: Vec<String>,
}

impl Check<'_> {
    fn expect(&mut self, holds: bool, problem: impl FnOnce() -> String) {
        if !holds {
            self.problems.push(problem());
        }
    }

    fn local(&mut self, local: LocalId) {
        let count = self.function.locals.len();
        self.expect((local.0 as usize) < count, || {
            format!("{local:?} does not exist")
        });
    }

    fn is_counted(&self, local: LocalId) -> bool {
        let local = self.function.locals.get(local.0 as usize);
        local.is_some_and(|it| self.module.program.types.is_reference(it.ty))
    }

    fn instruction(&mut self, instruction: &Instruction) {
        for (operand, _) in instruction_operands(instruction) {
            if let Operand::Local(local) = operand {
                self.local(local);
            }
        }
        if let Some(written) = instruction_written(instruction) {
            self.local(written);
        }
        match instruction {
            Instruction::Constant { constant, .. } => {
                let exists = (constant.0 as usize) < self.module.constants.len();
                self.expect(exists, || format!("{constant:?} does not exist"));
            }
            Instruction::Move { to, from } => {
                let same = self.is_counted(*to) == self.is_counted(*from);
                self.expect(same, || {
                    format!("the move {from:?} to {to:?} changes the representation")
                });
            }
            // Its arguments come with the call, so only its existence can be checked here.
            Instruction::Closure { function, .. } => {
                self.callee(*function, None);
            }
            Instruction::Frame {
                function,
                arguments,
                ..
            } => {
                // A plain function keeps its locals on the native stack, so there is no frame to make.
                if let Some(colour) = self.callee(*function, Some(arguments.len())) {
                    self.expect(colour == Colour::Resumable, || {
                        "a frame of a plain function".to_owned()
                    });
                }
            }
            Instruction::Runtime {
                call, arguments, ..
            } => self.runtime(*call, arguments.len(), CallKind::Plain),
            Instruction::Word { .. }
            | Instruction::Operation { .. }
            | Instruction::Object { .. }
            | Instruction::Load { .. }
            | Instruction::Capture { .. }
            | Instruction::LoadExtra { .. }
            | Instruction::LoadType { .. }
            | Instruction::CellNew { .. }
            | Instruction::CellGet { .. }
            | Instruction::CellTake { .. }
            | Instruction::CellSet { .. }
            | Instruction::Retain(_)
            | Instruction::Release(_) => {}
        }
    }

    fn terminator(&mut self, terminator: &Terminator) {
        for (operand, _) in terminator_operands(terminator) {
            if let Operand::Local(local) = operand {
                self.local(local);
            }
        }
        for edge in edges(terminator) {
            let exists = (edge.target.0 as usize) < self.function.blocks.len();
            self.expect(exists, || format!("{:?} does not exist", edge.target));
            if let Some(written) = edge.written {
                self.local(written);
            }
        }
        match terminator {
            Terminator::Call {
                function,
                arguments,
                ..
            } => {
                let colour = self.callee(*function, Some(arguments.len()));
                let waits = colour == Some(Colour::Resumable);
                // Colours come from the analysis, code from lowering; here both are held against each other.
                self.expect(!waits || self.function.colour == Colour::Resumable, || {
                    format!("a plain function calls {function:?}, which can wait")
                });
            }
            Terminator::Runtime {
                call, arguments, ..
            } => self.runtime(*call, arguments.len(), CallKind::Raising),
            Terminator::Suspend {
                call, arguments, ..
            } => {
                self.runtime(*call, arguments.len(), CallKind::Waiting);
                self.expect(self.function.colour == Colour::Resumable, || {
                    format!("a plain function waits in `{}`", call.name())
                });
            }
            // The code of a function value is known only when the program runs.
            Terminator::CallValue { .. }
            | Terminator::Jump(_)
            | Terminator::Loop { .. }
            | Terminator::Branch { .. }
            | Terminator::Switch { .. }
            | Terminator::Return(_)
            | Terminator::Raise(_)
            | Terminator::Checked { .. }
            | Terminator::Fault { .. }
            | Terminator::Unreachable => {}
        }
    }

    fn callee(&mut self, function: FunctionIndex, arguments: Option<usize>) -> Option<Colour> {
        let Some(callee) = self.module.functions.get(function.0 as usize) else {
            self.problems.push(format!("{function:?} does not exist"));
            return None;
        };
        if let Some(arguments) = arguments {
            let fits = arguments == callee.parameters as usize;
            self.expect(fits, || {
                format!(
                    "{arguments} arguments for {function:?}, which takes {}",
                    callee.parameters
                )
            });
        }
        Some(callee.colour)
    }

    fn runtime(&mut self, call: RuntimeCall, arguments: usize, place: CallKind) {
        self.expect(call.kind() == place, || {
            format!(
                "`{}` is {:?} and stands where {place:?} belongs",
                call.name(),
                call.kind()
            )
        });
        self.expect(arguments == call.parameters().len(), || {
            format!("{arguments} arguments for `{}`", call.name())
        });
    }
}
