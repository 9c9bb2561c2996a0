//! Heads of declarations as HTML, types being links.

use std::collections::BTreeMap;

use gsw_names::types::Type;
use gsw_names::{
    Parameter, Signature, TypeDeclarationKind, WrittenPart, display_parameter, display_type,
    item_signature, type_declaration, written_check, written_parts,
};
use gsw_source::{ItemId, ItemKind, Place, Span};
use gsw_syntax::ast::ItemBody;
use gsw_syntax::{item_ast, locate};

use super::Site;
use super::link::keyword;
use crate::escape::escaped;

/// The head of a declaration, or all of it where that is data.
pub(crate) fn signature(site: &Site<'_>, item: ItemId) -> String {
    let db = site.db;
    let word = keyword(item.kind(db));
    let name = item.name(db);
    let mut names = BTreeMap::new();
    let text = match item.kind(db) {
        ItemKind::Record | ItemKind::Enum | ItemKind::Error => {
            return declared(site, item);
        }
        ItemKind::Alias => {
            let declaration = &type_declaration(db, item).declaration;
            let TypeDeclarationKind::Alias { target, .. } = &declaration.kind else {
                return String::new();
            };
            collect(site, target, &mut names);
            let check = written_check(db, item).map(|it| format!(" where {it}"));
            let check = check.unwrap_or_default();
            format!(
                "{}{} = {}{check}",
                name,
                generics(&declaration.generics),
                display_type(db, target)
            )
        }
        ItemKind::Const => {
            let ty = &item_signature(db, item).signature.result;
            collect(site, ty, &mut names);
            let ast = item_ast(db, item);
            let mut value = String::new();
            if let Some(ItemBody::Const(constant)) = ast.as_deref().map(|it| &it.body) {
                value = source(site, item, constant.value.span);
            }
            format!("{name}: {} = {value}", display_type(db, ty))
        }
        ItemKind::Function
        | ItemKind::Prompt
        | ItemKind::Workflow
        | ItemKind::Tool
        | ItemKind::Human
        | ItemKind::External => {
            let signature = &item_signature(db, item).signature;
            callable(site, item, signature, &mut names)
        }
        ItemKind::Import
        | ItemKind::Agent
        | ItemKind::Mcp
        | ItemKind::Hook
        | ItemKind::Skill
        | ItemKind::Test
        | ItemKind::Permissions
        | ItemKind::Invalid => name.to_string(),
    };
    format!("<span class=\"k\">{word}</span> {}", linked(&text, &names))
}

/// Parameters and result of what can be called.
fn callable(
    site: &Site<'_>,
    item: ItemId,
    signature: &Signature,
    names: &mut BTreeMap<String, String>,
) -> String {
    let db = site.db;
    let mut written = written_parts(db, item, 0).into_iter();
    let mut parameters = Vec::new();
    for parameter in &signature.parameters {
        collect(site, &parameter.ty, names);
        let written = written.next().unwrap_or_default();
        parameters.push(shown(site, parameter, &written));
    }
    collect(site, &signature.result, names);
    let result = if signature.result == Type::Unit {
        String::new()
    } else {
        format!(" -> {}", display_type(db, &signature.result))
    };
    let one_line = parameters.join(", ");
    let parameters = if one_line.len() > 70 {
        let lines = parameters.iter().map(|it| format!("\n  {it},"));
        format!("{}\n", lines.collect::<String>())
    } else {
        one_line
    };
    let generics = generics(&signature.generics);
    format!("{}{generics}({parameters}){result}", item.name(db))
}

fn shown(site: &Site<'_>, parameter: &Parameter, written: &WrittenPart) -> String {
    if parameter.name == "self" {
        return "self".into();
    }
    let ty = display_parameter(site.db, parameter);
    format!("{}: {ty}{written}", parameter.name)
}

