//! `textDocument/hover`: what the name at a place is, with its type and docs.

use std::fmt::Write;

use gsw_analysis::item_summary;
use gsw_infer::Reference;
use gsw_infer::hir::LocalKind;
use gsw_names::{
    Parameter, Signature, TypeDeclarationKind, display_type, item_signature, type_declaration,
};
use gsw_source::{Db, File, ItemId, ItemKind, Span};
use gsw_syntax::item_ast;

use crate::cursor::{Cursor, cursor, in_file};

/// What is to be shown for a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hover {
    /// Markdown: a `gsw` block, then the docs.
    pub markdown: String,
    /// The name, in its file.
    pub span: Span,
}

/// What is known about the name at byte `offset` of `file`.
#[must_use]
pub fn hover(db: &dyn Db, file: File, offset: u32) -> Option<Hover> {
    let cursor = cursor(db, file, offset)?;
    let (code, docs) = match &cursor.reference {
        Reference::Local { .. } => (local(db, &cursor)?, None),
        Reference::Item(item) => (item_head(db, *item), item_docs(db, *item)),
        Reference::Variant { item, variant } => variant_head(db, *item, *variant)?,
        Reference::Field {
            item,
            variant,
            field,
        } => field_head(db, *item, *variant, *field)?,
        Reference::Module(file) => (
            format!("import {}", gsw_names::shown_module(db, *file)),
            gsw_syntax::file_docs(db, *file),
        ),
    };
    let mut markdown = format!("```gsw\n{code}\n```");
    if let Some(docs) = docs {
        let _ = write!(markdown, "\n\n{docs}");
    }
    Some(Hover {
        markdown,
        span: in_file(db, cursor.item, cursor.span),
    })
}

fn local(db: &dyn Db, cursor: &Cursor) -> Option<String> {
    let Reference::Local { part, local } = cursor.reference else {
        return None;
    };
    let body = gsw_infer::body(db, cursor.item, part)?;
    let local = body.local(local);
    let ty = display_type(db, &local.ty);
    Some(match local.kind {
        LocalKind::Let => format!("let {}: {ty}", local.name),
        LocalKind::Var => format!("var {}: {ty}", local.name),
        LocalKind::State => format!("state {}: {ty}", local.name),
        LocalKind::Parameter => format!("{}: {ty}", local.name),
    })
}

/// The head of a declaration with what was inferred of it.
fn item_head(db: &dyn Db, item: ItemId) -> String {
    let name = item.name(db);
    let keyword = match item.kind(db) {
        ItemKind::Record | ItemKind::Alias => return format!("type {name}"),
        ItemKind::Enum => return format!("enum {name}"),
        ItemKind::Agent => return format!("agent {name}"),
        ItemKind::Mcp => return format!("mcp {name}"),
        ItemKind::Error => return error_head(db, item),
        ItemKind::Const => {
            return format!(
                "const {name}: {}",
                display_type(db, &item_signature(db, item).signature.result)
            );
        }
        ItemKind::Prompt => "prompt",
        ItemKind::Workflow => "workflow",
        ItemKind::Tool => "tool",
        ItemKind::Human => "human",
        ItemKind::External => "external",
        ItemKind::Function
        | ItemKind::Import
        | ItemKind::Hook
        | ItemKind::Skill
        | ItemKind::Test
        | ItemKind::Permissions
        | ItemKind::Invalid => "fn",
    };
    let signature = &item_signature(db, item).signature;
    let mut head = format!("{keyword} {name}{}", heading(db, signature));
    let summary = &item_summary(db, item).item;
    let errors: Vec<_> = summary
        .errors
        .kinds
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    if !errors.is_empty() {
        let _ = write!(head, " ! {}", errors.join(" | "));
    }
    let effects: Vec<_> = summary.effects.iter().map(|it| it.name()).collect();
    if !effects.is_empty() {
        let _ = write!(head, "\n// effects: {}", effects.join(", "));
    }
    head
}

fn heading(db: &dyn Db, signature: &Signature) -> String {
    let generics = if signature.generics.is_empty() {
        String::new()
    } else {
        format!("<{}>", signature.generics.join(", "))
    };
    format!(
        "{generics}({}) -> {}",
        parameters(db, &signature.parameters),
        display_type(db, &signature.result)
    )
}

fn parameters(db: &dyn Db, parameters: &[Parameter]) -> String {
    let shown: Vec<_> = parameters
        .iter()
        .map(|it| format!("{}: {}", it.name, display_type(db, &it.ty)))
        .collect();
    shown.join(", ")
}

fn error_head(db: &dyn Db, item: ItemId) -> String {
    match &type_declaration(db, item).declaration.kind {
        TypeDeclarationKind::Record(fields) if !fields.is_empty() => {
            format!("error {}({})", item.name(db), parameters(db, fields))
        }
        TypeDeclarationKind::Record(_)
        | TypeDeclarationKind::Enum(_)
        | TypeDeclarationKind::Alias { .. } => format!("error {}", item.name(db)),
    }
}

fn item_docs(db: &dyn Db, item: ItemId) -> Option<String> {
    item_ast(db, item)?.docs.clone()
}

fn variant_head(db: &dyn Db, item: ItemId, variant: u32) -> Option<(String, Option<String>)> {
    let TypeDeclarationKind::Enum(variants) = &type_declaration(db, item).declaration.kind else {
        return None;
    };
    let variant = variants.get(variant as usize)?;
    let payload = if variant.fields.is_empty() {
        String::new()
    } else {
        format!("({})", parameters(db, &variant.fields))
    };
    let docs = variant.docs.as_ref().map(ToString::to_string);
    Some((format!("{}.{}{payload}", item.name(db), variant.name), docs))
}

fn field_head(
    db: &dyn Db,
    item: ItemId,
    variant: u32,
    field: u32,
) -> Option<(String, Option<String>)> {
    let fields = match &type_declaration(db, item).declaration.kind {
        TypeDeclarationKind::Record(fields) => fields,
        TypeDeclarationKind::Enum(variants) => &variants.get(variant as usize)?.fields,
        TypeDeclarationKind::Alias { .. } => return None,
    };
    let field = fields.get(field as usize)?;
    let docs = field.docs.as_ref().map(ToString::to_string);
    Some((
        format!("{}: {}", field.name, display_type(db, &field.ty)),
        docs,
    ))
}
