//! Replays a run: starts it with the recorded beginning, gives it the recorded outcomes in order, and finds what it waits for
//! then.
//!
//! An operation that was asked for and has no outcome is in one of three states, see [`Pending`]. Nothing is performed here.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Place;

use gsw_engine::operation::{GivenUp, Operation, OperationId, Outcome, Passing, Request};
use gsw_engine::run::{Abandoned, Finished, Interruption, Run, RunResult, Turn, Whose};
use gsw_journal::record::{Identity, UndoWish};
use gsw_notation::issue::Issue;

use crate::carrier::message::bring_outcome;
use crate::durable::asked::{self, Asked, LONG};
use crate::durable::noted::Noted;
use crate::overrun;

/// A record that a run is replayed with.
#[derive(Debug)]
pub(crate) enum Past {
    Intent {
        of: Identity,
        /// The question that it was, as text.
        asked: Option<String>,
    },
    NotDone(Identity),
    Outcome {
        of: Identity,
        now: i64,
        noted: Noted,
    },
    Cancel {
        now: i64,
        reason: String,
    },
    Interrupt(Interruption),
    /// Another life took it up.
    Resumed {
        now: i64,
    },
    Undo {
        now: i64,
        wish: UndoWish,
    },
    /// A marker, not a record: what comes before it was copied from the run that this one was forked from.
    Forked,
}

/// A run that has got all that was recorded for it.
pub(crate) enum Brought {
    /// It ended; only that had not been recorded.
    Ended(Box<Finished>),
    Waits {
        /// What has no outcome, in order of request.
        pending: Vec<Pending>,
        /// The runs that it has started.
        children: Vec<String>,
        /// The time of its last record.
        until: i64,
    },
}

