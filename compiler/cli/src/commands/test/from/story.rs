//! A run as a test: its calls as mocks, its input and its end as an assertion.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use gsw_abi::call::NodeKind;
use gsw_abi::program::Program;
use gsw_abi::types::{Field, TypeId};
use gsw_driver::engine::happened::{Came, Happened};
use gsw_engine::codec::places;
use gsw_engine::operation::Request;
use gsw_engine::run::{Hiding, RunResult};
use gsw_notation::calendar::rfc3339;
use gsw_notation::duration;
use gsw_notation::json::written;
use gsw_service::Exit;
use gsw_trace::{Keep, Node, Tree, What};
use gsw_tree::event::EventKind;
use gsw_tree::node::{NodeId, Status};
use serde_json::Value;

use super::effects::{Effect, effect};
use super::literal::{ANYTHING, Literals, quoted};
use crate::commands::fmt::formatted;

const MILLISECOND: i64 = 1_000_000;
/// Longer than any run waits.
const FOR_EVER: &str = "36500d";

/// How long the mocks of a test take.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    AtOnce,
    AsItWas,
}

/// A call that answers.
pub struct Mock {
    callee: String,
    /// What its arguments fit, each.
    pattern: Vec<String>,
    answer: String,
    /// In nanoseconds, where that is known.
    took: i64,
}

impl Mock {
    pub fn new(callee: &str, pattern: Vec<String>, answer: String) -> Self {
        Self {
            callee: callee.to_owned(),
            pattern,
            answer,
            took: 0,
        }
    }

    fn answer(&self, pace: Pace) -> String {
        let milliseconds = self.took.div_euclid(MILLISECOND);
        match pace {
            Pace::AsItWas if milliseconds > 0 => format!(
                "do {{ sleep({}); {} }}",
                duration::text(milliseconds * MILLISECOND),
                self.answer
            ),
            Pace::AtOnce | Pace::AsItWas => self.answer.clone(),
        }
    }
}

/// What the test is made of.
pub struct Story {
    name: String,
    head: String,
    mocks: Vec<Mock>,
    /// What has no mock, a line each.
    unwritten: Vec<String>,
    check: String,
    hiding: Hiding,
}

impl Story {
    /// What a run was asked for and met.
    ///
    /// # Errors
    /// When no test can be made of it, and why.
    pub fn of(program: &Program, happened: &Happened) -> Result<Self, String> {
        let info = &happened.info;
        let id = gsw_service::short(&info.id);
        let result = match &happened.came {
            Came::Ended(result) => result,
            Came::Open if info.status.is_final() => {
                return Err(format!(
                    "this program goes on where run `{id}` had ended: it is not the one that ran"
                ));
            }
            Came::Open => {
                let waits = info
                    .waiting
                    .as_deref()
                    .map(|it| format!(" and waits for {it}"));
                return Err(format!(
                    "run `{id}` has not ended{}: a test is made of a run that has",
                    waits.unwrap_or_default()
                ));
            }
            Came::Diverged(why) => {
                return Err(format!(
                    "this program asks for something else than run `{id}` did: {why}"
                ));
            }
        };
        let mut teller = Teller::new(program, happened);
        let check = teller.check(happened, result)?;
        let mocks = teller.mocks(happened);
        Ok(Self {
            name: format!("{}, run {id}", info.workflow),
            head: format!(
                "Made by `gswc test --from` of run {id}, which began at {}.",
                rfc3339(info.begun)
            ),
            mocks,
            unwritten: teller.unwritten,
            check,
            hiding: happened.hiding.clone(),
        })
    }

    /// The test as source text.
    pub fn test(&self, pace: Pace) -> Result<String, Exit> {
        let mut text = format!("// {}\n", self.head);
        for it in &self.unwritten {
            text.push_str(&format!("// Not mocked: {it}.\n"));
        }
        text.push_str(&format!("test {} {{\n", quoted(&self.name)));
        for (callee, pattern, answers) in self.grouped(pace) {
            let pattern = pattern.join(", ");
            let answers = answers.join("\n    then ");
            text.push_str(&format!("  mock {callee}({pattern}) -> {answers}\n"));
        }
        text.push_str(&format!("  {}\n}}\n", self.check));
        let text = formatted("<test>".into(), &text)?;
        // What a program has put together of hidden values.
        Ok(self.hiding.text(text))
    }

