//! `gswc man`

use std::path::Path;

use gsw_service::Exit;

use crate::report;

/// Writes a manual page for `gswc` and one for each of its commands.
pub fn man(folder: &Path, command: clap::Command) -> Exit {
    match clap_mangen::generate_to(command, folder) {
        Ok(()) => Exit::Done,
        Err(error) => {
            report::failure(&format!("cannot write to {}: {error}", folder.display()));
            Exit::Raised
        }
    }
}
