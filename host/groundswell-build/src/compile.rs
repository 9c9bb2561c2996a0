//! From an entry file to an image that a host can embed.

use std::fmt;
use std::path::{Path, PathBuf};

use gsw_abi::image;
use gsw_abi::permission::Permitted;
use gsw_abi::program::Program;
use gsw_codegen::Options;
use gsw_source::{Database, Diagnostic, Disk, Project, Severity};

/// A program that was compiled while the host was built.
#[derive(Debug)]
pub struct Built {
    /// The image that `groundswell::Program::from_image` takes.
    pub image: Vec<u8>,
    /// The tables of the program: its types, workflows and tools.
    pub program: Program,
    /// What the checker warns of, as text, each several lines.
    pub warnings: Vec<String>,
    /// The files that were read.
    pub files: Vec<PathBuf>,
}

/// Why a program cannot be compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BuildError {
    /// The entry file cannot be read.
    File(String),
    /// The source has errors; as `gswc check` prints them, warnings included.
    Source(String),
    /// A mistake of the compiler.
    Internal(String),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(text) | Self::Source(text) => f.write_str(text),
            Self::Internal(text) => write!(f, "internal error of Groundswell: {text}"),
        }
    }
}

impl std::error::Error for BuildError {}

/// Compiles the program whose entry file this is.
///
/// # Errors
/// When it cannot be read or has errors.
pub fn compile(entry: &Path) -> Result<Built, BuildError> {
    let mut db = Database::default();
    gsw_project::read_project(&mut db, entry, &Disk).map_err(BuildError::File)?;
    let found = gsw_analysis::check_project(&db);
    if found.iter().any(|it| it.severity == Severity::Error) {
        return Err(BuildError::Source(shown(&db, &found)));
    }
    let module =
        gsw_flow::lower_program(&db).map_err(|found| BuildError::Source(shown(&db, &found)))?;
    let internal = |text: String| BuildError::Internal(text);
    let bytes = gsw_codegen::compile(&module, &Options::default())
        .map_err(|error| internal(error.to_string()))?;
    let program = image::read(&bytes)
        .map_err(|refusal| internal(refusal.to_string()))?
        .program;
    Ok(Built {
        program,
        warnings: found
            .iter()
            .map(|it| shown(&db, std::slice::from_ref(it)))
            .collect(),
        files: files(&db),
        image: bytes,
    })
}

/// The image of a program that a model has written, which may do no more than this: each permission with what it lists.
///
/// # Errors
/// What is wrong with it, as the model is to read it.
pub fn compile_written(source: &str, permissions: &Permitted) -> Result<Vec<u8>, String> {
    gsw_written::image(source, permissions)
}

fn shown(db: &Database, found: &[Diagnostic]) -> String {
    let located = found
        .iter()
        .map(|it| it.located(|place| gsw_syntax::locate(db, place)));
    gsw_source::render_plain(db, &located.collect::<Vec<_>>())
}

/// The files of the project that are on disk.
fn files(db: &Database) -> Vec<PathBuf> {
    let Some(project) = Project::try_get(db) else {
        return Vec::new();
    };
    let modules = project.modules(db).values().copied();
    let settings = [project.configuration(db), project.prices(db)];
    let files = modules.chain(settings.into_iter().flatten());
    let paths = files.map(|it| it.path(db).clone());
    let mut paths: Vec<PathBuf> = paths.filter(|it| it.is_absolute()).collect();
    paths.sort();
    paths
}
