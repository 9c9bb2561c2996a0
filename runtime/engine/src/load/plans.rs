//! The contract with a compiler that is available while a program runs: texts that models write become programs.
//!
//! The runtime knows no compiler. A host that has one hands it over with the program ([`Loaded::with_compiler`]).

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gsw_abi::permission::Permitted;

use crate::load::Loaded;

/// The most compiled programs that are kept: each is asked for twice, by the performer of the check and by the run.
const KEPT: usize = 16;
/// A text may have this many bytes: plans are short, and the time of a compiler grows with the text.
pub const LONGEST: usize = 64 << 10;

/// Compiles what models write.
pub trait Compiler: Send + Sync + std::fmt::Debug {
    /// The image of a program, always the same for the same text and permissions.
    ///
    /// # Errors
    /// What is wrong with it, worded for its author.
    fn compile(&self, source: &str, permissions: &Permitted) -> Result<Vec<u8>, String>;
}

/// The compiler of a program, and what it has compiled lately.
#[derive(Debug)]
pub struct Plans {
    compiler: Arc<dyn Compiler>,
    kept: Mutex<VecDeque<Kept>>,
}

#[derive(Debug)]
struct Kept {
    source: String,
    permissions: Permitted,
    loaded: Arc<Loaded>,
}

impl Plans {
    #[must_use]
    pub fn new(compiler: Arc<dyn Compiler>) -> Self {
        Self {
            compiler,
            kept: Mutex::default(),
        }
    }

    /// The program that a text is.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn load(&self, source: &str, permissions: &Permitted) -> Result<Arc<Loaded>, String> {
        if source.len() > LONGEST {
            let length = source.len();
            return Err(format!(
                "the program has {length} bytes, and may have {LONGEST}"
            ));
        }
        let is_it = |it: &&Kept| it.source == source && it.permissions == *permissions;
        if let Some(known) = self.kept().iter().find(is_it) {
            return Ok(Arc::clone(&known.loaded));
        }
        let image = self.compiler.compile(source, permissions)?;
        let loaded = Loaded::from_bytes(&image).map_err(|refusal| refusal.to_string())?;
        // What it runs may write programs in turn.
        let loaded = Arc::new(loaded.with_compiler(Arc::clone(&self.compiler)));
        let mut kept = self.kept();
        if kept.len() == KEPT {
            kept.pop_front();
        }
        kept.push_back(Kept {
            source: source.to_owned(),
            permissions: permissions.clone(),
            loaded: Arc::clone(&loaded),
        });
        Ok(loaded)
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<Kept>> {
        // Nothing that can panic runs while the lock is held.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
