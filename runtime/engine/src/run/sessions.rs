//! Sessions: conversations that prompts continue.
//!
//! A session is an object of the program that names a conversation which the run keeps. It is a part of the run and has no file of
//! its own: what models answer are outcomes, and a run that is brought back is given the same, so its conversations are the same.
//!
//! **Invariants.**
//! - One call at a time runs in a session. It holds the session from `session_enter`, right before it is run, until it ends, and
//!   others wait in the order in which they came. So each call sees the whole of those before it.
//! - A conversation grows by whole exchanges. A call that raises or is cancelled leaves it as it was.

pub(crate) mod entering;
pub(crate) mod shortening;

use std::collections::VecDeque;
use std::sync::Arc;

use gsw_abi::builtin::{BuiltinError, SESSION};
use gsw_abi::types::TypeId;
use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::codec::{self, decode};
use crate::conversation::{self, Exchange};
use crate::event::SessionPlace;
use crate::heap::Heap;
use crate::model::Message;
use crate::node::NodeId;
use crate::run::prompt::hidden::Hidden;
use crate::run::prompt::said::Opening;
use crate::run::prompt::trust::Origins;
use crate::run::{Run, raise};
use crate::task::TaskId;
use crate::value::{error, field, set_field};

/// The sessions of a run that the program can still name.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    sessions: FxHashMap<u64, Session>,
    made: u64,
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
    /// Where what stands in it comes from, where the program asks.
    origins: Origins,
    /// The task whose call runs in it, or is about to.
    holder: Option<TaskId>,
    waiting: VecDeque<TaskId>,
}

#[derive(Clone, Debug)]
struct Kept {
    exchange: Arc<Exchange>,
    /// The prompt that was answered.
    node: Option<NodeId>,
    /// What it counts in the memory of the run.
    weight: usize,
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
            Last::Replaced => before.max(1),
        },
    }
}

/// What a call finds in its session.
pub(crate) struct Entered {
    /// The prompt whose exchange is replaced, if one was asked.
    pub replaced: Option<NodeId>,
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
    let exchanges = &run.sessions.get(word).exchanges;
    let left_out = usize::try_from(left_out).unwrap_or(0);
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
    match conversation::of_turns(&tree) {
        Ok(exchange) if exchange.messages.is_empty() => Ok(0),
        Ok(exchange) => {
            append(run, word, exchange, None);
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

/// Adds an exchange at the end.
fn append(run: &mut Run, word: u64, exchange: Exchange, node: Option<NodeId>) {
    let weight = exchange.weight();
    run.heap.charge(weight);
    run.sessions.get_mut(word).exchanges.push(Kept {
        exchange: Arc::new(exchange),
        node,
        weight,
    });
}

/// What a call that holds the session finds in it; with [`Last::Replaced`] without the last exchange.
pub(crate) fn entered(run: &Run, word: u64, last: Last) -> Entered {
    let session = run.sessions.get(word);
    let (kept, replaced) = match (last, session.exchanges.split_last()) {
        (Last::Replaced, Some((replaced, before))) => (before, replaced.node),
        (Last::Replaced, None) | (Last::Kept, _) => (&session.exchanges[..], None),
    };
    let seen = kept.iter().take(session.seen);
    Entered {
        replaced,
        history: kept.iter().map(|it| Arc::clone(&it.exchange)).collect(),
        seen: seen.map(|it| it.exchange.messages.len()).sum(),
        hidden: session.hidden.clone(),
        origins: session.origins.clone(),
        weight: kept.iter().map(|it| it.weight).sum(),
    }
}

/// Whether nothing has been said in it.
pub(crate) fn is_empty(run: &Run, word: u64) -> bool {
    run.sessions.get(word).exchanges.is_empty()
}

/// What becomes of the last exchange of a session when a call in it is answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Last {
    Kept,
    Replaced,
}

/// A call that holds the session was answered.
pub(crate) fn answered(run: &mut Run, word: u64, last: Last, node: NodeId, exchange: Exchange) {
    replace(run, word, last);
    append(run, word, exchange, Some(node));
    let session = run.sessions.get_mut(word);
    session.seen = session.exchanges.len();
}

fn replace(run: &mut Run, word: u64, last: Last) {
    if last == Last::Replaced
        && let Some(replaced) = run.sessions.get_mut(word).exchanges.pop()
    {
        run.heap.discharge(replaced.weight);
    }
}

/// Texts of the conversation that nobody is to see, also where they come back later.
pub(crate) fn hide(run: &mut Run, word: u64, hidden: &Hidden) {
    run.sessions.get_mut(word).hidden.join(hidden);
}

/// Where all of the conversation comes from by now.
pub(crate) fn learn_origins(run: &mut Run, word: u64, origins: Origins) {
    run.sessions.get_mut(word).origins = origins;
}

/// Turns that no call has said were put into the session.
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
        // The share of its wait; the call has one of its own.
        run.heap.release(word);
    }
    run.heap.release(word);
}

/// A task waits for the session no more; takes its share over.
pub(crate) fn leave_line(run: &mut Run, task: TaskId, word: u64) {
    run.sessions.get_mut(word).waiting.retain(|it| *it != task);
    run.heap.release(word);
}

/// A mock has answered: what would have been said, and the answer as JSON, become an exchange. Takes the words over.
pub(crate) fn mocked(
    run: &mut Run,
    word: u64,
    said: u64,
    answer: u64,
    last: Last,
) -> Result<u64, u64> {
    let opening = Opening::take(&mut run.heap, said);
    let tree = codec::json_to_tree(answer).unwrap_or(Value::Null);
    run.heap.release(answer);
    let text = tree
        .as_str()
        .map_or_else(|| tree.to_string(), str::to_owned);
    let said = opening.messages.into_iter().map(Message::from);
    let messages = said.chain([Message::answer(text)]).map(Arc::new).collect();
    replace(run, word, last);
    let exchange = Exchange {
        messages,
        ..Exchange::default()
    };
    append(run, word, exchange, None);
    run.heap.release(word);
    Ok(0)
}
