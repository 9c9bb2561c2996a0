//! The command line of `gswc`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use gsw_service::Exit;
use gsw_service::columns::Columns;
use gsw_service::say::say_lines;
use gsw_source::Name;

use crate::commands::{
    self, Build, Cache, Check, Compat, Describe, Doc, Fix, Fmt, Graph, Init, Mcp, New, Prompt, Run,
    Runs, Schema, Test, Trace,
};
use crate::help;
use crate::report;
use crate::threads::{NoResult, with_large_stack};

/// The Groundswell compiler: from `.gsw` files to native programs.
#[derive(Parser)]
#[command(
    name = "gswc",
    version,
    after_help = help::text(&help::GSWC),
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
    #[command(after_help = help::text(&help::NEW))]
    New(New),
    /// Make an existing folder a project.
    #[command(after_help = help::text(&help::INIT))]
    Init(Init),
    /// Check a program for errors without building it.
    #[command(after_help = help::text(&help::CHECK))]
    Check(Check),
    /// Apply the fixes that diagnostics suggest.
    #[command(after_help = help::text(&help::FIX))]
    Fix(Fix),
    /// Compile a program in memory and run it.
    #[command(after_help = help::text(&help::RUN))]
    Run(Run),
    /// Show the exact request that a call of a prompt would send, its size and its price.
    #[command(after_help = help::text(&help::PROMPT))]
    Prompt(Prompt),
    /// Run the tests of programs.
    #[command(after_help = help::text(&help::TEST))]
    Test(Test),
    /// Compile a program to one native executable.
    #[command(after_help = help::text(&help::BUILD))]
    Build(Build),
    /// Format files in the one style.
    #[command(after_help = help::text(&help::FMT))]
    Fmt(Fmt),
    /// Explain a diagnostic code, an error of a run or a word of the language.
    #[command(after_help = help::text(&help::EXPLAIN))]
    Explain {
        /// A code, as in `error[unknown-name]`, an error such as `BudgetExceeded` or a word such as `retry`; lists all if omitted.
        #[arg(value_name = "NAME")]
        name: Option<String>,
    },
    /// Show what is known of one declaration: signature, docs, errors, effects, fields, what a prompt says.
    #[command(after_help = help::text(&help::DESCRIBE))]
    Describe(Describe),
    /// Generate documentation for a program and the standard library, as web pages.
    #[command(after_help = help::text(&help::DOC))]
    Doc(Doc),
    /// Draw the structure of a program's workflows, as Mermaid text or SVG.
    #[command(after_help = help::text(&help::GRAPH))]
    Graph(Graph),
    /// Show a run recorded with `--events FILE`: its tree, one node, a diff with another run, or a web page.
    #[command(after_help = help::text(&help::TRACE))]
    Trace(Box<Trace>),
    /// Look at the answers of models that a program keeps on the disk, or forget them.
    #[command(after_help = help::text(&help::CACHE))]
    Cache(Cache),
    /// Say what becomes of the runs that an earlier version of a program began.
    #[command(after_help = help::text(&help::COMPAT))]
    Compat(Compat),
    /// Look at the runs of a store, whatever program they are of.
    #[command(after_help = help::text(&help::RUNS))]
    Runs(Runs),
    /// Call the MCP servers that a file declares, and declare their tools; without a command serve the compiler to a coding agent.
    #[command(after_help = help::text(&help::MCP))]
    Mcp(Mcp),
    /// Print the JSON Schema of a type, or of a workflow's input and output.
    #[command(after_help = help::text(&help::SCHEMA))]
    Schema(Schema),
    /// Print a shell completion script.
    #[command(after_help = help::text(&help::COMPLETIONS))]
    Completions {
        /// The shell that the script is for.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Write the manual pages of `gswc`, one for each command.
    #[command(after_help = help::text(&help::MAN))]
    Man {
        /// The folder that they go to.
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
    /// Run the language server on standard input and output.
    #[command(after_help = help::text(&help::LSP))]
    Lsp {
        /// What clients say to servers that can be reached in other ways too.
        #[arg(long, hide = true)]
        stdio: bool,
    },
    /// Run the debugger for editors on standard input and output.
    #[command(after_help = help::text(&help::DAP))]
    Dap,
}

/// Runs `gswc` on the process's arguments.
#[must_use]
pub fn main() -> ExitCode {
    let command = Arguments::command().term_width(Columns::of_terminal().count());
    let matches = command.try_get_matches();
    let arguments = match matches.and_then(|it| Arguments::from_arg_matches(&it)) {
        Ok(arguments) => arguments,
        Err(error) => return refusal(&error).into(),
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

/// Prints help, the version, or what is wrong with the words.
fn refusal(error: &clap::Error) -> Exit {
    if error.kind() == ErrorKind::InvalidSubcommand
        && let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand)
    {
        return report::usage(&unknown_command(word));
    }
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg)
        && std::env::args_os().nth(1).is_some_and(|it| it == "cache")
        && !word.starts_with('-')
    {
        return report::usage(&format!(
            "`{word}` follows `--of` if it is the program whose answers are meant: `--of {word}`"
        ));
    }
    // Lines that are laid out already, and are too long all the same, such as `Usage:`.
    let text = Columns::of_terminal().lines(&error.render().to_string());
    if error.use_stderr() {
        say_lines(&text);
        Exit::Usage
    } else {
        report::output_help(&text)
    }
}

fn unknown_command(word: &str) -> String {
    if Path::new(word).extension().is_some_and(|it| it == "gsw") {
        return format!("`{word}` is a file, not a command; to run it, write `gswc run {word}`");
    }
    let command = Arguments::command();
    let names: Vec<Name> = command
        .get_subcommands()
        .map(|it| Name::new(it.get_name()))
        .collect();
    match gsw_source::nearest(word, &names) {
        Some(near) => {
            let near = near.as_str();
            format!("there is no command `{word}`; did you mean `{near}`?")
        }
        None => format!("there is no command `{word}`; `gswc --help` lists them"),
    }
}

fn dispatch(command: Command) -> Exit {
    match command {
        Command::Check(arguments) => commands::check(&arguments),
        Command::Build(arguments) => commands::build(&arguments),
        Command::Run(arguments) => commands::run(&arguments),
        Command::Test(arguments) => commands::test(&arguments),
        Command::Prompt(arguments) => commands::prompt(&arguments),
        Command::Cache(arguments) => commands::cache(&arguments),
        Command::Compat(arguments) => commands::compat(&arguments),
        Command::Mcp(arguments) => commands::mcp(&arguments),
        Command::Runs(arguments) => commands::runs(&arguments),
        Command::Schema(arguments) => commands::schema(&arguments),
        Command::Describe(arguments) => commands::describe(&arguments),
        Command::Doc(arguments) => commands::doc(&arguments),
        Command::Graph(arguments) => commands::graph(&arguments),
        Command::Trace(arguments) => commands::trace(&arguments),
        Command::New(arguments) => commands::new(&arguments),
        Command::Init(arguments) => commands::init(&arguments),
        Command::Fix(arguments) => commands::fix(&arguments),
        Command::Fmt(arguments) => commands::fmt(&arguments),
        Command::Explain { name } => commands::explain(name.as_deref()),
        Command::Completions { shell } => commands::completions(shell, Arguments::command()),
        Command::Man { folder } => commands::man(&folder, Arguments::command()),
        Command::Lsp { stdio: _ } => commands::lsp(),
        Command::Dap => commands::dap(),
    }
}
