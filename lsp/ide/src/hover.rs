//! `textDocument/hover`: what the name at a place is, with its type and docs; what a word of the language is.

mod word;

use std::fmt::Write;

use gsw_analysis::{item_summary, repeat_class};
use gsw_infer::hir::LocalKind;
use gsw_names::types::Effect;
use gsw_names::{
    Parameter, Signature, display_parameter, display_type, is_std, item_signature, source_text,
    type_declaration, written_parts,
};
use gsw_source::{Db, File, ItemId, ItemKind, Name, Span};
use gsw_syntax::item_ast;

use crate::cursor::{cursor, in_file};
use crate::expression_type::{self, local_type};
use crate::short_declaration::{rest_of_field, short_declaration};
use crate::symbol::Symbol;

pub use word::string_at;

/// What is to be shown for a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hover {
    /// Markdown: a `gsw` block, then the docs.
    pub markdown: String,
    /// The name, in its file.
    pub span: Span,
    /// The prompt that it names, if making its request does nothing else.
    pub prompt: Option<ItemId>,
    /// The word of the language that it is: `markdown` has nothing but the word.
    pub word: Option<String>,
}

/// What is known about the name at byte `offset` of `file`.
#[must_use]
pub fn hover(db: &dyn Db, file: File, offset: u32) -> Option<Hover> {
    let Some(cursor) = cursor(db, file, offset) else {
        return word::hover(db, file, offset);
    };
    let (head, docs) = describe(db, cursor.symbol)?;
    let code = whole(db, cursor.symbol).unwrap_or(head);
    Some(Hover {
        markdown: shown(&code, docs.as_deref()),
        span: in_file(db, cursor.item, cursor.span),
        prompt: quiet_prompt(db, cursor.symbol),
        word: None,
    })
}

fn shown(code: &str, docs: Option<&str>) -> String {
    let mut markdown = format!("```gsw\n{code}\n```");
    if let Some(docs) = docs {
        let _ = write!(markdown, "\n\n{docs}");
    }
    markdown
}

/// What a hover shows beyond the head of a declaration: all of a short one, and of a field or parameter its default and check.
fn whole(db: &dyn Db, symbol: Symbol) -> Option<String> {
    match symbol {
        Symbol::Item(item) => match item.kind(db).is_callable() {
            true => Some(inferred(db, item, callable_head(db, item))),
            false => short_declaration(db, item),
        },
        Symbol::Field {
            item,
            variant,
            field,
        } => {
            let (head, _) = field_head(db, item, variant, field)?;
            Some(head + &rest_of_field(db, item, variant, field)?)
        }
        Symbol::Local { item, declared } => {
            let parameters = &item_signature(db, item).signature.parameters;
            let own = parameters.iter().position(|it| it.span == declared)?;
            let written = written_parts(db, item, 0);
            let default = written.get(own)?.default.as_ref()?;
            Some(format!("{} = {default}", local(db, item, declared)?))
        }
        Symbol::Variant { .. } | Symbol::Module(_) => None,
    }
}

/// The head of what can be called, with the defaults of its parameters.
fn callable_head(db: &dyn Db, item: ItemId) -> String {
    let signature = &item_signature(db, item).signature;
    let written = written_parts(db, item, 0);
    let defaults = written.iter().map(|it| it.default.as_ref());
    let defaults = defaults.chain(std::iter::repeat(None));
    let parameters: Vec<String> = signature
        .parameters
        .iter()
        .zip(defaults)
        .map(|(it, default)| {
            let shown = format!("{}: {}", it.name, display_parameter(db, it));
            match default {
                Some(default) if default.contains('\n') => format!("{shown} = …"),
                Some(default) => format!("{shown} = {default}"),
                None => shown,
            }
        })
        .collect();
    let (word, name) = (item.kind(db).keyword(), item.name(db));
    format!(
        "{} {name}{}({}) -> {}",
        word.unwrap_or_default(),
        generics(signature),
        parameters.join(", "),
        display_type(db, &signature.result)
    )
}

/// A prompt that does nothing but ask its model: its request can be made without anything happening.
fn quiet_prompt(db: &dyn Db, symbol: Symbol) -> Option<ItemId> {
    let Symbol::Item(item) = symbol else {
        return None;
    };
    let is_prompt = item.kind(db) == ItemKind::Prompt && !is_std(db, item.file(db));
    let only_asks = || {
        let effects = item_summary(db, item).item.effects;
        effects.iter().all(|it| it == Effect::Model)
    };
    (is_prompt && only_asks()).then_some(item)
}

/// The head of what a symbol stands for, and its docs.
pub fn describe(db: &dyn Db, symbol: Symbol) -> Option<(String, Option<String>)> {
    match symbol {
        Symbol::Local { item, declared } => {
            let docs = parameter_docs(db, item, declared);
            Some((local(db, item, declared)?, docs))
        }
        Symbol::Item(item) => Some((item_head(db, item), item_docs(db, item))),
        Symbol::Variant { item, variant } => variant_head(db, item, variant),
        Symbol::Field {
            item,
            variant,
            field,
        } => field_head(db, item, variant, field),
        Symbol::Module(file) => Some((
            format!("import {}", gsw_names::shown_module(db, file)),
            gsw_syntax::file_docs(db, file),
        )),
    }
}

