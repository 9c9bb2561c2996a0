//! Answers to requests about one document as it is written: its outline, folds, links, lenses, and its style.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gsw_ide::{DocumentSymbol, FoldKind, LensAction};
use gsw_source::Project;
use serde_json::json;
use tower_lsp::ls_types as lsp;

use crate::addresses::is_on_disk;
use crate::convert::symbol_kind;
use crate::runtime::Runtime;
use crate::state::{Ability, View};

pub fn outline(view: View<'_>) -> lsp::DocumentSymbolResponse {
    let symbols = gsw_ide::document_symbol(view.db, view.file).into_iter();
    match view.state.settings.support.nested_symbols {
        Ability::Present => {
            lsp::DocumentSymbolResponse::Nested(symbols.map(|it| symbol(view, it)).collect())
        }
        Ability::Lacking => {
            let mut all = Vec::new();
            for it in symbols {
                flatten(view, it, None, &mut all);
            }
            lsp::DocumentSymbolResponse::Flat(all)
        }
    }
}

/// A symbol and those in it, one after the other.
fn flatten(
    view: View<'_>,
    it: DocumentSymbol,
    container: Option<&str>,
    all: &mut Vec<lsp::SymbolInformation>,
) {
    let Some(uri) = view.state.uri(view.file.path(view.db)) else {
        return;
    };
    #[expect(deprecated, reason = "the protocol's type has the field")]
    all.push(lsp::SymbolInformation {
        name: it.name.clone(),
        kind: symbol_kind(it.kind),
        tags: None,
        deprecated: None,
        location: lsp::Location {
            uri,
            range: view.range(it.span),
        },
        container_name: container.map(str::to_owned),
    });
    for inner in it.children {
        flatten(view, inner, Some(&it.name), all);
    }
}

fn symbol(view: View<'_>, it: DocumentSymbol) -> lsp::DocumentSymbol {
    let children = it.children.into_iter().map(|it| symbol(view, it));
    #[expect(deprecated, reason = "the protocol's type has the field")]
    lsp::DocumentSymbol {
        name: it.name,
        detail: None,
        kind: symbol_kind(it.kind),
        tags: None,
        deprecated: None,
        range: view.range(it.span),
        selection_range: view.range(it.name_span),
        children: Some(children.collect()),
    }
}

pub fn folds(view: View<'_>) -> Vec<lsp::FoldingRange> {
    let folds = gsw_ide::folding_range(view.db, view.file).into_iter();
    folds
        .map(|it| {
            let range = view.range(it.span);
            lsp::FoldingRange {
                start_line: range.start.line,
                start_character: None,
                // The line of a closing bracket stays visible.
                end_line: match it.kind {
                    FoldKind::Code => range.end.line.saturating_sub(1).max(range.start.line),
                    FoldKind::Comment | FoldKind::Imports => range.end.line,
                },
                end_character: None,
                kind: match it.kind {
                    FoldKind::Code => None,
                    FoldKind::Comment => Some(lsp::FoldingRangeKind::Comment),
                    FoldKind::Imports => Some(lsp::FoldingRangeKind::Imports),
                },
                collapsed_text: None,
            }
        })
        .filter(|it| it.start_line < it.end_line)
        .collect()
}

/// How many selections are offered around a place, each an object in the one before it: several clients read no JSON that is
/// deeper than 128.
const MOST_SELECTIONS: usize = 100;

pub fn selections(view: View<'_>, positions: &[lsp::Position]) -> Vec<lsp::SelectionRange> {
    positions
        .iter()
        .map(|at| {
            let mut spans = gsw_ide::selection_range(view.db, view.file, view.offset(*at));
            spans.truncate(MOST_SELECTIONS);
            let mut around = None;
            for span in spans.into_iter().rev() {
                around = Some(Box::new(lsp::SelectionRange {
                    range: view.range(span),
                    parent: around,
                }));
            }
            around.map_or_else(
                || lsp::SelectionRange {
                    range: lsp::Range::new(*at, *at),
                    parent: None,
                },
                |it| *it,
            )
        })
        .collect()
}

