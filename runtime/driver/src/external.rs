//! Answers from outside: what the runs of an engine wait for, and answers that are earlier than their question.
//!
//! **Invariants.** An answer is taken by one question and a question takes one answer, whoever races: both happen under one
//! lock. An answer that does not fit changes nothing. What waits in the memory of an engine here is a row of a store in one
//! that has a store.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use gsw_abi::types::TypeId;
use gsw_engine::external::External;
use gsw_engine::human::Reply;
use gsw_engine::operation::Outcome;
use gsw_notation::calendar::to_the_second;
use gsw_notation::issue::Issue;
use indexmap::IndexMap;

use crate::work::{Abandoned, Completion};

/// An answer that is earlier than its question is kept this long: seven days, in nanoseconds.
const KEPT_FOR: i64 = 7 * 24 * 3_600 * 1_000_000_000;
/// This many early answers are kept. A guess, against senders that make up keys; what comes beyond is refused and not dropped.
const MOST_KEPT: usize = 10_000;
/// The most delivered answers that are remembered, the latest ones, so that a second answer is told about the first.
const MOST_REMEMBERED: usize = 10_000;

/// Which question an answer is for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Address {
    /// The `external` of this name that this run waits for.
    Name { run: Arc<str>, name: Arc<str> },
    /// What this operation of a run that is recorded asks.
    Operation { run: Arc<str>, operation: u64 },
    /// Whatever waits, or will wait, under this key.
    Key(Arc<str>),
}

/// What happened to an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Taken {
    /// A run continues with it.
    Delivered { run: Arc<str>, name: String },
    /// No question with its key has been asked yet.
    Kept,
}

/// Why an answer was not taken. Nothing has changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotTaken {
    /// There is no run of this id, or it is no longer known.
    NoRun { run: Arc<str> },
    /// The run has ended.
    Over { run: Arc<str> },
    /// The run does not wait for this; `waits_for` is what it does wait for.
    NotAsked {
        run: Arc<str>,
        name: Arc<str>,
        waits_for: Vec<String>,
    },
    /// The run waits for several of this name; `keys` tell them apart.
    Several {
        run: Arc<str>,
        name: Arc<str>,
        keys: Vec<String>,
    },
    /// It was answered, or an early answer is kept, since this time in nanoseconds since 1970.
    Again { first: First },
    /// The answer does not fit the type.
    Unfit { name: String, issues: Vec<Issue> },
    /// The question is closed, and nothing has asked by its key again, where it was found by that.
    Closed { why: String, key: Option<Arc<str>> },
    /// It was due by this time, in nanoseconds since 1970.
    Late { name: String, due: i64 },
    /// No run can ever wait by this key.
    UnfitKey { wrong: &'static str },
    /// A run asks this whose program is not this one: here nothing of the name is asked, or something of another type.
    AskedElsewhere { name: String },
    /// It is for a person to answer.
    NotAPerson { name: String },
    /// The store of runs cannot be used for it.
    Store { why: String },
    /// Too many early answers are kept.
    Full,
    /// The engine is ending.
    Gone,
}

/// An answer that came before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct First {
    /// The run that it was given to; none while it is kept.
    pub run: Option<Arc<str>>,
    /// Who sent it, where that is known.
    pub by: Option<String>,
    /// In nanoseconds since 1970.
    pub at: i64,
}

/// What the runs of an engine wait for.
#[derive(Default)]
pub(crate) struct Externals {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// By the order in which they were asked.
    open: BTreeMap<u64, Open>,
    /// The same by what finds them.
    addressed: HashMap<Address, BTreeSet<u64>>,
    asked: u64,
    /// Early answers by their keys, with when they came, oldest first.
    kept: IndexMap<Arc<str>, (String, i64)>,
    /// What was answered, oldest first.
    taken: IndexMap<Address, First>,
}

/// Something that is waited for.
struct Open {
    run: Arc<str>,
    external: External,
    completion: Completion,
}

/// What a sender must know to check an answer before it counts.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    id: u64,
    pub(crate) name: String,
    pub(crate) result: TypeId,
}

/// Whether an open question was found for an answer.
#[derive(Clone, Debug)]
pub(crate) enum Route {
    Open(Found),
    /// No question with its key has been asked yet.
    Early,
}

/// Withdraws a question when its run gives it up.
#[derive(Clone, Debug)]
pub(crate) struct Waiting {
    externals: Weak<Externals>,
    id: u64,
}

impl std::fmt::Debug for Externals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Externals")
    }
}

