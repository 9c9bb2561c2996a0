//! Parses a command line into a workflow and its input.

use std::time::Duration;

use gsw_abi::option::BuiltinOption;
use gsw_abi::program::{Program, Workflow};
use gsw_abi::types::{Field, Type, TypeTable};
use gsw_engine::codec::places;
use gsw_notation::near::nearest;
use serde_json::{Map, Value};

use crate::mcp::login::{self, Act, Login};
use crate::mcp::reach::{self, Serving};
use crate::runs::arguments::{self as runs, RunsInvocation};
use crate::value_text::Listed;
use crate::{memory, store, value_text};

/// What the user asks for.
#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    Run(Box<Invocation>),
    Help(Topic),
    /// Look at the runs that are kept, or act on one.
    Runs(Box<RunsInvocation>),
    /// Carry on whatever is due.
    Worker(Box<BuiltinOptions>),
    /// Serve the workflows as tools to clients.
    Mcp(Box<Serving>),
    /// Have a person authorize the use of a server, or take that back.
    Login(Box<Login>),
    /// Print the program's own description.
    Manifest,
    /// Print its name and version.
    Version,
}

/// What help is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Topic {
    Program,
    /// An index into [`Program::workflows`].
    Workflow(usize),
    Command(BuiltinCommand),
}

/// A command of every program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BuiltinCommand {
    Manifest,
    Mcp,
    McpLogin,
    McpLogout,
    /// `runs`, or a command of it.
    Runs(&'static runs::Form),
    Worker,
}

impl BuiltinCommand {
    /// The command that these words begin with.
    pub(crate) fn of(words: &[String]) -> Option<Self> {
        let mut words = words.iter().map(String::as_str);
        let command = words.next()?;
        let mut names = words.filter(|it| !it.starts_with('-'));
        match command {
            "manifest" => Some(Self::Manifest),
            "worker" => Some(Self::Worker),
            "runs" => Some(Self::Runs(runs::form(names.next().unwrap_or_default()))),
            "mcp" => Some(match names.next() {
                Some("login") => Self::McpLogin,
                Some("logout") => Self::McpLogout,
                Some(_) | None => Self::Mcp,
            }),
            _ => None,
        }
    }
}

/// What every program takes in the place of a workflow.
const COMMANDS: &[&str] = &["manifest", "mcp", "runs", "worker"];

/// A workflow, its input and the built-in options.
#[derive(Clone, PartialEq, Debug)]
pub struct Invocation {
    /// The workflow, as an index into [`Program::workflows`].
    pub workflow: usize,
    /// By parameter name. What is missing has a default or is optional.
    pub input: Map<String, Value>,
    /// The options that every program has.
    pub options: BuiltinOptions,
}

/// The options that every program has.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BuiltinOptions {
    /// `--model`: replaces every agent's model.
    pub model: Option<String>,
    /// Where `--events` writes; `None` when no events are wanted.
    pub events: Option<EventSink>,
    pub form: ResultForm,
    /// `--memory`: the most bytes that the values of a run may take.
    pub memory: Option<u64>,
    /// `--cache`: the folder with answers of models, or `off`.
    pub cache: Option<String>,
    /// `--store`: where runs are kept.
    pub store: Option<String>,
    pub entry: Entering,
    /// `--idle`: after how long a run that waits is left.
    pub idle: Option<Duration>,
    pub tape: TapeOption,
    /// `--quiet`: nothing on standard error but the final error.
    pub verbosity: Verbosity,
}

/// Whether models are asked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum TapeOption {
    #[default]
    Off,
    /// `--record`: what they answer is kept in this file.
    Record(String),
    /// `--replay`: this file answers in their place.
    Replay(String),
}

/// How a run is entered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Entering {
    #[default]
    New,
    /// `--resume`: an interrupted run of the same input is resumed.
    OrResumed,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EventSink {
    /// `-`: standard output, before the result.
    Standard,
    File(String),
}

/// How result and error are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ResultForm {
    /// The result as one line of JSON, an error as text for people.
    #[default]
    Plain,
    /// `--json`: an error as JSON too.
    Json,
    /// `--pretty`: the result as on a terminal, also in a pipe.
    Pretty,
    /// `--raw`: a string result bare.
    Raw,
}

/// How much goes to standard error.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Verbosity {
    #[default]
    Normal,
    Quiet,
}

/// A mistake on the command line: what is wrong, and what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UsageError(pub String);

