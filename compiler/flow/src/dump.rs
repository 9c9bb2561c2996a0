//! Flow as readable text, for `gswc build --emit flow` and tests.

use std::fmt::Write;

use gsw_abi::program::Colour;

use crate::ir::{
    Constant, ConstantIndex, Function, Handler, Instruction, LocalId, Module, Operand, Terminator,
};

/// The whole module as text.
#[must_use]
pub fn dump(module: &Module) -> String {
    let mut text = String::new();
    for index in 0..module.functions.len() {
        text.push_str(&dump_function(module, index));
        text.push('\n');
    }
    text
}

#[must_use]
pub fn dump_function(module: &Module, index: usize) -> String {
    let function = &module.functions[index];
    let printer = Printer { module, function };
    let mut text = String::new();
    let colour = match function.colour {
        Colour::Plain => "plain",
        Colour::Resumable => "resumable",
    };
    let parameters: Vec<String> = (0..function.parameters)
        .map(|it| printer.declared(LocalId(it)))
        .collect();
    let name = module
        .program
        .functions
        .get(index)
        .map_or("?", |it| &it.name);
    // Writing to a `String` cannot fail; the results below are dropped for that reason.
    let _ = writeln!(
        text,
        "{colour} f{index} {name}({}) {{",
        parameters.join(", ")
    );
    for (number, block) in function.blocks.iter().enumerate() {
        let _ = writeln!(text, "b{number}:");
        for instruction in &block.instructions {
            let _ = writeln!(text, "  {}", printer.instruction(instruction));
        }
        let _ = writeln!(text, "  {}", printer.terminator(&block.terminator));
    }
    text.push_str("}\n");
    text
}

struct Printer<'a> {
    module: &'a Module,
    function: &'a Function,
}

