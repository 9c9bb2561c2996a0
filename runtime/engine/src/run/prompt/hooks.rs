//! Hooks around the tools that a model calls: before and after each call one handler after the other, as the settings list them.
//!
//! A handler is a task of the prompt's node with a node of its own, so whatever it does is recorded and replayed as in any code,
//! and calls of one turn do not wait for each other's hooks. **Invariant**: a call that a hook has denied, or whose hook failed,
//! does not begin; a result whose hook failed does not reach the model.

use std::sync::Arc;

use gsw_abi::call::NodeKind;
use gsw_abi::hook::{Handler, Moment};
use gsw_abi::setting::Setting;
use gsw_notation::json;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::codec;
use crate::event::{EventKind, HookVerdict, TrustVerdict};
use crate::model::{Role as Speaker, Said, ToolOutcome};
use crate::run::Run;
use crate::run::input::{self, Surplus};
use crate::run::prompt::tools::{ToolRound, error_for_model};
use crate::run::prompt::{PromptRun, end};
use crate::task::{Ending, NewTask, Role, TaskId};

/// The hooks of a prompt call.
#[derive(Debug, Default)]
pub(super) struct Hooks {
    /// In the program's table, in the order of the settings.
    list: Vec<usize>,
    agent: Option<String>,
    /// What the prompt says at last, with what hooks have attached to it.
    pub(super) text: String,
    /// Whether the call continues a conversation.
    continues: bool,
}

/// How far a call of a tool is.
#[derive(Debug)]
pub(super) enum Stage {
    /// It has not begun, or has ended.
    Outside,
    /// The hook at this place of the list decides on it.
    Before(usize),
    Called,
    /// The hook at this place of the list runs after the tool.
    After(usize, ToolOutcome),
}

/// What has been decided on a call.
#[derive(Deserialize)]
struct Ruling {
    /// Why it is not made.
    denied: Option<String>,
    input: Value,
    /// Why it may contain untrusted content.
    trusted: Option<String>,
}

/// What happened to the outcome of a call.
#[derive(Deserialize)]
struct Amended {
    text: String,
    /// Whether images of the result stay beside the text.
    keeps: bool,
}

impl Hooks {
    pub(super) fn of(run: &Run, settings: &Map<String, Value>, agent: Option<&String>) -> Self {
        let hooks = &run.loaded.program.hooks;
        let names = settings
            .get(Setting::Hooks.name())
            .and_then(Value::as_array);
        let named = |name: &Value| hooks.iter().position(|it| *it.name == *name);
        Self {
            list: names.into_iter().flatten().filter_map(named).collect(),
            agent: agent.cloned(),
            text: String::new(),
            continues: false,
        }
    }

    /// The messages that the call is about to send, and whether others came before.
    pub(super) fn about(mut self, said: &[Said], earlier: usize) -> Self {
        let last = said.iter().rev().find(|it| it.role == Speaker::User);
        if let (Some(last), false) = (last, self.list.is_empty()) {
            self.text.clone_from(&last.text.text);
        }
        self.continues = earlier > 0;
        self
    }
}

impl PromptRun {
    /// The first hook with a handler for this moment, from a place of the list on.
    pub(super) fn hook_from(&self, run: &Run, moment: Moment, from: usize) -> Option<usize> {
        (from..self.hooks.list.len()).find(|it| self.handler(run, *it, moment).is_some())
    }

