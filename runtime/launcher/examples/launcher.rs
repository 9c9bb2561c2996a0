//! The launcher alone, without the compiler around it and with the allocator of the system, which valgrind watches:
//! `gswc build --launcher …` takes it.

use std::process::ExitCode;

fn main() -> ExitCode {
    gsw_launcher::run()
}
