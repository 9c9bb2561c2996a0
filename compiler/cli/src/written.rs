//! The compiler, as a running program has it: what its models write becomes programs.

use std::sync::Arc;

use gsw_abi::permission::Permitted;
use gsw_engine::load::plans::Compiler;

#[derive(Debug)]
struct OwnCompiler;

impl Compiler for OwnCompiler {
    fn compile(&self, source: &str, permissions: &Permitted) -> Result<Vec<u8>, String> {
        gsw_written::image(source, permissions)
    }
}

/// The compiler of this executable.
#[must_use]
pub fn compiler() -> Arc<dyn Compiler> {
    Arc::new(OwnCompiler)
}
