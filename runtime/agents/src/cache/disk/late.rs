//! Writes that arrive while another process holds the write lock: queued, and done in order once it is released.
//!
//! A thread of its own does them, which is there only while there are some. What cannot be written for long is given up: that
//! costs the next one who wants it a request, and a claim of this process ends with it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gsw_engine::answers::KeptAnswer;
use rusqlite::{Connection, TransactionBehavior};

use super::{Inside, Open, digest, is_busy, make_room, nanoseconds};

/// How often it is tried.
const STEP: Duration = Duration::from_millis(10);
/// When what waits is given up.
const MOST: Duration = Duration::from_secs(30);
/// How many writes may wait.
const MOST_WRITES: usize = 1_000;

/// What is to be written.
#[derive(Debug)]
pub(super) enum Write {
    Keep(Box<KeptAnswer>),
    LetGo(String),
}

/// Writes that are queued for the writing thread.
#[derive(Debug, Default)]
pub(super) struct Late {
    writes: VecDeque<Write>,
    has_thread: bool,
}

impl Late {
    pub(super) fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }
}

/// Writes as soon as no other process does.
pub(super) fn later(open: &Arc<Open>, inside: &mut Inside, write: Write) {
    let late = &mut inside.late;
    if late.writes.len() < MOST_WRITES {
        late.writes.push_back(write);
    }
    if late.has_thread {
        return;
    }
    let open = Arc::clone(open);
    let thread = std::thread::Builder::new().name("cache".into());
    // Where there can be no thread, the next write and the end of the process try again.
    late.has_thread = thread.spawn(move || finish(&open, MOST)).is_ok();
}

/// Writes all that waits, as far as that is possible in this time.
pub(super) fn finish(open: &Open, most: Duration) {
    let begin = Instant::now();
    loop {
        {
            let mut inside = open.inside();
            let inside = &mut *inside;
            let is_done = try_all(open, inside);
            if is_done || begin.elapsed() >= most {
                inside.late = Late::default();
                return;
            }
        }
        std::thread::sleep(STEP);
    }
}

/// Whether nothing waits any more.
fn try_all(open: &Open, inside: &mut Inside) -> bool {
    // The lock of the process is held, so this must not wait.
    if inside.connection.busy_timeout(Duration::ZERO).is_err() {
        return true;
    }
    while let Some(write) = inside.late.writes.front() {
        match write.write_to(open, &mut inside.connection) {
            Err(error) if is_busy(&error) => return false,
            // The next use of the file finds out what is wrong with it.
            Ok(()) | Err(_) => inside.late.writes.pop_front(),
        };
    }
    true
}

impl Write {
    pub(super) fn write_to(
        &self,
        open: &Open,
        connection: &mut Connection,
    ) -> rusqlite::Result<()> {
        match self {
            Self::Keep(answer) => keep(open, connection, answer),
            Self::LetGo(key) => {
                let mut delete = connection
                    .prepare_cached("DELETE FROM claims WHERE key = ?1 AND owner = ?2")?;
                delete.execute((key, open.owner.name())).map(drop)
            }
        }
    }
}

fn keep(open: &Open, connection: &mut Connection, answer: &KeptAnswer) -> rusqlite::Result<()> {
    let size = i64::try_from(answer.text.len()).unwrap_or(i64::MAX);
    if size > open.bounds.bytes {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let at = nanoseconds(answer.at);
    let expires = nanoseconds(answer.at.saturating_add(answer.ttl));
    transaction
        .prepare_cached("DELETE FROM answers WHERE key = ?1")?
        .execute([&answer.key])?;
    make_room(&transaction, open.bounds, size, at)?;
    transaction
        .prepare_cached(
            "INSERT INTO answers (key, owner, prompt, model, text, digest, kept, expires, used)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?7)",
        )?
        .execute((
            &answer.key,
            &answer.owner,
            &answer.prompt,
            &answer.model,
            &answer.text,
            digest(&answer.key, &answer.text),
            at,
            expires,
        ))?;
    transaction.commit()
}
