//! What the server can do, and what it learns from the client's side of the agreement.

use tower_lsp::ls_types as lsp;

use crate::actions::APPLY;
use crate::addresses::path;
use crate::markup::Format;
use crate::position::Encoding;
use crate::semantic_tokens::legend;
use crate::state::{Ability, Hints, Refresh, Reporting, Settings, Shown, Support};

/// What is agreed with a client that says this of itself.
pub fn settings(client: &lsp::InitializeParams) -> Settings {
    let general = client.capabilities.general.as_ref();
    let document = client.capabilities.text_document.as_ref();
    let offered = general.and_then(|it| it.position_encodings.as_ref());
    let folders = client.workspace_folders.iter().flatten();
    #[expect(deprecated, reason = "older clients send nothing else")]
    let root = client.root_uri.as_ref().and_then(path);
    let mut folders: Vec<_> = folders.filter_map(|it| path(&it.uri)).collect();
    if folders.is_empty() {
        folders.extend(root);
    }
    let hints = client.initialization_options.as_ref().map(wanted_hints);
    Settings {
        encoding: Encoding::agreed(offered),
        folders,
        reporting: match document.and_then(|it| it.diagnostic.as_ref()) {
            Some(_) => Reporting::Pull,
            None => Reporting::Push,
        },
        hints: hints.unwrap_or_default(),
        support: support(&client.capabilities),
    }
}

/// What a client can do.
fn support(client: &lsp::ClientCapabilities) -> Support {
    let document = client.text_document.as_ref();
    let workspace = client.workspace.as_ref();
    let completion = document.and_then(|it| it.completion.as_ref());
    let item = completion.and_then(|it| it.completion_item.as_ref());
    let signatures = document
        .and_then(|it| it.signature_help.as_ref())
        .and_then(|it| it.signature_information.as_ref());
    let hover = document.and_then(|it| it.hover.as_ref());
    let symbols = document.and_then(|it| it.document_symbol.as_ref());
    let watched = workspace.and_then(|it| it.did_change_watched_files);
    let actions = document.and_then(|it| it.code_action.as_ref());
    let window = client.window.as_ref();
    Support {
        snippets: item.and_then(|it| it.snippet_support).into(),
        hovers: Format::agreed(hover.and_then(|it| it.content_format.as_ref())),
        docs: Format::agreed(item.and_then(|it| it.documentation_format.as_ref())),
        signatures: Format::agreed(signatures.and_then(|it| it.documentation_format.as_ref())),
        // Clients that say nothing have always been sent them.
        nested_symbols: symbols
            .and_then(|it| it.hierarchical_document_symbol_support)
            .or(Some(symbols.is_none()))
            .into(),
        replacing: item.and_then(|it| it.insert_replace_support).into(),
        watching: watched.and_then(|it| it.dynamic_registration).into(),
        refresh: workspace.map(refresh).unwrap_or_default(),
        configuration: workspace.and_then(|it| it.configuration).into(),
        versioned_edits: workspace
            .and_then(|it| it.workspace_edit.as_ref()?.document_changes)
            .into(),
        renaming: workspace.and_then(renames_files).into(),
        progress: window.and_then(|it| it.work_done_progress).into(),
        // Clients that say nothing have always been sent them.
        action_literals: Some(actions.is_none_or(|it| it.code_action_literal_support.is_some()))
            .into(),
    }
}

fn refresh(workspace: &lsp::WorkspaceClientCapabilities) -> Refresh {
    let diagnostics = workspace.diagnostics.as_ref();
    let hints = workspace.inlay_hint.as_ref();
    let tokens = workspace.semantic_tokens.as_ref();
    let lenses = workspace.code_lens.as_ref();
    Refresh {
        diagnostics: diagnostics.and_then(|it| it.refresh_support).into(),
        hints: hints.and_then(|it| it.refresh_support).into(),
        tokens: tokens.and_then(|it| it.refresh_support).into(),
        lenses: lenses.and_then(|it| it.refresh_support).into(),
    }
}

fn renames_files(workspace: &lsp::WorkspaceClientCapabilities) -> Option<bool> {
    let edits = workspace.workspace_edit.as_ref()?;
    let operations = edits.resource_operations.as_ref()?;
    let renames = operations.contains(&lsp::ResourceOperationKind::Rename);
    Some(renames && edits.document_changes?)
}

/// `{"inlayHints": {"types": true, "parameters": true, "errors": true, "calls": true}}`, alone or under `gsw`; hints that are not
/// named are shown.
pub fn wanted_hints(said: &serde_json::Value) -> Hints {
    let own = said.get("gsw").unwrap_or(said);
    let table = own.get("inlayHints");
    let shown = |name: &str| match table.and_then(|it| it.get(name)?.as_bool()) {
        Some(false) => Shown::No,
        Some(true) | None => Shown::Yes,
    };
    Hints {
        types: shown("types"),
        parameters: shown("parameters"),
        errors: shown("errors"),
        calls: shown("calls"),
    }
}

