//! Sessions: conversations that prompts continue.
//!
//! A session is an object of the program that names a conversation which the run keeps. It is a part of the run and has no file of
//! its own: what models answer are outcomes, and a replayed run is given the same outcomes, so its conversations are the same.
//!
//! **Invariants.**
//! - One call at a time runs in a session. It holds the session from `session_enter`, right before it is run, until it ends, and
//!   others wait in the order in which they came. So each call sees the whole of those before it.
//! - A conversation grows by whole exchanges. A call that raises or is cancelled leaves it as it was.
//! - An exchange is replaced only where a prompt was asked in it; what the program has put there stays until the program removes it.

pub(crate) mod entering;
pub(crate) mod replacing;
pub(crate) mod shortening;

use std::collections::VecDeque;
use std::sync::Arc;

use gsw_abi::builtin::{BuiltinError, SESSION};
use gsw_abi::call::AnswerPurpose;
use gsw_abi::types::TypeId;
use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::codec::{self, decode};
use crate::conversation::{self, Exchange};
use crate::event::SessionPlace;
use crate::heap::Heap;
use crate::hidden::Hidden;
use crate::model::Message;
use crate::node::NodeId;
use crate::run::prompt::said::Opening;
use crate::run::prompt::trust::Origins;
use crate::run::sessions::replacing::Last;
use crate::run::{Run, raise};
use crate::task::TaskId;
use crate::value::{error, field, set_field};

/// The sessions of a run that the program can still name.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    sessions: FxHashMap<u64, Session>,
    made: u64,
    /// How many exchanges there have been in all of them.
    exchanges: u64,
}

#[derive(Debug)]
struct Session {
    /// The index of the agent that is asked what names none.
    agent: usize,
    exchanges: Vec<Kept>,
    /// How many exchanges, from the first, observers have seen.
    seen: usize,
    /// What was hidden from observers in it.
    hidden: Hidden,
    /// The origins of its content, where the program asks.
    origins: Origins,
    /// The task whose call runs in it, or is about to.
    holder: Option<TaskId>,
    waiting: VecDeque<TaskId>,
}

#[derive(Clone, Debug)]
struct Kept {
    /// A fork keeps it; otherwise no two sessions share one.
    number: u64,
    exchange: Arc<Exchange>,
    /// Of what the program has put there, none.
    asked: Option<Asked>,
    /// What it counts in the memory of the run.
    weight: usize,
}

/// The call that made an exchange.
#[derive(Clone, Copy, Debug)]
struct Asked {
    task: TaskId,
    /// The prompt's index.
    prompt: Option<usize>,
    /// Of a call that a mock has answered, none.
    node: Option<NodeId>,
}

impl Session {
    fn of(agent: usize) -> Self {
        Self {
            agent,
            exchanges: Vec::new(),
            seen: 0,
            hidden: Hidden::default(),
            origins: Origins::default(),
            holder: None,
            waiting: VecDeque::new(),
        }
    }

    fn weight(&self) -> usize {
        self.exchanges.iter().map(|it| it.weight).sum()
    }
}

impl Sessions {
    fn insert(&mut self, heap: &mut Heap, session: Session) -> u64 {
        self.made += 1;
        heap.charge(session.weight());
        self.sessions.insert(self.made, session);
        let word = heap.object(SESSION, 0, 1);
        set_field(word, 0, self.made);
        word
    }

    fn get(&self, word: u64) -> &Session {
        let session = self.sessions.get(&number(word));
        session.expect("a session is kept as long as its object")
    }

    fn get_mut(&mut self, word: u64) -> &mut Session {
        let session = self.sessions.get_mut(&number(word));
        session.expect("a session is kept as long as its object")
    }

    /// The task whose call runs in a session.
    pub(crate) fn holder(&self, word: u64) -> Option<TaskId> {
        self.get(word).holder
    }

    /// The index of a session's agent.
    pub(crate) fn agent(&self, word: u64) -> usize {
        self.get(word).agent
    }

    /// The last object of a session is gone.
    pub(crate) fn forget(&mut self, heap: &mut Heap, number: u64) {
        if let Some(session) = self.sessions.remove(&number) {
            heap.discharge(session.weight());
        }
    }
}

