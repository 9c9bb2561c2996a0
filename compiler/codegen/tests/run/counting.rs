//! References: what is made is freed, what is immortal is left alone.

use gsw_abi::builtin::{BuiltinError, ERROR, INT, STRING};
use gsw_abi::program::FunctionIndex;
use gsw_abi::types::Type;
use gsw_flow::ir::{Constant, Instruction, Terminator};

use crate::machine::Machine;
use crate::module::{Build, at, block, call, end, give, handler, kind, local, raise, word};

#[test]
fn a_loaded_field_is_owned_and_freed_with_its_object() {
    let mut build = Build::new();
    let inner = build.ty(Type::Tuple(vec![INT]));
    let outer = build.ty(Type::Tuple(vec![inner, INT]));
    let function = build.plain(
        1,
        &[INT, inner, outer, inner, INT],
        vec![block(
            vec![
                object(1, inner, vec![at(0)]),
                object(2, outer, vec![at(1), word(5)]),
                load(3, 2, 0),
                Instruction::Release(local(2)),
                load(4, 3, 0),
                Instruction::Release(local(3)),
            ],
            give(at(4)),
        )],
    );
    let mut machine = Machine::new(&build.module);
    assert_eq!(machine.run(function, &[7]), Ok(7));
    assert_eq!(machine.live(), 0);
}

#[test]
fn constants_are_never_written() {
    let mut build = Build::new();
    let text = build.constant(Constant::String {
        ty: STRING,
        text: "hello".into(),
    });
    let function = build.plain(
        0,
        &[STRING, INT],
        vec![block(
            vec![
                Instruction::Constant {
                    to: local(0),
                    constant: text,
                },
                Instruction::Retain(local(0)),
                Instruction::Release(local(0)),
                load(1, 0, 0),
                Instruction::Release(local(0)),
            ],
            give(at(1)),
        )],
    );
    let mut machine = Machine::new(&build.module);
    // The constants are mapped read-only: a write would end the process.
    assert_eq!(machine.run(function, &[]), Ok(5));
}

#[test]
fn none_is_not_counted() {
    let mut build = Build::new();
    let optional = build.ty(Type::Optional(STRING));
    let function = build.plain(
        1,
        &[optional],
        vec![block(
            vec![
                Instruction::Retain(local(0)),
                Instruction::Release(local(0)),
                Instruction::Release(local(0)),
            ],
            give(word(1)),
        )],
    );
    let mut machine = Machine::new(&build.module);
    assert_eq!(machine.run(function, &[0]), Ok(1));
}

#[test]
fn a_cell_releases_what_it_held() {
    let mut build = Build::new();
    let tuple = build.ty(Type::Tuple(vec![INT]));
    let cell = build.ty(Type::Cell(tuple));
    let function = build.plain(
        0,
        &[tuple, cell, tuple, INT],
        vec![block(
            vec![
                object(0, tuple, vec![word(1)]),
                Instruction::CellNew {
                    to: local(1),
                    ty: cell,
                    value: at(0),
                },
                object(2, tuple, vec![word(2)]),
                Instruction::CellSet {
                    cell: local(1),
                    value: at(2),
                },
                Instruction::CellTake {
                    to: local(2),
                    cell: local(1),
                },
                Instruction::CellSet {
                    cell: local(1),
                    value: at(2),
                },
                Instruction::CellGet {
                    to: local(0),
                    cell: local(1),
                },
                load(3, 0, 0),
                Instruction::Release(local(0)),
                Instruction::Release(local(1)),
            ],
            give(at(3)),
        )],
    );
    let mut machine = Machine::new(&build.module);
    assert_eq!(machine.run(function, &[]), Ok(2));
    assert_eq!(machine.live(), 0);
}

#[test]
fn tags_are_read_from_the_header() {
    let mut build = Build::new();
    let tuple = build.ty(Type::Tuple(vec![]));
    let function = build.plain(
        0,
        &[tuple, INT, INT],
        vec![
            block(
                vec![
                    Instruction::Object {
                        to: local(0),
                        ty: tuple,
                        extra: 3,
                        fields: vec![],
                    },
                    Instruction::LoadExtra {
                        to: local(1),
                        from: local(0),
                    },
                    Instruction::LoadType {
                        to: local(2),
                        from: local(0),
                    },
                    Instruction::Release(local(0)),
                ],
                Terminator::Branch {
                    condition: at(1),
                    then: crate::module::to(1),
                    otherwise: crate::module::to(2),
                },
            ),
            end(give(at(2))),
            end(give(word(0))),
        ],
    );
    let mut machine = Machine::new(&build.module);
    assert_eq!(machine.run(function, &[]), Ok(u64::from(tuple.0)));
}

#[test]
fn a_function_that_cannot_start_gives_its_parameters_back() {
    let mut build = Build::new();
    let tuple = build.ty(Type::Tuple(vec![INT]));
    let again = FunctionIndex(0);
    build.plain(
        1,
        &[tuple, tuple, ERROR, INT],
        vec![
            block(
                vec![object(1, tuple, vec![word(1)])],
                call(3, again, &[at(1)], 1, handler(2, 2)),
            ),
            block(vec![Instruction::Release(local(0))], give(at(3))),
            block(vec![Instruction::Release(local(0))], raise(2)),
        ],
    );
    let start = build.plain(
        0,
        &[tuple, ERROR, INT],
        vec![
            block(
                vec![object(0, tuple, vec![word(1)])],
                call(2, again, &[at(0)], 1, handler(1, 2)),
            ),
            end(give(at(2))),
            end(raise(1)),
        ],
    );
    let mut machine = Machine::new(&build.module);
    let ended = machine.run(start, &[]);
    assert_eq!(ended, Err(kind(BuiltinError::StackOverflow)));
    assert_eq!(machine.live(), 0);
}

fn object(to: u32, ty: gsw_abi::types::TypeId, fields: Vec<gsw_flow::ir::Operand>) -> Instruction {
    Instruction::Object {
        to: local(to),
        ty,
        extra: 0,
        fields,
    }
}

fn load(to: u32, from: u32, index: u32) -> Instruction {
    Instruction::Load {
        to: local(to),
        from: local(from),
        index,
    }
}
