//! `tools: […]`: which tools a model is offered, and what it knows each of them by.

use std::sync::Arc;

use gsw_abi::program::wire_name;
use gsw_abi::setting::{Form, Setting};
use gsw_names::types::Type;
use gsw_names::{
    Alias, Definition, agent_prompts, alias_of, has_media_inside, item_signature, module_tools,
    server_tool, server_tools, source_text, suggested_alias,
};
use gsw_source::{Db, ItemId, ItemKind, Name, Span, meant};
use gsw_syntax::ast;

use crate::errors::calls::{self as errors, Renaming};
use crate::errors::habits;
use crate::hir::{ExpressionId, ExpressionKind};
use crate::infer::context::Context;
use crate::infer::hir_builder::HirBuilder;
use crate::infer::literal;
use crate::infer::name::kind_text;
use crate::infer::names::reference;
use crate::infer::setting;

const TOOLS: &str = Setting::Tools.name();

/// A tool of the list.
struct Offer {
    tool: ItemId,
    name: Option<Name>,
    /// Its element, or that of its module or agent.
    span: Span,
    listed: Listed,
}

/// How a tool came into the list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Listed {
    Alone,
    /// With others of its module or agent.
    Together,
}

impl Offer {
    /// What the model knows it by.
    fn wire(&self, db: &dyn Db) -> String {
        match &self.name {
            Some(name) => name.to_string(),
            None => wire_name(self.tool.name(db)),
        }
    }
}

/// A list of tools as a `json`.
pub(super) fn offered_tools(cx: &mut Context, value: &ast::Expression) -> Option<ExpressionId> {
    let ast::ExpressionKind::List(elements) = &value.kind else {
        refuse_form(&mut cx.hir, value, Part::Whole);
        return None;
    };
    let mut offers: Vec<Offer> = Vec::new();
    for element in elements {
        for offer in offers_of(cx, element) {
            add_offer(&mut cx.hir, &mut offers, offer);
        }
    }
    let offered = offers.into_iter().map(|it| {
        let kind = ExpressionKind::OfferedTool {
            tool: it.tool,
            name: it.name,
        };
        cx.hir.push(kind, Type::Json, it.span)
    });
    let offered = offered.collect();
    let ty = Type::List(Arc::new(Type::Json));
    let list = cx.hir.push(ExpressionKind::List(offered), ty, value.span);
    Some(literal::as_json(&mut cx.hir, list))
}

/// Adds a tool that is not there yet; another one that the model would know by the same name is reported.
fn add_offer(hir: &mut HirBuilder, offers: &mut Vec<Offer>, offer: Offer) {
    let result = &item_signature(hir.db, offer.tool).signature.result;
    if has_media_inside(hir.db, result) {
        let place = hir.place(offer.span);
        hir.report(errors::media_result(place, offer.tool.name(hir.db)));
        return;
    }
    let wire = offer.wire(hir.db);
    // By the name on the wire, which is where two names that differ only in a dot become the same.
    let Some(other) = offers.iter().find(|it| it.wire(hir.db) == wire) else {
        offers.push(offer);
        return;
    };
    // `[files.*, files.read]` is no mistake: the tool is offered once.
    if other.tool == offer.tool {
        return;
    }
    let renaming = renaming(hir, &offer, other);
    let places = (hir.place(offer.span), hir.place(other.span));
    hir.report(errors::duplicate_tool(places, &wire, renaming));
}

/// How one of two tools gets another name. Of a whole module no single tool can be renamed.
fn renaming(hir: &HirBuilder, offer: &Offer, other: &Offer) -> Renaming {
    let them = [offer, other];
    let mut alone = them.into_iter().filter(|it| it.listed == Listed::Alone);
    // An alias is suggested where none is written; a written one is the author's choice.
    match alone.clone().find(|it| it.name.is_none()) {
        Some(it) => {
            let end = Span::new(it.span.end, it.span.end);
            Renaming::As(hir.place(end), suggested_alias(hir.db, it.tool))
        }
        None if alone.next().is_some() => Renaming::OtherAlias,
        None => Renaming::OneByOne,
    }
}

fn offers_of(cx: &mut Context, element: &ast::Expression) -> Vec<Offer> {
    let span = element.span;
    if let Some(module) = cx.names().whole_module(element) {
        let tools = module_tools(cx.db, module);
        let offer = |tool| Offer {
            tool,
            name: None,
            span,
            listed: Listed::Together,
        };
        return tools.into_iter().map(offer).collect();
    }
    // A wrong alias is reported and the tool is offered by its own name, so that one error does not hide others.
    let (named, name) = match alias_of(element) {
        Alias::None => (element, None),
        Alias::Name(named, alias) => (named, checked_alias(&mut cx.hir, alias)),
        Alias::NoName => {
            setting::wrong_form(&mut cx.hir, TOOLS, Form::Tools, span);
            return Vec::new();
        }
    };
    let tools = listed_tools(cx, named);
    let (name, listed) = match (tools.len(), name) {
        (0 | 1, name) => (name, Listed::Alone),
        (_, Some(_)) => {
            let text = source_text(cx.db, cx.hir.item, named.span);
            let place = cx.hir.place(span);
            cx.hir
                .report(errors::alias_of_several(place, &text, tools.len()));
            (None, Listed::Together)
        }
        (_, None) => (None, Listed::Together),
    };
    let offer = |tool| Offer {
        tool,
        name: name.clone(),
        span,
        listed,
    };
    tools.into_iter().map(offer).collect()
}