/// What observers call a session.
fn number(word: u64) -> u64 {
    field(word, 0)
}

/// Which exchange of a session a call makes, for observers.
pub(crate) fn place(run: &Run, word: u64, last: Last) -> SessionPlace {
    let before = run.sessions.get(word).exchanges.len() as u64;
    SessionPlace {
        session: number(word),
        exchange: match last {
            Last::Kept => before + 1,
            Last::Replaced(_) => before.max(1),
        },
    }
}

/// What a call finds in its session.
pub(crate) struct Entered {
    pub history: Vec<Arc<Exchange>>,
    /// How many messages of it observers have seen.
    pub seen: usize,
    pub hidden: Hidden,
    pub origins: Origins,
    /// What the history counts in the memory of the run.
    pub weight: usize,
}

/// `session(agent)`
pub(crate) fn make(run: &mut Run, agent: usize) -> u64 {
    run.sessions.insert(&mut run.heap, Session::of(agent))
}

/// `s.fork()`; borrows the session.
pub(crate) fn fork(run: &mut Run, word: u64) -> u64 {
    let session = run.sessions.get(word);
    let fork = Session {
        exchanges: session.exchanges.clone(),
        seen: session.seen,
        hidden: session.hidden.clone(),
        origins: session.origins.clone(),
        ..Session::of(session.agent)
    };
    run.sessions.insert(&mut run.heap, fork)
}

/// `s.messages()` as a value of this type, without the last exchanges; borrows the session.
pub(crate) fn messages(
    run: &mut Run,
    result: TypeId,
    word: u64,
    left_out: i64,
) -> Result<u64, u64> {
    let Ok(left_out) = usize::try_from(left_out) else {
        let why = format!("`keep` says how many exchanges stay, which cannot be {left_out}");
        let error = BuiltinError::AssertionFailed;
        return Err(error::with_text(&mut run.heap, error, &why));
    };
    let exchanges = &run.sessions.get(word).exchanges;
    let listed = &exchanges[..exchanges.len().saturating_sub(left_out)];
    let turns = conversation::turns(listed.iter().map(|it| &*it.exchange));
    decode::decode(run, result, &turns).map_err(|issue| {
        raise::internal(
            &mut run.heap,
            &format!("a turn of a session does not decode: {}", issue.message),
        )
    })
}

/// `s.seed(…)`; borrows the session and takes the messages over.
pub(crate) fn seed(run: &mut Run, word: u64, messages: u64) -> Result<u64, u64> {
    let tree = codec::json_to_tree(messages).unwrap_or(Value::Null);
    run.heap.release(messages);
    let exchanges = &run.sessions.get(word).exchanges;
    // Turns that are put there one after the other make the same exchanges as all at once.
    let open = exchanges.last().filter(|it| it.asked.is_none());
    let open = open.map(|it| Arc::clone(&it.exchange));
    let open = open.filter(|it| !it.is_answered());
    let calls = exchanges.iter().map(|it| it.exchange.calls()).sum();
    match conversation::of_turns(&tree, open.as_deref(), calls) {
        Ok(made) if made.is_empty() => Ok(0),
        Ok(made) => {
            let end = exchanges.len() - usize::from(open.is_some());
            remove(run, word, end);
            for exchange in made {
                let end = run.sessions.get(word).exchanges.len();
                insert(run, word, end, exchange, None);
            }
            note_foreign(run, word);
            Ok(0)
        }
        Err(why) => Err(error::with_text(
            &mut run.heap,
            BuiltinError::AssertionFailed,
            &why,
        )),
    }
}

/// Puts an exchange at this place.
fn insert(run: &mut Run, word: u64, at: usize, exchange: Exchange, asked: Option<Asked>) {
    let kept = kept(run, exchange, asked);
    run.sessions.get_mut(word).exchanges.insert(at, kept);
}

/// An exchange as it is kept, which counts in the memory of the run.
fn kept(run: &mut Run, exchange: Exchange, asked: Option<Asked>) -> Kept {
    let weight = exchange.weight();
    run.heap.charge(weight);
    run.sessions.exchanges += 1;
    Kept {
        number: run.sessions.exchanges,
        exchange: Arc::new(exchange),
        asked,
        weight,
    }
}

