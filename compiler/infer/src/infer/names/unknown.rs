//! Reports of names that mean nothing, with what may have been meant.

use std::sync::Arc;

use gsw_names::types::Type;
use gsw_names::{
    Definition, errors, foreign, is_reported, library_module, method, module_scope, suggest,
    with_import, with_module_of,
};
use gsw_source::{Diagnostic, ItemId, ItemKind, Name, Place, Span, Suggestion};
use gsw_syntax::ast::{self, Child, children, item_children};
use gsw_syntax::{is_damaged, item_ast};

use crate::errors::{calls, elsewhere, records};
use crate::infer::lookup;
use crate::infer::names::Names;

/// A part of a record that knows it as `self`.
enum Owner {
    Check,
    Method,
    /// A function of the record that takes no `self`.
    WithoutSelf,
}

impl Names<'_, '_> {
    /// Reports a name that nothing has.
    pub(in crate::infer) fn unknown_name(&mut self, name: &Name, span: Span) {
        // An import of that name has failed, which was reported there; and of several uses the first is enough.
        let place = self.place(span);
        if is_reported(self.db, self.file, name) || self.findings.is_known_as_unknown(name, place) {
            return;
        }
        if let Some(report) = self.checked_value(name, span) {
            self.findings.report_unknown(name, report);
            return;
        }
        if let Some(report) = self.not_imported(name, span) {
            self.findings.report_unknown(name, report);
            return;
        }
        let locals: Vec<Name> = self.scopes.names().cloned().collect();
        let instead = errors::instead_of_name(name);
        let suggestion = foreign::value(name).map(|it| Suggestion::certain(Name::new_static(it)));
        let suggestion = suggestion.or_else(|| match instead {
            // What is known of the name is better than a guess by its spelling.
            Some(_) => None,
            None => self.suggested_value(name, span, &locals),
        });
        let report = errors::unknown_name(place, name, suggestion.as_ref());
        let asks = matches!(self.item.kind(self.db), ItemKind::Prompt | ItemKind::Human);
        let mut roles = ast::TextRole::ALL.into_iter();
        if let Some(role) = roles.find(|it| asks && it.text() == name.as_str()) {
            self.report(calls::text_needs_literal(report, role));
            return;
        }
        let report = match instead {
            _ if foreign::is_printing(name) => errors::log_instead(report),
            Some(sentence) => report.note(sentence),
            None if suggestion.is_none() && self.is_raised(name, span) => {
                errors::undeclared_error(report, name)
            }
            None if suggestion.is_none() && name.starts_with(char::is_uppercase) => {
                self.with_capital(report, span)
            }
            None if self.is_in_own_lambda(name, span) => calls::lambda_calls_itself(report, name),
            None if suggestion.is_none() && self.is_used(span, &['(']) && self.is_method(name) => {
                calls::method_as_function(report, name)
            }
            None => report,
        };
        if name == "self"
            && let Some(report) = self.lacks_self(report.clone())
        {
            self.findings.report_unknown(name, report);
            return;
        }
        let is_receiver = name == "self" && report.notes.is_empty();
        let report = match is_receiver {
            true => records::self_of_methods(report),
            false => report,
        };
        let report = match self.own_field(name) {
            Some(Owner::Check) => records::field_in_check(report, name),
            Some(Owner::Method) => records::field_of_self(report, name),
            Some(Owner::WithoutSelf) => records::field_without_self(report, name),
            None => report,
        };
        self.findings.report_unknown(name, report);
    }

