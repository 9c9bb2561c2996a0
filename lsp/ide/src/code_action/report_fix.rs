//! Fixes for reports that bring none themselves, since only an author knows whether they are meant: what is too much goes, what is missing is
//! made up, what is private becomes public.

use gsw_names::types::Type;
use gsw_names::{Presence, imports, is_std, module_file, module_scope, type_declaration};
use gsw_source::{Code, Db, Diagnostic, File, ItemId, LocatedEdit, Place, Span};
use gsw_syntax::ast::{Argument, Child, Expression, ExpressionKind, FieldInit, Item};
use gsw_syntax::{TokenKind, file_item_ids, item_ast, lex, locate};

use super::sample::Samples;
use super::{ActionKind, CodeAction, stands_at};
use crate::cursor::{in_file, visit_nodes};
use crate::parameters::{called, parameters_of};
use crate::symbol::{Symbol, occurrences};

/// The actions for the reports at `range`.
pub fn report_fixes(db: &dyn Db, range: Span, reports: &[Diagnostic]) -> Vec<CodeAction> {
    let mut actions = Vec::new();
    let has_room = |it: &&Diagnostic| it.fixes.is_empty() || it.code == Code::MISSING_FIELD;
    for report in reports.iter().filter(has_room) {
        let Place::Item { item, span } = report.place else {
            continue;
        };
        if !stands_at(locate(db, report.place).1, range) {
            continue;
        }
        let Some(tree) = item_ast(db, item) else {
            continue;
        };
        let reported = Reported {
            db,
            item,
            tree: &tree,
            span,
            report,
        };
        for (title, edits) in reported.fixes(report.code) {
            actions.push(CodeAction {
                title,
                kind: ActionKind::Fix,
                edits,
                fixes: Some(report.clone()),
            });
        }
    }
    actions
}

type Fix = (String, Vec<LocatedEdit>);

/// What a report is about.
struct Reported<'a> {
    db: &'a dyn Db,
    item: ItemId,
    tree: &'a Item,
    /// Relative to the item.
    span: Span,
    report: &'a Diagnostic,
}

