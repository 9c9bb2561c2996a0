//! One declaration as HTML: head, docs, parts, what it raises and does, where it is.

use std::fmt::Write;

use gsw_analysis::item_summary;
use gsw_names::{Parameter, TypeDeclarationKind, item_signature, type_declaration};
use gsw_source::{ItemId, ItemKind};
use gsw_syntax::ast::ItemBody;
use gsw_syntax::item_ast;

use super::link::{anchor, keyword, source_page};
use super::markdown::markdown;
use super::signature::{signature, source, type_html};
use super::{Module, Site};
use crate::escape::escaped;
use crate::facts::{declared_line, error_names};
use crate::graph::modifier_marks;

/// The section about a declaration.
pub(crate) fn item(site: &Site<'_>, module: &Module, item: ItemId) -> String {
    let db = site.db;
    let (id, name) = (escaped(&anchor(db, item)), escaped(item.name(db)));
    let line = declared_line(db, item);
    let source = escaped(&source_page(&module.name));
    let word = keyword(item.kind(db));
    let mut out = format!(
        "<section class=\"item\" id=\"{id}\">\n<h3><a class=\"anchor\" href=\"#{id}\">{name}</a> <span class=\"kind\">{word}</span><a class=\"source\" href=\"{source}#L{line}\">source<span class=\"away\"> of {name}</span></a></h3>\n<pre class=\"signature\"><code>{}</code></pre>\n",
        signature(site, item)
    );
    let ast = item_ast(db, item);
    if let Some(docs) = ast.as_ref().and_then(|it| it.docs.as_deref()) {
        let _ = writeln!(out, "<div class=\"docs\">{}</div>", markdown(docs));
    }
    for attribute in ast.iter().flat_map(|it| &it.attributes) {
        if attribute.name.name == "deprecated" {
            let why = attribute.arguments.first();
            let why = why.map(|it| self::source(site, item, it.span));
            let _ = writeln!(
                out,
                "<p class=\"deprecated\">Deprecated: {}</p>",
                escaped(why.unwrap_or_default().trim_matches('"'))
            );
        }
    }
    parts(site, item, &mut out);
    settings(site, item, &mut out);
    if matches!(item.kind(db), ItemKind::Workflow | ItemKind::Tool) {
        modifiers(site, item, &mut out);
    }
    if is_callable(item.kind(db)) {
        facts(site, item, &mut out);
    }
    out.push_str("</section>\n");
    out
}

const fn is_callable(kind: ItemKind) -> bool {
    matches!(
        kind,
        ItemKind::Function
            | ItemKind::Prompt
            | ItemKind::Workflow
            | ItemKind::Tool
            | ItemKind::Human
            | ItemKind::External
    )
}

/// Fields, variants and parameters that have docs or a default of their own.
fn parts(site: &Site<'_>, item: ItemId, out: &mut String) {
    let db = site.db;
    match item.kind(db) {
        ItemKind::Record | ItemKind::Error => {
            if let TypeDeclarationKind::Record(fields) =
                &type_declaration(db, item).declaration.kind
            {
                documented(site, "Fields", fields, out);
            }
        }
        ItemKind::Enum => {
            let declaration = &type_declaration(db, item).declaration;
            let TypeDeclarationKind::Enum(variants) = &declaration.kind else {
                return;
            };
            if variants.iter().all(|it| it.docs.is_none()) {
                return;
            }
            out.push_str("<h4>Variants</h4>\n<dl>\n");
            for variant in variants.iter().filter(|it| it.docs.is_some()) {
                let docs = variant.docs.as_deref().unwrap_or_default();
                let name = escaped(&variant.name);
                let _ = writeln!(
                    out,
                    "<dt><code>{name}</code></dt><dd>{}</dd>",
                    markdown(docs)
                );
            }
            out.push_str("</dl>\n");
        }
        ItemKind::Function
        | ItemKind::Prompt
        | ItemKind::Workflow
        | ItemKind::Tool
        | ItemKind::Human
        | ItemKind::External => {
            let signature = &item_signature(db, item).signature;
            documented(site, "Parameters", &signature.parameters, out);
        }
        ItemKind::Import
        | ItemKind::Alias
        | ItemKind::Const
        | ItemKind::Agent
        | ItemKind::Mcp
        | ItemKind::Hook
        | ItemKind::Skill
        | ItemKind::Test
        | ItemKind::Permissions
        | ItemKind::Invalid => {}
    }
}

