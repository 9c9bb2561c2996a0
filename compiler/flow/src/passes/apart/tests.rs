//! Small functions, and in which order they read fields after the pass.

use gsw_abi::builtin::{self, BOOL, INT, STRING};
use gsw_abi::call::RuntimeCall;
use gsw_abi::program::{self, Colour, Program, SpanIndex};
use gsw_abi::types::{Type, TypeId, TypeTable};

use crate::dump::dump_function;
use crate::ir::{
    Block, BlockId, Function, Instruction, Local, LocalId, Module, Operand, Terminator,
};
use crate::passes::apart::take_apart;
use crate::passes::ownership::make_ownership_explicit;
use crate::verify::verify;

const WHOLE: LocalId = LocalId(0);
const TEXT: LocalId = LocalId(1);

fn types() -> (TypeTable, TypeId, TypeId) {
    let mut types = builtin::type_table();
    let inner = TypeId(types.types.len() as u32);
    types.types.push(Type::Tuple(vec![STRING, INT]));
    let outer = TypeId(types.types.len() as u32);
    types.types.push(Type::Tuple(vec![inner, INT]));
    (types, inner, outer)
}

/// A function of a tuple of a string and an int, and of what else is named; `outer` is a tuple of such a tuple and an int.
fn module(locals: impl Fn(TypeId, TypeId) -> Vec<TypeId>, blocks: Vec<Block>) -> Module {
    let (types, inner, outer) = types();
    let locals = locals(inner, outer);
    let mut module = Module {
        program: Program {
            functions: vec![program::Function {
                name: "f".into(),
                offset: 0,
                colour: Colour::Plain,
                parameters: 2,
                slots: Vec::new(),
                owned: Vec::new(),
            }],
            ..Program::empty("t", types)
        },
        functions: vec![Function {
            colour: Colour::Plain,
            parameters: 2,
            locals: locals.iter().map(|&ty| Local { ty, name: None }).collect(),
            blocks,
            span: SpanIndex(0),
        }],
        constants: Vec::new(),
    };
    take_apart(&mut module.functions[0], &module.program.types);
    make_ownership_explicit(&mut module.functions[0], &module.program.types);
    assert_eq!(
        verify(&module),
        Vec::<String>::new(),
        "{}",
        dump_function(&module, 0)
    );
    module
}

fn block(instructions: Vec<Instruction>, terminator: Terminator) -> Block {
    Block {
        instructions,
        terminator,
    }
}

fn load(to: u32, from: u32, index: u32) -> Instruction {
    Instruction::Load {
        to: LocalId(to),
        from: LocalId(from),
        index,
    }
}

/// `to = what + TEXT`
fn concat(to: u32, what: u32) -> Instruction {
    Instruction::Runtime {
        to: Some(LocalId(to)),
        call: RuntimeCall::string_concat,
        arguments: vec![Operand::Local(LocalId(what)), Operand::Local(TEXT)],
    }
}

fn object(to: u32, ty: TypeId, fields: &[u32]) -> Instruction {
    let fields = fields.iter().map(|it| Operand::Local(LocalId(*it)));
    Instruction::Object {
        to: LocalId(to),
        ty,
        extra: 0,
        fields: fields.collect(),
    }
}

fn result(local: u32) -> Terminator {
    Terminator::Return(Operand::Local(LocalId(local)))
}

fn lines(module: &Module) -> Vec<String> {
    dump_function(module, 0)
        .lines()
        .map(|it| it.trim().to_owned())
        .collect()
}

/// Where the line that begins so, or has that in it, stands.
fn place(lines: &[String], part: &str) -> usize {
    let place = lines.iter().position(|it| it.contains(part));
    place.unwrap_or_else(|| panic!("{part} in {lines:#?}"))
}

fn inner_type() -> TypeId {
    types().1
}

#[test]
fn a_record_ends_before_a_part_of_it_grows() {
    let module = module(
        |inner, _| vec![inner, STRING, STRING, STRING, INT, inner],
        vec![block(
            vec![
                load(2, 0, 0),
                concat(3, 2),
                load(4, 0, 1),
                object(5, inner_type(), &[3, 4]),
            ],
            result(5),
        )],
    );
    let lines = lines(&module);
    assert!(
        place(&lines, "release %0") < place(&lines, "string_concat"),
        "{lines:#?}"
    );
}

