//! Work on many files that other cores may do first.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{Db, File};

/// As the compiler's own thread has, for trees of a thousand levels.
const STACK: usize = 64 << 20;

/// With fewer files a thread costs more than it saves.
const FILES_PER_THREAD: usize = 8;

/// Lets other cores ask for what is then asked for file by file: which core did what makes no difference to what is
/// found.
pub fn look_ahead(db: &dyn Db, files: &[File], ask: impl Fn(&dyn Db, File) + Sync) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    // This thread is one of them, so a small project starts none.
    let threads = cores.min(files.len() / FILES_PER_THREAD).max(1);
    if threads == 1 {
        return;
    }
    let next = AtomicUsize::new(0);
    let work = |db: &dyn Db| {
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            ask(db, *file);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            let fork = db.fork();
            let thread = std::thread::Builder::new().stack_size(STACK);
            // A thread that the system does not have leaves its part to the others; what panics there panics here as well.
            let _ = thread.spawn_scoped(scope, move || work(&fork));
        }
        work(db);
    });
}
