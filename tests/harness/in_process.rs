//! Compiles programs given as text and runs them in this process, with virtual time.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use gsw_agents::{AgentPrompts, Cache};
use gsw_driver::receivers::Receivers;
use gsw_driver::scripted::{Around, Entry, Report, Script, run};
use gsw_engine::load::Loaded;
use gsw_engine::run::{Finished, RunSettings};
use gsw_source::{Database, Diagnostic, File, Files, Severity};
use salsa::Setter;

/// One file that is nowhere on disk.
struct Text<'a>(&'a str);

impl Files for Text<'_> {
    fn read(&self, path: &Path) -> Result<Arc<str>, String> {
        match path.file_name() {
            Some(name) if name == "program.gsw" => Ok(self.0.into()),
            _ => Err("does not exist".into()),
        }
    }

    fn below(&self, _: &Path) -> Result<Vec<String>, String> {
        Err("does not exist".into())
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        Path::new("/").join(path)
    }
}

/// The end of a run, which a test must not wait for in vain for ever.
pub fn ended(run: &Receiver<Box<Finished>>) -> Finished {
    let finished = run.recv_timeout(Duration::from_secs(240));
    *finished.expect("the run ends")
}

/// A project of one file.
pub fn open(source: &str) -> (Database, File) {
    let mut db = Database::default();
    let file = gsw_project::open_project(&mut db, Path::new("program.gsw"), &Text(source));
    (db, file.expect("its text is there"))
}

/// The most programs that are looked at in one database, which forgets no name.
const PROGRAMS: usize = 100;

/// A project of one file whose text changes, as in an editor: what is known of the library is found once.
#[derive(Default)]
pub struct Workspace {
    open: Option<(Database, File)>,
    looks: usize,
}

impl Workspace {
    /// The project with this text.
    pub fn program(&mut self, source: &str) -> (&Database, File) {
        self.looks += 1;
        if self.looks.is_multiple_of(PROGRAMS) {
            self.open = None;
        }
        if let Some((db, file)) = &mut self.open {
            file.set_text(db).to(source.into());
        }
        let (db, file) = self.open.get_or_insert_with(|| open(source));
        (db, *file)
    }
}

/// The image of the program of this text, which several tests run; `None` when it does not compile, which is for other tests to
/// report.
pub fn compiled_image(source: &str) -> Option<Arc<[u8]>> {
    type Known = HashMap<String, Option<Arc<[u8]>>>;
    static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);
    // One for each thread, so that tests do not wait for each other while they compile.
    thread_local! { static WORKSPACE: RefCell<Workspace> = RefCell::default(); }
    if let Some(known) = KNOWN.lock().expect("nobody panics").get(source) {
        return known.clone();
    }
    let image = WORKSPACE.with_borrow_mut(|workspace| {
        let (db, _) = workspace.program(source);
        let is_right = errors(db).is_empty();
        is_right.then(|| image(db).ok()).flatten().map(Arc::from)
    });
    let mut known = KNOWN.lock().expect("nobody panics");
    known.insert(source.to_owned(), image.clone());
    image
}

/// The program of this text.
pub fn compiled(source: &str) -> Option<Arc<Loaded>> {
    let loaded = Loaded::from_bytes(&compiled_image(source)?);
    loaded.ok().map(Arc::new)
}

/// The errors in a project, as the user sees them.
pub fn errors(db: &Database) -> String {
    shown(db, &gsw_analysis::check_project(db))
}

fn shown(db: &Database, found: &[Diagnostic]) -> String {
    let errors = found.iter().filter(|it| it.severity == Severity::Error);
    let located = errors.map(|it| it.located(|place| gsw_syntax::locate(db, place)));
    gsw_source::render_plain(db, &located.collect::<Vec<_>>())
}

/// Who refuses a project without errors, and why.
#[derive(Debug)]
pub enum Refused {
    /// As it may: what comes of generic code is seen there.
    Lowering(String),
    Codegen(String),
    Engine(String),
}

impl From<Refused> for String {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Lowering(why) => format!("lowering refuses: {why}"),
            Refused::Codegen(why) => format!("codegen refuses: {why}"),
            Refused::Engine(why) => format!("the engine refuses: {why}"),
        }
    }
}

/// Compiles a project without errors to an image.
pub fn image(db: &Database) -> Result<Vec<u8>, Refused> {
    let module = gsw_flow::lower_program(db);
    let module = module.map_err(|found| Refused::Lowering(shown(db, &found)))?;
    let image = gsw_codegen::compile(&module, &gsw_codegen::Options::default());
    image.map_err(|error| Refused::Codegen(error.to_string()))
}

/// Compiles a project without errors.
pub fn load(db: &Database) -> Result<Arc<Loaded>, Refused> {
    let loaded = Loaded::from_bytes(&image(db)?);
    loaded
        .map(Arc::new)
        .map_err(|refusal| Refused::Engine(refusal.to_string()))
}

/// Around runs whose prompts the simulator answers.
pub fn simulated() -> Around {
    Around {
        prompts: Some(Arc::new(AgentPrompts)),
        settings: RunSettings {
            model_override: Some("sim/default".into()),
            ..RunSettings::default()
        },
        receivers: Receivers {
            answers: Some(Arc::new(Cache::default())),
            ..Receivers::default()
        },
    }
}

/// Runs `main` by a script; without models.
pub fn run_main(loaded: &Arc<Loaded>, script: Script) -> Report {
    let workflows = &loaded.program.workflows;
    let main = workflows.iter().position(|it| it.name == "main");
    let entry = Entry::Workflow {
        index: main.expect("there is a main"),
        input: serde_json::Map::new(),
    };
    run(loaded, &simulated(), entry, script).expect("it does not hang")
}
