//! The queue of questions: one is shown at a time, first come, first served; one that is refused is shown again at once.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use gsw_abi::program::Program;
use gsw_driver::human::NoReply;
use gsw_engine::human::{Question, Reply};
use gsw_trace::Shown;

use crate::arguments::Verbosity;
use crate::person::echo::Unseen;
use crate::person::form::{Form, Keys, Stop};
use crate::person::reader::Reader;
use crate::person::{Message, Ticket, Way, unreachable};
use crate::say::{say, say_lines};
use crate::terminal::Stage;

/// How long a reply waits for its verdict. A run that was cancelled meanwhile gives none; a guess.
const VERDICT: Duration = Duration::from_millis(500);

/// The most lines of a pipe that are refused for one question because they do not fit: a program that writes on without end
/// is no person.
const MOST_REFUSED: u32 = 20;

/// Serves the questions of one process.
pub struct Desk {
    program: Arc<Program>,
    stage: Arc<Stage>,
    way: Way,
    verbosity: Verbosity,
    /// How many answers to the question at hand were refused.
    refused: u32,
    line: Line,
}

/// What comes in, and what of it is not yet dealt with.
struct Line {
    sender: Sender<Message>,
    messages: Receiver<Message>,
    reader: Reader,
    /// The end of what is piped, which came without a question.
    left: Option<Stop>,
    waiting: VecDeque<Box<Ticket>>,
    /// The question that is shown.
    current: u64,
    closing: Option<Sender<()>>,
}

impl Desk {
    pub fn new(
        program: Arc<Program>,
        stage: Arc<Stage>,
        way: Way,
        verbosity: Verbosity,
        sender: Sender<Message>,
        messages: Receiver<Message>,
    ) -> Self {
        Self {
            program,
            stage,
            way,
            verbosity,
            refused: 0,
            line: Line {
                sender,
                messages,
                reader: Reader::default(),
                left: None,
                waiting: VecDeque::new(),
                current: 0,
                closing: None,
            },
        }
    }

    /// Serves until the program ends.
    pub fn work(mut self) {
        while self.line.closing.is_none() {
            match self.line.waiting.pop_front() {
                Some(ticket) => self.serve(*ticket),
                None => {
                    let Ok(message) = self.line.messages.recv() else {
                        return;
                    };
                    let kept = self.line.take(message);
                    self.keep(kept);
                }
            }
        }
        if let Some(closing) = self.line.closing.take() {
            let _ = closing.send(());
        }
    }

    /// A line that came when its question was gone answers nothing: its writer had not seen the next one.
    fn keep(&mut self, line: Option<std::io::Result<Option<String>>>) {
        if self.way != Way::Lines {
            return;
        }
        match line.map(ended) {
            None => {}
            Some(Err(stop)) => self.line.left = Some(stop),
            Some(Ok(text)) => self.stage.line(format!(
                "! no question is open, so this line of standard input is ignored: {}",
                Shown::line(&text)
            )),
        }
    }

    fn serve(&mut self, ticket: Ticket) {
        let Ticket {
            id,
            question,
            reply,
        } = ticket;
        if reply.is_closed() {
            return;
        }
        self.line.current = id;
        if question.refused.is_none() {
            self.stage.await_announced(&question.digest);
        }
        let answer = match self.way {
            Way::Form => self.by_form(&question),
            Way::Lines => self.by_line(&question),
        };
        self.line.current = 0;
        let result = match answer {
            Ok(answer) => Ok(Reply {
                digest: question.digest.clone(),
                answer,
            }),
            Err(Stop::Withdrawn) => return,
            Err(Stop::Declined) => Err(NoReply::Declined(format!(
                "`{}` was declined",
                question.human
            ))),
            Err(Stop::Broken(why)) => Err(unreachable(&question, &why)),
        };
        let is_answer = result.is_ok();
        if reply.send(result).is_ok() && is_answer {
            self.await_verdict(&question.digest);
        }
    }

