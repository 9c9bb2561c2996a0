//! The questions that a program asks people: shown in the debug console, and answered by what is typed there.

use std::collections::VecDeque;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gsw_abi::program::Program;
use gsw_driver::call::Call;
use gsw_driver::human::{FromOutside, Humans, NoReply, Replying};
use gsw_engine::human::{Question, Reply};
use tokio::sync::oneshot;

use super::Heard;

/// The questions of all runs, in the order in which they were asked.
pub struct Questions {
    program: Arc<Program>,
    listener: Sender<Heard>,
    waiting: Mutex<VecDeque<Waiting>>,
}

struct Waiting {
    question: Question,
    reply: oneshot::Sender<Result<Reply, NoReply>>,
}

impl Questions {
    pub fn new(program: &Arc<Program>, listener: Sender<Heard>) -> Arc<Self> {
        Arc::new(Self {
            program: Arc::clone(program),
            listener,
            waiting: Mutex::default(),
        })
    }

    /// Answers the oldest question that still waits; `None` when none does.
    pub fn answer(&self, text: &str) -> Option<Result<(), String>> {
        let mut waiting = self.lock();
        // The run does not want the answer any more to a question that was taken back.
        waiting.retain(|it| !it.reply.is_closed());
        let ty = waiting.front()?.question.result;
        let answer = match gsw_service::debugging::read_answer(&self.program, ty, text) {
            Ok(answer) => answer,
            Err(why) => return Some(Err(why)),
        };
        let Waiting { question, reply } = waiting.pop_front()?;
        let digest = question.digest;
        let sent = reply.send(Ok(Reply { digest, answer }));
        Some(sent.map_err(|_| "the question was taken back".to_owned()))
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Waiting>> {
        // It is whole between any two statements of ours.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Humans for Questions {
    fn ask(&self, question: Question, _call: &Call) -> Replying {
        let mut text = String::new();
        match &question.refused {
            Some(refused) => {
                let issues = refused.issues.iter().map(|it| it.message.as_str());
                let issues: Vec<&str> = issues.collect();
                text.push_str(&format!(
                    "this answer does not fit: {}\n",
                    issues.join("; ")
                ));
            }
            None => text.push_str(&question.text),
        }
        let text = format!(
            "{}\n(`{}` waits for an answer in the debug console)",
            text.trim_end(),
            question.human
        );
        let (reply, coming) = oneshot::channel();
        self.lock().push_back(Waiting { question, reply });
        // The receiver ends after all runs have.
        let _ = self.listener.send(Heard::Said(text));
        Box::pin(async move {
            let gone = || NoReply::Unreachable("the debugger has gone".to_owned());
            coming.await.unwrap_or_else(|_| Err(gone()))
        })
    }

    fn outside(&self) -> FromOutside {
        FromOutside::NeverComes
    }
}