/// An alias that goes over the wire as it is.
fn checked_alias(hir: &mut HirBuilder, alias: &ast::Identifier) -> Option<Name> {
    if wire_name(&alias.name) == alias.name {
        return Some(alias.name.clone());
    }
    let place = hir.place(alias.span);
    hir.report(errors::unsendable_alias(place, &alias.name));
    None
}

/// The MCP server that a scope is.
fn server(db: &dyn Db, scope: Option<Definition>) -> Option<ItemId> {
    let Some(Definition::Item(item)) = scope else {
        return None;
    };
    (item.kind(db) == ItemKind::Mcp).then_some(item)
}

/// What an element names, with its name and the name's span. `None` when it was reported.
fn named_tool<'a>(
    cx: &mut Context,
    element: &'a ast::Expression,
) -> Option<(Definition, &'a Name, Span)> {
    if let ast::ExpressionKind::Name(name) = &element.kind {
        let found = cx.names().resolve(name, element.span, None)?;
        cx.hir.refer(element.span, reference(found));
        return Some((found, name, element.span));
    }
    if let ast::ExpressionKind::AllOf(base) = &element.kind
        && server(cx.db, cx.names().path(base)).is_some()
    {
        return named_tool(cx, base);
    }
    if let ast::ExpressionKind::Field { base, name, .. } = &element.kind {
        let scope = cx.names().path(base);
        if let Some(Definition::Module(module)) = scope {
            return Some((cx.names().member(module, name)?, &name.name, name.span));
        }
        if let Some(server) = server(cx.db, scope) {
            return Some((tool_of(cx, server, name)?, &name.name, name.span));
        }
    }
    refuse_form(&mut cx.hir, element, Part::Element);
    None
}

/// What is of another form than it needs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    Element,
}

/// Reports what is no list of tools, or no tool in it.
fn refuse_form(hir: &mut HirBuilder, value: &ast::Expression, part: Part) {
    let place = hir.place(value.span);
    let report = errors::wrong_setting(place, TOOLS, errors::wanted_form(Form::Tools));
    let is_name = matches!(value.kind, ast::ExpressionKind::Name(_));
    let report = if let ast::ExpressionKind::Literal(ast::Literal::String(text)) = &value.kind {
        habits::tool_in_quotes(report, place, text)
    } else if let ast::ExpressionKind::Call { .. } = &value.kind {
        habits::tool_is_listed(report)
    } else if is_name && part == Part::Whole {
        let around = (hir.place_before(value.span), hir.place_after(value.span));
        habits::tools_in_brackets(report, around)
    } else {
        report
    };
    hir.report(report);
}

/// The tool of an MCP server that a name after its own means.
fn tool_of(cx: &mut Context, server: ItemId, name: &ast::Identifier) -> Option<Definition> {
    if let Some(tool) = server_tool(cx.db, server, &name.name) {
        let definition = Definition::Item(tool);
        cx.hir.refer(name.span, reference(definition));
        return Some(definition);
    }
    let tools = server_tools(cx.db, server);
    let known: Vec<Name> = tools.iter().map(|it| it.name(cx.db).clone()).collect();
    let suggestion = meant(&name.name, &known);
    let place = cx.hir.place(name.span);
    let server = server.name(cx.db);
    let report = errors::no_tool_of_server(place, server, &name.name, suggestion.as_ref());
    cx.hir.report(report);
    None
}

/// The kinds of the declarations that may be in a list of tools, as `listed_tools` takes them.
pub const LISTED_AS_TOOLS: [ItemKind; 5] = [
    ItemKind::Tool,
    ItemKind::Prompt,
    ItemKind::Human,
    ItemKind::Agent,
    ItemKind::Mcp,
];

/// What a model can call of what an element names: a tool, a prompt, a `human`, the prompts of an agent.
fn listed_tools(cx: &mut Context, element: &ast::Expression) -> Vec<ItemId> {
    let Some((found, name, span)) = named_tool(cx, element) else {
        return Vec::new();
    };
    let Definition::Item(item) = found else {
        setting::unlistable(&mut cx.hir, TOOLS, &format!("`{name}`"), span);
        return Vec::new();
    };
    match item.kind(cx.db) {
        ItemKind::Tool | ItemKind::Prompt | ItemKind::Human => vec![item],
        ItemKind::Agent => {
            let prompts = agent_prompts(cx.db, item);
            if prompts.is_empty() {
                let place = cx.hir.place(span);
                cx.hir.report(errors::agent_without_prompts(place, name));
            }
            prompts
        }
        ItemKind::Mcp => {
            let tools = server_tools(cx.db, item);
            if tools.is_empty() {
                let place = cx.hir.place(span);
                cx.hir.report(errors::server_without_tools(place, name));
            }
            tools
        }
        other @ (ItemKind::Import
        | ItemKind::Function
        | ItemKind::Record
        | ItemKind::Alias
        | ItemKind::Enum
        | ItemKind::Error
        | ItemKind::Const
        | ItemKind::External
        | ItemKind::Workflow
        | ItemKind::Hook
        | ItemKind::Skill
        | ItemKind::Test
        | ItemKind::Permissions
        | ItemKind::Invalid) => {
            let what = format!("the {} `{name}`", kind_text(other));
            setting::unlistable(&mut cx.hir, TOOLS, &what, span);
            Vec::new()
        }
    }
}
