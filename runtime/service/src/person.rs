//! The person at the terminal, or the writer of standard input: takes the questions of runs there, one after the other.

mod desk;
mod echo;
mod form;
mod reader;
mod refused;

use std::future::Future;
use std::io::{IsTerminal, stderr, stdin};
use std::pin::Pin;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use gsw_abi::program::Program;
use gsw_driver::call::Call;
use gsw_driver::human::{FromOutside, Humans, NoReply, Replying};
use gsw_engine::human::{Question, Reply};
use gsw_tree::event::Verdict;
use tokio::sync::oneshot;

use crate::arguments::Verbosity;
use crate::person::desk::Desk;
use crate::terminal::Stage;

/// How long the end waits for a form to leave the terminal; it is stuck only when what is written there is not read.
const PATIENCE: Duration = Duration::from_secs(1);

/// Has the terminal show keys again, for a process that ends in the middle of a form.
pub fn show_keys() {
    echo::restore();
}

/// Answers the questions of a program's runs. Its threads start with the first question.
pub struct Person {
    program: Arc<Program>,
    stage: Arc<Stage>,
    verbosity: Verbosity,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    desk: Option<Sender<Message>>,
    asked: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// A form on the terminal.
    Form,
    /// Lines of JSON on standard input.
    Lines,
}

/// Messages to the desk.
enum Message {
    Ask(Box<Ticket>),
    /// The answer to a question is not needed any more.
    Withdraw(u64),
    /// The reply to a question with this digest counts.
    Accepted(String),
    /// A line that was asked for.
    Line(std::io::Result<Option<String>>),
    Close(Sender<()>),
}

/// A question in its place of the queue.
struct Ticket {
    id: u64,
    question: Question,
    reply: oneshot::Sender<Result<Reply, NoReply>>,
}

impl Person {
    /// The person who answers the questions of this program.
    pub fn new(program: &Arc<Program>, stage: Arc<Stage>, verbosity: Verbosity) -> Arc<Self> {
        Arc::new(Self {
            program: Arc::clone(program),
            stage,
            verbosity,
            state: Mutex::default(),
        })
    }

    /// No question comes any more, and a form that is shown goes away.
    pub fn close(&self) {
        if let Some(desk) = self.lock().desk.take() {
            let (sender, closed) = channel();
            if desk.send(Message::Close(sender)).is_ok() {
                let _ = closed.recv_timeout(PATIENCE);
            }
        }
    }

    fn desk(&self, state: &mut State, way: Way) -> Option<Sender<Message>> {
        if state.desk.is_none() {
            let (sender, messages) = channel();
            let desk = Desk::new(
                Arc::clone(&self.program),
                Arc::clone(&self.stage),
                way,
                self.verbosity,
                sender.clone(),
                messages,
            );
            let thread = std::thread::Builder::new().name("gsw-person".into());
            thread.spawn(move || desk.work()).ok()?;
            state.desk = Some(sender);
        }
        state.desk.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic runs while the lock is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Humans for Person {
    fn outside(&self) -> FromOutside {
        match way() {
            // The person there sees what is waited for, and leaves the run when it takes too long.
            Some(Way::Form) => FromOutside::Comes,
            Some(Way::Lines) | None => FromOutside::NeverComes,
        }
    }

    fn ask(&self, question: Question, _call: &Call) -> Replying {
        let Some(way) = way() else {
            return Box::pin(std::future::ready(Err(unreachable(&question, ""))));
        };
        let mut state = self.lock();
        state.asked += 1;
        let id = state.asked;
        let (reply, coming) = oneshot::channel();
        let nobody = unreachable(&question, "");
        let Some(desk) = self.desk(&mut state, way) else {
            return Box::pin(std::future::ready(Err(nobody)));
        };
        // A desk that is gone drops the ticket, which ends the wait.
        let _ = desk.send(Message::Ask(Box::new(Ticket {
            id,
            question,
            reply,
        })));
        Box::pin(Waiting {
            id,
            desk,
            coming,
            nobody,
        })
    }

    fn answered(&self, digest: &str, verdict: Verdict) {
        // One that is refused is asked for again, which says so.
        if verdict == Verdict::Accepted
            && let Some(desk) = &self.lock().desk
        {
            let _ = desk.send(Message::Accepted(digest.to_owned()));
        }
    }
}

/// A reply that is waited for; dropping it withdraws the question.
struct Waiting {
    id: u64,
    desk: Sender<Message>,
    coming: oneshot::Receiver<Result<Reply, NoReply>>,
    nobody: NoReply,
}

impl Future for Waiting {
    type Output = Result<Reply, NoReply>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let coming = Pin::new(&mut self.coming).poll(context);
        coming.map(|reply| reply.unwrap_or_else(|_| Err(self.nobody.clone())))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        // Of a question that has its reply the desk knows nothing any more.
        let _ = self.desk.send(Message::Withdraw(self.id));
    }
}

/// How this process can be answered. A form needs both ends of a terminal; keys that came without a question are no
/// answer.
fn way() -> Option<Way> {
    match (stdin().is_terminal(), stderr().is_terminal()) {
        (true, true) => Some(Way::Form),
        (true, false) => None,
        (false, _) => Some(Way::Lines),
    }
}

/// The reply that there is no answer, with what can be done about it.
fn unreachable(question: &Question, why: &str) -> NoReply {
    NoReply::Unreachable(format!(
        "`{}` asks a person, and nobody answers{why}: run it on a terminal, or write one line of JSON for each question to its standard input",
        question.human
    ))
}
