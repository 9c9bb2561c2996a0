//! Names as values: locals, declarations and variants.

use std::sync::Arc;

use gsw_names::types::{FunctionType, Type};
use gsw_names::{Definition, Parameter, Presence, substitute};
use gsw_source::{ItemId, ItemKind, Name, Span};

use crate::errors::{elsewhere, records};
use crate::hir::{Callee, ExpressionId, ExpressionKind};
use crate::infer::context::Context;
use crate::infer::hir_builder::HirBuilder;
use crate::infer::lookup;
use crate::infer::names::reference;
use crate::infer::record;
use crate::item_bodies::{GenericUse, Reference};

pub(super) fn infer_name(
    cx: &mut Context,
    name: &Name,
    span: Span,
    hint: Option<&Type>,
) -> ExpressionId {
    // Locals first: a declaration that is added to the module later cannot change what a body means.
    if let Some(local) = cx.scopes.find(name) {
        cx.hir.refer(
            span,
            Reference::Local {
                part: cx.part,
                local,
            },
        );
        return cx.hir.local_value(local, span);
    }
    match cx.names().resolve(name, span, hint) {
        Some(definition) => definition_value(&mut cx.hir, definition, name, span, hint),
        None => cx.hir.invalid(span),
    }
}

/// A declaration or variant as a value.
pub(super) fn definition_value(
    hir: &mut HirBuilder,
    definition: Definition,
    name: &str,
    span: Span,
    hint: Option<&Type>,
) -> ExpressionId {
    // Also for what is no value here: an editor should lead to the module or type that was named.
    hir.refer(span, reference(definition));
    match definition {
        Definition::Variant { item, variant } => variant_value(hir, item, variant, span, hint),
        Definition::Module(module) => {
            let report = records::not_a_value(hir.place(span), &format!("the module `{name}`"));
            let members = gsw_names::member_names(hir.db, module);
            hir.report(elsewhere::has_members(report, name, &members));
            hir.invalid(span)
        }
        Definition::Item(item) => match item.kind(hir.db) {
            ItemKind::Function if is_property(hir.db, item) => property_value(hir, item, span),
            ItemKind::Function
            | ItemKind::Prompt
            | ItemKind::Workflow
            | ItemKind::Tool
            | ItemKind::Human
            | ItemKind::External => function_value(hir, item, span),
            ItemKind::Const => {
                let ty = lookup::signature(hir.db, item).result.clone();
                hir.push(ExpressionKind::Constant(item), ty, span)
            }
            ItemKind::Mcp => property_value(hir, item, span),
            // Its settings are not evaluated here but when a prompt asks.
            ItemKind::Agent => hir.push(ExpressionKind::Constant(item), Type::Agent, span),
            ItemKind::Error => error_value(hir, item, span),
            ItemKind::Record if record::has_damaged_methods(hir, item) => hir.invalid(span),
            ItemKind::Record => {
                let report = records::not_a_value(hir.place(span), &format!("the type `{name}`"));
                let report = record::how_made(hir, item, report, name);
                hir.report(report);
                hir.invalid(span)
            }
            ItemKind::Enum if lookup::is_plain_enum(hir.db, item) => {
                let report = records::not_a_value(hir.place(span), &format!("the enum `{name}`"));
                hir.report(records::enum_as_value(report, name));
                hir.invalid(span)
            }
            kind @ (ItemKind::Import
            | ItemKind::Alias
            | ItemKind::Enum
            | ItemKind::Hook
            | ItemKind::Skill
            | ItemKind::Test
            | ItemKind::Permissions
            | ItemKind::Invalid) => {
                not_a_value(hir, &format!("the {} `{name}`", kind_text(kind)), span)
            }
        },
    }
}

fn not_a_value(hir: &mut HirBuilder, what: &str, span: Span) -> ExpressionId {
    let place = hir.place(span);
    hir.report(records::not_a_value(place, what));
    hir.invalid(span)
}

