//! Answers to requests about what names mean and where they are used.

use std::collections::HashSet;
use std::path::PathBuf;

use gsw_source::{File, Files, Location, Span};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types as lsp;

use crate::changes::Changes;
use crate::convert::symbol_kind;
use crate::documents::Documents;
use crate::markup;
use crate::runtime::Runtime;
use crate::state::{Ability, State, View};
use crate::workspace::is_source;

/// What is known of a name or word, and what the host is asked besides.
pub fn hover(view: View<'_>, offset: u32) -> Option<(lsp::Hover, Asked)> {
    let Some(hover) = gsw_ide::hover(view.db, view.file, offset) else {
        return model(view, offset).map(|it| (it, Asked::Nothing));
    };
    let asked = match (hover.prompt, hover.word) {
        (Some(prompt), _) => Asked::Prompt(AskedPrompt {
            file: prompt.file(view.db).path(view.db).clone(),
            name: prompt.name(view.db).to_string(),
            documents: view.state.documents.clone(),
        }),
        (None, Some(word)) => Asked::Word(word),
        (None, None) => Asked::Nothing,
    };
    Some((markdown(view, &hover.markdown, hover.span), asked))
}

fn markdown(view: View<'_>, value: &str, span: Span) -> lsp::Hover {
    lsp::Hover {
        contents: lsp::HoverContents::Markup(view.state.settings.support.hovers.text(value)),
        range: Some(view.range(span)),
    }
}

/// What is known of the model that the string at `offset` names.
fn model(view: View<'_>, offset: u32) -> Option<lsp::Hover> {
    let (text, span) = gsw_ide::string_at(view.db, view.file, offset)?;
    let mut known = view.state.models.iter();
    let model = known.find(|it| it.name == text)?;
    let shown = format!("`{}`: {}", model.name, model.detail);
    Some(markdown(view, &shown, span))
}

/// What the host is asked about what is shown.
pub enum Asked {
    Nothing,
    Prompt(AskedPrompt),
    /// A word of the language.
    Word(String),
}

/// A prompt whose request is shown.
pub struct AskedPrompt {
    file: PathBuf,
    name: String,
    documents: Documents,
}

impl AskedPrompt {
    /// The request, where the runtime can make it.
    pub fn of(&self, runtime: &dyn Runtime) -> Option<String> {
        runtime.request(&self.file, &self.name, &self.documents)
    }
}

/// Adds to what is shown what the host has said.
pub fn append(hover: &mut lsp::Hover, separator: &str, said: &str) {
    if let lsp::HoverContents::Markup(markup) = &mut hover.contents {
        markup::append(markup, separator, said);
    }
}

pub fn definition(view: View<'_>, offset: u32) -> Option<lsp::GotoDefinitionResponse> {
    let target = gsw_ide::definition(view.db, view.file, offset)?;
    let location = view.location(target)?;
    Some(lsp::GotoDefinitionResponse::Scalar(location))
}

pub fn type_definition(view: View<'_>, offset: u32) -> Option<lsp::GotoDefinitionResponse> {
    places(view, gsw_ide::type_definition(view.db, view.file, offset))
}

pub fn implementation(view: View<'_>, offset: u32) -> Option<lsp::GotoDefinitionResponse> {
    places(view, gsw_ide::implementation(view.db, view.file, offset))
}

fn places(view: View<'_>, targets: Vec<Location>) -> Option<lsp::GotoDefinitionResponse> {
    let locations: Vec<_> = targets
        .into_iter()
        .filter_map(|it| view.location(it))
        .collect();
    (!locations.is_empty()).then_some(lsp::GotoDefinitionResponse::Array(locations))
}

