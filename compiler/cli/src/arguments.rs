//! The command line of `gswc`.

mod trace;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
use gsw_service::Exit;

use crate::commands;
use crate::help;
use crate::report;
use crate::threads::{NoResult, with_large_stack};

pub use trace::Trace;

/// The Groundswell compiler: from `.gsw` files to native programs.
#[derive(Parser)]
#[command(
    name = "gswc",
    version,
    after_help = help::GSWC,
    subcommand_required = true,
    arg_required_else_help = true
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Make a project that runs and passes its test at once, offline.
    #[command(after_help = help::NEW)]
    New(New),
    /// Report what is wrong in a program, without building it.
    #[command(after_help = help::CHECK)]
    Check(Check),
    /// Compile a program in memory and run it.
    #[command(after_help = help::RUN)]
    Run(Run),
    /// Run the tests of programs.
    #[command(after_help = help::TEST)]
    Test(Test),
    /// Compile a program to one native file.
    #[command(after_help = help::BUILD)]
    Build(Build),
    /// Write files in the one style.
    #[command(after_help = help::FMT)]
    Fmt(Fmt),
    /// Explain a diagnostic by its code.
    #[command(after_help = help::EXPLAIN)]
    Explain {
        /// The code, as in `error[unknown-name]`; without one, all codes are listed.
        code: Option<String>,
    },
    /// Write the documentation of a program and of the library as a folder of web pages.
    #[command(after_help = help::DOC)]
    Doc(Doc),
    /// Draw the structure of a program's workflows, as Mermaid text or as SVG.
    #[command(after_help = help::GRAPH)]
    Graph(Graph),
    /// Show a run that was written with `--events FILE`: its tree, a node, what differs, or a page for a browser.
    #[command(after_help = help::TRACE)]
    Trace(Box<Trace>),
    /// Print the JSON Schema of a type, or of a workflow's input and output.
    #[command(after_help = help::SCHEMA)]
    Schema(Schema),
    /// Print what makes a shell complete the words of `gswc`.
    #[command(after_help = help::COMPLETIONS)]
    Completions {
        /// Which shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Serve an editor over the language server protocol on standard input and output.
    #[command(after_help = help::LSP)]
    Lsp,
}

/// `gswc check`
#[derive(clap::Args)]
pub struct Check {
    /// The entry file, or the folder of a project; by default the project of this folder.
    pub file: Option<PathBuf>,
    /// How to print.
    #[arg(long, value_enum, default_value_t = Format::Auto)]
    pub format: Format,
    /// Print every function with the errors and effects that were inferred.
    #[arg(long)]
    pub signatures: bool,
}

/// `gswc build`
#[derive(clap::Args)]
pub struct Build {
    /// The entry file, or the folder of a project; by default the project of this folder.
    pub file: Option<PathBuf>,
    /// The file to write; by default the project's name, else the entry file's without its ending.
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// The launcher to put the program behind; by default $GSW_LAUNCHER, else the one beside `gswc`.
    #[arg(long, value_name = "PATH")]
    pub launcher: Option<PathBuf>,
    /// Print or write another form instead.
    #[arg(long, value_enum)]
    pub emit: Option<Emit>,
}

/// `gswc run`
#[derive(clap::Args)]
pub struct Run {
    /// The entry file, or the folder of a project; by default the project of this folder.
    pub file: Option<PathBuf>,
    /// The workflow to run, `main` unless given.
    pub workflow: Option<String>,
    /// Replaces every agent's model, by name or by a short name of `gsw.toml`; `sim/default` is offline and made up.
    #[arg(long, value_name = "PROVIDER/MODEL")]
    pub model: Option<String>,
    /// The program's own arguments, after `--`.
    #[arg(last = true)]
    pub words: Vec<String>,
}

/// `gswc test`
#[derive(clap::Args)]
pub struct Test {
    /// The files whose tests are run, or folders of projects; by default the project of this folder.
    pub files: Vec<PathBuf>,
    /// Run only tests whose name contains this text.
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t = TestFormat::Text)]
    pub format: TestFormat,
}

