//! Translates one function: its start, its blocks, its locals.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{
    Block, ExtFuncData, ExternalName, FuncRef, Function as CraneliftFunction, InstBuilder,
    JumpTableData, SigRef, UserExternalName, Value,
};
use cranelift_codegen::isa::{CallConv, TargetIsa};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use gsw_abi::builtin::BuiltinError;
use gsw_abi::layout as abi;
use gsw_abi::program::{Colour, FunctionIndex};
use gsw_flow::ir::{self, BlockId, Handler, LocalId, Module, Operand, Terminator};
use gsw_flow::role::{Edge, edges};
use rustc_hash::FxHashMap;

use crate::frame::FramePlan;
use crate::layout;
use crate::place::{Place, places};
use crate::routine::Routine;
use crate::signature::Shape;

/// What the code of a block is made for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// Running: what is done often is emitted inline.
    Fast,
    /// Compiling: routines and runtime calls do all that they can.
    Short,
}

/// A plain function of so few blocks is likely to be called from loops: most lambdas are. A guess.
const FEW_BLOCKS: usize = 6;

/// What all functions of a module share.
pub(crate) struct Shared<'a> {
    pub(crate) module: &'a Module,
    /// Where each constant starts in its section.
    pub(crate) constants: &'a [u64],
    /// By function: whether its record parameter may be 0, because it is the check of a single value.
    pub(crate) value_checks: &'a [bool],
}

/// Translates `function` into `target`, which is empty.
pub(crate) fn translate(
    shared: &Shared<'_>,
    index: FunctionIndex,
    plan: Option<&FramePlan>,
    isa: &dyn TargetIsa,
    target: &mut CraneliftFunction,
    builders: &mut FunctionBuilderContext,
) {
    let function = &shared.module.functions[index.0 as usize];
    let convention = isa.default_call_conv();
    let shape = Shape::of_function(function.colour, function.parameters as usize);
    target.signature = shape.signature(convention);
    let mut builder = FunctionBuilder::new(target, builders);
    let places = places(function, plan, &mut builder);
    let blocks = function
        .blocks
        .iter()
        .map(|_| builder.create_block())
        .collect();
    let entry = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    builder.seal_block(entry);
    let words = builder.block_params(entry).to_vec();
    let mut translator = Translator {
        builder,
        shared,
        function,
        frame: plan.map(|plan| (words[1], plan)),
        context: words[0],
        places,
        blocks,
        missing: count_edges(function),
        resume_blocks: FxHashMap::default(),
        leave: None,
        form: Form::Short,
        convention,
        routines: FxHashMap::default(),
        shapes: FxHashMap::default(),
        callees: FxHashMap::default(),
        nullable: shared.value_checks[index.0 as usize],
    };
    translator.start(&words);
    translator.bodies();
    // Last: it has as many predecessors as there are waits.
    translator.fill_leave_block();
    // Blocks that nothing leads to are still open.
    translator.builder.seal_all_blocks();
    translator.builder.finalize(isa.frontend_config());
}

/// The state of translating one function.
pub(crate) struct Translator<'a, 'b> {
    pub(crate) builder: FunctionBuilder<'b>,
    pub(crate) shared: &'a Shared<'a>,
    pub(crate) function: &'a ir::Function,
    /// Of a function that can wait: its frame and the plan of it.
    pub(crate) frame: Option<(Value, &'a FramePlan)>,
    pub(crate) context: Value,
    /// By the block that waits: where it resumes.
    pub(crate) resume_blocks: FxHashMap<BlockId, Block>,
    /// The block that returns `WAITING`, once there is one.
    pub(crate) leave: Option<Block>,
    /// Whether any reference of this function may be 0.
    pub(crate) nullable: bool,
    /// What the code of the current block is made for.
    pub(crate) form: Form,
    /// How native code is called.
    pub(crate) convention: CallConv,
    /// The routines that it calls.
    pub(crate) routines: FxHashMap<Routine, FuncRef>,
    /// By local.
    places: Vec<Place>,
    blocks: Vec<Block>,
    /// By block: how many of the edges to it are not translated yet.
    missing: Vec<usize>,
    shapes: FxHashMap<Shape, SigRef>,
    callees: FxHashMap<FunctionIndex, FuncRef>,
}

impl Translator<'_, '_> {
    /// The prologue: takes the parameters, checks the stack, jumps to the block where a frame resumes.
    fn start(&mut self, words: &[Value]) {
        let Some((frame, plan)) = self.frame else {
            for (index, &word) in words[1..].iter().enumerate() {
                self.set(LocalId(index as u32), word);
            }
            self.check_stack();
            self.jump(BlockId(0));
            self.arrived(BlockId(0));
            return;
        };
        let first = self.builder.create_block();
        self.dispatch(frame, plan, first);
        self.enter(first);
        for parameter in (0..self.function.parameters).map(LocalId) {
            if plan.home(parameter).is_none() {
                let slot = abi::slot(parameter.0 as usize);
                let value = layout::load(&mut self.builder, frame, slot);
                self.set(parameter, value);
            }
        }
        self.check_stack();
        self.jump(BlockId(0));
        self.arrived(BlockId(0));
    }

