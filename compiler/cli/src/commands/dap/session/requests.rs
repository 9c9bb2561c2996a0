//! Requests of the protocol, each to its answer.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::following::Following;
use super::{Back, NEVER, Next, Session};
use crate::commands::dap::breakpoints::{Stops, Why};
use crate::commands::dap::expression::Expression;
use crate::commands::dap::follower::{Because, How, Mode};
use crate::commands::dap::guard::Guard;
use crate::commands::dap::launch::{Launch, NEWEST};
use crate::commands::dap::shown::{Named, Part};

impl Session {
    pub(super) fn request(&mut self, request: &Value) -> Next {
        let command = request["command"].as_str().unwrap_or_default();
        let arguments = &request["arguments"];
        let is_beginning = command == "configurationDone" && self.is_launched_only();
        let answer = match command {
            "initialize" => Ok(capabilities()),
            "launch" => self.launched(arguments),
            "attach" => self.attached(arguments),
            "configurationDone" => self.begin().map(|()| Value::Null),
            "setBreakpoints" => self.set_lines(arguments),
            "setFunctionBreakpoints" => self.set_names(arguments),
            "setExceptionBreakpoints" => Ok(self.set_errors(arguments)),
            "threads" => Ok(self.threads()),
            "stackTrace" => self.stack(arguments),
            "scopes" => self.scopes(arguments),
            "variables" => self.variables(arguments),
            "evaluate" => self.evaluate(arguments),
            "exceptionInfo" => self.exception(),
            "continue" => {
                let until = self.until();
                let going = self.go(Mode::Go { until });
                going.map(|()| json!({ "allThreadsContinued": true }))
            }
            "next" => self.step(How::Over).map(|()| Value::Null),
            "stepIn" => self.step(How::In).map(|()| Value::Null),
            "stepOut" => self.step(How::Out).map(|()| Value::Null),
            "stepBack" => self.back(Back::Step).map(|()| Value::Null),
            "reverseContinue" => self.back(Back::Continue).map(|()| Value::Null),
            "pause" => self.pause().map(|()| Value::Null),
            "terminate" => self.cancel().map(|()| Value::Null),
            "disconnect" => {
                self.end();
                self.output.respond(request, Ok(Value::Null));
                return Next::End;
            }
            "" => Err("this is no request".to_owned()),
            other => Err(format!("`{other}` is not supported")),
        };
        let is_launched = matches!(command, "launch" | "attach") && answer.is_ok();
        let is_lost = is_beginning && answer.is_err();
        self.output.respond(request, answer);
        if is_lost {
            // There is no run, and none will come.
            self.output.event("terminated", json!({}));
        }
        if is_launched {
            // Only now is it known which lines have statements.
            self.output.event("initialized", json!({}));
        }
        Next::Request
    }

    fn launched(&mut self, arguments: &Value) -> Result<Value, String> {
        if self.program.is_some() {
            return Err("a program was launched already".to_owned());
        }
        let launch = serde_json::from_value::<Launch>(arguments.clone());
        self.launch = launch.map_err(|error| format!("the arguments: {error}"))?;
        let program = self.launch.compiled()?;
        if !program.remarks.is_empty() {
            self.say("console", program.remarks.trim_end());
        }
        self.program = Some(program);
        Ok(Value::Null)
    }

    /// A run of another process is followed.
    fn attached(&mut self, arguments: &Value) -> Result<Value, String> {
        let answer = self.launched(arguments)?;
        self.launch.run.get_or_insert_with(|| NEWEST.to_owned());
        self.following = Some(Following::default());
        Ok(answer)
    }

    fn set_lines(&self, arguments: &Value) -> Result<Value, String> {
        let program = self.program.as_ref().ok_or("nothing was launched")?;
        let path = arguments["source"]["path"].as_str().unwrap_or_default();
        let wanted = arguments["breakpoints"].as_array();
        let mut set = BTreeMap::new();
        let answers: Vec<Value> = wanted
            .into_iter()
            .flatten()
            .map(|it| {
                let line = it["line"].as_u64().unwrap_or_default();
                let at = u32::try_from(line).ok();
                let found = at.and_then(|it| program.lines.at(path, it));
                match (found, Guard::read(it)) {
                    (Some((line, span)), Ok(guard)) => {
                        set.insert(span, guard);
                        json!({ "verified": true, "line": line })
                    }
                    (Some(_), Err(why)) => unverified(line, &why),
                    (None, _) => {
                        unverified(line, "no statement of the program stands here or below")
                    }
                }
            })
            .collect();
        self.breakpoints().lines.insert(path.to_owned(), set);
        Ok(json!({ "breakpoints": answers }))
    }

