//! A type of one body that holds literals, for another body to say which union each is one of.

use gsw_names::types::{TextVariable, Type};
use gsw_source::{Name, Span};

use crate::infer::table::{Table, rebuilt};

/// A type whose strings may yet be literals of a union.
pub(super) struct OpenType {
    /// With the variables of the table that it comes from.
    ty: Type,
    /// The literals that reach each of them.
    texts: Vec<(TextVariable, Vec<(Name, Span)>)>,
}

impl OpenType {
    /// A type that nothing is open of.
    pub(super) fn known(ty: Type) -> Self {
        Self {
            ty,
            texts: Vec::new(),
        }
    }
}

impl Table<'_> {
    /// `ty` for another table; `None` where more of it is unknown than literals tell.
    pub(super) fn opened(&self, ty: &Type) -> Option<OpenType> {
        if self.is_open(ty) || self.is_too_large(ty) {
            return None;
        }
        let mut texts = Vec::new();
        let ty = self.with_texts(ty, &mut texts);
        let is_told = texts.iter().all(|(_, literals)| !literals.is_empty());
        is_told.then_some(OpenType { ty, texts })
    }

    fn with_texts(&self, ty: &Type, texts: &mut Vec<(TextVariable, Vec<(Name, Span)>)>) -> Type {
        let ty = self.resolve(ty);
        let Type::Text(text) = ty else {
            return rebuilt(&ty, &mut |it, _| self.with_texts(it, texts));
        };
        if let Some(names) = self.texts.bound(text) {
            return Type::Literals(names);
        }
        texts.push((text, self.texts.literals(text)));
        ty
    }

    /// A type of another table, with variables of this one.
    pub(super) fn adopted(&mut self, open: &OpenType) -> Type {
        let mut texts = Vec::new();
        for (old, literals) in &open.texts {
            texts.push((*old, self.texts.above(literals)));
        }
        adopted(&open.ty, &texts)
    }
}

fn adopted(ty: &Type, texts: &[(TextVariable, TextVariable)]) -> Type {
    let Type::Text(text) = ty else {
        return rebuilt(ty, &mut |it, _| adopted(it, texts));
    };
    let own = texts.iter().find(|(old, _)| old == text);
    own.map_or_else(|| ty.clone(), |(_, own)| Type::Text(*own))
}
