//! The launcher to which `gswc build` appends a program's image.

fn main() -> std::process::ExitCode {
    gsw_launcher::run()
}
