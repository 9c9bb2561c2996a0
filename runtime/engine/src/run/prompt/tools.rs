//! Tools that a model calls: tasks of the prompt's node, whose results go back to the model as text.

use std::sync::Arc;

use gsw_abi::builtin::{ERROR, UNIT};
use gsw_abi::call::NodeKind;
use gsw_abi::program::{Repeat, Tool, ToolBody};
use gsw_abi::types::{Type, TypeId};
use serde_json::{Map, Value};

use crate::codec::{self, places};
use crate::model::{PromptEvent, ToolCall, ToolOutcome};
use crate::node::{NewNode, Status};
use crate::run::Run;
use crate::run::introspection::too_many_questions;
use crate::run::native;
use crate::run::prompt::{PromptRun, arguments};
use crate::run::spawn::NewTask;
use crate::task::{Ending, Role, TaskId};
use crate::value::{self, error, string};
use crate::wait::Wait;

/// The tools of one turn of a model.
#[derive(Debug)]
pub(super) struct ToolRound {
    calls: Vec<ToolCall>,
    outcomes: Vec<Option<ToolOutcome>>,
    running: usize,
    /// An error that goes to the program.
    raised: Option<u64>,
}

impl PromptRun {
    /// Whether tools of it have not ended.
    pub(crate) fn has_running_tools(&self) -> bool {
        self.tools.as_ref().is_some_and(|it| it.running > 0)
    }
}

impl Run {
    /// Starts the tools; gives the outcomes when none of them could be started.
    pub(super) fn call_tools(
        &mut self,
        task: TaskId,
        prompt: &mut PromptRun,
        calls: Vec<ToolCall>,
    ) -> Option<Vec<ToolOutcome>> {
        let mut round = ToolRound {
            outcomes: vec![None; calls.len()],
            calls,
            running: 0,
            raised: None,
        };
        for index in 0..round.calls.len() {
            let call = &round.calls[index];
            prompt.observed.note_call(call);
            match self.start_tool(task, prompt, call, index as u32) {
                Ok(()) => round.running += 1,
                Err(content) => {
                    self.refuse_call(prompt, call, &content);
                    round.outcomes[index] = Some(ToolOutcome {
                        id: call.id.clone(),
                        content,
                        is_error: true,
                    });
                }
            }
        }
        if round.running == 0 {
            return Some(round.outcomes.into_iter().flatten().collect());
        }
        prompt.tools = Some(round);
        None
    }

