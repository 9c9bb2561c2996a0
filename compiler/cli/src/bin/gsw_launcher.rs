//! The launcher to which `gswc build` appends a program's image.

/// What the thread of the network makes the run frees, and the other way round; here neither waits for the other.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    gsw_launcher::run()
}
