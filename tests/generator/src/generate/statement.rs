//! Statements; what they bind comes into scope.

use crate::generate::Generator;
use crate::generate::scope::{Binding, Local, LocalFunction};
use crate::generate::type_choice::Ty;

/// Lines one level deeper.
pub fn indented(lines: &[String]) -> String {
    let lines = lines.iter().flat_map(|it| it.lines());
    lines
        .map(|it| format!("  {it}"))
        .collect::<Vec<_>>()
        .join("\n")
}

impl Generator {
    pub(super) fn statements(&mut self, count: usize, depth: usize) -> Vec<String> {
        let mut lines = Vec::new();
        for _ in 0..count {
            if self.budget <= 0 {
                break;
            }
            lines.push(self.statement(depth));
        }
        lines
    }

    fn statement(&mut self, depth: usize) -> String {
        let below = depth.saturating_sub(1);
        match self.random.below(24) {
            0..=5 => self.binding(depth),
            6..=8 => self.variable(depth),
            9..=12 => self.assignment(depth),
            13 => self.local_function(below),
            14 => self.branch(below),
            15 => self.loop_over(below),
            16 => self.counted_loop(below),
            17 => self.deferred(),
            18 => self.destructuring(below),
            19 => self.leaving(below),
            20 => self.if_let(below),
            21 | 22 if self.scope.may_wait => self.waiting_statement(below),
            22 => {
                let ty = self.any_type(2);
                let value = self.anchored(&ty, below);
                match self.random.below(2) {
                    0 => format!("emit {value}"),
                    _ => format!("log.info(\"x\", {value})"),
                }
            }
            23 if self.random.one_in(6) => {
                let condition = self.expression(&Ty::Bool, below);
                format!("assert ({condition}), \"it holds\"")
            }
            _ => self.binding(depth),
        }
    }

    /// Lines of a block of its own.
    pub(super) fn block(&mut self, count: usize, depth: usize) -> String {
        let before = self.scope.clone();
        self.scope.has_states = false;
        let lines = self.statements(count, depth);
        self.scope = before;
        indented(&lines)
    }

    fn binding(&mut self, depth: usize) -> String {
        let ty = self.any_type(2);
        if let Some(value) = self.unsaid(&ty) {
            let name = self.fresh("v");
            self.scope.add(&name, ty, Binding::Let);
            return format!("let {name} = {value}");
        }
        let value = self.value(&ty, depth);
        let shadowed = self
            .scope
            .locals
            .iter()
            .filter(|it| it.binding == Binding::Let && it.ty == ty);
        let shadowed: Vec<String> = shadowed
            .map(|it| it.name.clone())
            .filter(|it| it != "self")
            .collect();
        let name = match self.random.below(8) {
            0 if !shadowed.is_empty() => self.random.pick(&shadowed).clone(),
            _ => self.fresh("v"),
        };
        let annotation = match ty.is_evident() && self.random.one_in(2) {
            true => String::new(),
            false => format!(": {}", ty.text(&self.declarations)),
        };
        self.scope.locals.retain(|it| it.name != name);
        self.scope.add(&name, ty, Binding::Let);
        format!("let {name}{annotation} = {value}")
    }

    /// A value that is one of a union only because of what it is used for.
    fn unsaid(&mut self, ty: &Ty) -> Option<String> {
        if self.random.one_in(3) {
            return None;
        }
        match ty {
            Ty::Mode => Some(self.literal(ty, 0)),
            Ty::List(of) if **of == Ty::Mode => {
                let first = self.literal(of, 0);
                Some(format!("[{first}, {}]", self.literal(of, 0)))
            }
            Ty::Tuple(parts) if parts.iter().all(|it| *it == Ty::Mode || it.is_evident()) => {
                Some(self.literal(ty, 1))
            }
            _ => None,
        }
    }

    fn variable(&mut self, depth: usize) -> String {
        let ty = self.any_type(2);
        if let Some(value) = self.unsaid(&ty) {
            let name = self.fresh("w");
            self.scope.add(&name, ty, Binding::Var);
            return format!("var {name} = {value}");
        }
        let value = self.value(&ty, depth);
        let name = self.fresh("w");
        let word = match self.scope.has_states && self.random.one_in(4) {
            true => "state",
            false => "var",
        };
        let text = format!("{word} {name}: {} = {value}", ty.text(&self.declarations));
        self.scope.add(&name, ty, Binding::Var);
        text
    }

