//! Answers about inlay hints: those in a visible range, and the details of one.

use gsw_ide::HintKind;
use tower_lsp::ls_types as lsp;

use crate::resolving;
use crate::state::{Shown, State, View};

pub fn hints(view: View<'_>, range: lsp::Range) -> Vec<lsp::InlayHint> {
    let wanted = view.state.settings.hints;
    let hints = gsw_ide::inlay_hint(view.db, view.file, view.span(range)).into_iter();
    let shown = hints.filter(|it| {
        let shown = match it.kind {
            HintKind::Type => wanted.types,
            HintKind::Parameter => wanted.parameters,
            HintKind::Errors => wanted.errors,
            HintKind::Call => wanted.calls,
        };
        shown == Shown::Yes
    });
    shown.map(|it| hint(view, it)).collect()
}

fn hint(view: View<'_>, it: gsw_ide::InlayHint) -> lsp::InlayHint {
    let position = view
        .range(gsw_source::Span::new(it.offset, it.offset))
        .start;
    let kind = match it.kind {
        HintKind::Type => Some(lsp::InlayHintKind::TYPE),
        HintKind::Parameter => Some(lsp::InlayHintKind::PARAMETER),
        HintKind::Errors | HintKind::Call => None,
    };
    let (left, right) = match it.kind {
        HintKind::Type => (false, false),
        HintKind::Parameter | HintKind::Errors => (false, true),
        HintKind::Call => (true, false),
    };
    lsp::InlayHint {
        position,
        label: lsp::InlayHintLabel::String(it.label),
        kind,
        text_edits: it.written.map(|new_text| {
            let range = lsp::Range::new(position, position);
            vec![lsp::TextEdit { range, new_text }]
        }),
        tooltip: None,
        padding_left: Some(left),
        padding_right: Some(right),
        data: resolving::data(view, &it.about),
    }
}

/// The hint with the docs of what it names.
pub fn resolve(state: &State, mut hint: lsp::InlayHint) -> lsp::InlayHint {
    let format = state.settings.support.hovers;
    let docs = hint.data.as_ref();
    let docs = docs.and_then(|it| resolving::docs(state, it, format));
    hint.tooltip = docs.map(lsp::InlayHintTooltip::MarkupContent);
    hint
}
