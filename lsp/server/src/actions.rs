//! Answers to requests for changes of the text.

use gsw_ide::ActionKind;
use serde_json::json;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types as lsp;

use crate::convert;
use crate::state::{Ability, State};

/// The command that has the client make the edits which are its argument.
pub const APPLY: &str = "gsw.apply";

/// The actions for a range, of the kinds that the client wants; `None` where there is no program.
pub fn actions(
    state: &mut State,
    it: &lsp::CodeActionParams,
) -> Option<Vec<lsp::CodeActionOrCommand>> {
    let place = lsp::TextDocumentPositionParams {
        text_document: it.text_document.clone(),
        position: it.range.start,
    };
    let (index, file, _) = state.place(&place)?;
    let range = state.view_in(index, file).span(it.range);
    let db = &mut state.workspaces[index].db;
    let is_wanted = |of: ActionKind| is_wanted(&kind(of), &it.context);
    let actions = gsw_ide::code_action(db, file, range, is_wanted);
    let view = state.view_in(index, file);
    let converted = actions.into_iter().filter_map(|it| {
        let kind = kind(it.kind);
        let report = it.fixes.iter().map(|it| convert::diagnostic(view, it));
        let reports: Vec<_> = report.collect();
        let edit = view.state.edit(view.changes(&it.edits)?);
        if view.state.settings.support.action_literals == Ability::Lacking {
            return Some(lsp::CodeActionOrCommand::Command(lsp::Command {
                title: it.title,
                command: APPLY.into(),
                arguments: Some(vec![json!(edit)]),
            }));
        }
        Some(lsp::CodeActionOrCommand::CodeAction(lsp::CodeAction {
            title: it.title,
            kind: Some(kind),
            diagnostics: (!reports.is_empty()).then_some(reports),
            edit: Some(edit),
            is_preferred: (it.kind == ActionKind::PreferredFix).then_some(true),
            ..lsp::CodeAction::default()
        }))
    });
    Some(converted.collect())
}

/// The edits that a command has the client make.
pub fn edit_of(it: lsp::ExecuteCommandParams) -> Result<lsp::WorkspaceEdit> {
    let edit = it.arguments.into_iter().next().unwrap_or_default();
    match serde_json::from_value(edit) {
        Ok(edit) if it.command == APPLY => Ok(edit),
        Ok(_) | Err(_) => Err(Error::invalid_params(format!(
            "`{}` is no command",
            it.command
        ))),
    }
}

fn kind(kind: ActionKind) -> lsp::CodeActionKind {
    match kind {
        ActionKind::PreferredFix | ActionKind::Fix => lsp::CodeActionKind::QUICKFIX,
        ActionKind::FixAll => lsp::CodeActionKind::SOURCE_FIX_ALL,
        ActionKind::Extract => lsp::CodeActionKind::REFACTOR_EXTRACT,
        ActionKind::Inline => lsp::CodeActionKind::REFACTOR_INLINE,
        ActionKind::Rewrite => lsp::CodeActionKind::REFACTOR_REWRITE,
        ActionKind::OrganizeImports => lsp::CodeActionKind::SOURCE_ORGANIZE_IMPORTS,
    }
}

/// Whether the client has asked for actions of this kind, or of all kinds; a kind holds those that begin with it.
fn is_wanted(kind: &lsp::CodeActionKind, context: &lsp::CodeActionContext) -> bool {
    let Some(only) = &context.only else {
        return true;
    };
    only.iter().any(|it| {
        let rest = kind.as_str().strip_prefix(it.as_str());
        let is_whole = |rest: &str| rest.is_empty() || rest.starts_with('.');
        // The empty kind holds all.
        it.as_str().is_empty() || rest.is_some_and(is_whole)
    })
}
