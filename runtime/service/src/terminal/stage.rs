//! What writes on the terminal: the runs that are shown, or a person's form, for which they step aside.

use std::collections::VecDeque;
use std::io::stderr;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::say::{say, say_lines};
use crate::terminal::row::{Colors, Row};
use crate::terminal::screen::{Screen, Size};

/// The most lines that are kept while a form is shown; a guess at what a person still reads.
const KEPT: usize = 1_000;

/// How long a form waits for the output before it; a guess at when a terminal is stuck.
const PATIENCE: Duration = Duration::from_millis(500);

/// Standard error as all that write on it share it.
#[derive(Debug)]
pub struct Stage {
    state: Mutex<State>,
    announced: Condvar,
}

#[derive(Debug)]
struct State {
    screen: Screen,
    taken: Taken,
    /// Plain lines that wait until the form is closed.
    held: VecDeque<String>,
    /// How many found no room there.
    missed: usize,
    /// How many observers show output.
    observers: usize,
    /// The questions that these have come to, by their digests.
    announced: Vec<String>,
}

/// Whether a form is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Taken {
    Yes,
    No,
}

impl Stage {
    /// A terminal on which nothing is drawn yet.
    pub fn new(colors: Colors) -> Self {
        Self {
            state: Mutex::new(State {
                screen: Screen::new(colors),
                taken: Taken::No,
                held: VecDeque::new(),
                missed: 0,
                observers: 0,
                announced: Vec::new(),
            }),
            announced: Condvar::new(),
        }
    }

    /// Registers an observer that shows output and will announce questions.
    pub fn observe(&self) {
        self.lock().observers += 1;
    }

    /// Reports that all output before this question has been shown.
    pub fn announce(&self, digest: &str) {
        self.lock().announced.push(digest.to_owned());
        self.announced.notify_all();
    }

    /// Waits until the output before this question has been shown.
    pub fn await_announced(&self, digest: &str) {
        let is_ahead =
            |it: &mut State| it.observers > 0 && !it.announced.iter().any(|it| it == digest);
        let waited = self
            .announced
            .wait_timeout_while(self.lock(), PATIENCE, is_ahead);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
        let place = state.announced.iter().position(|it| it == digest);
        if let Some(place) = place {
            state.announced.swap_remove(place);
        }
    }

    /// A form is shown from now on: what is drawn goes away.
    pub fn take(&self) {
        let mut state = self.lock();
        state.taken = Taken::Yes;
        state.screen.clear(&mut stderr(), size());
    }

    /// Closes the form and prints the output that was held.
    pub fn give_back(&self) {
        let mut state = self.lock();
        state.taken = Taken::No;
        if state.missed > 0 {
            say(&format!("({} lines are not shown)", state.missed));
            state.missed = 0;
        }
        for line in state.held.drain(..) {
            say_lines(&line);
        }
    }

    /// Prints a line, after the form if one is shown.
    pub fn line(&self, line: String) {
        let mut state = self.lock();
        if state.taken == Taken::No {
            say_lines(&line);
            return;
        }
        if state.held.len() == KEPT {
            state.held.pop_front();
            state.missed += 1;
        }
        state.held.push_back(line);
    }

    /// Prints a text that a person has to read now in the place of what is drawn, after the form if one is shown.
    pub fn aside(&self, text: String) {
        let mut state = self.lock();
        if state.taken == Taken::No {
            state.screen.clear(&mut stderr(), size());
        }
        drop(state);
        self.line(text);
    }

    /// Prints rows permanently and draws what `rows` returns below; while a form is shown, nothing happens.
    pub fn draw(&self, above: &mut Vec<Row>, rows: impl FnOnce(Size) -> Vec<Row>) {
        let mut state = self.lock();
        if state.taken == Taken::Yes {
            let beyond = above.len().saturating_sub(KEPT);
            above.drain(..beyond);
            return;
        }
        let size = size();
        let rows = rows(size);
        state.screen.draw(&mut stderr(), size, above, &rows);
        above.clear();
    }

    /// What is drawn stays for good.
    pub fn keep(&self) {
        self.lock().screen.keep();
    }

    /// Takes the drawing away, unless an observer is about to draw; for a process that panics.
    pub fn clear_if_free(&self) {
        if let Ok(mut state) = self.state.try_lock() {
            state.screen.clear(&mut stderr(), size());
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // What a panic left half drawn is drawn over.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn size() -> Size {
    let known = terminal_size::terminal_size_of(stderr());
    known.map_or(
        Size {
            columns: 80,
            rows: 24,
        },
        |(columns, rows)| Size {
            columns: usize::from(columns.0),
            rows: usize::from(rows.0),
        },
    )
}