/// How tests are reported.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TestFormat {
    /// A line each.
    Text,
    /// `JUnit`'s XML.
    Junit,
    /// One JSON object a line.
    Json,
}

/// `gswc schema`
#[derive(clap::Args)]
pub struct Schema {
    /// The entry file, or the folder of a project; by default the project of this folder.
    pub file: Option<PathBuf>,
    /// A type or a workflow; without one, all of them are printed by name.
    pub name: Option<String>,
    /// Print what providers constrain answers by, and which keywords it could not keep.
    #[arg(long)]
    pub strict: bool,
    /// Print 16 hexadecimal digits for each type, which change exactly when its schema does.
    #[arg(long, conflicts_with = "strict")]
    pub hash: bool,
}

/// `gswc doc`
#[derive(clap::Args)]
pub struct Doc {
    /// The entry file, or the folder of a project; by default the project of this folder, and without one the library alone.
    pub file: Option<PathBuf>,
    /// The folder to write.
    #[arg(short, long, value_name = "FOLDER", default_value = "doc")]
    pub output: PathBuf,
}

/// `gswc graph`
#[derive(clap::Args)]
pub struct Graph {
    /// The entry file, or the folder of a project; by default the project of this folder.
    pub file: Option<PathBuf>,
    /// A workflow; by default all of the entry module. Those that it calls are drawn with it.
    pub workflow: Option<String>,
    /// The form; by default what the ending of `--output` says, else Mermaid.
    #[arg(long, value_enum)]
    pub format: Option<GraphFormat>,
    /// The file to write; by default the text is printed.
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
}

/// How a graph is written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    /// Text that many sites and editors draw.
    Mermaid,
    /// A picture that needs nothing else.
    Svg,
}

/// `gswc new`
#[derive(clap::Args)]
pub struct New {
    /// The folder to make.
    pub name: String,
}

/// `gswc fmt`
#[derive(clap::Args)]
pub struct Fmt {
    /// The files, or folders of projects; by default the project of this folder; `-` takes standard input to standard output.
    pub files: Vec<PathBuf>,
    /// Write nothing: list the files that would change, and exit with 1 when there are any.
    #[arg(long)]
    pub check: bool,
}

/// How diagnostics are printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// With excerpts and colours on a terminal, plain lines otherwise.
    Auto,
    /// With excerpts.
    Pretty,
    /// One line each.
    Plain,
    /// One JSON object a line.
    Json,
}

/// Other forms of a program.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    /// The image alone.
    Image,
    /// Cranelift's form, as text.
    Clif,
    /// Flow IR, as text.
    Flow,
}

/// Runs `gswc` on the process's arguments.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Nothing better can be done when even this cannot be printed.
            let _ = error.print();
            let code = if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Done
            };
            return code.into();
        }
    };
    let exit = match with_large_stack(|| dispatch(arguments.command)) {
        Ok(exit) => exit,
        Err(NoResult::NoThread(error)) => {
            report::failure(&format!("no thread can be started: {error}"))
        }
        Err(NoResult::Panicked) => {
            report::failure(
                &"internal error: this is a bug in Groundswell; please report it with the program that shows it",
            );
            Exit::Internal
        }
    };
    exit.into()
}

fn dispatch(command: Command) -> Exit {
    match command {
        Command::Check(arguments) => commands::check(&arguments),
        Command::Build(arguments) => commands::build(&arguments),
        Command::Run(arguments) => commands::run(&arguments),
        Command::Test(arguments) => commands::test(&arguments),
        Command::Schema(arguments) => commands::schema(&arguments),
        Command::Doc(arguments) => commands::doc(&arguments),
        Command::Graph(arguments) => commands::graph(&arguments),
        Command::Trace(arguments) => commands::trace(&arguments),
        Command::New(arguments) => commands::new(&arguments),
        Command::Fmt(arguments) => commands::fmt(&arguments),
        Command::Explain { code } => commands::explain(code.as_deref()),
        Command::Completions { shell } => commands::completions(shell, Arguments::command()),
        Command::Lsp => commands::lsp(),
    }
}