    fn start_tool(
        &mut self,
        coordinator: TaskId,
        prompt: &PromptRun,
        call: &ToolCall,
        index: u32,
    ) -> Result<(), String> {
        let loaded = Arc::clone(&self.loaded);
        let tool = loaded
            .program
            .tools
            .get(call.tool as usize)
            .ok_or_else(|| format!("there is no tool `{}`", call.name))?;
        let empty = Map::new();
        let input = call.input.as_object().unwrap_or(&empty);
        let words = self
            .decode_arguments(&tool.parameters, input)
            .map_err(|issues| arguments::unfit(&tool.parameters, &issues))?;
        if tool.body == ToolBody::Question && !self.introspection.begin_question(&prompt.asked_by) {
            for (parameter, word) in tool.parameters.iter().zip(words) {
                self.heap.release_typed(parameter.ty, word);
            }
            return Err(too_many_questions());
        }
        // Whether what it asks for may be repeated is known only when it is granted.
        if tool.repeat == Repeat::Once && tool.body != ToolBody::SpawnRequest {
            self.note_once(prompt.node);
        }
        let frame = self.bottom_frame(tool.function.0);
        for (slot, word) in words.into_iter().enumerate() {
            // SAFETY: the loader checked that the tool's function takes so many parameters.
            unsafe { native::write_slot(frame, slot, word) };
        }
        self.start_task(NewTask {
            frame,
            owner: prompt.node,
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

    /// A tool has ended; its ending is handed over.
    pub(crate) fn tool_ended(&mut self, coordinator: TaskId, index: u32, ending: Ending) {
        let Wait::Prompt(mut prompt) = std::mem::take(&mut self.tasks.at_mut(coordinator).wait)
        else {
            unreachable!("who runs a prompt waits for its tools");
        };
        let node = prompt.node;
        if self.is_question(&prompt, index) {
            self.introspection.end_question(&prompt.asked_by);
        }
        let Some(round) = &mut prompt.tools else {
            unreachable!("a tool ends in the round that started it");
        };
        let call = round.calls[index as usize].clone();
        let (outcome, shown) = self.outcome_of_tool(&call, ending, &mut round.raised);
        if let Some(shown) = shown {
            let content = &outcome.content;
            prompt.observed.note_result(&call.id, content, shown);
        }
        round.running -= 1;
        round.outcomes[index as usize] = Some(outcome);
        let (must_stop, is_over) = (round.raised.is_some(), round.running == 0);
        self.tasks.at_mut(coordinator).wait = Wait::Prompt(prompt);
        if must_stop {
            self.cancel_tasks_of(node);
        }
        if is_over {
            self.tree.node_mut(node).joiner = coordinator;
        }
    }

    fn is_question(&self, prompt: &PromptRun, index: u32) -> bool {
        let call = prompt
            .tools
            .as_ref()
            .and_then(|it| it.calls.get(index as usize));
        call.and_then(|call| self.tool_of(call))
            .is_some_and(|it| it.body == ToolBody::Question)
    }

    /// The tool that a call is of.
    fn tool_of(&self, call: &ToolCall) -> Option<&Tool> {
        self.loaded.program.tools.get(call.tool as usize)
    }

    /// A call of an offered tool that does not even begin.
    fn refuse_call(&mut self, prompt: &PromptRun, call: &ToolCall, why: &str) {
        let tool = self.tool_of(call);
        let name = tool.map_or_else(|| call.name.clone(), |it| it.name.clone());
        let input = prompt.observed.tool_input(Some(call.tool), &call.input);
        self.tell_refused(prompt, &name, &input, why);
    }

    /// A call that does not even begin is a node and told of like any other; of its input, what observers see.
    pub(super) fn tell_refused(
        &mut self,
        prompt: &PromptRun,
        name: &str,
        input: &Value,
        why: &str,
    ) {
        let why = prompt.observed.text(why.to_owned());
        let node = self.enter_node(NewNode {
            parent: prompt.node,
            kind: NodeKind::Tool,
            name,
            index: None,
            status: Status::Running,
            input: Some(input.to_string().into()),
        });
        self.leave_node(node, Status::Failed, Some(why.into()));
    }

    /// What the model is told of a call, and what observers see of that where it is something else.
    fn outcome_of_tool(
        &mut self,
        call: &ToolCall,
        ending: Ending,
        raised: &mut Option<u64>,
    ) -> (ToolOutcome, Option<String>) {
        let id = call.id.clone();
        let outcome = match ending {
            Ending::Value(value) => {
                let ty = self.tool_of(call).map_or(UNIT, |it| it.result);
                let content = self.text_for_model(ty, value);
                let shown = places::hides(&self.loaded.types, ty)
                    .then(|| codec::encode_redacted(&self.heap, ty, value));
                self.heap.release_typed(ty, value);
                let outcome = ToolOutcome {
                    id,
                    content,
                    is_error: false,
                };
                return (outcome, shown);
            }
            Ending::Error(error) => {
                let content = self.error_for_model(error);
                if self.passes_the_model(error) && raised.is_none() {
                    *raised = Some(error);
                } else {
                    self.heap.release(error);
                }
                ToolOutcome {
                    id,
                    content,
                    is_error: true,
                }
            }
            Ending::Cancelled => ToolOutcome {
                id,
                content: "cancelled".into(),
                is_error: true,
            },
        };
        (outcome, None)
    }

    /// All tools of a round have ended and are out of the list of the prompt's node.
    pub(crate) fn tools_are_over(&mut self, coordinator: TaskId) {
        let Wait::Prompt(mut prompt) = std::mem::take(&mut self.tasks.at_mut(coordinator).wait)
        else {
            return;
        };
        let Some(round) = prompt.tools.take() else {
            self.tasks.at_mut(coordinator).wait = Wait::Prompt(prompt);
            return;
        };
        let task = self.tasks.at(coordinator);
        let unwinding = task.pending.filter(|_| task.shield == 0);
        let result = match (unwinding, round.raised) {
            (None, None) => {
                let outcomes = round.outcomes.into_iter().flatten().collect();
                self.go_on_with_prompt(coordinator, prompt, PromptEvent::ToolsAnswered(outcomes));
                return;
            }
            (None, Some(error)) => error,
            (Some(scope), raised) => {
                if let Some(error) = raised {
                    self.heap.release(error);
                }
                self.tasks.at_mut(coordinator).pending = None;
                if Self::is_budget_of(&prompt, scope) {
                    self.prompt_over_budget(&prompt)
                } else {
                    self.unwind_error(scope)
                }
            }
        };
        let result = self.end_prompt(&prompt, Err(result), None);
        self.give_prompt(coordinator, &prompt, result);
    }

    /// A built-in error in a sentence; a program's own, which may say more, with its fields.
    fn error_for_model(&self, error: u64) -> String {
        let has_fields = !error::fields(&self.heap, value::type_of(error)).is_empty();
        match error::kind(error) {
            None if has_fields => codec::encode_redacted(&self.heap, ERROR, error),
            _ => error::message(&self.heap, error),
        }
    }

    /// Text goes to a model as it is, everything else as JSON.
    fn text_for_model(&self, ty: TypeId, word: u64) -> String {
        match self.loaded.types.get(self.loaded.types.base(ty)) {
            Type::String | Type::Literals(_) => string::text(word).to_owned(),
            _ => codec::encode(&self.heap, ty, word),
        }
    }
}
