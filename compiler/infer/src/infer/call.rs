//! Calls: what is called, and the types that follow from it.

use std::sync::Arc;

use gsw_names::types::{FunctionType, Type};
use gsw_names::{Definition, substitute};
use gsw_source::{ItemId, ItemKind, Span};
use gsw_syntax::ast;

use crate::errors::{calls as errors, records};
use crate::hir::{Callee, ExpressionId, ExpressionKind, PromptMode};
use crate::infer::argument::Formal;
use crate::infer::context::{Context, Expected};
use crate::infer::lookup;
use crate::infer::name::{kind_text, reference};
use crate::not_yet_supported::Missing;

/// What is written between a call's parentheses.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) arguments: &'a [ast::Argument],
    pub(super) arguments_span: Span,
    pub(super) span: Span,
}

impl Context<'_> {
    pub(super) fn call(
        &mut self,
        callee: &ast::Expression,
        call: Call,
        hint: Option<&Type>,
    ) -> ExpressionId {
        if let ast::ExpressionKind::Parenthesized(inner) = &callee.kind {
            return self.call(inner, call, hint);
        }
        if let ast::ExpressionKind::Name(name) = &callee.kind
            && self.scopes.find(name).is_none()
        {
            return match self.resolve_called(name, callee.span, hint) {
                Some(definition) => self.call_definition(definition, name, callee.span, call, hint),
                None => self.lost_call(call),
            };
        }
        if let ast::ExpressionKind::Field { base, name, chain } = &callee.kind {
            return match chain {
                ast::Chain::Plain => self.call_member(base, name, call, hint),
                ast::Chain::Optional => self.chain(base, call.span, |this, inside| {
                    this.method_call(inside, name, call, None)
                }),
            };
        }
        let callee = self.expression(callee, &Expected::Anything);
        self.call_value(callee, call)
    }

    /// `base.name(arguments)`: a function of a module or type, else a method of a value.
    fn call_member(
        &mut self,
        base: &ast::Expression,
        name: &ast::Identifier,
        call: Call,
        hint: Option<&Type>,
    ) -> ExpressionId {
        if let Some(scope) = self.path(base)
            && let Some(id) = self.call_in(scope, name, call, hint)
        {
            return id;
        }
        let receiver = self.expression(base, &Expected::Anything);
        self.method_call(receiver, name, call, hint)
    }

    /// A call of `scope.name`; `None` when the name belongs to a value.
    fn call_in(
        &mut self,
        scope: Definition,
        name: &ast::Identifier,
        call: Call,
        hint: Option<&Type>,
    ) -> Option<ExpressionId> {
        match scope {
            Definition::Module(module) => Some(match self.member(module, name) {
                Some(found) => self.call_definition(found, &name.name, name.span, call, hint),
                None => self.lost_call(call),
            }),
            Definition::Item(item) => match item.kind(self.db) {
                ItemKind::Record | ItemKind::Enum | ItemKind::Alias => {
                    self.call_in_type(item, name, call, hint)
                }
                ItemKind::Prompt => match name.name.as_str() {
                    "detail" => Some(self.prompt_call(item, call, PromptMode::Detail)),
                    "stream" => Some(self.prompt_call(item, call, PromptMode::Stream)),
                    _ => None,
                },
                ItemKind::Mcp => {
                    let place = self.place(call.span);
                    self.report(Missing::McpCall.at(place));
                    Some(self.lost_call(call))
                }
                ItemKind::Import
                | ItemKind::Function
                | ItemKind::Error
                | ItemKind::Const
                | ItemKind::Agent
                | ItemKind::Workflow
                | ItemKind::Tool
                | ItemKind::Hook
                | ItemKind::Human
                | ItemKind::Skill
                | ItemKind::Test
                | ItemKind::Permissions
                | ItemKind::Invalid => None,
            },
            Definition::Variant { .. } => None,
        }
    }

    /// `Type.name(…)`: a variant, or a method with its receiver as the first argument.
    fn call_in_type(
        &mut self,
        item: ItemId,
        name: &ast::Identifier,
        call: Call,
        hint: Option<&Type>,
    ) -> Option<ExpressionId> {
        let scope = gsw_names::module_scope(self.db, item.file(self.db));
        let method = format!("{}.{}", item.name(self.db), name.name);
        if let Some(&method) = scope.items.get(method.as_str()) {
            let definition = Definition::Item(method);
            return Some(self.call_definition(definition, &name.name, name.span, call, hint));
        }
        let item = lookup::enum_of(self.db, item)?;
        Some(self.call_in_enum(item, name, call, hint))
    }

    fn call_in_enum(
        &mut self,
        item: ItemId,
        name: &ast::Identifier,
        call: Call,
        hint: Option<&Type>,
    ) -> ExpressionId {
        if let Some(variant) = lookup::variant_named(self.db, item, &name.name) {
            let definition = Definition::Variant { item, variant };
            return self.call_definition(definition, &name.name, name.span, call, hint);
        }
        let plain = lookup::variants(self.db, item)
            .iter()
            .all(|it| it.fields.is_empty());
        if name.name == "values" && plain && call.arguments.is_empty() {
            let ty = Type::Enum(item, Arc::from([])).list();
            let kind = ExpressionKind::Call {
                callee: Callee::EnumValues(item),
                arguments: Vec::new(),
            };
            return self.push(kind, ty, call.span);
        }
        self.unknown_variant(item, name);
        self.lost_call(call)
    }

    /// A call of a declaration or variant.
    pub(super) fn call_definition(
        &mut self,
        definition: Definition,
        name: &str,
        name_span: Span,
        call: Call,
        hint: Option<&Type>,
    ) -> ExpressionId {
        self.refer(name_span, reference(definition));
        match definition {
            Definition::Variant { item, variant } => self.call_variant(item, variant, call, hint),
            Definition::Module(_) => {
                self.uncallable(&format!("the module `{name}`"), name_span, call)
            }
            Definition::Item(item) => match item.kind(self.db) {
                ItemKind::Function | ItemKind::Tool | ItemKind::Workflow | ItemKind::Human => {
                    self.call_item(item, None, name_span, call, hint)
                }
                ItemKind::Prompt => self.prompt_call(item, call, PromptMode::Value),
                ItemKind::Error => self.call_error(item, call),
                ItemKind::Const => {
                    let callee = self.definition_value(definition, name, name_span, None);
                    self.call_value(callee, call)
                }
                ItemKind::Record => {
                    let place = self.place(name_span);
                    let what = format!("the type `{name}`");
                    let report = errors::not_callable(place, &what);
                    self.report(records::record_is_made(report, name));
                    self.lost_call(call)
                }
                kind @ (ItemKind::Import
                | ItemKind::Alias
                | ItemKind::Enum
                | ItemKind::Agent
                | ItemKind::Mcp
                | ItemKind::Hook
                | ItemKind::Skill
                | ItemKind::Test
                | ItemKind::Permissions
                | ItemKind::Invalid) => {
                    let what = format!("the {} `{name}`", kind_text(kind));
                    self.uncallable(&what, name_span, call)
                }
            },
        }
    }

    /// A call of a function, tool, workflow or question; a method's receiver is given.
    pub(super) fn call_item(
        &mut self,
        item: ItemId,
        receiver: Option<ExpressionId>,
        name_span: Span,
        call: Call,
        hint: Option<&Type>,
    ) -> ExpressionId {
        let signature = lookup::signature(self.db, item);
        let type_arguments = self.fresh_arguments(signature.generics.len());
        let mut arguments = Vec::with_capacity(call.arguments.len() + 1);
        if let (Some(receiver), Some(first)) = (receiver, signature.parameters.first()) {
            let ty = substitute(&first.ty, &type_arguments);
            arguments.push((0, self.coerce(receiver, &ty)));
        }
        let result = substitute(&signature.result, &type_arguments);
        self.table.absorb_plain(&result, hint);
        let name = item.name(self.db);
        let formal = Formal {
            parameters: &signature.parameters,
            taken: arguments.len(),
            substitution: &type_arguments,
            callee: &format!("`{name}`"),
        };
        arguments.extend(self.arguments(formal, call));
        self.note_use(item, &type_arguments, name_span);
        let callee = Callee::Item {
            item,
            type_arguments,
        };
        self.push(
            ExpressionKind::Call { callee, arguments },
            result,
            call.span,
        )
    }

    fn call_variant(
        &mut self,
        item: ItemId,
        variant: u32,
        call: Call,
        hint: Option<&Type>,
    ) -> ExpressionId {
        let declared = &lookup::variants(self.db, item)[variant as usize];
        let type_arguments = self.fresh_arguments(lookup::arity(self.db, item));
        let ty = Type::Enum(item, Arc::from(type_arguments.as_slice()));
        self.table.absorb_all(&ty, hint);
        let formal = Formal {
            parameters: &declared.fields,
            taken: 0,
            substitution: &type_arguments,
            callee: &format!("`{}`", declared.name),
        };
        let fields = self.arguments(formal, call);
        self.push(
            ExpressionKind::Variant {
                item,
                variant,
                fields,
            },
            ty,
            call.span,
        )
    }

    fn call_error(&mut self, item: ItemId, call: Call) -> ExpressionId {
        let formal = Formal {
            parameters: lookup::fields(self.db, item),
            taken: 0,
            substitution: &[],
            callee: &format!("`{}`", item.name(self.db)),
        };
        let fields = self.arguments(formal, call);
        self.push(
            ExpressionKind::ErrorValue { item, fields },
            Type::Error,
            call.span,
        )
    }

    /// A call of a function value.
    pub(super) fn call_value(&mut self, callee: ExpressionId, call: Call) -> ExpressionId {
        let ty = self.ty(callee);
        let function = match self.table.unchecked(&ty) {
            Type::Function(function) => function,
            Type::Variable(variable) => {
                let parameters = self.fresh_arguments(call.arguments.len());
                let result = self.fresh();
                let function = Arc::new(FunctionType {
                    parameters,
                    result,
                    latent: None,
                });
                self.table.bind(variable, &Type::Function(function.clone()));
                function
            }
            Type::Invalid => return self.lost_call(call),
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
            | Type::Tuple(_)
            | Type::Record(..)
            | Type::Enum(..)
            | Type::Checked(..)
            | Type::Task(_)
            | Type::Stream(_)
            | Type::Queue(_)
            | Type::Partial(_)
            | Type::Parameter(..)
            | Type::Text(_) => {
                let what = format!("a value of type `{}`", self.show(&ty));
                return self.uncallable(&what, self.span(callee), call);
            }
        };
        let arguments = self.value_arguments(&function, call);
        let kind = ExpressionKind::Call {
            callee: Callee::Value(callee),
            arguments,
        };
        self.push(kind, function.result.clone(), call.span)
    }

    /// Looks at the arguments of a call that came to nothing, for their own mistakes.
    pub(super) fn lost_call(&mut self, call: Call) -> ExpressionId {
        for argument in call.arguments {
            let lambda = &argument.value.kind;
            let expected = if let ast::ExpressionKind::Lambda { parameters, .. } = lambda {
                Expected::Hint(unknown_function(parameters.len()))
            } else {
                Expected::Anything
            };
            self.expression(&argument.value, &expected);
        }
        self.invalid(call.span)
    }

    fn uncallable(&mut self, what: &str, span: Span, call: Call) -> ExpressionId {
        let place = self.place(span);
        self.report(errors::not_callable(place, what));
        self.lost_call(call)
    }

    /// Reports a name behind an enum's dot that is none of its variants.
    pub(super) fn unknown_variant(&mut self, item: ItemId, name: &ast::Identifier) {
        let variants = lookup::variants(self.db, item);
        let suggestion = gsw_source::nearest(&name.name, variants.iter().map(|it| &it.name));
        let place = self.place(name.span);
        let owner = item.name(self.db).clone();
        let suggestion = suggestion.as_deref();
        let report = records::unknown_variant(place, &name.name, &owner, suggestion);
        self.report(match name.name.as_str() {
            "values" => records::only_plain_enums(report),
            _ => report,
        });
    }
}

/// What a lambda is given where nothing can be said of its parameters and nothing more is to be reported.
fn unknown_function(parameters: usize) -> Type {
    Type::Function(Arc::new(FunctionType {
        parameters: vec![Type::Invalid; parameters],
        result: Type::Invalid,
        latent: None,
    }))
}
