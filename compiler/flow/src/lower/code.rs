//! The code of one function while it is written: its locals, its blocks, and where the next instruction goes.

use gsw_abi::builtin;
use gsw_abi::call::{Parameter, RuntimeCall};
use gsw_abi::program::{Colour, SpanIndex};
use gsw_abi::types::TypeId;

use crate::ir::{
    Block, BlockId, Function, Instruction, Local, LocalId, Operand, Operation, Terminator,
};

/// A place that errors are caught at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Landing {
    pub error: LocalId,
    pub block: BlockId,
}

/// Where branches meet, with the local that their values go into.
#[derive(Clone, Copy)]
pub(crate) struct Join {
    block: BlockId,
    result: Option<LocalId>,
}

/// Locals, blocks and a cursor. Knows neither the program nor the source: it is given ids.
pub(crate) struct Code {
    parameters: u32,
    locals: Vec<Local>,
    blocks: Vec<Block>,
    current: BlockId,
}

impl Code {
    /// One empty block, in which the code starts.
    pub fn new() -> Self {
        let mut code = Self {
            parameters: 0,
            locals: Vec::new(),
            blocks: Vec::new(),
            current: BlockId(0),
        };
        code.block();
        code
    }

    /// The function that was written.
    pub fn finish(self, colour: Colour, span: SpanIndex) -> Function {
        Function {
            colour,
            parameters: self.parameters,
            locals: self.locals,
            blocks: self.blocks,
            span,
        }
    }

    /// The next parameter; all of them are asked for before any other local.
    pub fn parameter(&mut self, ty: TypeId, name: &str) -> LocalId {
        // Parameters are the first locals because the caller fills them by position.
        self.parameters += 1;
        self.named_local(ty, name)
    }

    pub fn local(&mut self, ty: TypeId) -> LocalId {
        self.locals.push(Local { ty, name: None });
        LocalId(self.locals.len() as u32 - 1)
    }

    /// A fresh local that shows as a variable of the source.
    pub fn named_local(&mut self, ty: TypeId, name: &str) -> LocalId {
        let local = self.local(ty);
        self.name_local(local, name);
        local
    }

    /// Shows `local` as a variable of the source, unless it already is one.
    pub fn name_local(&mut self, local: LocalId, name: &str) {
        let known = &mut self.locals[local.0 as usize].name;
        if known.is_none() && !name.is_empty() && name != "_" {
            *known = Some(name.to_owned());
        }
    }

    /// The type of a local.
    pub fn local_type(&self, local: LocalId) -> TypeId {
        self.locals[local.0 as usize].ty
    }

    /// A fresh block, to be started later.
    pub fn block(&mut self) -> BlockId {
        self.blocks.push(Block {
            instructions: Vec::new(),
            // Until the block is ended; a block that never is was never reached.
            terminator: Terminator::Unreachable,
        });
        BlockId(self.blocks.len() as u32 - 1)
    }

    /// What is written from here on goes to the end of `block`.
    pub fn start(&mut self, block: BlockId) {
        self.current = block;
    }

    pub fn emit(&mut self, instruction: Instruction) {
        self.blocks[self.current.0 as usize]
            .instructions
            .push(instruction);
    }

    /// Ends the current block; what follows until the next `start` cannot be reached and is dropped later.
    pub fn end(&mut self, terminator: Terminator) {
        self.blocks[self.current.0 as usize].terminator = terminator;
        // A fresh block, so that code after a `return` has somewhere to go; `prune` drops it.
        let unreached = self.block();
        self.start(unreached);
    }

    /// The value of code that the checker lets no program reach: running into it stops the run instead of continuing
    /// wrongly.
    pub fn unreachable(&mut self) -> Operand {
        self.end(Terminator::Unreachable);
        Operand::Word(0)
    }

    /// Ends the current block with a jump.
    pub fn jump(&mut self, target: BlockId) {
        self.end(Terminator::Jump(target));
    }

    /// Ends the current block with a test and continues where it is true.
    pub fn require(&mut self, condition: Operand, otherwise: BlockId) {
        let then = self.block();
        self.branch(condition, then, otherwise);
        self.start(then);
    }

    /// Ends the current block with a test.
    pub fn branch(&mut self, condition: Operand, then: BlockId, otherwise: BlockId) {
        self.end(Terminator::Branch {
            condition,
            then,
            otherwise,
        });
    }

