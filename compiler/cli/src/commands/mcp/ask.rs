//! Asks the servers that a file declares, by a program of their declarations and a question.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gsw_agents::McpServers;
use gsw_driver::engine::{Engine, EngineOptions};
use gsw_driver::servers::Servers as _;
use gsw_engine::load::Loaded;
use gsw_engine::run::RunResult;
use gsw_service::Exit;
use gsw_source::{Database, Disk, Files, Severity};
use serde_json::{Map, Value, json};

use crate::commands::mcp::declared::Declared;
use crate::commands::mcp::source;
use crate::compile;
use crate::overlay::Overlay;
use crate::report::{self, Format};

/// The servers of a file.
pub(super) struct Servers {
    pub(super) path: PathBuf,
    pub(super) declared: Declared,
}

impl Servers {
    /// Those that `text` declares, which is or will be that of the file at `path`.
    pub(super) fn of(path: &Path, text: &str) -> Result<Self, Exit> {
        let mut db = Database::default();
        let file = open(&mut db, path, text)?;
        let declared = Declared::of(&db, file, source::authored(text).len());
        if declared.servers.is_empty() {
            return Err(report::failure(&format!(
                "`{}` declares no MCP server; `mcp docs = stdio(\"program\")` is one",
                path.display()
            )));
        }
        Ok(Self {
            path: path.to_owned(),
            declared,
        })
    }

    /// The tools that a server has now, as the protocol describes them, each with its digest.
    pub(super) fn tools(&self, server: &str) -> Result<Vec<Value>, Exit> {
        let question = format!("workflow main() -> json {{ {server}.tools() }}");
        match self.answer(&question, Map::new())? {
            Value::Array(mut tools) => {
                // A name stands for one tool, the first that the server lists.
                let mut seen = BTreeSet::new();
                tools.retain(|it| seen.insert(it["name"].to_string()));
                Ok(tools)
            }
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Object(_) => Err(report::failure(&format!("`{server}` has no list of tools"))),
        }
    }

    pub(super) fn call(
        &self,
        server: &str,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Value, Exit> {
        let question = format!(
            "workflow main(tool: string, arguments: {{string: json}}) -> json {{ {server}.call(tool, arguments) }}"
        );
        let mut input = Map::new();
        input.insert("tool".into(), tool.into());
        input.insert("arguments".into(), json!(arguments));
        self.answer(&question, input)
    }

    /// The value of the workflow that `question` declares.
    fn answer(&self, question: &str, input: Map<String, Value>) -> Result<Value, Exit> {
        let mut db = Database::default();
        open(
            &mut db,
            &self.path,
            &format!("{}\n{question}\n", self.declared.needed),
        )?;
        let found = gsw_analysis::check_project(&db);
        if found.iter().any(|it| it.severity == Severity::Error) {
            report::report(&db, &found, Format::Auto);
            return Err(Exit::Raised);
        }
        let module = gsw_flow::lower_program(&db)
            .map_err(|found| report::report(&db, &found, Format::Auto))?;
        let loaded = Loaded::from_bytes(&compile::encode(&module)?)
            .map_err(|refusal| report::failure(&refusal))?;
        let servers = Arc::new(McpServers::authorizing(gsw_service::authorizing("gswc")));
        let options = EngineOptions {
            servers: Some(Arc::clone(&servers) as _),
            ..EngineOptions::default()
        };
        let engine = Engine::new(loaded, options);
        let finished = engine.start(0, input).wait();
        servers.close();
        match finished.result {
            RunResult::Value(text) => gsw_notation::json::read(&text)
                .map_err(|error| report::failure(&format!("the answer is no JSON: {error}"))),
            RunResult::Raised(error) => {
                gsw_service::say::say_lines(&gsw_service::error_text(&error));
                Err(Exit::Raised)
            }
            RunResult::InvalidInput(issues) => {
                gsw_service::say::say_lines(&gsw_service::issues_text(&issues));
                Err(Exit::Usage)
            }
            RunResult::Internal(message) => {
                report::failure(&message);
                Err(Exit::Internal)
            }
            RunResult::Cancelled | RunResult::Left(_) => Err(Exit::Raised),
        }
    }
}

/// Opens the file with `text` in the place of its own.
fn open(db: &mut Database, path: &Path, text: &str) -> Result<gsw_source::File, Exit> {
    let mut files = Overlay::default();
    files.change(path.to_owned(), text.to_owned());
    files.change(Disk.absolute(path), text.to_owned());
    gsw_project::open_project(db, path, &files).map_err(|why| report::failure(&why))
}
