//! What an editor asks to be debugged: read, compiled, and begun.

use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Weak};
use std::time::Duration;

use gsw_abi::program::Program as Tables;
use gsw_driver::engine::happened::Came;
use gsw_driver::engine::{Canceller, Engine, RunOptions};
use gsw_driver::human::Humans;
use gsw_driver::pauses::Pauses;
use gsw_engine::debug::Debugger;
use gsw_engine::load::Loaded;
use gsw_engine::run::RunResult;
use gsw_flow::passes::markers::marked_places;
use gsw_service::debugging::Attached;
use gsw_service::{BuiltinOptions, Command, Invocation, Origin};
use gsw_source::{Disk, Files, Severity};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::Heard;
use super::breakpoints::Lines;
use super::follower::Follower;
use super::questions::Questions;
use crate::{compile, project, report};

/// What an editor sends with `launch`; what else it sends is its own.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Launch {
    /// The entry file or a project folder.
    program: Option<PathBuf>,
    workflow: Option<String>,
    /// The parameters by name, or the words of the command line.
    #[serde(default)]
    args: Arguments,
    model: Option<String>,
    cwd: Option<PathBuf>,
    #[serde(default)]
    pub stop_on_entry: bool,
    /// Whether the run pauses at its end, so that one can go back.
    #[serde(default)]
    pub stop_on_end: bool,
    /// A run that is kept, by its id or the beginning of it; `newest` is the one that was begun last.
    pub run: Option<String>,
    /// The store that it is in, where it is not the program's own.
    store: Option<String>,
}

/// A run of a store, as far as it has come.
pub struct KeptRun {
    pub id: String,
    /// How many records it has.
    pub records: u64,
    /// `None` when it waits, runs or was interrupted.
    pub result: Option<RunResult>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Arguments {
    Words(Vec<String>),
    Named(Map<String, Value>),
}

impl Default for Arguments {
    fn default() -> Self {
        Self::Words(Vec::new())
    }
}

/// A program that was compiled for a debugger.
pub struct Program {
    image: Vec<u8>,
    pub tables: Arc<Tables>,
    pub lines: Lines,
    /// Warnings, for people.
    pub remarks: String,
    origin: Origin,
}

/// A run on its way.
pub struct Live {
    pub follower: Arc<Follower>,
    pub canceller: Canceller,
    pub engine: Engine,
    pub questions: Arc<Questions>,
}

impl Launch {
    /// Compiles what is to be debugged.
    pub fn compiled(&self) -> Result<Program, String> {
        if let Some(folder) = &self.cwd {
            std::env::set_current_dir(folder)
                .map_err(|error| format!("`{}`: {error}", folder.display()))?;
        }
        let entry = project::find_entry(self.program.as_deref()).map_err(project::NoEntry::text)?;
        // The places of statements are then known to the editor, wherever it is.
        let entry = Disk.absolute(&entry);
        let entry = entry.canonicalize().unwrap_or(entry);
        Program::of(&entry)
    }

    /// The workflow and its input.
    fn invocation(&self, tables: &Tables) -> Result<Invocation, String> {
        let mut words: Vec<String> = self.workflow.iter().cloned().collect();
        match &self.args {
            Arguments::Words(more) => words.extend(more.iter().cloned()),
            Arguments::Named(input) => {
                let wanted = self.workflow.as_deref().unwrap_or("main");
                let index = tables.workflows.iter().position(|it| it.name == wanted);
                return Ok(Invocation {
                    workflow: index.ok_or_else(|| format!("there is no workflow `{wanted}`"))?,
                    input: input.clone(),
                    options: BuiltinOptions::default(),
                });
            }
        }
        match gsw_service::parse(tables, &words) {
            Ok(Command::Run(invocation)) => Ok(*invocation),
            Ok(
                Command::Help(_)
                | Command::Manifest
                | Command::Version
                | Command::Runs(_)
                | Command::Worker(_)
                | Command::Mcp(_)
                | Command::Login(_),
            ) => Err("`args` are the words of one run".to_owned()),
            Err(error) => Err(error.0),
        }
    }