/// In every workspace that holds the declaration: a folder may be open inside of another one.
pub fn references(
    state: &State,
    place: &lsp::TextDocumentPositionParams,
    context: &lsp::ReferenceContext,
) -> Option<Vec<lsp::Location>> {
    let path = state.path(&place.text_document.uri);
    let (workspace, file) = state.locate(&path.filter(|it| is_source(it))?)?;
    let offset = state.view_in(workspace, file).offset(place.position);
    let (mut all, mut known) = (Vec::new(), HashSet::new());
    for (workspace, file, offset) in everywhere(state, workspace, file, offset) {
        let view = state.view_in(workspace, file);
        let found = gsw_ide::references(view.db, file, offset).into_iter();
        let found = found.filter(|it| match it.role {
            gsw_ide::Role::Declaration => context.include_declaration,
            gsw_ide::Role::Use => true,
        });
        for location in found.filter_map(|it| view.location(it.location)) {
            if known.insert(location.clone()) {
                all.push(location);
            }
        }
    }
    Some(all)
}

pub fn highlights(view: View<'_>, offset: u32) -> Vec<lsp::DocumentHighlight> {
    let found = gsw_ide::document_highlight(view.db, view.file, offset).into_iter();
    found
        .map(|it| lsp::DocumentHighlight {
            range: view.range(it.span),
            kind: Some(match it.access {
                gsw_ide::Access::Read => lsp::DocumentHighlightKind::READ,
                gsw_ide::Access::Write => lsp::DocumentHighlightKind::WRITE,
            }),
        })
        .collect()
}

pub fn prepare_rename(view: View<'_>, offset: u32) -> Result<lsp::PrepareRenameResponse> {
    let found =
        gsw_ide::prepare_rename(view.db, view.file, offset).map_err(Error::invalid_params)?;
    let can_rename_files = view.state.settings.support.renaming;
    if (found.kind, can_rename_files) == (gsw_ide::RenamableKind::Module, Ability::Lacking) {
        return Err(Error::invalid_params(gsw_ide::MODULE));
    }
    Ok(lsp::PrepareRenameResponse::RangeWithPlaceholder {
        range: view.range(found.span),
        placeholder: found.name.to_string(),
    })
}

/// The edit of a rename, and what the user must know of it.
pub type Renamed = (Option<lsp::WorkspaceEdit>, Option<String>);

pub fn rename(
    state: &mut State,
    place: &lsp::TextDocumentPositionParams,
    new: &str,
) -> Result<Renamed> {
    let Some((index, file, offset)) = state.place(place) else {
        return Ok((None, None));
    };
    if let Some(moved) = moved_module(state.view_in(index, file), offset, new)? {
        return Ok((rename_module(state, moved)?, None));
    }
    let mut remark = None;
    let (mut changes, mut known) = (Changes::new(), HashSet::new());
    for (index, file, offset) in everywhere(state, index, file, offset) {
        let db = &mut state.workspaces[index].db;
        let edits = gsw_ide::rename(db, file, offset, new).map_err(Error::invalid_params)?;
        let view = state.view_in(index, file);
        if !edits.is_empty() && remark.is_none() {
            let left = gsw_ide::left_behind(view.db, file, offset);
            remark = left.and_then(|it| left_behind(view, &it));
        }
        let Some(own) = view.changes(&edits) else {
            return Ok((None, None));
        };
        for (uri, edits) in own {
            let all = changes.entry(uri.clone()).or_default();
            // A file that two workspaces hold has the same edits in both.
            let fresh =
                |it: &lsp::TextEdit| known.insert(lsp::Location::new(uri.clone(), it.range));
            all.extend(edits.into_iter().filter(fresh));
        }
    }
    Ok((Some(state.edit(changes)), remark))
}

/// What is named at a place of a workspace, there and in each other one that holds the file which declares it.
fn everywhere(state: &State, workspace: usize, file: File, offset: u32) -> Vec<(usize, File, u32)> {
    let db = &state.workspaces[workspace].db;
    let mut places = vec![(workspace, file, offset)];
    let Some(declared) = gsw_ide::renamed_everywhere(db, file, offset) else {
        return places;
    };
    let path = declared.file.path(db);
    let others = state.workspaces.iter().enumerate();
    let others = others.filter(|(index, _)| *index != workspace);
    places.extend(others.filter_map(|(index, other)| {
        let start = declared.span.start;
        Some((index, other.file(path)?, start))
    }));
    places
}

/// The file that a rename is of, where it is of a module and the client can rename files.
fn moved_module(view: View<'_>, offset: u32, new: &str) -> Result<Option<gsw_ide::MovedFile>> {
    match view.state.settings.support.renaming {
        Ability::Lacking => Ok(None),
        Ability::Present => {
            gsw_ide::moved_module(view.db, view.file, offset, new).map_err(Error::invalid_params)
        }
    }
}