    /// Puts an operand into a local that is already there.
    pub fn store(&mut self, to: LocalId, value: Operand) {
        self.emit(match value {
            Operand::Local(from) => Instruction::Move { to, from },
            Operand::Word(word) => Instruction::Word { to, word },
        });
    }

    /// A local that holds the operand: the operand's own, or a fresh one of type `ty`.
    pub fn held(&mut self, value: Operand, ty: TypeId) -> LocalId {
        match value {
            // No copy: code that needs a value that later assignments leave alone calls `copy`.
            Operand::Local(local) => local,
            Operand::Word(_) => self.copy(value, ty),
        }
    }

    /// A fresh local of type `ty` with the operand's value.
    pub fn copy(&mut self, value: Operand, ty: TypeId) -> LocalId {
        let local = self.local(ty);
        self.store(local, value);
        local
    }

    /// An operation that cannot raise.
    pub fn operation(
        &mut self,
        ty: TypeId,
        operation: Operation,
        left: Operand,
        right: Operand,
    ) -> Operand {
        let to = self.local(ty);
        self.emit(Instruction::Operation {
            to,
            operation,
            left,
            right,
        });
        Operand::Local(to)
    }

    /// A word of an object.
    pub fn load(&mut self, ty: TypeId, from: LocalId, index: u32) -> Operand {
        let to = self.local(ty);
        self.emit(Instruction::Load { to, from, index });
        Operand::Local(to)
    }

    pub fn object(&mut self, ty: TypeId, extra: u32, fields: Vec<Operand>) -> Operand {
        let to = self.local(ty);
        self.emit(Instruction::Object {
            to,
            ty,
            extra,
            fields,
        });
        Operand::Local(to)
    }

    /// A plain runtime call whose result is of no use.
    pub fn perform(&mut self, call: RuntimeCall, arguments: Vec<Operand>) {
        self.emit(Instruction::Runtime {
            to: None,
            call,
            arguments,
        });
    }

    /// When `value` is what a plain call at the end of this block gives, and that call takes over what was read of `cell` before
    /// it, the value is taken out of the cell instead, for the `CellSet` that follows; gives the call.
    pub fn take_for_last_call(&mut self, cell: LocalId, value: Operand) -> Option<RuntimeCall> {
        let instructions = &mut self.blocks[self.current.0 as usize].instructions;
        // Only the last two instructions are looked at. Between the read and the call nothing can then see the cell empty, and the
        // call is plain, so it cannot raise.
        let (last, before) = instructions.split_last_mut()?;
        let Instruction::Runtime {
            to: Some(to),
            call,
            arguments,
        } = last
        else {
            return None;
        };
        let read = before.last_mut()?;
        let Instruction::CellGet { to: got, cell: of } = *read else {
            return None;
        };
        let uses = |it: &&Operand| **it == Operand::Local(got);
        let position = arguments.iter().position(|it| uses(&it))?;
        let is_taken = call.parameters()[position] == Parameter::Own
            // `xs = xs + xs` needs the value twice, so it is not alone and is copied.
            && arguments.iter().filter(uses).count() == 1;
        // Another cell or another result: then what is assigned does not replace what was read.
        if value != Operand::Local(*to) || of != cell || !is_taken {
            return None;
        }
        *read = Instruction::CellTake { to: got, cell };
        Some(*call)
    }

    /// A place that errors can be caught at.
    pub fn new_landing(&mut self) -> Landing {
        Landing {
            error: self.local(builtin::ERROR),
            block: self.block(),
        }
    }

    /// A place for branches to meet with values of this type.
    pub fn join(&mut self, ty: TypeId) -> Join {
        Join {
            block: self.block(),
            // `()` has no value to carry, and branches of it may give whatever they like.
            result: (ty != builtin::UNIT).then(|| self.local(ty)),
        }
    }

    /// Ends a branch with its value.
    pub fn deliver(&mut self, join: Join, value: Operand) {
        if let Some(result) = join.result {
            self.store(result, value);
        }
        self.jump(join.block);
    }

    /// Continues where the branches meet.
    pub fn joined_value(&mut self, join: Join) -> Operand {
        self.start(join.block);
        join.result.map_or(Operand::Word(0), Operand::Local)
    }

    pub fn count_up(&mut self, counter: LocalId) {
        let (now, one) = (Operand::Local(counter), Operand::Word(1));
        let next = self.operation(builtin::INT, Operation::IntAddUnchecked, now, one);
        self.store(counter, next);
    }
}