/// A record, enum or error with its fields.
fn declared(site: &Site<'_>, item: ItemId) -> String {
    let db = site.db;
    let declaration = &type_declaration(db, item).declaration;
    let mut names = BTreeMap::new();
    let mut fields = |variant: usize, fields: &[Parameter]| {
        let mut written = written_parts(db, item, variant).into_iter();
        let shown = fields.iter().map(|it| {
            collect(site, &it.ty, &mut names);
            shown(site, it, &written.next().unwrap_or_default())
        });
        shown.collect::<Vec<_>>()
    };
    let body = match &declaration.kind {
        TypeDeclarationKind::Record(them) if item.kind(db) == ItemKind::Error => {
            let them = fields(0, them);
            if them.is_empty() {
                String::new()
            } else {
                format!("({})", them.join(", "))
            }
        }
        TypeDeclarationKind::Record(them) => {
            let lines = fields(0, them).into_iter().map(|it| format!("\n  {it}"));
            format!(" {{{}\n}}", lines.collect::<String>())
        }
        TypeDeclarationKind::Enum(variants) => {
            let lines = variants.iter().enumerate().map(|(index, it)| {
                let payload = fields(index, &it.fields);
                let payload = if payload.is_empty() {
                    String::new()
                } else {
                    format!("({})", payload.join(", "))
                };
                format!("\n  {}{payload}", it.name)
            });
            format!(" {{{}\n}}", lines.collect::<String>())
        }
        TypeDeclarationKind::Alias { .. } => String::new(),
    };
    let head = format!("{}{}", item.name(db), generics(&declaration.generics));
    let word = keyword(item.kind(db));
    format!(
        "<span class=\"k\">{word}</span> {}",
        linked(&format!("{head}{body}"), &names)
    )
}

fn generics(names: &[gsw_source::Name]) -> String {
    if names.is_empty() {
        String::new()
    } else {
        format!("<{}>", names.join(", "))
    }
}

/// The text of bytes of an item.
pub(crate) fn source(site: &Site<'_>, item: ItemId, span: Span) -> String {
    let (file, span) = locate(site.db, Place::Item { item, span });
    let text = file.text(site.db);
    let slice = text.get(span.start as usize..span.end as usize);
    slice.unwrap_or_default().to_owned()
}

pub(crate) fn type_html(site: &Site<'_>, ty: &Type) -> String {
    let mut names = BTreeMap::new();
    collect(site, ty, &mut names);
    linked(&display_type(site.db, ty), &names)
}

/// Text in which words that name types are links.
fn linked(text: &str, names: &BTreeMap<String, String>) -> String {
    let mut out = String::new();
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|it| !is_word(it)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        match names.get(word) {
            Some(address) => {
                let (address, word) = (escaped(address), escaped(word));
                out.push_str(&format!("<a href=\"{address}\">{word}</a>"));
            }
            None => out.push_str(&escaped(word)),
        }
        let next = after.find(is_word).unwrap_or(after.len());
        out.push_str(&escaped(&after[..next]));
        rest = &after[next..];
    }
    out
}

/// The addresses of the declared types in `ty`, by name.
fn collect(site: &Site<'_>, ty: &Type, names: &mut BTreeMap<String, String>) {
    match ty {
        Type::Record(item, parts) | Type::Enum(item, parts) | Type::Checked(item, parts) => {
            let address = site.links.item(site.db, *item);
            names.extend(address.map(|it| (item.name(site.db).to_string(), it)));
            parts.iter().for_each(|it| collect(site, it, names));
        }
        Type::Tuple(parts) => parts.iter().for_each(|it| collect(site, it, names)),
        Type::Optional(it)
        | Type::List(it)
        | Type::Task(it)
        | Type::Stream(it)
        | Type::Queue(it)
        | Type::Partial(it) => {
            collect(site, it, names);
        }
        Type::Map(key, value) => {
            collect(site, key, names);
            collect(site, value, names);
        }
        Type::Function(function) => {
            function
                .parameters
                .iter()
                .for_each(|it| collect(site, it, names));
            collect(site, &function.result, names);
        }
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
        | Type::Invalid => {}
    }
}
