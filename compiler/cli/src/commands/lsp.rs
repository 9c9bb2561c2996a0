//! `gswc lsp`

use gsw_server::Ending;
use gsw_service::Exit;

use crate::report;

/// Serves an editor until it closes the connection.
pub fn lsp() -> Exit {
    match gsw_server::serve() {
        Ok(Ending::Regular) => Exit::Done,
        // What the protocol asks for.
        Ok(Ending::Abrupt) => Exit::Raised,
        Err(error) => {
            report::failure(&error);
            Exit::Internal
        }
    }
}
