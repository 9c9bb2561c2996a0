//! Asking a person, or the outside: the question is bound to its digest, and an answer counts only when it fits.

use std::sync::Arc;

use gsw_abi::call::NodeKind;
use gsw_abi::program::FunctionIndex;
use gsw_abi::schema;
use gsw_abi::types::{Field, Secrecy, Type, TypeId, TypeTable};
use gsw_notation::issue::Issue;
use gsw_notation::json;
use gsw_notation::json::written;
use serde_json::{Value, json};

use crate::codec::{self, decode, surplus};
use crate::event::{EventKind, JsonText, Verdict};
use crate::external::{External, unfit_key};
use crate::human::{Question, Refused, Reply};
use crate::operation::{OperationId, Request};
use crate::port::Notice;
use crate::run::operations::Unanswered;
use crate::run::prompt::said::{self, Opening};
use crate::run::{Run, raise, words};
use crate::step::Step;
use crate::task::TaskId;
use crate::wait::Wait;

/// What compiled code hands over for a question; the words are owned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewQuestion {
    /// The type of the answer.
    pub result: TypeId,
    /// Index of the `human`, which is listed with the prompts.
    pub human: usize,
    /// The messages, see [`Opening::take`].
    pub said: u64,
    pub arguments: u64,
}

/// What compiled code hands over for an answer from outside; the words are owned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewExternal {
    /// The type of the answer.
    pub result: TypeId,
    /// Index of the `external`, which is listed with the prompts.
    pub external: usize,
    /// A string, or 0.
    pub key: u64,
    pub arguments: u64,
}

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
        Type::Optional(of) | Type::List(of) | Type::Set { of, .. } => {
            fields_in(types, *of, seen, found)
        }
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
    let opening = Opening::take(&mut run.heap, new.said);
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
    if !opening.asks() {
        return Step::Raised(said::asks_nothing(&mut run.heap, &declared.name));
    }
    let text = opening.question();
    let schema = schema::schema(&loaded.types, new.result);
    // The person sees the whole text; observers do not.
    let shown = hidden.redact(Value::from(text.as_str()));
    // The digest is over what observers see, so that it can be checked and shows nothing of what is hidden.
    let known: Value = data
        .as_deref()
        .and_then(|it| written(it).ok())
        .unwrap_or_default();
    // The reply has to repeat it, so an answer to an older form of the question is refused instead of decoded.
    let digest = schema::canonical_digest(&json!({
        "human": loaded.program.lasting_name(NodeKind::Human, &declared.name),
        "question": shown,
        "data": known,
        "schema": schema,
    }));
    let question = Question {
        human: declared.name.clone(),
        text,
        result: new.result,
        // Evaluated before the question is asked: a form can be filled in without the program.
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
    let id = ask(
        run,
        run.scheduler.current(),
        Unanswered::Person(Box::new(question)),
    );
    run.scheduler.wait_for(Wait::Operation {
        id,
        result: new.result,
    })
}

/// `external_ask`: takes over the words of `new`.
pub(crate) fn ask_outside(run: &mut Run, new: NewExternal) -> Step {
    let key = words::take_text(&mut run.heap, new.key);
    let (data, hidden) = words::take_arguments(&mut run.heap, new.arguments);
    if let Some(error) = run.interruption() {
        return Step::Raised(error);
    }
    let loaded = Arc::clone(&run.loaded);
    let Some(declared) = loaded.program.prompts.get(new.external) else {
        return Step::Raised(raise::internal(
            &mut run.heap,
            &format!("there is no external {}", new.external),
        ));
    };
    if let Some(wrong) = key.as_deref().and_then(unfit_key) {
        let message = format!("the key of `{}` {wrong}", declared.name);
        return Step::Raised(raise::failed(&mut run.heap, &message));
    }
    let schema = schema::schema(&loaded.types, new.result);
    let shown = key.as_deref().map(|it| hidden.redact(Value::from(it)));
    let known: Value = data
        .as_deref()
        .and_then(|it| written(it).ok())
        .unwrap_or_default();
    // Over what observers see, as that of a question to a person.
    let digest = schema::canonical_digest(&json!({
        "external": loaded.program.lasting_name(NodeKind::External, &declared.name),
        "key": shown,
        "data": known,
        "schema": schema,
    }));
    let kind = EventKind::ExternalRequest {
        external: declared.name.as_str().into(),
        key: shown.and_then(|it| it.as_str().map(str::to_owned)),
        digest: digest.clone(),
        data: data.as_deref().map(|it| JsonText::from(it.to_owned())),
        schema: JsonText::from(&schema),
    };
    run.progress.emit(run.scheduler.current_node(), kind);
    let external = External {
        name: declared.name.clone(),
        key,
        result: new.result,
        schema,
        data: data.map(|it| it.to_string()),
        digest,
    };
    let id = ask(
        run,
        run.scheduler.current(),
        Unanswered::Outside(Box::new(external)),
    );
    run.scheduler.wait_for(Wait::Operation {
        id,
        result: new.result,
    })
}