    fn dispatch(&mut self, frame: Value, plan: &FramePlan, first: Block) {
        let mut waits: Vec<_> = plan.waits.iter().collect();
        waits.sort_by_key(|(_, wait)| wait.state);
        if waits.is_empty() {
            self.builder.ins().jump(first, &[]);
            return;
        }
        let mut targets = vec![first];
        for (&block, _) in waits {
            let resume = self.builder.create_block();
            self.resume_blocks.insert(block, resume);
            targets.push(resume);
        }
        let lists = &mut self.builder.func.dfg.value_lists;
        let calls: Vec<_> = targets
            .iter()
            .map(|&target| cranelift_codegen::ir::BlockCall::new(target, [], lists))
            .collect();
        // Dense, because states are numbered from 0. The default is never taken; the start is a safe answer to a broken frame.
        let table = self
            .builder
            .create_jump_table(JumpTableData::new(calls[0], &calls));
        let state = layout::load_narrow(&mut self.builder, frame, abi::FRAME_STATE);
        self.builder.ins().br_table(state, table);
    }

    /// Raises `StackOverflow` when the native stack is used up, or what the run was stopped for: stopping a run also raises
    /// the limit, so that a recursion without loops ends.
    fn check_stack(&mut self) {
        let calls = |block: &ir::Block| {
            matches!(
                block.terminator,
                Terminator::Call { .. } | Terminator::CallValue { .. }
            )
        };
        // A leaf cannot recurse, and below the limit there is room for its frame.
        if !self.function.blocks.iter().any(calls) {
            return;
        }
        let limit = layout::load(&mut self.builder, self.context, abi::CONTEXT_STACK_LIMIT);
        let stack = self.builder.ins().get_stack_pointer(I64);
        let exhausted = self
            .builder
            .ins()
            .icmp(IntCC::UnsignedLessThan, stack, limit);
        let cold = self.cold_block();
        let enough = self.builder.create_block();
        self.builder.ins().brif(exhausted, cold, &[], enough, &[]);
        self.enter(cold);
        self.leave_at_once(enough);
        self.enter(enough);
    }

    /// Gives the parameters back and ends with a fault; continues at `enough` when nothing is to be raised.
    fn leave_at_once(&mut self, enough: Block) {
        let stop = self.builder.create_block();
        let unwind = self.builder.create_block();
        let overflow = self.builder.create_block();
        let end = self.builder.create_block();
        let error = self.builder.append_block_param(end, I64);
        // The limit has two meanings: the stack is used up, or the limit was raised to stop the run. The flag distinguishes them,
        // and was set first; a processor such as aarch64's may have read it before the limit all the same.
        self.builder.ins().fence();
        let stopping = layout::load_narrow(&mut self.builder, self.context, abi::CONTEXT_STOP);
        self.builder.ins().brif(stopping, stop, &[], overflow, &[]);
        self.enter(stop);
        let interruption = self.interruption();
        self.builder
            .ins()
            .brif(interruption, unwind, &[], enough, &[]);
        self.enter(unwind);
        self.trace(interruption, self.function.span);
        self.builder.ins().jump(end, &[interruption.into()]);
        self.enter(overflow);
        let fault = self.fault(BuiltinError::StackOverflow, self.function.span);
        self.builder.ins().jump(end, &[fault.into()]);
        self.enter(end);
        for parameter in (0..self.function.parameters).map(LocalId) {
            // The callee owns its parameters, and none of its code that would release them has run.
            if self.is_reference(parameter) {
                self.release(parameter);
            }
        }
        self.finish_raised(error);
    }

