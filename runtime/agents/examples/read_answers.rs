//! Reads answers that are hard to read, in three sizes, and prints the nanoseconds a byte of each: they stay the same where
//! the time is in proportion to the text. `read_answers`

use std::sync::Arc;
use std::time::{Duration, Instant};

use gsw_abi::builtin;
use gsw_abi::program::{ModelDefaults, Program, Prompt};
use gsw_agents::AgentPrompts;
use gsw_engine::model::{Content, ModelAnswer, PromptCall, PromptEvent, Prompts, Said, StopReason};
use gsw_notation::issue::Issue;
use gsw_tree::usage::Usage;
use serde_json::{Map, Value, json};

const PATTERNS: &[&str] = &[
    "```json\n",
    "```json\n{\n",
    "```\n",
    "[1,",
    "{\"a\":[",
    "[\"a [1] ",
    "{\"a\": 1 \"a\": ",
    "[a /**/ b ",
    "\"   ",
];
const SIZES: [usize; 3] = [100_000, 400_000, 1_600_000];

fn main() {
    let prompts = AgentPrompts;
    for pattern in PATTERNS {
        let costs = SIZES.map(|size| {
            let text = pattern.repeat(size / pattern.len());
            let took = read(&prompts, &text);
            format!("{:.1}", took.as_nanos() as f64 / text.len() as f64)
        });
        println!("{:16} {}", format!("{pattern:?}"), costs.join("  "));
    }
}

/// How long an answer of this text takes from the model to the machine's next step.
fn read(prompts: &AgentPrompts, text: &str) -> Duration {
    let refuse = &mut |it: &Value| {
        Err(vec![Issue {
            path: "$".into(),
            expected: "an int".into(),
            found: it.to_string().chars().take(10).collect(),
            message: String::new(),
        }])
    };
    let mut machine = prompts.begin(call());
    machine.step(PromptEvent::Start, refuse);
    let answered = PromptEvent::Answered(Box::new(Ok(answer(text))));
    let begin = Instant::now();
    machine.step(answered, refuse);
    begin.elapsed()
}

fn answer(text: &str) -> ModelAnswer {
    ModelAnswer {
        content: vec![Content::Text { text: text.into() }],
        stop: StopReason::End,
        stop_reason: "end_turn".into(),
        model: "m".into(),
        request_id: None,
        usage: Some(Usage::default()),
        attempts: 1,
        simulated: false,
        circuit: None,
    }
}

fn call() -> PromptCall {
    let prompt = Prompt {
        name: "count".into(),
        docs: None,
        parameters: Vec::new(),
        result: builtin::INT,
        agent: None,
        examples: None,
    };
    let program = Program {
        name: "measurement".into(),
        docs: None,
        types: builtin::type_table(),
        functions: Vec::new(),
        workflows: Vec::new(),
        spawnable: Vec::new(),
        agents: Vec::new(),
        prompts: vec![prompt],
        tools: Vec::new(),
        former: Vec::new(),
        spans: Vec::new(),
        sources: Vec::new(),
        permissions: None,
        ceiling: None,
        version: None,
        models: ModelDefaults::default(),
    };
    PromptCall {
        program: Arc::new(program),
        prompt: 0,
        settings: Map::new(),
        system: None,
        said: vec![Said::user("How many?")],
        examples: Vec::new(),
        schema: Some(Arc::new(json!({ "type": "integer" }))),
        improving: None,
        prices: Arc::default(),
    }
}
