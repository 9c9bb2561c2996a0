//! `gswc completions`

use clap_complete::Shell;
use gsw_service::Exit;

use crate::report;

/// Prints the script by which a shell completes the words of `gswc`.
pub fn completions(shell: Shell, mut command: clap::Command) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "gswc", &mut script);
    report::output(&String::from_utf8_lossy(&script))
}