impl Externals {
    /// A run waits for something. An early answer to its key is brought at once.
    pub(crate) fn ask(
        self: &Arc<Self>,
        run: &Arc<str>,
        external: External,
        completion: Completion,
        now: i64,
    ) -> Waiting {
        let mut state = self.lock();
        state.forget_old(now);
        state.asked += 1;
        let id = state.asked;
        let addresses = addresses(run, &external);
        for address in &addresses {
            // A question that is asked again waits for an answer of its own.
            state.taken.shift_remove(address);
        }
        let early = external.key.as_deref();
        let early = early.and_then(|it| state.kept.shift_remove(it));
        if let Some((answer, at)) = early {
            let digest = external.digest;
            for address in addresses {
                state.remember(address, run, at);
            }
            drop(state);
            completion.deliver(Outcome::Human(Box::new(Reply { digest, answer })));
        } else {
            for address in addresses {
                state.addressed.entry(address).or_default().insert(id);
            }
            let run = Arc::clone(run);
            let open = Open {
                run,
                external,
                completion,
            };
            state.open.insert(id, open);
        }
        Waiting {
            externals: Arc::downgrade(self),
            id,
        }
    }

    /// Where an answer to `address` would go now.
    pub(crate) fn route(&self, address: &Address, now: i64) -> Result<Route, NotTaken> {
        let mut state = self.lock();
        state.forget_old(now);
        let waiting = state.addressed.get(address);
        let first = waiting.and_then(|it| it.first().copied());
        let open = first.and_then(|it| Some((it, &state.open.get(&it)?.external)));
        let taken = state.taken.get(address);
        let count = waiting.map_or(0, BTreeSet::len);
        match (address, open) {
            (Address::Name { run, name }, Some(_)) if count > 1 => {
                let keys = waiting.into_iter().flatten();
                let keys = keys.filter_map(|it| state.open.get(it)?.external.key.clone());
                Err(NotTaken::Several {
                    run: Arc::clone(run),
                    name: Arc::clone(name),
                    keys: keys.collect(),
                })
            }
            (_, Some((id, external))) => Ok(Route::Open(Found {
                id,
                name: external.name.clone(),
                result: external.result,
            })),
            (_, None) if let Some(first) = taken => Err(NotTaken::Again {
                first: first.clone(),
            }),
            (Address::Key(key), None) => match state.kept.get(key) {
                Some((_, at)) => Err(NotTaken::Again {
                    first: First {
                        run: None,
                        by: None,
                        at: *at,
                    },
                }),
                None if state.kept.len() >= MOST_KEPT => Err(NotTaken::Full),
                None => Ok(Route::Early),
            },
            (Address::Operation { run, operation }, None) => Err(NotTaken::NotAsked {
                run: Arc::clone(run),
                name: operation.to_string().into(),
                waits_for: state.waited_for_by(run),
            }),
            (Address::Name { run, name }, None) => Err(NotTaken::NotAsked {
                run: Arc::clone(run),
                name: Arc::clone(name),
                waits_for: state.waited_for_by(run),
            }),
        }
    }

    /// Delivers a checked answer to the question found for it; `None` when that was answered or given up meanwhile.
    pub(crate) fn deliver(&self, found: &Found, answer: &str, now: i64) -> Option<Taken> {
        let mut state = self.lock();
        let open = state.close(found.id)?;
        for address in addresses(&open.run, &open.external) {
            state.remember(address, &open.run, now);
        }
        drop(state);
        let reply = Reply {
            digest: open.external.digest,
            answer: answer.to_owned(),
        };
        open.completion.deliver(Outcome::Human(Box::new(reply)));
        Some(Taken::Delivered {
            run: open.run,
            name: found.name.clone(),
        })
    }