/// The edits of imports in all workspaces, and then the new name of the file.
fn rename_module(state: &State, moved: gsw_ide::MovedFile) -> Result<Option<lsp::WorkspaceEdit>> {
    let gsw_ide::MovedFile { old, new } = moved;
    if old == new {
        return Ok(None);
    }
    if state.documents.is_file(&new) {
        let why = format!("`{}` exists already", new.display());
        return Err(Error::invalid_params(why));
    }
    let (Some(old_uri), Some(new_uri)) = (state.uri(&old), state.uri(&new)) else {
        return Ok(None);
    };
    let changes = changes_after(state, &[(old, new)]).unwrap_or_default();
    let edits = state.versioned(changes).into_iter();
    let mut operations: Vec<_> = edits.map(lsp::DocumentChangeOperation::Edit).collect();
    operations.push(lsp::DocumentChangeOperation::Op(lsp::ResourceOp::Rename(
        lsp::RenameFile {
            old_uri,
            new_uri,
            options: None,
            annotation_id: None,
        },
    )));
    Ok(Some(lsp::WorkspaceEdit {
        document_changes: Some(lsp::DocumentChanges::Operations(operations)),
        ..lsp::WorkspaceEdit::default()
    }))
}

/// The message about texts that keep the old name.
fn left_behind(view: View<'_>, left: &gsw_ide::LeftBehind) -> Option<String> {
    let first = left.places.first()?;
    let path = first.file.path(view.db);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let line = view.of(first.file).range(first.span).start.line + 1;
    let others = match left.places.len() - 1 {
        0 => String::new(),
        1 => " and another place".into(),
        more => format!(" and {more} other places"),
    };
    let what = match left.of {
        gsw_ide::NamedInTexts::Field => {
            "may read the field as a key of JSON, which was not renamed: `@alias(\"…\")` before the field keeps the old key"
        }
        gsw_ide::NamedInTexts::Variant => {
            "may mean the variant by a text, which was not renamed: `@alias(\"…\")` before the variant keeps the old text"
        }
        gsw_ide::NamedInTexts::Parameter => {
            "may give the parameter by a text, which was not renamed: `@alias(\"…\")` before the parameter keeps the old name"
        }
    };
    Some(format!("{name}:{line}{others} {what}"))
}

/// The edits that imports need when files and folders get other addresses, of all workspaces.
pub fn rename_files(state: &State, files: &[lsp::FileRename]) -> Option<lsp::WorkspaceEdit> {
    let at = |uri: &str| state.path(&uri.parse().ok()?);
    let moved = files.iter();
    let moved = moved.filter_map(|it| Some((at(&it.old_uri)?, at(&it.new_uri)?)));
    let moved: Vec<(PathBuf, PathBuf)> = moved.collect();
    let changes = changes_after(state, &moved)?;
    (!changes.is_empty()).then(|| state.edit(changes))
}

/// The edits of imports by their files; `None` when one cannot be made.
fn changes_after(state: &State, moved: &[(PathBuf, PathBuf)]) -> Option<Changes> {
    let mut changes = Changes::new();
    for workspace in &state.workspaces {
        let edits = gsw_ide::will_rename_files(&workspace.db, moved);
        if let Some(first) = edits.first() {
            let view = View {
                state,
                db: &workspace.db,
                file: first.location.file,
            };
            // A file that two workspaces hold has the same edits in both.
            changes.extend(view.changes(&edits)?);
        }
    }
    Some(changes)
}

pub fn linked_ranges(view: View<'_>, offset: u32) -> Option<lsp::LinkedEditingRanges> {
    let spans = gsw_ide::linked_editing_range(view.db, view.file, offset);
    (!spans.is_empty()).then(|| lsp::LinkedEditingRanges {
        ranges: spans.into_iter().map(|it| view.range(it)).collect(),
        word_pattern: None,
    })
}