    /// The calls that fit the same pattern together, with their answers in the order of the calls. What fits more comes later.
    fn grouped(&self, pace: Pace) -> Vec<(&str, &[String], Vec<String>)> {
        let mut found: Vec<(&str, &[String], Vec<String>)> = Vec::new();
        for mock in &self.mocks {
            let answer = mock.answer(pace);
            let known = found
                .iter_mut()
                .find(|it| it.0 == mock.callee && *it.1 == mock.pattern);
            match known {
                Some((_, _, answers)) => answers.push(answer),
                None => found.push((&mock.callee, &mock.pattern, vec![answer])),
            }
        }
        for (_, _, answers) in &mut found {
            // The last answer repeats.
            while let [.., before, last] = &answers[..]
                && before == last
            {
                answers.pop();
            }
        }
        let callees: Vec<&str> = found.iter().map(|it| it.0).collect();
        let first = |callee: &str| callees.iter().position(|it| *it == callee);
        let loose = |pattern: &[String]| pattern.iter().filter(|it| *it == ANYTHING).count();
        found.sort_by_key(|it| (first(it.0), loose(it.1)));
        found
    }
}

/// Finds what stands for the calls of a run.
struct Teller<'a> {
    program: &'a Program,
    literals: Literals<'a>,
    tree: Tree,
    unwritten: Vec<String>,
}

impl<'a> Teller<'a> {
    fn new(program: &'a Program, happened: &Happened) -> Self {
        let mut tree = Tree::new(happened.info.id.as_str().into(), Keep::All);
        for event in &happened.events {
            tree.apply(&Arc::new(event.clone()));
        }
        Self {
            program,
            literals: Literals(&program.types),
            tree,
            unwritten: Vec::new(),
        }
    }

    /// The call of the workflow, and what is expected of it.
    fn check(&mut self, happened: &Happened, result: &RunResult) -> Result<String, String> {
        let name = &happened.info.workflow;
        let workflow = self.program.workflows.iter().find(|it| it.name == *name);
        let workflow = workflow.ok_or_else(|| {
            format!("the workflow `{name}` is none of the file's own, so no test of it can call it")
        })?;
        let types = &self.program.types;
        let shown_input = places::shown_fields(types, &workflow.parameters, &happened.input);
        let given = shown_input.as_object().cloned().unwrap_or_default();
        let input = self
            .literals
            .arguments(&workflow.parameters, &given)
            .map_err(|it| format!("{} among the arguments cannot be written in a test", it.0))?;
        let call = format!("{name}({input})");
        Ok(match result {
            RunResult::Value(json) => {
                let value = written(json).map_err(|issue| issue.message);
                let value = value.map(|it| places::shown(types, workflow.result, &it));
                let literals = &self.literals;
                let value = value.and_then(|it| {
                    literals
                        .value(workflow.result, &it)
                        .map_err(|why| why.0.to_owned())
                });
                match value {
                    Ok(value) if value == "()" => call,
                    Ok(value) => format!("assert {call} == {value}"),
                    Err(why) => {
                        self.unwritten.push(format!("the result, {why}"));
                        format!("let _ = {call}")
                    }
                }
            }
            RunResult::Raised(error) => {
                let pattern = self.literals.error(&error.error, &error.fields);
                let pattern = pattern.unwrap_or_else(|_| format!("{}(..)", error.error));
                format!("assert {call} fails {pattern}")
            }
            RunResult::Cancelled => {
                return Err("the run was cancelled: nothing is expected of it".into());
            }
            RunResult::InvalidInput(_) | RunResult::Internal(_) | RunResult::Left(_) => {
                return Err("the run has not ended by itself: nothing is expected of it".into());
            }
        })
    }

    fn mocks(&mut self, happened: &Happened) -> Vec<Mock> {
        let mut calls: BTreeMap<NodeId, NodeKind> = BTreeMap::new();
        for node in self.tree.walk() {
            if let Some(kind) = answering(node)
                && !self
                    .tree
                    .ancestors(node.id)
                    .any(|it| answering(it).is_some())
            {
                calls.insert(node.id, kind);
            }
        }
        // By number, so in the order in which they began.
        let mut found: BTreeMap<NodeId, Vec<Mock>> = BTreeMap::new();
        for (id, kind) in &calls {
            let mock = self.tree.get(*id).map(|it| self.call(it, *kind, happened));
            match mock {
                Some(Ok(mock)) => found.entry(*id).or_default().push(mock),
                Some(Err(why)) => self.unwritten.push(why),
                None => {}
            }
        }
        let is_inside = |node: NodeId| {
            calls.contains_key(&node)
                || self
                    .tree
                    .ancestors(node)
                    .any(|it| calls.contains_key(&it.id))
        };
        let mut effects = Vec::new();
        let mut told = HashSet::new();
        for it in happened.performed.iter().filter(|it| !is_inside(it.node)) {
            match effect(&it.request, &it.outcome) {
                Effect::Mocked(mock) => effects.push(mock),
                Effect::Same => {}
                Effect::Unwritten(what) => {
                    if told.insert(what.clone()) {
                        self.unwritten.push(what);
                    }
                }
            }
        }
        found.into_values().flatten().chain(effects).collect()
    }

