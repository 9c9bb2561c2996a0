//! The protocol's requests and notifications, one statement each: what is asked becomes a job of the thread that knows the answer.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types as lsp;
use tower_lsp::{Client, LanguageServer};

use crate::addresses::path;
use crate::capabilities::{capabilities, settings, wanted_hints};
use crate::frames::Attendance;
use crate::loading::Loads;
use crate::navigation::Asked;
use crate::runtime::{Runtime, elsewhere};
use crate::state::{Ability, Concern, Refresh, State, View};
use crate::worker::Worker;
use crate::{actions, hints, navigation, reporting, semantic_tokens, structure, typing};

pub struct Backend {
    pub client: Client,
    /// Whatever is asked of the client is waited for as long as it lasts: one that never answers holds nothing up.
    pub attendance: Attendance,
    pub worker: Worker,
    pub runtime: Arc<dyn Runtime>,
    /// Whether the client has ended the session.
    pub is_shut_down: Arc<AtomicBool>,
    pub loads: Loads,
}

impl Backend {
    /// Asks something about a document.
    async fn about<T: Send + 'static>(
        &self,
        document: lsp::TextDocumentIdentifier,
        answer: impl FnOnce(View<'_>) -> T + Send + 'static,
    ) -> Result<Option<T>> {
        self.worker
            .ask(move |state| state.view(&document.uri).map(answer))
            .await
    }

    /// Asks something about a place in a document.
    async fn at<T: Send + 'static>(
        &self,
        place: lsp::TextDocumentPositionParams,
        answer: impl FnOnce(View<'_>, u32) -> T + Send + 'static,
    ) -> Result<Option<T>> {
        self.about(place.text_document, move |view| {
            answer(view, view.offset(place.position))
        })
        .await
    }

    /// Asks for notifications of changes of files on disk, of a client that can send them.
    async fn watch(&self) {
        let patterns = ["**/*.gsw", "**/gsw.toml", "**/SKILL.md"];
        let mut watchers: Vec<_> = patterns.map(|it| json!({ "globPattern": it })).into();
        // A folder that comes or goes is reported alone; no pattern says that something is a folder.
        let comes_or_goes = lsp::WatchKind::Create | lsp::WatchKind::Delete;
        watchers.push(json!({ "globPattern": "**", "kind": comes_or_goes.bits() }));
        let registration = lsp::Registration {
            id: "files".into(),
            method: "workspace/didChangeWatchedFiles".into(),
            register_options: Some(json!({ "watchers": watchers })),
        };
        // A client that refuses is looked after when documents are saved.
        let answer = self.client.register_capability(vec![registration]);
        let _ = self.attendance.answer(answer).await;
    }

    /// Has the client ask again for what other files or settings decide. The session may be ending: failures are of no interest.
    async fn refresh(&self) {
        let _ = self.attendance.answer(self.have_asked_again()).await;
    }

    async fn have_asked_again(&self) {
        let Ok(support) = self.worker.ask(|state| state.settings.support).await else {
            return;
        };
        let Refresh {
            diagnostics,
            hints,
            tokens,
            lenses,
        } = support.refresh;
        if diagnostics == Ability::Present {
            let _ = self.client.workspace_diagnostic_refresh().await;
        }
        if hints == Ability::Present {
            let _ = self.client.inlay_hint_refresh().await;
        }
        if tokens == Ability::Present {
            let _ = self.client.semantic_tokens_refresh().await;
        }
        if lenses == Ability::Present {
            let _ = self.client.code_lens_refresh().await;
        }
    }

    /// The settings of the user, as the client has sent them or gives them when asked; `None` when there are none.
    async fn user_settings(&self, sent: serde_json::Value) -> Option<serde_json::Value> {
        if !sent.is_null() {
            return Some(sent);
        }
        let support = self.worker.ask(|state| state.settings.support).await.ok()?;
        if support.configuration == Ability::Lacking {
            return None;
        }
        let section = lsp::ConfigurationItem {
            scope_uri: None,
            section: Some("gsw".into()),
        };
        let answer = self.client.configuration(vec![section]);
        let mut answered = self.attendance.answer(answer).await?.ok()?;
        answered.pop().filter(|it| !it.is_null())
    }
}

