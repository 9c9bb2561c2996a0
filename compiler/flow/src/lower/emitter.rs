//! Operations on operands of concrete types: calls with their error edges, constants, and all that needs the program's tables.

use std::ops::{Deref, DerefMut};

use gsw_abi::builtin;
use gsw_abi::call::{CallKind, RuntimeCall};
use gsw_abi::program::{Colour, FunctionIndex, SpanIndex};
use gsw_abi::types::TypeId;
use gsw_names::substitute;
use gsw_names::types::Type;
use gsw_source::Span;

use crate::instance::BodyInstance;
use crate::ir::{
    BlockId, Checked, Constant, Function, Handler, Instruction, LocalId, Operand, Terminator,
};
use crate::lower::Lowering;
use crate::lower::code::{Code, Landing};
use crate::lower::region::Region;

/// Writes operations whose operands are there. Knows no body and no variable of the source: what evaluates an expression is
/// the [`crate::lower::builder::Builder`]'s.
pub(crate) struct Emitter<'l, 'v> {
    /// The program that the function belongs to.
    pub program: &'l mut Lowering<'v>,
    /// What the function is an instance of.
    pub owner: BodyInstance,
    /// The source position of the code that is being emitted.
    pub span: Span,
    code: Code,
    /// What is open around the code that is being written, from the outside in.
    regions: Vec<Region>,
    /// Where errors leave the function, when some do.
    failure: Option<Landing>,
}

impl Deref for Emitter<'_, '_> {
    type Target = Code;

    fn deref(&self) -> &Code {
        &self.code
    }
}

impl DerefMut for Emitter<'_, '_> {
    fn deref_mut(&mut self) -> &mut Code {
        &mut self.code
    }
}

impl<'l, 'v> Emitter<'l, 'v> {
    pub fn new(program: &'l mut Lowering<'v>, owner: BodyInstance, span: Span) -> Self {
        Self {
            program,
            owner,
            span,
            code: Code::new(),
            regions: Vec::new(),
            failure: None,
        }
    }

    pub fn finish(mut self, colour: Colour) -> Function {
        if let Some(landing) = self.failure {
            // Written at the end, when it is known whether anything in the function can raise at all.
            self.start(landing.block);
            self.end(Terminator::Raise(landing.error));
        }
        let span = self.span_index(self.span);
        self.code.finish(colour, span)
    }

    /// Opens a region around what is written from here on.
    pub fn open(&mut self, region: Region) {
        self.regions.push(region);
    }

    pub fn close(&mut self) -> Option<Region> {
        self.regions.pop()
    }

    /// What is open, from the outside in.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// Opens what was open before again.
    pub fn reopen(&mut self, regions: Vec<Region>) {
        self.regions = regions;
    }

    /// Ends the current block with what continues in a fresh block or raises, and starts that block.
    pub fn raising(&mut self, make: impl FnOnce(BlockId, Handler) -> Terminator) {
        let next = self.block();
        // Asked for before the block ends: the handler's landing may have to be made, and belongs to the regions that are open now.
        let handler = self.handler();
        self.end(make(next, handler));
        self.start(next);
    }

    pub fn text(&mut self, text: &str) -> Operand {
        self.constant(
            builtin::STRING,
            Constant::String {
                ty: builtin::STRING,
                text: text.to_owned(),
            },
        )
    }

    pub fn constant(&mut self, ty: TypeId, constant: Constant) -> Operand {
        let constant = self.program.constant(constant);
        let to = self.local(ty);
        self.emit(Instruction::Constant { to, constant });
        Operand::Local(to)
    }

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

    /// A runtime call of any kind; all parameters of the row are given.
    pub fn runtime(&mut self, ty: TypeId, call: RuntimeCall, arguments: Vec<Operand>) -> Operand {
        let to = self.local(ty);
        match call.kind() {
            // Plain calls stay inside of a block. The others end it, since control may go elsewhere from there.
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
        // The landing is that of the innermost region; the span becomes an entry of the backtrace when the edge is taken.
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
        // One block raises for the whole function: an error edge is a store and a jump, however many calls can fail.
        if let Some(landing) = self.failure {
            return landing;
        }
        let landing = self.new_landing();
        self.failure = Some(landing);
        landing
    }

    /// Hands an error on, as it is, to where errors go from here.
    pub fn pass_on(&mut self, error: LocalId) {
        let landing = self.landing();
        // A move: the error is not used here any more, so it is not counted up on its way out.
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

    pub fn span_index(&mut self, span: Span) -> SpanIndex {
        self.program.span(self.owner.item, span)
    }
}

/// A type id as a word.
pub(crate) fn type_word(ty: TypeId) -> Operand {
    Operand::Word(u64::from(ty.0))
}
