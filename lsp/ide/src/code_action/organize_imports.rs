//! Sorts the imports of a file and leaves out those that nothing uses.

use gsw_source::{Code, Db, Diagnostic, File, ItemKind, LocatedEdit, Location, Severity, Span};
use gsw_syntax::{CommentPosition, file_item_ids, item_ast, parse_file};

use super::{ActionKind, CodeAction};
use crate::cursor::in_file;

/// The action, when it would change something. Imports with comments between them are left alone: a comment belongs to its place.
pub fn organize_imports(db: &dyn Db, file: File, reports: &[Diagnostic]) -> Option<CodeAction> {
    // What is unused in a program with errors may be used where the compiler lost its way.
    if reports.iter().any(|it| it.severity == Severity::Error) {
        return None;
    }
    let items = file_item_ids(db, file).iter().copied();
    let imports: Vec<Span> = items
        .filter(|it| it.kind(db) == ItemKind::Import)
        .filter_map(|it| Some(in_file(db, it, item_ast(db, it)?.span)))
        .collect();
    let whole = imports.iter().copied().reduce(Span::to)?;
    let has_comments = parse_file(db, file).comments.iter().any(|it| {
        whole.touches(it.span.start)
            && (it.position == CommentPosition::OwnLine || whole.start <= it.span.start)
    });
    if has_comments {
        return None;
    }
    let text = file.text(db);
    let unused: Vec<Span> = reports
        .iter()
        .filter(|it| it.code == Code::UNUSED_IMPORT)
        .flat_map(|it| &it.fixes)
        .flat_map(|it| &it.edits)
        .map(|it| gsw_syntax::locate(db, it.place).1)
        .collect();
    let mut lines: Vec<String> = imports
        .iter()
        .map(|import| without(text, *import, &unused))
        .filter(|it| !it.is_empty())
        .collect();
    // The library first, then the files of the project.
    lines.sort_by_key(|it| (!it.starts_with("import std/"), it.clone()));
    lines.dedup();
    let wanted = lines.join("\n");
    let now = text.get(whole.start as usize..whole.end as usize)?;
    (wanted != now).then(|| CodeAction {
        title: "organize imports".into(),
        kind: ActionKind::OrganizeImports,
        edits: vec![LocatedEdit {
            location: Location { file, span: whole },
            text: wanted,
        }],
        fixes: None,
    })
}

/// The text of an import without the parts that `removed` takes away.
fn without(text: &str, import: Span, removed: &[Span]) -> String {
    let mut kept = String::new();
    let mut done = import.start;
    let mut own: Vec<Span> = removed
        .iter()
        .copied()
        .filter(|it| it.start >= import.start && it.start < import.end)
        .collect();
    own.sort();
    for it in own {
        kept.push_str(
            text.get(done as usize..it.start as usize)
                .unwrap_or_default(),
        );
        done = it.end.min(import.end).max(done);
    }
    kept.push_str(
        text.get(done as usize..import.end as usize)
            .unwrap_or_default(),
    );
    kept.trim().to_owned()
}
