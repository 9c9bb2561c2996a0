//! Reads answers as a prompt call does: through its machine, from the model's answer to the value or what is wrong with it.

use std::sync::Arc;

use gsw_abi::builtin;
use gsw_abi::program::{Program, Prompt};
use gsw_agents::AgentPrompts;
use gsw_engine::answers::Earlier;
use gsw_engine::model::{
    Content, ModelAnswer, PromptCall, PromptEvent, PromptMachine, PromptNote, PromptResult,
    PromptStep, Prompts, Said, StopReason,
};
use gsw_notation::issue::Issue;
use gsw_tree::usage::Usage;
use serde_json::{Map, Value};

/// Reads answers of one schema.
pub struct Reader {
    schema: Value,
    exactness: String,
}

impl Reader {
    /// `exactness` is a setting of `answer`.
    pub fn new(schema: &Value, exactness: &str) -> Self {
        Self {
            schema: schema.clone(),
            exactness: exactness.to_owned(),
        }
    }

    /// Reads an answer, and has its value checked.
    pub fn read(
        &self,
        text: &str,
        mut check: impl FnMut(&Value) -> Result<(), Vec<Issue>>,
    ) -> Result<PromptResult, Vec<Issue>> {
        let mut machine = AgentPrompts.begin(call(&self.schema, &self.exactness));
        machine.step(PromptEvent::Start, &mut check);
        let answered = PromptEvent::Answered(Box::new(Ok(answer(text))));
        match machine.step(answered, &mut check) {
            PromptStep::Done(result) => Ok(*result),
            PromptStep::Ask(_)
            | PromptStep::Wait(_)
            | PromptStep::LookUp { .. }
            | PromptStep::Keep { .. }
            | PromptStep::CallTools(_)
            | PromptStep::Fail(_) => Err(issues(&mut *machine)),
        }
    }
}

fn issues(machine: &mut dyn PromptMachine) -> Vec<Issue> {
    let notes = machine.notes().into_iter();
    let mut issues = notes.filter_map(|it| match it {
        PromptNote::InvalidResponse { issues, .. } => Some(issues),
        _ => None,
    });
    issues.next().unwrap_or_default()
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
        first_token: None,
        circuit: None,
    }
}

fn call(schema: &Value, exactness: &str) -> PromptCall {
    let prompt = Prompt {
        name: "count".into(),
        docs: None,
        parameters: Vec::new(),
        result: builtin::INT,
        agent: None,
        examples: None,
        says: gsw_abi::types::Trust::Any,
        asks: gsw_abi::program::Asks::Model,
    };
    let program = Program {
        prompts: vec![prompt],
        ..Program::empty("measurement", builtin::type_table())
    };
    PromptCall {
        program: Arc::new(program),
        prompt: 0,
        settings: Map::from_iter([("answer".to_owned(), exactness.into())]),
        system: None,
        said: vec![Said::user("How many?")],
        examples: Vec::new(),
        schema: Some(Arc::new(schema.clone())),
        history: None,
        improving: None,
        earlier: Earlier::Taken,
        prices: Arc::default(),
    }
}
