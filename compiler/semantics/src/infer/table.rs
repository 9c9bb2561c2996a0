//! The unification table: what is known about the types that inference has yet to find.

use std::sync::Arc;

use crate::types::{FunctionType, Type, TypeVariable};

/// What to say when a variable's type is never found.
#[derive(Clone, Debug)]
pub(super) enum Blame {
    /// A literal without elements, or a lambda's parameter without an annotation: the binding is reported.
    Binding,
    /// Nothing: the variable stands for what no value ever has.
    Quiet,
}

/// All variables of one body.
#[derive(Default)]
pub(super) struct Table {
    entries: Vec<Entry>,
}

struct Entry {
    bound: Option<Type>,
    blame: Blame,
    /// What it had better be, when the first value that it stands for can be converted to that.
    leaning: Option<Type>,
}

impl Table {
    /// A new variable.
    pub(super) fn fresh(&mut self, blame: Blame) -> Type {
        let variable = TypeVariable(u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
        self.entries.push(Entry {
            bound: None,
            blame,
            leaning: None,
        });
        Type::Variable(variable)
    }

    /// The unbound `variable` had better be `ty`.
    pub(super) fn lean(&mut self, variable: TypeVariable, ty: &Type) {
        let ty = self.resolve(ty);
        if self.occurs(variable, &ty) {
            return;
        }
        if let Some(entry) = self.entries.get_mut(variable.0 as usize) {
            entry.leaning.get_or_insert(ty);
        }
    }

    /// What `variable` had better be.
    pub(super) fn leaning(&self, variable: TypeVariable) -> Option<&Type> {
        self.entries.get(variable.0 as usize)?.leaning.as_ref()
    }

    /// The same, once.
    pub(super) fn take_leaning(&mut self, variable: TypeVariable) -> Option<Type> {
        self.entries.get_mut(variable.0 as usize)?.leaning.take()
    }

    /// What `ty` stands for as far as known, looking only at its head.
    pub(super) fn resolve(&self, ty: &Type) -> Type {
        let mut current = ty;
        while let Type::Variable(variable) = current {
            match self
                .entries
                .get(variable.0 as usize)
                .and_then(|it| it.bound.as_ref())
            {
                Some(bound) => current = bound,
                None => break,
            }
        }
        // `T??` is `T?`, also when the inner one is found later.
        if let Type::Optional(inner) = current
            && let Type::Variable(_) = **inner
            && let whole @ Type::Optional(_) = self.resolve(inner)
        {
            return whole;
        }
        current.clone()
    }

    /// Why `variable`, which is unbound, exists.
    pub(super) fn blame(&self, variable: TypeVariable) -> &Blame {
        self.entries
            .get(variable.0 as usize)
            .map_or(&Blame::Quiet, |it| &it.blame)
    }

    /// Nobody is to hear of `variable` again.
    pub(super) fn hush(&mut self, variable: TypeVariable) {
        if let Some(entry) = self.entries.get_mut(variable.0 as usize) {
            entry.blame = Blame::Quiet;
        }
    }

    /// Binds the unbound `variable` to `ty`. False when that would make a type that contains itself.
    pub(super) fn bind(&mut self, variable: TypeVariable, ty: &Type) -> bool {
        let ty = self.resolve(ty);
        if ty == Type::Variable(variable) {
            return true;
        }
        if let Type::Variable(other) = ty {
            let blame = self.blame(variable).clone();
            let leaning = self.take_leaning(variable);
            let entry = &mut self.entries[other.0 as usize];
            if matches!(entry.blame, Blame::Quiet) {
                entry.blame = blame;
            }
            entry.leaning = entry.leaning.take().or(leaning);
        } else if self.occurs(variable, &ty) {
            return false;
        }
        self.entries[variable.0 as usize].bound = Some(ty);
        true
    }

    /// Whether `variable` stands somewhere in `ty`.
    fn occurs(&self, variable: TypeVariable, ty: &Type) -> bool {
        match self.resolve(ty) {
            Type::Variable(other) => other == variable,
            other => parts(&other).iter().any(|it| self.occurs(variable, it)),
        }
    }

    /// Whether an unbound variable stands somewhere in `ty`.
    pub(super) fn is_open(&self, ty: &Type) -> bool {
        match self.resolve(ty) {
            Type::Variable(_) => true,
            other => parts(&other).iter().any(|it| self.is_open(it)),
        }
    }

    /// `ty` with every bound variable replaced.
    pub(super) fn zonk(&self, ty: &Type) -> Type {
        let one = |it: &Arc<Type>| Arc::new(self.zonk(it));
        let many = |it: &Arc<[Type]>| it.iter().map(|it| self.zonk(it)).collect();
        match self.resolve(ty) {
            Type::Optional(inner) => self.zonk(&inner).optional(),
            Type::List(inner) => Type::List(one(&inner)),
            Type::Map(key, value) => Type::Map(one(&key), one(&value)),
            Type::Tuple(types) => Type::Tuple(many(&types)),
            Type::Record(item, types) if !types.is_empty() => Type::Record(item, many(&types)),
            Type::Enum(item, types) if !types.is_empty() => Type::Enum(item, many(&types)),
            Type::Checked(item, types) if !types.is_empty() => Type::Checked(item, many(&types)),
            Type::Function(function) => Type::Function(Arc::new(FunctionType {
                parameters: function.parameters.iter().map(|it| self.zonk(it)).collect(),
                result: self.zonk(&function.result),
                latent: function.latent.clone(),
            })),
            Type::Task(inner) => Type::Task(one(&inner)),
            Type::Stream(inner) => Type::Stream(one(&inner)),
            Type::Partial(inner) => Type::Partial(one(&inner)),
            other => other,
        }
    }
}

/// The types that `ty` is made of.
pub(crate) fn parts(ty: &Type) -> Vec<Type> {
    match ty {
        Type::Optional(inner)
        | Type::List(inner)
        | Type::Task(inner)
        | Type::Stream(inner)
        | Type::Partial(inner) => vec![(**inner).clone()],
        Type::Map(key, value) => vec![(**key).clone(), (**value).clone()],
        Type::Tuple(types)
        | Type::Record(_, types)
        | Type::Enum(_, types)
        | Type::Checked(_, types) => types.to_vec(),
        Type::Function(function) => {
            let mut types = function.parameters.clone();
            types.push(function.result.clone());
            types
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Blame, Table};
    use crate::types::Type;

    #[test]
    fn a_type_cannot_contain_itself() {
        let mut table = Table::default();
        let variable = table.fresh(Blame::Quiet);
        let Type::Variable(id) = variable else { return };
        assert!(!table.bind(id, &variable.clone().list()));
        assert!(table.bind(id, &Type::Int));
        assert_eq!(table.zonk(&variable.list()), Type::Int.list());
    }
}
