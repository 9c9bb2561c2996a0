//! Tools that a model calls: tasks of the prompt's node, whose results go back to the model as text.

use std::sync::Arc;

use gsw_abi::builtin::{ERROR, UNIT};
use gsw_abi::call::NodeKind;
use gsw_abi::hook::Moment;
use gsw_abi::program::{Repeat, Tool, ToolBody};
use gsw_notation::text::shortened;
use serde_json::Value;

use crate::codec::{self, places};
use crate::heap::Heap;
use crate::model::{PromptEvent, ToolCall, ToolOutcome};
use crate::node::{NewNode, Status};
use crate::run::input::{self, Surplus};
use crate::run::introspection::too_many_questions;
use crate::run::prompt::around::{Around, Ended};
use crate::run::prompt::hooks::Stage;
use crate::run::prompt::outcome::{self, Given};
use crate::run::prompt::{PromptRun, arguments, completed, end};
use crate::run::{Run, raise};
use crate::task::{Ending, NewTask, Role, TaskId};
use crate::value::{self, error};
use crate::wait::Wait;

/// The tools of one turn of a model.
#[derive(Debug)]
pub(super) struct ToolRound {
    pub(super) calls: Vec<ToolCall>,
    /// How far each of them is.
    pub(super) stages: Vec<Stage>,
    /// The places in each of them that hold what a stranger may have written and must not, see `trust`.
    pub(super) untrusted: Vec<Vec<String>>,
    /// What the program has written into each of them, as the default of something that the model has left out.
    pub(super) defaults: Vec<Vec<String>>,
    outcomes: Vec<Option<ToolOutcome>>,
    running: usize,
    /// An error that goes to the program.
    pub(super) raised: Option<u64>,
}

impl PromptRun {
    /// Whether tools or hooks of it have not ended.
    pub(crate) fn has_running_tools(&self) -> bool {
        self.tools.as_ref().is_some_and(|it| it.running > 0)
            || self.around.as_ref().is_some_and(Around::is_asked)
    }

    /// Starts the tools; returns the outcomes when none of them could be started.
    pub(super) fn call_tools(
        &mut self,
        run: &mut Run,
        task: TaskId,
        calls: Vec<ToolCall>,
    ) -> Option<Vec<ToolOutcome>> {
        let mut round = ToolRound {
            stages: calls.iter().map(|_| Stage::Outside).collect(),
            untrusted: calls
                .iter()
                .map(|it| self.untrusted_in(run, it, &[]))
                .collect(),
            defaults: vec![Vec::new(); calls.len()],
            outcomes: vec![None; calls.len()],
            calls,
            running: 0,
            raised: None,
        };
        for index in 0..round.calls.len() {
            self.observed.note_call(&round.calls[index]);
            let outcome = match self.complete_for_hooks(run, &mut round, index) {
                Ok(()) => self.before_call(run, task, &mut round, index as u32, 0),
                Err(why) => Some(self.refused(run, &mut round, index as u32, why)),
            };
            round.running += usize::from(outcome.is_none());
            round.outcomes[index] = outcome.map(outcome::bounded);
        }
        if round.running == 0 {
            return Some(round.outcomes.into_iter().flatten().collect());
        }
        self.tools = Some(round);
        None
    }

    /// Hooks are asked about calls alone that can be made as they are, and see all that the tool would get.
    pub(super) fn complete_for_hooks(
        &self,
        run: &mut Run,
        round: &mut ToolRound,
        index: usize,
    ) -> Result<(), String> {
        let moments = [Moment::BeforeTool, Moment::AfterTool];
        if moments
            .iter()
            .all(|it| self.hook_from(run, *it, 0).is_none())
        {
            return Ok(());
        }
        let loaded = Arc::clone(&run.loaded);
        let call = &mut round.calls[index];
        let Some(tool) = loaded.program.tools.get(call.tool as usize) else {
            return Ok(());
        };
        let words = arguments_of(run, tool, call)?;
        let written = completed::complete(run, &tool.parameters, words, &mut call.input);
        round.defaults[index].extend(written);
        if tool.body == ToolBody::SpawnRequest {
            let written = completed::complete_spawn(run, self.node, &mut call.input);
            round.defaults[index].extend(written);
        }
        Ok(())
    }

