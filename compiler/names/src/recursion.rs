//! Types that contain themselves: which have a finite value, by the least fixpoint over their declarations.

use std::collections::HashSet;

use gsw_source::{Db, Diagnostic, ItemId, ItemKind, Place};
use gsw_syntax::item_ast;

use crate::alias::alias_target;
use crate::declared_type::type_declaration;
use crate::errors;
use crate::signature::{Parameter, TypeDeclarationKind};
use crate::tree::declared_name;
use crate::types::Type;

/// A report when no value of the record, enum or error `item` could ever be finished because it holds another of itself.
pub fn recursion_diagnostic(db: &dyn Db, item: ItemId) -> Option<Diagnostic> {
    if !matches!(
        item.kind(db),
        ItemKind::Record | ItemKind::Enum | ItemKind::Error
    ) {
        return None;
    }
    let mut walk = Walk {
        db,
        open: vec![item],
        finite: HashSet::new(),
        hit: false,
        target: item,
    };
    if walk.declaration(item) || !walk.hit {
        return None;
    }
    let tree = item_ast(db, item)?;
    let name = declared_name(&tree)?;
    Some(errors::infinite_type(
        Place::Item {
            item,
            span: name.span,
        },
        &name.name,
    ))
}

struct Walk<'a> {
    db: &'a dyn Db,
    /// Declarations that are being looked into.
    open: Vec<ItemId>,
    /// Declarations known to have a finite value.
    finite: HashSet<ItemId>,
    target: ItemId,
    /// Whether `target` was met inside itself.
    hit: bool,
}

impl Walk<'_> {
    fn declaration(&mut self, item: ItemId) -> bool {
        match &type_declaration(self.db, item).declaration.kind {
            TypeDeclarationKind::Record(fields) => self.all(fields),
            TypeDeclarationKind::Enum(variants) => {
                variants.is_empty() || variants.iter().any(|variant| self.all(&variant.fields))
            }
            TypeDeclarationKind::Alias { target, .. } => self.ty(target),
        }
    }

    fn all(&mut self, fields: &[Parameter]) -> bool {
        fields.iter().all(|field| self.ty(&field.ty))
    }

    fn ty(&mut self, ty: &Type) -> bool {
        match ty {
            Type::Record(item, _) | Type::Enum(item, _) => self.item(*item),
            Type::Checked(item, _) => self.ty(&alias_target(self.db, *item)),
            Type::Tuple(them) => them.iter().all(|it| self.ty(it)),
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
            | Type::Optional(_)
            | Type::List(_)
            | Type::Map(..)
            | Type::Function(_)
            | Type::Task(_)
            | Type::Stream(_)
            | Type::Partial(_)
            | Type::Parameter(..)
            | Type::Variable(_)
            | Type::Text(_)
            | Type::Invalid => true,
        }
    }

    fn item(&mut self, item: ItemId) -> bool {
        if self.finite.contains(&item) {
            return true;
        }
        if self.open.contains(&item) {
            self.hit |= item == self.target;
            return false;
        }
        self.open.push(item);
        let is_finite = self.declaration(item);
        self.open.pop();
        if is_finite {
            self.finite.insert(item);
        }
        is_finite
    }
}