    fn set_names(&self, arguments: &Value) -> Result<Value, String> {
        let program = self.program.as_ref().ok_or("nothing was launched")?;
        let wanted = arguments["breakpoints"].as_array();
        let mut names = Vec::new();
        let answers: Vec<Value> = wanted
            .into_iter()
            .flatten()
            .map(|it| match Guard::read(it) {
                Ok(guard) => {
                    let name = it["name"].as_str().unwrap_or_default();
                    names.push((name.to_owned(), guard));
                    // The name of a step is known when it begins.
                    json!({ "verified": true })
                }
                Err(why) => json!({ "verified": false, "message": why }),
            })
            .collect();
        self.breakpoints().set_names(names, &program.tables);
        Ok(json!({ "breakpoints": answers }))
    }

    fn set_errors(&self, arguments: &Value) -> Value {
        let filters = arguments["filters"].as_array();
        let is_set = |name: &str| match filters.into_iter().flatten().any(|it| it == name) {
            true => Stops::Yes,
            false => Stops::No,
        };
        let mut breakpoints = self.breakpoints();
        breakpoints.raised = is_set("raised");
        breakpoints.uncaught = is_set("uncaught");
        Value::Null
    }

    fn threads(&mut self) -> Value {
        let Some(at) = self.stopped.clone() else {
            // A running program cannot be inspected.
            return json!({ "threads": [{ "id": 1, "name": "main" }] });
        };
        let follower = self.current().cloned();
        let threads = follower.and_then(|it| it.look(|run| run.debug_threads()));
        let mut list = Vec::new();
        for thread in threads.unwrap_or_default() {
            let id = self.thread(&at.run, thread.task);
            list.push(json!({ "id": id, "name": thread.name }));
        }
        let current = self.thread(&at.run, at.task);
        if list.iter().all(|it| it["id"] != json!(current)) {
            list.push(json!({ "id": current, "name": "main" }));
        }
        json!({ "threads": list })
    }

    fn stack(&mut self, arguments: &Value) -> Result<Value, String> {
        let at = self.stopped.clone().ok_or("the program is not paused")?;
        let thread = arguments["threadId"].as_u64().unwrap_or_default();
        let task = u32::try_from((thread & 0xffff_ffff).saturating_sub(1)).unwrap_or(at.task);
        if self.runs.get((thread >> 32) as usize) != Some(&at.run) {
            return Ok(json!({ "stackFrames": [], "totalFrames": 0 }));
        }
        let follower = self.current().cloned().ok_or("nothing runs")?;
        let frames = follower.look(move |run| run.debug_frames(task));
        let frames = frames.unwrap_or_default();
        let start = arguments["startFrame"].as_u64().unwrap_or_default() as usize;
        let levels = arguments["levels"].as_u64().filter(|it| *it > 0);
        let levels = levels.map_or(usize::MAX, |it| it as usize);
        let count = frames.len();
        let mut list = Vec::new();
        for (index, frame) in frames.into_iter().enumerate().skip(start).take(levels) {
            let mut shown = json!({
                "id": self.shown.frame_number(task, index),
                "name": frame.function,
                "line": 0,
                "column": 0,
            });
            if let Some(place) = frame.place {
                let file = std::path::Path::new(&place.file);
                let name = file.file_name().unwrap_or_default().to_string_lossy();
                shown["line"] = json!(place.line);
                shown["column"] = json!(place.column);
                shown["source"] = json!({ "name": name, "path": place.file });
            }
            list.push(shown);
        }
        Ok(json!({ "stackFrames": list, "totalFrames": count }))
    }

    fn scopes(&mut self, arguments: &Value) -> Result<Value, String> {
        let number = arguments["frameId"].as_u64().unwrap_or_default();
        let frame = self.shown.frame(number as usize);
        let (task, frame) = frame.ok_or("there is no such frame")?;
        let number = self.shown.part_number(Part::Scope(task, frame));
        let locals = json!({
            "name": "Names",
            "presentationHint": "locals",
            "variablesReference": number,
            "expensive": false,
        });
        Ok(json!({ "scopes": [locals] }))
    }

    /// The names in scope in a frame with what they hold.
    fn names(&self, task: u32, frame: usize) -> Result<Vec<Named>, String> {
        let follower = self.current().filter(|_| self.stopped.is_some());
        let found = follower.and_then(|it| it.look(move |run| run.debug_variables(task, frame)));
        let found = found.ok_or("the program is not paused")?;
        Ok(found
            .into_iter()
            .map(|it| Named {
                name: it.name,
                ty: it.ty,
                value: gsw_notation::json::written(&it.json).unwrap_or(Value::Null),
            })
            .collect())
    }