#[test]
fn a_record_that_is_needed_whole_stays_whole() {
    let module = module(
        |inner, _| vec![inner, STRING, STRING, STRING, INT],
        vec![block(
            vec![load(2, 0, 0), concat(3, 2), load(4, 0, 1)],
            Terminator::Return(Operand::Local(WHOLE)),
        )],
    );
    let lines = lines(&module);
    assert!(
        place(&lines, "string_concat") < place(&lines, "load %0.1"),
        "{lines:#?}"
    );
}

#[test]
fn a_part_that_grows_on_one_way_is_read_on_the_other_too() {
    // if the text is there { x = whole.0 + text } else { x = whole.0 }; (x, whole.1)
    let module = module(
        |inner, _| vec![inner, STRING, STRING, STRING, INT, inner, STRING, BOOL],
        vec![
            block(
                vec![Instruction::Word {
                    to: LocalId(7),
                    word: 1,
                }],
                Terminator::Branch {
                    condition: Operand::Local(LocalId(7)),
                    then: BlockId(1),
                    otherwise: BlockId(2),
                },
            ),
            block(
                vec![load(2, 0, 0), concat(3, 2)],
                Terminator::Jump(BlockId(3)),
            ),
            block(
                vec![
                    load(6, 0, 0),
                    Instruction::Move {
                        to: LocalId(3),
                        from: LocalId(6),
                    },
                ],
                Terminator::Jump(BlockId(3)),
            ),
            block(
                vec![load(4, 0, 1), object(5, inner_type(), &[3, 4])],
                result(5),
            ),
        ],
    );
    let lines = lines(&module);
    assert!(
        place(&lines, "release %0") < place(&lines, "string_concat"),
        "{lines:#?}"
    );
    let loads = lines.iter().filter(|it| it.contains("load %0.1")).count();
    assert_eq!(loads, 2, "{lines:#?}");
}

#[test]
fn a_record_in_a_record_ends_too() {
    // ((whole.0.0 + text, whole.0.1), whole.1)
    let (_, inner, outer) = types();
    let module = module(
        |inner, outer| {
            vec![
                outer, STRING, inner, STRING, STRING, inner, INT, inner, INT, outer,
            ]
        },
        vec![block(
            vec![
                load(2, 0, 0),
                load(3, 2, 0),
                concat(4, 3),
                load(5, 0, 0),
                load(6, 5, 1),
                object(7, inner, &[4, 6]),
                load(8, 0, 1),
                object(9, outer, &[7, 8]),
            ],
            result(9),
        )],
    );
    let lines = lines(&module);
    let grows = place(&lines, "string_concat");
    assert!(place(&lines, "release %0") < grows, "{lines:#?}");
    assert!(place(&lines, "release %2") < grows, "{lines:#?}");
}

#[test]
fn a_variable_that_a_loop_writes_anew_ends_in_each_round() {
    // loop { whole = (whole.0 + text, whole.1) }
    let again = |to| Terminator::Branch {
        condition: Operand::Local(LocalId(6)),
        then: BlockId(1),
        otherwise: BlockId(to),
    };
    let module = module(
        |inner, _| vec![inner, STRING, STRING, STRING, INT, inner, BOOL],
        vec![
            block(
                vec![Instruction::Word {
                    to: LocalId(6),
                    word: 0,
                }],
                again(2),
            ),
            block(
                vec![
                    load(2, 0, 0),
                    concat(3, 2),
                    load(4, 0, 1),
                    object(5, inner_type(), &[3, 4]),
                    Instruction::Move {
                        to: WHOLE,
                        from: LocalId(5),
                    },
                ],
                again(2),
            ),
            block(Vec::new(), result(0)),
        ],
    );
    let lines = lines(&module);
    assert!(
        place(&lines, "release %0") < place(&lines, "string_concat"),
        "{lines:#?}"
    );
}