/// Reads the words after the program's name.
///
/// # Errors
/// When a word does not fit; the message says which.
pub fn parse(program: &Program, words: &[String]) -> Result<Command, UsageError> {
    if let [first, rest @ ..] = words
        && !rest.is_empty()
        && first == "help"
    {
        return parse(program, &[rest, &["--help".into()]].concat());
    }
    if let Some(command) = command_of_help(program, words) {
        return Ok(Command::Help(Topic::Command(command)));
    }
    let (workflow, rest) = match words.first().map(String::as_str) {
        Some("manifest") if find(program, "manifest").is_none() => return Ok(Command::Manifest),
        Some("runs") if find(program, "runs").is_none() => {
            return runs::parse(&words[1..]).map(|it| Command::Runs(Box::new(it)));
        }
        Some("worker") if find(program, "worker").is_none() => {
            return runs::worker(&words[1..]).map(|it| Command::Worker(Box::new(it)));
        }
        Some("mcp") if find(program, "mcp").is_none() => {
            let act = match words.get(1).map(String::as_str) {
                Some("login") => Act::In,
                Some("logout") => Act::Out,
                _ => return reach::parse(&words[1..]).map(|it| Command::Mcp(Box::new(it))),
            };
            return login::parse(act, &words[2..]).map(|it| Command::Login(Box::new(it)));
        }
        Some("--version") if words.len() == 1 && !takes_version(program) => {
            return Ok(Command::Version);
        }
        Some("help" | "--help" | "-h") => return Ok(Command::Help(Topic::Program)),
        Some(name) if !name.starts_with('-') => (named(program, name)?, &words[1..]),
        _ => (default_workflow(program)?, words),
    };
    let mut reader = Reader::new(program, workflow);
    let mut rest = rest.iter();
    while let Some(word) = rest.next() {
        if is_help(word) {
            return Ok(Command::Help(Topic::Workflow(workflow)));
        }
        reader.option(word, &mut rest)?;
    }
    reader
        .finish()
        .map(|invocation| Command::Run(Box::new(invocation)))
}

/// The command that every program has, of which help is asked for.
fn command_of_help(program: &Program, words: &[String]) -> Option<BuiltinCommand> {
    let (name, rest) = words.split_first()?;
    let is_asked = find(program, name).is_none() && rest.iter().any(|it| is_help(it));
    BuiltinCommand::of(words).filter(|_| is_asked)
}

fn is_help(word: &str) -> bool {
    matches!(word, "--help" | "-h")
}

fn find(program: &Program, name: &str) -> Option<usize> {
    program
        .workflows
        .iter()
        .position(|it| same_name(&it.name, name))
}

fn named(program: &Program, name: &str) -> Result<usize, UsageError> {
    find(program, name).ok_or_else(|| {
        if runs::is_command(name) {
            return UsageError(format!(
                "there is no workflow `{name}`; what is done with runs is `runs {name}`"
            ));
        }
        let names = program.workflows.iter().map(|it| it.name.as_str());
        UsageError(match nearest(name, names.clone().chain(COMMANDS.iter().copied())) {
            Some(near) => format!("there is no workflow `{name}`; did you mean `{near}`?"),
            None => {
                let names: Vec<_> = names.map(|it| format!("`{it}`")).collect();
                format!(
                    "there is no workflow `{name}`; there are {}. Parameters are never positional: write `--name VALUE`",
                    names.join(", ")
                )
            }
        })
    })
}

fn default_workflow(program: &Program) -> Result<usize, UsageError> {
    find(program, "main")
        .or((program.workflows.len() == 1).then_some(0))
        .ok_or_else(|| {
            UsageError(
                "this program has no workflow `main`; name the workflow to run first, see `--help`"
                    .into(),
            )
        })
}

/// Whether `--version` is a parameter of the program's own.
fn takes_version(program: &Program) -> bool {
    let main = default_workflow(program).map(|it| &program.workflows[it]);
    main.is_ok_and(|it| it.parameters.iter().any(|it| it.name == "version"))
}

/// `_` and `-` are alike in names.
pub fn same_name(a: &str, b: &str) -> bool {
    a.len() == b.len()
        && a.bytes()
            .zip(b.bytes())
            .all(|(x, y)| x == y || matches!((x, y), (b'_', b'-') | (b'-', b'_')))
}

