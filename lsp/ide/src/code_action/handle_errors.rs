//! Records which errors a statement raises: an arm of a `catch` for each.

use gsw_names::type_declaration;
use gsw_source::{Code, Database, Db, File, ItemId, Span};
use gsw_syntax::ast::{CatchForm, Expression, ExpressionKind, MatchArm};
use gsw_syntax::{item_ast, locate};

use super::place::Place;
use super::wrap::{Wrapped, named_items, wrapped};
use super::{ActionKind, CodeAction};
use crate::cursor::item_at;
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
    let caught = Caught::of(value);
    let mut spelling = Spelling::new(db, file);
    let indent = place.indent(value.span.start);
    let mut arms = String::new();
    for (name, error) in raised_by(db, named_items(&place, caught.value.span)) {
        let pattern = pattern(db, error, &mut spelling)?;
        if !without.contains(&pattern) && !caught.has_arm(&place, &pattern) {
            arms.push_str(&format!("\n{indent}  {pattern} => fail Failed(\"{name}\")"));
        }
    }
    if arms.is_empty() {
        return None;
    }
    let mut edits = spelling.imports();
    let mut insert = |at: u32, text: String| edits.push(place.insert(at, text));
    match (caught.arms, caught.arms.last()) {
        ([first, ..], Some(last)) => match caught.form {
            CatchForm::Braced => insert(last.body.span.end, arms),
            CatchForm::Bare => {
                insert(first.pattern.span.start, "{ ".into());
                insert(last.body.span.end, format!("{arms}\n{indent}}}"));
            }
        },
        ([], _) | (_, None) => insert(value.span.end, format!(" catch {{{arms}\n{indent}}}")),
    }
    Some(CodeAction {
        title: "handle the errors that it raises".into(),
        kind: ActionKind::Rewrite,
        edits,
        fixes: None,
    })
}

/// What is evaluated, and what is caught of it already.
struct Caught<'tree> {
    value: &'tree Expression,
    arms: &'tree [MatchArm],
    form: CatchForm,
}

impl<'tree> Caught<'tree> {
    fn of(it: &'tree Expression) -> Self {
        if let ExpressionKind::Catch { value, arms, form } = &it.kind {
            return Self {
                value,
                arms,
                form: *form,
            };
        }
        Self {
            value: it,
            arms: &[],
            form: CatchForm::Braced,
        }
    }

    /// Whether an arm takes all that a pattern would.
    fn has_arm(&self, place: &Place<'_>, pattern: &str) -> bool {
        let name = |it: &str| it.split('(').next().unwrap_or_default().trim().to_owned();
        self.arms.iter().any(|it| {
            let own = place.text(it.pattern.span);
            // `_` and a name take everything.
            let is_all =
                own.starts_with(|it: char| it == '_' || it.is_lowercase()) && !own.contains('.');
            it.guard.is_none() && (is_all || name(&own) == name(pattern))
        })
    }
}

fn pattern(db: &dyn Db, error: ItemId, spelling: &mut Spelling<'_>) -> Option<String> {
    let spelled = spelling.item(error)?;
    let fields = type_declaration(db, error).declaration.fields();
    Some(match fields.is_empty() {
        true => spelled,
        false => format!("{spelled}(..)"),
    })
}
