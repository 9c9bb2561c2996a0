//! Workflows that return messages, as the prompts of a server, and the completions of their arguments.

use gsw_abi::program::{Program, Workflow};
use gsw_abi::types::{Type, TypeId, TypeTable};
use rmcp::model::{Prompt, PromptArgument};
use serde_json::{Map, Value};

use crate::arguments::same_name;
use crate::mcp::{content, guard};

/// The most values of a completion, which is the protocol's limit.
const MOST: usize = 100;

pub(super) fn prompts(program: &Program) -> Vec<Prompt> {
    let found = program.workflows.iter();
    let found = found.filter(|it| is_offered(&program.types, it));
    let shown = found.map(|it| {
        let arguments = it.parameters.iter().map(|parameter| {
            let argument = PromptArgument::new(parameter.wire.clone());
            let optional = matches!(program.types.get(parameter.ty), Type::Optional(_));
            let argument = argument.with_required(parameter.default.is_none() && !optional);
            match &parameter.docs {
                Some(docs) => argument.with_description(docs.clone()),
                None => argument,
            }
        });
        Prompt::new(it.name.clone(), it.docs.clone(), Some(arguments.collect()))
    });
    shown.collect()
}

pub(super) fn is_prompt(types: &TypeTable, workflow: &Workflow) -> bool {
    workflow.resource.is_none() && content::is_messages(types, workflow.result)
}

/// Whether clients may ask for it.
fn is_offered(types: &TypeTable, workflow: &Workflow) -> bool {
    is_prompt(types, workflow) && guard::is_open(workflow)
}

/// The prompt of a name, as an index of a workflow.
pub(super) fn find(program: &Program, name: &str) -> Option<usize> {
    let mut all = program.workflows.iter();
    all.position(|it| same_name(&it.name, name) && is_offered(&program.types, it))
}

/// Arguments as input: the protocol has texts only, so what is no text is written as JSON.
pub(super) fn input(
    types: &TypeTable,
    workflow: &Workflow,
    mut arguments: Map<String, Value>,
) -> Map<String, Value> {
    for parameter in &workflow.parameters {
        let Some(argument) = arguments.get_mut(&parameter.wire) else {
            continue;
        };
        if let Value::String(text) = argument
            && !is_text(types, parameter.ty)
            && let Ok(value) = gsw_notation::json::parse(text)
        {
            *argument = value;
        }
    }
    arguments
}

fn is_text(types: &TypeTable, ty: TypeId) -> bool {
    match types.get(types.base(ty)) {
        Type::Optional(inner) => is_text(types, *inner),
        Type::Enum(it) => it.is_inline(),
        Type::String | Type::Bytes | Type::Time | Type::Duration | Type::Literals(_) => true,
        Type::Unit
        | Type::Bool
        | Type::Int
        | Type::Float
        | Type::Json
        | Type::Secret
        | Type::Media
        | Type::Error
        | Type::List(_)
        | Type::Map { .. }
        | Type::Set { .. }
        | Type::Tuple(_)
        | Type::Record(_)
        | Type::ErrorKind(_)
        | Type::Checked { .. }
        | Type::Closure(_)
        | Type::Function
        | Type::Cell(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Session => false,
    }
}

/// How a text for a parameter may continue: the names that its type has.
pub(super) fn completions(
    types: &TypeTable,
    workflow: &Workflow,
    parameter: &str,
    begun: &str,
) -> Vec<String> {
    let found = workflow.parameters.iter().find(|it| it.wire == parameter);
    let names = found.map(|it| names(types, it.ty)).unwrap_or_default();
    let fitting = names.into_iter().filter(|it| it.starts_with(begun));
    fitting.take(MOST).collect()
}

fn names(types: &TypeTable, ty: TypeId) -> Vec<String> {
    match types.get(types.base(ty)) {
        Type::Optional(inner) => names(types, *inner),
        Type::Literals(names) => names.clone(),
        Type::Enum(it) if it.is_inline() => it.variants.iter().map(|it| it.wire.clone()).collect(),
        Type::Bool => vec!["false".into(), "true".into()],
        Type::Enum(_)
        | Type::Unit
        | Type::Int
        | Type::Float
        | Type::String
        | Type::Bytes
        | Type::Time
        | Type::Duration
        | Type::Json
        | Type::Secret
        | Type::Media
        | Type::Error
        | Type::List(_)
        | Type::Map { .. }
        | Type::Set { .. }
        | Type::Tuple(_)
        | Type::Record(_)
        | Type::ErrorKind(_)
        | Type::Checked { .. }
        | Type::Closure(_)
        | Type::Function
        | Type::Cell(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Session => Vec::new(),
    }
}
