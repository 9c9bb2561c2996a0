//! Questions to MCP servers: where one is, what is asked, and what it may ask in turn.

use serde::{Deserialize, Serialize};

use crate::secret::Template;

/// A question to an MCP server, which is started at its first question.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct McpRequest {
    pub at: PlaceOfServer,
    pub ask: AskOfServer,
    /// After how many milliseconds without a message it counts as failed, where the program says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silence: Option<u64>,
    /// What it may ask its caller for; where the program says nothing of that, forms in [`AskOfServer::Talk`] and nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grants: Option<Grants>,
}

/// What an MCP server may ask its caller for.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Grants {
    /// That a form is filled in.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forms: bool,
    /// That a model answers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sampling: bool,
    /// Which folders it is to work in, as the program names them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roots: Vec<String>,
}

impl Grants {
    /// Whether it may ask while a call is open.
    #[must_use]
    pub fn talks(&self) -> bool {
        self.forms || self.sampling || !self.roots.is_empty()
    }
}

/// Where an MCP server is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum PlaceOfServer {
    /// It is a program, with its arguments.
    Program {
        argv: Vec<String>,
        env: Vec<(String, Template)>,
    },
    Address {
        url: String,
        headers: Vec<(String, Template)>,
        /// The client's OAuth settings where a person authorizes it, by the words of `SaidOfClient`; empty where none is needed.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        oauth: Vec<(String, Template)>,
    },
}

/// What is asked of an MCP server.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum AskOfServer {
    /// Which tools it has.
    Tools,
    /// That one of them does its work.
    Call {
        tool: String,
        /// The arguments by name, as JSON text.
        input: String,
        /// What the tool must be by its name, description and schemas; any if none is given.
        digest: Option<String>,
    },
    /// That one of them does its work, in which the server may ask for what it is granted.
    Talk {
        tool: String,
        /// The arguments, and what was answered, as `std/mcp` says it: JSON text.
        turn: String,
    },
    /// What there is to read.
    Resources,
    /// What there is to read whose addresses have gaps.
    Templates,
    /// The content of a resource.
    Read { uri: String },
    /// Which prompts it has.
    Prompts,
    /// The messages of one of them.
    Prompt {
        prompt: String,
        /// The arguments by name, as JSON text.
        input: String,
    },
}

impl AskOfServer {
    /// The tool that is called, if one is.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        match self {
            Self::Call { tool, .. } | Self::Talk { tool, .. } => Some(tool),
            Self::Tools
            | Self::Resources
            | Self::Templates
            | Self::Read { .. }
            | Self::Prompts
            | Self::Prompt { .. } => None,
        }
    }

    /// What is asked for in a few words, and the arguments if it takes some.
    #[must_use]
    pub fn summary(&self) -> (String, Option<&str>) {
        match self {
            Self::Tools => ("tools".into(), None),
            Self::Call { tool, input, .. } | Self::Talk { tool, turn: input } => {
                (tool.clone(), Some(input))
            }
            Self::Resources => ("resources".into(), None),
            Self::Templates => ("templates".into(), None),
            Self::Read { uri } => (format!("read {uri}"), None),
            Self::Prompts => ("prompts".into(), None),
            Self::Prompt { prompt, input } => (format!("prompt {prompt}"), Some(input)),
        }
    }
}

impl McpRequest {
    /// The server as it is shown to people: its program with its arguments, or its address.
    #[must_use]
    pub fn server(&self) -> String {
        match &self.at {
            PlaceOfServer::Program { argv, .. } => argv.join(" "),
            PlaceOfServer::Address { url, .. } => url.clone(),
        }
    }
}
