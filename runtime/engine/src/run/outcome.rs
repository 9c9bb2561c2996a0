//! Where outcomes enter a run: each is handed to the task that asked, once, and becomes a value of the program.

use std::sync::Arc;

use gsw_abi::types::TypeId;
use gsw_notation::json::written;
use serde_json::json;

use crate::codec::decode;
use crate::event::EventKind;
use crate::heap::Heap;
use crate::media;
use crate::operation::{ExecOutput, Failure, HttpAnswer, OperationId, Outcome, ServerReply};
use crate::run::operations::{Detached, Purpose, WrongOutcome};
use crate::run::{Run, human, raise};
use crate::scope::ScopeId;
use crate::task::TaskId;
use crate::value::{list, string};
use crate::wait::Wait;

impl Run {
    /// An outcome has come; one that was abandoned is ignored.
    pub(super) fn take_outcome(
        &mut self,
        id: OperationId,
        outcome: Outcome,
    ) -> Result<(), WrongOutcome> {
        let Some(purpose) = self.operations.accept(id, &outcome)? else {
            return Ok(());
        };
        self.doubts.ends(id);
        match (purpose, outcome) {
            // The grace period has ended, whatever the timer says: also a timer that failed must end the run.
            (Purpose::Run, _) if self.undos.holds_back_the_end() => {}
            (Purpose::Run, _) => self.drop_all(),
            // A time limit that nothing counts is none: the run must not continue as if it held.
            (Purpose::Scope(_), Outcome::Failed(failure)) => {
                let why = said_of(&mut self.heap, failure);
                self.leave_uncarried(format!("a time limit cannot be kept: {why}"));
            }
            (Purpose::Scope(scope), _) => {
                if let Some(task) = self.scopes.run_out(scope, self.doubts.count()) {
                    self.unwind(task, scope);
                }
            }
            (Purpose::Grace(task), _) => self.stopped(task, None),
            (Purpose::Stream(task), outcome) => {
                self.on_behalf_of(task, |run| run.take_piece(task, outcome));
            }
            (Purpose::Plan(plan), outcome) => self.outcome_for_plan(plan, id, outcome),
            (Purpose::Task(task), outcome) => {
                self.on_behalf_of(task, |run| run.outcome_for(task, outcome));
            }
        }
        Ok(())
    }

    fn outcome_for(&mut self, id: TaskId, outcome: Outcome) {
        let outcome = if let Outcome::Server(reply) = outcome {
            self.server_replied(id, *reply)
        } else {
            outcome
        };
        if matches!(self.scheduler.task(id).wait, Wait::Stopping { .. }) {
            self.stopped(id, Some(&outcome));
            return;
        }
        match self.scheduler.take_wait(id) {
            Wait::Operation {
                id: operation,
                result,
            } => {
                report_detached(self, operation, &outcome);
                let value = if let Outcome::Human(reply) = outcome {
                    match human::take_reply(self, id, operation, *reply) {
                        Ok(value) => value,
                        Err(again) => {
                            let wait = Wait::Operation { id: again, result };
                            self.scheduler.set_wait(id, wait);
                            return;
                        }
                    }
                } else {
                    // Not answered by a person: the question is closed, so a late answer finds none.
                    self.operations.take_question(operation);
                    word_of(self, outcome, result).map_err(|error| self.in_place_of(error))
                };
                self.scheduler.wake(id, value);
            }
            Wait::Prompt(prompt) => prompt.take_outcome(self, id, outcome),
            // Nothing else waits for an operation.
            wait @ (Wait::Nothing
            | Wait::Stopping { .. }
            | Wait::Await(_)
            | Wait::AwaitAll { .. }
            | Wait::Race(_)
            | Wait::Join
            | Wait::Abort
            | Wait::Parallel(_)
            | Wait::Undo
            | Wait::Reflect(_)
            | Wait::Plan { .. }
            | Wait::Session { .. }
            | Wait::Keyed { .. }
            | Wait::Push { .. }
            | Wait::Pop { .. }
            | Wait::Received { .. }
            | Wait::Part { .. }
            | Wait::Ending) => self.scheduler.set_wait(id, wait),
        }
    }

    /// Reports what has happened with a server; the result of the question is left.
    fn server_replied(&mut self, id: TaskId, reply: ServerReply) -> Outcome {
        let node = self.scheduler.task(id).node;
        let server: Arc<str> = reply.server.as_str().into();
        for happened in reply.happened {
            let server = Arc::clone(&server);
            self.progress
                .emit(node, EventKind::McpEvent { server, happened });
        }
        match reply.answer {
            answer @ Ok(_) => Outcome::Server(Box::new(ServerReply {
                server: reply.server,
                happened: Vec::new(),
                answer,
            })),
            Err(failure) => Outcome::Failed(failure),
        }
    }

    /// What a task had given up has ended, or is not waited for any longer.
    fn stopped(&mut self, task: TaskId, outcome: Option<&Outcome>) {
        let Wait::Stopping { id, grace } = self.scheduler.take_wait(task) else {
            return;
        };
        let late = match outcome {
            Some(Outcome::Failed(_)) => None,
            Some(_) => Some("what was cancelled here had already been done"),
            None => Some("what was cancelled here cannot be stopped and may still be done"),
        };
        match outcome {
            Some(_) => self.operations.abandon(grace),
            None => self.operations.abandon(id),
        }
        let node = self.scheduler.task(task).node;
        if let Some(message) = late {
            self.progress.warn(node, message.into());
        }
        // Only now, when what it did has ended, does the task unwind.
        let scope = self.scheduler.task_mut(task).pending.take();
        let error = raise::unwind_error(&mut self.heap, scope.unwrap_or(ScopeId::TASK));
        self.scheduler.wake(task, Err(error));
    }
}

