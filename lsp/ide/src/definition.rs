//! `textDocument/definition`: where the name at a place is declared.

use gsw_infer::Reference;
use gsw_names::TypeDeclarationKind;
use gsw_source::{Db, File, ItemId, Place, Span};

use crate::cursor::cursor;
use crate::declared_name::name_span;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target {
    pub place: Place,
}

/// The declaration of the name at byte `offset` of `file`.
#[must_use]
pub fn definition(db: &dyn Db, file: File, offset: u32) -> Option<Target> {
    let cursor = cursor(db, file, offset)?;
    let place = match cursor.reference {
        Reference::Local { part, local } => {
            let body = gsw_infer::body(db, cursor.item, part)?;
            Place::Item {
                item: cursor.item,
                span: body.local(local).span,
            }
        }
        Reference::Item(item) => Place::Item {
            item,
            span: name_span(db, item)?,
        },
        Reference::Variant { item, variant } => Place::Item {
            item,
            span: variant_span(db, item, variant)?,
        },
        Reference::Field {
            item,
            variant,
            field,
        } => Place::Item {
            item,
            span: field_span(db, item, variant, field)?,
        },
        Reference::Module(file) => Place::File {
            file,
            span: Span::new(0, 0),
        },
    };
    Some(Target { place })
}

fn variant_span(db: &dyn Db, item: ItemId, variant: u32) -> Option<Span> {
    match &gsw_names::type_declaration(db, item).declaration.kind {
        TypeDeclarationKind::Enum(variants) => variants.get(variant as usize).map(|it| it.span),
        TypeDeclarationKind::Record(_) | TypeDeclarationKind::Alias { .. } => None,
    }
}

fn field_span(db: &dyn Db, item: ItemId, variant: u32, field: u32) -> Option<Span> {
    let fields = match &gsw_names::type_declaration(db, item).declaration.kind {
        TypeDeclarationKind::Record(fields) => fields,
        TypeDeclarationKind::Enum(variants) => &variants.get(variant as usize)?.fields,
        TypeDeclarationKind::Alias { .. } => return None,
    };
    fields.get(field as usize).map(|it| it.span)
}