impl LanguageServer for Backend {
    async fn initialize(&self, it: lsp::InitializeParams) -> Result<lsp::InitializeResult> {
        let mut settings = settings(&it);
        let capabilities = capabilities(&settings);
        let models = self.runtime.models();
        self.worker.send(move |state| {
            let folders = std::mem::take(&mut settings.folders);
            state.settings = settings;
            state.add_folders(folders);
            state.models = models;
        });
        Ok(lsp::InitializeResult {
            capabilities,
            server_info: Some(lsp::ServerInfo {
                name: "gswc".into(),
                version: Some(env!("CARGO_PKG_VERSION").into()),
            }),
            ..lsp::InitializeResult::default()
        })
    }

    async fn initialized(&self, _: lsp::InitializedParams) {
        self.worker.send(State::load_folders);
        let support = self.worker.ask(|state| state.settings.support).await;
        let Ok(support) = support else { return };
        if support.watching == Ability::Present {
            self.watch().await;
        }
    }

    async fn shutdown(&self) -> Result<()> {
        self.is_shut_down.store(true, Ordering::Relaxed);
        Ok(())
    }

    async fn did_open(&self, it: lsp::DidOpenTextDocumentParams) {
        let document = it.text_document;
        self.worker
            .send(move |state| state.open(document.uri, document.version, document.text));
    }

    async fn did_change(&self, it: lsp::DidChangeTextDocumentParams) {
        self.worker
            .send(move |state| state.change(&it.text_document, it.content_changes));
    }

    async fn did_save(&self, _: lsp::DidSaveTextDocumentParams) {
        self.worker.send(|state| {
            if state.settings.support.watching == Ability::Lacking {
                state.look_at_disk();
            }
        });
    }

    async fn did_close(&self, it: lsp::DidCloseTextDocumentParams) {
        self.worker
            .send(move |state| state.close(&it.text_document.uri));
    }

    async fn did_change_watched_files(&self, it: lsp::DidChangeWatchedFilesParams) {
        let concern = self.worker.ask(move |state| {
            let changed = it.changes.iter().filter_map(|it| state.path(&it.uri));
            let paths: Vec<PathBuf> = changed.collect();
            state.changed_on_disk(&paths)
        });
        if matches!(concern.await, Ok(Concern::Something)) {
            self.refresh().await;
        }
    }

    async fn did_change_workspace_folders(&self, it: lsp::DidChangeWorkspaceFoldersParams) {
        let paths = |them: Vec<lsp::WorkspaceFolder>| -> Vec<PathBuf> {
            them.iter().filter_map(|it| path(&it.uri)).collect()
        };
        let (added, removed) = (paths(it.event.added), paths(it.event.removed));
        self.worker
            .send(move |state| state.change_folders(added, &removed));
        self.refresh().await;
    }

    async fn did_change_configuration(&self, it: lsp::DidChangeConfigurationParams) {
        if let Some(said) = self.user_settings(it.settings).await {
            self.worker
                .send(move |state| state.settings.hints = wanted_hints(&said));
            self.refresh().await;
        }
    }

    async fn diagnostic(
        &self,
        it: lsp::DocumentDiagnosticParams,
    ) -> Result<lsp::DocumentDiagnosticReportResult> {
        let known = it.previous_result_id;
        let uri = it.text_document.uri;
        self.worker
            .ask(move |state| reporting::of_document(state, &uri, known.as_deref()).into())
            .await
    }

    async fn workspace_diagnostic(
        &self,
        it: lsp::WorkspaceDiagnosticParams,
    ) -> Result<lsp::WorkspaceDiagnosticReportResult> {
        let known = it.previous_result_ids;
        let items = reporting::of_all(&self.worker, &self.loads, known).await?;
        Ok(lsp::WorkspaceDiagnosticReport { items }.into())
    }

