//! What stands behind a value's dot: fields, methods, and `?.`.

use gsw_names::types::Type;
use gsw_names::{Definition, habit, method, method_names, substitute};
use gsw_source::{Diagnostic, ItemId, Name, Span, meant};
use gsw_syntax::ast;

use crate::errors::{calls, records, values};
use crate::hir::{Coercion, ExpressionId, ExpressionKind};
use crate::infer::call::Call;
use crate::infer::context::{Context, Expected};
use crate::infer::lookup;
use crate::infer::unify::Relation;

impl Context<'_> {
    pub(super) fn field(
        &mut self,
        base: &ast::Expression,
        name: &ast::Identifier,
        span: Span,
        hint: Option<&Type>,
    ) -> ExpressionId {
        let scope = self.path(base);
        if let Some(Definition::Module(module)) = scope {
            return match self.member(module, name) {
                Some(found) => self.definition_value(found, &name.name, span, hint),
                None => self.invalid(span),
            };
        }
        if let Some(Definition::Item(item)) = scope
            && let Some(item) = lookup::enum_of(self.db, item)
        {
            let Some(variant) = lookup::variant_named(self.db, item, &name.name) else {
                self.unknown_variant(item, name);
                return self.invalid(span);
            };
            let definition = Definition::Variant { item, variant };
            self.refer(name.span, crate::infer::name::reference(definition));
            return self.variant_value(item, variant, span, hint);
        }
        let base = self.expression(base, &Expected::Anything);
        self.value_field(base, name, span)
    }

    pub(super) fn chained_field(
        &mut self,
        base: &ast::Expression,
        name: &ast::Identifier,
        span: Span,
    ) -> ExpressionId {
        self.chain(base, span, |this, inside| match name.name.parse() {
            Ok(index) => this.tuple_part(inside, index, name.span, span),
            Err(_) => this.value_field(inside, name, span),
        })
    }

    /// `base?.…`: `link` is done to the inside.
    pub(super) fn chain(
        &mut self,
        base: &ast::Expression,
        span: Span,
        link: impl FnOnce(&mut Self, ExpressionId) -> ExpressionId,
    ) -> ExpressionId {
        let base = self.expression(base, &Expected::Anything);
        let ty = self.ty(base);
        let base_span = self.span(base);
        let inner = match &ty {
            Type::Optional(inner) => (**inner).clone(),
            Type::Invalid => Type::Invalid,
            Type::Variable(_) => return self.unknown_receiver(base, "?.", span),
            other @ (Type::Unit
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
            | Type::List(_)
            | Type::Map(..)
            | Type::Tuple(_)
            | Type::Record(..)
            | Type::Enum(..)
            | Type::Checked(..)
            | Type::Function(_)
            | Type::Task(_)
            | Type::Stream(_)
            | Type::Partial(_)
            | Type::Parameter(..)
            | Type::Text(_)) => {
                let (place, text) = (self.place(base_span), self.show(other));
                self.report(values::not_optional(place, "?.", &text));
                other.clone()
            }
        };
        let local = self.hidden_local(inner, base_span);
        let inside = self.local_value(local, base_span);
        let body = link(self, inside);
        let ty = self.ty(body).optional();
        self.push(ExpressionKind::Chain { base, local, body }, ty, span)
    }

    /// A field of a value.
    pub(super) fn value_field(
        &mut self,
        base: ExpressionId,
        name: &ast::Identifier,
        span: Span,
    ) -> ExpressionId {
        let ty = self.ty(base);
        let plain = self.table.unchecked(&ty);
        if plain == Type::Invalid {
            return self.invalid(span);
        }
        if let Type::Variable(_) = plain {
            return self.unknown_receiver(base, &name.name, span);
        }
        if plain == Type::Json {
            let kind = ExpressionKind::JsonField {
                base,
                name: name.name.clone(),
            };
            return self.push(kind, Type::Json, span);
        }
        let Some((item, index, field)) = self.field_of(&plain, &name.name) else {
            self.unknown_field(&ty, &plain, name);
            return self.invalid(span);
        };
        self.refer_field(name.span, item, 0, index);
        self.push(ExpressionKind::Field { base, index }, field, span)
    }

    /// The field of that name of a record, or of what has come of one so far.
    fn field_of(&self, ty: &Type, name: &str) -> Option<(ItemId, u32, Type)> {
        if let Type::Partial(inner) = ty {
            let (item, index, field) = self.field_of(&self.table.unchecked(inner), name)?;
            return Some((item, index, field.optional()));
        }
        let Type::Record(item, arguments) = ty else {
            return None;
        };
        let fields = lookup::fields(self.db, *item);
        let index = fields.iter().position(|it| it.name == name)?;
        let field = substitute(&fields[index].ty, arguments);
        Some((*item, u32::try_from(index).ok()?, field))
    }

    fn unknown_field(&mut self, ty: &Type, plain: &Type, name: &ast::Identifier) {
        let place = self.place(name.span);
        let fields = if let Type::Record(item, _) = plain {
            lookup::fields(self.db, *item)
        } else {
            &[]
        };
        let names: Vec<_> = fields.iter().map(|it| it.name.clone()).collect();
        let suggestion = meant(&name.name, &names);
        let text = self.show(ty);
        let mut report = records::unknown_field(place, &name.name, &text, suggestion.as_deref());
        if method(self.db, &self.table.zonk(ty), &name.name).is_some() {
            report = records::method_as_field(report, &name.name, self.end(name.span));
        }
        let has_field = |inner: &Type| {
            self.field_of(&self.table.unchecked(inner), &name.name)
                .is_some()
        };
        report = if let Type::Optional(inner) = plain
            && has_field(inner)
        {
            let before = Span::new(name.span.start.saturating_sub(1), name.span.start);
            records::field_of_optional(report, &name.name, self.start(before))
        } else if let Type::List(inner) = plain
            && has_field(inner)
        {
            records::field_of_elements(report, &name.name)
        } else if *plain == Type::Error {
            records::field_of_error(report)
        } else {
            self.instead_of_field(report, ty, &name.name)
        };
        self.report(report);
    }

    /// The method that is meant by a field of another language.
    fn instead_of_field(&mut self, report: Diagnostic, ty: &Type, name: &Name) -> Diagnostic {
        let names = method_names(self.db, &self.table.zonk(ty));
        match habit::method(name, &names) {
            Some(ours) => records::method_for_field(report, &ours),
            None => gsw_names::errors::instead_of_method(report, name),
        }
    }

    pub(super) fn method_call(
        &mut self,
        receiver: ExpressionId,
        name: &ast::Identifier,
        call: Call,
        hint: Option<&Type>,
    ) -> ExpressionId {
        let ty = self.ty(receiver);
        let plain = self.table.unchecked(&ty);
        if plain == Type::Invalid {
            return self.lost_call(call);
        }
        if let Type::Variable(_) = plain {
            self.unknown_receiver(receiver, &name.name, call.span);
            return self.lost_call(call);
        }
        if let Some((item, index, field)) = self.field_of(&plain, &name.name)
            && matches!(self.table.unchecked(&field), Type::Function(_))
        {
            self.refer_field(name.span, item, 0, index);
            let span = self.span(receiver).to(name.span);
            let kind = ExpressionKind::Field {
                base: receiver,
                index,
            };
            let callee = self.push(kind, field, span);
            return self.call_value(callee, call);
        }
        let found = method(self.db, &self.table.zonk(&ty), &name.name);
        if let Some(item) = found
            && let Some(receiver) = self.as_receiver(receiver, item)
        {
            self.refer(name.span, crate::item_bodies::Reference::Item(item));
            return self.call_item(item, Some(receiver), name.span, call, hint);
        }
        self.unknown_method(&ty, name, call.span);
        self.lost_call(call)
    }

    /// The receiver as the method's first parameter takes it; `None` when it does not.
    fn as_receiver(&mut self, receiver: ExpressionId, item: ItemId) -> Option<ExpressionId> {
        let signature = lookup::signature(self.db, item);
        let wanted = signature.parameters.first()?.ty.clone();
        let arguments = self.fresh_arguments(signature.generics.len());
        let wanted = substitute(&wanted, &arguments);
        let actual = self.ty(receiver);
        match self.table.relate(&actual, &wanted)? {
            Relation::Same => Some(receiver),
            Relation::Widen => Some(self.converted(receiver, Coercion::Widen, &wanted)),
        }
    }

    fn unknown_method(&mut self, ty: &Type, name: &ast::Identifier, whole: Span) {
        let zonked = self.table.zonk(ty);
        let names = method_names(self.db, &zonked);
        let suggestion = habit::method(&name.name, &names).or_else(|| meant(&name.name, &names));
        let place = self.place(name.span);
        let text = self.show(ty);
        let plain = self.table.unchecked(&zonked);
        let is_field = self.field_of(&plain, &name.name).is_some();
        let suggestion = suggestion.as_deref().filter(|_| !is_field);
        let report = calls::unknown_method(place, &name.name, &text, suggestion);
        let is_adding = matches!(name.name.as_str(), "push" | "append" | "add");
        let report = if is_field {
            let parentheses = Span::new(name.span.end, whole.end);
            let is_bare = gsw_names::source_text(self.db, self.item, parentheses) == "()";
            let removed = is_bare.then(|| self.place(parentheses));
            calls::field_as_method(report, &name.name, removed)
        } else if let Type::Optional(inner) = &zonked
            && method(self.db, inner, &name.name).is_some()
        {
            let before = Span::new(name.span.start.saturating_sub(1), name.span.start);
            calls::through_optional(report, &name.name, self.start(before))
        } else if zonked == Type::Json {
            calls::typed_json(report)
        } else if zonked == Type::Secret {
            values::secret_stays(report)
        } else if is_adding && matches!(zonked, Type::List(_)) {
            calls::joined_lists(report)
        } else if let Type::Function(_) = zonked {
            calls::of_function(report)
        } else {
            gsw_names::errors::instead_of_method(report, &name.name)
        };
        self.report(report);
    }
}
