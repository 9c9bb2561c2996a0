//! Parameters that are given by name, as JSON: the words of them, or what does not fit.

use std::sync::Arc;

use gsw_abi::program::FunctionIndex;
use gsw_abi::types::{Field, TypeTable};
use gsw_notation::issue::Issue;
use serde_json::{Map, Value};

use crate::codec::checker::Checker;
use crate::codec::{decode, surplus};
use crate::run::{Run, raise};
use crate::value::error;

/// What becomes of keys inside of the values that no field takes.
#[derive(Clone, Copy)]
pub(crate) enum Surplus {
    /// They do not fit: somebody acts on what was meant, and a misspelt one would leave its field at the default.
    Refused,
    /// Data may hold more than a program wants, and another version of the program may have wanted it.
    PassedOver,
}

/// The words of parameters that are given by name, in order; missing ones take their default, or `none`.
pub(crate) fn decode_arguments(
    run: &mut Run,
    parameters: &[Field],
    input: &Map<String, Value>,
    more: Surplus,
) -> Result<Vec<u64>, Vec<Issue>> {
    let mut words: Vec<u64> = Vec::with_capacity(parameters.len());
    let mut issues = unknown_names(parameters, input);
    match more {
        Surplus::Refused => issues.extend(surplus(run.heap.types(), parameters, input)),
        Surplus::PassedOver => {}
    }
    let mut fits = true;
    for (index, parameter) in parameters.iter().enumerate() {
        let before = Before {
            parameters: &parameters[..index],
            words: &words,
        };
        let word = match given(parameters, parameter, input) {
            // A default may need what could not be read.
            Ok(None) if !fits && parameter.default.is_some() => continue,
            given => given.and_then(|given| decode_argument(run, parameter, given, before)),
        };
        match word {
            Ok(word) if fits => words.push(word),
            Ok(word) => run.heap.release_typed(parameter.ty, word),
            Err(found) => {
                issues.extend(found);
                fits = false;
            }
        }
    }
    if issues.is_empty() {
        return Ok(words);
    }
    for (parameter, &word) in parameters.iter().zip(&words) {
        run.heap.release_typed(parameter.ty, word);
    }
    Err(issues)
}

impl Run {
    /// What of an input does not fit a workflow, for a caller that must know before a run of it begins. This run need not
    /// have begun.
    pub fn unfit_input(&mut self, workflow: usize, input: &Map<String, Value>) -> Vec<Issue> {
        self.enter_native();
        let loaded = Arc::clone(&self.loaded);
        let Some(workflow) = loaded.program.workflows.get(workflow) else {
            return Vec::new();
        };
        match decode_arguments(self, &workflow.parameters, input, Surplus::PassedOver) {
            Ok(words) => {
                for (parameter, word) in workflow.parameters.iter().zip(words) {
                    self.heap.release_typed(parameter.ty, word);
                }
                Vec::new()
            }
            Err(issues) => issues,
        }
    }
}

/// What `input` holds inside of the values of parameters that no field takes. Who acts on arguments of a model or a client asks
/// for this first.
#[must_use]
pub fn surplus(types: &TypeTable, parameters: &[Field], input: &Map<String, Value>) -> Vec<Issue> {
    let found = |parameter: &Field| {
        let given = given(parameters, parameter, input).ok().flatten();
        let keys = given.map(|it| surplus::keys_of_field(types, parameter, it));
        let keys = keys.unwrap_or_default().into_iter();
        keys.map(|it| below(&parameter.name, it))
            .collect::<Vec<_>>()
    };
    parameters.iter().flat_map(found).collect()
}

