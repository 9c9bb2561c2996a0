//! `gswc lsp`

use gsw_service::Exit;

use crate::report;

/// Serves an editor until it says goodbye.
pub fn lsp() -> Exit {
    match gsw_server::serve() {
        Ok(()) => Exit::Done,
        Err(error) => {
            report::failure(&error);
            Exit::Internal
        }
    }
}
