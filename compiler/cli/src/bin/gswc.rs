//! The compiler; also the program itself when an image is appended to it, which is how it serves as a launcher.

/// The cores that check a program at once do not wait for one another here, and it asks the system for large pages.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    gsw_launcher::run_if_bundled(Some(gswc::compiler())).unwrap_or_else(gswc::main)
}