    fn handler<'a>(&self, run: &'a Run, at: usize, moment: Moment) -> Option<&'a Handler> {
        let hook = &run.loaded.program.hooks[self.hooks.list[at]];
        hook.handlers.iter().find(|it| it.moment == moment)
    }

    /// Starts the handler of the hook at a place of the list, which has one.
    pub(super) fn start_hook(
        &self,
        run: &mut Run,
        role: Role,
        at: HandlerAt,
        given: Given,
    ) -> Result<(), String> {
        let loaded = Arc::clone(&run.loaded);
        let hook = &loaded.program.hooks[self.hooks.list[at.hook]];
        let Some(handler) = hook.handlers.iter().find(|it| it.moment == at.moment) else {
            return Err(format!("the hook `{}` has no such handler", hook.name));
        };
        let (parameters, values) = (&handler.parameters, &given.values);
        let words = input::decode_arguments(run, parameters, values, Surplus::PassedOver)
            .map_err(|issues| format!("{issues:?}"))?;
        let frame = run.frame_with(handler.function.0, words);
        run.start_task(NewTask {
            frame,
            owner: self.node,
            kind: NodeKind::Hook,
            name: &format!("{}.{}", hook.name, at.moment.name()),
            index: None,
            input: Some(given.shown.to_string().into()),
            role,
            result: handler.result,
        });
        Ok(())
    }

    /// What distinguishes the conversation from all others.
    fn session_id(&self, run: &Run) -> String {
        format!("{}-{}", run.progress.run(), self.node.0)
    }

    /// What hooks are given of the call as a whole.
    pub(super) fn session_of_hooks(&self, run: &Run) -> Value {
        json!({
            "id": self.session_id(run), "prompt": run.tree().name(self.node).to_string(),
            "agent": self.hooks.agent, "continues": self.hooks.continues,
        })
    }

    /// What the handlers of hooks are given of a call.
    fn given(
        &self,
        round: &ToolRound,
        run: &Run,
        index: u32,
        outcome: Option<&ToolOutcome>,
    ) -> Given {
        let call = &round.calls[index as usize];
        let shown = self.observed.tool_input(Some(call.tool), &call.input);
        let prompt = run.tree().name(self.node).to_string();
        let mut values = Map::new();
        let whole = json!({
            "name": call.name, "input": call.input, "shown": shown, "id": call.id,
            "prompt": prompt, "agent": self.hooks.agent, "session": self.session_id(run),
            "untrusted": round.untrusted[index as usize],
            "tool": super::tools::declared_name(run, call),
        });
        values.insert("call".into(), whole);
        let mut seen = json!({ "call": { "name": call.name, "input": shown } });
        if let Some(it) = outcome {
            values.insert(
                "outcome".into(),
                json!({ "text": it.content, "failed": it.is_error }),
            );
            let text = self.observed.text(it.content.clone());
            seen["outcome"] = json!({ "text": text, "failed": it.is_error });
        }
        Given {
            values,
            shown: seen,
        }
    }

    /// Continues a call before which the hooks from a place of the list on are asked. Returns what goes to the model when the
    /// call is over.
    pub(super) fn before_call(
        &self,
        run: &mut Run,
        coordinator: TaskId,
        round: &mut ToolRound,
        index: u32,
        from: usize,
    ) -> Option<ToolOutcome> {
        let started = match self.hook_from(run, Moment::BeforeTool, from) {
            Some(at) => {
                round.stages[index as usize] = Stage::Before(at);
                let given = self.given(round, run, index, None);
                let role = Role::Tool { coordinator, index };
                self.start_hook(
                    run,
                    role,
                    HandlerAt {
                        hook: at,
                        moment: Moment::BeforeTool,
                    },
                    given,
                )
            }
            None if !round.untrusted[index as usize].is_empty() => {
                return Some(self.refused_as_untrusted(run, round, index));
            }
            None => {
                round.stages[index as usize] = Stage::Called;
                self.start_tool(run, coordinator, &round.calls[index as usize], index)
            }
        };
        // A call that cannot begin is an answer to the model, which can correct it, and no error of the program.
        let why = started.err()?;
        Some(self.refused(run, round, index, why))
    }

    pub(super) fn refused(
        &self,
        run: &mut Run,
        round: &mut ToolRound,
        index: u32,
        why: String,
    ) -> ToolOutcome {
        round.stages[index as usize] = Stage::Outside;
        let call = &round.calls[index as usize];
        self.refuse_call(run, call, &why);
        ToolOutcome::refused(call.id.clone(), why)
    }

    /// The call is not made: it holds untrusted content where that is not allowed, and no hook has vouched for it.
    fn refused_as_untrusted(
        &self,
        run: &mut Run,
        round: &mut ToolRound,
        index: u32,
    ) -> ToolOutcome {
        let places = std::mem::take(&mut round.untrusted[index as usize]);
        let call = &round.calls[index as usize];
        self.report_untrusted(run, call, &places, TrustVerdict::Refused, None);
        let why = self.untrusted_message(&places);
        self.refused(run, round, index, why)
    }

    /// A hook has decided on a call.
    pub(super) fn decided(
        &self,
        run: &mut Run,
        coordinator: TaskId,
        round: &mut ToolRound,
        index: u32,
        at: usize,
        ending: Ending,
    ) -> Option<ToolOutcome> {
        let of = HandlerAt {
            hook: at,
            moment: Moment::BeforeTool,
        };
        let said = match self.said_by_hook::<Ruling>(run, &mut round.raised, of, ending) {
            Ok(ruling) => ruling,
            Err(why) => {
                self.report_hook(run, of, HookVerdict::Failed, Some(&why));
                return Some(self.refused(run, round, index, why));
            }
        };
        if let Some(why) = said.denied {
            self.report_hook(run, of, HookVerdict::Denied, Some(&why));
            return Some(self.refused(run, round, index, why));
        }
        let call = &mut round.calls[index as usize];
        if call.input == said.input {
            self.report_hook(run, of, HookVerdict::Passed, None);
            if let Some(why) = said.trusted {
                let places = std::mem::take(&mut round.untrusted[index as usize]);
                if !places.is_empty() {
                    let verdict = TrustVerdict::Trusted;
                    self.report_untrusted(run, call, &places, verdict, Some(&why));
                }
            }
        } else {
            call.input = said.input;
            self.report_hook(run, of, HookVerdict::Changed, None);
            // The input that it has changed is checked again.
            let untrusted = self.untrusted_in(run, call, &round.defaults[index as usize]);
            round.untrusted[index as usize] = untrusted;
            if let Err(why) = self.complete_for_hooks(run, round, index as usize) {
                return Some(self.refused(run, round, index, why));
            }
        }
        if is_stopping(run, coordinator, round) {
            return Some(self.refused(run, round, index, "cancelled".into()));
        }
        self.before_call(run, coordinator, round, index, at + 1)
    }

    /// Continues with the outcome of a call, for which the hooks from a place of the list on run.
    pub(super) fn after_call(
        &self,
        run: &mut Run,
        coordinator: TaskId,
        round: &mut ToolRound,
        index: u32,
        from: usize,
        outcome: ToolOutcome,
    ) -> Option<ToolOutcome> {
        let Some(at) = self.hook_from(run, Moment::AfterTool, from) else {
            return Some(outcome);
        };
        if is_stopping(run, coordinator, round) {
            return Some(outcome);
        }
        let given = self.given(round, run, index, Some(&outcome));
        let role = Role::Tool { coordinator, index };
        match self.start_hook(
            run,
            role,
            HandlerAt {
                hook: at,
                moment: Moment::AfterTool,
            },
            given,
        ) {
            Ok(()) => {
                round.stages[index as usize] = Stage::After(at, outcome);
                None
            }
            Err(why) => Some(withheld(outcome, &why)),
        }
    }

    /// A hook that runs after a tool has ended.
    pub(super) fn amended(
        &mut self,
        run: &mut Run,
        coordinator: TaskId,
        round: &mut ToolRound,
        (index, at): (u32, usize),
        (mut outcome, ending): (ToolOutcome, Ending),
    ) -> Option<ToolOutcome> {
        let of = HandlerAt {
            hook: at,
            moment: Moment::AfterTool,
        };
        match self.said_by_hook::<Option<Amended>>(run, &mut round.raised, of, ending) {
            Ok(None) => self.report_hook(run, of, HookVerdict::Passed, None),
            Ok(Some(Amended { text, keeps })) => {
                self.report_hook(run, of, HookVerdict::Changed, None);
                self.observed.replace_result(&outcome.id, &text);
                self.note_foreign("what a hook has made of a result");
                if !keeps {
                    outcome.media.clear();
                }
                outcome.content = text;
            }
            Err(why) => {
                self.report_hook(run, of, HookVerdict::Failed, Some(&why));
                let outcome = withheld(outcome, &why);
                self.observed.replace_result(&outcome.id, &outcome.content);
                return Some(outcome);
            }
        }
        self.after_call(run, coordinator, round, index, at + 1, outcome)
    }

    /// What a handler has returned, or why it has returned nothing. An error that the language lets through is kept for the
    /// program.
    pub(super) fn said_by_hook<T: serde::de::DeserializeOwned>(
        &self,
        run: &mut Run,
        raised: &mut Option<u64>,
        at: HandlerAt,
        ending: Ending,
    ) -> Result<T, String> {
        let name = &run.loaded.program.hooks[self.hooks.list[at.hook]].name;
        match ending {
            Ending::Value(value) => {
                let ty = self.handler(run, at.hook, at.moment).map(|it| it.result);
                let ty = ty.unwrap_or(gsw_abi::builtin::UNIT);
                let text = codec::encode(&run.heap, ty, value);
                let name = name.clone();
                run.heap.release_typed(ty, value);
                json::read(&text).map_err(|it| format!("the hook `{name}`: {it}"))
            }
            Ending::Error(error) => {
                let why = format!(
                    "the hook `{name}` failed: {}",
                    error_for_model(&run.heap, error)
                );
                if end::passes_the_model(error) && raised.is_none() {
                    *raised = Some(error);
                } else {
                    run.heap.release(error);
                }
                Err(why)
            }
            Ending::Cancelled => Err("cancelled".into()),
        }
    }

    pub(super) fn report_hook(
        &self,
        run: &mut Run,
        at: HandlerAt,
        verdict: HookVerdict,
        reason: Option<&str>,
    ) {
        let hook = run.loaded.program.hooks[self.hooks.list[at.hook]]
            .name
            .clone();
        let kind = EventKind::Hook {
            hook,
            moment: at.moment,
            verdict,
            reason: reason.map(|it| self.observed.text(it.to_owned())),
        };
        run.progress.emit(self.node, kind);
    }
}

/// A handler: the place of its hook in the list of the call, and its moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct HandlerAt {
    pub hook: usize,
    pub moment: Moment,
}

/// What a handler is given, by name, and what observers see of it.
pub(super) struct Given {
    pub values: Map<String, Value>,
    pub shown: Value,
}

/// The outcome of a call whose hook has failed: what the hook would have taken out of it is unknown.
fn withheld(outcome: ToolOutcome, why: &str) -> ToolOutcome {
    let why = format!("the tool was called, and what it gave is withheld: {why}");
    ToolOutcome::refused(outcome.id, why)
}

/// Whether the tools of the round are being cancelled, so that nothing is started any more.
fn is_stopping(run: &Run, coordinator: TaskId, round: &ToolRound) -> bool {
    round.raised.is_some() || is_unwinding(run, coordinator)
}

pub(super) fn is_unwinding(run: &Run, task: TaskId) -> bool {
    let task = run.scheduler.task(task);
    task.pending.is_some() && task.shield == 0
}
