//! Work on many files that other cores may do first.

use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon_core::{ThreadPool, ThreadPoolBuilder};

use crate::{Db, File};

/// As the compiler's own thread has, for trees of a thousand levels.
const STACK: usize = 64 << 20;

/// With fewer files a thread costs more than it saves.
const FILES_PER_THREAD: usize = 8;

/// Lets other cores ask for what is then asked for file by file: which core did what makes no difference to what is
/// found. A core that is told to stop asks for no further file. For how many files, from the first, was asked.
pub fn look_ahead(
    db: &dyn Db,
    files: &[File],
    ask: impl Fn(&dyn Db, File) -> ControlFlow<()> + Sync,
) -> usize {
    let others = others().filter(|_| files.len() >= 2 * FILES_PER_THREAD);
    let Some(others) = others else {
        return 0;
    };
    let next = AtomicUsize::new(0);
    let work = |db: &dyn Db| {
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            if ask(db, *file).is_break() {
                return;
            }
        }
    };
    let work = &work;
    // What panics there panics here as well.
    others.in_place_scope(|scope| {
        for _ in 0..others
            .current_num_threads()
            .min(files.len() / FILES_PER_THREAD - 1)
        {
            let fork = db.fork();
            scope.spawn(move |_| work(&fork));
        }
        work(db);
    });
    next.into_inner().min(files.len())
}

/// A thread for each of the other cores. They stay for as long as the process lives, so that a language server, which looks
/// ahead again and again, uses the memory again that they have freed. None where there is one core, or the system has no threads.
fn others() -> Option<&'static ThreadPool> {
    static OTHERS: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let made = OTHERS.get_or_init(|| {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = ThreadPoolBuilder::new().stack_size(STACK);
        match cores {
            1 => None,
            _ => threads.num_threads(cores - 1).build().ok(),
        }
    });
    made.as_ref()
}
