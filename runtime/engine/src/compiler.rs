//! The contract with a compiler that is there while a program runs: texts that models write become programs.
//!
//! The runtime knows no compiler. Whoever has one hands it over with the program ([`crate::load::Loaded::with_compiler`]).

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::load::Loaded;

/// So many programs are kept once they are compiled: each is asked for twice, by who performs the check and by the run.
const KEPT: usize = 16;
/// A text may have so many bytes: plans are short, and the time of a compiler grows with the text.
pub const LONGEST: usize = 64 << 10;

/// A program that a model has written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Written {
    pub source: String,
    /// What it may do at most: the permissions of the program that runs it, each with what it lists.
    pub permissions: Vec<(String, Vec<String>)>,
}

/// Compiles what models write.
pub trait Compiler: Send + Sync + std::fmt::Debug {
    /// The image of a program, always the same for the same text and permissions.
    ///
    /// # Errors
    /// What is wrong with it, as whoever wrote it is to read it.
    fn compile(&self, written: &Written) -> Result<Vec<u8>, String>;
}

/// The compiler of a program, and what it has compiled lately.
#[derive(Debug)]
pub struct Plans {
    compiler: Arc<dyn Compiler>,
    kept: Mutex<VecDeque<(Written, Arc<Loaded>)>>,
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
    pub fn load(&self, written: &Written) -> Result<Arc<Loaded>, String> {
        if written.source.len() > LONGEST {
            return Err(format!(
                "the program has {} bytes, and may have {LONGEST}",
                written.source.len()
            ));
        }
        if let Some((_, loaded)) = self.kept().iter().find(|it| it.0 == *written) {
            return Ok(Arc::clone(loaded));
        }
        let image = self.compiler.compile(written)?;
        let loaded = Loaded::from_bytes(&image).map_err(|refusal| refusal.to_string())?;
        // What it runs may write programs in turn.
        let loaded = Arc::new(loaded.with_compiler(Arc::clone(&self.compiler)));
        let mut kept = self.kept();
        if kept.len() == KEPT {
            kept.pop_front();
        }
        kept.push_back((written.clone(), Arc::clone(&loaded)));
        Ok(loaded)
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, VecDeque<(Written, Arc<Loaded>)>> {
        // Nothing that can panic runs while the lock is held.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
