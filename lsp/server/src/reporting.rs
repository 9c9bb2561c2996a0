//! Answers to clients that ask for diagnostics.

use std::path::PathBuf;

use tower_lsp::ls_types as lsp;

use crate::checks::digest;
use crate::state::{State, path};

/// The reports about a document, or that they are the ones that the client has.
pub fn of_document(
    state: &mut State,
    uri: &lsp::Uri,
    known: Option<&str>,
) -> lsp::DocumentDiagnosticReport {
    let path = path(uri);
    if let Some(path) = &path {
        state.read_below(path);
    }
    let items = path
        .and_then(|path| state.diagnostics(&path))
        .unwrap_or_default();
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

/// The files of all workspaces, in order.
pub fn files(state: &State) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for workspace in &state.workspaces {
        let own = workspace.own_files().into_iter();
        let configured = gsw_ide::project_diagnostics(&workspace.db);
        let all = own.chain(configured.into_iter().map(|(file, _)| file));
        paths.extend(all.map(|it| it.path(&workspace.db).clone()));
    }
    paths.sort();
    paths.dedup();
    paths
}

/// The reports about some of them.
pub fn of_files(
    state: &mut State,
    paths: &[PathBuf],
    known: &[lsp::PreviousResultId],
) -> Vec<lsp::WorkspaceDocumentDiagnosticReport> {
    for path in paths {
        state.read_below(path);
    }
    state.diagnose_ahead(paths);
    let reports = paths.iter().filter_map(|it| of_file(state, it, known));
    let reports = reports.collect();
    state.let_go();
    reports
}

fn of_file(
    state: &mut State,
    path: &std::path::Path,
    known: &[lsp::PreviousResultId],
) -> Option<lsp::WorkspaceDocumentDiagnosticReport> {
    let uri = state.uri(path)?;
    let version = state.documents.get(path).map(|it| i64::from(it.version));
    let known = known.iter().find(|it| it.uri == uri);
    let report = of_document(state, &uri, known.map(|it| it.value.as_str()));
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