    async fn hover(&self, it: lsp::HoverParams) -> Result<Option<lsp::Hover>> {
        let place = it.text_document_position_params;
        let Some((mut hover, asked)) = self.at(place, navigation::hover).await?.flatten() else {
            return Ok(None);
        };
        match asked {
            Asked::Nothing => {}
            Asked::Word(word) => match self.runtime.explained(&word) {
                Some(text) => navigation::append(&mut hover, "\n\n", &text),
                None => return Ok(None),
            },
            Asked::Prompt(asked) => {
                let runtime = Arc::clone(&self.runtime);
                let request = elsewhere(&self.client, move || asked.of(&*runtime));
                if let Some(request) = request.await?.flatten() {
                    navigation::append(&mut hover, "\n\n---\n\n", &request);
                }
            }
        }
        Ok(Some(hover))
    }

    async fn goto_definition(
        &self,
        it: lsp::GotoDefinitionParams,
    ) -> Result<Option<lsp::GotoDefinitionResponse>> {
        let place = it.text_document_position_params;
        Ok(self.at(place, navigation::definition).await?.flatten())
    }

    async fn goto_declaration(
        &self,
        it: lsp::GotoDefinitionParams,
    ) -> Result<Option<lsp::GotoDefinitionResponse>> {
        let place = it.text_document_position_params;
        Ok(self.at(place, navigation::definition).await?.flatten())
    }

    async fn goto_type_definition(
        &self,
        it: lsp::GotoDefinitionParams,
    ) -> Result<Option<lsp::GotoDefinitionResponse>> {
        let place = it.text_document_position_params;
        Ok(self.at(place, navigation::type_definition).await?.flatten())
    }

    async fn goto_implementation(
        &self,
        it: lsp::request::GotoImplementationParams,
    ) -> Result<Option<lsp::request::GotoImplementationResponse>> {
        let place = it.text_document_position_params;
        Ok(self.at(place, navigation::implementation).await?.flatten())
    }

    async fn references(&self, it: lsp::ReferenceParams) -> Result<Option<Vec<lsp::Location>>> {
        let (place, context) = (it.text_document_position, it.context);
        self.worker
            .ask(move |state| navigation::references(state, &place, &context))
            .await
    }

    async fn document_highlight(
        &self,
        it: lsp::DocumentHighlightParams,
    ) -> Result<Option<Vec<lsp::DocumentHighlight>>> {
        let place = it.text_document_position_params;
        self.at(place, navigation::highlights).await
    }

    async fn prepare_rename(
        &self,
        it: lsp::TextDocumentPositionParams,
    ) -> Result<Option<lsp::PrepareRenameResponse>> {
        self.at(it, navigation::prepare_rename).await?.transpose()
    }

    async fn rename(&self, it: lsp::RenameParams) -> Result<Option<lsp::WorkspaceEdit>> {
        let (place, new) = (it.text_document_position, it.new_name);
        let (edit, remark) = self
            .worker
            .ask(move |state| navigation::rename(state, &place, &new))
            .await??;
        if let Some(remark) = remark {
            let warning = lsp::MessageType::WARNING;
            self.client.show_message(warning, remark).await;
        }
        Ok(edit)
    }

    async fn will_rename_files(
        &self,
        it: lsp::RenameFilesParams,
    ) -> Result<Option<lsp::WorkspaceEdit>> {
        self.worker
            .ask(move |state| navigation::rename_files(state, &it.files))
            .await
    }

    async fn linked_editing_range(
        &self,
        it: lsp::LinkedEditingRangeParams,
    ) -> Result<Option<lsp::LinkedEditingRanges>> {
        let place = it.text_document_position_params;
        Ok(self.at(place, navigation::linked_ranges).await?.flatten())
    }

