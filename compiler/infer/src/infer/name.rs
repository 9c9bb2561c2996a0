//! Names as values: locals, declarations, variants, what stands behind a module's dot.

use std::sync::Arc;

use gsw_names::types::{FunctionType, Type};
use gsw_names::{
    Definition, Parameter, Presence, errors, habit, is_reported, library_module, member_names,
    resolve_callable, resolve_member, resolve_name, seems_declared, shown_module, substitute,
    suggest, variants_named,
};
use gsw_source::{ItemId, ItemKind, Name, Span, nearest};
use gsw_syntax::ast;

use crate::errors::{calls, records};
use crate::hir::{Callee, ExpressionId, ExpressionKind};
use crate::infer::context::Context;
use crate::infer::lookup;
use crate::item_bodies::{GenericUse, Reference};
use crate::not_yet_supported::Missing;

/// Names of the language that its library does not have yet.
const PROMISED: &[&str] = &["document", "image", "session"];

impl Context<'_> {
    pub(super) fn name(&mut self, name: &Name, span: Span, hint: Option<&Type>) -> ExpressionId {
        if let Some(local) = self.scopes.find(name) {
            self.refer(
                span,
                Reference::Local {
                    part: self.part,
                    local,
                },
            );
            return self.local_value(local, span);
        }
        match self.resolve(name, span, hint) {
            Some(definition) => self.definition_value(definition, name, span, hint),
            None => self.invalid(span),
        }
    }

    /// What a name that is no local means; `None` when that was reported.
    pub(super) fn resolve(
        &mut self,
        name: &Name,
        span: Span,
        hint: Option<&Type>,
    ) -> Option<Definition> {
        if let Some((item, _)) = hint.and_then(|it| self.table.wanted_enum(it))
            && let Some(variant) = lookup::variant_named(self.db, item, name)
        {
            return Some(Definition::Variant { item, variant });
        }
        let definition = resolve_name(self.db, self.file, name);
        let is_variant = match definition {
            Some(Definition::Variant { .. }) => true,
            // A type is no value, so it does not hide a variant of its name.
            Some(Definition::Item(item)) => {
                is_type(item.kind(self.db)) && !variants_named(self.db, self.file, name).is_empty()
            }
            Some(Definition::Module(_)) | None => false,
        };
        if is_variant {
            return self.unambiguous_variant(name, span);
        }
        if definition.is_none() {
            self.unknown_name(name, span);
        }
        definition
    }

    /// The variant that a bare name is when nothing around tells its enum.
    fn unambiguous_variant(&mut self, name: &Name, span: Span) -> Option<Definition> {
        match variants_named(self.db, self.file, name) {
            [(item, variant)] => Some(Definition::Variant {
                item: *item,
                variant: *variant,
            }),
            several => {
                let enums: Vec<&str> = several
                    .iter()
                    .map(|(item, _)| item.name(self.db).as_str())
                    .collect();
                let place = self.place(span);
                self.report(records::ambiguous_variant(place, name, &enums));
                None
            }
        }
    }

    /// Reports a name that nothing has.
    pub(super) fn unknown_name(&mut self, name: &Name, span: Span) {
        if PROMISED.contains(&name.as_str()) {
            let place = self.place(span);
            self.report(Missing::Name(name).at(place));
            return;
        }
        if is_reported(self.db, self.file, name) {
            return;
        }
        let place = self.place(span);
        if let Some(start) = library_module(self.db, self.file, name)
            && !errors::is_foreign_name(name)
        {
            self.report(errors::module_not_imported(place, name, start));
            return;
        }
        let locals: Vec<Name> = self.scopes.names().cloned().collect();
        let suggestion = habit::value(name)
            .map(Name::new_static)
            .or_else(|| suggest(self.db, self.file, name, &locals));
        let is_known = suggestion.is_some();
        let report = errors::unknown_name(place, name, suggestion.as_deref());
        let mut roles = ast::TextRole::ALL.into_iter();
        if let (Some(_), Some(role)) = (self.said, roles.find(|it| it.text() == name.as_str())) {
            self.report(calls::text_needs_literal(report, role));
            return;
        }
        self.report(match habit::is_printing(name) {
            true => errors::log_instead(report),
            false if is_known => report,
            false => errors::instead_of_name(report, name),
        });
    }

    /// As `resolve`, for what is called: a module does not hide the function of its name.
    pub(super) fn resolve_called(
        &mut self,
        name: &Name,
        span: Span,
        hint: Option<&Type>,
    ) -> Option<Definition> {
        match resolve_callable(self.db, self.file, name) {
            Some(Definition::Variant { .. }) | None => self.resolve(name, span, hint),
            Some(Definition::Item(item)) if is_type(item.kind(self.db)) => {
                self.resolve(name, span, hint)
            }
            found => found,
        }
    }

    /// What an expression names when it is a path of modules and declarations; `None` for values.
    pub(super) fn path(&mut self, expression: &ast::Expression) -> Option<Definition> {
        let (definition, span) = if let ast::ExpressionKind::Name(name) = &expression.kind {
            if self.scopes.find(name).is_some() {
                return None;
            }
            (resolve_name(self.db, self.file, name)?, expression.span)
        } else if let ast::ExpressionKind::Field {
            base,
            name,
            chain: ast::Chain::Plain,
        } = &expression.kind
        {
            let Definition::Module(module) = self.path(base)? else {
                return None;
            };
            let definition = resolve_member(self.db, module, &name.name, self.file)?;
            (definition, name.span)
        } else {
            return None;
        };
        self.is_scope(definition).then(|| {
            self.refer(span, reference(definition));
            definition
        })
    }

    /// Whether names behind a dot are looked up in the definition rather than in its value.
    fn is_scope(&self, definition: Definition) -> bool {
        match definition {
            Definition::Module(_) => true,
            Definition::Item(item) => !matches!(item.kind(self.db), ItemKind::Const),
            Definition::Variant { .. } => false,
        }
    }

    /// What `name` means behind the dot of a module; `None` when that was reported.
    pub(super) fn member(
        &mut self,
        module: gsw_source::File,
        name: &ast::Identifier,
    ) -> Option<Definition> {
        if let Some(found) = resolve_member(self.db, module, &name.name, self.file) {
            self.refer(name.span, reference(found));
            return Some(found);
        }
        if seems_declared(self.db, module, &name.name) {
            return None;
        }
        let path = shown_module(self.db, module);
        let place = self.place(name.span);
        let hidden = resolve_member(self.db, module, &name.name, module).is_some();
        let diagnostic = if hidden {
            errors::private_name(place, &name.name, &path)
        } else {
            let names = member_names(self.db, module);
            let suggestion = nearest(&name.name, &names);
            errors::unknown_member(place, &name.name, &path, suggestion.as_deref())
        };
        self.report(diagnostic);
        None
    }

    /// A declaration or variant as a value.
    pub(super) fn definition_value(
        &mut self,
        definition: Definition,
        name: &str,
        span: Span,
        hint: Option<&Type>,
    ) -> ExpressionId {
        self.refer(span, reference(definition));
        match definition {
            Definition::Variant { item, variant } => self.variant_value(item, variant, span, hint),
            Definition::Module(_) => self.not_a_value(&format!("the module `{name}`"), span),
            Definition::Item(item) => match item.kind(self.db) {
                ItemKind::Function if is_property(self.db, item) => self.property_value(item, span),
                ItemKind::Function
                | ItemKind::Prompt
                | ItemKind::Workflow
                | ItemKind::Tool
                | ItemKind::Human => self.function_value(item, span),
                ItemKind::Const => {
                    let ty = lookup::signature(self.db, item).result.clone();
                    self.push(ExpressionKind::Constant(item), ty, span)
                }
                ItemKind::Agent => self.push(ExpressionKind::Constant(item), Type::Agent, span),
                ItemKind::Error => self.error_value(item, span),
                ItemKind::Record => {
                    let report =
                        records::not_a_value(self.place(span), &format!("the type `{name}`"));
                    self.report(records::record_is_made(report, name));
                    self.invalid(span)
                }
                kind @ (ItemKind::Import
                | ItemKind::Alias
                | ItemKind::Enum
                | ItemKind::Mcp
                | ItemKind::Hook
                | ItemKind::Skill
                | ItemKind::Test
                | ItemKind::Permissions
                | ItemKind::Invalid) => {
                    self.not_a_value(&format!("the {} `{name}`", kind_text(kind)), span)
                }
            },
        }
    }

    fn not_a_value(&mut self, what: &str, span: Span) -> ExpressionId {
        let place = self.place(span);
        self.report(records::not_a_value(place, what));
        self.invalid(span)
    }

    /// Fresh types for the type parameters of a declaration.
    pub(super) fn fresh_arguments(&mut self, count: usize) -> Vec<Type> {
        (0..count).map(|_| self.fresh()).collect()
    }

    /// `context.node`: a call that is written as a value.
    fn property_value(&mut self, item: ItemId, span: Span) -> ExpressionId {
        let result = lookup::signature(self.db, item).result.clone();
        let callee = Callee::Item {
            item,
            type_arguments: Vec::new(),
        };
        let arguments = Vec::new();
        self.push(ExpressionKind::Call { callee, arguments }, result, span)
    }

    fn function_value(&mut self, item: ItemId, span: Span) -> ExpressionId {
        let signature = lookup::signature(self.db, item);
        let type_arguments = self.fresh_arguments(signature.generics.len());
        self.note_use(item, &type_arguments, span);
        let ty = function_type(&signature.parameters, &signature.result, &type_arguments);
        self.push(
            ExpressionKind::FunctionValue {
                item,
                type_arguments,
            },
            ty,
            span,
        )
    }

    /// Notes that a generic declaration is used with these type arguments.
    pub(super) fn note_use(&mut self, item: ItemId, type_arguments: &[Type], span: Span) {
        if !type_arguments.is_empty() {
            let type_arguments = type_arguments.to_vec();
            self.findings.use_generic(GenericUse {
                item,
                type_arguments,
                span,
            });
        }
    }

    fn error_value(&mut self, item: ItemId, span: Span) -> ExpressionId {
        let fields = lookup::fields(self.db, item);
        if fields.is_empty() {
            let kind = ExpressionKind::ErrorValue {
                item,
                fields: Vec::new(),
            };
            return self.push(kind, Type::Error, span);
        }
        let ty = function_type(fields, &Type::Error, &[]);
        self.push(
            ExpressionKind::ConstructorValue { item, variant: 0 },
            ty,
            span,
        )
    }

    /// A variant without arguments: itself, or the function that makes it.
    pub(super) fn variant_value(
        &mut self,
        item: ItemId,
        variant: u32,
        span: Span,
        hint: Option<&Type>,
    ) -> ExpressionId {
        let arguments = self.fresh_arguments(lookup::arity(self.db, item));
        let ty = Type::Enum(item, Arc::from(arguments.as_slice()));
        let fields = &lookup::variants(self.db, item)[variant as usize].fields;
        if fields.is_empty() {
            self.table.absorb_all(&ty, hint);
            let kind = ExpressionKind::Variant {
                item,
                variant,
                fields: Vec::new(),
            };
            return self.push(kind, ty, span);
        }
        let ty = function_type(fields, &ty, &arguments);
        self.push(ExpressionKind::ConstructorValue { item, variant }, ty, span)
    }
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

/// A definition as the target of a name.
pub(super) fn reference(definition: Definition) -> Reference {
    match definition {
        Definition::Item(item) => Reference::Item(item),
        Definition::Variant { item, variant } => Reference::Variant { item, variant },
        Definition::Module(file) => Reference::Module(file),
    }
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
        ItemKind::Skill => "skill",
        ItemKind::Import | ItemKind::Test | ItemKind::Permissions | ItemKind::Invalid => {
            "declaration"
        }
    }
}

/// Whether items of this kind are types and nothing else.
fn is_type(kind: ItemKind) -> bool {
    matches!(kind, ItemKind::Record | ItemKind::Enum | ItemKind::Alias)
}

fn is_property(db: &dyn gsw_source::Db, item: ItemId) -> bool {
    lookup::signature(db, item).property == Presence::Present
}
