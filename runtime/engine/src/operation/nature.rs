//! What each request is, besides what it asks for: how it may be repeated, what its outcome looks like, what happens to it when
//! it is given up. Every table names every request.

use gsw_tree::class::Class;
use serde::{Deserialize, Serialize};

use crate::operation::{AskOfRun, AskOfServer, Outcome, Request};

/// What happens to work that a run has given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GivenUp {
    /// It is dropped, and the run continues at once.
    Dropped,
    /// It changes something: the run continues when it has been stopped or has ended, so that it never lands later.
    AwaitedFirst,
}

/// What an outcome looks like, apart from a failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    Done,
    Found,
    GaveWay,
    Time,
    Float,
    Int,
    Bool,
    Text,
    Json,
    OptionalText,
    Bytes,
    Texts,
    Media,
    Host,
    Piece,
    Model,
    Exec,
    Http,
    Human,
}

impl Request {
    /// How it may be repeated, as far as it alone shows; a tool around it may declare that it is safer than that.
    #[must_use]
    pub fn class(&self) -> Class {
        match self {
            Self::Sleep { .. }
            | Self::Now
            | Self::Random
            | Self::RandomInt { .. }
            | Self::Uuid
            | Self::Compile { .. }
            | Self::Scripted { .. } => Class::Pure,
            Self::FsRead { .. }
            | Self::FsReadBytes { .. }
            | Self::FsExists { .. }
            | Self::FsList { .. }
            | Self::FsGlob { .. }
            | Self::EnvGet { .. }
            | Self::LookUp { .. }
            | Self::Piece { .. }
            | Self::MediaUrl { .. } => Class::Reads,
            Self::OtherRun { ask, .. } => match ask {
                AskOfRun::Find | AskOfRun::Status | AskOfRun::State | AskOfRun::Result => {
                    Class::Reads
                }
                AskOfRun::Cancel { .. } => Class::Idempotent,
                AskOfRun::Answer { .. } => Class::Once,
            },
            // A model may be asked again: that costs money and changes nothing.
            Self::Model { .. }
            | Self::Keep { .. }
            | Self::FsWrite { .. }
            | Self::FsWriteBytes { .. }
            | Self::FsMakeDir { .. }
            | Self::StartRun { .. }
            | Self::Human { .. }
            | Self::External { .. } => Class::Idempotent,
            // Removing it a second time fails, or removes what someone has created since.
            Self::FsRemove { .. }
            | Self::FsAppend { .. }
            | Self::Exec { .. }
            | Self::Host { .. } => Class::Once,
            Self::Mcp { request } => match request.ask {
                AskOfServer::Tools
                | AskOfServer::Resources
                | AskOfServer::Templates
                | AskOfServer::Read { .. }
                | AskOfServer::Prompts
                | AskOfServer::Prompt { .. } => Class::Reads,
                AskOfServer::Call { .. } | AskOfServer::Talk { .. } => Class::Once,
            },
            Self::Mocked { call } => call.class,
            Self::Http { request } => match request.method.to_ascii_uppercase().as_str() {
                "GET" | "HEAD" | "OPTIONS" => Class::Reads,
                "PUT" | "DELETE" => Class::Idempotent,
                _ => Class::Once,
            },
        }
    }

    /// What happens to it when the run gives it up.
    #[must_use]
    pub fn given_up(&self) -> GivenUp {
        match self {
            Self::FsWrite { .. }
            | Self::FsWriteBytes { .. }
            | Self::FsAppend { .. }
            | Self::FsRemove { .. }
            | Self::FsMakeDir { .. }
            | Self::Exec { .. } => GivenUp::AwaitedFirst,
            // What waits for the network or a person can be dropped at any point; the other end may have acted all
            // the same, which waiting here would not change.
            Self::Sleep { .. }
            | Self::Now
            | Self::Random
            | Self::RandomInt { .. }
            | Self::Uuid
            | Self::FsRead { .. }
            | Self::FsReadBytes { .. }
            | Self::FsExists { .. }
            | Self::FsList { .. }
            | Self::FsGlob { .. }
            | Self::EnvGet { .. }
            | Self::MediaUrl { .. }
            | Self::Model { .. }
            | Self::Piece { .. }
            | Self::Scripted { .. }
            | Self::LookUp { .. }
            | Self::Keep { .. }
            | Self::StartRun { .. }
            | Self::Http { .. }
            | Self::Mcp { .. }
            | Self::Host { .. }
            | Self::Mocked { .. }
            | Self::Compile { .. }
            | Self::Human { .. }
            | Self::External { .. }
            | Self::OtherRun { .. } => GivenUp::Dropped,
        }
    }

    /// Whether another system performs it, and may have done so although it was given up.
    #[must_use]
    pub fn is_out_of_sight(&self) -> bool {
        matches!(
            self,
            Self::Http { .. }
                | Self::Host { .. }
                | Self::Mcp { .. }
                | Self::OtherRun { .. }
                | Self::Mocked { .. }
        )
    }

    /// Whether it may change something outside of the run. A model that is asked changes nothing, nor does a question that is taken
    /// back; of a mock only its class is known.
    #[must_use]
    pub fn may_act(&self) -> bool {
        if let Self::Mocked { call } = self {
            return call.class == Class::Once;
        }
        let only_asks = matches!(
            self,
            Self::Model { .. } | Self::Keep { .. } | Self::Human { .. } | Self::External { .. }
        );
        !only_asks && self.class() > Class::Reads
    }