/// An operation that has no outcome.
pub(crate) struct Pending {
    pub(crate) operation: Operation,
    pub(crate) asked: Asked,
    pub(crate) state: PendingState,
    /// The time of the run when it was asked for.
    pub(crate) since: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PendingState {
    /// It may be performed, possibly for a second time.
    MayBegin,
    /// It was about to begin, and must not happen twice.
    Intended,
    /// The run has given it up and waits for its end.
    GivenUp,
}

/// Replays the records of a run that has just been started.
///
/// # Errors
/// When it asks for something else than it did, with the first difference.
pub(crate) fn bring_back(run: &mut Run, past: Vec<Past>) -> Result<Brought, String> {
    bring_back_until(run, past, |_| false)
}

/// Like [`bring_back`], until `stops` returns true after a turn; it is given how many records the run had been given
/// before that turn. That it was interrupted belongs to the turn and not to what led to it.
///
/// # Errors
/// As for [`bring_back`].
pub(crate) fn bring_back_until(
    run: &mut Run,
    past: Vec<Past>,
    stops: impl FnMut(usize) -> bool,
) -> Result<Brought, String> {
    give(run, past, stops, &mut |_, _| {})
}

/// Like [`bring_back`]; `seen` is called with each operation when the run requests it.
///
/// # Errors
/// As for [`bring_back`].
pub(crate) fn bring_back_seen(
    run: &mut Run,
    past: Vec<Past>,
    seen: Seen<'_>,
) -> Result<Brought, String> {
    give(run, past, |_| false, seen)
}

/// Called with an operation that a run requests.
type Seen<'a> = &'a mut dyn FnMut(&Run, &Operation);

fn give(
    run: &mut Run,
    past: Vec<Past>,
    mut stops: impl FnMut(usize) -> bool,
    seen: Seen<'_>,
) -> Result<Brought, String> {
    let mut replay = Replay::of(run, past, seen);
    // How many interruptions were given of which nothing has come yet.
    let mut interruptions = 0;
    let mut interrupting = None;
    loop {
        // It was interrupted in the turn that follows now.
        if let Some(Past::Interrupt(it)) = replay.past.as_slice().first() {
            let computed = it.cancellation.now.saturating_sub(run.now());
            replay.give_next(run)?;
            interruptions = 1;
            interrupting = Some(overrun::interrupt_again(run.front(), computed));
        }
        let watched = overrun::watch_again(run.front());
        let turn = run.turn();
        drop(watched);
        // It is in the past already.
        run.take_interruption();
        match turn {
            Turn::Busy {
                operations,
                abandoned,
            } => {
                replay.take(run, operations, &abandoned);
                replay.give_begun(run)?;
                continue;
            }
            Turn::Blocked {
                operations,
                abandoned,
            } => {
                replay.take(run, operations, &abandoned);
                drop(interrupting.take());
                // It had not waited when it was interrupted.
                if let Some(cancellation) = run.front().take_due() {
                    run.cancel(&cancellation.reason, cancellation.now);
                    continue;
                }
            }
            // A node may begin in the last turn of all.
            Turn::Done(_) if stops(replay.given - interruptions) => return Ok(replay.waits(run)),
            Turn::Done(finished) => return ended(run, finished, replay.past),
        }
        if stops(replay.given - interruptions) {
            return Ok(replay.waits(run));
        }
        interruptions = 0;
        loop {
            match replay.give_next(run)? {
                Given::Silent => {}
                Given::Turn => break,
                Given::All => return Ok(replay.waits(run)),
            }
        }
    }
}

/// For so long nobody carried the run: clocks that run only while it is carried stood still. Says whether there were any.
pub(crate) fn stand_still(run: &mut Run, mut pending: Vec<&mut Pending>, gone: i64) -> bool {
    if gone <= 0 {
        return false;
    }
    let mut moved: BTreeMap<i64, i64> = BTreeMap::new();
    for it in &mut pending {
        if let Request::Sleep { nanoseconds } = it.operation.request
            && it.operation.passing == Passing::Carried
            // A run need not be carried while it waits for long, so that time passes as well.
            && nanoseconds < LONG
        {
            moved.extend(run.extend_clock(it.operation.id, gone));
            it.since = it.since.saturating_add(gone);
        }
    }
    for it in pending {
        if let Some(later) = it.operation.due.and_then(|it| moved.get(&it)) {
            it.operation.due = Some(*later);
            it.asked.due = Some(*later);
        }
    }
    !moved.is_empty()
}

/// Lets the sleeps of a run that was brought back end when they are to. One whose end is past has less than nothing left.
pub(crate) fn pass_time(pending: &mut [Pending], now: i64) {
    for it in pending {
        if let Request::Sleep { nanoseconds } = &mut it.operation.request
            && *nanoseconds > 0
        {
            // Never longer than it was to be, however the clock was set meanwhile.
            let left = it.since.saturating_add(*nanoseconds).saturating_sub(now);
            // Nothing left would be a sleep that asked for nothing, whose end has no time.
            *nanoseconds = if left == 0 {
                -1
            } else {
                left.min(*nanoseconds)
            };
        }
    }
}

/// What a run has come to that has ended: all of its past must have been given to it.
fn ended(
    run: &Run,
    finished: Box<Finished>,
    mut left: impl Iterator<Item = Past>,
) -> Result<Brought, String> {
    match left.find(|it| !matches!(it, Past::Forked)) {
        None => Ok(Brought::Ended(finished)),
        Some(next) => {
            let both = format!(
                "recorded: {}; now: {}",
                said_of(&next),
                said_of_end(&finished.result)
            );
            Err(run.shown_summary(&both))
        }
    }
}

struct Replay<'a> {
    pending: BTreeMap<OperationId, Pending>,
    children: Vec<String>,
    past: std::vec::IntoIter<Past>,
    /// How many records the run has been given.
    given: usize,
    /// When another life last took it up.
    resumed: i64,
    /// From here on only `defer`s ask for something. What they show of the turn that was interrupted may be another, since where
    /// in it that was is not known: it is as if the run had been told a little earlier. What came of it counts all the same.
    is_interrupted: bool,
    seen: Seen<'a>,
}

/// What a run was given of its past.
enum Given {
    /// Something that it need not continue for.
    Silent,
    /// Something that it takes in its next turn.
    Turn,
    /// The whole journal has been replayed.
    All,
}

impl<'a> Replay<'a> {
    fn of(run: &mut Run, past: Vec<Past>, seen: Seen<'a>) -> Self {
        if past.iter().any(|it| matches!(it, Past::Forked)) {
            run.undos_are(Whose::Source);
        }
        let wishes = past.iter().filter(|it| matches!(it, Past::Undo { .. }));
        run.expect_undo_wishes(wishes.count());
        Self {
            pending: BTreeMap::new(),
            children: Vec::new(),
            resumed: i64::MIN,
            is_interrupted: false,
            past: past.into_iter(),
            given: 0,
            seen,
        }
    }