impl BuiltinOptions {
    fn set_tape(&mut self, tape: TapeOption) -> Result<(), UsageError> {
        match (&self.tape, &tape) {
            (TapeOption::Record(_), TapeOption::Replay(_))
            | (TapeOption::Replay(_), TapeOption::Record(_)) => {
                let message =
                    "`--record` asks models and `--replay` asks none: give one of the two";
                Err(UsageError(message.into()))
            }
            (TapeOption::Off | TapeOption::Record(_) | TapeOption::Replay(_), _) => {
                self.tape = tape;
                Ok(())
            }
        }
    }

    /// Takes one of the options that every program has.
    ///
    /// # Errors
    /// When its value is missing or does not fit.
    pub(crate) fn take(
        &mut self,
        option: BuiltinOption,
        mut value: impl FnMut() -> Result<String, UsageError>,
    ) -> Result<(), UsageError> {
        match option {
            BuiltinOption::Model => self.model = Some(value()?),
            BuiltinOption::Events => {
                let sink = value()?;
                self.events = Some(if sink == "-" {
                    EventSink::Standard
                } else {
                    EventSink::File(sink)
                });
            }
            BuiltinOption::Memory => {
                let size = value()?;
                let bytes =
                    memory::bytes(&size).map_err(|why| UsageError(format!("`--memory`: {why}")));
                self.memory = Some(bytes?);
            }
            BuiltinOption::Cache => self.cache = Some(value()?),
            BuiltinOption::Store => self.store = Some(value()?),
            BuiltinOption::Record => self.set_tape(TapeOption::Record(value()?))?,
            BuiltinOption::Replay => self.set_tape(TapeOption::Replay(value()?))?,
            BuiltinOption::Resume => self.entry = Entering::OrResumed,
            BuiltinOption::Idle => {
                let text = value()?;
                let idle = store::duration(&text);
                self.idle = Some(idle.map_err(|why| UsageError(format!("`--idle`: {why}")))?);
            }
            BuiltinOption::Json => self.form = ResultForm::Json,
            BuiltinOption::Raw => self.form = ResultForm::Raw,
            BuiltinOption::Pretty => self.form = ResultForm::Pretty,
            BuiltinOption::Quiet => self.verbosity = Verbosity::Quiet,
            // Alone it was understood before; `--help` is understood anywhere.
            BuiltinOption::Help | BuiltinOption::Version => {
                return Err(UsageError(format!(
                    "`--{}` cannot be combined with other options",
                    option.name()
                )));
            }
        }
        Ok(())
    }
}

/// Collects options for one workflow.
struct Reader<'a> {
    types: &'a TypeTable,
    workflow: &'a Workflow,
    index: usize,
    /// By parameter: the values given, each a text.
    given: Vec<Vec<Given>>,
    options: BuiltinOptions,
}

/// One occurrence of an option.
enum Given {
    Bool(bool),
    Text(String),
}

impl<'a> Reader<'a> {
    fn new(program: &'a Program, index: usize) -> Self {
        let workflow = &program.workflows[index];
        Self {
            types: &program.types,
            workflow,
            index,
            given: workflow.parameters.iter().map(|_| Vec::new()).collect(),
            options: BuiltinOptions::default(),
        }
    }