    fn bodies(&mut self) {
        let warm = warm_blocks(self.function);
        let fast = is_fast(self.function);
        for (index, block) in self.function.blocks.iter().enumerate() {
            let target = self.blocks[index];
            if !warm[index] {
                // Error paths are most of the blocks; laid out at the end they do not spread the straight way over more cache lines.
                self.builder.set_cold_block(target);
            }
            self.form = if fast && warm[index] {
                Form::Fast
            } else {
                Form::Short
            };
            self.builder.switch_to_block(target);
            for instruction in &block.instructions {
                self.instruction(instruction);
            }
            self.terminator(BlockId(index as u32), &block.terminator);
            for edge in edges(&block.terminator) {
                // Sealing a block at its last edge, not at the end of the function, lets Cranelift resolve its variables at once.
                self.arrived(edge.target);
            }
        }
    }

    /// Continues in a block of the translation itself, which gets no further jumps: knowing that at once keeps
    /// Cranelift from making parameters of variables and dropping them again.
    pub(crate) fn enter(&mut self, block: Block) {
        self.builder.switch_to_block(block);
        self.builder.seal_block(block);
    }

    /// One of the edges to `block` is there; after the last one the block is sealed.
    fn arrived(&mut self, block: BlockId) {
        let missing = &mut self.missing[block.0 as usize];
        *missing -= 1;
        if *missing == 0 {
            self.builder.seal_block(self.blocks[block.0 as usize]);
        }
    }

    pub(crate) fn get(&mut self, local: LocalId) -> Value {
        match self.places[local.0 as usize] {
            Place::Slot(slot) => {
                let frame = self.own_frame();
                layout::load(&mut self.builder, frame, abi::slot(slot))
            }
            Place::Value(value) => value.expect("a local is written before it is read"),
            Place::Variable(variable) => self.builder.use_var(variable),
            Place::Stack(slot) => self.builder.ins().stack_load(I64, I64, slot, 0),
        }
    }

    pub(crate) fn set(&mut self, local: LocalId, value: Value) {
        match &mut self.places[local.0 as usize] {
            Place::Slot(slot) => {
                let offset = abi::slot(*slot);
                let frame = self.own_frame();
                layout::store(&mut self.builder, value, frame, offset);
            }
            Place::Value(known) => *known = Some(value),
            Place::Variable(variable) => self.builder.def_var(*variable, value),
            Place::Stack(slot) => {
                self.builder.ins().stack_store(I64, value, *slot, 0);
            }
        }
    }

    pub(crate) fn operand(&mut self, operand: Operand) -> Value {
        match operand {
            Operand::Local(local) => self.get(local),
            Operand::Word(word) => self.number(word),
        }
    }

    /// The values of all operands.
    pub(crate) fn operands(&mut self, operands: &[Operand]) -> Vec<Value> {
        operands.iter().map(|&it| self.operand(it)).collect()
    }

    pub(crate) fn number(&mut self, word: u64) -> Value {
        self.builder.ins().iconst(I64, word.cast_signed())
    }

    /// Where the block's code is.
    pub(crate) fn block(&self, block: BlockId) -> Block {
        self.blocks[block.0 as usize]
    }

    /// Ends the current block with a jump to another.
    pub(crate) fn jump(&mut self, block: BlockId) {
        let target = self.block(block);
        self.builder.ins().jump(target, &[]);
    }

    /// A fresh block away from the straight way.
    pub(crate) fn cold_block(&mut self) -> Block {
        let block = self.builder.create_block();
        self.builder.set_cold_block(block);
        block
    }