    fn assignment(&mut self, depth: usize) -> String {
        let variables = self.scope.variables();
        if variables.is_empty() {
            return self.variable(depth);
        }
        let variable = self.random.pick(&variables).clone();
        if variable.name != "trail"
            && self.random.one_in(2)
            && let Some(text) = self.part_assignment(&variable, depth)
        {
            return text;
        }
        let adds = matches!(
            variable.ty,
            Ty::Int | Ty::Float | Ty::Str | Ty::List(_) | Ty::Duration
        );
        let operator = match (self.random.below(3), &variable.ty) {
            (0, Ty::Int | Ty::Float) => *self.random.pick(&["-=", "*="]),
            (0 | 1, _) if adds => "+=",
            _ if variable.name == "trail" => "+=",
            _ => "=",
        };
        let before = self.scope.clone();
        if operator == "+=" && matches!(variable.ty, Ty::Str | Ty::List(_)) {
            // What is added to itself again and again needs more memory than there is.
            self.scope.locals.retain(|it| it.ty != variable.ty);
            self.scope.functions.retain(|it| it.result != variable.ty);
        }
        let value = self.value(&variable.ty, depth);
        self.scope = before;
        format!("{} {operator} {value}", variable.name)
    }

    /// An assignment to a part of a variable, which may not be there; `None` when it has no parts.
    fn part_assignment(&mut self, variable: &Local, depth: usize) -> Option<String> {
        let (place, ty) = self.place(variable)?;
        let (operator, given) = match (self.random.below(3), &ty) {
            (0, Ty::Int | Ty::Float) => (*self.random.pick(&["-=", "*=", "/="]), ty.clone()),
            (0, Ty::Percent) => (*self.random.pick(&["+=", "-=", "%="]), Ty::Int),
            (0 | 1, Ty::Int | Ty::Float | Ty::Str | Ty::List(_) | Ty::Duration) => {
                ("+=", ty.clone())
            }
            _ => ("=", ty.clone()),
        };
        let before = self.scope.clone();
        // What holds itself again and again needs more memory than there is.
        self.scope
            .locals
            .retain(|it| it.ty != variable.ty && it.ty != ty);
        self.scope.functions.clear();
        let value = self.value(&given, depth.saturating_sub(1));
        self.scope = before;
        Some(format!(
            "do {{ {place} {operator} {value} }} catch {{ _ => emit \"no such part\" }}"
        ))
    }

    /// A part of a variable and its type.
    fn place(&mut self, variable: &Local) -> Option<(String, Ty)> {
        let mut place = variable.name.clone();
        let mut ty = variable.ty.clone();
        for _ in 0..=self.random.below(3) {
            ty = match &ty {
                Ty::List(of) => {
                    place += &format!("[{}]", self.random.below(3));
                    (**of).clone()
                }
                Ty::Map(key, of) => {
                    place += &format!("[{}]", self.literal(key, 0));
                    (**of).clone()
                }
                Ty::Tuple(parts) => {
                    let index = self.random.below(parts.len());
                    place += &format!(".{index}");
                    parts[index].clone()
                }
                Ty::Record(index) => {
                    let fields = &self.declarations.records[*index].fields;
                    let field = self.random.pick(fields);
                    place += &format!(".{}", field.name);
                    field.ty.clone()
                }
                Ty::Crate(of) => {
                    place += ".value";
                    (**of).clone()
                }
                Ty::Int
                | Ty::Float
                | Ty::Bool
                | Ty::Str
                | Ty::Duration
                | Ty::Json
                | Ty::Optional(_)
                | Ty::Enum(_)
                | Ty::Mode
                | Ty::Percent
                | Ty::Tree(_) => break,
            };
        }
        (place != variable.name).then_some((place, ty))
    }

    fn local_function(&mut self, depth: usize) -> String {
        let parameters: Vec<Ty> = (0..self.random.below(3))
            .map(|_| self.any_type(1))
            .collect();
        let result = self.any_type(1);
        let before = self.budget;
        let lambda = self.lambda(&parameters, &result, depth);
        // What it does counts once more for every call.
        self.budget = before - (before - self.budget) * 3;
        let name = self.fresh("g");
        let types: Vec<String> = parameters
            .iter()
            .map(|it| it.text(&self.declarations))
            .collect();
        let ty = format!(
            "fn({}) -> {}",
            types.join(", "),
            result.text(&self.declarations)
        );
        self.scope.functions.push(LocalFunction {
            name: name.clone(),
            parameters,
            result,
        });
        format!("let {name}: {ty} = {lambda}")
    }

    fn branch(&mut self, depth: usize) -> String {
        let condition = self.value(&Ty::Bool, depth);
        let then = self.block(2, depth);
        if self.random.one_in(2) {
            return format!("if ({condition}) {{\n{then}\n}}");
        }
        format!(
            "if ({condition}) {{\n{then}\n}} else {{\n{}\n}}",
            self.block(2, depth)
        )
    }

