//! Expressions of a type: forms that every type has.

use crate::generate::Generator;
use crate::generate::scope::Binding;
use crate::generate::statement::indented;
use crate::generate::type_choice::Ty;

impl Generator {
    /// An expression of type `ty`; at depth 0 a local or literal.
    pub(super) fn expression(&mut self, ty: &Ty, depth: usize) -> String {
        self.budget -= 1;
        if depth == 0 || self.budget <= 0 {
            return self.leaf(ty);
        }
        match self.random.below(16) {
            0..=2 => self.leaf(ty),
            3 => {
                let condition = self.expression(&Ty::Bool, depth - 1);
                let (a, b) = (
                    self.expression(ty, depth - 1),
                    self.expression(ty, depth - 1),
                );
                format!("(if ({condition}) {{ {a} }} else {{ {b} }})")
            }
            4 => self.match_expression(ty, depth),
            5 => self.block_expression(ty, depth),
            6 => self
                .call(ty, depth)
                .unwrap_or_else(|| self.specific(ty, depth)),
            7 if self.random.one_in(2) => self.caught(ty, depth - 1),
            8 => self.taken_out(ty, depth),
            9 if self.declarations.has_library => self.generic_call(ty, depth),
            10 if self.scope.may_wait && self.random.one_in(2) => {
                self.waiting_expression(ty, depth)
            }
            11 if self.random.one_in(3) && *ty != Ty::Json => {
                let json = self.anchored(ty, depth - 1);
                format!("(({json}).to_json() as {})", ty.text(&self.declarations))
            }
            _ => self.specific(ty, depth),
        }
    }

    /// An expression for a statement of its own.
    pub(super) fn value(&mut self, ty: &Ty, depth: usize) -> String {
        match self.scope.is_careful && !self.random.one_in(6) {
            true => self.caught(ty, depth),
            false => self.expression(ty, depth),
        }
    }

    /// An expression whose type is evident from itself.
    pub(super) fn anchored(&mut self, ty: &Ty, depth: usize) -> String {
        let locals = self.scope.of_type(ty);
        if !locals.is_empty() && self.random.one_in(2) {
            return self.random.pick(&locals).clone();
        }
        let value = self.expression(ty, depth);
        if ty.is_evident() {
            return format!("({value})");
        }
        let name = self.fresh("t");
        format!(
            "(do {{ let {name}: {} = {value}; {name} }})",
            ty.text(&self.declarations)
        )
    }

    /// An expression of which every error is caught.
    pub(super) fn caught(&mut self, ty: &Ty, depth: usize) -> String {
        let value = self.anchored(ty, depth);
        let mut arms = Vec::new();
        let errors: Vec<_> = self
            .declarations
            .errors
            .iter()
            .map(|it| (it.0.clone(), it.1.len()))
            .collect();
        if self.random.one_in(2) {
            let (name, fields) = self.random.pick(&errors).clone();
            arms.push(self.caught_error(ty, &name, fields, depth));
        }
        if self.random.one_in(3) {
            let fault = *self
                .random
                .pick(&["Overflow", "DivisionByZero", "OutOfRange"]);
            arms.push(format!("{fault} => {}", self.leaf(ty)));
        }
        if self.random.one_in(8) && *ty == Ty::Str {
            arms.push("Failed(m) => m".into());
        }
        let last = self.literal(ty, 0);
        arms.push(match self.random.below(5) {
            0 if !self.scope.is_careful => "e => fail e".into(),
            _ => format!("_ => {last}"),
        });
        format!("({value} catch {{ {} }})", arms.join(", "))
    }

    /// An arm for an error of the program.
    fn caught_error(&mut self, ty: &Ty, name: &str, fields: usize, depth: usize) -> String {
        let before = self.scope.clone();
        let declared = self.declarations.errors.iter().find(|it| it.0 == name);
        let types: Vec<Ty> = declared.map_or(Vec::new(), |it| {
            it.1.iter().map(|it| it.1.clone()).collect()
        });
        let mut names = Vec::new();
        let shown = if self.random.one_in(3) {
            1
        } else {
            types.len()
        };
        for field in types.into_iter().take(shown) {
            let name = self.fresh("b");
            self.scope.add(&name, field, Binding::Let);
            names.push(name);
        }
        let pattern = match fields {
            0 => name.to_owned(),
            _ if names.len() < fields => format!("{name}({}, ..)", names[0]),
            _ => format!("{name}({})", names.join(", ")),
        };
        let guard = match self.random.below(3) {
            0 => format!(" if ({})", self.expression(&Ty::Bool, depth.min(1))),
            _ => String::new(),
        };
        let body = self.leaf(ty);
        self.scope = before;
        format!("{pattern}{guard} => {body}")
    }

    /// A local of the type, or a literal.
    pub(super) fn leaf(&mut self, ty: &Ty) -> String {
        let mut found = self.scope.of_type(ty);
        found.extend(
            self.declarations
                .constants
                .iter()
                .filter(|it| it.1 == *ty)
                .map(|it| it.0.clone()),
        );
        if !found.is_empty() && !self.random.one_in(4) {
            let name = self.random.pick(&found).clone();
            return self.noted(ty, name);
        }
        let text = self.literal(ty, 1);
        self.noted(ty, text)
    }