fn documented(site: &Site<'_>, title: &str, them: &[Parameter], out: &mut String) {
    if them.iter().all(|it| it.docs.is_none()) {
        return;
    }
    let _ = writeln!(out, "<h4>{title}</h4>\n<dl>");
    for parameter in them {
        let Some(docs) = parameter.docs.as_deref() else {
            continue;
        };
        let name = escaped(&parameter.name);
        let ty = type_html(site, &parameter.ty);
        let _ = writeln!(
            out,
            "<dt><code>{name}: {ty}</code></dt><dd>{}</dd>",
            markdown(docs)
        );
    }
    out.push_str("</dl>\n");
}

/// The settings of an agent as written, and the agent of a prompt.
fn settings(site: &Site<'_>, item: ItemId, out: &mut String) {
    let db = site.db;
    let ast = item_ast(db, item);
    if let Some(ItemBody::Agent { settings, .. }) = ast.as_deref().map(|it| &it.body) {
        out.push_str("<dl class=\"settings\">\n");
        for setting in settings {
            let value = match &setting.value {
                gsw_syntax::ast::SettingValue::Expression(it) => source(site, item, it.span),
                gsw_syntax::ast::SettingValue::Settings { span, .. } => source(site, item, *span),
            };
            let (name, value) = (escaped(&setting.name.name), escaped(&value));
            let _ = writeln!(out, "<dt>{name}</dt><dd><code>{value}</code></dd>");
        }
        out.push_str("</dl>\n");
    }
    if item.kind(db) == ItemKind::Prompt
        && let Some(agent) = item_signature(db, item).signature.agent
    {
        let name = reference(site, agent, agent.name(db));
        let _ = writeln!(out, "<p class=\"facts\"><span>Asked by</span> {name}</p>");
    }
}

/// The modifiers of a workflow or tool.
fn modifiers(site: &Site<'_>, item: ItemId, out: &mut String) {
    let marks = modifier_marks(site.db, item);
    let marks = marks
        .iter()
        .map(|it| format!("<code>{}</code>", escaped(it)));
    let marks: Vec<String> = marks.collect();
    if !marks.is_empty() {
        let _ = writeln!(
            out,
            "<p class=\"facts\"><span>Within</span> {}</p>",
            marks.join(" ")
        );
    }
}

/// What a call raises and does.
fn facts(site: &Site<'_>, item: ItemId, out: &mut String) {
    let summary = &item_summary(site.db, item).item;
    let kinds = &summary.errors.kinds;
    let errors = error_names(site.db, &summary.errors);
    let errors: Vec<String> = errors
        .iter()
        .map(|name| match kinds.iter().find(|it| it.name == *name) {
            Some(kind) => reference(site, kind.item, name),
            // `ModelError` and `Error` stand for many.
            None => format!("<code>{}</code>", escaped(name)),
        })
        .collect();
    if !errors.is_empty() {
        let _ = writeln!(
            out,
            "<p class=\"facts\"><span>Raises</span> {}</p>",
            errors.join(" ")
        );
    }
    let effects = summary.effects.iter();
    let effects: Vec<String> = effects
        .map(|it| format!("<code>{}</code>", escaped(it.name())))
        .collect();
    if !effects.is_empty() {
        let _ = writeln!(
            out,
            "<p class=\"facts\"><span>Does</span> {}</p>",
            effects.join(" ")
        );
    }
}

/// A declaration's name, as a link where the site shows it.
fn reference(site: &Site<'_>, item: ItemId, name: &str) -> String {
    let name = escaped(name);
    match site.links.item(site.db, item) {
        Some(address) => format!("<a href=\"{}\"><code>{name}</code></a>", escaped(&address)),
        None => format!("<code>{name}</code>"),
    }
}
