//! The function that is being written: locals, blocks, and the few ways to add to them.

use std::sync::Arc;

use gsw_abi::builtin;
use gsw_abi::call::{CallKind, Parameter, RuntimeCall};
use gsw_abi::program::{Colour, FunctionIndex, SpanIndex};
use gsw_abi::types::TypeId;
use gsw_semantics::hir::{self, Body, ExpressionId};
use gsw_semantics::substitute;
use gsw_semantics::types::Type;
use gsw_source::Span;
use rustc_hash::FxHashMap;

use crate::instance::BodyInstance;
use crate::ir::{
    Block, BlockId, Checked, Constant, Function, Handler, Instruction, Local, LocalId, Operand,
    Operation, Terminator,
};
use crate::lower::Lowering;
use crate::lower::assertion::Witness;
use crate::lower::defer::Deferral;
use crate::lower::region::{Landing, Region};

/// Where a variable of the source lives.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Variable {
    /// In a local.
    Local(LocalId),
    /// In a cell that this local holds.
    Cell(LocalId),
}

/// A function on its way.
pub(crate) struct Builder<'l, 'v> {
    /// The program that it belongs to.
    pub program: &'l mut Lowering<'v>,
    /// The body that it is made from.
    pub body: Arc<Body>,
    /// For which types.
    pub owner: BodyInstance,
    /// Plain or resumable.
    pub colour: Colour,
    /// Where the source's variables live.
    pub variables: FxHashMap<hir::LocalId, Variable>,
    /// Locals that hold a variable that may be assigned, with that variable.
    pub assignable: FxHashMap<LocalId, hir::LocalId>,
    /// Variables that several alternatives of a pattern bind, while that pattern is written.
    pub joined: FxHashMap<hir::LocalId, Variable>,
    /// What is open around the code that is being written, from the outside in.
    pub regions: Vec<Region>,
    /// What is known of those of `regions` that are a `defer`.
    pub deferrals: Vec<Deferral>,
    /// Where the code that is being written stands in source.
    pub span: Span,
    /// The parts of the condition of an `assert` that are kept to be shown, while one is written.
    pub witnesses: Option<Vec<Witness>>,
    parameters: u32,
    locals: Vec<Local>,
    blocks: Vec<Block>,
    current: BlockId,
    failure: Option<Landing>,
}

impl<'l, 'v> Builder<'l, 'v> {
    /// An empty function.
    pub fn new(
        program: &'l mut Lowering<'v>,
        body: Arc<Body>,
        owner: BodyInstance,
        colour: Colour,
    ) -> Self {
        let span = body.expression(body.root).span;
        let mut builder = Self {
            program,
            body,
            owner,
            colour,
            variables: FxHashMap::default(),
            assignable: FxHashMap::default(),
            joined: FxHashMap::default(),
            regions: Vec::new(),
            deferrals: Vec::new(),
            span,
            witnesses: None,
            parameters: 0,
            locals: Vec::new(),
            blocks: Vec::new(),
            current: BlockId(0),
            failure: None,
        };
        builder.block();
        builder
    }

    /// The next parameter; all of them are asked for before any other local.
    pub fn parameter(&mut self, ty: TypeId, name: &str) -> LocalId {
        self.parameters += 1;
        self.named_local(ty, name)
    }

    /// The finished function.
    pub fn finish(mut self) -> Function {
        if let Some(landing) = self.failure {
            self.start(landing.block);
            self.end(Terminator::Raise(landing.error));
        }
        let span = self.span_index(self.span);
        Function {
            colour: self.colour,
            parameters: self.parameters,
            locals: self.locals,
            blocks: self.blocks,
            span,
        }
    }

