//! `gswc lsp`

use gsw_service::Exit;

/// Serves an editor until it says goodbye.
pub fn lsp() -> Exit {
    match gsw_server::serve() {
        Ok(()) => Exit::Done,
        Err(error) => {
            eprintln!("gswc: {error}");
            Exit::Internal
        }
    }
}