    /// Whether the local's value is counted.
    pub(crate) fn is_reference(&self, local: LocalId) -> bool {
        let ty = self.function.locals[local.0 as usize].ty;
        self.shared.module.program.types.is_reference(ty)
    }

    /// Ends the current block with an error, which goes to the handler.
    pub(crate) fn raise_to(&mut self, error: Value, handler: &Handler) {
        self.trace(error, handler.span);
        self.handle(error, handler);
    }

    /// Ends the current block with a fault without fields.
    pub(crate) fn raise_fault(&mut self, fault: BuiltinError, handler: &Handler) {
        let error = self.fault(fault, handler.span);
        self.handle(error, handler);
    }

    fn handle(&mut self, error: Value, handler: &Handler) {
        self.set(handler.error, error);
        self.jump(handler.block);
    }

    /// The signature of this shape, as the function knows it.
    pub(crate) fn shape(&mut self, shape: Shape) -> SigRef {
        let (builder, convention) = (&mut self.builder, self.convention);
        *self
            .shapes
            .entry(shape)
            .or_insert_with(|| builder.import_signature(shape.signature(convention)))
    }

    /// Another function of the module, called directly.
    pub(crate) fn callee(&mut self, index: FunctionIndex) -> FuncRef {
        if let Some(&callee) = self.callees.get(&index) {
            return callee;
        }
        let function = &self.shared.module.functions[index.0 as usize];
        let shape = Shape::of_function(function.colour, function.parameters as usize);
        let signature = self.shape(shape);
        let name = self
            .builder
            .func
            .declare_imported_user_function(UserExternalName::new(0, index.0));
        let callee = self.builder.import_function(ExtFuncData {
            name: ExternalName::user(name),
            signature,
            colocated: true,
            patchable: false,
        });
        self.callees.insert(index, callee);
        callee
    }

    /// How the function with this index is called.
    pub(crate) fn colour(&self, index: FunctionIndex) -> Colour {
        self.shared.module.functions[index.0 as usize].colour
    }
}

/// Whether the function loops without waiting, so that the time to optimize it pays.
pub(crate) fn is_hot(function: &ir::Function) -> bool {
    let is_loop = |block: &ir::Block| matches!(block.terminator, Terminator::Loop { .. });
    function.colour == Colour::Plain && function.blocks.iter().any(is_loop)
}

/// Whether the function runs often enough that its speed counts for more than its size.
fn is_fast(function: &ir::Function) -> bool {
    // Waiting functions are bound by what they wait for, so for them size counts.
    is_hot(function) || function.colour == Colour::Plain && function.blocks.len() <= FEW_BLOCKS
}

/// By block: how many edges lead to it, the start included.
fn count_edges(function: &ir::Function) -> Vec<usize> {
    let mut counts = vec![0; function.blocks.len()];
    counts[0] = 1;
    for block in &function.blocks {
        for edge in edges(&block.terminator) {
            counts[edge.target.0 as usize] += 1;
        }
    }
    counts
}

/// By block: whether it can be reached without an error.
fn warm_blocks(function: &ir::Function) -> Vec<bool> {
    let mut warm = vec![false; function.blocks.len()];
    let mut open = vec![BlockId(0)];
    while let Some(block) = open.pop() {
        let index = block.0 as usize;
        if std::mem::replace(&mut warm[index], true) {
            continue;
        }
        let terminator = &function.blocks[index].terminator;
        open.extend(usual_edges(terminator).into_iter().map(|edge| edge.target));
    }
    warm
}

/// The edges of a terminator but the one to the handler, unless that is the only one.
fn usual_edges(terminator: &Terminator) -> Vec<Edge> {
    let mut all = edges(terminator);
    match terminator {
        Terminator::Branch { .. } | Terminator::Switch { .. } => {}
        // The handler comes last.
        Terminator::Jump(_)
        | Terminator::Loop { .. }
        | Terminator::Return(_)
        | Terminator::Raise(_)
        | Terminator::Checked { .. }
        | Terminator::Fault { .. }
        | Terminator::Call { .. }
        | Terminator::CallValue { .. }
        | Terminator::Runtime { .. }
        | Terminator::Suspend { .. }
        | Terminator::Unreachable => all.truncate(1),
    }
    all
}
