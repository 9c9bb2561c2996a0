//! `gswc build`

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use gsw_abi::program::WRITTEN;
use gsw_codegen::{Access, Bundle, replace};
use gsw_flow::ir::{Constant, Module};
use gsw_service::Exit;
use gsw_service::say::say;

use crate::compile::{self, Main};
use crate::{project, report};

#[derive(clap::Args)]
pub struct Build {
    /// The entry file or a project folder; by default the project in the current folder.
    pub file: Option<PathBuf>,
    /// The file to write; by default the project's name, or the entry file's without its extension.
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// The launcher that runs the program; by default $GSW_LAUNCHER, or the one next to `gswc`.
    #[arg(long, value_name = "PATH", conflicts_with = "emit")]
    pub launcher: Option<PathBuf>,
    /// Keep the compiler in the program, for models that may run what they write (`spawns: [written]`).
    #[arg(long, conflicts_with_all = ["launcher", "emit"])]
    pub with_compiler: bool,
    /// Build a program that needs no C library of the machine, as on Alpine or in an image `FROM scratch`.
    #[arg(long = "static", conflicts_with_all = ["launcher", "with_compiler", "emit"])]
    pub is_static: bool,
    /// Emit another form of the program instead; text goes to standard output, unless `--output` names a file.
    #[arg(long, value_enum)]
    pub emit: Option<Emit>,
}

/// Other forms of a program.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    /// The image alone, without a launcher.
    Image,
    /// Cranelift IR, as text.
    Clif,
    /// Flow IR, as text.
    Flow,
}

/// Compiles a program to one native file, or prints another form of it.
pub fn build(arguments: &Build) -> Exit {
    let file = match project::entry(arguments.file.as_deref()) {
        Ok(file) => file,
        Err(exit) => return exit,
    };
    match arguments.emit {
        None => bundle(arguments, &file),
        Some(Emit::Image) => image(arguments, &file),
        Some(Emit::Flow) => text(arguments, &file, |module| Ok(gsw_flow::dump::dump(module))),
        Some(Emit::Clif) => text(arguments, &file, |module| {
            gsw_codegen::clif(module).map_err(|error| error.to_string())
        }),
    }
}

fn bundle(arguments: &Build, file: &Path) -> Exit {
    let launcher = if arguments.with_compiler {
        // This executable is a launcher, and has the compiler besides.
        own()
    } else if arguments.is_static {
        static_launcher()
    } else {
        launcher(arguments.launcher.as_deref())
    };
    let launcher = match launcher {
        Ok(launcher) => launcher,
        Err(message) => return report::failure(&message),
    };
    let bundle = Bundle::begin(launcher, output(arguments, file, ""));
    let module = match compile::module(file, Main::Optional) {
        Ok(module) => module,
        Err(exit) => return exit,
    };
    let image = match compile::encode(&module) {
        Ok(image) => image,
        Err(exit) => return exit,
    };
    match bundle.finish(&image) {
        Ok(()) => {
            note_missing_compiler(arguments, &module);
            Exit::Done
        }
        Err(error) => report::failure(&error),
    }
}

fn image(arguments: &Build, file: &Path) -> Exit {
    let image = match compile::image(file, Main::Embedded) {
        Ok(image) => image,
        Err(exit) => return exit,
    };
    write(&output(arguments, file, "gswi"), &image)
}

fn write(output: &Path, form: &[u8]) -> Exit {
    match replace(output, form, Access::Usual) {
        Ok(()) => Exit::Done,
        Err(error) => report::failure(&format!(
            "`{}` cannot be written: {error}",
            output.display()
        )),
    }
}

fn text(
    arguments: &Build,
    file: &Path,
    form: impl FnOnce(&Module) -> Result<String, String>,
) -> Exit {
    let module = match compile::module(file, Main::Embedded) {
        Ok(module) => module,
        Err(exit) => return exit,
    };
    match (form(&module), &arguments.output) {
        (Ok(text), None) => report::output(&text),
        (Ok(text), Some(output)) => write(output, text.as_bytes()),
        (Err(error), _) => report::failure(&error),
    }
}

fn output(arguments: &Build, file: &Path, ending: &str) -> PathBuf {
    if let Some(output) = &arguments.output {
        return output.clone();
    }
    // A project is built under its own name, unless another of its files is.
    let named = project::name_of_entry(file);
    let stem = || file.file_stem().unwrap_or(OsStr::new("program")).to_owned();
    let name = named.map_or_else(stem, OsString::from);
    Path::new(&name).with_extension(ending)
}

/// The launcher to use: the given one, that of the environment, the one next to this executable, else this executable itself,
/// which is one too.
fn launcher(named: Option<&Path>) -> Result<PathBuf, String> {
    if let Some(path) = named {
        return Ok(path.to_owned());
    }
    if let Some(path) = std::env::var_os("GSW_LAUNCHER") {
        return Ok(path.into());
    }
    let own = own()?;
    let sibling = own.with_file_name("gsw-launcher");
    if sibling.is_file() {
        return Ok(sibling);
    }
    say(
        "note: there is no launcher next to `gswc`, so the executable includes the compiler; give a smaller one with --launcher or GSW_LAUNCHER",
    );
    Ok(own)
}

/// The launcher that has the C library inside, next to this executable.
fn static_launcher() -> Result<PathBuf, String> {
    let sibling = own()?.with_file_name("gsw-launcher-static");
    if sibling.is_file() {
        return Ok(sibling);
    }
    Err(format!(
        "there is no launcher with a C library inside at {}: the archive for x86-64 has one, and what makes it elsewhere, packaging/README.md says; `--launcher PATH` takes it",
        sibling.display()
    ))
}

fn own() -> Result<PathBuf, String> {
    std::env::current_exe()
        .map_err(|error| format!("cannot find the path of `gswc` itself: {error}"))
}

/// Warns that models of the program may run what they write, and that there is no compiler for it.
fn note_missing_compiler(arguments: &Build, module: &Module) {
    let is_word = |it: &Constant| matches!(it, Constant::String { text, .. } if text == WRITTEN);
    if !arguments.with_compiler && module.constants.iter().any(is_word) {
        say(
            "note: `spawns: [written]` lets a model run what it writes, and this build has no compiler for it: build it with --with-compiler",
        );
    }
}