    /// A name that may be meant where a value is wanted. A type is none by itself: an enum waits for a dot, a record
    /// for its fields.
    fn suggested_value(&self, name: &Name, span: Span, locals: &[Name]) -> Option<Suggestion> {
        let found = suggest(self.db, self.file, name, locals)?;
        let definition = gsw_names::resolve_name(self.db, self.file, &found.name);
        let Some(Definition::Item(item)) = definition else {
            return Some(found);
        };
        let rest = Span::new(span.end, span.end + 2);
        let behind = gsw_names::source_text(self.db, self.item, rest);
        let is_enum = item.kind(self.db) == ItemKind::Enum;
        let begins = if is_enum { '.' } else { '{' };
        let is_begun = behind.trim_start().starts_with(begins);
        let is_value = !item.kind(self.db).is_type() || locals.contains(&found.name);
        (is_value || is_begun).then_some(found)
    }

    /// A report of the name that is used in a check for the value that is checked.
    fn checked_value(&self, name: &Name, span: Span) -> Option<Diagnostic> {
        const MEANT: &[&str] = &["self", "this", "v", "val", "value", "x"];
        let is_check = self.scopes.find("it").is_some() && self.item.kind(self.db).is_type();
        let place = self.place(span);
        // A part of the record of that name is meant, or the record itself.
        let is_other = self.own_field(name).is_some()
            || name == "this" && self.scopes.find("self").is_some() && self.is_used(span, &['.']);
        (is_check && !is_other && MEANT.contains(&name.as_str()))
            .then(|| records::value_in_check(errors::unknown_name(place, name, None), place))
    }

    /// Whether something is asked of a name, as of a module: one of the signs follows it.
    fn is_used(&self, span: Span, signs: &[char]) -> bool {
        let rest = Span::new(span.end, span.end + 1);
        let behind = gsw_names::source_text(self.db, self.item, rest);
        behind.starts_with(signs)
    }

    /// The report of a name that begins as that of a type.
    fn with_capital(&self, report: Diagnostic, span: Span) -> Diagnostic {
        match self.is_used(span, &['(']) {
            true => records::called_with_capital(report),
            false => errors::value_with_capital(report),
        }
    }

    /// Whether values of the common built-in types have a method of that name.
    fn is_method(&self, name: &Name) -> bool {
        let map = Type::Map(Arc::new(Type::String), Arc::new(Type::Unit));
        let types = [Type::String, Type::Unit.list(), Type::Int, map];
        types.iter().any(|it| method(self.db, it, name).is_some())
    }

    /// A report of `self` where there is none.
    fn lacks_self(&self, report: Diagnostic) -> Option<Diagnostic> {
        let name = self.item.name(self.db);
        if self.item.kind(self.db) == ItemKind::Record {
            return Some(records::self_in_default(report));
        }
        if !name.contains('.') {
            return None;
        }
        let head = gsw_names::item_head(self.db, self.item)?;
        let declared = gsw_names::declared_name(&head)?.span;
        let text = gsw_names::item_text(self.db, self.item);
        let open = text.get(declared.end as usize..)?.find('(')?;
        let start = declared.end + u32::try_from(open).ok()? + 1;
        let is_empty = text.get(start as usize..)?.trim_start().starts_with(')');
        let text = match is_empty {
            true => "self",
            false => "self, ",
        };
        let start = self.place(Span::new(start, start));
        Some(records::takes_self(report, name, start, text))
    }

    /// Whether a name is in the lambda that is bound to it: `let f = n => f(n - 1)`.
    fn is_in_own_lambda(&self, name: &Name, span: Span) -> bool {
        let Some(tree) = item_ast(self.db, self.item) else {
            return false;
        };
        let mut waiting = item_children(&tree);
        while let Some(child) = waiting.pop() {
            if let Child::Statement(statement) = &child
                && let ast::StatementKind::Let { pattern, value, .. }
                | ast::StatementKind::Var { pattern, value, .. } = &statement.kind
                && matches!(&pattern.kind, ast::PatternKind::Binding(it) if it.name == *name)
                && matches!(value.kind, ast::ExpressionKind::Lambda { .. })
                && value.span.holds(span)
            {
                return true;
            }
            waiting.extend(children(child));
        }
        false
    }

