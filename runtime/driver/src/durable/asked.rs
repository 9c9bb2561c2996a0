//! An operation without an outcome: how it is recognized after a restart, and what it needs until it completes.

use std::collections::BTreeMap;

use gsw_abi::site::Site;
use gsw_engine::operation::{Operation, OperationId, Request};
use gsw_engine::run::OpenQuestion;
use gsw_journal::questions::{Kind, Question};
use gsw_journal::record::{Hash, Identity, digest};
use gsw_notation::json::written;
use serde_json::{Value, json};

use crate::durable::secrecy::Secrecy;

/// A run that waits for this long, in nanoseconds, need not have a process.
pub(crate) const LONG: i64 = 60_000_000_000;

/// An operation as it is known again.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) of: Identity,
    /// A short description.
    pub(crate) what: String,
    /// The `human` or `external` that is asked.
    pub(crate) asks: Option<Asks>,
    /// The deadline after which its outcome is not needed, in nanoseconds since 1970; of a sleep, when it ends.
    pub(crate) due: Option<i64>,
    /// Time and people need no process.
    pub(super) needs: Needs,
    /// It is recorded already that it begins.
    pub(crate) is_intended: bool,
}

impl Asked {
    pub(crate) fn of(operation: &Operation) -> Self {
        Self {
            due: operation.due,
            ..Self::at(operation.id, operation.site, &operation.request)
        }
    }

    /// For what has no time limit of its own: the run that asks for it needs a process until it has come.
    pub(super) fn at(id: OperationId, site: Site, request: &Request) -> Self {
        Self {
            of: Identity {
                operation: id.0,
                fingerprint: digest(&request.identity(site)),
            },
            what: request.summary(),
            asks: Asks::of(request),
            due: None,
            needs: Needs::of(request),
            is_intended: false,
        }
    }
}

/// A question, by which an answer finds it.
#[derive(Clone, Debug)]
pub(crate) struct Asks {
    /// Of the declaration.
    pub(crate) name: String,
    /// 64 hex digits over all that is asked.
    pub(crate) digest: String,
    pub(crate) key: Option<String>,
}

impl Asks {
    fn of(request: &Request) -> Option<Self> {
        let (name, digest) = request.asks().zip(request.question())?;
        Some(Self {
            name: name.to_owned(),
            digest: digest.to_owned(),
            key: request.key().map(str::to_owned),
        })
    }
}

pub(crate) fn words_of(question: &Question) -> String {
    let Question { name, shown, .. } = question;
    let shown = written(shown).unwrap_or_default();
    match question.kind {
        Kind::Human => match shown["text"].as_str() {
            Some(text) => format!("human {name}, which asks {}", json!(text)),
            // Of a program with secrets.
            None => format!("human {name}"),
        },
        Kind::External if shown.is_null() => format!("external {name}"),
        Kind::External => format!("external {name} with {shown}"),
    }
}

/// By what `runs answer` finds a question: its name, or its number where several of `names`, which are open, are this one.
pub(crate) fn answered_by<'a>(
    operation: u64,
    name: &str,
    names: impl Iterator<Item = &'a str>,
) -> String {
    match names.filter(|it| *it == name).count() {
        0 | 1 => name.to_owned(),
        _ => operation.to_string(),
    }
}

/// The questions of a run that is left, as those who answer find them.
pub(crate) fn open_questions(
    outstanding: &BTreeMap<OperationId, Asked>,
    secrecy: Secrecy,
) -> Vec<OpenQuestion> {
    let asked = outstanding.iter();
    let asked = asked.filter_map(|(id, it)| Some((id, it, it.asks.as_ref()?)));
    let names: Vec<&str> = asked.clone().map(|(_, _, it)| &*it.name).collect();
    let open = asked.map(|(id, it, asks)| OpenQuestion {
        name: asks.name.clone(),
        by: answered_by(id.0, &asks.name, names.iter().copied()),
        key: match secrecy {
            Secrecy::Plain => asks.key.clone(),
            // It may be made of a secret.
            Secrecy::Sealed => None,
        },
        due: it.due,
    });
    open.collect()
}

/// What an operation asks of a person, as the store keeps it.
pub(crate) fn question(operation: &Operation, now: i64) -> Option<Question> {
    let (kind, key, schema, shown) = if let Request::Human { question } = &operation.request {
        let shown = json!({ "text": question.text });
        (Kind::Human, None, &question.schema, shown)
    } else if let Request::External { external } = &operation.request {
        let data = external.data.as_deref();
        let data: Option<Value> = data.and_then(|it| written(it).ok());
        let key = external.key.clone();
        (Kind::External, key, &external.schema, json!(data))
    } else {
        return None;
    };
    let Asks { name, digest, .. } = Asks::of(&operation.request)?;
    Some(Question {
        operation: operation.id.0,
        kind,
        name,
        key,
        digest: unhex(&digest),
        schema: schema.to_string(),
        shown: shown.to_string(),
        who: Vec::new(),
        asked: now,
        due: operation.due,
    })
}

/// The bytes of 64 hex digits; other text is made distinct bytes all the same.
pub(crate) fn unhex(digits: &str) -> Hash {
    let mut sum = [0; 32];
    let pairs = digits.as_bytes().chunks_exact(2);
    let bytes: Option<Vec<u8>> = pairs
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect();
    match bytes {
        Some(bytes) if bytes.len() == sum.len() => {
            sum.copy_from_slice(&bytes);
            sum
        }
        Some(_) | None => digest(digits.as_bytes()),
    }
}

/// What an operation needs while it has no outcome.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Needs {
    Process,
    /// A person, or the world outside.
    Somebody,
    /// Time, and much of it.
    Time,
}

impl Needs {
    pub(super) fn of(request: &Request) -> Self {
        match request {
            Request::Human { .. } | Request::External { .. } => Self::Somebody,
            Request::Sleep { nanoseconds } if *nanoseconds >= LONG => Self::Time,
            Request::Sleep { .. }
            | Request::Now
            | Request::Random
            | Request::RandomInt { .. }
            | Request::Uuid
            | Request::FsRead { .. }
            | Request::FsReadBytes { .. }
            | Request::FsWrite { .. }
            | Request::FsWriteBytes { .. }
            | Request::FsAppend { .. }
            | Request::FsExists { .. }
            | Request::FsList { .. }
            | Request::FsGlob { .. }
            | Request::FsRemove { .. }
            | Request::FsMakeDir { .. }
            | Request::EnvGet { .. }
            | Request::MediaUrl { .. }
            | Request::Model { .. }
            | Request::Piece { .. }
            | Request::Scripted { .. }
            | Request::Mocked { .. }
            | Request::LookUp { .. }
            | Request::Keep { .. }
            | Request::StartRun { .. }
            | Request::Exec { .. }
            | Request::Http { .. }
            | Request::Mcp { .. }
            | Request::Compile { .. }
            | Request::OtherRun { .. }
            | Request::Host { .. } => Self::Process,
        }
    }
}
