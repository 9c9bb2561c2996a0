//! Record literals.

use std::sync::Arc;

use gsw_names::types::Type;
use gsw_names::{Definition, Parameter, Presence, resolve_name, substitute};
use gsw_source::{ItemId, ItemKind, Name, Span, meant};
use gsw_syntax::ast;

use crate::errors::records::{self as errors, Others};
use crate::hir::{Coercion, ExpressionId, ExpressionKind};
use crate::infer::context::{Context, Expected};
use crate::infer::lookup;
use crate::infer::name::{kind_text, reference};

/// A record literal as it is written.
#[derive(Clone, Copy)]
struct Literal<'a> {
    path: &'a [ast::Identifier],
    fields: &'a [ast::FieldInit],
    span: Span,
}

impl Context<'_> {
    /// `Bug { title: "x", ..base }`
    pub(super) fn record(
        &mut self,
        path: &[ast::Identifier],
        fields: &[ast::FieldInit],
        base: Option<&ast::Expression>,
        span: Span,
        hint: Option<&Type>,
    ) -> ExpressionId {
        let braces = Span::new(path.last().map_or(span.start, |it| it.span.end), span.end);
        let is_plain = base.is_none() && fields.iter().all(|it| it.value.is_some());
        let braces = is_plain.then_some(braces);
        let Some((item, checked)) = self.record_item(path, braces) else {
            return self.lost_record(fields, base, span);
        };
        let arguments = self.fresh_arguments(lookup::arity(self.db, item));
        let ty = Type::Record(item, Arc::from(arguments.as_slice()));
        self.table.absorb_all(&ty, hint);
        let declared = lookup::fields(self.db, item);
        let mut given = vec![false; declared.len()];
        let mut values = Vec::with_capacity(fields.len());
        let mut is_whole = true;
        for field in fields {
            match self.record_field(item, declared, field, &arguments, &mut given) {
                Some(found) => values.push(found),
                None => is_whole = false,
            }
        }
        let base = base.map(|it| self.expression(it, &Expected::Type(ty.clone())));
        if base.is_none() {
            self.absent_fields(declared, &arguments, &mut given, &mut values, span);
            if is_whole {
                let literal = Literal { path, fields, span };
                self.missing_fields(item, declared, &given, literal);
            }
        }
        let id = self.push(
            ExpressionKind::Record {
                item,
                fields: values,
                base,
            },
            ty,
            span,
        );
        match checked {
            Some(alias) => self.converted(id, Coercion::Check, &alias),
            None => id,
        }
    }

    /// The record that a path names, and the checked alias that it was reached through. `braces` are those of a literal that
    /// would be a call with parentheses.
    pub(super) fn record_item(
        &mut self,
        path: &[ast::Identifier],
        braces: Option<Span>,
    ) -> Option<(ItemId, Option<Type>)> {
        let definition = self.written_path(path)?;
        let last = path.last()?;
        let place = self.place(last.span);
        let Definition::Item(item) = definition else {
            let report = errors::not_a_record(place, &format!("`{}`", last.name));
            let call = self.as_call(braces);
            self.report(match definition {
                Definition::Variant { .. } => {
                    errors::made_by_call(report, "a variant", &last.name, call)
                }
                Definition::Item(_) | Definition::Module(_) => report,
            });
            return None;
        };
        let found = match item.kind(self.db) {
            ItemKind::Record => Some((item, None)),
            ItemKind::Alias => {
                let target = gsw_names::alias_target(self.db, item);
                let Type::Record(record, _) = self.table.unchecked(&target) else {
                    return None;
                };
                let checked =
                    gsw_names::has_check(self.db, item).then(|| Type::Checked(item, Arc::from([])));
                Some((record, checked))
            }
            ItemKind::Import
            | ItemKind::Function
            | ItemKind::Enum
            | ItemKind::Error
            | ItemKind::Const
            | ItemKind::Agent
            | ItemKind::Prompt
            | ItemKind::Workflow
            | ItemKind::Tool
            | ItemKind::Mcp
            | ItemKind::Hook
            | ItemKind::Human
            | ItemKind::Skill
            | ItemKind::Test
            | ItemKind::Permissions
            | ItemKind::Invalid => None,
        };
        if found.is_none() {
            let what = format!("the {} `{}`", kind_text(item.kind(self.db)), last.name);
            let report = errors::not_a_record(place, &what);
            let call = self.as_call(braces);
            self.report(match item.kind(self.db) == ItemKind::Error {
                true => errors::made_by_call(report, "an error", &last.name, call),
                false => report,
            });
        }
        found
    }

    /// The braces of a literal on one line, and the parentheses that take their place.
    fn as_call(&self, braces: Option<Span>) -> Option<(gsw_source::Place, String)> {
        let braces = braces?;
        let text = gsw_names::source_text(self.db, self.item, braces);
        let inside = text.trim_start().strip_prefix('{')?.strip_suffix('}')?;
        (!inside.contains('\n')).then(|| (self.place(braces), format!("({})", inside.trim())))
    }

    /// What a path of names, none of them a local, means; `None` when that was reported.
    pub(super) fn written_path(&mut self, path: &[ast::Identifier]) -> Option<Definition> {
        let (first, rest) = path.split_first()?;
        let Some(mut definition) = resolve_name(self.db, self.file, &first.name) else {
            self.unknown_name(&first.name, first.span);
            return None;
        };
        self.refer(first.span, reference(definition));
        for name in rest {
            definition = match definition {
                Definition::Module(module) => self.member(module, name)?,
                Definition::Item(item) if lookup::enum_of(self.db, item).is_some() => {
                    let item = lookup::enum_of(self.db, item).unwrap_or(item);
                    let Some(variant) = lookup::variant_named(self.db, item, &name.name) else {
                        self.unknown_variant(item, name);
                        return None;
                    };
                    let definition = Definition::Variant { item, variant };
                    self.refer(name.span, reference(definition));
                    definition
                }
                Definition::Item(_) | Definition::Variant { .. } => {
                    let place = self.place(name.span);
                    let before = format!("`{}`", first.name);
                    self.report(
                        gsw_names::errors::unknown_name(place, &name.name, None)
                            .note(format!("{before} is neither a module nor an enum")),
                    );
                    return None;
                }
            };
        }
        Some(definition)
    }

    fn record_field(
        &mut self,
        item: ItemId,
        declared: &[Parameter],
        field: &ast::FieldInit,
        arguments: &[Type],
        given: &mut [bool],
    ) -> Option<(u32, ExpressionId)> {
        let name = &field.name;
        let punned;
        let value = match &field.value {
            Some(value) => value,
            None => {
                let kind = ast::ExpressionKind::Name(name.name.clone());
                punned = ast::Expression {
                    kind,
                    span: name.span,
                };
                &punned
            }
        };
        let place = self.place(name.span);
        let Some(index) = declared.iter().position(|it| it.name == name.name) else {
            let rest = declared.iter().zip(&*given).filter(|(_, given)| !**given);
            let names: Vec<Name> = rest.map(|(it, _)| it.name.clone()).collect();
            let suggestion = meant(&name.name, &names);
            let owner = item.name(self.db).clone();
            self.report(errors::unknown_field(
                place,
                &name.name,
                &owner,
                suggestion.as_deref(),
            ));
            if field.value.is_some() {
                self.expression(value, &Expected::Anything);
            }
            return None;
        };
        if std::mem::replace(&mut given[index], true) {
            self.report(errors::duplicate_field(place, &name.name));
        }
        let position = u32::try_from(index).ok()?;
        self.refer_field(name.span, item, 0, position);
        let wanted = substitute(&declared[index].ty, arguments);
        let before = self.findings.reported();
        let value = self.expression(value, &Expected::Type(wanted));
        if field.value.is_none()
            && let Some(report) = self.findings.first_since(before)
        {
            errors::short_for(report, &name.name);
        }
        Some((position, value))
    }

    /// An optional field that is not written and has no default is `none`.
    fn absent_fields(
        &mut self,
        declared: &[Parameter],
        arguments: &[Type],
        given: &mut [bool],
        values: &mut Vec<(u32, ExpressionId)>,
        span: Span,
    ) {
        for (index, (field, given)) in (0u32..).zip(declared.iter().zip(given)) {
            let is_optional = matches!(field.ty, Type::Optional(_));
            if !*given && is_optional && field.default == Presence::Absent {
                *given = true;
                let ty = substitute(&field.ty, arguments);
                let end = Span::new(span.end, span.end);
                values.push((index, self.push(ExpressionKind::None, ty, end)));
            }
        }
    }

    fn missing_fields(
        &mut self,
        item: ItemId,
        declared: &[Parameter],
        given: &[bool],
        literal: Literal<'_>,
    ) {
        let Literal { path, fields, span } = literal;
        let missing: Vec<&Parameter> = declared
            .iter()
            .zip(given)
            .filter(|(it, given)| !**given && it.default == Presence::Absent)
            .map(|(it, _)| it)
            .collect();
        if missing.is_empty() {
            return;
        }
        let names: Vec<&str> = missing.iter().map(|it| it.name.as_str()).collect();
        let place = self.place(path.last().map_or(span, |it| it.span));
        let owner = item.name(self.db).clone();
        let report = errors::missing_field(place, &names, &owner);
        let values = missing.iter().map(|it| {
            let value = (it.check == Presence::Absent).then(|| self.simplest(&it.ty))?;
            Some(format!("{}: {}", it.name, value?))
        });
        let values: Option<Vec<String>> = values.collect();
        self.report(match values {
            Some(values) => {
                let last = fields.last().map(|it| match &it.value {
                    Some(value) => value.span.end,
                    None => it.name.span.end,
                });
                let (at, others) = match last {
                    Some(end) => (end, Others::Some),
                    None => (span.end.saturating_sub(1), Others::None),
                };
                let at = self.place(Span::new(at, at));
                errors::add_fields(report, at, &values, others)
            }
            None => report,
        });
    }

    /// The simplest value of a type, as it is written; `None` where there is no such or it may be refused.
    fn simplest(&self, ty: &Type) -> Option<String> {
        let text = match self.table.resolve(ty) {
            Type::Bool => "false",
            Type::Int => "0",
            Type::Float => "0.0",
            Type::String => "\"\"",
            Type::Duration => "0s",
            Type::List(_) => "[]",
            Type::Map(..) => "{}",
            Type::Json | Type::Optional(_) => "none",
            Type::Literals(names) => return names.first().map(|it| format!("{it:?}")),
            Type::Enum(item, _) => {
                let mut variants = lookup::variants(self.db, item).iter();
                let plain = variants.find(|it| it.fields.is_empty())?;
                return Some(plain.name.to_string());
            }
            Type::Unit
            | Type::Bytes
            | Type::Time
            | Type::Secret
            | Type::Image
            | Type::Document
            | Type::Session
            | Type::Error
            | Type::Agent
            | Type::Never
            | Type::Tuple(_)
            | Type::Record(..)
            | Type::Checked(..)
            | Type::Function(_)
            | Type::Task(_)
            | Type::Stream(_)
            | Type::Partial(_)
            | Type::Parameter(..)
            | Type::Variable(_)
            | Type::Text(_)
            | Type::Invalid => return None,
        };
        Some(text.to_owned())
    }

    /// Looks at the parts of a record literal that came to nothing, for their own mistakes.
    fn lost_record(
        &mut self,
        fields: &[ast::FieldInit],
        base: Option<&ast::Expression>,
        span: Span,
    ) -> ExpressionId {
        for value in fields.iter().filter_map(|it| it.value.as_ref()).chain(base) {
            self.expression(value, &Expected::Anything);
        }
        self.invalid(span)
    }
}