    /// A report of a name that an import would bring, or a pattern around it.
    fn not_imported(&self, name: &Name, span: Span) -> Option<Diagnostic> {
        let place = self.place(span);
        let module =
            library_module(self.db, self.file, name).filter(|_| self.is_used(span, &['.', '(']));
        let is_of_module = self.is_used(span, &['.']) || errors::instead_of_name(name).is_none();
        match module.filter(|_| is_of_module) {
            Some(start) => Some(errors::module_not_imported(place, name, start)),
            None => self
                .of_module(name, span)
                .or_else(|| self.brought_by(name, place)),
        }
    }

    /// A report of a type with a function after its dot that its module has.
    fn of_module(&self, name: &Name, span: Span) -> Option<Diagnostic> {
        let end = gsw_names::item_text(self.db, self.item).len();
        let rest = Span::new(span.end, u32::try_from(end).ok()?);
        let behind = gsw_names::source_text(self.db, self.item, rest);
        let called = behind.strip_prefix('.')?;
        let is_part = |it: char| it.is_alphanumeric() || it == '_';
        let member = called.split(|it| !is_part(it)).next()?;
        let report = errors::unknown_name(self.place(span), name, None);
        with_module_of(self.db, self.file, name, member, &report)
    }

    /// A report of a name that a pattern around it or an import would bring if it listed it.
    fn brought_by(&self, name: &Name, place: Place) -> Option<Diagnostic> {
        let report = errors::unknown_name(place, name, None);
        match self.scopes.untaken(name) {
            Some(it) => {
                let end = self.place(it.end);
                let fields = &it.fields;
                Some(elsewhere::untaken_field(
                    report, name, &it.owner, end, fields,
                ))
            }
            None => with_import(self.db, self.file, name, &report),
        }
    }

    /// Whether a name with a capital follows `fail`.
    fn is_raised(&self, name: &Name, span: Span) -> bool {
        let before = gsw_names::source_text(self.db, self.item, Span::new(0, span.start));
        name.starts_with(char::is_uppercase) && before.trim_end().ends_with("fail")
    }

    /// What this is of a record that has a field of that name.
    fn own_field(&self, name: &Name) -> Option<Owner> {
        let has_self = self.scopes.find("self").is_some();
        let (owner, record) = match self.item.name(self.db).split_once('.') {
            Some((owner, _)) => {
                let items = &module_scope(self.db, self.file).items;
                let record = *items.get(owner)?;
                match has_self {
                    true => (Owner::Method, record),
                    false => (Owner::WithoutSelf, record),
                }
            }
            None if has_self => (Owner::Check, self.item),
            None => return None,
        };
        let is_field = record.kind(self.db) == ItemKind::Record
            && lookup::fields(self.db, record)
                .iter()
                .any(|it| it.name == *name);
        is_field.then_some(owner)
    }

    /// Reports a name after an enum's dot that is none of its variants.
    pub(in crate::infer) fn unknown_variant(&mut self, item: ItemId, name: &ast::Identifier) {
        if is_damaged(self.db, item) {
            return;
        }
        let variants = lookup::variants(self.db, item);
        let suggestion = gsw_source::nearest(&name.name, variants.iter().map(|it| &it.name));
        let place = self.place(name.span);
        let owner = item.name(self.db).clone();
        let suggestion = suggestion.as_ref();
        let report = records::unknown_variant(place, &name.name, &owner, suggestion);
        let is_plain = lookup::is_plain_enum(self.db, item);
        self.report(match (name.name.as_str(), suggestion) {
            (other, _) if is_plain && records::of_plain_enum(other, &owner).is_some() => {
                let sentence = records::of_plain_enum(other, &owner);
                sentence.into_iter().fold(report, Diagnostic::note)
            }
            ("values", _) => records::only_plain_enums(report),
            (_, Some(_)) => report,
            (_, None) => {
                let names: Vec<Name> = variants.iter().map(|it| it.name.clone()).collect();
                records::has_variants(report, &names)
            }
        });
    }
}
