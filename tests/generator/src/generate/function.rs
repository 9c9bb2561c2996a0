//! Functions and methods, and calls of them.

use crate::generate::Generator;
use crate::generate::declaration::{Field, Function};
use crate::generate::scope::{Binding, Scope};
use crate::generate::statement::indented;
use crate::generate::type_choice::Ty;

/// How much work one body may do.
const BODY: i64 = 400;

impl Generator {
    pub(super) fn function(&mut self) -> String {
        let mut function = self.head();
        self.scope = Scope {
            may_wait: self.random.one_in(4),
            ..Scope::default()
        };
        self.scope.returns = Some(function.result.clone());
        if let Some(record) = function.receiver {
            self.scope.add("self", Ty::Record(record), Binding::Let);
        }
        self.budget = BODY;
        let mut parameters: Vec<String> = function
            .receiver
            .iter()
            .map(|_| "self".to_owned())
            .collect();
        for parameter in &mut function.parameters {
            let mut text = format!(
                "{}: {}",
                parameter.name,
                parameter.ty.text(&self.declarations)
            );
            if self.random.one_in(3) {
                parameter.has_default = true;
                text += &format!(" = {}", self.leaf(&parameter.ty));
            }
            self.scope
                .add(&parameter.name, parameter.ty.clone(), Binding::Let);
            parameters.push(text);
        }
        let count = self.random.below(self.size + 1);
        let mut lines = self.statements(count, 2);
        lines.push(self.expression(&function.result, 3));
        function.weight = (BODY - self.budget).max(1);
        let word = match function.receiver {
            None if self.random.one_in(5) => "workflow",
            None if self.random.one_in(6) => "tool",
            _ => "fn",
        };
        let receiver = function
            .receiver
            .map(|it| format!("{}.", self.declarations.records[it].name));
        let repeat = match word {
            "tool" => self.repeat_class(&function),
            _ => String::new(),
        };
        let text = format!(
            "{word} {}{}({}) -> {}{repeat} {{\n{}\n}}",
            receiver.unwrap_or_default(),
            function.name,
            parameters.join(", "),
            function.result.text(&self.declarations),
            indented(&lines),
        );
        self.declarations.functions.push(function);
        text
    }

    /// How a tool may be repeated, so that it can be called where code runs again.
    fn repeat_class(&mut self, tool: &Function) -> String {
        let shown = match tool.parameters.first() {
            Some(first) if self.random.one_in(2) => format!("${{{}}}", first.name),
            _ => String::new(),
        };
        match self.random.below(2) {
            0 => " reads".into(),
            _ => format!(" idempotent by \"key {shown}\""),
        }
    }

    fn head(&mut self) -> Function {
        let records = self.declarations.records.len();
        let receiver = (records > 0 && self.random.one_in(4)).then(|| self.random.below(records));
        let parameters = (0..self.random.below(4)).map(|_| Field {
            name: self.fresh("a"),
            ty: self.any_type(2),
            has_default: false,
            has_check: false,
        });
        let parameters = parameters.collect();
        Function {
            name: self.fresh("work"),
            receiver,
            parameters,
            result: self.any_type(2),
            weight: 0,
        }
    }

    /// A call of a function that gives `ty`, if there is one.
    pub(super) fn call(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let locals: Vec<_> = self
            .scope
            .functions
            .iter()
            .filter(|it| it.result == *ty)
            .cloned()
            .collect();
        if !locals.is_empty() && self.random.one_in(2) {
            let function = self.random.pick(&locals).clone();
            self.budget -= 50;
            let arguments: Vec<String> = function
                .parameters
                .iter()
                .map(|it| self.expression(it, depth - 1))
                .collect();
            return Some(format!("{}({})", function.name, arguments.join(", ")));
        }
        let declared = self.declarations.functions.iter();
        let fitting: Vec<Function> = declared
            .filter(|it| it.result == *ty && it.weight < self.budget)
            .cloned()
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let function = self.random.pick(&fitting).clone();
        self.budget -= function.weight;
        let arguments = self.arguments(&function.parameters, depth - 1);
        Some(match function.receiver {
            Some(record) => {
                let receiver = self.anchored(&Ty::Record(record), depth - 1);
                format!("{receiver}.{}({arguments})", function.name)
            }
            None => format!("{}({arguments})", function.name),
        })
    }

