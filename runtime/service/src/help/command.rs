//! The help of what every program takes in the place of a workflow.

use std::fmt::Write;

use gsw_abi::option::BuiltinOption;
use gsw_abi::program::Program;

use super::{option_row, row_of, write_rows};
use crate::arguments::BuiltinCommand;
use crate::columns::Columns;
use crate::exit::Exit;
use crate::mcp::{login, reach};
use crate::runs::arguments as runs;

/// The options of what carries runs on.
const OF_CARRIER: &[BuiltinOption] = &[
    BuiltinOption::Store,
    BuiltinOption::Events,
    BuiltinOption::Json,
    BuiltinOption::Quiet,
    BuiltinOption::Memory,
    BuiltinOption::Cache,
    BuiltinOption::Idle,
];

/// The options of what only looks at runs.
const OF_LOOKER: &[BuiltinOption] = &[
    BuiltinOption::Store,
    BuiltinOption::Json,
    BuiltinOption::Quiet,
];

const OF_SERVER: &[BuiltinOption] = &[
    BuiltinOption::Model,
    BuiltinOption::Events,
    BuiltinOption::Quiet,
    BuiltinOption::Memory,
    BuiltinOption::Cache,
    BuiltinOption::Store,
    BuiltinOption::Idle,
];

impl BuiltinCommand {
    /// How it is written, without its options.
    fn usage(self) -> String {
        match self {
            Self::Manifest => "manifest".into(),
            Self::Mcp => "mcp".into(),
            Self::McpLogin => "mcp login <ADDRESS>".into(),
            Self::McpLogout => "mcp logout <ADDRESS>".into(),
            Self::Runs(form) => form.usage(),
            Self::Worker => "worker".into(),
        }
    }

    const fn summary(self) -> &'static str {
        match self {
            Self::Manifest => "Describe the workflows and tools as JSON",
            Self::Mcp => {
                "Offer the workflows as tools to a client of the Model Context Protocol, on standard input and output"
            }
            Self::McpLogin => "Authorize the use of an MCP server for all programs of the user",
            Self::McpLogout => "Take the authorization to use an MCP server back",
            Self::Runs(form) => form.summary,
            Self::Worker => {
                "Carry on whatever is due, until it is told to end; several may share a store"
            }
        }
    }

    fn options(self) -> Vec<(String, String)> {
        let (own, all): (&[(&str, &str)], &[BuiltinOption]) = match self {
            Self::Manifest => (&[], &[]),
            Self::Mcp => (reach::OPTIONS, OF_SERVER),
            Self::McpLogin | Self::McpLogout => (login::OPTIONS, &[]),
            Self::Runs(form) => match form.carries {
                runs::Carries::Run => (form.options, OF_CARRIER),
                runs::Carries::Nothing => (form.options, OF_LOOKER),
            },
            Self::Worker => (&[], OF_CARRIER),
        };
        let own = own.iter().map(|(usage, summary)| row_of(usage, summary));
        own.chain(all.iter().map(|it| option_row(*it))).collect()
    }
}

/// The exit codes of what only looks at runs, or adds to them.
const CODES_OF_LOOKER: [(Exit, &str); 5] = [
    (Exit::Done, "it is done"),
    (Exit::Raised, "something is damaged, or two runs differ"),
    (Exit::Usage, "invalid usage, or there is no such run"),
    (Exit::Refused, "the run has ended"),
    (Exit::Internal, Exit::Internal.meaning()),
];

fn codes(form: &runs::Form) -> Vec<(String, String)> {
    let row = |(exit, meaning): (Exit, &str)| row_of(&(exit as u8).to_string(), meaning);
    match form.carries {
        runs::Carries::Run => Exit::ALL.map(|it| row((it, it.meaning()))).to_vec(),
        runs::Carries::Nothing => CODES_OF_LOOKER.map(row).to_vec(),
    }
}

/// The help of one command.
#[must_use]
pub fn command_help(program: &Program, command: BuiltinCommand, columns: Columns) -> String {
    let options = command.options();
    let tail = match options.is_empty() {
        true => "",
        false => " [OPTIONS]",
    };
    let usage = format!("Usage: {} {}{tail}", program.name, command.usage());
    let mut text = String::new();
    for paragraph in [command.summary(), &usage] {
        let _ = writeln!(text, "{}", columns.paragraphs(paragraph));
    }
    if let BuiltinCommand::Runs(form) = command
        && form.name.is_empty()
    {
        write_rows(&mut text, "Commands:", &runs::rows()[1..], columns);
    }
    if !options.is_empty() {
        write_rows(&mut text, "Options:", &options, columns);
    }
    if let BuiltinCommand::Runs(form) = command {
        write_rows(&mut text, "Exit codes:", &codes(form), columns);
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// The rows of all commands in the help of a program.
pub(super) fn rows() -> Vec<(String, String)> {
    let row = |it: BuiltinCommand| row_of(&it.usage(), it.summary());
    let mut rows = vec![row(BuiltinCommand::Manifest)];
    rows.extend(runs::rows());
    rows.push(row(BuiltinCommand::Worker));
    rows.push(row_of(
        "mcp [--http [ADDRESS]]",
        BuiltinCommand::Mcp.summary(),
    ));
    rows.push(row_of(
        "mcp login ADDRESS",
        "Authorize the use of an MCP server for all programs of the user; `mcp logout` takes it back",
    ));
    rows
}
