//! The language server alone, without the rest of `gswc`: quick to build for `tests/bench/editor.py`.

/// As in `gswc`, so that it is as fast and takes as much memory.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::io::Result<()> {
    gsw_server::serve(std::sync::Arc::new(gsw_server::NoRuntime)).map(drop)
}
