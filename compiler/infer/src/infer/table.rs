//! The unification table: what is known about the types that inference has yet to find.

use std::sync::Arc;

use gsw_names::types::{FunctionType, TextVariable, Type, TypeVariable, parts};
use gsw_names::{MOST_PARTS, Variance, is_larger, type_variances};
use gsw_source::{Db, ItemId, Name, Span};

use crate::infer::text::Texts;

/// What to say when a variable's type is never found.
#[derive(Clone, Debug)]
pub(super) enum Blame {
    /// A literal without elements, or a lambda's parameter without an annotation: the binding is reported.
    Binding,
    /// Nothing: the variable is for what no value ever has, or was reported.
    Suppressed,
    /// Nothing, also where something is asked of its values: a type that was reported has met it.
    Mistake,
}

/// All variables of one body.
pub(super) struct Table<'db> {
    pub(super) db: &'db dyn Db,
    entries: Vec<Entry>,
    /// What is known of strings that may yet be literals of a union.
    pub(super) texts: Texts,
}

/// On which side of a type another one is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Above,
    Below,
    /// On both: it is the same type.
    Both,
}

impl Side {
    fn turned(self) -> Self {
        match self {
            Self::Above => Self::Below,
            Self::Below => Self::Above,
            Self::Both => Self::Both,
        }
    }
}

struct Entry {
    bound: Option<Type>,
    blame: Blame,
    /// The default type: used if the first value that flows into it converts to it.
    default_type: Option<Type>,
    holds: Holds,
}

/// What of a value's type a variable takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Holds {
    All,
    /// What comes out of it is made of the values and passes no checks of theirs.
    Unchecked,
}

impl<'db> Table<'db> {
    pub(super) fn new(db: &'db dyn Db) -> Self {
        Self {
            db,
            entries: Vec::new(),
            texts: Texts::default(),
        }
    }