    fn if_let(&mut self, depth: usize) -> String {
        let ty = self.any_type(1).optional();
        let value = self.value(&ty, depth);
        let before = self.scope.clone();
        let annotated = self.fresh("t");
        let shown = ty.text(&self.declarations);
        let first = format!("let {annotated}: {shown} = {value}");
        if self.random.one_in(4) {
            let leave = self.leave(depth);
            let pattern = self.pattern(&ty, 1);
            return format!("{first}\nlet {pattern} = {annotated} else {{ {leave} }}");
        }
        let mut condition = String::new();
        if self.random.one_in(4) {
            let earlier = self.value(&Ty::Bool, depth);
            condition = format!("({earlier}) and ");
        }
        let pattern = self.pattern(&ty, 1);
        condition += &format!("let {pattern} = {annotated}");
        if self.random.one_in(2) {
            let later = self.value(&Ty::Bool, depth);
            condition += &format!(" and ({later})");
        }
        let kind = self.random.below(4);
        // A `continue` would run the loop for ever.
        self.scope.in_loop &= kind != 0;
        let then = self.block(2, depth);
        self.scope = before;
        match kind {
            0 => format!("{first}\nwhile {condition} {{\n{then}\nbreak\n}}"),
            1 => {
                let otherwise = self.block(2, depth);
                format!("{first}\nif {condition} {{\n{then}\n}} else {{\n{otherwise}\n}}")
            }
            _ => format!("{first}\nif {condition} {{\n{then}\n}}"),
        }
    }

    fn loop_over(&mut self, depth: usize) -> String {
        let before = self.scope.clone();
        let head = match self.random.below(3) {
            0 => {
                let name = self.fresh("i");
                self.scope.add(&name, Ty::Int, Binding::Let);
                let to = self.random.below(6);
                format!(
                    "{name} in {}..{}{to}",
                    self.small_int(),
                    self.random.pick(&["", "="])
                )
            }
            1 => {
                let (key, of) = (self.key_type(), self.any_type(1));
                let map =
                    self.anchored(&Ty::Map(Box::new(key.clone()), Box::new(of.clone())), depth);
                let (k, v) = (self.fresh("k"), self.fresh("i"));
                self.scope.add(&k, key, Binding::Let);
                self.scope.add(&v, of, Binding::Let);
                format!("({k}, {v}) in ({map})")
            }
            _ => {
                let of = self.any_type(1);
                let xs = self.anchored(&of.clone().list(), depth);
                let name = self.fresh("i");
                self.scope.add(&name, of, Binding::Let);
                format!("{name} in ({xs})")
            }
        };
        self.scope.in_loop = true;
        let body = self.repeated(depth);
        self.scope = before;
        format!("for {head} {{\n{body}\n}}")
    }

    fn counted_loop(&mut self, depth: usize) -> String {
        let counter = self.fresh("n");
        let limit = self.random.below(5);
        let before = self.scope.clone();
        self.scope.add(&counter, Ty::Int, Binding::Let);
        self.scope.in_loop = true;
        let body = self.repeated(depth);
        self.scope = before;
        format!("var {counter} = 0\nwhile {counter} < {limit} {{\n  {counter} += 1\n{body}\n}}")
    }

    /// The body of a loop, whose work counts several times.
    fn repeated(&mut self, depth: usize) -> String {
        let before = self.budget;
        self.budget /= 5;
        let given = self.budget;
        let body = self.block(2, depth);
        self.budget = before - 5 * (given - self.budget);
        body
    }

    /// A block that is run when the one around it is left.
    pub(super) fn deferred(&mut self) -> String {
        let logs: Vec<_> = self.scope.variables();
        let logs: Vec<_> = logs
            .into_iter()
            .filter(|it| it.ty == Ty::Str.list())
            .collect();
        if logs.is_empty() {
            return self.binding(1);
        }
        let log = self.random.pick(&logs).name.clone();
        let mark = self.fresh("d");
        format!("defer {{ {log} += [\"{mark}\"] }}")
    }

    fn destructuring(&mut self, depth: usize) -> String {
        let parts = [self.any_type(1), self.any_type(1)];
        let pair = self.anchored(&Ty::Tuple(parts.to_vec()), depth);
        let names = [self.fresh("v"), self.fresh("v")];
        for (name, ty) in names.iter().zip(parts) {
            self.scope.add(name, ty, Binding::Let);
        }
        format!("let ({}, {}) = {pair}", names[0], names[1])
    }

    /// What leaves a loop or function, or fails, under a condition.
    fn leaving(&mut self, depth: usize) -> String {
        let condition = self.value(&Ty::Bool, depth);
        let leave = self.leave(depth);
        format!("if ({condition}) {{ {leave} }}")
    }

    fn leave(&mut self, depth: usize) -> String {
        match (
            self.random.below(3),
            self.scope.in_loop,
            self.scope.returns.clone(),
        ) {
            (0, true, _) => (*self.random.pick(&["break", "continue"])).to_owned(),
            (1, _, Some(ty)) => format!("return {}", self.expression(&ty, depth)),
            _ => format!("fail {}", self.error_value(depth)),
        }
    }
}