#[expect(
    clippy::too_many_lines,
    reason = "one line a capability: the list is what an editor reads"
)]
pub fn capabilities(settings: &Settings) -> lsp::ServerCapabilities {
    lsp::ServerCapabilities {
        position_encoding: Some(settings.encoding.kind()),
        text_document_sync: Some(lsp::TextDocumentSyncCapability::Options(
            lsp::TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(lsp::TextDocumentSyncKind::INCREMENTAL),
                save: Some(lsp::TextDocumentSyncSaveOptions::Supported(true)),
                ..lsp::TextDocumentSyncOptions::default()
            },
        )),
        diagnostic_provider: match settings.reporting {
            Reporting::Push => None,
            Reporting::Pull => Some(lsp::DiagnosticServerCapabilities::Options(
                lsp::DiagnosticOptions {
                    identifier: Some("gswc".into()),
                    inter_file_dependencies: true,
                    workspace_diagnostics: true,
                    ..lsp::DiagnosticOptions::default()
                },
            )),
        },
        hover_provider: Some(lsp::HoverProviderCapability::Simple(true)),
        definition_provider: Some(lsp::OneOf::Left(true)),
        declaration_provider: Some(lsp::DeclarationCapability::Simple(true)),
        type_definition_provider: Some(lsp::TypeDefinitionProviderCapability::Simple(true)),
        implementation_provider: Some(lsp::ImplementationProviderCapability::Simple(true)),
        references_provider: Some(lsp::OneOf::Left(true)),
        document_highlight_provider: Some(lsp::OneOf::Left(true)),
        document_symbol_provider: Some(lsp::OneOf::Left(true)),
        workspace_symbol_provider: Some(lsp::OneOf::Left(true)),
        rename_provider: Some(lsp::OneOf::Right(lsp::RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: lsp::WorkDoneProgressOptions::default(),
        })),
        linked_editing_range_provider: Some(lsp::LinkedEditingRangeServerCapabilities::Simple(
            true,
        )),
        document_formatting_provider: Some(lsp::OneOf::Left(true)),
        document_range_formatting_provider: Some(lsp::OneOf::Left(true)),
        document_on_type_formatting_provider: Some(lsp::DocumentOnTypeFormattingOptions {
            first_trigger_character: "}".into(),
            more_trigger_character: None,
        }),
        folding_range_provider: Some(lsp::FoldingRangeProviderCapability::Simple(true)),
        selection_range_provider: Some(lsp::SelectionRangeProviderCapability::Simple(true)),
        document_link_provider: Some(lsp::DocumentLinkOptions {
            resolve_provider: Some(false),
            work_done_progress_options: lsp::WorkDoneProgressOptions::default(),
        }),
        code_lens_provider: Some(lsp::CodeLensOptions {
            resolve_provider: Some(false),
        }),
        call_hierarchy_provider: Some(lsp::CallHierarchyServerCapability::Simple(true)),
        code_action_provider: Some(lsp::CodeActionProviderCapability::Options(
            lsp::CodeActionOptions {
                code_action_kinds: Some(vec![
                    lsp::CodeActionKind::QUICKFIX,
                    lsp::CodeActionKind::SOURCE_FIX_ALL,
                    lsp::CodeActionKind::SOURCE_ORGANIZE_IMPORTS,
                    lsp::CodeActionKind::REFACTOR_EXTRACT,
                    lsp::CodeActionKind::REFACTOR_INLINE,
                    lsp::CodeActionKind::REFACTOR_REWRITE,
                ]),
                ..lsp::CodeActionOptions::default()
            },
        )),
        execute_command_provider: match settings.support.action_literals {
            Ability::Present => None,
            Ability::Lacking => Some(lsp::ExecuteCommandOptions {
                commands: vec![APPLY.into()],
                ..lsp::ExecuteCommandOptions::default()
            }),
        },
        completion_provider: Some(lsp::CompletionOptions {
            resolve_provider: Some(true),
            trigger_characters: Some([".", "\"", "/", "@"].map(Into::into).into()),
            ..lsp::CompletionOptions::default()
        }),
        signature_help_provider: Some(lsp::SignatureHelpOptions {
            trigger_characters: Some(["(", ","].map(Into::into).into()),
            retrigger_characters: None,
            work_done_progress_options: lsp::WorkDoneProgressOptions::default(),
        }),
        semantic_tokens_provider: Some(
            lsp::SemanticTokensServerCapabilities::SemanticTokensOptions(
                lsp::SemanticTokensOptions {
                    legend: legend(),
                    range: Some(true),
                    full: Some(lsp::SemanticTokensFullOptions::Delta { delta: Some(true) }),
                    ..lsp::SemanticTokensOptions::default()
                },
            ),
        ),
        inlay_hint_provider: Some(lsp::OneOf::Right(
            lsp::InlayHintServerCapabilities::Options(lsp::InlayHintOptions {
                resolve_provider: Some(true),
                ..lsp::InlayHintOptions::default()
            }),
        )),
        inline_value_provider: Some(lsp::OneOf::Left(true)),
        workspace: Some(lsp::WorkspaceServerCapabilities {
            workspace_folders: Some(lsp::WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(lsp::OneOf::Left(true)),
            }),
            file_operations: Some(file_operations()),
        }),
        ..lsp::ServerCapabilities::default()
    }
}

/// The renames of which the server wants to know beforehand: of sources and cassettes, and of folders that may hold some.
fn file_operations() -> lsp::WorkspaceFileOperationsServerCapabilities {
    let filter = |glob: &str, matches| lsp::FileOperationFilter {
        scheme: Some("file".into()),
        pattern: lsp::FileOperationPattern {
            glob: glob.into(),
            matches: Some(matches),
            options: None,
        },
    };
    let filters = vec![
        filter("**/*.gsw", lsp::FileOperationPatternKind::File),
        filter("**/*.jsonl", lsp::FileOperationPatternKind::File),
        filter("**", lsp::FileOperationPatternKind::Folder),
    ];
    lsp::WorkspaceFileOperationsServerCapabilities {
        will_rename: Some(lsp::FileOperationRegistrationOptions { filters }),
        ..lsp::WorkspaceFileOperationsServerCapabilities::default()
    }
}
