//! Answers to requests for changes of the text.

use gsw_ide::ActionKind;
use tower_lsp::ls_types as lsp;

use crate::convert;
use crate::state::View;

/// The actions for a range, of the kinds that the client wants.
pub fn actions(
    view: View<'_>,
    range: lsp::Range,
    context: &lsp::CodeActionContext,
) -> Vec<lsp::CodeActionOrCommand> {
    let actions = gsw_ide::code_action(view.db, view.file, view.span(range));
    let converted = actions.into_iter().filter_map(|it| {
        let kind = kind(it.kind);
        if !is_wanted(&kind, context) {
            return None;
        }
        let report = it.fixes.iter().map(|it| convert::diagnostic(view, it));
        let reports: Vec<_> = report.collect();
        Some(lsp::CodeActionOrCommand::CodeAction(lsp::CodeAction {
            title: it.title,
            kind: Some(kind),
            diagnostics: (!reports.is_empty()).then_some(reports),
            edit: Some(view.workspace_edit(&it.edits)?),
            is_preferred: (it.kind == ActionKind::PreferredFix).then_some(true),
            ..lsp::CodeAction::default()
        }))
    });
    converted.collect()
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
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}