/// Requests, for this task, an answer from whoever is asked.
fn ask(run: &mut Run, task: TaskId, unanswered: Unanswered) -> OperationId {
    let request = match &unanswered {
        Unanswered::Person(question) => Request::Human {
            question: question.clone(),
        },
        Unanswered::Outside(external) => Request::External {
            external: external.clone(),
        },
    };
    let id = run.request(task, request);
    run.operations.ask(id, unanswered);
    id
}

/// A reply to what an operation of this task asked: its value, or the operation that asks again.
pub(crate) fn take_reply(
    run: &mut Run,
    task: TaskId,
    operation: OperationId,
    reply: Reply,
) -> Result<Result<u64, u64>, OperationId> {
    let Some(unanswered) = run.operations.take_question(operation) else {
        return Ok(Err(raise::internal(
            &mut run.heap,
            "somebody answered where nobody was asked",
        )));
    };
    let (digest, result) = match &unanswered {
        Unanswered::Person(it) => (it.digest.clone(), it.result),
        Unanswered::Outside(it) => (it.digest.clone(), it.result),
    };
    let (read, verdict, issues) = match read_reply(run, &digest, result, &reply) {
        Ok(word) => (Ok(word), Verdict::Accepted, Vec::new()),
        Err(issues) => {
            // It was not read to its end, and nothing is said of it: a later life of the run reads it.
            if let Some(unwinding) = run.due_unwinding() {
                return Ok(Err(unwinding));
            }
            let shown = shown_issues(run, result, &issues);
            (Err(issues), Verdict::Refused, shown)
        }
    };
    let kind = match &unanswered {
        Unanswered::Person(_) => EventKind::HumanAnswer {
            digest: digest.clone(),
            verdict,
            issues,
        },
        Unanswered::Outside(_) => EventKind::ExternalAnswer {
            digest: digest.clone(),
            verdict,
            issues,
        },
    };
    let node = run.scheduler.task(task).node;
    run.progress.emit(node, kind);
    run.progress.notify(Notice::Answered {
        operation,
        digest,
        verdict,
    });
    let issues = match read {
        Ok(word) => return Ok(Ok(word)),
        Err(issues) => issues,
    };
    // The same is asked again as a new operation: each answer is an outcome of its own.
    Err(match unanswered {
        Unanswered::Person(mut question) => {
            let count = question.refused.map_or(0, |it| it.count);
            question.refused = Some(Refused {
                answer: reply.answer,
                issues,
                count: count.saturating_add(1),
            });
            ask(run, task, Unanswered::Person(question))
        }
        outside @ Unanswered::Outside(_) => ask(run, task, outside),
    })
}

impl Run {
    /// The parts of an answer that do not fit a type, for a caller that must know before it is delivered. This run need
    /// not have begun.
    pub fn unfit(&mut self, ty: TypeId, answer: &str) -> Vec<Issue> {
        self.enter_native();
        match json::parse(answer)
            .map_err(|issue| vec![issue])
            .and_then(|tree| decode_exactly(self, ty, &tree))
        {
            Ok(word) => {
                self.heap.release_typed(ty, word);
                Vec::new()
            }
            Err(issues) => shown_issues(self, ty, &issues),
        }
    }
}

/// The answer as a value; nothing is repaired.
fn read_reply(
    run: &mut Run,
    digest: &str,
    result: TypeId,
    reply: &Reply,
) -> Result<u64, Vec<Issue>> {
    // First: an answer to another question may well fit the type.
    if reply.digest != digest {
        return Err(vec![Issue {
            path: "$".into(),
            expected: format!("an answer to the question {digest}"),
            found: format!("one to {}", reply.digest),
            message: "this answers another question".into(),
        }]);
    }
    // Strict JSON, unlike the answers of models: what a person means is not guessed.
    let tree = json::parse(&reply.answer).map_err(|issue| vec![issue])?;
    decode_exactly(run, result, &tree)
}

/// A value that has no keys beside its fields: one that is misspelt would leave its field at the default.
fn decode_exactly(run: &mut Run, ty: TypeId, tree: &Value) -> Result<u64, Vec<Issue>> {
    let mut issues = surplus::keys(&run.loaded.types, ty, tree);
    match decode::decode_all_issues(run, ty, tree) {
        Ok(word) if issues.is_empty() => Ok(word),
        Ok(word) => {
            run.heap.release_typed(ty, word);
            Err(issues)
        }
        Err(found) => {
            issues.extend(found);
            Err(issues)
        }
    }
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
            // An answer without the field is reported.
            Err(error) => run.give_back(error),
        }
    }
    found
}