/// The declarations of all workspaces that a query finds.
pub fn symbols(state: &State, query: &str) -> Vec<lsp::SymbolInformation> {
    let mut found = Vec::new();
    for workspace in &state.workspaces {
        for symbol in gsw_ide::workspace_symbol(&workspace.db, query) {
            let view = View {
                state,
                db: &workspace.db,
                file: symbol.location.file,
            };
            if let Some(location) = view.location(symbol.location) {
                #[expect(deprecated, reason = "the protocol's type has the field")]
                found.push(lsp::SymbolInformation {
                    name: symbol.name,
                    kind: symbol_kind(symbol.kind),
                    tags: None,
                    deprecated: None,
                    location,
                    container_name: Some(symbol.module),
                });
            }
        }
    }
    found
}

pub fn prepare_calls(view: View<'_>, offset: u32) -> Option<Vec<lsp::CallHierarchyItem>> {
    let callable = gsw_ide::prepare_call_hierarchy(view.db, view.file, offset)?;
    Some(vec![hierarchy_item(view, &callable)?])
}

pub fn incoming(view: View<'_>, offset: u32) -> Option<Vec<lsp::CallHierarchyIncomingCall>> {
    let target = gsw_ide::prepare_call_hierarchy(view.db, view.file, offset)?;
    let calls = gsw_ide::incoming_calls(view.db, &target).into_iter();
    let converted = calls.filter_map(|it| {
        let own = view.of(it.other.item.file(view.db));
        Some(lsp::CallHierarchyIncomingCall {
            from: hierarchy_item(view, &it.other)?,
            from_ranges: it.places.iter().map(|place| own.range(*place)).collect(),
        })
    });
    Some(converted.collect())
}

pub fn outgoing(view: View<'_>, offset: u32) -> Option<Vec<lsp::CallHierarchyOutgoingCall>> {
    let source = gsw_ide::prepare_call_hierarchy(view.db, view.file, offset)?;
    let calls = gsw_ide::outgoing_calls(view.db, &source).into_iter();
    let converted = calls.filter_map(|it| {
        Some(lsp::CallHierarchyOutgoingCall {
            to: hierarchy_item(view, &it.other)?,
            from_ranges: it.places.iter().map(|place| view.range(*place)).collect(),
        })
    });
    Some(converted.collect())
}

fn hierarchy_item(view: View<'_>, it: &gsw_ide::Callable) -> Option<lsp::CallHierarchyItem> {
    let own = view.of(it.item.file(view.db));
    let uri = view.state.uri(own.file.path(view.db))?;
    Some(lsp::CallHierarchyItem {
        name: it.name.clone(),
        kind: symbol_kind(it.kind),
        tags: None,
        detail: None,
        uri,
        range: own.range(it.span),
        selection_range: own.range(it.name_span),
        data: None,
    })
}

pub fn prepare_types(view: View<'_>, offset: u32) -> Option<Vec<lsp::TypeHierarchyItem>> {
    let item = gsw_ide::prepare_type_hierarchy(view.db, view.file, offset)?;
    Some(vec![type_item(view, &item)?])
}

pub fn supertypes(view: View<'_>, offset: u32) -> Option<Vec<lsp::TypeHierarchyItem>> {
    let of = gsw_ide::prepare_type_hierarchy(view.db, view.file, offset)?;
    let found = gsw_ide::supertypes(view.db, of.symbol);
    Some(found.iter().filter_map(|it| type_item(view, it)).collect())
}

pub fn subtypes(view: View<'_>, offset: u32) -> Option<Vec<lsp::TypeHierarchyItem>> {
    let of = gsw_ide::prepare_type_hierarchy(view.db, view.file, offset)?;
    let found = gsw_ide::subtypes(view.db, of.symbol);
    Some(found.iter().filter_map(|it| type_item(view, it)).collect())
}

fn type_item(view: View<'_>, it: &gsw_ide::TypeItem) -> Option<lsp::TypeHierarchyItem> {
    let location = view.location(it.location)?;
    Some(lsp::TypeHierarchyItem {
        name: it.name.clone(),
        kind: symbol_kind(it.kind),
        tags: None,
        detail: None,
        uri: location.uri,
        range: location.range,
        selection_range: location.range,
        data: None,
    })
}
