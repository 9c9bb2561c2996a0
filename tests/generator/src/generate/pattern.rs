//! Patterns of a type; what they bind comes into scope.

use crate::generate::Generator;
use crate::generate::scope::Binding;
use crate::generate::type_choice::Ty;

impl Generator {
    /// The whole pattern of a `match` or `if let`: on an optional a name is the value inside.
    pub(super) fn pattern(&mut self, ty: &Ty, depth: usize) -> String {
        match ty {
            Ty::Optional(_) if self.random.one_in(4) => "none".into(),
            Ty::Optional(inside) => self.part(inside, depth),
            _ => self.part(ty, depth),
        }
    }

    /// A pattern that may be a name, which is then all that is there.
    fn part(&mut self, ty: &Ty, depth: usize) -> String {
        if self.random.one_in(4) {
            return "_".into();
        }
        if depth == 0 || self.random.one_in(4) {
            let name = self.fresh("b");
            self.scope.add(&name, ty.clone(), Binding::Let);
            return name;
        }
        self.shape(ty, depth)
    }

    /// A pattern that looks at the value.
    fn shape(&mut self, ty: &Ty, depth: usize) -> String {
        match ty {
            Ty::Optional(_) if self.random.one_in(3) => "none".into(),
            Ty::Optional(inside) => self.shape(inside, depth),
            Ty::Int => (*self
                .random
                .pick(&["0", "1", "-1", "2..=9", "0 | 3", "4..8"]))
            .into(),
            Ty::Bool => (*self.random.pick(&["true", "false"])).into(),
            Ty::Str => (*self.random.pick(&["\"a\"", "\"\"", "\"a\" | \"b\""])).into(),
            Ty::Mode => (*self.random.pick(&["\"fast\"", "\"slow\" | \"off\""])).into(),
            Ty::List(of) => self.list_pattern(of, depth),
            Ty::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|it| self.part(it, depth - 1)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::Record(index) => self.record_pattern(*index, depth),
            Ty::Enum(index) => self.variant_pattern(*index, depth),
            _ => "_".into(),
        }
    }

    fn list_pattern(&mut self, of: &Ty, depth: usize) -> String {
        let mut parts: Vec<String> = (0..self.random.below(3))
            .map(|_| self.part(of, depth - 1))
            .collect();
        match self.random.below(3) {
            0 => {}
            1 => parts.push("..".into()),
            _ => {
                let rest = self.fresh("b");
                self.scope.add(&rest, of.clone().list(), Binding::Let);
                parts.push(format!("..{rest}"));
            }
        }
        if self.random.one_in(4) {
            parts.push(self.part(of, depth - 1));
        }
        format!("[{}]", parts.join(", "))
    }

    fn record_pattern(&mut self, index: usize, depth: usize) -> String {
        let mut fields = self.declarations.records[index].fields.clone();
        self.random.shuffle(&mut fields);
        fields.truncate(1 + self.random.below(2));
        let mut parts: Vec<String> = fields
            .iter()
            .map(|it| format!("{}: {}", it.name, self.part(&it.ty, depth - 1)))
            .collect();
        parts.push("..".into());
        format!(
            "{} {{ {} }}",
            self.declarations.records[index].name,
            parts.join(", ")
        )
    }

    fn variant_pattern(&mut self, index: usize, depth: usize) -> String {
        let variants = self.declarations.enums[index].variants.clone();
        let (name, fields) = self.random.pick(&variants).clone();
        if fields.is_empty() {
            return name;
        }
        if self.random.one_in(3) {
            return format!("{name}(..)");
        }
        let parts: Vec<String> = fields
            .iter()
            .map(|(_, ty)| self.part(ty, depth - 1))
            .collect();
        format!("{name}({})", parts.join(", "))
    }
}