    /// Some arguments by position, the rest by name in any order, defaults now and then left out.
    fn arguments(&mut self, parameters: &[Field], depth: usize) -> String {
        let positional = self.random.below(parameters.len() + 1);
        let mut texts = Vec::new();
        for parameter in &parameters[..positional] {
            texts.push(self.expression(&parameter.ty, depth));
        }
        let mut named = Vec::new();
        for parameter in &parameters[positional..] {
            if parameter.has_default && self.random.one_in(2) {
                continue;
            }
            named.push(format!(
                "{}: {}",
                parameter.name,
                self.expression(&parameter.ty, depth)
            ));
        }
        self.random.shuffle(&mut named);
        texts.extend(named);
        texts.join(", ")
    }

    /// A call of a function that is in a value.
    fn stored_function(&mut self, depth: usize) -> String {
        let f = |it: &mut Self| it.held_function(depth - 1);
        let x = |it: &mut Self| it.expression(&Ty::Int, depth - 1);
        match self.random.below(4) {
            0 => format!("({})({})", f(self), x(self)),
            1 if self.scope.may_wait => {
                let name = self.fresh("t");
                let body = self.lambda(&[], &Ty::Int, depth - 1);
                format!("(do {{ let {name} = run; {name}({body}) }})")
            }
            // A constant is refused that calls what such a value gives: it may wait as far as is known.
            2 if self.scope.may_wait => {
                let name = self.fresh("t");
                let f = f(self);
                format!("(do {{ let {name} = keep; {name}({f})({}) }})", x(self))
            }
            _ => {
                let before = self.scope.clone();
                self.scope.enter_function();
                let x = x(self);
                self.scope = before;
                let first = format!("Handler {{ name: \"a\", run: {} }}", f(self));
                let (handler, name) = (self.fresh("p"), self.fresh("t"));
                let held = format!(
                    "let {name}: [Handler] = [{first}, Handler {{ name: \"b\", run: adder(3) }}]"
                );
                format!("(do {{ {held}; {name}.map({handler} => ({handler}.run)({x})).sum() }})")
            }
        }
    }

    /// A function from `int` to `int` that came from somewhere: out of a call, a variable, a list, a choice.
    fn held_function(&mut self, depth: usize) -> String {
        let f = |it: &mut Self| match depth {
            0 => it.function_value(&[Ty::Int], &Ty::Int, 0),
            _ => it.held_function(depth - 1),
        };
        match self.random.below(8) {
            0 => format!("adder({})", self.expression(&Ty::Int, depth)),
            1 => format!("compose({}, {})", f(self), f(self)),
            2 => format!("keep({})", f(self)),
            3 => format!("choose(true, {}, {})", f(self), f(self)),
            4 => {
                let name = self.fresh("w");
                format!(
                    "(do {{ var {name} = keep({}); {name} = {}; {name} }})",
                    f(self),
                    f(self)
                )
            }
            5 => format!("[{}, {}][0]", f(self), f(self)),
            6 if self.scope.may_wait => "keep(slowly)".to_owned(),
            _ => self.function_value(&[Ty::Int], &Ty::Int, depth),
        }
    }

    /// A call of a generic function of the library that gives `ty`.
    pub(super) fn generic_call(&mut self, ty: &Ty, depth: usize) -> String {
        match self.random.below(7) {
            6 if *ty == Ty::Int => self.stored_function(depth),
            0 => {
                let condition = self.expression(&Ty::Bool, depth - 1);
                let (a, b) = (self.anchored(ty, depth - 1), self.anchored(ty, depth - 1));
                format!("choose({condition}, {a}, {b})")
            }
            1 => {
                let x = self.anchored(ty, depth - 1);
                let f = self.function_value(std::slice::from_ref(ty), ty, depth - 1);
                format!("twice({x}, {f})")
            }
            2 if ty.is_ordered(&self.declarations) => {
                let (a, b) = (self.anchored(ty, depth - 1), self.anchored(ty, depth - 1));
                format!("smaller({a}, {b})")
            }
            3 => {
                let held = self.anchored(&Ty::Crate(Box::new(ty.clone())), depth - 1);
                format!("{held}.open()")
            }
            4 if *ty == Ty::Int => format!("triangle({})", self.random.below(30)),
            5 if matches!(ty, Ty::Optional(_)) => {
                let Ty::Optional(inside) = ty else {
                    return self.leaf(ty);
                };
                let f = self.lambda(&[], inside, depth - 1);
                format!("attempt({f})")
            }
            _ => {
                let from = self.scalar_type();
                let x = self.anchored(&from, depth - 1);
                let f = self.function_value(&[from], ty, depth - 1);
                format!("pass({x}, {f}).1")
            }
        }
    }
}
