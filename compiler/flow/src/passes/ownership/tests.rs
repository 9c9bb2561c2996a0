//! Small functions, with what the pass adds to them, and what the verifier says when it is taken away.

use gsw_abi::builtin::{self, ERROR, INT, STRING};
use gsw_abi::call::RuntimeCall;
use gsw_abi::program::{self, Colour, Program, SpanIndex};

use crate::dump::dump_function;
use crate::ir::{
    Block, BlockId, Function, Handler, Instruction, Local, LocalId, Module, Operand, Terminator,
};
use crate::passes::ownership::make_ownership_explicit;
use crate::verify::verify;

const A: Operand = Operand::Local(LocalId(0));
const B: Operand = Operand::Local(LocalId(1));

/// A function of a string, an int, and what else is named.
fn module(locals: &[gsw_abi::types::TypeId], blocks: Vec<Block>) -> Module {
    let mut module = Module {
        program: Program {
            functions: vec![program::Function {
                name: "f".into(),
                offset: 0,
                colour: Colour::Plain,
                parameters: 1,
                slots: Vec::new(),
                owned: Vec::new(),
            }],
            ..Program::empty("t", builtin::type_table())
        },
        functions: vec![Function {
            colour: Colour::Plain,
            parameters: 1,
            locals: locals.iter().map(|&ty| Local { ty, name: None }).collect(),
            blocks,
            span: SpanIndex(0),
        }],
        constants: Vec::new(),
    };
    make_ownership_explicit(&mut module.functions[0], &module.program.types);
    module
}

fn block(instructions: Vec<Instruction>, terminator: Terminator) -> Block {
    Block {
        instructions,
        terminator,
    }
}

fn concat(left: Operand, right: Operand) -> Instruction {
    Instruction::Runtime {
        to: Some(LocalId(1)),
        call: RuntimeCall::string_concat,
        arguments: vec![left, right],
    }
}

fn lines(module: &Module) -> Vec<String> {
    dump_function(module, 0)
        .lines()
        .map(|it| it.trim().to_owned())
        .collect()
}

#[test]
fn a_value_that_is_consumed_and_borrowed_at_once_has_two_owners() {
    let module = module(
        &[STRING, STRING],
        vec![block(vec![concat(A, A)], Terminator::Return(B))],
    );
    assert_eq!(verify(&module), Vec::<String>::new());
    let text = lines(&module);
    assert_eq!(
        text[2..5],
        ["retain %0", "%1: t4 = string_concat(%0, %0)", "release %0"]
    );
}

#[test]
fn a_parameter_that_nobody_reads_is_released_first() {
    let module = module(
        &[STRING],
        vec![block(Vec::new(), Terminator::Return(Operand::Word(0)))],
    );
    assert_eq!(verify(&module), Vec::<String>::new());
    assert_eq!(lines(&module)[2], "release %0");
}

#[test]
fn what_only_one_edge_needs_is_released_on_the_other() {
    let index = Terminator::Runtime {
        to: LocalId(1),
        call: RuntimeCall::string_matches,
        arguments: vec![A, A],
        next: BlockId(1),
        handler: Handler {
            error: LocalId(2),
            block: BlockId(2),
            span: SpanIndex(0),
        },
    };
    let module = module(
        &[STRING, INT, ERROR],
        vec![
            block(Vec::new(), index),
            block(Vec::new(), Terminator::Return(A)),
            block(Vec::new(), Terminator::Raise(LocalId(2))),
        ],
    );
    assert_eq!(verify(&module), Vec::<String>::new());
    let text = lines(&module);
    assert_eq!(
        text[4..],
        ["return %0", "b2:", "release %0", "raise %2", "}"]
    );
}

#[test]
fn the_verifier_sees_a_missing_release_and_one_too_many() {
    let sound = module(
        &[STRING],
        vec![block(Vec::new(), Terminator::Return(Operand::Word(0)))],
    );
    let mut leaking = sound.clone();
    leaking.functions[0].blocks[0].instructions.clear();
    assert!(
        verify(&leaking)[0].contains("still owned"),
        "{:?}",
        verify(&leaking)
    );
    let mut twice = sound;
    let release = twice.functions[0].blocks[0].instructions[0].clone();
    twice.functions[0].blocks[0].instructions.push(release);
    assert!(
        verify(&twice)[0].contains("not owned"),
        "{:?}",
        verify(&twice)
    );
}

#[test]
fn the_verifier_sees_a_wait_in_a_plain_function_and_a_read_before_a_write() {
    let handler = Handler {
        error: LocalId(2),
        block: BlockId(1),
        span: SpanIndex(0),
    };
    let wait = Terminator::Suspend {
        to: LocalId(1),
        call: RuntimeCall::time_now,
        arguments: Vec::new(),
        next: BlockId(1),
        handler,
    };
    let end = block(Vec::new(), Terminator::Return(Operand::Word(0)));
    let waiting = module(&[INT, INT, ERROR], vec![block(Vec::new(), wait), end]);
    assert!(
        verify(&waiting)[0].contains("waits"),
        "{:?}",
        verify(&waiting)
    );
    let unread = module(&[INT, INT], vec![block(Vec::new(), Terminator::Return(B))]);
    assert!(
        verify(&unread)[0].contains("before it is written"),
        "{:?}",
        verify(&unread)
    );
}
