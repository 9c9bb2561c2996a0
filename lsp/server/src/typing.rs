//! Answers while something is typed: completions, the parameters of a call.

use gsw_ide::{Completion, CompletionKind, Definition, Insert};
use gsw_source::{ItemKind, Span};
use tower_lsp::ls_types as lsp;

use crate::resolving;
use crate::state::{Ability, State, View};

/// What can stand at a position of a document.
pub fn complete(
    state: &mut State,
    place: &lsp::TextDocumentPositionParams,
) -> Option<lsp::CompletionList> {
    let (index, file, offset) = state.place(place)?;
    let State {
        workspaces, models, ..
    } = state;
    let found = gsw_ide::completion(&mut workspaces[index].db, file, offset, models);
    let view = state.view_in(index, file);
    let items = found.into_iter().map(|it| item(view, it)).collect();
    Some(lsp::CompletionList {
        // What is not imported yet is looked for once some letters are there.
        is_incomplete: true,
        items,
    })
}

fn item(view: View<'_>, it: Completion) -> lsp::CompletionItem {
    // What is not said is plain, and found by its label: a list has hundreds of items.
    let (text, format) = match (it.insert, view.state.settings.support.snippets) {
        (Insert::Plain(text), Ability::Present | Ability::Lacking) => (text, None),
        (Insert::Snippet(text), Ability::Present) => (text, Some(lsp::InsertTextFormat::SNIPPET)),
        (Insert::Snippet(text), Ability::Lacking) => (plain(&text), None),
    };
    let imports: Vec<lsp::TextEdit> = it.imports.iter().map(|it| view.edit(it)).collect();
    let definitions: Vec<Definition> = it.definition.into_iter().collect();
    let data = resolving::data(view, &definitions);
    lsp::CompletionItem {
        sort_text: Some(format!("{:02} {}", it.rank, it.label)),
        label: it.label,
        kind: Some(kind(it.kind)),
        detail: it.detail,
        text_edit: Some(edit(view, it.replace, text)),
        insert_text_format: format,
        additional_text_edits: (!imports.is_empty()).then_some(imports),
        data,
        ..lsp::CompletionItem::default()
    }
}

/// What is inserted at the cursor, or in the place of the whole word around it, as the user has set.
fn edit(view: View<'_>, typed: Span, new_text: String) -> lsp::CompletionTextEdit {
    let insert = view.range(typed);
    if view.state.settings.support.replacing != Ability::Present {
        return lsp::CompletionTextEdit::Edit(lsp::TextEdit {
            range: insert,
            new_text,
        });
    }
    let behind = view.file.text(view.db).get(typed.end as usize..);
    let word = behind.unwrap_or_default();
    let rest = word.find(|it: char| !(it.is_alphanumeric() || it == '_'));
    let rest = u32::try_from(rest.unwrap_or(word.len())).unwrap_or(0);
    lsp::CompletionTextEdit::InsertAndReplace(lsp::InsertReplaceEdit {
        new_text,
        insert,
        replace: view.range(Span::new(typed.start, typed.end + rest)),
    })
}

/// A snippet for a client that knows none: without what is to be filled in.
fn plain(snippet: &str) -> String {
    let mut text = String::new();
    let mut rest = snippet;
    while let Some(at) = rest.find('$') {
        text.push_str(&rest[..at]);
        let hole = &rest[at + 1..];
        rest = match hole.strip_prefix('{') {
            Some(named) => {
                let end = named.find('}').unwrap_or(named.len());
                let name = named[..end].split_once(':').map_or("", |(_, it)| it);
                text.push_str(name);
                named.get(end + 1..).unwrap_or_default()
            }
            None => hole.trim_start_matches(|it: char| it.is_ascii_digit()),
        };
    }
    text.push_str(rest);
    text
}

fn kind(kind: CompletionKind) -> lsp::CompletionItemKind {
    match kind {
        CompletionKind::Variable => lsp::CompletionItemKind::VARIABLE,
        CompletionKind::Field => lsp::CompletionItemKind::FIELD,
        CompletionKind::Method => lsp::CompletionItemKind::METHOD,
        CompletionKind::Module => lsp::CompletionItemKind::MODULE,
        CompletionKind::Variant => lsp::CompletionItemKind::ENUM_MEMBER,
        CompletionKind::Keyword => lsp::CompletionItemKind::KEYWORD,
        CompletionKind::Snippet => lsp::CompletionItemKind::SNIPPET,
        CompletionKind::Setting => lsp::CompletionItemKind::PROPERTY,
        CompletionKind::Text => lsp::CompletionItemKind::VALUE,
        CompletionKind::Item(kind) => match kind {
            ItemKind::Record | ItemKind::Alias | ItemKind::Error => lsp::CompletionItemKind::STRUCT,
            ItemKind::Enum => lsp::CompletionItemKind::ENUM,
            ItemKind::Const => lsp::CompletionItemKind::CONSTANT,
            ItemKind::Agent | ItemKind::Mcp | ItemKind::Hook | ItemKind::Skill => {
                lsp::CompletionItemKind::CLASS
            }
            ItemKind::Function
            | ItemKind::Prompt
            | ItemKind::Workflow
            | ItemKind::Tool
            | ItemKind::Human
            | ItemKind::External
            | ItemKind::Test
            | ItemKind::Permissions
            | ItemKind::Import
            | ItemKind::Invalid => lsp::CompletionItemKind::FUNCTION,
        },
    }
}

/// The item with its docs.
pub fn resolve(state: &State, mut item: lsp::CompletionItem) -> lsp::CompletionItem {
    let format = state.settings.support.docs;
    let docs = item.data.as_ref();
    let docs = docs.and_then(|it| resolving::docs(state, it, format));
    item.documentation = docs.map(lsp::Documentation::MarkupContent);
    item
}

/// The call around a position of a document.
pub fn signature(
    state: &mut State,
    place: &lsp::TextDocumentPositionParams,
) -> Option<lsp::SignatureHelp> {
    let (index, file, offset) = state.place(place)?;
    let help = gsw_ide::signature_help(&mut state.workspaces[index].db, file, offset)?;
    let parameters = help
        .parameters
        .into_iter()
        .map(|it| lsp::ParameterInformation {
            label: lsp::ParameterLabel::Simple(it),
            documentation: None,
        });
    Some(lsp::SignatureHelp {
        signatures: vec![lsp::SignatureInformation {
            label: help.label,
            documentation: help.docs.map(|it| {
                let format = state.settings.support.signatures;
                lsp::Documentation::MarkupContent(format.text(&it))
            }),
            parameters: Some(parameters.collect()),
            active_parameter: help.active,
        }],
        active_signature: Some(0),
        active_parameter: help.active,
    })
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn a_snippet_without_its_holes_is_text() {
        assert_eq!(plain("f($0)"), "f()");
        assert_eq!(
            plain("fn ${1:name}($2) -> ${3:int} { $0 }"),
            "fn name() -> int {  }"
        );
        assert_eq!(plain("none"), "none");
    }
}