    fn variables(&mut self, arguments: &Value) -> Result<Value, String> {
        let number = arguments["variablesReference"].as_u64().unwrap_or_default();
        let part = self.shown.part(number as usize);
        let list = match part.ok_or("there is nothing of this number")? {
            Part::Scope(task, frame) => {
                let names = self.names(task, frame)?.into_iter();
                names.map(|it| self.shown.named(it)).collect()
            }
            Part::Value(of) => {
                let start = arguments["start"].as_u64().unwrap_or_default() as usize;
                let count = arguments["count"].as_u64().map(|it| it as usize);
                self.shown.parts(&of, start, count)
            }
        };
        Ok(json!({ "variables": list }))
    }

    fn evaluate(&mut self, arguments: &Value) -> Result<Value, String> {
        let Some(at) = self.stopped.clone() else {
            return self.answer(arguments);
        };
        let frame = arguments["frameId"].as_u64();
        let frame = frame.and_then(|it| self.shown.frame(it as usize));
        let (task, frame) = frame.unwrap_or((at.task, 0));
        let expression = arguments["expression"].as_str().unwrap_or_default();
        let mut names = self.names(task, frame)?;
        let mut shown = match names.iter().position(|it| it.name == expression.trim()) {
            // As it stands among the names.
            Some(at) => self.shown.of_type(names.swap_remove(at)),
            None => {
                let held = |name: &str| {
                    let found = names.iter().find(|it| it.name == name);
                    found.map(|it| it.value.clone())
                };
                self.shown
                    .value(Expression::parse(expression)?.value(&held)?)
            }
        };
        if let Some(value) = shown.remove("value") {
            shown.insert("result".into(), value);
        }
        Ok(Value::Object(shown))
    }

    /// What is typed in the debug console while the run continues is the answer to a question of a `human`.
    fn answer(&self, arguments: &Value) -> Result<Value, String> {
        let is_typed = arguments["context"] == "repl";
        let live = self.live.as_ref().filter(|_| is_typed);
        let live = live.ok_or("the program is not paused")?;
        let text = arguments["expression"].as_str().unwrap_or_default();
        let answered = live.questions.answer(text);
        answered.ok_or("the run goes on, and no question waits for an answer")??;
        Ok(json!({ "result": "answered", "variablesReference": 0 }))
    }

    fn exception(&self) -> Result<Value, String> {
        let at = self.stopped.as_ref().ok_or("the program is not paused")?;
        let (said, mode) = match &at.because {
            Because::Breakpoint(Why::Raised(said)) => (said, "always"),
            Because::Uncaught(said) => (said, "unhandled"),
            Because::Breakpoint(Why::Line | Why::Name(_) | Why::Unclear(_))
            | Because::Entry
            | Because::Step
            | Because::Pause
            | Because::Present => return Err("it stands for no error".to_owned()),
        };
        let name = said.split([':', '(', ' ']).next().unwrap_or_default();
        Ok(json!({ "exceptionId": name, "description": said, "breakMode": mode }))
    }

    /// Stops what runs, at its next statement or, where it waits, where it waits.
    fn pause(&mut self) -> Result<(), String> {
        if let Some(paused) = self.pause_waiting() {
            return paused;
        }
        let Some(follower) = self.current().cloned() else {
            return Err("nothing runs".to_owned());
        };
        follower.pause();
        if let (Some(live), None) = (&self.live, &self.past) {
            live.canceller
                .look_then(move |run| follower.stop_waiting(run));
        }
        Ok(())
    }

    /// Lets the run end as when it is cancelled, with its `defer`s.
    fn cancel(&mut self) -> Result<(), String> {
        self.leave_past();
        if self.kept.is_some() && self.following.is_none() {
            // Nothing runs: a client that ends the session means that it has seen enough.
            self.output.event("terminated", json!({}));
            return Ok(());
        }
        let live = self.live.as_ref();
        let live = live.ok_or(
            "there is no run here that could be cancelled; `gswc runs cancel ID` cancels one of a store",
        )?;
        if self.ended_at.is_some() {
            self.output.event("terminated", json!({}));
            return Ok(());
        }
        // Nothing stops it any more.
        let free = Mode::To {
            point: NEVER,
            because: Because::Present,
        };
        live.canceller.cancel("the debugger has ended it");
        live.follower.go(free);
        self.leave_stop();
        self.present = None;
        self.launch.stop_on_end = false;
        Ok(())
    }
}

fn unverified(line: u64, why: &str) -> Value {
    json!({ "verified": false, "line": line, "message": why })
}

fn capabilities() -> Value {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsConditionalBreakpoints": true,
        "supportsHitConditionalBreakpoints": true,
        "supportsLogPoints": true,
        "supportsFunctionBreakpoints": true,
        "supportsEvaluateForHovers": true,
        "supportsStepBack": true,
        "supportsTerminateRequest": true,
        "supportsExceptionInfoRequest": true,
        "exceptionBreakpointFilters": [
            { "filter": "uncaught", "label": "Uncaught errors", "default": true },
            { "filter": "raised", "label": "All errors", "default": false },
        ],
    })
}