    /// A fresh local.
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
            terminator: Terminator::Unreachable,
        });
        BlockId(self.blocks.len() as u32 - 1)
    }

    /// What is written from here on goes to the end of `block`.
    pub fn start(&mut self, block: BlockId) {
        self.current = block;
    }

    /// Adds an instruction.
    pub fn emit(&mut self, instruction: Instruction) {
        self.blocks[self.current.0 as usize]
            .instructions
            .push(instruction);
    }

    /// Ends the current block; what follows until the next `start` cannot be reached and is dropped later.
    pub fn end(&mut self, terminator: Terminator) {
        self.blocks[self.current.0 as usize].terminator = terminator;
        let unreached = self.block();
        self.start(unreached);
    }

    /// Ends the current block with a jump.
    pub fn jump(&mut self, target: BlockId) {
        self.end(Terminator::Jump(target));
    }

    /// Ends the current block with a test and goes on where it is true.
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

    /// Ends the current block with what goes on in a fresh block or raises, and starts that block.
    pub fn raising(&mut self, make: impl FnOnce(BlockId, Handler) -> Terminator) {
        let next = self.block();
        let handler = self.handler();
        self.end(make(next, handler));
        self.start(next);
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

    /// A string.
    pub fn text(&mut self, text: &str) -> Operand {
        self.constant(
            builtin::STRING,
            Constant::String {
                ty: builtin::STRING,
                text: text.to_owned(),
            },
        )
    }

    /// A constant object.
    pub fn constant(&mut self, ty: TypeId, constant: Constant) -> Operand {
        let constant = self.program.constant(constant);
        let to = self.local(ty);
        self.emit(Instruction::Constant { to, constant });
        Operand::Local(to)
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

    /// Integer arithmetic.
    pub fn checked(
        &mut self,
        ty: TypeId,
        operation: Checked,
        left: Operand,
        right: Operand,
    ) -> Operand {
        let to = self.local(ty);
        self.raising(|next, handler| Terminator::Checked {
            to,
            operation,
            left,
            right,
            next,
            handler,
        });
        Operand::Local(to)
    }

    /// A word of an object.
    pub fn load(&mut self, ty: TypeId, from: LocalId, index: u32) -> Operand {
        let to = self.local(ty);
        self.emit(Instruction::Load { to, from, index });
        Operand::Local(to)
    }

    /// A fresh object.
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

    /// A runtime call of any kind; all parameters of the row are given.
    pub fn runtime(&mut self, ty: TypeId, call: RuntimeCall, arguments: Vec<Operand>) -> Operand {
        let to = self.local(ty);
        match call.kind() {
            CallKind::Plain => self.emit(Instruction::Runtime {
                to: Some(to),
                call,
                arguments,
            }),
            CallKind::Raising => self.raising(|next, handler| Terminator::Runtime {
                to,
                call,
                arguments,
                next,
                handler,
            }),
            CallKind::Waiting => self.raising(|next, handler| Terminator::Suspend {
                to,
                call,
                arguments,
                next,
                handler,
            }),
        }
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
            && arguments.iter().filter(uses).count() == 1;
        if value != Operand::Local(*to) || of != cell || !is_taken {
            return None;
        }
        *read = Instruction::CellTake { to: got, cell };
        Some(*call)
    }

    /// A call of a function.
    pub fn call(
        &mut self,
        ty: TypeId,
        function: FunctionIndex,
        arguments: Vec<Operand>,
    ) -> Operand {
        let to = self.local(ty);
        self.raising(|next, handler| Terminator::Call {
            to,
            function,
            arguments,
            next,
            handler,
        });
        Operand::Local(to)
    }

    /// Where errors raised here go.
    pub fn handler(&mut self) -> Handler {
        let landing = self.landing();
        let span = self.span_index(self.span);
        Handler {
            error: landing.error,
            block: landing.block,
            span,
        }
    }

    /// The innermost place that errors are caught at, which may be the end of the function.
    pub fn landing(&mut self) -> Landing {
        if let Some(landing) = self.regions.iter().rev().find_map(Region::landing) {
            return landing;
        }
        if let Some(landing) = self.failure {
            return landing;
        }
        let landing = self.new_landing();
        self.failure = Some(landing);
        landing
    }

    /// A place that errors can be caught at.
    pub fn new_landing(&mut self) -> Landing {
        Landing {
            error: self.local(builtin::ERROR),
            block: self.block(),
        }
    }

    /// Hands an error on, as it is, to where errors go from here.
    pub fn pass_on(&mut self, error: LocalId) {
        let landing = self.landing();
        self.store(landing.error, Operand::Local(error));
        self.jump(landing.block);
    }

    /// Raises an error here: it learns the place.
    pub fn raise(&mut self, error: LocalId) {
        let span = self.span_index(self.span);
        self.perform(
            RuntimeCall::error_trace,
            vec![Operand::Local(error), Operand::Word(u64::from(span.0))],
        );
        self.pass_on(error);
    }

    /// A concrete type as a table entry.
    pub fn type_id(&mut self, ty: &Type) -> TypeId {
        self.program.type_id(ty)
    }

    /// The concrete form of a type of this body.
    pub fn concrete(&self, ty: &Type) -> Type {
        substitute(ty, &self.owner.type_arguments)
    }

    /// The concrete type of an expression.
    pub fn type_of(&self, id: ExpressionId) -> Type {
        self.concrete(&self.body.expression(id).ty)
    }

    /// The table entry of an expression's type.
    pub fn type_id_of(&mut self, id: ExpressionId) -> TypeId {
        let ty = self.type_of(id);
        self.type_id(&ty)
    }

    fn span_index(&mut self, span: Span) -> SpanIndex {
        self.program.span(self.owner.item, span)
    }
}

/// A type id as a word.
pub(crate) fn type_word(ty: TypeId) -> Operand {
    Operand::Word(u64::from(ty.0))
}
