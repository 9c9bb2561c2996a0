//! Asking a person: the question is bound to its digest, and an answer counts only when it fits.

use std::sync::Arc;

use gsw_abi::program::FunctionIndex;
use gsw_abi::schema;
use gsw_abi::types::{Field, Secrecy, Type, TypeId, TypeTable};
use serde_json::{Value, json};

use crate::codec::{self, decode};
use crate::event::{EventKind, JsonText, Verdict};
use crate::human::{Question, Refused, Reply};
use crate::operation::{OperationId, Request};
use crate::port::Notice;
use crate::run::{Run, raise, words};
use crate::step::Step;
use crate::task::TaskId;
use crate::wait::Wait;
use gsw_notation::issue::Issue;
use gsw_notation::json;

/// What compiled code hands over; the words are owned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewQuestion {
    /// The type of the answer.
    pub result: TypeId,
    /// Index of the `human`, which is listed with the prompts.
    pub human: usize,
    pub text: u64,
    pub arguments: u64,
}

/// The questions of a run that have no answer, by the operation that asks.
pub type Questions = rustc_hash::FxHashMap<OperationId, Box<Question>>;

/// The fields of all records and variants that a value of this type may hold.
fn fields_in<'a>(
    types: &'a TypeTable,
    ty: TypeId,
    seen: &mut Vec<TypeId>,
    found: &mut Vec<&'a Field>,
) {
    // Recursive types; a field that was found once is found.
    if seen.contains(&ty) {
        return;
    }
    seen.push(ty);
    let mut inside = |fields: &'a [Field], seen: &mut Vec<TypeId>| {
        for field in fields {
            found.push(field);
            fields_in(types, field.ty, seen, found);
        }
    };
    match types.get(ty) {
        Type::Record(it) => inside(&it.fields, seen),
        Type::Enum(it) => it.variants.iter().for_each(|it| inside(&it.fields, seen)),
        Type::Checked { base, .. } => fields_in(types, *base, seen, found),
        Type::Optional(of) | Type::List(of) => fields_in(types, *of, seen, found),
        Type::Map { key, value } => {
            fields_in(types, *key, seen, found);
            fields_in(types, *value, seen, found);
        }
        Type::Tuple(parts) => parts
            .iter()
            .for_each(|&it| fields_in(types, it, seen, found)),
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
        | Type::ErrorKind(_)
        | Type::Closure(_)
        | Type::Function
        | Type::Cell(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Session => {}
    }
}

/// `human_ask`: takes over the words of `new`.
pub(crate) fn ask_person(run: &mut Run, new: NewQuestion) -> Step {
    let text = words::take_string(&mut run.heap, new.text);
    let (data, hidden) = words::take_arguments(&mut run.heap, new.arguments);
    if let Some(error) = run.interruption() {
        return Step::Raised(error);
    }
    let loaded = Arc::clone(&run.loaded);
    let Some(declared) = loaded.program.prompts.get(new.human) else {
        return Step::Raised(raise::internal(
            &mut run.heap,
            &format!("there is no human {}", new.human),
        ));
    };
    let schema = schema::schema(&loaded.types, new.result);
    // The person sees the whole text; observers do not.
    let shown = hidden.redact(Value::from(text.as_str()));
    // The digest is over what observers see, so that it can be checked and shows nothing of what is hidden.
    let known: Value = data
        .as_deref()
        .and_then(|it| serde_json::from_str(it).ok())
        .unwrap_or_default();
    // The reply has to repeat it, so an answer to an older form of the question is refused instead of decoded.
    let digest = schema::canonical_digest(&json!({
        "human": declared.name,
        "question": shown,
        "data": known,
        "schema": schema,
    }));
    let question = Question {
        human: declared.name.clone(),
        text,
        result: new.result,
        // Evaluated before it is asked: whoever shows a form can fill it in without the program.
        defaults: defaults_in(run, new.result),
        digest,
        refused: None,
        schema,
    };
    let kind = EventKind::HumanRequest {
        human: question.human.as_str().into(),
        digest: question.digest.clone(),
        question: shown.as_str().unwrap_or_default().to_owned(),
        data: data.map(JsonText::from),
        schema: JsonText::from(&question.schema),
    };
    run.progress.emit(run.scheduler.current_node(), kind);
    let id = ask_question(run, run.scheduler.current(), Box::new(question));
    run.scheduler.wait_for(Wait::Operation {
        id,
        result: new.result,
    })
}

