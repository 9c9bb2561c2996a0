//! Tells Zed how to start the language server.

use zed_extension_api::{self as zed, LanguageServerId, Result, Worktree, settings::LspSettings};

struct Groundswell;

impl zed::Extension for Groundswell {
    fn new() -> Self {
        Self
    }

    fn language_server_command(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<zed::Command> {
        let settings = LspSettings::for_worktree(server.as_ref(), worktree)?;
        let path = settings.binary.and_then(|it| it.path);
        let command = path.or_else(|| worktree.which("gswc"));
        Ok(zed::Command {
            command: command.ok_or("gswc is not in PATH, and lsp.gswc.binary.path is not set")?,
            args: vec!["lsp".into()],
            env: worktree.shell_env(),
        })
    }

    fn language_server_initialization_options(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<zed::serde_json::Value>> {
        let settings = LspSettings::for_worktree(server.as_ref(), worktree)?;
        Ok(settings.initialization_options)
    }
}

zed::register_extension!(Groundswell);