    pub(super) fn start_tool(
        &self,
        run: &mut Run,
        coordinator: TaskId,
        call: &ToolCall,
        index: u32,
    ) -> Result<(), String> {
        let loaded = Arc::clone(&run.loaded);
        let tool = loaded
            .program
            .tools
            .get(call.tool as usize)
            .ok_or_else(|| format!("there is no tool `{}`", call.name))?;
        let words = arguments_of(run, tool, call)?;
        if tool.body == ToolBody::Question && !run.introspection.begin_question(&self.asked_by) {
            // Decoded before the limit was asked, so that a wrong question is refused for what is wrong with it.
            for (parameter, word) in tool.parameters.iter().zip(words) {
                run.heap.release_typed(parameter.ty, word);
            }
            return Err(too_many_questions());
        }
        // Whether what it asks for may be repeated is known only when it is granted.
        let is_request = matches!(tool.body, ToolBody::SpawnRequest | ToolBody::WrittenRequest);
        if tool.repeat == Repeat::Once && !is_request {
            run.progress.forbid_repeats(self.node);
        }
        let frame = run.frame_with(tool.function.0, words);
        run.start_task(NewTask {
            frame,
            owner: self.node,
            // The tool's own code finds this node as its own.
            kind: NodeKind::Tool,
            name: &tool.name,
            index: None,
            input: None,
            role: Role::Tool { coordinator, index },
            result: tool.result,
        });
        Ok(())
    }

    /// A tool itself has ended. Returns what goes to the model when no hook runs after it.
    fn called(
        &mut self,
        run: &mut Run,
        coordinator: TaskId,
        round: &mut ToolRound,
        index: u32,
        ending: Ending,
    ) -> Option<ToolOutcome> {
        let call = &round.calls[index as usize];
        if tool_of(run, call).is_some_and(|it| it.body == ToolBody::Question) {
            run.introspection.end_question(&self.asked_by);
        }
        let was_cancelled = ending == Ending::Cancelled;
        let (outcome, shown) = outcome_of_tool(run, call, ending, &mut round.raised);
        if let Some(shown) = shown {
            let content = &outcome.content;
            self.observed.note_result(&call.id, content, shown);
        }
        if was_cancelled {
            return Some(outcome);
        }
        self.note_origin(tool_of(run, call), &outcome);
        self.after_call(run, coordinator, round, index, 0, outcome)
    }

    /// A call of an offered tool that does not even begin.
    pub(super) fn refuse_call(&self, run: &mut Run, call: &ToolCall, why: &str) {
        let name = declared_name(run, call);
        let input = self.observed.tool_input(Some(call.tool), &call.input);
        self.report_refused(run, &name, &input, why);
    }

    /// A call that does not even begin is a node and reported like any other; of its input, what observers see.
    pub(super) fn report_refused(&self, run: &mut Run, name: &str, input: &Value, why: &str) {
        let why = self.observed.text(why.to_owned());
        let node = run.enter_node(NewNode {
            parent: self.node,
            kind: NodeKind::Tool,
            name,
            index: None,
            status: Status::Running,
            input: Some(input.to_string().into()),
        });
        run.leave_node(node, Status::Failed, Some(why.into()));
    }
}

/// The words of a call's arguments, or what is wrong with them.
fn arguments_of(run: &mut Run, tool: &Tool, call: &ToolCall) -> Result<Vec<u64>, String> {
    // None of it may be lost: a parameter with a default would have that. Providers give an object where nothing is said.
    let Some(input) = call.input.as_object() else {
        let found = shortened(&call.input.to_string(), 200);
        return Err(format!("the arguments are no JSON object: {found}"));
    };
    // Strict, with all issues at once, so that the model can correct them in one turn.
    // What does not fit is told to the model, which has said it. Observers see less (`Observed`).
    let hidden = run.heap.set_hidden_aside();
    let words = input::decode_arguments(run, &tool.parameters, input, Surplus::Refused);
    run.heap.take_hidden_back(hidden);
    words.map_err(|issues| arguments::unfit(&tool.parameters, &issues))
}

