//! Checks that every index in a program's tables is in range and refers to something of the right kind.

use gsw_abi::builtin;
use gsw_abi::program::{Colour, Function, FunctionIndex, Program, Repeat};
use gsw_abi::types::{Check, Field, Type, TypeId};

type Checked = Result<(), String>;

/// Checks all tables against each other and against `code_size` bytes of code.
pub fn check(program: &Program, code_size: usize) -> Checked {
    types(program)?;
    functions(program, code_size)?;
    entries(program)?;
    for (index, span) in program.spans.iter().enumerate() {
        if span.source as usize >= program.sources.len() || span.start > span.end {
            return Err(format!("span {index} lies in no source"));
        }
    }
    Ok(())
}

fn types(program: &Program) -> Checked {
    let fixed = gsw_abi::builtin::type_table();
    if !program.types.types.starts_with(&fixed.types) {
        return Err("the fixed types are not those of this runtime".into());
    }
    for (index, ty) in program.types.types.iter().enumerate() {
        one_type(program, ty).map_err(|what| format!("type {index}: {what}"))?;
    }
    for index in 0..program.types.types.len() {
        ends_in_a_base(program, TypeId(index as u32))?;
    }
    for ty in &program.types.types {
        if let Type::Map { key, .. } = ty {
            key_type(program, *key)?;
        }
    }
    Ok(())
}

fn one_type(program: &Program, ty: &Type) -> Checked {
    match ty {
        Type::Optional(it)
        | Type::List(it)
        | Type::Cell(it)
        | Type::Task(it)
        | Type::Stream(it) => type_id(program, *it),
        Type::Queue(it) => match program.types.types.get(it.0 as usize) {
            Some(Type::List(_)) => Ok(()),
            Some(_) | None => Err("a queue that holds no lists".into()),
        },
        Type::Map { key, value } => type_id(program, *key).and(type_id(program, *value)),
        Type::Set { of, members } => match program.types.types.get(members.0 as usize) {
            Some(Type::Map { key, value }) if key == of && *value == builtin::BOOL => Ok(()),
            Some(_) | None => Err("a set that holds no map of its elements".into()),
        },
        Type::Tuple(parts) | Type::Closure(parts) => {
            parts.iter().try_for_each(|it| type_id(program, *it))
        }
        Type::Record(record) => fields(program, &record.fields),
        Type::Enum(it) => it
            .variants
            .iter()
            .try_for_each(|it| fields(program, &it.fields)),
        Type::ErrorKind(kind) => fields(program, &kind.fields),
        Type::Checked { base, check, .. } => {
            type_id(program, *base)?;
            check_function(program, check, 1)
        }
        Type::Unit
        | Type::Bool
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
        | Type::Literals(_)
        | Type::Function
        | Type::Session => Ok(()),
    }
}

fn ends_in_a_base(program: &Program, start: TypeId) -> Checked {
    let mut id = start;
    for _ in 0..=program.types.types.len() {
        let Type::Checked { base, .. } = program.types.get(id) else {
            return Ok(());
        };
        id = *base;
    }
    Err(format!("type {} is an alias of itself", start.0))
}

fn key_type(program: &Program, id: TypeId) -> Checked {
    match program.types.get(program.types.base(id)) {
        Type::String | Type::Int | Type::Literals(_) => Ok(()),
        Type::Enum(it) if it.is_inline() => Ok(()),
        Type::Enum(_)
        | Type::Unit
        | Type::Bool
        | Type::Float
        | Type::Bytes
        | Type::Time
        | Type::Duration
        | Type::Json
        | Type::Secret
        | Type::Media
        | Type::Error
        | Type::Optional(_)
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
        | Type::Session => Err(format!("type {} cannot be the key of a map", id.0)),
    }
}

fn fields(program: &Program, fields: &[Field]) -> Checked {
    for field in fields {
        type_id(program, field.ty)?;
        if let Some(check) = &field.check {
            check_function(program, check, 2)?;
        }
        if let Some(default) = &field.default {
            plain_of(program, default.function, 0)?;
        }
    }
    Ok(())
}

