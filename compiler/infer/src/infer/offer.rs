//! `tools: […]`: which tools a model is offered, and what it knows each of them by.

use std::sync::Arc;

use gsw_abi::program::wire_name;
use gsw_abi::setting::{Form, Setting};
use gsw_names::types::Type;
use gsw_names::{Alias, Definition, alias_of, module_tools, suggested_alias};
use gsw_source::{File, ItemId, ItemKind, Name, Span};
use gsw_syntax::ast;

use crate::errors::calls::{self as errors, Renaming};
use crate::hir::{ExpressionId, ExpressionKind};
use crate::infer::context::Context;
use crate::infer::name::{kind_text, reference};
use crate::not_yet_supported::Missing;

const TOOLS: &str = Setting::Tools.name();

/// A tool of the list.
struct Offer {
    tool: ItemId,
    name: Option<Name>,
    /// Its element, or that of its whole module.
    span: Span,
    listed: Listed,
}

/// How a tool came into the list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Listed {
    Alone,
    WithItsModule,
}

impl Offer {
    /// What the model knows it by.
    fn wire(&self, context: &Context<'_>) -> String {
        match &self.name {
            Some(name) => name.to_string(),
            None => wire_name(self.tool.name(context.db)),
        }
    }
}

impl Context<'_> {
    /// A list of tools as a `json`.
    pub(super) fn offered_tools(&mut self, value: &ast::Expression) -> Option<ExpressionId> {
        let ast::ExpressionKind::List(elements) = &value.kind else {
            return self.wrong_form(TOOLS, Form::Tools, value.span);
        };
        let mut offers: Vec<Offer> = Vec::new();
        for element in elements {
            for offer in self.offers_of(element) {
                self.add_offer(&mut offers, offer);
            }
        }
        let offered = offers.into_iter().map(|it| {
            let kind = ExpressionKind::OfferedTool {
                tool: it.tool,
                name: it.name,
            };
            self.push(kind, Type::Json, it.span)
        });
        let offered = offered.collect();
        let ty = Type::List(Arc::new(Type::Json));
        let list = self.push(ExpressionKind::List(offered), ty, value.span);
        Some(self.as_json(list))
    }

    /// Adds a tool that is not there yet; another one that the model would know by the same name is reported.
    fn add_offer(&mut self, offers: &mut Vec<Offer>, offer: Offer) {
        let wire = offer.wire(self);
        let Some(other) = offers.iter().find(|it| it.wire(self) == wire) else {
            offers.push(offer);
            return;
        };
        // `[files.*, files.read]` is no mistake: the tool is offered once.
        if other.tool == offer.tool {
            return;
        }
        let renaming = self.renaming(&offer, other);
        let places = (self.place(offer.span), self.place(other.span));
        self.report(errors::duplicate_tool(places, &wire, renaming));
    }

    /// How one of two tools comes by another name. Of a whole module no single tool can be renamed.
    fn renaming(&self, offer: &Offer, other: &Offer) -> Renaming {
        let them = [offer, other];
        let mut alone = them.into_iter().filter(|it| it.listed == Listed::Alone);
        match alone.clone().find(|it| it.name.is_none()) {
            Some(it) => {
                let end = Span::new(it.span.end, it.span.end);
                Renaming::As(self.place(end), suggested_alias(self.db, it.tool))
            }
            None if alone.next().is_some() => Renaming::OtherAlias,
            None => Renaming::OneByOne,
        }
    }

    fn offers_of(&mut self, element: &ast::Expression) -> Vec<Offer> {
        let span = element.span;
        if let Some(module) = self.whole_module(element) {
            let tools = module_tools(self.db, module);
            let offer = |tool| Offer {
                tool,
                name: None,
                span,
                listed: Listed::WithItsModule,
            };
            return tools.into_iter().map(offer).collect();
        }
        let (named, name) = match alias_of(element) {
            Alias::None => (element, None),
            Alias::Name(named, alias) => (named, self.checked_alias(alias)),
            Alias::NoName => {
                self.wrong_form(TOOLS, Form::Tools, span);
                return Vec::new();
            }
        };
        let tool = self.listed_tool(named);
        let offer = |tool| Offer {
            tool,
            name,
            span,
            listed: Listed::Alone,
        };
        tool.map(offer).into_iter().collect()
    }

    /// An alias that goes over the wire as it is.
    fn checked_alias(&mut self, alias: &ast::Identifier) -> Option<Name> {
        if wire_name(&alias.name) == alias.name {
            return Some(alias.name.clone());
        }
        let place = self.place(alias.span);
        self.report(errors::unsendable_alias(place, &alias.name));
        None
    }

    /// The module whose tools are listed: `introspect.*`.
    fn whole_module(&mut self, element: &ast::Expression) -> Option<File> {
        let base = if let ast::ExpressionKind::AllOf(base) = &element.kind {
            base
        } else {
            element
        };
        let is_name = matches!(base.kind, ast::ExpressionKind::Name(_));
        let Some(Definition::Module(module)) = is_name.then(|| self.path(base)).flatten() else {
            return None;
        };
        Some(module)
    }

    fn is_server(&self, scope: Option<Definition>) -> bool {
        matches!(scope, Some(Definition::Item(it)) if it.kind(self.db) == ItemKind::Mcp)
    }

    fn listed_tool(&mut self, element: &ast::Expression) -> Option<ItemId> {
        let (found, name, span) = if let ast::ExpressionKind::Name(name) = &element.kind {
            let found = self.resolve(name, element.span, None)?;
            self.refer(element.span, reference(found));
            (found, name, element.span)
        } else {
            let (base, name) = if let ast::ExpressionKind::AllOf(base) = &element.kind {
                (Some(base), None)
            } else if let ast::ExpressionKind::Field { base, name, .. } = &element.kind {
                (Some(base), Some(name))
            } else {
                (None, None)
            };
            let scope = base.and_then(|it| self.path(it));
            if let Some(Definition::Module(module)) = scope
                && let Some(name) = name
            {
                (self.member(module, name)?, &name.name, name.span)
            } else {
                // The declaration of a server has been reported.
                if !self.is_server(scope) {
                    self.wrong_form(TOOLS, Form::Tools, element.span);
                }
                return None;
            }
        };
        let Definition::Item(item) = found else {
            self.unlistable(TOOLS, &format!("`{name}`"), span);
            return None;
        };
        match item.kind(self.db) {
            ItemKind::Tool => return Some(item),
            ItemKind::Mcp => {}
            ItemKind::Agent => {
                let place = self.place(span);
                self.report(Missing::AgentAsTool.at(place));
            }
            ItemKind::Human => {
                let place = self.place(span);
                self.report(Missing::HumanAsTool.at(place));
            }
            other @ (ItemKind::Import
            | ItemKind::Function
            | ItemKind::Record
            | ItemKind::Alias
            | ItemKind::Enum
            | ItemKind::Error
            | ItemKind::Const
            | ItemKind::Prompt
            | ItemKind::Workflow
            | ItemKind::Hook
            | ItemKind::Skill
            | ItemKind::Test
            | ItemKind::Permissions
            | ItemKind::Invalid) => {
                self.unlistable(TOOLS, &format!("the {} `{name}`", kind_text(other)), span);
            }
        }
        None
    }
}