fn ask_question(run: &mut Run, task: TaskId, question: Box<Question>) -> OperationId {
    let request = Request::Human {
        question: question.clone(),
    };
    let id = run.request(task, request);
    run.operations.ask(id, question);
    id
}

/// A reply to what an operation of this task asked: its value, or the operation that asks again.
pub(crate) fn take_reply(
    run: &mut Run,
    task: TaskId,
    operation: OperationId,
    reply: Reply,
) -> Result<Result<u64, u64>, OperationId> {
    let Some(mut question) = run.operations.take_question(operation) else {
        return Ok(Err(raise::internal(
            &mut run.heap,
            "a person answered where nobody was asked",
        )));
    };
    let node = run.scheduler.task(task).node;
    let digest = question.digest.clone();
    match read_reply(run, &question, &reply) {
        Ok(word) => {
            let kind = EventKind::HumanAnswer {
                digest,
                verdict: Verdict::Accepted,
                issues: Vec::new(),
            };
            run.progress.emit(node, kind);
            run.progress.notify(Notice::Answered {
                operation,
                digest: question.digest,
                verdict: Verdict::Accepted,
            });
            Ok(Ok(word))
        }
        Err(issues) => {
            let kind = EventKind::HumanAnswer {
                digest,
                verdict: Verdict::Refused,
                issues: shown_issues(run, question.result, &issues),
            };
            run.progress.emit(node, kind);
            run.progress.notify(Notice::Answered {
                operation,
                digest: question.digest.clone(),
                verdict: Verdict::Refused,
            });
            let count = question.refused.map_or(0, |it| it.count);
            // The same question is asked again with what was wrong, as a new operation: each answer is an outcome of its own.
            question.refused = Some(Refused {
                answer: reply.answer,
                issues,
                count: count.saturating_add(1),
            });
            Err(ask_question(run, task, question))
        }
    }
}

/// The answer as a value; nothing is repaired.
fn read_reply(run: &mut Run, question: &Question, reply: &Reply) -> Result<u64, Vec<Issue>> {
    // First: an answer to another question may well fit the type.
    if reply.digest != question.digest {
        return Err(vec![Issue {
            path: "$".into(),
            expected: format!("an answer to the question {}", question.digest),
            found: format!("one to {}", reply.digest),
            message: "this answers another question".into(),
        }]);
    }
    // Strict JSON, unlike the answers of models: what a person means is not guessed.
    let tree = json::parse(&reply.answer).map_err(|issue| vec![issue])?;
    decode::decode_all_issues(run, question.result, &tree)
}

/// What observers may see of what is wrong: where something is hidden, nothing that was found.
fn shown_issues(run: &Run, result: TypeId, issues: &[Issue]) -> Vec<Issue> {
    let mut fields = Vec::new();
    fields_in(&run.loaded.types, result, &mut Vec::new(), &mut fields);
    let hides = fields.iter().any(|it| it.secrecy == Secrecy::Redacted);
    let mut shown = issues.to_vec();
    if hides {
        for issue in &mut shown {
            issue.found = "***".into();
            issue.message = format!("expected {}", issue.expected);
        }
    }
    shown
}

/// The defaults of all fields that an answer may leave out, as far as they have values.
fn defaults_in(run: &mut Run, result: TypeId) -> Vec<(FunctionIndex, Value)> {
    let types = Arc::clone(&run.loaded.types);
    let mut fields = Vec::new();
    fields_in(&types, result, &mut Vec::new(), &mut fields);
    let mut found: Vec<(FunctionIndex, Value)> = Vec::new();
    for field in fields {
        let Some(function) = field.default.as_ref().map(|it| it.function) else {
            continue;
        };
        if found.iter().any(|it| it.0 == function) {
            continue;
        }
        match run.call_plain(function.0, &[]) {
            Ok(word) => {
                let tree = codec::to_tree(&run.heap, field.ty, word);
                run.heap.release_typed(field.ty, word);
                found.extend(tree.ok().map(|it| (function, it)));
            }
            // Whoever leaves the field out learns of it.
            Err(error) => run.heap.release(error),
        }
    }
    found
}