    fn option(
        &mut self,
        word: &str,
        rest: &mut std::slice::Iter<'_, String>,
    ) -> Result<(), UsageError> {
        let Some(option) = word.strip_prefix("--") else {
            let what = match word {
                "true" | "false" | "none" => {
                    "a bool parameter takes no value, `--name` or `--no-name`, or its value after `=`"
                }
                _ if COMMANDS.contains(&word) => "it comes first, before all options",
                _ => "parameters are never positional: write `--name VALUE`",
            };
            return Err(UsageError(format!("`{word}` is not expected here; {what}")));
        };
        let (name, inline) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (option, None),
        };
        let mut value = || {
            inline
                .clone()
                .or_else(|| rest.next().cloned())
                .ok_or_else(|| {
                    UsageError(format!("`--{name}` needs a value: write `--{name} VALUE`"))
                })
        };
        if let Some(index) = self
            .workflow
            .parameters
            .iter()
            .position(|it| same_name(&it.name, name))
        {
            let given = if self.is_bool(index) && inline.is_none() {
                Given::Bool(true)
            } else {
                Given::Text(value()?)
            };
            self.given[index].push(given);
            return Ok(());
        }
        if let Some(index) = name
            .strip_prefix("no-")
            .and_then(|name| self.bool_named(name))
        {
            if inline.is_some() {
                return Err(UsageError(format!("`--{name}` takes no value")));
            }
            self.given[index].push(Given::Bool(false));
            return Ok(());
        }
        let option = BuiltinOption::of(name).ok_or_else(|| self.unknown(name))?;
        if inline.is_some() && option.operand().is_none() {
            return Err(UsageError(format!("`--{name}` takes no value")));
        }
        self.options.take(option, value)
    }

    fn unknown(&self, name: &str) -> UsageError {
        let parameters = self.workflow.parameters.iter();
        let parameters = parameters.map(|it| it.name.replace('_', "-"));
        let builtin = BuiltinOption::ALL.map(|it| it.name().to_owned());
        let names: Vec<String> = parameters.chain(builtin).collect();
        let workflow = &self.workflow.name;
        let plain = name.replace('_', "-");
        UsageError(match nearest(&plain, names.iter().map(String::as_str)) {
            Some(near) => {
                format!("`{workflow}` has no option `--{name}`; did you mean `--{near}`?")
            }
            None => {
                let names: Vec<_> = names.iter().map(|it| format!("--{it}")).collect();
                format!(
                    "`{workflow}` has no option `--{name}`; it takes {}",
                    names.join(", ")
                )
            }
        })
    }

    fn bool_named(&self, name: &str) -> Option<usize> {
        let index = self
            .workflow
            .parameters
            .iter()
            .position(|it| same_name(&it.name, name))?;
        self.is_bool(index).then_some(index)
    }

    fn is_bool(&self, index: usize) -> bool {
        let ty = self.types.base(self.workflow.parameters[index].ty);
        let ty = self.types.get(ty);
        if let Type::Optional(inner) = ty {
            return *self.types.get(self.types.base(*inner)) == Type::Bool;
        }
        *ty == Type::Bool
    }

    fn finish(self) -> Result<Invocation, UsageError> {
        let mut input = Map::new();
        let mut missing = Vec::new();
        for (parameter, given) in self.workflow.parameters.iter().zip(self.given) {
            if given.is_empty() {
                if is_required(self.types, parameter) {
                    missing.push(format!("--{}", parameter.name.replace('_', "-")));
                }
                continue;
            }
            let value = parameter_value(self.types, parameter, given).map_err(|why| {
                let why = match places::field_hides(self.types, parameter) {
                    true => {
                        "its value does not fit; it is not shown, because `@secret` hides it".into()
                    }
                    false => why,
                };
                UsageError(format!("`--{}`: {why}", parameter.name.replace('_', "-")))
            })?;
            input.insert(parameter.name.clone(), value);
        }
        if !missing.is_empty() {
            return Err(UsageError(format!(
                "`{}` needs {}; see `--help`",
                self.workflow.name,
                missing.join(" and ")
            )));
        }
        Ok(Invocation {
            workflow: self.index,
            input,
            options: self.options,
        })
    }
}

/// Whether a call must give this parameter.
pub fn is_required(types: &TypeTable, parameter: &Field) -> bool {
    parameter.default.is_none() && !matches!(types.get(types.base(parameter.ty)), Type::Optional(_))
}

fn parameter_value(
    types: &TypeTable,
    parameter: &Field,
    given: Vec<Given>,
) -> Result<Value, String> {
    let mut values = Vec::new();
    let count = given.len();
    let list = value_text::list_element(types, parameter.ty);
    for one in given {
        match (one, list) {
            (Given::Bool(it), _) => values.push(Value::Bool(it)),
            (Given::Text(text), Some(_))
                if count == 1 && value_text::is_absent(types, parameter.ty, &text) =>
            {
                return Ok(Value::Null);
            }
            (Given::Text(text), Some(element)) => {
                match value_text::read_listed(types, element, &text)? {
                    Listed::Array(items) if count == 1 => return Ok(Value::Array(items)),
                    // Of lists each may be an element of a list of lists.
                    Listed::Array(items) if value_text::is_json(types, element) => {
                        values.push(Value::Array(items));
                    }
                    Listed::Array(items) => values.extend(items),
                    Listed::Element(value) => values.push(value),
                }
            }
            (Given::Text(text), None) => values.push(value_text::read(types, parameter.ty, &text)?),
        }
    }
    if list.is_some() {
        return Ok(Value::Array(values));
    }
    if count > 1 {
        return Err(format!("given {count} times, but it takes one value"));
    }
    values.pop().ok_or_else(|| "needs a value".into())
}
