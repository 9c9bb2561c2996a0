//! Random programs that have no errors: the same seed always gives the same program.
//!
//! Every statement is on lines of its own, so that dropping lines makes smaller programs.

mod collection;
mod composed;
mod concurrent;
mod declaration;
mod expression;
mod function;
mod library;
mod pattern;
pub(crate) mod random;
mod scalar;
mod scope;
mod statement;
mod type_choice;

use crate::generate::declaration::Declarations;
use crate::generate::random::Random;
use crate::generate::scope::Scope;
use crate::generate::type_choice::Ty;

/// A program by its seed; `size` is how many statements its larger blocks may have, from 1.
#[must_use]
pub fn generate(seed: u64, size: usize) -> String {
    let mut generator = Generator {
        random: Random::new(seed),
        declarations: Declarations::default(),
        scope: Scope::default(),
        size: size.max(1),
        names: 0,
        budget: 0,
    };
    generator.program()
}

/// A program on its way.
struct Generator {
    random: Random,
    declarations: Declarations,
    scope: Scope,
    size: usize,
    /// How many names have been made.
    names: usize,
    /// How much the current body may still do, times loops around it.
    budget: i64,
}

impl Generator {
    fn program(&mut self) -> String {
        let mut items = self.declare();
        let functions = 1 + self.random.below(self.size.min(5));
        for _ in 0..functions {
            items.push(self.function());
        }
        for _ in 0..self.random.below(3) {
            items.push(self.composed());
        }
        items.push(self.main());
        items.join("\n\n") + "\n"
    }

    /// A name that nothing else has.
    fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    /// `main`: some statements, then what is to be compared.
    fn main(&mut self) -> String {
        self.scope = Scope::default();
        self.budget = 20_000;
        self.scope.may_wait = true;
        self.scope.is_careful = true;
        self.scope.has_states = true;
        let mut lines = vec![
            "var trail: [string] = []".to_owned(),
            "let note = (x: int, mark: string) => {\n  trail += [mark]\n  x\n}".to_owned(),
        ];
        self.scope.add("trail", Ty::Str.list(), scope::Binding::Var);
        self.scope.has_note = true;
        let statements = 2 + self.random.below(self.size * 2);
        lines.extend(self.statements(statements, 3));
        let mut results = Vec::new();
        let mut types = Vec::new();
        for _ in 0..1 + self.random.below(4) {
            let ty = self.any_type(2);
            let value = self.caught(&ty, 3);
            types.push(ty.text(&self.declarations));
            results.push(value);
        }
        types.push("[string]".into());
        results.push("trail".into());
        lines.push(format!("({})", results.join(", ")));
        let body = statement::indented(&lines);
        format!("workflow main() -> ({}) {{\n{body}\n}}", types.join(", "))
    }
}
