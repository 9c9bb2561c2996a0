//! Workflows that are started by name, with input that is checked when they are, and runs that nobody waits for.

use gsw_abi::builtin::JSON;
use gsw_abi::call::NodeKind;
use gsw_abi::program::Workflow;
use gsw_abi::types::{Type, TypeId, TypeTable};
use gsw_notation::issue::Issue;
use serde_json::{Map, Value, json};

use crate::codec::checker::Secrets;
use crate::codec::decode;
use crate::codec::places::{self, REDACTED};
use crate::operation::DetachedStart;
use crate::run::native;
use crate::run::spawn::NewTask;
use crate::run::{Run, RunResult};
use crate::task::{Encoding, Role, TaskId};
use crate::value::{self, error};

impl Run {
    /// The workflows that can be started by name, as a `json` list of `name`, `description` and `parameters`, their schemas by name.
    pub(crate) fn list_workflows(&mut self) -> u64 {
        let types = &self.loaded.types;
        let workflows = self.loaded.program.workflows.iter().map(|it| {
            let parameters = it.parameters.iter();
            let schemas: Map<String, Value> = parameters
                .map(|it| (it.wire.clone(), gsw_abi::schema::schema(types, it.ty)))
                .collect();
            json!({ "name": it.name, "description": it.docs, "parameters": schemas })
        });
        let tree = Value::Array(workflows.collect());
        decode::decode(self, JSON, &tree).unwrap_or(0)
    }

    /// Starts a workflow as a task of the current node whose value is `json`; input that does not fit is a `DecodeError`.
    pub(crate) fn start_by_name(
        &mut self,
        task_type: TypeId,
        name: &str,
        input: &Value,
    ) -> Result<u64, u64> {
        let loaded = std::sync::Arc::clone(&self.loaded);
        let workflows = &loaded.program.workflows;
        let Some(workflow) = workflows.iter().find(|it| it.name == name) else {
            return Err(self.failed(&format!("there is no workflow `{name}`")));
        };
        let words = match self.words_of_input(workflow, input) {
            Ok(words) => words,
            Err(issues) => return Err(self.decode_error_of(&issues)),
        };
        let frame = self.bottom_frame(workflow.function.0);
        for (slot, word) in words.into_iter().enumerate() {
            // SAFETY: the loader checked that the workflow's function takes so many parameters.
            unsafe { native::write_slot(frame, slot, word) };
        }
        let owner = self.current_node();
        let id = self.start_task(NewTask {
            frame,
            owner,
            kind: NodeKind::Task,
            name: "task",
            index: None,
            input: None,
            role: Role::Spawned,
            result: JSON,
        });
        let task = self.tasks.at_mut(id);
        task.has_handle = true;
        task.encodes = Some(Encoding::Whole(workflow.result));
        Ok(self.handle_of(task_type, id))
    }

    /// A `Task` that the program holds; the task has been told so.
    pub(crate) fn handle_of(&mut self, task_type: TypeId, id: TaskId) -> u64 {
        let handle = self.heap.object(task_type, 0, 1);
        value::set_field(handle, 0, u64::from(id.0));
        handle
    }

    /// The words of a workflow's parameters from a `json` that a program or a model has made.
    pub(crate) fn words_of_input(
        &mut self,
        workflow: &Workflow,
        input: &Value,
    ) -> Result<Vec<u64>, Vec<Issue>> {
        match input {
            Value::Object(input) => self.decode_arguments(&workflow.parameters, input),
            other => Err(vec![Issue {
                path: "$".into(),
                expected: format!("an object with the parameters of `{}`", workflow.name),
                found: found_input(&self.loaded.types, workflow, other),
                message: String::new(),
            }]),
        }
    }

    fn decode_error_of(&mut self, issues: &[Issue]) -> u64 {
        match issues.first() {
            Some(issue) => error::decode(&mut self.heap, issue),
            None => self.failed("the input does not fit"),
        }
    }

    /// Begins a run that another one has detached.
    pub fn start_detached(&mut self, start: &DetachedStart) {
        self.enter_native();
        let loaded = std::sync::Arc::clone(&self.loaded);
        let fields = match loaded.types.get(start.parameters) {
            Type::Record(record) => &record.fields[..],
            _ => &[],
        };
        let function = loaded.program.functions.get(start.function.0 as usize);
        if function.is_none_or(|it| it.parameters as usize != fields.len()) {
            self.fail_internally(format!("`{}` cannot be started", start.workflow));
            return;
        }
        // The run that starts this one has written them.
        self.reads_secrets = Secrets::ByName;
        let arguments = self.decode_arguments(fields, &start.input);
        self.reads_secrets = Secrets::AsText;
        match arguments {
            Ok(words) => self.start_root(start.function, start.result, &words),
            Err(issues) => self.end_at_once(RunResult::InvalidInput(issues)),
        }
    }
}

/// What was given in place of an object with the parameters of a workflow.
fn found_input(types: &TypeTable, workflow: &Workflow, input: &Value) -> String {
    let mut parameters = workflow.parameters.iter();
    match parameters.any(|it| places::field_hides(types, it)) {
        true => REDACTED.into(),
        false => input.to_string(),
    }
}