    pub(super) fn fresh(&mut self, blame: Blame) -> Type {
        let variable = TypeVariable(u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
        self.entries.push(Entry {
            bound: None,
            blame,
            default_type: None,
            holds: Holds::All,
        });
        Type::Variable(variable)
    }

    /// Makes the unbound `variable` one that takes values without their checks.
    pub(super) fn accumulate(&mut self, variable: TypeVariable) {
        if let Some(entry) = self.entries.get_mut(variable.0 as usize) {
            entry.holds = Holds::Unchecked;
        }
    }

    /// What a variable takes of a type that flows into it.
    pub(super) fn taken_by(&self, variable: TypeVariable, ty: &Type) -> Type {
        match self.entries.get(variable.0 as usize).map(|it| it.holds) {
            Some(Holds::Unchecked) => self.without_checks(ty),
            Some(Holds::All) | None => ty.clone(),
        }
    }

    /// The type below the checks of `ty`, and of its parts if it is a tuple.
    fn without_checks(&self, ty: &Type) -> Type {
        let plain = self.unchecked(ty);
        let Type::Tuple(parts) = &plain else {
            return plain;
        };
        Type::Tuple(parts.iter().map(|it| self.without_checks(it)).collect())
    }

    /// Makes `ty` the default type of the unbound `variable`, unless it has one.
    pub(super) fn set_default_type(&mut self, variable: TypeVariable, ty: &Type) {
        let ty = self.resolve(ty);
        if self.occurs(variable, &ty) {
            return;
        }
        if let Some(entry) = self.entries.get_mut(variable.0 as usize) {
            entry.default_type.get_or_insert(ty);
        }
    }

    /// The default type of `variable`.
    pub(super) fn default_type(&self, variable: TypeVariable) -> Option<&Type> {
        self.entries.get(variable.0 as usize)?.default_type.as_ref()
    }

    pub(super) fn take_default_type(&mut self, variable: TypeVariable) -> Option<Type> {
        self.entries
            .get_mut(variable.0 as usize)?
            .default_type
            .take()
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
        // A text that any string has reached is `string` for good, so no caller needs to know that it once was a variable.
        if let Type::Text(text) = current
            && let Some(settled) = self.texts.settled(*text)
        {
            return settled;
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
            .map_or(&Blame::Suppressed, |it| &it.blame)
    }

    /// Notes that `ty`, if it is unknown, stands for something whose type was reported.
    pub(super) fn blame_mistake(&mut self, ty: &Type) {
        if let Type::Variable(variable) = ty
            && let Some(entry) = self.entries.get_mut(variable.0 as usize)
        {
            entry.blame = Blame::Mistake;
        }
    }

    /// Whether a type that was reported has met one that is to be found.
    pub(super) fn has_mistake(&self) -> bool {
        let mut entries = self.entries.iter();
        entries.any(|it| matches!(it.blame, Blame::Mistake))
    }

    /// Suppresses the `cannot-infer-type` error for `variable`.
    pub(super) fn suppress(&mut self, variable: TypeVariable) {
        if let Some(entry) = self.entries.get_mut(variable.0 as usize) {
            entry.blame = Blame::Suppressed;
        }
    }

    /// Binds the unbound `variable` to `ty`. False when that would make a type that contains itself.
    pub(super) fn bind(&mut self, variable: TypeVariable, ty: &Type) -> bool {
        let ty = self.resolve(ty);
        if ty == Type::Variable(variable) {
            return true;
        }
        if let Type::Variable(other) = ty {
            // Two unknowns become one: the survivor must keep the reason to report it, and a default that either had.
            let blame = self.blame(variable).clone();
            let default_type = self.take_default_type(variable);
            let entry = &mut self.entries[other.0 as usize];
            if matches!(entry.blame, Blame::Suppressed) || matches!(blame, Blame::Mistake) {
                entry.blame = blame;
            }
            entry.default_type = entry.default_type.take().or(default_type);
        // The occurs check. Without it `f => f(f)` would bind a variable to a type around itself, and `resolve` would not end.
        } else if self.occurs(variable, &ty) {
            return false;
        }
        self.entries[variable.0 as usize].bound = Some(ty);
        true
    }

    /// Whether `variable` occurs in `ty`.
    pub(super) fn occurs(&self, variable: TypeVariable, ty: &Type) -> bool {
        self.has_part(ty, |it| *it == Type::Variable(variable))
    }

    /// Whether an unbound variable occurs in `ty`.
    pub(super) fn is_open(&self, ty: &Type) -> bool {
        self.has_part(ty, |it| matches!(it, Type::Variable(_)))
    }

    /// Whether one of the types that `ty` is made of is `wanted`; looks no further than [`MOST_PARTS`], since a larger type is
    /// refused at the latest when inference ends.
    fn has_part(&self, ty: &Type, wanted: impl Fn(&Type) -> bool) -> bool {
        let mut waiting = vec![self.resolve(ty)];
        let mut count = 0;
        while let Some(ty) = waiting.pop() {
            count += 1;
            if wanted(&ty) {
                return true;
            }
            if count > MOST_PARTS {
                return false;
            }
            waiting.extend(parts(&ty).iter().map(|it| self.resolve(it)));
        }
        false
    }

    /// Whether `ty`, with what is known by now, is larger than any that a program needs.
    pub(super) fn is_too_large(&self, ty: &Type) -> bool {
        is_larger(ty, |it| self.resolve(it))
    }

    /// `ty` with every bound variable replaced, and strings that may yet be literals by what they are as far as known. Invalid
    /// when that is too large.
    pub(super) fn zonk(&self, ty: &Type) -> Type {
        if self.is_too_large(ty) {
            return Type::Invalid;
        }
        self.replaced(ty)
    }

    fn replaced(&self, ty: &Type) -> Type {
        let ty = self.resolve(ty);
        if let Type::Text(text) = ty {
            return self.texts.best(text);
        }
        rebuilt(&ty, &mut |it, _| self.replaced(it))
    }

    /// The type of the string literal `text`.
    pub(super) fn literal(&mut self, text: &Name, span: Span) -> Type {
        Type::Text(self.texts.literal(text, span))
    }

    /// A type for strings that `ty`, a string, a union or one that may yet be one, flows into.
    pub(super) fn text_above(&mut self, ty: &Type) -> Type {
        let fresh = self.texts.fresh();
        self.text_into(ty, fresh);
        Type::Text(fresh)
    }

    /// Lets strings of `ty` flow into `text`. False when some of them may not be there.
    pub(super) fn text_into(&mut self, ty: &Type, text: TextVariable) -> bool {
        let ty = self.resolve(ty);
        if let Type::Text(lower) = ty {
            self.texts.flow(lower, text)
        } else if let Type::Literals(names) = ty {
            self.texts.reach_union(text, &names)
        } else {
            self.texts.reach_any(text)
        }
    }

    /// Whether `ty` holds strings that may yet be literals of a union.
    pub(super) fn holds_text(&self, ty: &Type) -> bool {
        self.has_part(ty, |it| matches!(it, Type::Text(_)))
    }

    /// `ty` with new types for the strings in it that may yet be literals, on that side of the old ones.
    pub(super) fn loosened(&mut self, ty: &Type, side: Side) -> Type {
        if !self.holds_text(ty) {
            return ty.clone();
        }
        let ty = self.resolve(ty);
        // Its items are of one type on both sides.
        if let Type::Queue(_) = ty {
            return ty;
        }
        let Type::Text(text) = ty else {
            return rebuilt(&ty, &mut |it, position| {
                let side = self.side_inside(side, &position);
                self.loosened(it, side)
            });
        };
        let flows = match side {
            Side::Above => |old, new| (old, new),
            Side::Below => |old, new| (new, old),
            Side::Both => return ty,
        };
        let fresh = self.texts.fresh();
        let (lower, upper) = flows(text, fresh);
        self.texts.flow(lower, upper);
        Type::Text(fresh)
    }

    /// The side of a part of a type that is on `side`.
    fn side_inside(&self, side: Side, position: &Position) -> Side {
        match position {
            Position::Inside => side,
            Position::Parameter => side.turned(),
            Position::Argument(item, index) => match type_variances(self.db, *item).get(*index) {
                Some(Variance::Covariant) => side,
                Some(Variance::Contravariant) => side.turned(),
                Some(Variance::Invariant) | None => Side::Both,
            },
        }
    }
}

/// The position of a part in a type.
pub(super) enum Position {
    Inside,
    /// A parameter of a function.
    Parameter,
    /// The argument of this number of a declared type.
    Argument(ItemId, usize),
}

/// `ty` with its parts as `part` makes them.
pub(super) fn rebuilt(ty: &Type, part: &mut dyn FnMut(&Type, Position) -> Type) -> Type {
    if let Type::Record(_, types) | Type::Enum(_, types) | Type::Checked(_, types) = ty
        && types.is_empty()
    {
        return ty.clone();
    }
    let mut arguments = |item: ItemId, types: &[Type]| -> Arc<[Type]> {
        let numbered = types.iter().enumerate();
        numbered
            .map(|(index, it)| part(it, Position::Argument(item, index)))
            .collect()
    };
    match ty {
        Type::Record(item, types) => Type::Record(*item, arguments(*item, types)),
        Type::Enum(item, types) => Type::Enum(*item, arguments(*item, types)),
        Type::Checked(item, types) => Type::Checked(*item, arguments(*item, types)),
        Type::Optional(inner) => part(inner, Position::Inside).optional(),
        Type::List(inner) => Type::List(Arc::new(part(inner, Position::Inside))),
        Type::Map(key, value) => Type::Map(
            Arc::new(part(key, Position::Inside)),
            Arc::new(part(value, Position::Inside)),
        ),
        Type::Tuple(types) => {
            Type::Tuple(types.iter().map(|it| part(it, Position::Inside)).collect())
        }
        Type::Function(function) => {
            let parameters = function.parameters.iter();
            Type::Function(Arc::new(FunctionType {
                // Parameters are contravariant: a function that may be used for another takes more, so its strings are on the other side.
                parameters: parameters.map(|it| part(it, Position::Parameter)).collect(),
                result: part(&function.result, Position::Inside),
                latent: function.latent.clone(),
            }))
        }
        Type::Task(inner) => Type::Task(Arc::new(part(inner, Position::Inside))),
        Type::Stream(inner) => Type::Stream(Arc::new(part(inner, Position::Inside))),
        Type::Queue(inner) => Type::Queue(Arc::new(part(inner, Position::Inside))),
        Type::Partial(inner) => Type::Partial(Arc::new(part(inner, Position::Inside))),
        Type::Unit
        | Type::Bool
        | Type::Int
        | Type::Float
        | Type::String
        | Type::Bytes
        | Type::Time
        | Type::Duration
        | Type::Json
        | Type::Secret
        | Type::Image
        | Type::Document
        | Type::Session
        | Type::Error
        | Type::Agent
        | Type::Never
        | Type::Literals(_)
        | Type::Parameter(..)
        | Type::Variable(_)
        | Type::Text(_)
        | Type::Invalid => ty.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Blame, Table};
    use gsw_names::types::Type;

    #[test]
    fn a_type_cannot_contain_itself() {
        let db = gsw_source::Database::default();
        let mut table = Table::new(&db);
        let variable = table.fresh(Blame::Suppressed);
        let Type::Variable(id) = variable else { return };
        assert!(!table.bind(id, &variable.clone().list()));
        assert!(table.bind(id, &Type::Int));
        assert_eq!(table.zonk(&variable.list()), Type::Int.list());
    }
}
