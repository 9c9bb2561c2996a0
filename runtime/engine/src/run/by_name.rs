//! Workflows that are started by name, with input that is checked when they are, and runs that no task waits for.

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
use crate::run::input::{self, Surplus};
use crate::run::{Run, handles, raise};
use crate::task::{Encoding, NewTask, Role};

impl Run {
    /// Begins a run that another one has detached.
    pub fn start_detached(&mut self, start: &DetachedStart) {
        self.enter_native();
        let loaded = std::sync::Arc::clone(&self.loaded);
        let fields = if let Type::Record(record) = loaded.types.get(start.parameters) {
            &record.fields[..]
        } else {
            &[]
        };
        let function = loaded.program.functions.get(start.function.0 as usize);
        // The start may come from a file that another build has written.
        if function.is_none_or(|it| it.parameters as usize != fields.len()) {
            self.fail_internally(format!("`{}` cannot be started", start.workflow));
            return;
        }
        // The run that starts this one has written them.
        self.reads_secrets = Secrets::ByName;
        let arguments = input::decode_arguments(self, fields, &start.input, Surplus::PassedOver);
        // Only for this input: elsewhere the text of a secret is the secret itself.
        self.reads_secrets = Secrets::AsText;
        self.input_was_read(start.function, start.result, arguments);
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

/// The workflows that can be started by name, as a `json` list of `name`, `description` and `parameters`, their schemas by name.
pub(crate) fn list_workflows(run: &mut Run) -> u64 {
    let types = &run.loaded.types;
    let workflows = run.loaded.program.workflows.iter().map(|it| {
        let parameters = it.parameters.iter();
        let schemas: Map<String, Value> = parameters
            .map(|it| (it.wire.clone(), gsw_abi::schema::schema(types, it.ty)))
            .collect();
        json!({ "name": it.name, "description": it.docs, "parameters": schemas })
    });
    let tree = Value::Array(workflows.collect());
    decode::decode(run, JSON, &tree).unwrap_or(0)
}

/// Starts a workflow as a task of the current node whose value is `json`; input that does not fit is a `DecodeError`.
pub(crate) fn start_by_name(
    run: &mut Run,
    task_type: TypeId,
    name: &str,
    input: &Value,
) -> Result<u64, u64> {
    let loaded = std::sync::Arc::clone(&run.loaded);
    let workflows = &loaded.program.workflows;
    let Some(workflow) = workflows.iter().find(|it| it.name == name) else {
        return Err(raise::failed(
            &mut run.heap,
            &format!("there is no workflow `{name}`"),
        ));
    };
    let words = match words_of_input(run, workflow, input) {
        Ok(words) => words,
        Err(issues) => return Err(raise::unfit_input(&mut run.heap, &issues)),
    };
    let frame = run.frame_with(workflow.function.0, words);
    let owner = run.scheduler.current_node();
    let id = run.start_task(NewTask {
        frame,
        owner,
        kind: NodeKind::Task,
        name: "task",
        index: None,
        input: None,
        role: Role::Spawned,
        result: JSON,
    });
    let task = run.scheduler.task_mut(id);
    task.has_handle = true;
    task.encodes = Some(Encoding::Whole(workflow.result));
    Ok(handles::handle_of(&mut run.heap, task_type, id))
}

/// The words of a workflow's parameters from a `json` that a program or a model has made.
pub(crate) fn words_of_input(
    run: &mut Run,
    workflow: &Workflow,
    given: &Value,
) -> Result<Vec<u64>, Vec<Issue>> {
    if let Some(fields) = given.as_object() {
        return input::decode_arguments(run, &workflow.parameters, fields, Surplus::Refused);
    }
    Err(vec![Issue {
        path: "$".into(),
        expected: format!("an object with the parameters of `{}`", workflow.name),
        found: found_input(&run.loaded.types, workflow, given),
        message: String::new(),
    }])
}