    /// The name of the `human` or `external` that it asks.
    #[must_use]
    pub fn asks(&self) -> Option<&str> {
        if let Self::Human { question } = self {
            Some(&question.human)
        } else if let Self::External { external } = self {
            Some(&external.name)
        } else {
            None
        }
    }

    /// The key by which an answer finds what it asks.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        if let Self::External { external } = self {
            external.key.as_deref()
        } else {
            None
        }
    }

    /// The digest of what it asks a person or the outside; an answer has to repeat it.
    #[must_use]
    pub fn question(&self) -> Option<&str> {
        if let Self::Human { question } = self {
            Some(&question.digest)
        } else if let Self::External { external } = self {
            Some(&external.digest)
        } else {
            None
        }
    }

    /// What its outcome looks like, unless it fails.
    #[must_use]
    pub fn form(&self) -> Form {
        match self {
            Self::Sleep { .. }
            | Self::Mocked { .. }
            | Self::FsWrite { .. }
            | Self::FsWriteBytes { .. }
            | Self::FsAppend { .. }
            | Self::FsRemove { .. }
            | Self::FsMakeDir { .. } => Form::Done,
            Self::Now => Form::Time,
            Self::Random => Form::Float,
            Self::RandomInt { .. } => Form::Int,
            Self::Uuid | Self::FsRead { .. } | Self::StartRun { .. } => Form::Text,
            Self::FsReadBytes { .. } => Form::Bytes,
            Self::FsExists { .. } => Form::Bool,
            Self::FsList { .. } | Self::FsGlob { .. } => Form::Texts,
            Self::EnvGet { .. } => Form::OptionalText,
            Self::MediaUrl { .. } => Form::Media,
            Self::Model { .. } | Self::Scripted { .. } => Form::Model,
            Self::Piece { .. } => Form::Piece,
            Self::LookUp { .. } => Form::Found,
            Self::Keep { .. } => Form::GaveWay,
            Self::Exec { .. } => Form::Exec,
            Self::Http { .. } => Form::Http,
            Self::Host { .. } => Form::Host,
            Self::Human { .. } | Self::External { .. } => Form::Human,
            Self::OtherRun { .. } | Self::Mcp { .. } | Self::Compile { .. } => Form::Json,
        }
    }

    /// Whether it is work on files.
    #[must_use]
    pub fn is_on_files(&self) -> bool {
        matches!(
            self,
            Self::FsRead { .. }
                | Self::FsReadBytes { .. }
                | Self::FsWrite { .. }
                | Self::FsWriteBytes { .. }
                | Self::FsAppend { .. }
                | Self::FsExists { .. }
                | Self::FsList { .. }
                | Self::FsGlob { .. }
                | Self::FsRemove { .. }
                | Self::FsMakeDir { .. }
        )
    }

    /// How long it may take by itself, in nanoseconds.
    #[must_use]
    pub fn time_limit(&self) -> Option<i64> {
        let nanoseconds = |it: &std::time::Duration| i64::try_from(it.as_nanos()).ok();
        match self {
            Self::Sleep { nanoseconds } => Some((*nanoseconds).max(0)),
            Self::Model { request, .. } => nanoseconds(&request.timeout),
            Self::Exec { request } => request.timeout_nanoseconds,
            Self::Now
            | Self::Random
            | Self::RandomInt { .. }
            | Self::Uuid
            | Self::FsRead { .. }
            | Self::FsReadBytes { .. }
            | Self::FsWrite { .. }
            | Self::FsWriteBytes { .. }
            | Self::FsAppend { .. }
            | Self::FsExists { .. }
            | Self::FsList { .. }
            | Self::FsGlob { .. }
            | Self::FsRemove { .. }
            | Self::FsMakeDir { .. }
            | Self::EnvGet { .. }
            | Self::MediaUrl { .. }
            | Self::Piece { .. }
            | Self::Scripted { .. }
            | Self::LookUp { .. }
            | Self::Keep { .. }
            | Self::StartRun { .. }
            | Self::Http { .. }
            | Self::Mcp { .. }
            | Self::Host { .. }
            | Self::Mocked { .. }
            | Self::Compile { .. }
            | Self::Human { .. }
            | Self::External { .. }
            | Self::OtherRun { .. } => None,
        }
    }
}

impl Outcome {
    /// What it looks like; `None` for a failure, which every request may have.
    #[must_use]
    pub fn form(&self) -> Option<Form> {
        Some(match self {
            Self::Done => Form::Done,
            Self::Found(_) => Form::Found,
            Self::GaveWay(_) => Form::GaveWay,
            Self::Time(_) => Form::Time,
            Self::Float(_) => Form::Float,
            Self::Int(_) => Form::Int,
            Self::Bool(_) => Form::Bool,
            Self::Text(_) | Self::Earlier { .. } => Form::Text,
            Self::Json(_) => Form::Json,
            Self::OptionalText(_) => Form::OptionalText,
            Self::Bytes(_) => Form::Bytes,
            Self::Texts(_) => Form::Texts,
            Self::Media(_) => Form::Media,
            Self::Host { .. } => Form::Host,
            Self::Piece(_) => Form::Piece,
            Self::Model(_) => Form::Model,
            Self::Exec(_) => Form::Exec,
            Self::Http(_) => Form::Http,
            Self::Human(_) => Form::Human,
            Self::Server(reply) => match reply.answer {
                Ok(_) => Form::Json,
                Err(_) => return None,
            },
            Self::Failed(_) => return None,
        })
    }
}