    /// A call that was answered.
    fn call(&self, node: &Node, kind: NodeKind, happened: &Happened) -> Result<Mock, String> {
        let name = &*node.name;
        let (parameters, result) = self.declared(name, kind, happened).ok_or_else(|| {
            format!(
                "{} `{name}`, whose answer is of an unknown type",
                kind.name()
            )
        })?;
        let input = node.input.as_ref().map(|it| it.tree()).unwrap_or_default();
        let pattern = match parameters {
            Some(parameters) => parameters
                .iter()
                .map(|field| {
                    let given = input.get(&field.wire).or_else(|| input.get(&field.name));
                    given.map_or_else(
                        || ANYTHING.to_owned(),
                        |it| self.literals.pattern(field.ty, it),
                    )
                })
                .collect(),
            None => vec!["..".to_owned()],
        };
        let unwritable = |what: &str| format!("{} `{name}`, which gave {what}", kind.name());
        let answer = match node.status {
            Status::Completed => {
                let value = node.output.as_ref().map(|it| it.tree()).unwrap_or_default();
                let value = self.literals.value(result, &value);
                value.map_err(|it| unwritable(it.0))?
            }
            Status::Failed => {
                let (error, fields) = self
                    .error_of(node)
                    .ok_or_else(|| unwritable("an error that was not recorded"))?;
                let error = self.literals.error(&error, &fields);
                format!("fail {}", error.map_err(|it| unwritable(it.0))?)
            }
            Status::Cancelled | Status::Running | Status::Idle => {
                return Ok(Mock::new(
                    name,
                    pattern,
                    format!("do {{ sleep({FOR_EVER}); fail Overloaded }}"),
                ));
            }
        };
        Ok(Mock {
            took: node.duration().unwrap_or(0),
            ..Mock::new(name, pattern, answer)
        })
    }

    /// The parameters, where the program lists them, and the type of the answer.
    fn declared(
        &self,
        name: &str,
        kind: NodeKind,
        happened: &Happened,
    ) -> Option<(Option<&'a [Field]>, TypeId)> {
        let program = self.program;
        match kind {
            NodeKind::Prompt => {
                let found = program.prompts.iter().find(|it| it.name == name)?;
                Some((Some(&found.parameters), found.result))
            }
            NodeKind::Tool => {
                let found = program.tools.iter().find(|it| it.name == name)?;
                Some((Some(&found.parameters), found.result))
            }
            NodeKind::Human | NodeKind::External => {
                let mut asked = happened.performed.iter().filter_map(|it| {
                    if let Request::Human { question } = &it.request {
                        Some((&question.human, question.result))
                    } else if let Request::External { external } = &it.request {
                        Some((&external.name, external.result))
                    } else {
                        None
                    }
                });
                let asked = asked.find(|it| it.0 == name).map(|it| it.1);
                Some((None, asked?))
            }
            NodeKind::Workflow
            | NodeKind::Step
            | NodeKind::Task
            | NodeKind::Parallel
            | NodeKind::Iteration
            | NodeKind::Hook
            | NodeKind::Reflection
            | NodeKind::Attempt
            | NodeKind::Region
            | NodeKind::Undo => None,
        }
    }

    /// The error that ended a node: the last one in it or below.
    fn error_of(&self, node: &Node) -> Option<(String, Value)> {
        let mut last = None;
        let mut waiting = vec![node];
        while let Some(node) = waiting.pop() {
            for recorded in &node.recorded {
                let What::Known(event) = &recorded.what else {
                    continue;
                };
                if let EventKind::Error(error) = &event.kind
                    && last.as_ref().is_none_or(|(at, _)| *at < recorded.sequence)
                {
                    last = Some((
                        recorded.sequence,
                        (error.error.clone(), error.fields.clone()),
                    ));
                }
            }
            waiting.extend(self.tree.children(node.id));
        }
        Some(last?.1)
    }
}

/// What answers as a whole in a test, with all that happens below it.
fn answering(node: &Node) -> Option<NodeKind> {
    match node.kind? {
        kind @ (NodeKind::Prompt | NodeKind::Tool | NodeKind::Human | NodeKind::External) => {
            Some(kind)
        }
        NodeKind::Workflow
        | NodeKind::Step
        | NodeKind::Task
        | NodeKind::Parallel
        | NodeKind::Iteration
        | NodeKind::Hook
        | NodeKind::Reflection
        | NodeKind::Attempt
        | NodeKind::Region
        | NodeKind::Undo => None,
    }
}
