//! Imports a name that nothing in scope has, from every module of the project and of the library that declares it.

use gsw_names::{is_std, module_scope};
use gsw_source::{Code, Database, Db, Diagnostic, File, ItemId, LocatedEdit, Span};
use gsw_syntax::locate;

use super::{ActionKind, CodeAction, stands_at};
use crate::diagnostics::Errors;
use crate::importing::{self, Importable};
use crate::speculation::with_edits;

/// The actions for the reports at `range`; `known` are the fixes that they have themselves.
pub fn missing_imports(
    db: &mut Database,
    file: File,
    range: Span,
    reports: &[Diagnostic],
    known: &[CodeAction],
) -> Vec<CodeAction> {
    let mut actions: Vec<CodeAction> = Vec::new();
    for report in reports {
        let Some(name) = unknown_name(db, range, report) else {
            continue;
        };
        for (title, edit) in candidates(db, file, &name) {
            let is_known = known.iter().chain(&actions).any(|it| imports_it(it, &edit));
            if !is_known && mends(db, file, report.code, &edit) {
                actions.push(CodeAction {
                    title,
                    kind: ActionKind::Fix,
                    edits: vec![edit],
                    fixes: Some(report.clone()),
                });
            }
        }
    }
    actions
}

/// The name that a report at `range` misses, if it is alone: what follows a dot is looked up in what precedes it.
fn unknown_name(db: &dyn Db, range: Span, report: &Diagnostic) -> Option<String> {
    if report.code != Code::UNKNOWN_NAME && report.code != Code::UNKNOWN_TYPE {
        return None;
    }
    let (file, span) = locate(db, report.place);
    let text = file.text(db);
    let name = text.get(span.start as usize..span.end as usize)?;
    let before = text.get(..span.start as usize)?;
    let is_name = name.chars().all(|it| it.is_alphanumeric() || it == '_');
    let is_meant = stands_at(span, range) && is_name && !before.ends_with('.');
    is_meant.then(|| name.to_owned())
}

/// The imports that bring the name: of a declaration, of an enum that has it as a variant, or of a module.
fn candidates(db: &dyn Db, file: File, name: &str) -> Vec<(String, LocatedEdit)> {
    let mut found = Vec::new();
    for it in importing::importable(db, file) {
        let Some(path) = it.path() else { continue };
        let declared = importing::declared(db, it.module, name, file);
        let brings = match declared {
            Some(_) => Some(name.to_owned()),
            None => enum_with(db, &it, name, file).map(|it| it.name(db).to_string()),
        };
        if let Some(brings) = brings {
            let edit = importing::name_import(db, file, it.module, &path, &brings);
            found.push((format!("import `{brings}` from {path}"), edit));
        }
        let is_offered = !is_std(db, it.module) || importing::is_public_library(db, it.module);
        if it.name() == name && is_offered {
            let edit = importing::module_import(db, file, &path);
            found.push((format!("import {path}"), edit));
        }
    }
    found
}

/// The enum of a module that declares a variant of the name.
fn enum_with(db: &dyn Db, of: &Importable<'_>, name: &str, file: File) -> Option<ItemId> {
    let named = module_scope(db, of.module).variants.get(name)?;
    let mut enums = named.iter().map(|(item, _)| *item);
    enums.find(|it| importing::declared(db, of.module, it.name(db), file) == Some(*it))
}

/// Whether an action writes the same import, wherever it puts it.
fn imports_it(action: &CodeAction, edit: &LocatedEdit) -> bool {
    let mut edits = action.edits.iter();
    edits.any(|it| it.text.trim() == edit.text.trim())
}

/// The mistakes of an import that brings a thing of another sort than is meant, or makes a cycle.
const WORSE: [Code; 9] = [
    Code::IMPORT_CYCLE,
    Code::NOT_A_PROMPT,
    Code::NOT_A_RECORD,
    Code::NOT_A_TOOL,
    Code::NOT_A_TYPE,
    Code::NOT_A_VALUE,
    Code::NOT_AN_AGENT,
    Code::NOT_AN_ERROR,
    Code::NOT_CALLABLE,
];

/// Whether there is less of the mistake with the import, and what is imported can be what is meant.
fn mends(db: &mut Database, file: File, code: Code, edit: &LocatedEdit) -> bool {
    let before = Errors::of(db, file);
    let edits = std::slice::from_ref(edit);
    let after = with_edits(db, edits, |db| Errors::of(db, file));
    let mut worse = WORSE.into_iter();
    after.count(code) < before.count(code) && worse.all(|it| after.count(it) <= before.count(it))
}
