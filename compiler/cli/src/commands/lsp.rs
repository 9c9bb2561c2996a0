//! `gswc lsp`

use gsw_service::Exit;

use crate::report;

/// Serves an editor until it closes the connection.
pub fn lsp() -> Exit {
    match gsw_server::serve() {
        Ok(()) => Exit::Done,
        Err(error) => {
            report::failure(&error);
            Exit::Internal
        }
    }
}
