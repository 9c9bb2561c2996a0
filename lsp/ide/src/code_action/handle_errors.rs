//! Records which errors a statement raises: an arm of a `catch` for each.

use gsw_names::type_declaration;
use gsw_source::{Code, Database, Db, File, ItemId, Span};
use gsw_syntax::ast::{Child, Expression, ExpressionKind};
use gsw_syntax::{item_ast, locate};

use super::place::Place;
use super::wrap::{Wrapped, named_items, wrapped};
use super::{ActionKind, CodeAction};
use crate::cursor::{item_at, visit_nodes};
use crate::diagnostics::diagnostics;
use crate::raised::raised_by;
use crate::speculation::with_edits;
use crate::spelling::Spelling;

/// The action for what is at the beginning of the range. What a call of an item can raise it need not raise here, so arms that the compiler
/// would call impossible are left out.
pub fn handle_errors(db: &mut Database, file: File, range: Span) -> Option<CodeAction> {
    let all = written(db, file, range, &[])?;
    let known = impossible(db, file);
    let mut never = with_edits(db, &all.edits, |db| impossible(db, file));
    for it in known {
        if let Some(at) = never.iter().position(|other| *other == it) {
            never.swap_remove(at);
        }
    }
    match never.is_empty() {
        true => Some(all),
        false => written(db, file, range, &never),
    }
}

/// The patterns of arms that catch nothing.
fn impossible(db: &dyn Db, file: File) -> Vec<String> {
    let reports = diagnostics(db, file).into_iter();
    let own = reports.filter(|it| it.code == Code::IMPOSSIBLE_CATCH);
    let patterns = own.filter_map(|it| {
        let (file, span) = locate(db, it.place);
        let text = file.text(db).get(span.start as usize..span.end as usize);
        text.map(str::to_owned)
    });
    patterns.collect()
}

/// The action without the arms of these patterns.
fn written(db: &dyn Db, file: File, range: Span, without: &[String]) -> Option<CodeAction> {
    let (item, _) = item_at(db, file, range.start)?;
    let tree = item_ast(db, item)?;
    let place = Place::new(db, item, &tree, range);
    let Some(Wrapped::Value(value)) = wrapped(&place) else {
        return None;
    };
    if has_catch(&place, value) {
        return None;
    }
    let mut spelling = Spelling::new(db, file);
    let indent = place.indent(value.span.start);
    let mut arms = String::new();
    for (name, error) in raised_by(db, named_items(&place, value.span)) {
        let pattern = pattern(db, error, &mut spelling)?;
        if !without.contains(&pattern) {
            arms.push_str(&format!("{indent}  {pattern} => fail Failed(\"{name}\")\n"));
        }
    }
    if arms.is_empty() {
        return None;
    }
    let mut edits = spelling.imports();
    edits.push(place.insert(value.span.end, format!(" catch {{\n{arms}{indent}}}")));
    Some(CodeAction {
        title: "handle the errors that it raises".into(),
        kind: ActionKind::Rewrite,
        edits,
        fixes: None,
    })
}

fn has_catch(place: &Place<'_>, value: &Expression) -> bool {
    let mut found = false;
    visit_nodes(place.tree, |node| {
        if let Child::Expression(it) = node
            && matches!(it.kind, ExpressionKind::Catch { .. })
        {
            found |= value.span.holds(it.span);
        }
    });
    found
}

fn pattern(db: &dyn Db, error: ItemId, spelling: &mut Spelling<'_>) -> Option<String> {
    let spelled = spelling.item(error)?;
    let fields = type_declaration(db, error).declaration.fields();
    Some(match fields.is_empty() {
        true => spelled,
        false => format!("{spelled}(..)"),
    })
}