/// What is given for a parameter, by its name in JSON or by its own, where that is not the name of another one in JSON.
fn given<'v>(
    parameters: &[Field],
    parameter: &Field,
    input: &'v Map<String, Value>,
) -> Result<Option<&'v Value>, Vec<Issue>> {
    let by_wire = input.get(&parameter.wire);
    let by_name = input.get(&parameter.name);
    let by_name = by_name.filter(|_| parameters.iter().all(|it| it.wire != parameter.name));
    match (by_wire, by_name) {
        (Some(_), Some(_)) => Err(vec![twice(parameter)]),
        (wire, name) => Ok(wire.or(name)),
    }
}

/// The parameters before one, which its default may read.
#[derive(Clone, Copy)]
struct Before<'a> {
    parameters: &'a [Field],
    words: &'a [u64],
}

fn decode_argument(
    run: &mut Run,
    parameter: &Field,
    given: Option<&Value>,
    before: Before<'_>,
) -> Result<u64, Vec<Issue>> {
    let word = match (given, &parameter.default) {
        (Some(tree), _) => decode::decode_field(run, parameter, tree).map_err(|issues| {
            issues
                .into_iter()
                .map(|it| below(&parameter.name, it))
                .collect::<Vec<_>>()
        })?,
        (None, Some(default)) => default_of(run, default.function, before)
            .map_err(|why| vec![missing(&parameter.name, &why)])?,
        // An optional parameter is `none` then, and so is what else takes `null`.
        (None, None) => decode::decode_all_issues(run, parameter.ty, &Value::Null)
            .map_err(|_| vec![missing(&parameter.name, "it is missing")])?,
    };
    let Some(check) = &parameter.check else {
        return Ok(word);
    };
    run.heap.retain_typed(parameter.ty, word);
    if Checker::check(run, check.function, &[word, 0]) {
        return Ok(word);
    }
    // Shown as observers see it: the message of a check must not be the way to a secret.
    let found = error::shown_field(&run.heap, parameter, word);
    run.heap.release_typed(parameter.ty, word);
    let message = format!(
        "`{}` must fit `{}`, but is {found}",
        parameter.name, check.source
    );
    Err(vec![Issue {
        path: format!("$.{}", parameter.name),
        expected: check.source.clone(),
        found,
        message,
    }])
}

/// A parameter's default, which may read the parameters before it.
fn default_of(run: &mut Run, default: FunctionIndex, before: Before<'_>) -> Result<u64, String> {
    let Before { parameters, words } = before;
    for (parameter, &word) in parameters.iter().zip(words) {
        run.heap.retain_typed(parameter.ty, word);
    }
    // The loader checked that it takes just the parameters before it.
    run.call_framed(default.0, words).map_err(|raised| {
        let said = raise::said_by(&run.heap, raised);
        run.give_back(raised);
        format!("its default raised {said}")
    })
}

fn unknown_names(parameters: &[Field], input: &Map<String, Value>) -> Vec<Issue> {
    let is_known = |name: &str| {
        parameters
            .iter()
            .any(|it| it.wire == name || it.name == name)
    };
    let unknown = input.keys().filter(|name| !is_known(name));
    unknown
        .map(|name| Issue {
            path: format!("$.{name}"),
            expected: "a parameter of this name".into(),
            found: "none".into(),
            message: format!("there is no parameter `{name}`"),
        })
        .collect()
}

fn twice(parameter: &Field) -> Issue {
    let Field { name, wire, .. } = parameter;
    Issue {
        path: format!("$.{name}"),
        expected: format!("one of `{wire}` and `{name}`"),
        found: "both".into(),
        message: format!("`{wire}` and `{name}` are the same parameter: give one of them"),
    }
}

fn missing(name: &str, why: &str) -> Issue {
    Issue {
        path: format!("$.{name}"),
        expected: "a value".into(),
        found: "nothing".into(),
        message: format!("parameter `{name}` has no value: {why}"),
    }
}

/// An issue of a parameter's value, its path beginning with the parameter.
fn below(name: &str, issue: Issue) -> Issue {
    let rest = issue.path.strip_prefix('$').unwrap_or(&issue.path);
    Issue {
        path: format!("$.{name}{rest}"),
        ..issue
    }
}
