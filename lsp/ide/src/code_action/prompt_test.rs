//! Writes a test for a prompt, with a mock in the place of the model.

use gsw_names::{Presence, item_signature};
use gsw_source::{Code, Database, Db, File, ItemId, ItemKind, LocatedEdit, Span};
use gsw_syntax::{file_item_ids, item_ast};

use super::sample::Samples;
use super::{ActionKind, CodeAction};
use crate::cursor::{in_file, item_at};
use crate::diagnostics::diagnostics;
use crate::speculation::with_edits;

/// The action for the prompt at the beginning of the range.
pub fn prompt_test(db: &mut Database, file: File, range: Span) -> Option<CodeAction> {
    let test = written(db, file, range)?;
    (test.checked.iter().all(|it| passes(db, it))).then_some(test.action)
}

struct Written {
    action: CodeAction,
    /// The edits after which the program gets as far as [`PASSED`] when all checks of the values pass, where there is a check.
    checked: Option<Vec<LocatedEdit>>,
}

fn written(db: &dyn Db, file: File, range: Span) -> Option<Written> {
    let (item, _) = item_at(db, file, range.start)?;
    if item.kind(db) != ItemKind::Prompt {
        return None;
    }
    let end = in_file(db, item, item_ast(db, item)?.span).end;
    let mut samples = Samples::new(db, file);
    let (text, values) = test_of(db, item, &mut samples)?;
    let imports = samples.spelling.imports();
    let insert = |text: String| {
        let mut edits = imports.clone();
        edits.push(LocatedEdit::new(file, Span::new(end, end), text));
        edits
    };
    let checked = (samples.checks == Presence::Present).then(|| insert(constant(&values)));
    let action = CodeAction {
        title: format!("write a test for `{}`, its model mocked", item.name(db)),
        kind: ActionKind::Rewrite,
        edits: insert(text),
        fixes: None,
    };
    Some(Written { action, checked })
}

/// The text of the test, and the values in it, each after the type that it has there.
fn test_of(
    db: &dyn Db,
    item: ItemId,
    samples: &mut Samples<'_>,
) -> Option<(String, Vec<(String, String)>)> {
    let signature = &item_signature(db, item).signature;
    let name = item.name(db);
    let answer = samples.value(&signature.result)?;
    let mut values = vec![(samples.spelling.ty(&signature.result)?, answer.clone())];
    let mut arguments = Vec::new();
    for parameter in &signature.parameters {
        if parameter.default == Presence::Absent {
            let value = samples.value(&parameter.ty)?;
            arguments.push(format!("{}: {value}", parameter.name));
            values.push((samples.spelling.ty(&parameter.ty)?, value));
        }
    }
    let title = free_title(db, item);
    let blanks = vec!["_"; signature.parameters.len()].join(", ");
    let arguments = arguments.join(", ");
    let text = format!(
        "\n\ntest \"{title}\" {{\n  mock {name}({blanks}) -> {answer}\n  assert {name}({arguments}) == {answer}\n}}"
    );
    Some((text, values))
}

/// The prompt's name, or with a number where a test of the file is called so.
fn free_title(db: &dyn Db, item: ItemId) -> String {
    let all = file_item_ids(db, item.file(db)).iter();
    let tests = all.filter(|it| it.kind(db) == ItemKind::Test);
    let taken: Vec<&str> = tests.map(|it| it.name(db).as_str()).collect();
    let name = item.name(db);
    let numbered = (2u32..).map(|it| format!("{name} {it}"));
    let mut titles = std::iter::once(name.to_string()).chain(numbered);
    titles
        .find(|it| !taken.contains(&it.as_str()))
        .unwrap_or_else(|| name.to_string())
}

/// What a constant says that has all the values.
const PASSED: &str = "gswc_passed";

/// A constant that raises [`PASSED`] when the values are there: one that fails a check raises something else, and one that the compiler
/// cannot evaluate is reported in no way.
fn constant(values: &[(String, String)]) -> String {
    let values = values.iter().zip(1..);
    let lets: String = values
        .map(|((ty, value), number)| format!("  let {PASSED}{number}: {ty} = {value}\n"))
        .collect();
    format!(
        "\n\nconst {}: int = do {{\n{lets}  fail Failed(\"{PASSED}\")\n}}",
        PASSED.to_uppercase()
    )
}

fn passes(db: &mut Database, edits: &[LocatedEdit]) -> bool {
    let Some(file) = edits.first().map(|it| it.location.file) else {
        return false;
    };
    with_edits(db, edits, |db| {
        let mut reports = diagnostics(db, file).into_iter();
        reports.any(|it| it.code == Code::NOT_CONSTANT && it.message.contains(PASSED))
    })
}
