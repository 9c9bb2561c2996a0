//! The command line of `gswc`.

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use gsw_service::Exit;

use crate::commands::{self, Build, Check, Doc, Fmt, Graph, New, Run, Schema, Test, Trace};
use crate::help;
use crate::report;
use crate::threads::{NoResult, with_large_stack};

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
    /// Create a project that runs offline and has a passing test.
    #[command(after_help = help::NEW)]
    New(New),
    /// Check a program for errors without building it.
    #[command(after_help = help::CHECK)]
    Check(Check),
    /// Compile a program in memory and run it.
    #[command(after_help = help::RUN)]
    Run(Run),
    /// Run the tests of programs.
    #[command(after_help = help::TEST)]
    Test(Test),
    /// Compile a program to one native executable.
    #[command(after_help = help::BUILD)]
    Build(Build),
    /// Format files.
    #[command(after_help = help::FMT)]
    Fmt(Fmt),
    /// Explain a diagnostic code.
    #[command(after_help = help::EXPLAIN)]
    Explain {
        /// The code, as in `error[unknown-name]`; lists all codes if omitted.
        code: Option<String>,
    },
    /// Generate documentation for a program and the standard library, as web pages.
    #[command(after_help = help::DOC)]
    Doc(Doc),
    /// Draw the structure of a program's workflows, as Mermaid text or SVG.
    #[command(after_help = help::GRAPH)]
    Graph(Graph),
    /// Show a run recorded with `--events FILE`: its tree, one node, a diff with another run, or a web page.
    #[command(after_help = help::TRACE)]
    Trace(Box<Trace>),
    /// Print the JSON Schema of a type, or of a workflow's input and output.
    #[command(after_help = help::SCHEMA)]
    Schema(Schema),
    /// Print a shell completion script.
    #[command(after_help = help::COMPLETIONS)]
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Run the language server on standard input and output.
    #[command(after_help = help::LSP)]
    Lsp,
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
            report::failure(&format!("cannot start a thread: {error}"))
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
