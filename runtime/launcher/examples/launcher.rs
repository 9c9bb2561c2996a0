//! The launcher alone, without the compiler around it: `gswc build --launcher …` takes it.

use std::process::ExitCode;

fn main() -> ExitCode {
    gsw_launcher::run()
}
