//! What names an expression may use.

use crate::generate::type_choice::Ty;

/// How a local is bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binding {
    Let,
    Var,
}

#[derive(Clone, Debug)]
pub struct Local {
    pub name: String,
    pub ty: Ty,
    pub binding: Binding,
}

/// A function that is in a local.
#[derive(Clone, Debug)]
pub struct LocalFunction {
    pub name: String,
    pub parameters: Vec<Ty>,
    pub result: Ty,
}

#[derive(Clone, Default, Debug)]
pub struct Scope {
    pub locals: Vec<Local>,
    /// Locals that hold functions.
    pub functions: Vec<LocalFunction>,
    /// Whether code may sleep, start steps and tasks.
    pub may_wait: bool,
    /// Whether `state` is allowed here.
    pub has_states: bool,
    /// Whether there is a loop around that may be left.
    pub in_loop: bool,
    /// What `return` takes, where it is allowed.
    pub returns: Option<Ty>,
    /// Whether most errors are to be caught where they arise, so that more of the program runs.
    pub is_careful: bool,
    /// Whether `note(x, mark)` is there.
    pub has_note: bool,
}

impl Scope {
    pub fn add(&mut self, name: &str, ty: Ty, binding: Binding) {
        self.locals.push(Local {
            name: name.to_owned(),
            ty,
            binding,
        });
    }

    /// The locals of a type.
    pub fn of_type(&self, ty: &Ty) -> Vec<String> {
        let found = self.locals.iter().filter(|it| it.ty == *ty);
        found.map(|it| it.name.clone()).collect()
    }

    pub fn variables(&self) -> Vec<Local> {
        self.locals
            .iter()
            .filter(|it| it.binding == Binding::Var)
            .cloned()
            .collect()
    }

    /// As code sees it that others may run at any time: without what can be assigned.
    pub fn forget_variables(&mut self) {
        self.locals.retain(|it| it.binding == Binding::Let);
        self.functions.clear();
        self.has_note = false;
    }

    /// As a function value's own code sees it.
    pub fn enter_function(&mut self) {
        self.in_loop = false;
        self.has_states = false;
        self.is_careful = false;
        self.returns = None;
    }
}