    /// Keeps an early answer; `None` when the state of its key has changed meanwhile.
    pub(crate) fn keep(&self, key: &Arc<str>, answer: &str, now: i64) -> Option<Taken> {
        let mut state = self.lock();
        let address = Address::Key(Arc::clone(key));
        if state.addressed.contains_key(&address)
            || state.taken.contains_key(&address)
            || state.kept.contains_key(key)
        {
            return None;
        }
        state.kept.insert(Arc::clone(key), (answer.to_owned(), now));
        Some(Taken::Kept)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic runs while the lock is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Removes a question and its addresses.
    fn close(&mut self, id: u64) -> Option<Open> {
        let open = self.open.remove(&id)?;
        for address in addresses(&open.run, &open.external) {
            if let Some(waiting) = self.addressed.get_mut(&address) {
                waiting.remove(&id);
                if waiting.is_empty() {
                    self.addressed.remove(&address);
                }
            }
        }
        Some(open)
    }

    fn remember(&mut self, address: Address, run: &Arc<str>, at: i64) {
        let first = First {
            run: Some(Arc::clone(run)),
            by: None,
            at,
        };
        self.taken.insert(address, first);
        if self.taken.len() > MOST_REMEMBERED {
            self.taken.shift_remove_index(0);
        }
    }

    /// Early answers count for some days.
    fn forget_old(&mut self, now: i64) {
        let is_old = |at: i64| now.saturating_sub(at) >= KEPT_FOR;
        while self.kept.first().is_some_and(|(_, (_, at))| is_old(*at)) {
            self.kept.shift_remove_index(0);
        }
    }

    fn waited_for_by(&self, run: &Arc<str>) -> Vec<String> {
        let open = self.open.values().filter(|it| it.run == *run);
        let names: BTreeSet<&str> = open.map(|it| it.external.name.as_str()).collect();
        names.into_iter().map(str::to_owned).collect()
    }
}

impl Waiting {
    /// Closes the question, because its operation has ended.
    pub(crate) fn end(self) -> Abandoned {
        let externals = self.externals.upgrade();
        let open = externals.and_then(|it| it.lock().close(self.id));
        match open {
            // Dropped here, without the lock: its completion notifies the carrier.
            Some(_) => Abandoned::Stopped,
            None => Abandoned::Finished,
        }
    }
}

/// The addresses under which a question is found.
fn addresses(run: &Arc<str>, external: &External) -> Vec<Address> {
    let name = Address::Name {
        run: Arc::clone(run),
        name: external.name.as_str().into(),
    };
    let key = external.key.as_deref().map(|it| Address::Key(it.into()));
    [Some(name), key].into_iter().flatten().collect()
}

/// What became of the answer that was first.
fn again(first: &First) -> String {
    let at = to_the_second(first.at);
    let by = first.by.as_ref();
    let by = by.map(|it| format!(" by {it}")).unwrap_or_default();
    let became = match &first.run {
        Some(run) => format!("was given to the run `{run}`"),
        None => "is kept until it is asked for".to_owned(),
    };
    format!("this was answered before{by}: the answer of {at} {became}")
}

/// How one of several questions of a name is answered.
fn by_key(keys: &[String]) -> String {
    match keys {
        [] => "give the declaration a key, as in `by \"order:${id}\"`".to_owned(),
        them => format!("answer by key, one of `{}`", them.join("`, `")),
    }
}

impl std::fmt::Display for NotTaken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoRun { run } => write!(f, "there is no run `{run}`"),
            Self::Over { run } => write!(f, "the run `{run}` has ended, so nothing there waits"),
            Self::NotAsked {
                run,
                name,
                waits_for,
            } => {
                write!(f, "the run `{run}` does not wait for `{name}`")?;
                match waits_for.as_slice() {
                    [] => write!(f, ", nor for anything else from outside"),
                    them => write!(f, "; it waits for `{}`", them.join("`, `")),
                }
            }
            Self::Several { run, name, keys } => {
                write!(
                    f,
                    "the run `{run}` waits for several `{name}`: {}",
                    by_key(keys)
                )
            }
            Self::Again { first } => f.write_str(&again(first)),
            Self::Closed { why, key } => {
                write!(f, "nobody waits for this answer any more: {why}")?;
                match key {
                    Some(key) => write!(f, "; nothing has asked by the key `{key}` since"),
                    None => Ok(()),
                }
            }
            Self::UnfitKey { wrong } => write!(f, "the key {wrong}"),
            Self::AskedElsewhere { name } => write!(
                f,
                "the build of the program that asked `{name}` is another: in this one an answer to it has another type, or nothing is asked by that name; answer with the build that asked"
            ),
            Self::Late { name, due } => write!(
                f,
                "it is too late to answer `{name}`: the answer was due by {}",
                to_the_second(*due)
            ),
            Self::NotAPerson { name } => {
                write!(f, "`{name}` asks a person, and no program answers for one")
            }
            Self::Store { why } => f.write_str(why),
            Self::Unfit { name, issues } => {
                write!(f, "the answer does not fit `{name}`")?;
                for issue in issues {
                    write!(f, "; {}", issue.message)?;
                }
                Ok(())
            }
            Self::Full => write!(
                f,
                "{MOST_KEPT} answers are kept that nothing has asked for, and no further one is"
            ),
            Self::Gone => write!(f, "the engine is ending"),
        }
    }
}