/// Removes the exchanges from this place on.
fn remove(run: &mut Run, word: u64, from: usize) {
    let removed = run.sessions.get_mut(word).exchanges.split_off(from);
    run.heap.discharge(removed.iter().map(|it| it.weight).sum());
}

/// What a call that holds the session finds in it; with [`Last::Replaced`] without the last exchange.
pub(crate) fn entered(run: &Run, word: u64, last: Last) -> Entered {
    let session = run.sessions.get(word);
    let kept = match (last, session.exchanges.split_last()) {
        (Last::Replaced(number), Some((replaced, before))) if replaced.number == number => before,
        (Last::Replaced(_) | Last::Kept, _) => &session.exchanges[..],
    };
    let seen = kept.iter().take(session.seen);
    Entered {
        history: kept.iter().map(|it| Arc::clone(&it.exchange)).collect(),
        seen: seen.map(|it| it.exchange.messages.len()).sum(),
        hidden: session.hidden.clone(),
        origins: session.origins.clone(),
        weight: kept.iter().map(|it| it.weight).sum(),
    }
}

/// A call of a task that holds the session was answered.
pub(crate) fn answered(
    run: &mut Run,
    word: u64,
    last: Last,
    task: TaskId,
    node: NodeId,
    exchange: Exchange,
) {
    let asked = Asked {
        task,
        prompt: exchange.prompt,
        node: Some(node),
    };
    let place = replacing::take(run, word, last);
    insert(run, word, place, exchange, Some(asked));
    let session = run.sessions.get_mut(word);
    session.seen = session.exchanges.len();
}

/// Texts of the conversation that observers must not see, also where they come back later.
pub(crate) fn hide(run: &mut Run, word: u64, hidden: &Hidden) {
    run.sessions.get_mut(word).hidden.join(hidden);
}

/// Where all of the conversation comes from by now.
pub(crate) fn learn_origins(run: &mut Run, word: u64, origins: Origins) {
    run.sessions.get_mut(word).origins = origins;
}

/// Notes that the program put turns into the session.
fn note_foreign(run: &mut Run, word: u64) {
    let origins = &mut run.sessions.get_mut(word).origins;
    origins.note_foreign(|| "what was put into the session".to_owned());
}

/// A call has ended, or cannot begin: the next in line holds the session. Takes the word over, which may be 0.
pub(crate) fn leave(run: &mut Run, word: u64) {
    if word == 0 {
        return;
    }
    let session = run.sessions.get_mut(word);
    session.holder = session.waiting.pop_front();
    if let Some(next) = session.holder {
        run.scheduler.take_wait(next);
        run.scheduler.wake(next, Ok(0));
        // A count for its wait; the call has one of its own.
        run.heap.release(word);
    }
    run.heap.release(word);
}

/// A task waits for the session no more; takes its share over.
pub(crate) fn leave_line(run: &mut Run, task: TaskId, word: u64) {
    run.sessions.get_mut(word).waiting.retain(|it| *it != task);
    run.heap.release(word);
}

/// A mock has answered: the messages that would have been sent, and the answer as JSON, become an exchange. Takes the
/// words over.
pub(crate) fn mocked(
    run: &mut Run,
    word: u64,
    prompt: usize,
    said: u64,
    answer: u64,
    purpose: AnswerPurpose,
) -> Result<u64, u64> {
    let opening = Opening::take(&mut run.heap, said);
    let tree = codec::json_to_tree(answer).unwrap_or(Value::Null);
    run.heap.release(answer);
    let text = tree
        .as_str()
        .map_or_else(|| tree.to_string(), str::to_owned);
    let said = opening.messages.into_iter().map(Message::from);
    let messages = said.chain([Message::answer(text)]).map(Arc::new).collect();
    let exchange = Exchange {
        messages,
        ..Exchange::default()
    };
    let asked = Asked {
        task: run.scheduler.current(),
        prompt: Some(prompt),
        node: None,
    };
    let last = replacing::last(run, word, prompt, purpose);
    let ended = last.map(|last| {
        let place = replacing::take(run, word, last);
        insert(run, word, place, exchange, Some(asked));
        0
    });
    run.heap.release(word);
    ended.map_err(|why| error::with_text(&mut run.heap, BuiltinError::AssertionFailed, why))
}