    /// Begins the run. The follower sees it from its first statement on.
    pub fn begin(
        &self,
        program: &Program,
        follower: Arc<Follower>,
        pauses: Arc<Pauses>,
        heard: &Sender<Heard>,
    ) -> Result<Live, String> {
        let mut invocation = self.invocation(&program.tables)?;
        if self.model.is_some() {
            invocation.options.model.clone_from(&self.model);
        }
        let debugger = Arc::clone(&follower) as Arc<dyn Debugger>;
        let questions = Questions::new(&program.tables, heard.clone());
        let engine = gsw_service::debugging::engine(
            program.loaded()?,
            &invocation.options,
            Attached {
                debugger,
                pauses,
                humans: Arc::clone(&questions) as Arc<dyn Humans>,
            },
            &program.origin,
        )?;
        let (said, ended) = (heard.clone(), heard.clone());
        let options = RunOptions {
            listener: Some(Arc::new(move |event| {
                if let Some(line) = gsw_service::debugging::line(&event.kind) {
                    // The receiver ends after the run.
                    let _ = said.send(Heard::Said(line));
                }
            })),
            on_end: Box::new(move |finished| drop(ended.send(Heard::Ended(finished)))),
        };
        let canceller = engine.start_with(invocation.workflow, invocation.input, options);
        Ok(Live {
            follower,
            canceller,
            engine,
            questions,
        })
    }

    /// Brings the run that is kept to its end in memory, where the follower sees it and keeps what it was given.
    pub fn remember(&self, program: &Program, follower: Arc<Follower>) -> Result<KeptRun, String> {
        let run = self.run.as_deref().filter(|it| *it != NEWEST);
        let happened = gsw_service::happened(
            program.loaded()?,
            self.store.as_deref(),
            run,
            &program.origin,
            Some(follower),
        )?;
        let result = match happened.came {
            Came::Diverged(why) => {
                return Err(format!(
                    "the program is another one than that of the run: {why}"
                ));
            }
            Came::Ended(result) => Some(result),
            Came::Open => None,
        };
        Ok(KeptRun {
            id: happened.info.id,
            records: happened.info.records,
            result,
        })
    }

    /// Waits in a thread until the records of a run have changed, or cannot be read; then calls `tell`, unless `wanted` was
    /// dropped meanwhile.
    pub fn watch(
        &self,
        program: &Program,
        kept: &KeptRun,
        wanted: Weak<()>,
        tell: impl FnOnce() + Send + 'static,
    ) -> Result<(), String> {
        let (tables, origin) = (Arc::clone(&program.tables), program.origin.clone());
        let (id, known, store) = (kept.id.clone(), kept.records, self.store.clone());
        let watching = move || {
            while wanted.strong_count() > 0 {
                let found = gsw_service::records_of(&tables, store.as_deref(), &id, &origin);
                if found != Ok(known) {
                    return tell();
                }
                std::thread::sleep(MOMENT);
            }
        };
        let thread = std::thread::Builder::new().name("dap-watch".to_owned());
        let started = thread.spawn(watching);
        started
            .map(drop)
            .map_err(|error| format!("no thread can be started: {error}"))
    }
}

/// The word for the run that was begun last.
pub const NEWEST: &str = "newest";
/// How often a store is asked for what has come. A guess.
const MOMENT: Duration = Duration::from_millis(300);

impl Program {
    fn of(entry: &Path) -> Result<Self, String> {
        let db = compile::open(entry)?;
        let mut found = gsw_analysis::check_project(&db);
        found.extend(gsw_names::needs_host(&db));
        let remarks = report::plain_text(&db, &found);
        if found.iter().any(|it| it.severity == Severity::Error) {
            return Err(remarks);
        }
        let module = gsw_flow::lower_debugged(&db)
            .map_err(|diagnostics| report::plain_text(&db, &diagnostics))?;
        let lines = Lines::of(&module.program, &marked_places(&module));
        let image = gsw_codegen::compile(&module, &gsw_codegen::Options::default())
            .map_err(|error| error.to_string())?;
        Ok(Self {
            image,
            tables: Arc::new(module.program),
            lines,
            remarks,
            origin: Origin {
                command: format!("gswc run {} --", entry.display()),
                program: entry.display().to_string(),
            },
        })
    }

    pub fn loaded(&self) -> Result<Loaded, String> {
        Loaded::from_bytes(&self.image).map_err(|refusal| refusal.to_string())
    }
}
