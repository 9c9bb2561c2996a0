//! Prompt calls: what the machine asks for is performed, and what it gives reaches the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use gsw_abi::builtin::{BuiltinError, INT};
use gsw_abi::layout::{Context, Frame};
use gsw_abi::program::{Asks, FunctionIndex, Prompt, Repeat, Tool, ToolBody, ToolSchema};
use gsw_abi::types::{Field, Secrecy, Trust};
use gsw_driver::scripted::{Around, Report, Script};
use gsw_engine::model::{
    Check, Content, Fallback, Message, ModelAnswer, ModelRequest, PromptCall, PromptEvent,
    PromptFailure, PromptMachine, PromptResult, PromptStep, Prompts, Role, Said, StopReason,
    ToolCall, Wording,
};
use gsw_engine::operation::{Outcome, Request};
use gsw_engine::run::RunResult;
use gsw_tree::detail::PromptDetail;
use gsw_tree::usage::Usage;
use serde_json::{Value, json};

use crate::program::{
    Code, Resume, SLEEP_THEN_GIVE, done, get, go_on, got, load_with, raise, raised, set, set_state,
    state, table, text, value,
};

/// Asks once, or calls a tool first, or waits first, as the user text says.
struct Machine {
    call: PromptCall,
    dropped: Arc<AtomicU32>,
}

impl PromptMachine for Machine {
    fn attach(&mut self, text: String) {
        self.call.said.push(Said::user(text));
    }

    fn step(&mut self, event: PromptEvent, check: &mut Check<'_>) -> PromptStep {
        match event {
            PromptEvent::Start if self.call.said[0].text.text == "tool" => {
                let calls = [("double", 0), ("missing", 1)].map(|(name, tool)| ToolCall {
                    id: name.into(),
                    tool,
                    name: name.into(),
                    input: json!({ "n": 8 }),
                });
                PromptStep::CallTools(calls.into())
            }
            PromptEvent::Start if self.call.said[0].text.text == "wait" => {
                PromptStep::Wait(Duration::from_millis(5))
            }
            PromptEvent::Start
            | PromptEvent::Waited
            | PromptEvent::Found(_)
            | PromptEvent::Kept(_) => PromptStep::Ask(Arc::new(request())),
            PromptEvent::ToolsAnswered(outcomes) => {
                assert!(outcomes[1].is_error && outcomes[1].content.contains("missing"));
                let value = serde_json::from_str(&outcomes[0].content).expect("a number is JSON");
                give(value)
            }
            PromptEvent::Answered(answer) => match *answer {
                Ok(answer) => {
                    let Content::Text { text } = &answer.content[0] else {
                        panic!("{answer:?}")
                    };
                    let value: Value =
                        serde_json::from_str(text).expect("the test answers with JSON");
                    match check(&value) {
                        Ok(()) => give(value),
                        Err(issues) => PromptStep::Fail(PromptFailure {
                            error: BuiltinError::InvalidResponse,
                            fields: json!({ "issues": issues }),
                        }),
                    }
                }
                Err(failure) => panic!("{failure:?}"),
            },
        }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }
}

fn give(value: Value) -> PromptStep {
    PromptStep::Done(Box::new(PromptResult {
        value,
        detail: PromptDetail::default(),
        exchange: None,
    }))
}

fn request() -> ModelRequest {
    ModelRequest {
        model: "sim/default".into(),
        system: None,
        messages: vec![Arc::new(Message {
            role: Role::User,
            content: vec![],
        })],
        schema: None,
        schema_delivery: Wording::Native,
        tool_delivery: Wording::Native,
        schema_name: String::new(),
        max_tokens: 100,
        stop: vec![],
        temperature: None,
        thinking: None,
        retries: 0,
        tools: vec![],
        timeout: Duration::from_secs(1),
        first_token: None,
        fallback: Fallback::Absent,
        rate: None,
        recorded: None,
    }
}

struct Fake(Arc<AtomicU32>);

impl Prompts for Fake {
    fn begin(&self, call: PromptCall) -> Box<dyn PromptMachine> {
        Box::new(Machine {
            call,
            dropped: Arc::clone(&self.0),
        })
    }
}

fn answer(text: &str) -> Outcome {
    Outcome::Model(Box::new(Ok(ModelAnswer {
        content: vec![Content::Text { text: text.into() }],
        stop: StopReason::End,
        stop_reason: "end".into(),
        model: "sim/default".into(),
        request_id: None,
        usage: Some(Usage {
            input_tokens: 10,
            output_tokens: 20,
            ..Usage::default()
        }),
        attempts: 1,
        simulated: true,
        first_token: None,
        circuit: None,
    })))
}