impl Printer<'_> {
    fn local(&self, local: LocalId) -> String {
        let name = self
            .function
            .locals
            .get(local.0 as usize)
            .and_then(|it| it.name.as_deref());
        format!("{}%{}", name.unwrap_or(""), local.0)
    }

    fn declared(&self, local: LocalId) -> String {
        let ty = self
            .function
            .locals
            .get(local.0 as usize)
            .map_or(0, |it| it.ty.0);
        format!("{}: t{ty}", self.local(local))
    }

    fn operand(&self, operand: &Operand) -> String {
        match operand {
            Operand::Local(local) => self.local(*local),
            Operand::Word(word) => format!("{}", word.cast_signed()),
        }
    }

    fn operands(&self, operands: &[Operand]) -> String {
        let all: Vec<String> = operands.iter().map(|it| self.operand(it)).collect();
        all.join(", ")
    }

    fn handler(&self, handler: &Handler) -> String {
        format!(
            "else {} -> b{} @{}",
            self.local(handler.error),
            handler.block.0,
            handler.span.0
        )
    }

    fn constant(&self, constant: ConstantIndex) -> String {
        match self.module.constants.get(constant.0 as usize) {
            Some(Constant::String { text, .. }) => format!("{text:?}"),
            Some(Constant::Header { ty, extra }) => format!("header t{} {extra}", ty.0),
            Some(Constant::Word { ty, extra, word }) => format!("word t{} {extra} {word}", ty.0),
            Some(Constant::Closure { ty, function }) => {
                format!("closure t{} f{}", ty.0, function.0)
            }
            Some(Constant::List { ty, words }) if words.is_empty() => format!("empty t{}", ty.0),
            Some(Constant::List { ty, words }) => format!("list t{} {words:?}", ty.0),
            None => format!("c{}?", constant.0),
        }
    }

    #[expect(
        clippy::too_many_lines,
        reason = "one arm a form: rustc names what a new form must join"
    )]
    fn instruction(&self, instruction: &Instruction) -> String {
        match instruction {
            Instruction::Word { to, word } => {
                format!("{} = {}", self.declared(*to), word.cast_signed())
            }
            Instruction::Constant { to, constant } => {
                format!(
                    "{} = const {}",
                    self.declared(*to),
                    self.constant(*constant)
                )
            }
            Instruction::Move { to, from } => {
                format!("{} = {}", self.declared(*to), self.local(*from))
            }
            Instruction::Operation {
                to,
                operation,
                left,
                right,
            } => {
                let (left, right) = (self.operand(left), self.operand(right));
                format!("{} = {operation:?} {left}, {right}", self.declared(*to))
            }
            Instruction::Object {
                to,
                ty,
                extra,
                fields,
            } => {
                let fields = self.operands(fields);
                format!(
                    "{} = object t{} {extra} [{fields}]",
                    self.declared(*to),
                    ty.0
                )
            }
            Instruction::Closure {
                to,
                ty,
                function,
                captures,
            } => {
                let captures = self.operands(captures);
                let to = self.declared(*to);
                format!("{to} = closure t{} f{} [{captures}]", ty.0, function.0)
            }
            Instruction::Load { to, from, index } => {
                format!(
                    "{} = load {}.{index}",
                    self.declared(*to),
                    self.local(*from)
                )
            }
            Instruction::Capture { to, from, index } => {
                format!(
                    "{} = capture {}.{index}",
                    self.declared(*to),
                    self.local(*from)
                )
            }
            Instruction::LoadExtra { to, from } => {
                format!("{} = extra {}", self.declared(*to), self.local(*from))
            }
            Instruction::LoadType { to, from } => {
                format!("{} = type {}", self.declared(*to), self.local(*from))
            }
            Instruction::CellNew { to, ty, value } => {
                format!(
                    "{} = cell t{} {}",
                    self.declared(*to),
                    ty.0,
                    self.operand(value)
                )
            }
            Instruction::CellGet { to, cell } => {
                format!("{} = get {}", self.declared(*to), self.local(*cell))
            }
            Instruction::CellTake { to, cell } => {
                format!("{} = take {}", self.declared(*to), self.local(*cell))
            }
            Instruction::CellSet { cell, value } => {
                format!("set {} = {}", self.local(*cell), self.operand(value))
            }
            Instruction::Runtime {
                to,
                call,
                arguments,
            } => {
                let to = to.map_or(String::new(), |it| format!("{} = ", self.declared(it)));
                format!("{to}{}({})", call.name(), self.operands(arguments))
            }
            Instruction::Frame {
                to,
                function,
                arguments,
            } => {
                let arguments = self.operands(arguments);
                format!(
                    "{} = frame f{}({arguments})",
                    self.declared(*to),
                    function.0
                )
            }
            Instruction::Retain(local) => format!("retain {}", self.local(*local)),
            Instruction::Release(local) => format!("release {}", self.local(*local)),
        }
    }

    #[expect(
        clippy::too_many_lines,
        reason = "one arm a form: rustc names what a new form must join"
    )]
    fn terminator(&self, terminator: &Terminator) -> String {
        match terminator {
            Terminator::Jump(target) => format!("jump b{}", target.0),
            Terminator::Loop { head, stop } => format!("loop b{} {}", head.0, self.handler(stop)),
            Terminator::Branch {
                condition,
                then,
                otherwise,
            } => format!(
                "if {} b{} else b{}",
                self.operand(condition),
                then.0,
                otherwise.0
            ),
            Terminator::Switch {
                value,
                cases,
                default,
            } => {
                let cases: Vec<String> = cases
                    .iter()
                    .map(|(word, target)| format!("{word}: b{}", target.0))
                    .collect();
                let value = self.operand(value);
                format!("switch {value} [{}] else b{}", cases.join(", "), default.0)
            }
            Terminator::Return(value) => format!("return {}", self.operand(value)),
            Terminator::Raise(error) => format!("raise {}", self.local(*error)),
            Terminator::Fault { fault, handler } => {
                format!("fault {} {}", fault.name(), self.handler(handler))
            }
            Terminator::Unreachable => "unreachable".to_owned(),
            Terminator::Checked {
                operation,
                left,
                right,
                ..
            } => {
                let (left, right) = (self.operand(left), self.operand(right));
                self.going_on(terminator, &format!("{operation:?} {left}, {right}"))
            }
            Terminator::Call {
                function,
                arguments,
                ..
            } => {
                let arguments = self.operands(arguments);
                self.going_on(terminator, &format!("call f{}({arguments})", function.0))
            }
            Terminator::CallValue {
                closure, arguments, ..
            } => {
                let (closure, arguments) = (self.local(*closure), self.operands(arguments));
                self.going_on(terminator, &format!("call {closure}({arguments})"))
            }
            Terminator::Runtime {
                call, arguments, ..
            } => {
                let arguments = self.operands(arguments);
                self.going_on(terminator, &format!("{}({arguments})", call.name()))
            }
            Terminator::Suspend {
                call, arguments, ..
            } => {
                let arguments = self.operands(arguments);
                self.going_on(terminator, &format!("wait {}({arguments})", call.name()))
            }
        }
    }

    /// `what` as a terminator that writes a local and continues, or raises.
    fn going_on(&self, terminator: &Terminator, what: &str) -> String {
        let edges = crate::role::edges(terminator);
        let parts: Vec<String> = edges.iter().map(|it| format!("b{}", it.target.0)).collect();
        let to = edges.first().and_then(|it| it.written);
        let to = to.map_or(String::new(), |it| format!("{} = ", self.declared(it)));
        let error = edges.get(1).and_then(|it| it.written);
        let error = error.map_or(String::new(), |it| self.local(it));
        format!("{to}{what} -> {} error {error}", parts.join(" else "))
    }
}
