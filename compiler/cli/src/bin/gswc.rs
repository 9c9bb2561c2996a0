//! The compiler.

fn main() -> std::process::ExitCode {
    gswc::main()
}
