//! The file that `gswc build` puts a program's image behind.

fn main() -> std::process::ExitCode {
    gsw_launcher::run()
}
