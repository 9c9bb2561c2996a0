//! Query `type_declaration`: the inside of records, enums, aliases and errors.

use std::sync::Arc;

use gsw_source::{Db, Diagnostic, ItemId, Name, Place, Span};
use gsw_syntax::ast;

use crate::alias::{alias_diagnostics, alias_target, has_check};
use crate::attribute::{AttributeTarget, Attributes, read_attributes};
use crate::errors;
use crate::generics::generics_of;
use crate::lower_type::{is_type_name, lower_type};
use crate::signature::{Parameter, Presence, TypeDeclaration, TypeDeclarationKind, Variant};
use crate::tree::item_head;
use crate::types::Type;

/// A type declaration with what is wrong in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckedTypeDeclaration {
    /// Its inside. Of an item that declares no type a record without fields.
    pub declaration: Arc<TypeDeclaration>,
    /// Errors and warnings, places relative to the item.
    pub diagnostics: Vec<Diagnostic>,
}

/// The inside of the record, enum, alias or error `item`.
#[salsa::tracked(returns(ref))]
pub fn type_declaration(db: &dyn Db, item: ItemId) -> CheckedTypeDeclaration {
    let generics = generics_of(db, item);
    let mut diagnostics = Vec::new();
    let mut fields = Fields {
        db,
        item,
        generics: &generics,
        sink: &mut diagnostics,
    };
    let ast = item_head(db, item);
    let kind = match ast.as_ref().map(|it| &it.body) {
        Some(ast::ItemBody::Record(record)) => {
            TypeDeclarationKind::Record(fields.record(&record.fields))
        }
        Some(ast::ItemBody::Enum(declaration)) => {
            TypeDeclarationKind::Enum(fields.variants(&declaration.variants))
        }
        Some(ast::ItemBody::Error(error)) => {
            TypeDeclarationKind::Record(fields.payload(&error.fields))
        }
        Some(ast::ItemBody::Alias { .. }) => {
            fields.sink.extend_from_slice(alias_diagnostics(db, item));
            TypeDeclarationKind::Alias {
                target: alias_target(db, item),
                check: presence(has_check(db, item)),
            }
        }
        Some(
            ast::ItemBody::Import(_)
            | ast::ItemBody::Function(_)
            | ast::ItemBody::Const(_)
            | ast::ItemBody::Agent { .. }
            | ast::ItemBody::Prompt { .. }
            | ast::ItemBody::Workflow { .. }
            | ast::ItemBody::Tool { .. }
            | ast::ItemBody::Mcp { .. }
            | ast::ItemBody::Hook { .. }
            | ast::ItemBody::Human { .. }
            | ast::ItemBody::External { .. }
            | ast::ItemBody::Skill { .. }
            | ast::ItemBody::Test { .. }
            | ast::ItemBody::Permissions { .. }
            | ast::ItemBody::Invalid,
        )
        | None => TypeDeclarationKind::Record(Vec::new()),
    };
    if let Some(ast) = &ast {
        read_attributes(
            db,
            item,
            &ast.attributes,
            AttributeTarget::Declaration,
            &mut diagnostics,
        );
    }
    CheckedTypeDeclaration {
        declaration: Arc::new(TypeDeclaration { generics, kind }),
        diagnostics,
    }
}

/// Whether `item` is an enum of which no variant has a payload. Reads the tree only.
pub fn is_plain_enum(db: &dyn Db, item: ItemId) -> bool {
    let ast = item_head(db, item);
    let Some(ast::ItemBody::Enum(declared)) = ast.as_deref().map(|it| &it.body) else {
        return false;
    };
    let mut variants = declared.variants.iter();
    variants.all(|it| it.fields.is_empty())
}

pub(crate) fn presence(is_there: bool) -> Presence {
    if is_there {
        Presence::Present
    } else {
        Presence::Absent
    }
}

struct Fields<'a> {
    db: &'a dyn Db,
    item: ItemId,
    generics: &'a [Name],
    sink: &'a mut Vec<Diagnostic>,
}

