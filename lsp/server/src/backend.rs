//! The protocol's requests and notifications, one line of work each.

use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types as lsp;
use tower_lsp::{Client, LanguageServer, LspService, Server};

use crate::worker::{State, Worker};
use crate::{convert, frames};

struct Backend {
    client: Client,
    worker: Worker,
}

/// Serves an editor on standard input and output until it ends the session.
///
/// # Errors
/// When threads or input and output cannot be had.
pub fn serve() -> std::io::Result<()> {
    let worker = Worker::start()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let (service, socket) = LspService::new(|client| Backend { client, worker });
        // The protocol's notifications have an order, and handlers must keep it.
        Server::new(frames::messages(), tokio::io::stdout(), socket)
            .concurrency_level(1)
            .serve(service)
            .await;
    });
    // Reading standard input blocks a thread that nothing can wake.
    runtime.shutdown_background();
    Ok(())
}

impl Backend {
    /// Sets a document's text and publishes the reports about every open document, since an edit in one may concern another.
    async fn update(&self, uri: lsp::Uri, text: String) {
        let Some(path) = convert::path(&uri) else {
            return;
        };
        let reports = self
            .worker
            .run(move |state| {
                state.set(&path, &text);
                reports(state)
            })
            .await;
        for (uri, diagnostics) in reports.unwrap_or_default() {
            self.client
                .publish_diagnostics(uri, diagnostics, None)
                .await;
        }
    }

    /// Asks something about a place in an open document.
    async fn at<T: Send + 'static>(
        &self,
        place: lsp::TextDocumentPositionParams,
        answer: impl FnOnce(&State, gsw_source::File, u32) -> Option<T> + Send + 'static,
    ) -> Option<T> {
        let path = convert::path(&place.text_document.uri)?;
        self.worker
            .run(move |state| {
                let file = state.file(&path)?;
                let offset = convert::offset(&state.db, file, place.position);
                answer(state, file, offset)
            })
            .await?
    }
}

fn reports(state: &State) -> Vec<(lsp::Uri, Vec<lsp::Diagnostic>)> {
    let db = &state.db;
    let of_documents = state.open().into_iter().filter_map(|(path, file)| {
        let uri = lsp::Uri::from_file_path(path)?;
        Some((uri, file, gsw_ide::diagnostics(db, file)))
    });
    let of_project = gsw_ide::project_diagnostics(db)
        .into_iter()
        .filter_map(|(file, found)| Some((convert::uri(file.path(db))?, file, found)));
    of_documents
        .chain(of_project)
        .map(|(uri, file, found)| {
            let found = found.iter().map(|it| convert::diagnostic(db, file, it));
            (uri, found.collect())
        })
        .collect()
}

impl LanguageServer for Backend {
    async fn initialize(&self, _: lsp::InitializeParams) -> Result<lsp::InitializeResult> {
        Ok(lsp::InitializeResult {
            capabilities: lsp::ServerCapabilities {
                text_document_sync: Some(lsp::TextDocumentSyncCapability::Kind(
                    lsp::TextDocumentSyncKind::FULL,
                )),
                hover_provider: Some(lsp::HoverProviderCapability::Simple(true)),
                definition_provider: Some(lsp::OneOf::Left(true)),
                ..lsp::ServerCapabilities::default()
            },
            server_info: Some(lsp::ServerInfo {
                name: "gswc".into(),
                version: Some(env!("CARGO_PKG_VERSION").into()),
            }),
            ..lsp::InitializeResult::default()
        })
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn did_open(&self, it: lsp::DidOpenTextDocumentParams) {
        self.update(it.text_document.uri, it.text_document.text)
            .await;
    }

    async fn did_change(&self, mut it: lsp::DidChangeTextDocumentParams) {
        if let Some(change) = it.content_changes.pop() {
            self.update(it.text_document.uri, change.text).await;
        }
    }

    async fn did_close(&self, it: lsp::DidCloseTextDocumentParams) {
        let uri = it.text_document.uri;
        let Some(path) = convert::path(&uri) else {
            return;
        };
        // Nothing is to be done when the thread is gone.
        let _ = self.worker.run(move |state| state.close(&path)).await;
        self.client.publish_diagnostics(uri, Vec::new(), None).await;
    }

    async fn hover(&self, it: lsp::HoverParams) -> Result<Option<lsp::Hover>> {
        Ok(self
            .at(it.text_document_position_params, |state, file, offset| {
                let hover = gsw_ide::hover(&state.db, file, offset)?;
                Some(lsp::Hover {
                    contents: lsp::HoverContents::Markup(lsp::MarkupContent {
                        kind: lsp::MarkupKind::Markdown,
                        value: hover.markdown,
                    }),
                    range: Some(convert::range(&state.db, file, hover.span)),
                })
            })
            .await)
    }

    async fn goto_definition(
        &self,
        it: lsp::GotoDefinitionParams,
    ) -> Result<Option<lsp::GotoDefinitionResponse>> {
        Ok(self
            .at(it.text_document_position_params, |state, file, offset| {
                let target = gsw_ide::definition(&state.db, file, offset)?;
                Some(lsp::GotoDefinitionResponse::Scalar(convert::location(
                    &state.db,
                    target.place,
                )?))
            })
            .await)
    }
}