/// A variable, parameter or type parameter with its type.
fn local(db: &dyn Db, item: ItemId, declared: Span) -> Option<String> {
    let name = gsw_names::source_text(db, item, declared);
    let Some(local) = expression_type::local(db, item, declared) else {
        let ty = local_type(db, item, declared);
        return Some(match ty {
            Some(ty) => format!("{name}: {}", display_type(db, &ty)),
            None => name.to_string(),
        });
    };
    let ty = display_type(db, &local.ty);
    Some(match local.kind {
        LocalKind::Let => format!("let {name}: {ty}"),
        LocalKind::Var => format!("var {name}: {ty}"),
        LocalKind::State => format!("state {name}: {ty}"),
        LocalKind::Parameter => format!("{name}: {ty}"),
    })
}

fn parameter_docs(db: &dyn Db, item: ItemId, declared: Span) -> Option<String> {
    let parameters = &item_signature(db, item).signature.parameters;
    let own = parameters.iter().find(|it| it.span == declared)?;
    own.docs.as_ref().map(ToString::to_string)
}

/// The head of a declaration, of what can be called with what was inferred of it.
fn item_head(db: &dyn Db, item: ItemId) -> String {
    let head = declared_head(db, item);
    match item.kind(db).is_callable() {
        true => inferred(db, item, head),
        false => head,
    }
}

/// The head of what can be called with what was inferred of it.
fn inferred(db: &dyn Db, item: ItemId, mut head: String) -> String {
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
    let modifiers = modifiers(db, item);
    if !modifiers.is_empty() {
        let _ = write!(head, "\n// modifiers: {}", modifiers.join(" "));
    }
    let effects: Vec<_> = summary.effects.iter().map(|it| it.name()).collect();
    if !effects.is_empty() {
        let _ = write!(head, "\n// effects: {}", effects.join(", "));
    }
    if item.kind(db) == ItemKind::Tool {
        let class = repeat_class(db, item).name();
        let _ = write!(head, "\n// repeat class: {class}");
    }
    head
}

/// The modifiers of a head, as they are written.
fn modifiers(db: &dyn Db, item: ItemId) -> Vec<Name> {
    let tree = item_ast(db, item);
    let signature = tree.as_deref().and_then(|it| it.body.signature());
    let written = signature.map_or(&[][..], |it| &it.modifiers);
    written
        .iter()
        .map(|it| source_text(db, item, it.span))
        .collect()
}

/// The head of a declaration as far as it is written: no body is inferred for it.
pub fn declared_head(db: &dyn Db, item: ItemId) -> String {
    let (kind, name) = (item.kind(db), item.name(db));
    let word = kind.keyword().unwrap_or_default();
    match kind {
        ItemKind::Function
        | ItemKind::Prompt
        | ItemKind::Workflow
        | ItemKind::Tool
        | ItemKind::Human
        | ItemKind::External => {
            let signature = &item_signature(db, item).signature;
            format!("{word} {name}{}", heading(db, signature))
        }
        ItemKind::Error => error_head(db, item),
        ItemKind::Const => {
            let ty = &item_signature(db, item).signature.result;
            format!("{word} {name}: {}", display_type(db, ty))
        }
        ItemKind::Record
        | ItemKind::Alias
        | ItemKind::Enum
        | ItemKind::Agent
        | ItemKind::Mcp
        | ItemKind::Hook
        | ItemKind::Skill
        | ItemKind::Import
        | ItemKind::Test
        | ItemKind::Permissions
        | ItemKind::Invalid => format!("{word} {name}"),
    }
}

fn heading(db: &dyn Db, signature: &Signature) -> String {
    format!(
        "{}({}) -> {}",
        generics(signature),
        parameters_shown(db, &signature.parameters),
        display_type(db, &signature.result)
    )
}

fn generics(signature: &Signature) -> String {
    match signature.generics.is_empty() {
        true => String::new(),
        false => format!("<{}>", signature.generics.join(", ")),
    }
}

/// Parameters or fields as they are declared.
pub fn parameters_shown(db: &dyn Db, parameters: &[Parameter]) -> String {
    let shown: Vec<_> = parameters
        .iter()
        .map(|it| format!("{}: {}", it.name, display_parameter(db, it)))
        .collect();
    shown.join(", ")
}

fn error_head(db: &dyn Db, item: ItemId) -> String {
    let fields = type_declaration(db, item).declaration.fields();
    match fields.is_empty() {
        true => format!("error {}", item.name(db)),
        false => format!("error {}({})", item.name(db), parameters_shown(db, fields)),
    }
}

fn item_docs(db: &dyn Db, item: ItemId) -> Option<String> {
    item_ast(db, item)?.docs.clone()
}

fn variant_head(db: &dyn Db, item: ItemId, variant: u32) -> Option<(String, Option<String>)> {
    let variants = type_declaration(db, item).declaration.variants();
    let variant = variants.get(variant as usize)?;
    let payload = if variant.fields.is_empty() {
        String::new()
    } else {
        format!("({})", parameters_shown(db, &variant.fields))
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
    let fields = type_declaration(db, item).declaration.fields_of(variant);
    let field = fields.get(field as usize)?;
    let docs = field.docs.as_ref().map(ToString::to_string);
    Some((
        format!("{}: {}", field.name, display_type(db, &field.ty)),
        docs,
    ))
}