fn said_of(heap: &mut Heap, failure: Failure) -> String {
    let raised = raise::error_of_failure(heap, failure);
    let said = raise::said_by(heap, raised);
    heap.release(raised);
    said
}

/// A run that was to be started has its id, or could not be started.
fn report_detached(run: &mut Run, operation: OperationId, outcome: &Outcome) {
    if let Some(Detached { node, workflow }) = run.operations.take_detached(operation)
        && let Outcome::Text(child) | Outcome::Earlier { run: child, .. } = outcome
    {
        if let Outcome::Earlier { differing, .. } = outcome {
            let message = format!(
                "the run `{child}` of `{workflow}` already exists, and {differing} has a different value in it: no new run is started"
            );
            run.progress.warn(node, message);
        }
        let child = child.as_str().into();
        run.progress
            .emit(node, EventKind::ChildDetached { child, workflow });
    }
}

/// An outcome as a value of the program.
fn word_of(run: &mut Run, outcome: Outcome, result: TypeId) -> Result<u64, u64> {
    Ok(match outcome {
        Outcome::Done => 0,
        Outcome::Time(it) | Outcome::Int(it) => it as u64,
        Outcome::Float(it) => it.to_bits(),
        Outcome::Bool(it) => u64::from(it),
        Outcome::Text(it) | Outcome::Earlier { run: it, .. } => {
            return string::admitted(&mut run.heap, &it);
        }
        Outcome::Json(text) => {
            return match written(&text) {
                Ok(tree) => record_of(run, result, &tree),
                Err(issue) => Err(raise::failed(
                    &mut run.heap,
                    &format!("a result cannot be read: {}", issue.message),
                )),
            };
        }
        Outcome::OptionalText(it) => {
            return it.map_or(Ok(0), |it| string::admitted(&mut run.heap, &it));
        }
        Outcome::Bytes(it) => {
            run.heap.demand(it.len() as u64)?;
            string::new_bytes(&mut run.heap, &it)
        }
        Outcome::Texts(texts) => {
            return list::of_texts(&mut run.heap, texts.iter().map(String::as_str));
        }
        Outcome::Media(it) => media::new(&mut run.heap, &it),
        Outcome::Host { tool, answer } => return host_answer(run, tool, &answer, result),
        Outcome::Exec(output) => return exec_output(run, &output, result),
        Outcome::Http(answer) => return http_answer(run, &answer, result),
        Outcome::Failed(failure) => return Err(raise::error_of_failure(&mut run.heap, failure)),
        Outcome::Server(reply) => return server_answer(run, *reply, result),
        Outcome::Model(_) => {
            return Err(raise::internal(
                &mut run.heap,
                "a model answered where nobody asked one",
            ));
        }
        Outcome::Piece(_) => {
            return Err(raise::internal(
                &mut run.heap,
                "a piece of an answer came where nobody waits for one",
            ));
        }
        Outcome::Found(_) | Outcome::GaveWay(_) => {
            return Err(raise::internal(
                &mut run.heap,
                "an answer was kept where nobody asked for one",
            ));
        }
        Outcome::Human(_) => {
            return Err(raise::internal(
                &mut run.heap,
                "a person answered where nobody was asked",
            ));
        }
    })
}

/// What a program of the system gave, as the record `Output`.
fn exec_output(run: &mut Run, output: &ExecOutput, result: TypeId) -> Result<u64, u64> {
    let tree = json!({ "code": output.code, "stdout": output.stdout, "stderr": output.stderr });
    record_of(run, result, &tree)
}

/// What a server answered, as the record `HttpResponse`.
fn http_answer(run: &mut Run, answer: &HttpAnswer, result: TypeId) -> Result<u64, u64> {
    let headers: serde_json::Map<_, _> = answer
        .headers
        .iter()
        .map(|(name, text)| (name.clone(), text.clone().into()))
        .collect();
    let tree = json!({ "status": answer.status, "headers": headers, "body": answer.body });
    record_of(run, result, &tree)
}

/// What an MCP server has answered, which may hold numbers that no program has.
fn server_answer(run: &mut Run, reply: ServerReply, result: TypeId) -> Result<u64, u64> {
    let ServerReply { server, answer, .. } = reply;
    let failure = match answer {
        Ok(text) => {
            let read = written(&text).and_then(|tree| decode::decode(run, result, &tree));
            match read {
                Ok(word) => return Ok(word),
                Err(issue) => Failure::Mcp {
                    server,
                    message: format!("its answer cannot be read: {}", issue.message),
                },
            }
        }
        Err(failure) => failure,
    };
    Err(raise::error_of_failure(&mut run.heap, failure))
}

/// What a tool of the host gave, as a value of its result type.
fn host_answer(run: &mut Run, tool: String, answer: &str, result: TypeId) -> Result<u64, u64> {
    let read = written(answer).and_then(|tree| decode::decode(run, result, &tree));
    read.map_err(|issue| {
        raise::error_of_failure(
            &mut run.heap,
            Failure::Tool {
                tool,
                message: format!("its answer does not fit: {}: {}", issue.path, issue.message),
            },
        )
    })
}

fn record_of(run: &mut Run, ty: TypeId, tree: &serde_json::Value) -> Result<u64, u64> {
    decode::decode(run, ty, tree).map_err(|issue| {
        raise::no_record(
            &mut run.heap,
            &format!("a result does not fit its record: {}", issue.message),
        )
    })
}
