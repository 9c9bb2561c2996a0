//! Answers about how a document looks: semantic tokens, whole, in part or as a difference, and inline values.

use std::collections::HashMap;
use std::path::PathBuf;

use gsw_ide::{Modifiers, SemanticKind, SemanticToken};
use tower_lsp::ls_types as lsp;

use crate::position::Forward;
use crate::state::{State, View};

/// The tokens that the client has of each document, under the ids of their results.
#[derive(Default)]
pub struct SemanticTokens {
    known: HashMap<PathBuf, (String, Vec<lsp::SemanticToken>)>,
    next: u64,
}

impl SemanticTokens {
    pub fn forget(&mut self, path: &std::path::Path) {
        self.known.remove(path);
    }

    fn remember(&mut self, path: PathBuf, tokens: Vec<lsp::SemanticToken>) -> String {
        self.next += 1;
        let id = self.next.to_string();
        self.known.insert(path, (id.clone(), tokens));
        id
    }
}

pub fn legend() -> lsp::SemanticTokensLegend {
    lsp::SemanticTokensLegend {
        token_types: SemanticKind::ALL.map(|it| it.name().into()).into(),
        token_modifiers: Modifiers::NAMES.map(Into::into).into(),
    }
}

pub fn all(state: &mut State, uri: &lsp::Uri) -> Option<lsp::SemanticTokensResult> {
    let data = encode(state.view(uri)?, None);
    let path = state.path(uri)?;
    let id = state.semantic_tokens.remember(path, data.clone());
    Some(lsp::SemanticTokensResult::Tokens(lsp::SemanticTokens {
        result_id: Some(id),
        data,
    }))
}

pub fn part(view: View<'_>, range: lsp::Range) -> lsp::SemanticTokensRangeResult {
    lsp::SemanticTokensRangeResult::Tokens(lsp::SemanticTokens {
        result_id: None,
        data: encode(view, Some(view.span(range))),
    })
}

/// What has changed since the result `previous`; all of it when that is not known.
pub fn changed(
    state: &mut State,
    uri: &lsp::Uri,
    previous: &str,
) -> Option<lsp::SemanticTokensFullDeltaResult> {
    let path = state.path(uri)?;
    let data = encode(state.view(uri)?, None);
    let known = state.semantic_tokens.known.get(&path);
    let edits = known
        .filter(|(id, _)| id == previous)
        .map(|(_, old)| difference(old, &data));
    let id = state.semantic_tokens.remember(path, data.clone());
    Some(match edits {
        Some(edits) => lsp::SemanticTokensFullDeltaResult::TokensDelta(lsp::SemanticTokensDelta {
            result_id: Some(id),
            edits,
        }),
        None => lsp::SemanticTokensFullDeltaResult::Tokens(lsp::SemanticTokens {
            result_id: Some(id),
            data,
        }),
    })
}

/// The one edit between two lists, counted in numbers, of which a token has five.
fn difference(
    old: &[lsp::SemanticToken],
    new: &[lsp::SemanticToken],
) -> Vec<lsp::SemanticTokensEdit> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let tail = old[head..]
        .iter()
        .rev()
        .zip(new[head..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let numbers = |count: usize| u32::try_from(count * 5).unwrap_or(u32::MAX);
    let deleted = old.len() - head - tail;
    let inserted = &new[head..new.len() - tail];
    if deleted == 0 && inserted.is_empty() {
        return Vec::new();
    }
    vec![lsp::SemanticTokensEdit {
        start: numbers(head),
        delete_count: numbers(deleted),
        data: Some(inserted.to_vec()),
    }]
}

/// Each token relative to the one before it.
fn encode(view: View<'_>, range: Option<gsw_source::Span>) -> Vec<lsp::SemanticToken> {
    let mut last = lsp::Position::new(0, 0);
    let text = view.file.text(view.db);
    let mut forward = Forward::new(text, view.state.settings.encoding);
    let tokens = gsw_ide::semantic_tokens(view.db, view.file, range);
    tokens
        .into_iter()
        .map(
            |SemanticToken {
                 span,
                 kind,
                 modifiers,
             }| {
                let (start, end) = (forward.to(span.start), forward.to(span.end));
                let delta_line = start.line - last.line;
                let delta_start = match delta_line {
                    0 => start.character - last.character,
                    _ => start.character,
                };
                last = start;
                lsp::SemanticToken {
                    delta_line,
                    delta_start,
                    length: end.character - start.character,
                    token_type: kind as u32,
                    token_modifiers_bitset: modifiers.0,
                }
            },
        )
        .collect()
}

/// The variables that a debugger looks up for a frame that is stopped.
pub fn values(view: View<'_>, range: lsp::Range, stopped: lsp::Position) -> Vec<lsp::InlineValue> {
    let (range, stopped) = (view.span(range), view.offset(stopped));
    let values = gsw_ide::inline_value(view.db, view.file, range, stopped).into_iter();
    values
        .map(|it| {
            lsp::InlineValue::VariableLookup(lsp::InlineValueVariableLookup {
                range: view.range(it.span),
                variable_name: Some(it.name.to_string()),
                case_sensitive_lookup: true,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::difference;
    use tower_lsp::ls_types::SemanticToken;

    fn tokens(lengths: &[u32]) -> Vec<SemanticToken> {
        let token = |length: &u32| SemanticToken {
            delta_line: 0,
            delta_start: 1,
            length: *length,
            token_type: 0,
            token_modifiers_bitset: 0,
        };
        lengths.iter().map(token).collect()
    }

    #[test]
    fn a_difference_leads_from_the_old_list_to_the_new_one() {
        let cases: [(&[u32], &[u32]); 6] = [
            (&[1, 2, 3], &[1, 2, 3]),
            (&[1, 2, 3], &[1, 4, 3]),
            (&[1, 1], &[1, 1, 1]),
            (&[1, 1, 1], &[1]),
            (&[], &[7]),
            (&[7, 8], &[]),
        ];
        for (old, new) in cases {
            let (old, new) = (tokens(old), tokens(new));
            let mut after = old.clone();
            for edit in difference(&old, &new) {
                let start = (edit.start / 5) as usize;
                let end = start + (edit.delete_count / 5) as usize;
                after.splice(start..end, edit.data.unwrap_or_default());
            }
            assert_eq!(after, new);
        }
    }
}
