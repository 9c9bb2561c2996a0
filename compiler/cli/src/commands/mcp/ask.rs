//! Asks the servers that a file declares, by a program of their declarations and a question.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gsw_agents::McpServers;
use gsw_driver::engine::{Engine, EngineOptions};
use gsw_driver::servers::{Calling, ServerCall, Servers as _};
use gsw_engine::load::Loaded;
use gsw_engine::run::{RunError, RunResult, TracePlace, input as input_of};
use gsw_service::Exit;
use gsw_source::{Database, Disk, Files, Severity};
use gsw_tree::event::McpWhat;
use serde_json::{Map, Value, json};

use crate::commands::mcp::declared::{Declared, Tool};
use crate::commands::mcp::source;
use crate::compile;
use crate::overlay::Overlay;
use crate::report::{self, Format};

/// The servers of a file.
pub(super) struct Servers {
    pub(super) path: PathBuf,
    pub(super) declared: Declared,
    /// The names of tools that could not be read, since that was asked last.
    unreadable: Arc<Mutex<Vec<String>>>,
}

/// The workflow that calls a tool; a file has no reason to have one of this name.
const CALLING: &str = "called_by_gswc_mcp";

/// What a server lists as its tools.
pub(super) struct Offered {
    /// As the protocol describes them, each with its digest.
    pub(super) tools: Vec<Value>,
    /// What is left out, and why, for people.
    pub(super) left_out: Vec<String>,
}

/// Servers of which the names of unreadable tools are noted.
#[derive(Debug)]
struct Noting {
    servers: McpServers,
    unreadable: Arc<Mutex<Vec<String>>>,
}

impl gsw_driver::servers::Servers for Noting {
    fn ask(&self, call: ServerCall) -> Calling {
        let calling = self.servers.ask(call);
        let unreadable = Arc::clone(&self.unreadable);
        Box::pin(async move {
            let answered = calling.await;
            let found = answered.happened.iter();
            let found = found.filter(|it| it.what == McpWhat::Unreadable);
            for payload in found.filter_map(|it| it.payload.as_ref()) {
                let names = payload.tree()["names"].clone();
                let names = names.as_array().cloned().unwrap_or_default();
                let names = names.iter().filter_map(Value::as_str);
                lock(&unreadable).extend(names.map(str::to_owned));
            }
            answered
        })
    }

    fn close(&self) {
        self.servers.close();
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that can panic runs while the lock is held.
    of.lock().unwrap_or_else(PoisonError::into_inner)
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
            unreadable: Arc::default(),
        })
    }

    /// The tools that a server has now.
    pub(super) fn tools(&self, server: &str) -> Result<Offered, Exit> {
        let question = format!("workflow main() -> json {{ {server}.tools() }}");
        lock(&self.unreadable).clear();
        match self.answer(&self.declared.needed, (&question, "main"), Map::new())? {
            Value::Array(mut tools) => {
                let unreadable = std::mem::take(&mut *lock(&self.unreadable));
                let mut left_out: Vec<String> = unreadable
                    .iter()
                    .map(|name| {
                        let name = source::shown(name);
                        format!("`{name}` of `{server}` is left out: it is no tool as the protocol has it, most often for want of an object as its `inputSchema`")
                    })
                    .collect();
                // A name stands for one tool, the first that the server lists.
                let mut seen = BTreeSet::new();
                tools.retain(|it| {
                    let name = it["name"].as_str().unwrap_or_default();
                    let is_first = seen.insert(name.to_owned());
                    if !is_first {
                        let name = source::shown(name);
                        left_out.push(format!("another `{name}` of `{server}` is left out: a name stands for one tool, the first"));
                    }
                    is_first
                });
                Ok(Offered { tools, left_out })
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
        self.answer(&self.declared.needed, (&question, "main"), input)
    }

    /// Calls a tool as programs do, by its declaration: it must be what was locked, and the arguments must fit. `text` is that of
    /// the file.
    pub(super) fn call_declared(
        &self,
        text: &str,
        tool: &Tool,
        arguments: Map<String, Value>,
    ) -> Result<Value, Exit> {
        let question = format!(
            "workflow {CALLING}({}) -> json {{ {}({}).to_json() }}",
            tool.parameters, tool.name, tool.arguments
        );
        self.answer(text, (&question, CALLING), arguments)
    }

    /// Leaves of an error the places that the file has: the question stands in none.
    fn only_its_own(&self, error: &mut RunError) {
        let text = std::fs::read_to_string(&self.path).unwrap_or_default();
        let has = |it: &TracePlace| {
            let line = (it.line as usize).checked_sub(1);
            let line = line.and_then(|it| text.lines().nth(it));
            let is_this = Path::new(&it.file).file_name() == self.path.file_name();
            !is_this || line == it.source.as_deref()
        };
        error.trace.retain(has);
        error.path.clear();
    }

    /// The value of the workflow of this name that `question` declares, beside the declarations in `text`.
    fn answer(
        &self,
        text: &str,
        (question, workflow): (&str, &str),
        input: Map<String, Value>,
    ) -> Result<Value, Exit> {
        let mut db = Database::default();
        open(&mut db, &self.path, &format!("{text}\n{question}\n"))?;
        let found = gsw_analysis::check_project(&db);
        if found.iter().any(|it| it.severity == Severity::Error) {
            report::report(&db, &found, Format::Auto);
            return Err(Exit::Raised);
        }
        let module = gsw_flow::lower_program(&db)
            .map_err(|found| report::report(&db, &found, Format::Auto))?;
        let loaded = Loaded::from_bytes(&compile::encode(&module)?)
            .map_err(|refusal| report::failure(&refusal))?;
        let servers = Arc::new(Noting {
            servers: McpServers::authorizing(gsw_service::authorizing("gswc")),
            unreadable: Arc::clone(&self.unreadable),
        });
        let options = EngineOptions {
            servers: Some(Arc::clone(&servers) as _),
            ..EngineOptions::default()
        };
        let engine = Engine::new(loaded, options);
        let Some(workflow) = engine.workflow(workflow) else {
            report::failure(&"the question to the server is no workflow");
            return Err(Exit::Internal);
        };
        let program = engine.program();
        let parameters = &program.workflows[workflow].parameters;
        let surplus = input_of::surplus(&program.types, parameters, &input);
        if !surplus.is_empty() {
            gsw_service::say::say_lines(&gsw_service::issues_text(&surplus));
            return Err(Exit::Usage);
        }
        let finished = engine.start(workflow, input).wait();
        servers.close();
        match finished.result {
            RunResult::Value(text) => gsw_notation::json::read(&text)
                .map_err(|error| report::failure(&format!("the answer is not JSON: {error}"))),
            RunResult::Raised(mut error) => {
                self.only_its_own(&mut error);
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