/// `context.node`, the name of an MCP server: a call that is written as a value.
fn property_value(hir: &mut HirBuilder, item: ItemId, span: Span) -> ExpressionId {
    let result = lookup::signature(hir.db, item).result.clone();
    let callee = Callee::Item {
        item,
        type_arguments: Vec::new(),
    };
    let arguments = Vec::new();
    hir.push(ExpressionKind::Call { callee, arguments }, result, span)
}

fn function_value(hir: &mut HirBuilder, item: ItemId, span: Span) -> ExpressionId {
    let signature = lookup::signature(hir.db, item);
    // One set for each use, since two uses of a name may be at different types.
    let type_arguments = hir.fresh_arguments(signature.generics.len());
    note_use(hir, item, &type_arguments, span);
    let ty = function_type(&signature.parameters, &signature.result, &type_arguments);
    hir.push(
        ExpressionKind::FunctionValue {
            item,
            type_arguments,
        },
        ty,
        span,
    )
}

/// Notes that a generic declaration is used with these type arguments.
pub(super) fn note_use(hir: &mut HirBuilder, item: ItemId, type_arguments: &[Type], span: Span) {
    // With the types as they are now: most are variables, which are replaced when inference has ended.
    if !type_arguments.is_empty() {
        let type_arguments = type_arguments.to_vec();
        hir.findings.use_generic(GenericUse {
            item,
            type_arguments,
            span,
        });
    }
}

fn error_value(hir: &mut HirBuilder, item: ItemId, span: Span) -> ExpressionId {
    let fields = lookup::fields(hir.db, item);
    if fields.is_empty() {
        let kind = ExpressionKind::ErrorValue {
            item,
            fields: Vec::new(),
        };
        return hir.push(kind, Type::Error, span);
    }
    let ty = function_type(fields, &Type::Error, &[]);
    hir.push(
        ExpressionKind::ConstructorValue { item, variant: 0 },
        ty,
        span,
    )
}

/// A variant without arguments: itself, or the function that makes it.
pub(super) fn variant_value(
    hir: &mut HirBuilder,
    item: ItemId,
    variant: u32,
    span: Span,
    hint: Option<&Type>,
) -> ExpressionId {
    let arguments = hir.fresh_arguments(lookup::arity(hir.db, item));
    let ty = Type::Enum(item, Arc::from(arguments.as_slice()));
    let fields = &lookup::variants(hir.db, item)[variant as usize].fields;
    if fields.is_empty() {
        // Before the value is pushed: without fields the hint is all that can say what the type arguments are.
        hir.table.absorb_all(&ty, hint);
        let kind = ExpressionKind::Variant {
            item,
            variant,
            fields: Vec::new(),
        };
        return hir.push(kind, ty, span);
    }
    let ty = function_type(fields, &ty, &arguments);
    hir.push(ExpressionKind::ConstructorValue { item, variant }, ty, span)
}

/// The function type of a head with these type arguments.
pub(super) fn function_type(parameters: &[Parameter], result: &Type, arguments: &[Type]) -> Type {
    Type::Function(Arc::new(FunctionType {
        parameters: parameters
            .iter()
            .map(|it| substitute(&it.ty, arguments))
            .collect(),
        result: substitute(result, arguments),
        latent: None,
    }))
}

/// The word for a kind of declaration.
pub fn kind_text(kind: ItemKind) -> &'static str {
    match kind {
        ItemKind::Function => "function",
        ItemKind::Record | ItemKind::Alias => "type",
        ItemKind::Enum => "enum",
        ItemKind::Error => "error",
        ItemKind::Const => "constant",
        ItemKind::Agent => "agent",
        ItemKind::Prompt => "prompt",
        ItemKind::Workflow => "workflow",
        ItemKind::Tool => "tool",
        ItemKind::Mcp => "MCP server",
        ItemKind::Hook => "hook",
        ItemKind::Human => "question",
        ItemKind::External => "external",
        ItemKind::Skill => "skill",
        ItemKind::Import | ItemKind::Test | ItemKind::Permissions | ItemKind::Invalid => {
            "declaration"
        }
    }
}

fn is_property(db: &dyn gsw_source::Db, item: ItemId) -> bool {
    lookup::signature(db, item).property == Presence::Present
}