/// A default takes the parameters before its own, in a frame.
fn parameters(program: &Program, parameters: &[Field]) -> Checked {
    for (index, parameter) in parameters.iter().enumerate() {
        type_id(program, parameter.ty)?;
        if let Some(check) = &parameter.check {
            check_function(program, check, 2)?;
        }
        if let Some(default) = &parameter.default {
            resumable(program, default.function, index)?;
        }
    }
    Ok(())
}

fn functions(program: &Program, code_size: usize) -> Checked {
    for (index, function) in program.functions.iter().enumerate() {
        one_function(program, function, code_size)
            .map_err(|what| format!("function {index} ({}): {what}", function.name))?;
    }
    Ok(())
}

fn one_function(program: &Program, function: &Function, code_size: usize) -> Checked {
    if usize::try_from(function.offset).map_or(true, |offset| offset >= code_size) {
        return Err("it starts outside the code".into());
    }
    let slots = function.slots.len();
    if function.colour == Colour::Resumable && function.parameters as usize > slots {
        return Err("its frame has no room for its parameters".into());
    }
    for slot in &function.slots {
        type_id(program, slot.ty)?;
    }
    if function
        .owned
        .iter()
        .flatten()
        .any(|&slot| slot as usize >= slots)
    {
        return Err("a state owns a slot that is not there".into());
    }
    Ok(())
}

fn entries(program: &Program) -> Checked {
    let spawnable = program.spawnable.iter().map(|it| &it.workflow);
    for workflow in program.workflows.iter().chain(spawnable) {
        parameters(program, &workflow.parameters)?;
        type_id(program, workflow.result)?;
        resumable(program, workflow.function, workflow.parameters.len())?;
    }
    for agent in &program.agents {
        plain_of(program, agent.settings, 0)?;
    }
    for prompt in &program.prompts {
        parameters(program, &prompt.parameters)?;
        type_id(program, prompt.result)?;
        if prompt
            .agent
            .is_some_and(|agent| agent as usize >= program.agents.len())
        {
            return Err(format!(
                "prompt {} has an agent that is not there",
                prompt.name
            ));
        }
        if let Some(examples) = prompt.examples {
            plain_of(program, examples, 0)?;
        }
    }
    for tool in &program.tools {
        parameters(program, &tool.parameters)?;
        type_id(program, tool.result)?;
        resumable(program, tool.function, tool.parameters.len())?;
        if let Repeat::Idempotent(key) = tool.repeat {
            plain_of(program, key, tool.parameters.len())?;
        }
    }
    for handler in program.hooks.iter().flat_map(|it| &it.handlers) {
        parameters(program, &handler.parameters)?;
        type_id(program, handler.result)?;
        resumable(program, handler.function, handler.parameters.len())?;
    }
    Ok(())
}

fn type_id(program: &Program, id: TypeId) -> Checked {
    if (id.0 as usize) < program.types.types.len() {
        Ok(())
    } else {
        Err(format!("there is no type {}", id.0))
    }
}

fn check_function(program: &Program, check: &Check, parameters: usize) -> Checked {
    plain_of(program, check.function, parameters)
}

fn function(program: &Program, index: FunctionIndex) -> Result<&Function, String> {
    program
        .functions
        .get(index.0 as usize)
        .ok_or_else(|| format!("there is no function {}", index.0))
}

fn plain(program: &Program, index: FunctionIndex) -> Result<&Function, String> {
    let function = function(program, index)?;
    if function.colour == Colour::Plain {
        Ok(function)
    } else {
        Err(format!("function {} should not wait", index.0))
    }
}

fn plain_of(program: &Program, index: FunctionIndex, parameters: usize) -> Checked {
    if plain(program, index)?.parameters as usize == parameters {
        Ok(())
    } else {
        Err(format!(
            "function {} has other parameters than its use",
            index.0
        ))
    }
}

fn resumable(program: &Program, index: FunctionIndex, parameters: usize) -> Checked {
    let function = function(program, index)?;
    if function.colour == Colour::Resumable && function.parameters as usize == parameters {
        Ok(())
    } else {
        Err(format!(
            "function {} cannot be started with these parameters",
            index.0
        ))
    }
}
