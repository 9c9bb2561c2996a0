//! Builds modules of Flow IR.

use gsw_abi::builtin::{self, BuiltinError};
use gsw_abi::program::{
    Colour, Function as Described, FunctionIndex, Program, Source, Span, SpanIndex,
};
use gsw_abi::types::{Type, TypeId};
use gsw_flow::ir::{
    Block, BlockId, Checked, Constant, ConstantIndex, Function, Handler, Instruction, Local,
    LocalId, Module, Operand, Operation, Terminator,
};

/// No place: these tests have no source. There are enough of them for all numbers that the tests use.
const NOWHERE: Span = Span {
    source: 0,
    start: 0,
    end: 0,
};

/// A module under construction.
pub struct Build {
    pub module: Module,
}

impl Build {
    pub fn new() -> Self {
        Self {
            module: Module {
                program: Program {
                    spans: vec![NOWHERE; 1200],
                    sources: vec![Source {
                        path: String::new(),
                        text: None,
                        lines: vec![0],
                    }],
                    ..Program::empty("test", builtin::type_table())
                },
                functions: Vec::new(),
                constants: Vec::new(),
            },
        }
    }

    pub fn ty(&mut self, ty: Type) -> TypeId {
        self.module.program.types.types.push(ty);
        TypeId(self.module.program.types.types.len() as u32 - 1)
    }

    pub fn constant(&mut self, constant: Constant) -> ConstantIndex {
        self.module.constants.push(constant);
        ConstantIndex(self.module.constants.len() as u32 - 1)
    }

    pub fn plain(
        &mut self,
        parameters: u32,
        locals: &[TypeId],
        blocks: Vec<Block>,
    ) -> FunctionIndex {
        self.function(Colour::Plain, parameters, locals, blocks)
    }

    pub fn resumable(
        &mut self,
        parameters: u32,
        locals: &[TypeId],
        blocks: Vec<Block>,
    ) -> FunctionIndex {
        self.function(Colour::Resumable, parameters, locals, blocks)
    }

    fn function(
        &mut self,
        colour: Colour,
        parameters: u32,
        locals: &[TypeId],
        blocks: Vec<Block>,
    ) -> FunctionIndex {
        let index = FunctionIndex(self.module.functions.len() as u32);
        self.module.program.functions.push(Described {
            name: format!("f{}", index.0),
            offset: 0,
            colour,
            parameters,
            slots: Vec::new(),
            owned: Vec::new(),
        });
        self.module.functions.push(Function {
            colour,
            parameters,
            locals: locals.iter().map(|&ty| Local { ty, name: None }).collect(),
            blocks,
            span: SpanIndex(1000 + index.0),
        });
        index
    }
}

pub fn block(instructions: Vec<Instruction>, terminator: Terminator) -> Block {
    Block {
        instructions,
        terminator,
    }
}

/// A block that ends at once.
pub fn end(terminator: Terminator) -> Block {
    block(Vec::new(), terminator)
}

pub fn local(index: u32) -> LocalId {
    LocalId(index)
}

pub fn at(index: u32) -> Operand {
    Operand::Local(LocalId(index))
}

pub fn word(word: i64) -> Operand {
    Operand::Word(word.cast_unsigned())
}

pub fn to(block: u32) -> BlockId {
    BlockId(block)
}

/// A handler whose span has the number of its block.
pub fn handler(error: u32, block: u32) -> Handler {
    Handler {
        error: LocalId(error),
        block: BlockId(block),
        span: SpanIndex(block),
    }
}

pub fn jump(block: u32) -> Terminator {
    Terminator::Jump(BlockId(block))
}

pub fn give(operand: Operand) -> Terminator {
    Terminator::Return(operand)
}

pub fn raise(error: u32) -> Terminator {
    Terminator::Raise(LocalId(error))
}

pub fn branch(condition: Operand, then: u32, otherwise: u32) -> Terminator {
    Terminator::Branch {
        condition,
        then: BlockId(then),
        otherwise: BlockId(otherwise),
    }
}

pub fn checked(
    target: u32,
    operation: Checked,
    left: Operand,
    right: Operand,
    next: u32,
    handler: Handler,
) -> Terminator {
    Terminator::Checked {
        to: LocalId(target),
        operation,
        left,
        right,
        next: BlockId(next),
        handler,
    }
}

pub fn call(
    target: u32,
    function: FunctionIndex,
    arguments: &[Operand],
    next: u32,
    handler: Handler,
) -> Terminator {
    Terminator::Call {
        to: LocalId(target),
        function,
        arguments: arguments.to_vec(),
        next: BlockId(next),
        handler,
    }
}

pub fn operation(target: u32, operation: Operation, left: Operand, right: Operand) -> Instruction {
    Instruction::Operation {
        to: LocalId(target),
        operation,
        left,
        right,
    }
}

pub fn set(target: u32, word: i64) -> Instruction {
    Instruction::Word {
        to: LocalId(target),
        word: word.cast_unsigned(),
    }
}

/// The type of a fault without fields.
pub fn kind(fault: BuiltinError) -> TypeId {
    fault.ty()
}