impl Reported<'_> {
    fn fixes(&self, code: Code) -> Vec<Fix> {
        let known: [(Code, &dyn Fn() -> Option<Fix>); 7] = [
            (Code::IMPOSSIBLE_CATCH, &|| self.without_arm()),
            (Code::PRIVATE_NAME, &|| self.public_there()),
            (Code::UNUSED_DECLARATION, &|| self.public_here()),
            (Code::UNUSED_DECLARATION, &|| self.without_declaration()),
            (Code::MISSING_ARGUMENT, &|| self.with_arguments()),
            (Code::TOO_MANY_ARGUMENTS, &|| self.without_arguments()),
            (Code::MISSING_FIELD, &|| self.with_fields()),
        ];
        let own = known.into_iter().filter(|(of, _)| *of == code);
        own.filter_map(|(_, fix)| fix()).collect()
    }

    fn edit(&self, item: ItemId, span: Span, text: String) -> LocatedEdit {
        LocatedEdit::new(item.file(self.db), in_file(self.db, item, span), text)
    }

    /// Takes out the arm whose pattern is reported, or all of a `catch` that has no other.
    fn without_arm(&self) -> Option<Fix> {
        let mut found = None;
        visit_nodes(self.tree, |node| {
            if let Child::Expression(it) = node
                && let ExpressionKind::Catch { value, arms, .. } = &it.kind
                && let Some(arm) = arms.iter().position(|it| it.pattern.span == self.span)
            {
                let of = |at: usize| arms.get(at).map(|it| it.pattern.span.to(it.body.span));
                found = match (of(arm), of(arm + 1), arm.checked_sub(1).and_then(of)) {
                    (Some(own), Some(next), _) => Some((own.start, next.start)),
                    (Some(own), None, Some(before)) => Some((before.end, own.end)),
                    (_, None, None) => Some((value.span.end, it.span.end)),
                    (None, _, _) => None,
                };
            }
        });
        let (start, end) = found?;
        let edit = self.edit(self.item, Span::new(start, end), String::new());
        Some(("leave out the arm".into(), vec![edit]))
    }

    /// Takes `private` from the declaration that is named.
    fn public_there(&self) -> Option<Fix> {
        let db = self.db;
        let named = gsw_names::source_text(db, self.item, self.span);
        let name = named.rsplit('.').next()?;
        let module = self.module()?;
        let declared = *module_scope(db, module).items.get(name)?;
        if is_std(db, module) {
            return None;
        }
        let edit = self.without_private(declared)?;
        Some((format!("make `{name}` public"), vec![edit]))
    }

    /// The module that the reported name is looked up in: that of the import, or what precedes the dot.
    fn module(&self) -> Option<File> {
        let (db, file) = (self.db, self.item.file(self.db));
        let own = imports(db, file).into_iter();
        let mut own = own.filter(|(item, _)| *item == self.item);
        if let Some((_, import)) = own.next() {
            return module_file(db, file, &import.path);
        }
        let all = occurrences(db, self.item);
        let before = all
            .iter()
            .rev()
            .find(|it| it.span.start <= self.span.start)?;
        let Symbol::Module(module) = before.symbol else {
            return None;
        };
        Some(module)
    }

    fn public_here(&self) -> Option<Fix> {
        let edit = self.without_private(self.item)?;
        Some(("leave out `private`".into(), vec![edit]))
    }

    /// The edit that takes the word `private` and the blank after it from a declaration.
    fn without_private(&self, item: ItemId) -> Option<LocatedEdit> {
        let tree = item_ast(self.db, item)?;
        let text = gsw_names::source_text(self.db, item, tree.span);
        let lexed = lex(&text);
        let word = |it: Span| text.get(it.start as usize..it.end as usize);
        let mut tokens = lexed.tokens.iter();
        let private = tokens.find(|it| word(it.span) == Some("private"))?;
        let next = tokens.next()?;
        (private.kind != TokenKind::Identifier).then(|| {
            let span = Span::new(private.span.start, next.span.start);
            self.edit(item, span, String::new())
        })
    }

    /// Takes out what is declared; the methods of a type go with it.
    fn without_declaration(&self) -> Option<Fix> {
        let file = self.item.file(self.db);
        let prefix = format!("{}.", self.item.name(self.db));
        let all = file_item_ids(self.db, file).iter();
        let methods = all.filter(|it| it.name(self.db).starts_with(&prefix));
        let mut edits = vec![self.without(self.item)?];
        for method in methods {
            edits.push(self.without(*method)?);
        }
        let title = match edits.len() {
            1 => "remove it",
            _ => "remove it and its methods",
        };
        Some((title.into(), edits))
    }

    /// The edit that takes out an item, up to the next one.
    fn without(&self, item: ItemId) -> Option<LocatedEdit> {
        let file = item.file(self.db);
        let whole = in_file(self.db, item, item_ast(self.db, item)?.span);
        let rest = file.text(self.db).get(whole.end as usize..)?;
        let blank = rest.len() - rest.trim_start().len();
        let end = whole.end + u32::try_from(blank).unwrap_or(0);
        Some(LocatedEdit::new(file, Span::new(whole.start, end), ""))
    }

    /// The innermost call around what is reported.
    fn call(&self) -> Option<(&Expression, &[Argument], Span)> {
        let mut found = None;
        visit_nodes(self.tree, |node| {
            if let Child::Expression(it) = node
                && let ExpressionKind::Call {
                    callee,
                    arguments,
                    arguments_span,
                } = &it.kind
                && it.span.holds(self.span)
            {
                found = Some((&**callee, arguments.as_slice(), *arguments_span));
            }
        });
        found
    }

    /// Adds the arguments that are missing, by name, with made-up values.
    fn with_arguments(&self) -> Option<Fix> {
        let db = self.db;
        let (callee, arguments, parentheses) = self.call()?;
        let parameters = parameters_of(db, &called(db, self.item, callee.span)?);
        let unnamed = arguments.iter().filter(|it| it.name.is_none()).count();
        let mut samples = Samples::new(db, self.item.file(db));
        let mut added = Vec::new();
        for parameter in parameters.iter().skip(unnamed) {
            let mut names = arguments.iter().filter_map(|it| it.name.as_ref());
            let is_given = names.any(|it| it.name == parameter.name);
            if !is_given && parameter.default == Presence::Absent {
                let value = samples.value(&parameter.ty)?;
                added.push(format!("{}: {value}", parameter.name));
            }
        }
        if added.is_empty() || samples.checks == Presence::Present {
            return None;
        }
        let added = added.join(", ");
        let (at, text) = match arguments.last() {
            Some(last) => (last.value.span.end, format!(", {added}")),
            None => (parentheses.end.checked_sub(1)?, added.clone()),
        };
        let mut edits = samples.spelling.imports();
        edits.push(self.edit(self.item, Span::new(at, at), text));
        Some((format!("add `{added}`"), edits))
    }

    /// Adds the fields that are missing, with made-up values, where the report's own fix leaves some to the author.
    fn with_fields(&self) -> Option<Fix> {
        let (whole, fields) = self.literal()?;
        let all = occurrences(self.db, self.item);
        let named = all.iter().find(|it| it.span == self.span)?;
        let Symbol::Item(owner) = named.symbol else {
            return None;
        };
        let mut samples = Samples::new(self.db, self.item.file(self.db));
        let mut added = Vec::new();
        for field in type_declaration(self.db, owner).declaration.fields() {
            let is_given = fields.iter().any(|it| it.name.name == field.name);
            let is_needed =
                field.default == Presence::Absent && !matches!(field.ty, Type::Optional(_));
            if is_needed && !is_given {
                let value = samples.value(&field.ty)?;
                let is_certain = field.check == Presence::Absent;
                added.push(is_certain.then(|| format!("{}: {value}", field.name))?);
            }
        }
        let is_made = |it: &String| {
            let name = it.split(' ').next().unwrap_or_default();
            let mut edits = self.report.fixes.iter().flat_map(|it| &it.edits);
            edits.any(|it| it.text.contains(name))
        };
        if added.iter().all(is_made) || samples.checks == Presence::Present {
            return None;
        }
        let added = added.join(", ");
        let last = fields.last().map(|it| match &it.value {
            Some(value) => value.span.end,
            None => it.name.span.end,
        });
        let (at, text) = match last {
            Some(end) => (end, format!(", {added}")),
            None => (whole.end.checked_sub(1)?, format!(" {added} ")),
        };
        let mut edits = samples.spelling.imports();
        edits.push(self.edit(self.item, Span::new(at, at), text));
        Some((format!("add `{added}`"), edits))
    }

    /// The record literal whose type is reported, with its fields.
    fn literal(&self) -> Option<(Span, &[FieldInit])> {
        let mut found = None;
        visit_nodes(self.tree, |node| {
            if let Child::Expression(it) = node
                && let ExpressionKind::Record { path, fields, .. } = &it.kind
                && path.last().is_some_and(|it| it.span == self.span)
            {
                found = Some((it.span, fields.as_slice()));
            }
        });
        found
    }

    /// Takes out the arguments after the last one that there is a parameter for.
    fn without_arguments(&self) -> Option<Fix> {
        let (callee, arguments, _) = self.call()?;
        let count = parameters_of(self.db, &called(self.db, self.item, callee.span)?).len();
        let (first, last) = (arguments.get(count)?, arguments.last()?);
        let start = match count.checked_sub(1) {
            Some(before) => arguments.get(before)?.value.span.end,
            None => first.value.span.start,
        };
        let span = Span::new(start, last.value.span.end);
        let edit = self.edit(self.item, span, String::new());
        Some(("leave out what is too much".into(), vec![edit]))
    }
}