    /// Now and then an int says when it was evaluated.
    fn noted(&mut self, ty: &Ty, text: String) -> String {
        if *ty == Ty::Int && self.scope.has_note && self.random.one_in(6) {
            let mark = self.fresh("m");
            return format!("note({text}, \"{mark}\")");
        }
        text
    }

    fn match_expression(&mut self, ty: &Ty, depth: usize) -> String {
        let matched = self.any_type(1);
        let value = self.anchored(&matched, depth - 1);
        let mut arms = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            let before = self.scope.clone();
            let pattern = self.pattern(&matched, 2);
            let guard = match self.random.below(4) {
                0 => format!(" if ({})", self.expression(&Ty::Bool, depth - 1)),
                _ => String::new(),
            };
            let body = self.expression(ty, depth - 1);
            self.scope = before;
            arms.push(format!("  {pattern}{guard} => ({body})"));
        }
        let last = self.leaf(ty);
        arms.push(format!("  _ => ({last})"));
        format!("(match ({value}) {{\n{}\n}})", arms.join("\n"))
    }

    fn block_expression(&mut self, ty: &Ty, depth: usize) -> String {
        let before = self.scope.clone();
        self.scope.has_states = false;
        let mut lines = self.statements(1 + self.size.min(2), depth - 1);
        lines.push(self.expression(ty, depth - 1));
        self.scope = before;
        format!("(do {{\n{}\n}})", indented(&lines))
    }

    /// A value that is inside another.
    fn taken_out(&mut self, ty: &Ty, depth: usize) -> String {
        match self.random.below(5) {
            0 => {
                let xs = self.anchored(&ty.clone().list(), depth - 1);
                format!("{xs}[{}]", self.small_int())
            }
            1 => {
                let key = self.key_type();
                let map = self.anchored(
                    &Ty::Map(Box::new(key.clone()), Box::new(ty.clone())),
                    depth - 1,
                );
                format!("{map}[{}]", self.leaf(&key))
            }
            2 => {
                let other = self.scalar_type();
                let pair = self.anchored(&Ty::Tuple(vec![other, ty.clone()]), depth - 1);
                format!("{pair}.1")
            }
            3 if !matches!(ty, Ty::Optional(_) | Ty::Json) => {
                let optional = self.anchored(&ty.clone().optional(), depth - 1);
                let otherwise = match self.random.below(4) {
                    0 => format!("fail {}", self.error_value(depth - 1)),
                    _ => self.leaf(ty),
                };
                format!("({optional} ?? {otherwise})")
            }
            _ => self.field(ty, depth),
        }
    }

    /// A field of a record that has one of the type.
    fn field(&mut self, ty: &Ty, depth: usize) -> String {
        let mut found = Vec::new();
        for (index, record) in self.declarations.records.iter().enumerate() {
            let fields = record.fields.iter().filter(|it| it.ty == *ty);
            found.extend(fields.map(|it| (index, it.name.clone())));
        }
        if found.is_empty() {
            return self.specific(ty, depth);
        }
        let (record, field) = self.random.pick(&found).clone();
        let record = self.anchored(&Ty::Record(record), depth - 1);
        format!("{record}.{field}")
    }

    pub(super) fn error_value(&mut self, depth: usize) -> String {
        if self.random.one_in(4) {
            let text = self.expression(&Ty::Str, depth);
            return format!("Failed({text})");
        }
        let errors = self.declarations.errors.clone();
        let (name, fields) = self.random.pick(&errors).clone();
        if fields.is_empty() {
            return name;
        }
        let fields: Vec<String> = fields
            .iter()
            .map(|(field, ty)| format!("{field}: {}", self.expression(ty, depth)))
            .collect();
        format!("{name}({})", fields.join(", "))
    }

    /// A function value: a lambda, a local, or a declaration's name.
    pub(super) fn function_value(
        &mut self,
        parameters: &[Ty],
        result: &Ty,
        depth: usize,
    ) -> String {
        let fits = |them: &[Ty], gives: &Ty| them == parameters && gives == result;
        let mut named: Vec<String> = Vec::new();
        let locals = self
            .scope
            .functions
            .iter()
            .filter(|it| fits(&it.parameters, &it.result));
        named.extend(locals.map(|it| it.name.clone()));
        for it in &self.declarations.functions {
            let types: Vec<Ty> = it.parameters.iter().map(|it| it.ty.clone()).collect();
            if it.receiver.is_none() && fits(&types, &it.result) && it.weight * 8 < self.budget {
                named.push(it.name.clone());
            }
        }
        if !named.is_empty() && self.random.one_in(2) {
            self.budget -= 100;
            return self.random.pick(&named).clone();
        }
        self.lambda(parameters, result, depth)
    }

    pub(super) fn lambda(&mut self, parameters: &[Ty], result: &Ty, depth: usize) -> String {
        let before = self.scope.clone();
        self.scope.enter_function();
        let mut names = Vec::new();
        for ty in parameters {
            let name = self.fresh("p");
            names.push(format!("{name}: {}", ty.text(&self.declarations)));
            self.scope.add(&name, ty.clone(), Binding::Let);
        }
        let text = if depth > 0 && self.random.one_in(3) {
            let mut lines = self.statements(2, depth - 1);
            lines.push(self.anchored(result, depth - 1));
            format!("({}) => {{\n{}\n}}", names.join(", "), indented(&lines))
        } else {
            format!(
                "({}) => ({})",
                names.join(", "),
                self.anchored(result, depth.saturating_sub(1))
            )
        };
        self.scope = before;
        text
    }
}