/// A tool, or a hook before or after it, has ended; its ending is handed over.
pub(crate) fn tool_ended(run: &mut Run, coordinator: TaskId, index: u32, ending: Ending) {
    let Wait::Prompt(mut prompt) = run.scheduler.take_wait(coordinator) else {
        unreachable!("who runs a prompt waits for its tools");
    };
    if let Some(around) = prompt.around.take() {
        return prompt.around_ended(run, coordinator, around, ending);
    }
    let node = prompt.node;
    let Some(mut round) = prompt.tools.take() else {
        unreachable!("a tool ends in the round that started it");
    };
    let stage = std::mem::replace(&mut round.stages[index as usize], Stage::Outside);
    let round_of = &mut round;
    let outcome = match stage {
        Stage::Before(at) => prompt.decided(run, coordinator, round_of, index, at, ending),
        Stage::Called | Stage::Outside => prompt.called(run, coordinator, round_of, index, ending),
        Stage::After(at, outcome) => {
            prompt.amended(run, coordinator, round_of, (index, at), (outcome, ending))
        }
    };
    if outcome.is_some() {
        round.running -= 1;
        round.outcomes[index as usize] = outcome.map(outcome::bounded);
    }
    let (must_stop, is_over) = (round.raised.is_some(), round.running == 0);
    prompt.tools = Some(round);
    run.scheduler.set_wait(coordinator, Wait::Prompt(prompt));
    // The error goes to the program, so the results of the other tools of the round are not used.
    if must_stop {
        run.cancel_tasks_of(node);
    }
    // Not resumed here: the task that has ended is still in the list of the prompt's node.
    if is_over {
        run.scheduler.set_joiner(node, coordinator);
    }
}

/// The tool of a call.
fn tool_of<'a>(run: &'a Run, call: &ToolCall) -> Option<&'a Tool> {
    run.loaded.program.tools.get(call.tool as usize)
}

/// The name that the tool of a call is declared by, whatever the model calls it.
pub(super) fn declared_name(run: &Run, call: &ToolCall) -> String {
    tool_of(run, call).map_or_else(|| call.name.clone(), |it| it.name.clone())
}

/// What goes back to the model for a call, and what observers see of that where it is something else.
fn outcome_of_tool(
    run: &mut Run,
    call: &ToolCall,
    ending: Ending,
    raised: &mut Option<u64>,
) -> (ToolOutcome, Option<String>) {
    let id = call.id.clone();
    let outcome = match ending {
        Ending::Value(value) => {
            let ty = tool_of(run, call).map_or(UNIT, |it| it.result);
            let Given { text, media } = outcome::given(&run.heap, ty, value);
            let shown = places::hides(&run.loaded.types, ty)
                .then(|| codec::encode_redacted(&run.heap, ty, value));
            run.heap.release_typed(ty, value);
            let outcome = ToolOutcome {
                id,
                content: text,
                is_error: false,
                media,
            };
            return (outcome, shown);
        }
        Ending::Error(error) => {
            let content = error_for_model(&run.heap, error);
            // Only the first: a program gets one error, and later ones are mostly its consequence.
            if end::passes_the_model(error) && raised.is_none() {
                *raised = Some(error);
            } else {
                run.heap.release(error);
            }
            ToolOutcome::refused(id, content)
        }
        Ending::Cancelled => ToolOutcome::refused(id, "cancelled".into()),
    };
    (outcome, None)
}

/// All tools of a round have ended and are out of the list of the prompt's node.
pub(crate) fn tools_are_over(run: &mut Run, coordinator: TaskId) {
    let Wait::Prompt(mut prompt) = run.scheduler.take_wait(coordinator) else {
        return;
    };
    if let Some(around) = prompt.around.take() {
        return prompt.go_on_around(run, coordinator, around);
    }
    let Some(round) = prompt.tools.take() else {
        run.scheduler.set_wait(coordinator, Wait::Prompt(prompt));
        return;
    };
    let task = run.scheduler.task(coordinator);
    let unwinding = task.pending.filter(|_| task.shield == 0);
    let result = match (unwinding, round.raised) {
        (None, None) => {
            let outcomes = round.outcomes.into_iter().flatten().collect();
            prompt.go_on(run, coordinator, PromptEvent::ToolsAnswered(outcomes));
            return;
        }
        (None, Some(error)) => {
            return prompt.conclude(run, coordinator, Ended::with_error(error));
        }
        (Some(scope), raised) => {
            if let Some(error) = raised {
                run.heap.release(error);
            }
            run.scheduler.task_mut(coordinator).pending = None;
            // The unwinding is the end of the prompt's own budget, which its caller sees as `BudgetExceeded`.
            if prompt.is_limited_by(scope) {
                let error = prompt.out_of_time_error(run);
                return prompt.conclude(run, coordinator, Ended::with_error(error));
            }
            raise::unwind_error(&mut run.heap, scope)
        }
    };
    let result = prompt.end(run, Err(result), None);
    prompt.hand_back(run, coordinator, result);
}

/// A built-in error in a sentence; a program's own, which may say more, with its fields.
pub(super) fn error_for_model(heap: &Heap, error: u64) -> String {
    let has_fields = !error::fields(heap, value::type_of(error)).is_empty();
    if error::kind(error).is_none() && has_fields {
        codec::encode_redacted(heap, ERROR, error)
    } else {
        error::message(heap, error)
    }
}
