//! The way from a file on disk to an image.

use std::path::Path;

use gsw_flow::ir::Module;
use gsw_service::Exit;
use gsw_source::{Database, Diagnostic, Files, Severity};

use crate::report::{self, Format};

/// Reads the entry file and everything it imports.
pub fn open(path: &Path) -> Result<Database, String> {
    let mut db = Database::default();
    gsw_project::read_project(&mut db, path, &gsw_source::Disk)?;
    Ok(db)
}

/// What a program must have: a workflow `main`, and all its tools.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Main {
    /// It is about to be run.
    Needed,
    /// Another workflow is named, or will be when the built file is run.
    Optional,
    /// As `Optional`, and a host embeds the program: it may have some of its tools.
    Embedded,
}

/// The program in Flow IR; what is wrong is printed.
pub fn module(path: &Path, main: Main) -> Result<Module, Exit> {
    let db = open(path).map_err(|failure| report::failure(&failure))?;
    let mut diagnostics = gsw_analysis::check_project(&db);
    if main == Main::Needed && !diagnostics.iter().any(|it| it.severity == Severity::Error) {
        diagnostics.extend(gsw_analysis::missing_main(&db));
    }
    if main != Main::Embedded {
        diagnostics.extend(gsw_names::needs_host(&db));
    }
    if report::report(&db, &diagnostics, Format::Auto) != Exit::Done {
        return Err(Exit::Raised);
    }
    gsw_flow::lower_program(&db)
        .map_err(|diagnostics| report::report(&db, &diagnostics, Format::Auto))
}

/// The program at `path`, checked; what is wrong is printed.
pub fn checked(path: &Path) -> Result<Database, Exit> {
    let db = open(path).map_err(|failure| report::failure(&failure))?;
    let diagnostics = gsw_analysis::check_project(&db);
    if report::report(&db, &diagnostics, Format::Auto) == Exit::Done {
        Ok(db)
    } else {
        Err(Exit::Raised)
    }
}

/// The image of a file's tests with the tests, of texts in memory perhaps; errors are printed.
pub fn tests_in(path: &Path, files: &dyn Files) -> Result<(Vec<u8>, Vec<gsw_flow::Test>), Exit> {
    let mut db = Database::default();
    gsw_project::read_project(&mut db, path, files).map_err(|why| report::failure(&why))?;
    let mut diagnostics = gsw_analysis::check_project(&db);
    diagnostics.retain(|it| it.severity == Severity::Error);
    let exit = report::report(&db, &diagnostics, Format::Auto);
    if exit == Exit::Done {
        tests_of(&db)
    } else {
        Err(exit)
    }
}

/// Why a file's tests cannot be made; it has been printed.
pub struct Uncompiled {
    pub exit: Exit,
    /// A line for each error.
    pub errors: String,
}

/// The image of a file's tests with the tests; what is wrong is printed.
pub fn tests(path: &Path) -> Result<(Vec<u8>, Vec<gsw_flow::Test>), Uncompiled> {
    let db = open(path).map_err(|failure| Uncompiled {
        exit: report::failure(&failure),
        errors: failure,
    })?;
    let uncompiled = |exit, diagnostics: &[Diagnostic]| {
        let errors = diagnostics
            .iter()
            .filter(|it| it.severity == Severity::Error);
        let errors: Vec<_> = errors.cloned().collect();
        Uncompiled {
            exit,
            errors: report::plain_text(&db, &errors),
        }
    };
    let diagnostics = gsw_analysis::check_project(&db);
    let exit = report::report(&db, &diagnostics, Format::Auto);
    if exit != Exit::Done {
        return Err(uncompiled(exit, &diagnostics));
    }
    let (module, tests) = gsw_flow::lower_tests(&db).map_err(|diagnostics| {
        let exit = report::report(&db, &diagnostics, Format::Auto);
        uncompiled(exit, &diagnostics)
    })?;
    let image = encode(&module).map_err(|exit| Uncompiled {
        exit,
        errors: "the compiler failed on it".to_owned(),
    })?;
    Ok((image, tests))
}

fn tests_of(db: &Database) -> Result<(Vec<u8>, Vec<gsw_flow::Test>), Exit> {
    let (module, tests) = gsw_flow::lower_tests(db)
        .map_err(|diagnostics| report::report(db, &diagnostics, Format::Auto))?;
    Ok((encode(&module)?, tests))
}

/// The program's image; what is wrong is printed.
pub fn image(path: &Path, main: Main) -> Result<Vec<u8>, Exit> {
    encode(&module(path, main)?)
}

/// The image of a file's prompts, each as something to start; what is wrong is printed.
pub fn prompts(path: &Path) -> Result<Vec<u8>, Exit> {
    let db = checked(path)?;
    let module = gsw_flow::lower_prompts(&db)
        .map_err(|diagnostics| report::report(&db, &diagnostics, Format::Auto))?;
    encode(&module)
}

/// The image of a module; what is wrong is printed.
pub fn encode(module: &Module) -> Result<Vec<u8>, Exit> {
    gsw_codegen::compile(module, &gsw_codegen::Options::default()).map_err(|error| {
        report::failure(&error);
        Exit::Internal
    })
}
