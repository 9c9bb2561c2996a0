//! Unions of texts, and what is written with `|` that is none.

use std::collections::BTreeSet;

use gsw_source::{Diagnostic, Name, Span};
use gsw_syntax::ast;

use super::{Lowering, SIMPLE, plain_name};
use crate::errors;
use crate::foreign;
use crate::scope::resolve_name;
use crate::source_text::source_text;
use crate::types::Type;

impl Lowering<'_> {
    /// The members of a union where each is a name that nothing has: the variants of an enum in other languages.
    fn unknown_members(&self, members: &[ast::TypeExpression]) -> Option<(Span, Vec<Name>)> {
        let names = members.iter().map(|it| {
            let name = plain_name(it)?;
            let is_known = SIMPLE.iter().any(|(it, _)| *it == name.name)
                || foreign::type_name(&name.name).is_some()
                || resolve_name(self.db, self.file, &name.name).is_some();
            let is_variant = name.name.starts_with(|it: char| it.is_uppercase());
            (is_variant && !is_known).then(|| name.name.clone())
        });
        let names: Option<Vec<Name>> = names.collect();
        Some((members.first()?.span, names?))
    }

    /// A report of a union with what stands for nothing in other languages: `string | null`.
    fn union_with_nothing(&self, members: &[ast::TypeExpression]) -> Option<Diagnostic> {
        let is_nothing = |it: &ast::TypeExpression| {
            let name = plain_name(it);
            name.is_some_and(|it| foreign::value(&it.name) == Some("none"))
        };
        let (nothing, rest): (Vec<_>, Vec<_>) = members.iter().partition(|it| is_nothing(it));
        let whole = members.first()?.span.to(members.last()?.span);
        let text = |it: &&ast::TypeExpression| source_text(self.db, self.item, it.span);
        let texts: Vec<String> = rest.iter().map(|it| text(it).to_string()).collect();
        let optional = match &texts[..] {
            [] => return None,
            [one] => format!("{one}?"),
            several => format!("({})?", several.join(" | ")),
        };
        let first = nothing.first().and_then(|it| plain_name(it))?;
        Some(errors::optional_instead(
            self.place(first.span),
            &first.name,
            self.place(whole),
            &optional,
        ))
    }

    /// A report of a union whose last text alone is optional: `"good" | "bad"?`.
    fn optional_member(&self, members: &[ast::TypeExpression]) -> Option<Diagnostic> {
        let (last, rest) = members.split_last()?;
        let ast::TypeExpressionKind::Optional(inner) = &last.kind else {
            return None;
        };
        let is_text =
            |it: &ast::TypeExpression| matches!(it.kind, ast::TypeExpressionKind::Literal(_));
        if !is_text(inner) || !rest.iter().all(is_text) {
            return None;
        }
        let members = Span::new(rest.first()?.span.start, inner.span.end);
        let text = format!("({})?", source_text(self.db, self.item, members));
        let whole = self.place(Span::new(members.start, last.span.end));
        Some(errors::optional_union(self.place(last.span), whole, &text))
    }

    /// A report of a name with a small letter beside texts: `"good" | bad`.
    fn text_without_quotes(
        &self,
        member: &ast::TypeExpression,
        members: &[ast::TypeExpression],
    ) -> Option<Diagnostic> {
        let is_text =
            |it: &ast::TypeExpression| matches!(it.kind, ast::TypeExpressionKind::Literal(_));
        let name = plain_name(member).filter(|_| members.iter().any(is_text))?;
        let is_known = SIMPLE.iter().any(|(it, _)| *it == name.name)
            || resolve_name(self.db, self.file, &name.name).is_some();
        let is_small = name.name.starts_with(|it: char| it.is_lowercase());
        (is_small && !is_known)
            .then(|| errors::text_without_quotes(self.place(name.span), &name.name))
    }

    pub(super) fn union(&mut self, members: &[ast::TypeExpression]) -> Type {
        if let Some((first, names)) = self.unknown_members(members) {
            let place = self.place(first);
            return self.report(errors::enum_instead(place, &names));
        }
        if let Some(report) = self.union_with_nothing(members) {
            return self.report(report);
        }
        if let Some(report) = self.optional_member(members) {
            return self.report(report);
        }
        let mut literals: BTreeSet<Name> = BTreeSet::new();
        let mut is_valid = true;
        for member in members {
            if let Some(report) = self.text_without_quotes(member, members) {
                is_valid = false;
                self.report(report);
                continue;
            }
            let ty = self.lower(member);
            if let Type::Literals(names) = &ty {
                literals.extend(names.iter().cloned());
                continue;
            }
            // The others are wrong for the same reason.
            if ty != Type::Invalid && is_valid {
                let place = self.place(member.span);
                let text = crate::display::display_type(self.db, &ty);
                self.report(errors::union_member(place, &text));
            }
            is_valid = false;
        }
        if is_valid {
            Type::Literals(literals.into_iter().collect())
        } else {
            Type::Invalid
        }
    }
}