impl Fields<'_> {
    fn record(&mut self, fields: &[ast::FieldDeclaration]) -> Vec<Parameter> {
        self.report_repeats(fields.iter().map(|it| &it.name), "field");
        let fields: Vec<Parameter> = fields.iter().map(|field| self.field(field)).collect();
        self.report_wire_repeats(fields.iter().map(|it| (&it.name, &it.wire, it.span)));
        fields
    }

    fn field(&mut self, field: &ast::FieldDeclaration) -> Parameter {
        let attributes = self.attributes(&field.attributes, AttributeTarget::Field);
        Parameter {
            name: field.name.name.clone(),
            wire: attributes.alias.unwrap_or_else(|| field.name.name.clone()),
            docs: field.docs.as_deref().map(Arc::from),
            ty: self.lower(&field.ty),
            default: presence(field.default.is_some()),
            check: presence(field.check.is_some()),
            secret: attributes.secret,
            trusted: Presence::Absent,
            span: field.name.span,
        }
    }

    fn variants(&mut self, variants: &[ast::Variant]) -> Vec<Variant> {
        self.report_repeats(variants.iter().map(|it| &it.name), "variant");
        let variants: Vec<Variant> = variants
            .iter()
            .map(|variant| self.variant(variant))
            .collect();
        self.report_wire_repeats(variants.iter().map(|it| (&it.name, &it.wire, it.span)));
        variants
    }

    fn variant(&mut self, variant: &ast::Variant) -> Variant {
        let attributes = self.attributes(&variant.attributes, AttributeTarget::Variant);
        Variant {
            name: variant.name.name.clone(),
            wire: attributes
                .alias
                .unwrap_or_else(|| variant.name.name.clone()),
            docs: variant.docs.as_deref().map(Arc::from),
            fields: self.payload(&variant.fields),
            span: variant.name.span,
        }
    }

    fn payload(&mut self, fields: &[ast::Parameter]) -> Vec<Parameter> {
        // A type without a name is no name, also where it stands twice.
        let (unnamed, named): (Vec<_>, Vec<_>) = fields.iter().partition(|it| is_unnamed(it));
        self.report_repeats(named.iter().map(|it| &it.name), "field");
        for (index, field) in unnamed.iter().enumerate() {
            let place = Place::Item {
                item: self.item,
                span: field.name.span,
            };
            let name = match (unnamed.len(), index) {
                (1, _) => "value".to_owned(),
                (_, 0) => "first".to_owned(),
                (_, 1) => "second".to_owned(),
                (_, _) => format!("field{}", index + 1),
            };
            let ty = &field.name.name;
            self.sink
                .push(errors::payload_without_name(place, &name, ty));
        }
        let fields: Vec<Parameter> = fields
            .iter()
            .map(|field| self.payload_field(field))
            .collect();
        self.report_wire_repeats(fields.iter().map(|it| (&it.name, &it.wire, it.span)));
        for field in fields.iter().filter(|it| it.wire == "kind") {
            let place = Place::Item {
                item: self.item,
                span: field.span,
            };
            self.sink.push(errors::payload_called_kind(place));
        }
        fields
    }

    fn payload_field(&mut self, field: &ast::Parameter) -> Parameter {
        let attributes = self.attributes(&field.attributes, AttributeTarget::Field);
        Parameter {
            name: field.name.name.clone(),
            wire: attributes.alias.unwrap_or_else(|| field.name.name.clone()),
            docs: field.docs.as_deref().map(Arc::from),
            ty: match &field.ty {
                Some(ty) => self.lower(ty),
                // Which of both it is was reported; what takes it is no further mistake.
                None if is_unnamed(field) => Type::Invalid,
                None => Type::String,
            },
            default: presence(field.default.is_some()),
            check: Presence::Absent,
            secret: attributes.secret,
            trusted: Presence::Absent,
            span: field.name.span,
        }
    }

    fn lower(&mut self, ty: &ast::TypeExpression) -> Type {
        lower_type(
            self.db,
            self.item.file(self.db),
            self.generics,
            ty,
            self.sink,
            self.item,
        )
    }

    fn attributes(&mut self, attributes: &[ast::Attribute], target: AttributeTarget) -> Attributes {
        read_attributes(self.db, self.item, attributes, target, self.sink)
    }

    fn report_wire_repeats<'n>(&mut self, names: impl Iterator<Item = (&'n Name, &'n Name, Span)>) {
        report_wire_repeats(self.item, names, self.sink);
    }

    fn report_repeats<'n>(&mut self, names: impl Iterator<Item = &'n ast::Identifier>, what: &str) {
        report_repeats(self.item, names, what, self.sink);
    }
}

/// Whether a field of a payload is a type alone.
fn is_unnamed(field: &ast::Parameter) -> bool {
    field.ty.is_none() && is_type_name(&field.name.name)
}

/// Reports what has the same name in JSON as something before it; of each the name, the name in JSON, and where it stands.
pub(crate) fn report_wire_repeats<'n>(
    item: ItemId,
    names: impl Iterator<Item = (&'n Name, &'n Name, Span)>,
    sink: &mut Vec<Diagnostic>,
) {
    let mut seen: Vec<(&Name, &Name, Span)> = Vec::new();
    for (name, wire, span) in names {
        let place = |span| Place::Item { item, span };
        match seen.iter().find(|it| it.1 == wire && it.0 != name) {
            Some(first) => sink.push(errors::duplicate_wire_name(
                place(span),
                place(first.2),
                name,
                wire,
            )),
            None => seen.push((name, wire, span)),
        }
    }
}

/// Reports every name that stands for the second time.
pub(crate) fn report_repeats<'n>(
    item: ItemId,
    names: impl Iterator<Item = &'n ast::Identifier>,
    what: &str,
    sink: &mut Vec<Diagnostic>,
) {
    let mut seen: Vec<&ast::Identifier> = Vec::new();
    for name in names {
        let place = Place::Item {
            item,
            span: name.span,
        };
        match seen.iter().find(|it| it.name == name.name) {
            Some(first) => {
                let first = Place::Item {
                    item,
                    span: first.span,
                };
                sink.push(errors::duplicate_definition(place, first, what, &name.name));
            }
            None => seen.push(name),
        }
    }
}