/// Runs a program with one prompt that gives an int and one tool, function 1; models answer with `text`.
fn ask(resume: Resume, said: &'static str, cancel_at: Option<u64>) -> (Report, u32) {
    let parameter = Field {
        name: "n".into(),
        wire: "n".into(),
        docs: None,
        ty: INT,
        default: None,
        check: None,
        secrecy: Secrecy::Shown,
        trust: Trust::Any,
    };
    let loaded = load_with(&[Code::Resume(resume, 2, 0), SLEEP_THEN_GIVE], |program| {
        program.prompts.push(Prompt {
            name: "count".into(),
            docs: None,
            parameters: vec![],
            result: INT,
            agent: None,
            examples: None,
            says: Trust::Any,
            asks: Asks::Model,
        });
        program.tools.push(Tool {
            name: "double".into(),
            module: "main".into(),
            docs: None,
            parameters: vec![parameter],
            result: INT,
            gives: gsw_abi::types::Trust::Any,
            repeat: Repeat::Pure,
            body: ToolBody::Program,
            function: FunctionIndex(1),
            schema: ToolSchema::default(),
        });
    });
    let dropped = Arc::new(AtomicU32::new(0));
    let around = Around {
        prompts: Some(Arc::new(Fake(Arc::clone(&dropped)))),
        ..Around::default()
    };
    let script = Script {
        cancel_at,
        answer: Some(Box::new(move |request| {
            matches!(request, Request::Model { .. }).then(|| answer(said))
        })),
        ..Script::default()
    };
    let (report, _) = go_on(&Arc::new(loaded), around, INT, script);
    (report, dropped.load(Ordering::Relaxed))
}

fn runs_prompt(context: *mut Context, frame: *mut Frame, user: &str) -> u64 {
    match state(frame) {
        0 => unsafe {
            set_state(frame, 1);
            let user = text(user);
            (table(context).prompt_run)(context, frame, u64::from(INT.0), 0, 0, user, 0, 0, 0)
        },
        _ => match got(frame) {
            Ok(value) => done(frame, value),
            Err(error) => raise(frame, error),
        },
    }
}

unsafe extern "C" fn asks(context: *mut Context, frame: *mut Frame) -> u64 {
    runs_prompt(context, frame, "ask")
}

unsafe extern "C" fn waits(context: *mut Context, frame: *mut Frame) -> u64 {
    runs_prompt(context, frame, "wait")
}

unsafe extern "C" fn calls_tools(context: *mut Context, frame: *mut Frame) -> u64 {
    runs_prompt(context, frame, "tool")
}

#[test]
fn an_answer_that_fits_reaches_the_program() {
    for code in [asks, waits] as [Resume; 2] {
        let (report, _) = ask(code, "7", None);
        assert_eq!(value(&report), "7");
    }
}

#[test]
fn an_answer_that_does_not_fit_is_an_error_with_its_issues() {
    let (report, _) = ask(asks, r#""seven""#, None);
    assert_eq!(raised(&report).0, "InvalidResponse");
    let RunResult::Raised(error) = &report.finished.result else {
        unreachable!("it raised")
    };
    assert_eq!(error.fields["issues"][0]["path"], "$");
    assert_eq!(error.path, "count");
}

#[test]
fn a_model_calls_tools() {
    let (report, _) = ask(calls_tools, "", None);
    assert_eq!(value(&report), "8");
    assert_eq!(report.finished.duration, 8_000_000);
}

#[test]
fn a_cancelled_prompt_gives_up_what_it_holds() {
    for code in [asks, waits, calls_tools] as [Resume; 3] {
        let (report, abandoned) = ask(code, "7", Some(1));
        assert_eq!(report.finished.result, RunResult::Cancelled);
        assert_eq!((report.finished.live_objects, abandoned), (0, 1));
    }
}

/// Asks twice under a budget of one call.
unsafe extern "C" fn asks_twice(context: *mut Context, frame: *mut Frame) -> u64 {
    unsafe {
        match state(frame) {
            0 => {
                let none = gsw_abi::call::NO_LIMIT.cast_unsigned();
                let scope = (table(context).budget_enter)(
                    context,
                    gsw_abi::call::NO_DOLLARS,
                    none,
                    1,
                    none,
                );
                set(frame, 0, scope.value);
                set_state(frame, 1);
            }
            1 => {
                assert_eq!(got(frame), Ok(7));
                set_state(frame, 2);
            }
            _ => unreachable!("the second call is refused at once"),
        }
        let user = text("ask");
        let status =
            (table(context).prompt_run)(context, frame, u64::from(INT.0), 0, 0, user, 0, 0, 0);
        if status == gsw_abi::layout::status::WAITING {
            return status;
        }
        let error = got(frame).expect_err("the budget is used up");
        raise(
            frame,
            (table(context).budget_fail)(context, get(frame, 0), error),
        )
    }
}

#[test]
fn a_budget_is_checked_before_every_call() {
    let (report, _) = ask(asks_twice, "7", None);
    assert_eq!(
        raised(&report),
        (
            "BudgetExceeded".into(),
            "the budget is used up: calls: 1 of 1 used, 1 more asked".into()
        )
    );
}