    /// Gives the run its next record.
    fn give_next(&mut self, run: &mut Run) -> Result<Given, String> {
        let Some(next) = self.past.next() else {
            return Ok(Given::All);
        };
        self.given += usize::from(!matches!(next, Past::Forked));
        match next {
            // After the turn that follows the last of these: what it registers is about them.
            Past::Forked => {
                run.undos_are(Whose::Own);
                return Ok(Given::Silent);
            }
            Past::Intent { of, asked } => {
                self.intend(run, of, asked.as_deref())?;
                return Ok(Given::Silent);
            }
            Past::NotDone(of) => {
                self.not_done(run, of)?;
                return Ok(Given::Silent);
            }
            Past::Resumed { now } => {
                let gone = now.saturating_sub(self.until(run));
                let pending: Vec<&mut Pending> = self.pending.values_mut().collect();
                stand_still(run, pending, gone);
                self.resumed = now;
                return Ok(Given::Silent);
            }
            Past::Outcome { of, now, noted } => self.complete(run, of, now, noted)?,
            Past::Cancel { now, reason } => run.cancel(&reason, now),
            Past::Interrupt(it) => {
                self.is_interrupted = true;
                run.interrupt_again(it);
            }
            Past::Undo { now, wish } => run.undo_again(wish_of(wish), now),
        }
        Ok(Given::Turn)
    }

    /// Gives the run what was noted when its operations began: after a turn that was busy that comes before the next turn, which
    /// may be the one that was interrupted.
    fn give_begun(&mut self, run: &mut Run) -> Result<(), String> {
        while let Some(Past::Intent { of, .. } | Past::NotDone(of)) = self.past.as_slice().first()
            && self.pending.contains_key(&OperationId(of.operation))
        {
            self.give_next(run)?;
        }
        Ok(())
    }

    fn take(&mut self, run: &Run, operations: Vec<Operation>, abandoned: &[Abandoned]) {
        for Abandoned { id, how } in abandoned {
            match (self.pending.entry(*id), how) {
                (Place::Occupied(place), GivenUp::Dropped) => {
                    place.remove();
                }
                (Place::Occupied(mut place), GivenUp::AwaitedFirst) => {
                    place.get_mut().state = PendingState::GivenUp;
                }
                (Place::Vacant(_), _) => {}
            }
        }
        for operation in operations {
            (self.seen)(run, &operation);
            let pending = Pending {
                asked: Asked::of(&operation),
                state: PendingState::MayBegin,
                since: run.now(),
                operation,
            };
            self.pending.insert(pending.operation.id, pending);
        }
    }

    /// `asked` or a later record may describe what was about to begin.
    fn intend(&mut self, run: &Run, of: Identity, asked: Option<&str>) -> Result<(), String> {
        let id = OperationId(of.operation);
        match self.pending.get_mut(&id) {
            Some(pending) if pending.asked.of == of || self.is_interrupted => {
                // A question may be asked as often as there is no answer.
                let is_question = pending.operation.request.question().is_some();
                pending.asked.is_intended = is_question;
                if pending.state == PendingState::MayBegin && !is_question {
                    pending.state = PendingState::Intended;
                }
                Ok(())
            }
            Some(_) | None => {
                let what = self.past.as_slice().iter().find_map(|it| match it {
                    Past::Outcome { of: it, noted, .. } if *it == of => Some(&*noted.what),
                    Past::Outcome { .. }
                    | Past::Intent { .. }
                    | Past::NotDone(_)
                    | Past::Cancel { .. }
                    | Past::Interrupt(_)
                    | Past::Resumed { .. }
                    | Past::Undo { .. }
                    | Past::Forked => None,
                });
                let unsaid = "something that must not happen twice";
                Err(self.difference(run, asked.or(what).unwrap_or(unsaid), of))
            }
        }
    }

    fn not_done(&mut self, run: &Run, of: Identity) -> Result<(), String> {
        match self.pending.get_mut(&OperationId(of.operation)) {
            Some(pending) if pending.asked.of == of || self.is_interrupted => {
                if pending.state == PendingState::Intended {
                    pending.state = PendingState::MayBegin;
                }
                Ok(())
            }
            Some(_) | None => Err(self.difference(run, "something that was not done", of)),
        }
    }

