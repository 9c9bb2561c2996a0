//! The compiler, as a running program has it: what its models write becomes programs.

use std::sync::Arc;

use gsw_engine::compiler::{Compiler, Written};

#[derive(Debug)]
struct OwnCompiler;

impl Compiler for OwnCompiler {
    fn compile(&self, written: &Written) -> Result<Vec<u8>, String> {
        gsw_written::image(&written.source, &written.permissions)
    }
}

/// The compiler of this executable.
#[must_use]
pub fn compiler() -> Arc<dyn Compiler> {
    Arc::new(OwnCompiler)
}