pub fn format(view: View<'_>) -> Vec<lsp::TextEdit> {
    let edits = gsw_ide::formatting(view.db, view.file);
    edits.iter().map(|it| view.edit(it)).collect()
}

pub fn format_range(view: View<'_>, range: lsp::Range) -> Vec<lsp::TextEdit> {
    let edits = gsw_ide::range_formatting(view.db, view.file, view.span(range));
    edits.iter().map(|it| view.edit(it)).collect()
}

/// After a closing bracket: the declaration that it is in.
pub fn format_typed(view: View<'_>, at: u32) -> Vec<lsp::TextEdit> {
    let edits = gsw_ide::range_formatting(view.db, view.file, gsw_source::Span::new(at, at));
    edits.iter().map(|it| view.edit(it)).collect()
}

pub fn links(view: View<'_>) -> Vec<lsp::DocumentLink> {
    let links = gsw_ide::document_link(view.db, view.file).into_iter();
    links
        .filter_map(|it| {
            Some(lsp::DocumentLink {
                range: view.range(it.span),
                target: Some(view.state.uri_of_existing(&it.target)?),
                tooltip: None,
                data: None,
            })
        })
        .collect()
}

/// Lenses, each with a command that the client runs: `gsw.run`, `gsw.test` and `gsw.prompt`, with the file and the name; and the program
/// whose last runs belong to them.
pub fn lenses(view: View<'_>) -> (Vec<lsp::CodeLens>, ProgramName) {
    let configuration = gsw_project::project_configuration(view.db);
    let path = view.file.path(view.db);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let project = Project::try_get(view.db).and_then(|it| it.configuration(view.db));
    let folder = project.and_then(|it| it.path(view.db).parent());
    let program = ProgramName {
        name: configuration
            .and_then(|it| it.name.clone())
            .unwrap_or_else(|| stem.into_owned()),
        store: configuration.and_then(|it| it.runs.store.clone()),
        folder: folder.map(Path::to_owned).unwrap_or_default(),
    };
    // What is no file cannot be run.
    let Some(uri) = view.state.uri(path).filter(is_on_disk) else {
        return (Vec::new(), program);
    };
    let lenses = gsw_ide::code_lens(view.db, view.file).into_iter();
    let lenses = lenses.map(|it| {
        let (title, command) = match it.action {
            LensAction::Run => ("run", RUN),
            LensAction::Test => ("test", "gsw.test"),
            LensAction::ShowRequest => ("show request", "gsw.prompt"),
        };
        lsp::CodeLens {
            range: view.range(it.span),
            command: Some(lsp::Command {
                title: title.into(),
                command: command.into(),
                arguments: Some(vec![json!(uri.as_str()), json!(it.name)]),
            }),
            data: None,
        }
    });
    (lenses.collect(), program)
}

const RUN: &str = "gsw.run";

/// What a program's runs are kept under.
pub struct ProgramName {
    name: String,
    store: Option<String>,
    /// That of the project, from which the store is seen.
    folder: PathBuf,
}

impl ProgramName {
    /// The last run of each workflow.
    pub fn last_runs(&self, runtime: &dyn Runtime) -> BTreeMap<String, String> {
        let store = self.store.as_deref().map(|it| (it, self.folder.as_path()));
        runtime.last_runs(&self.name, store)
    }
}

/// The lenses, after each of a workflow one that says how it ran last; it does nothing.
pub fn with_last_runs(
    lenses: Vec<lsp::CodeLens>,
    last: &BTreeMap<String, String>,
) -> Vec<lsp::CodeLens> {
    let mut all = Vec::new();
    for lens in lenses {
        let run = lens.command.as_ref().filter(|it| it.command == RUN);
        let name = run.and_then(|it| it.arguments.as_ref()?.get(1)?.as_str());
        let title = name.and_then(|it| last.get(it)).cloned();
        let shown = title.map(|title| lsp::CodeLens {
            range: lens.range,
            command: Some(lsp::Command {
                title,
                command: String::new(),
                arguments: None,
            }),
            data: None,
        });
        all.push(lens);
        all.extend(shown);
    }
    all
}