    async fn symbol(
        &self,
        it: lsp::WorkspaceSymbolParams,
    ) -> Result<Option<lsp::WorkspaceSymbolResponse>> {
        let symbols = self
            .worker
            .ask(move |state| navigation::symbols(state, &it.query))
            .await?;
        Ok(Some(lsp::WorkspaceSymbolResponse::Flat(symbols)))
    }

    async fn prepare_call_hierarchy(
        &self,
        it: lsp::CallHierarchyPrepareParams,
    ) -> Result<Option<Vec<lsp::CallHierarchyItem>>> {
        let place = it.text_document_position_params;
        Ok(self.at(place, navigation::prepare_calls).await?.flatten())
    }

    async fn incoming_calls(
        &self,
        it: lsp::CallHierarchyIncomingCallsParams,
    ) -> Result<Option<Vec<lsp::CallHierarchyIncomingCall>>> {
        let place = place_in(it.item.uri, it.item.selection_range);
        Ok(self.at(place, navigation::incoming).await?.flatten())
    }

    async fn outgoing_calls(
        &self,
        it: lsp::CallHierarchyOutgoingCallsParams,
    ) -> Result<Option<Vec<lsp::CallHierarchyOutgoingCall>>> {
        let place = place_in(it.item.uri, it.item.selection_range);
        Ok(self.at(place, navigation::outgoing).await?.flatten())
    }

    async fn document_symbol(
        &self,
        it: lsp::DocumentSymbolParams,
    ) -> Result<Option<lsp::DocumentSymbolResponse>> {
        self.about(it.text_document, structure::outline).await
    }

    async fn folding_range(
        &self,
        it: lsp::FoldingRangeParams,
    ) -> Result<Option<Vec<lsp::FoldingRange>>> {
        self.about(it.text_document, structure::folds).await
    }

    async fn selection_range(
        &self,
        it: lsp::SelectionRangeParams,
    ) -> Result<Option<Vec<lsp::SelectionRange>>> {
        let positions = it.positions;
        self.about(it.text_document, move |view| {
            structure::selections(view, &positions)
        })
        .await
    }

    async fn formatting(
        &self,
        it: lsp::DocumentFormattingParams,
    ) -> Result<Option<Vec<lsp::TextEdit>>> {
        self.about(it.text_document, structure::format).await
    }

    async fn range_formatting(
        &self,
        it: lsp::DocumentRangeFormattingParams,
    ) -> Result<Option<Vec<lsp::TextEdit>>> {
        let range = it.range;
        self.about(it.text_document, move |view| {
            structure::format_range(view, range)
        })
        .await
    }

    async fn on_type_formatting(
        &self,
        it: lsp::DocumentOnTypeFormattingParams,
    ) -> Result<Option<Vec<lsp::TextEdit>>> {
        self.at(it.text_document_position, structure::format_typed)
            .await
    }

    async fn document_link(
        &self,
        it: lsp::DocumentLinkParams,
    ) -> Result<Option<Vec<lsp::DocumentLink>>> {
        self.about(it.text_document, structure::links).await
    }

    async fn code_lens(&self, it: lsp::CodeLensParams) -> Result<Option<Vec<lsp::CodeLens>>> {
        let found = self.about(it.text_document, structure::lenses).await?;
        let Some((lenses, program)) = found else {
            return Ok(None);
        };
        let runtime = Arc::clone(&self.runtime);
        let last = elsewhere(&self.client, move || program.last_runs(&*runtime));
        let last = last.await?.unwrap_or_default();
        Ok(Some(structure::with_last_runs(lenses, &last)))
    }

    async fn prepare_type_hierarchy(
        &self,
        it: lsp::TypeHierarchyPrepareParams,
    ) -> Result<Option<Vec<lsp::TypeHierarchyItem>>> {
        let place = it.text_document_position_params;
        Ok(self.at(place, navigation::prepare_types).await?.flatten())
    }

