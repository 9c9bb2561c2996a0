//! Answers to clients that ask for diagnostics.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use gsw_source::Retained;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types as lsp;

use crate::checks::{BATCH, FEW, TURN, digest};
use crate::loading::Loads;
use crate::state::{Ability, State};
use crate::walk::Walk;
use crate::worker::Worker;

/// The reports about a document, or that they are the ones that the client has.
pub fn of_document(
    state: &mut State,
    uri: &lsp::Uri,
    known: Option<&str>,
) -> lsp::DocumentDiagnosticReport {
    let path = state.path(uri);
    if let Some(path) = &path {
        state.read_below(path);
    }
    let items = path.as_deref().and_then(|path| state.diagnostics(path));
    let items = items.unwrap_or_default();
    if let Some(path) = &path {
        state.hold_open(path);
    }
    let result_id = format!("{:016x}", digest(&items));
    if known == Some(result_id.as_str()) {
        return lsp::RelatedUnchangedDocumentDiagnosticReport {
            related_documents: None,
            unchanged_document_diagnostic_report: lsp::UnchangedDocumentDiagnosticReport {
                result_id,
            },
        }
        .into();
    }
    lsp::RelatedFullDocumentDiagnosticReport {
        related_documents: None,
        full_document_diagnostic_report: lsp::FullDocumentDiagnosticReport {
            result_id: Some(result_id),
            items,
        },
    }
    .into()
}

/// The results that the client has, by file.
type Known = HashMap<lsp::Uri, String>;

/// The reports about all files. They are found for a moment at a time, so that edits and other requests come between, and cancelling
/// ends it.
///
/// # Errors
/// When something panicked.
pub async fn of_all(
    worker: &Worker,
    loads: &Loads,
    known: Vec<lsp::PreviousResultId>,
) -> Result<Vec<lsp::WorkspaceDocumentDiagnosticReport>> {
    let known: Known = known.into_iter().map(|it| (it.uri, it.value)).collect();
    let known = Arc::new(known);
    let (mut walk, progress) = worker
        .ask(|state| (Walk::new(files(state)), state.settings.support.progress))
        .await?;
    // A client that has reports already waits for few new ones.
    let is_shown = progress == Ability::Present && known.is_empty() && walk.files() > FEW;
    let load = is_shown.then(|| loads.begin());
    let mut reports = Vec::new();
    while !walk.is_over() {
        if let Some(load) = &load {
            load.is_at(walk.percentage());
        }
        let known = Arc::clone(&known);
        let turn = worker.ask(move |state| {
            let found = in_turn(state, &mut walk, &known, Instant::now() + TURN);
            (walk, found)
        });
        let (rest, found) = turn.await?;
        walk = rest;
        reports.extend(found);
    }
    Ok(reports)
}

/// The files of all workspaces, of which the last is the first.
fn files(state: &State) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for workspace in &state.workspaces {
        let own = workspace.own_files().into_iter();
        let configured = gsw_ide::project_diagnostics(&workspace.db);
        let all = own.chain(configured.into_iter().map(|(file, _)| file));
        paths.extend(all.map(|it| it.path(&workspace.db).clone()));
    }
    paths.sort();
    paths.dedup();
    paths.reverse();
    paths
}

/// The reports about the next files, as many as can be looked at until then.
fn in_turn(
    state: &mut State,
    walk: &mut Walk,
    known: &Known,
    until: Instant,
) -> Vec<lsp::WorkspaceDocumentDiagnosticReport> {
    while walk.goes_on() && walk.ready().len() < BATCH {
        walk.step(|it| state.imported(it));
        if Instant::now() >= until {
            break;
        }
    }
    let mut ahead = state.diagnose_ahead(walk.ready(), until);
    let mut reports = Vec::new();
    while let Some(path) = walk.take() {
        reports.extend(of_file(state, &path, known));
        ahead = ahead.saturating_sub(1);
        if ahead == 0 && Instant::now() >= until {
            break;
        }
    }
    // As in the checks that the server begins itself.
    state.let_go(match known.is_empty() {
        true => Retained::Few,
        false => Retained::Many,
    });
    reports
}

fn of_file(
    state: &mut State,
    path: &std::path::Path,
    known: &Known,
) -> Option<lsp::WorkspaceDocumentDiagnosticReport> {
    let uri = state.uri(path)?;
    let version = state.documents.get(path).map(|it| i64::from(it.version));
    let report = of_document(state, &uri, known.get(&uri).map(String::as_str));
    Some(match report {
        lsp::DocumentDiagnosticReport::Full(it) => lsp::WorkspaceFullDocumentDiagnosticReport {
            uri,
            version,
            full_document_diagnostic_report: it.full_document_diagnostic_report,
        }
        .into(),
        lsp::DocumentDiagnosticReport::Unchanged(it) => {
            lsp::WorkspaceUnchangedDocumentDiagnosticReport {
                uri,
                version,
                unchanged_document_diagnostic_report: it.unchanged_document_diagnostic_report,
            }
            .into()
        }
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::{Duration, Instant};

    use tower_lsp::ls_types as lsp;

    use super::{Known, files, in_turn};
    use crate::state::State;
    use crate::walk::Walk;

    #[test]
    fn what_waits_comes_between_files_and_all_are_reported_on() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("unwritten");
        let mut state = State::default();
        for index in 0..20 {
            let uri = lsp::Uri::from_file_path(folder.join(format!("m{index}.gsw")));
            let text = format!("fn f() -> int {{ \"{index}\" }}\n");
            state.open(uri.expect("it is absolute"), 1, text);
        }
        let never = Instant::now() + Duration::from_secs(3600);
        let mut walk = Walk::new(files(&state));
        let whole = in_turn(&mut state, &mut walk, &Known::default(), never);
        assert!(walk.is_over());
        assert_eq!(whole.len(), 20);
        let mut walk = Walk::new(files(&state));
        let mut turns = Vec::new();
        while !walk.is_over() {
            // Time that is over already.
            turns.push(in_turn(
                &mut state,
                &mut walk,
                &Known::default(),
                Instant::now(),
            ));
        }
        assert!(turns.iter().all(|it| it.len() <= 1), "{turns:#?}");
        assert_eq!(turns.concat(), whole);
    }
}