impl std::error::Error for NotTaken {}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::{Receiver, channel};

    use gsw_abi::builtin::INT;
    use gsw_engine::external::External;
    use gsw_engine::operation::Outcome;
    use serde_json::Value;

    use super::{Address, Externals, KEPT_FOR, MOST_REMEMBERED, NotTaken, Route, Taken, Waiting};
    use crate::work::Completion;

    fn ask(
        externals: &Arc<Externals>,
        run: &str,
        key: Option<&str>,
        now: i64,
    ) -> (Waiting, Receiver<Outcome>) {
        let (sender, outcomes) = channel();
        let external = External {
            name: "payment".into(),
            key: key.map(str::to_owned),
            result: INT,
            schema: Value::Null,
            data: None,
            digest: "d".into(),
        };
        let completion = Completion::new(move |it| drop(sender.send(it)));
        let waiting = externals.ask(&run.into(), external, completion, now);
        (waiting, outcomes)
    }

    fn send(externals: &Externals, address: &Address, now: i64) -> Result<Taken, NotTaken> {
        match (externals.route(address, now)?, address) {
            (Route::Open(found), _) => Ok(externals.deliver(&found, "1", now).expect("alone")),
            (Route::Early, Address::Key(key)) => Ok(externals.keep(key, "1", now).expect("alone")),
            (Route::Early, Address::Name { .. } | Address::Operation { .. }) => {
                unreachable!("only keys are early")
            }
        }
    }

    fn named(run: &str) -> Address {
        Address::Name {
            run: run.into(),
            name: "payment".into(),
        }
    }

    #[test]
    fn a_question_takes_one_answer_and_the_second_is_told_of_the_first() {
        let externals = Arc::new(Externals::default());
        let key = Address::Key("order:1".into());
        let (_waiting, outcomes) = ask(&externals, "a", Some("order:1"), 5);
        assert!(matches!(
            send(&externals, &key, 7),
            Ok(Taken::Delivered { .. })
        ));
        assert!(matches!(outcomes.recv(), Ok(Outcome::Human(_))));
        for address in [key, named("a")] {
            let Err(NotTaken::Again { first }) = send(&externals, &address, 9) else {
                panic!("it is a second one");
            };
            assert_eq!((first.run.as_deref(), first.at), (Some("a"), 7));
        }
    }

    #[test]
    fn an_early_answer_waits_for_its_question_for_some_days() {
        let externals = Arc::new(Externals::default());
        let key = Address::Key("order:1".into());
        assert_eq!(send(&externals, &key, 1), Ok(Taken::Kept));
        assert!(matches!(
            send(&externals, &key, 2),
            Err(NotTaken::Again { first }) if first.run.is_none()
        ));
        let (_waiting, outcomes) = ask(&externals, "a", Some("order:1"), 3);
        assert!(matches!(outcomes.try_recv(), Ok(Outcome::Human(_))));
        let old = Address::Key("order:2".into());
        assert_eq!(send(&externals, &old, 10), Ok(Taken::Kept));
        let (_waiting, outcomes) = ask(&externals, "a", Some("order:2"), 10 + KEPT_FOR);
        assert!(outcomes.try_recv().is_err());
    }

    #[test]
    fn a_second_answer_to_what_is_asked_again_and_again_is_told_of_the_first() {
        let externals = Arc::new(Externals::default());
        let key = Address::Key("daily".into());
        for time in 0..2 * MOST_REMEMBERED as i64 {
            let (_waiting, _outcomes) = ask(&externals, "a", Some("daily"), time);
            let first = send(&externals, &key, time);
            assert!(matches!(first, Ok(Taken::Delivered { .. })), "{time}");
            let second = send(&externals, &key, time);
            assert!(matches!(second, Err(NotTaken::Again { .. })), "{time}");
        }
    }

    #[test]
    fn what_is_given_up_takes_no_answer() {
        let externals = Arc::new(Externals::default());
        let (waiting, _outcomes) = ask(&externals, "a", None, 1);
        let (_other, _never) = ask(&externals, "a", None, 1);
        assert!(matches!(
            send(&externals, &named("a"), 2),
            Err(NotTaken::Several { .. })
        ));
        waiting.end();
        assert!(matches!(
            send(&externals, &named("a"), 2),
            Ok(Taken::Delivered { .. })
        ));
        assert!(matches!(
            send(&externals, &named("b"), 2),
            Err(NotTaken::NotAsked { .. })
        ));
    }
}
