//! The language server alone, without the rest of `gswc`: quick to build for `tests/bench/editor.py`.

fn main() -> std::io::Result<()> {
    gsw_server::serve(std::sync::Arc::new(gsw_server::NoRuntime)).map(drop)
}