    fn complete(
        &mut self,
        run: &mut Run,
        of: Identity,
        now: i64,
        noted: Noted,
    ) -> Result<(), String> {
        let id = OperationId(of.operation);
        match self.pending.get(&id) {
            Some(pending) if pending.asked.of == of => {}
            Some(pending)
                if self.is_interrupted && acts_alike(&pending.asked.what, &noted.what) => {}
            Some(_) | None => return Err(self.difference(run, &noted.what, of)),
        }
        let pending = self.pending.remove(&id);
        let what = noted.what.clone();
        let Some(outcome) = noted.outcome() else {
            let what = run.shown_summary(&what);
            return Err(format!(
                "recorded: {what}, with an outcome that this version of Groundswell cannot read"
            ));
        };
        if let (Some(pending), Outcome::Text(child) | Outcome::Earlier { run: child, .. }) =
            (pending, &outcome)
            && let Request::StartRun { .. } = pending.operation.request
        {
            self.children.push(child.clone());
        }
        bring_outcome(run, id, outcome, now);
        Ok(())
    }

    fn difference(&self, run: &Run, recorded: &str, of: Identity) -> String {
        let number = of.operation;
        let shown = |words: &str| run.shown_summary(words);
        let now = match self.pending.get(&OperationId(number)) {
            Some(pending) if pending.asked.what == recorded => format!(
                "{}, at another place or with other contents; what is only renamed is known again by `@was`",
                shown(recorded)
            ),
            Some(pending) => match asked::question(&pending.operation, pending.since) {
                Some(question) if asked::words_of(&question) == recorded => format!(
                    "{}, at another place, about other data or for an answer of another type",
                    shown(recorded)
                ),
                Some(question) => shown(&asked::words_of(&question)),
                None => shown(&pending.asked.what),
            },
            None => match self.pending.values().next_back() {
                Some(last) => format!(
                    "no such operation; the last one is number {}: {}",
                    last.asked.of.operation,
                    shown(&last.asked.what)
                ),
                None => "no such operation".to_owned(),
            },
        };
        let recorded = shown(recorded);
        format!("operation {number}\n  recorded: {recorded}\n  now:      {now}")
    }

    /// The time of the last record that it was given.
    fn until(&self, run: &Run) -> i64 {
        self.resumed.max(run.now())
    }

    fn waits(self, run: &Run) -> Brought {
        Brought::Waits {
            until: self.until(run),
            pending: self.pending.into_values().collect(),
            children: self.children,
        }
    }
}

/// Whether two operations, in a few words each, do the same with other data.
fn acts_alike(one: &str, other: &str) -> bool {
    let name = |it: &str| it.split([' ', '(']).next().map(str::to_owned);
    // The others say in words what they bring, as `the time`.
    let is_named = |it: &str| !it.starts_with("a ") && !it.starts_with("the ");
    one == other || (is_named(one) && name(one) == name(other))
}

fn said_of_end(result: &RunResult) -> String {
    match result {
        RunResult::InvalidInput(issues) => {
            let said = |it: &Issue| {
                let parameter = it.path.strip_prefix("$.").unwrap_or(&it.path);
                format!(
                    "`{parameter}`: expected {}, found {}",
                    it.expected, it.found
                )
            };
            let issues: Vec<String> = issues.iter().map(said).collect();
            format!(
                "the input that the run began with does not fit: {}",
                issues.join("; ")
            )
        }
        RunResult::Raised(error) => {
            format!("the run has ended: {}: {}", error.error, error.message)
        }
        RunResult::Value(_)
        | RunResult::Cancelled
        | RunResult::Internal(_)
        | RunResult::Left(_) => "the run has ended".to_owned(),
    }
}

fn said_of(past: &Past) -> String {
    match past {
        Past::Intent { of, asked } => match asked {
            Some(asked) => format!("operation {}: {asked}", of.operation),
            None => format!("operation {} was about to begin", of.operation),
        },
        Past::NotDone(of) => format!("operation {} was not done", of.operation),
        Past::Outcome { of, noted, .. } => {
            format!("an outcome of operation {}: {}", of.operation, noted.what)
        }
        Past::Cancel { .. } | Past::Interrupt(_) => "the run was cancelled".to_owned(),
        Past::Resumed { .. } => "it was taken up again".to_owned(),
        Past::Undo { .. } => "what could not be taken back was to be tried again".to_owned(),
        Past::Forked => "it was forked".to_owned(),
    }
}

fn wish_of(wish: UndoWish) -> gsw_engine::run::UndoWish {
    use gsw_engine::run::UndoWish as Wish;
    match wish {
        UndoWish::Failed => Wish::Failed,
        UndoWish::Again(number) => Wish::Again(number),
        UndoWish::Done(number) => Wish::Done(number),
    }
}