    async fn supertypes(
        &self,
        it: lsp::TypeHierarchySupertypesParams,
    ) -> Result<Option<Vec<lsp::TypeHierarchyItem>>> {
        let place = place_in(it.item.uri, it.item.selection_range);
        Ok(self.at(place, navigation::supertypes).await?.flatten())
    }

    async fn subtypes(
        &self,
        it: lsp::TypeHierarchySubtypesParams,
    ) -> Result<Option<Vec<lsp::TypeHierarchyItem>>> {
        let place = place_in(it.item.uri, it.item.selection_range);
        Ok(self.at(place, navigation::subtypes).await?.flatten())
    }

    async fn completion(
        &self,
        it: lsp::CompletionParams,
    ) -> Result<Option<lsp::CompletionResponse>> {
        let place = it.text_document_position;
        let found = self
            .worker
            .ask(move |state| typing::complete(state, &place))
            .await?;
        Ok(found.map(lsp::CompletionResponse::List))
    }

    async fn completion_resolve(&self, it: lsp::CompletionItem) -> Result<lsp::CompletionItem> {
        self.worker
            .ask(move |state| typing::resolve(state, it))
            .await
    }

    async fn signature_help(
        &self,
        it: lsp::SignatureHelpParams,
    ) -> Result<Option<lsp::SignatureHelp>> {
        let place = it.text_document_position_params;
        self.worker
            .ask(move |state| typing::signature(state, &place))
            .await
    }

    async fn semantic_tokens_full(
        &self,
        it: lsp::SemanticTokensParams,
    ) -> Result<Option<lsp::SemanticTokensResult>> {
        self.worker
            .ask(move |state| semantic_tokens::all(state, &it.text_document.uri))
            .await
    }

    async fn semantic_tokens_full_delta(
        &self,
        it: lsp::SemanticTokensDeltaParams,
    ) -> Result<Option<lsp::SemanticTokensFullDeltaResult>> {
        self.worker
            .ask(move |state| {
                semantic_tokens::changed(state, &it.text_document.uri, &it.previous_result_id)
            })
            .await
    }

    async fn semantic_tokens_range(
        &self,
        it: lsp::SemanticTokensRangeParams,
    ) -> Result<Option<lsp::SemanticTokensRangeResult>> {
        let range = it.range;
        self.about(it.text_document, move |view| {
            semantic_tokens::part(view, range)
        })
        .await
    }

    async fn inline_value(
        &self,
        it: lsp::InlineValueParams,
    ) -> Result<Option<Vec<lsp::InlineValue>>> {
        let (range, stopped) = (it.range, it.context.stopped_location.end);
        self.about(it.text_document, move |view| {
            semantic_tokens::values(view, range, stopped)
        })
        .await
    }

    async fn inlay_hint(&self, it: lsp::InlayHintParams) -> Result<Option<Vec<lsp::InlayHint>>> {
        let range = it.range;
        self.about(it.text_document, move |view| hints::hints(view, range))
            .await
    }

    async fn inlay_hint_resolve(&self, it: lsp::InlayHint) -> Result<lsp::InlayHint> {
        self.worker
            .ask(move |state| hints::resolve(state, it))
            .await
    }

    async fn code_action(
        &self,
        it: lsp::CodeActionParams,
    ) -> Result<Option<lsp::CodeActionResponse>> {
        self.worker
            .ask(move |state| actions::actions(state, &it))
            .await
    }

    async fn execute_command(
        &self,
        it: lsp::ExecuteCommandParams,
    ) -> Result<Option<serde_json::Value>> {
        let edit = actions::edit_of(it)?;
        // A client that cannot apply it reports that to its user.
        let _ = self.attendance.answer(self.client.apply_edit(edit)).await;
        Ok(None)
    }
}

/// The place of the name of what a hierarchy has shown.
fn place_in(uri: lsp::Uri, name: lsp::Range) -> lsp::TextDocumentPositionParams {
    lsp::TextDocumentPositionParams {
        text_document: lsp::TextDocumentIdentifier { uri },
        position: name.start,
    }
}