    /// The next question is shown when it is known that this one is not to be asked again.
    fn await_verdict(&mut self, digest: &str) {
        let until = Instant::now() + VERDICT;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let Ok(message) = self.line.messages.recv_timeout(left) else {
                return;
            };
            match message {
                Message::Accepted(it) if it == digest => return,
                Message::Ask(ticket)
                    if ticket.question.refused.is_some() && ticket.question.digest == digest =>
                {
                    self.line.waiting.push_front(ticket);
                    return;
                }
                message @ (Message::Ask(_)
                | Message::Withdraw(_)
                | Message::Accepted(_)
                | Message::Line(_)
                | Message::Close(_)) => {
                    let kept = self.line.take(message);
                    self.keep(kept);
                }
            }
            if self.line.closing.is_some() {
                return;
            }
        }
    }

    fn by_form(&mut self, question: &Question) -> Result<String, Stop> {
        self.stage.take();
        if question.refused.is_none() {
            forget_keys();
        }
        let form = Form::new(&self.program.types, question, &mut self.line);
        let answer = form.fill();
        match &answer {
            Ok(_) => {}
            Err(Stop::Declined) => say("(declined)"),
            Err(Stop::Withdrawn) => say_lines("\n(the question was withdrawn)"),
            Err(Stop::Broken(_)) => say(""),
        }
        self.stage.give_back();
        answer.map(|it| it.to_string())
    }

    fn by_line(&mut self, question: &Question) -> Result<String, Stop> {
        let wrong = question.refused.as_ref().map(|refused| {
            let issues = refused.issues.iter();
            let issues: Vec<&str> = issues.map(|it| it.message.as_str()).collect();
            issues.join("; ")
        });
        if self.verbosity == Verbosity::Normal {
            match &wrong {
                None => self.stage.line(shown(question)),
                Some(wrong) => {
                    self.stage
                        .line(format!("! {}: {}", question.human, Shown::line(wrong)))
                }
            }
        }
        self.refused = if wrong.is_some() { self.refused + 1 } else { 0 };
        if let Some(wrong) = wrong.as_ref().filter(|_| self.refused >= MOST_REFUSED) {
            let count = self.refused;
            return Err(Stop::Broken(format!(
                " ({count} answers did not fit, the last one: {wrong})"
            )));
        }
        let left = self.line.left.take();
        let line = match left {
            Some(stop) => Err(stop),
            None => self.line.next(),
        };
        line.map_err(|stop| match (stop, wrong) {
            (Stop::Withdrawn, _) => Stop::Withdrawn,
            (Stop::Broken(why), _) => Stop::Broken(why),
            (Stop::Declined, None) => Stop::Broken(" (standard input is at its end)".into()),
            (Stop::Declined, Some(wrong)) => {
                Stop::Broken(format!(" (the last answer did not fit: {wrong})"))
            }
        })
    }
}

impl Line {
    /// Handles a line that is not an answer; hands any other line back.
    fn take(&mut self, message: Message) -> Option<std::io::Result<Option<String>>> {
        match message {
            // The person has begun to answer it.
            Message::Ask(ticket) if ticket.question.refused.is_some() => {
                self.waiting.push_front(ticket);
            }
            Message::Ask(ticket) => self.waiting.push_back(ticket),
            Message::Withdraw(id) => self.waiting.retain(|it| it.id != id),
            Message::Accepted(_) => {}
            Message::Line(line) => {
                self.reader.came();
                return Some(line);
            }
            Message::Close(closed) => self.closing = Some(closed),
        }
        None
    }
}

impl Keys for Line {
    fn next(&mut self) -> Result<String, Stop> {
        self.reader.ask(&self.sender);
        loop {
            let Ok(message) = self.messages.recv() else {
                return Err(Stop::Withdrawn);
            };
            if matches!(message, Message::Withdraw(id) if id == self.current) {
                return Err(Stop::Withdrawn);
            }
            if let Some(line) = self.take(message) {
                return ended(line);
            }
            if self.closing.is_some() {
                return Err(Stop::Withdrawn);
            }
        }
    }

    fn hide(&mut self) -> Option<Unseen> {
        Unseen::begin()
    }
}

fn ended(line: std::io::Result<Option<String>>) -> Result<String, Stop> {
    match line {
        Ok(Some(line)) => Ok(line),
        Ok(None) => Err(Stop::Declined),
        Err(error) => Err(Stop::Broken(format!(" ({error})"))),
    }
}

/// Keys that were pressed before the question was shown do not answer it.
#[cfg(unix)]
fn forget_keys() {
    use rustix::termios::{QueueSelector, tcflush};
    // A terminal that cannot forget leaves them, as it does elsewhere.
    let _ = tcflush(std::io::stdin(), QueueSelector::IFlush);
}

#[cfg(not(unix))]
fn forget_keys() {}

/// A question as lines, in which nothing can move the cursor.
pub(super) fn shown(question: &Question) -> String {
    let (human, text) = (
        Shown::line(&question.human),
        Shown::lines(question.text.trim()),
    );
    format!("? {human}\n{text}")
}
