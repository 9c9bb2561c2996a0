//! `gswc prompt`: the exact request that a call of a prompt would send.
//!
//! The prompt is run as a program would run it, by an engine whose only model notes what it is asked and gives no answer. So what is
//! shown is what would be sent, with the settings of agent, prompt and `gsw.toml`, and with what its tools and types say.

mod preview;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use gsw_abi::option::BuiltinOption;
use gsw_abi::program::Program;
use gsw_agents::{AgentPrompts, Catalogue, Environment, Outgoing, known_model};
use gsw_driver::call::Call;
use gsw_driver::engine::{Engine, EngineOptions, prices};
use gsw_driver::models::{Models, Pending};
use gsw_engine::load::Loaded;
use gsw_engine::model::{Content, FailureKind, ModelAnswer, ModelFailure, ModelRequest, Role};
use gsw_engine::prices::Prices;
use gsw_engine::run::RunResult;
use gsw_service::columns::Columns;
use gsw_service::{BuiltinOptions, Command, Exit, Invocation, Topic};
use gsw_tree::usage::Usage;
use serde_json::{Map, Value, json};

pub use preview::preview;

use crate::{compile, project, report};

#[derive(clap::Args)]
pub struct Prompt {
    /// The file that declares the prompt, or a project folder; by default the project in the current folder.
    pub file: Option<PathBuf>,
    /// The prompt.
    pub name: Option<String>,
    /// Ask this model instead of the agent's, by name or by an alias from `gsw.toml`.
    #[arg(long, value_name = "PROVIDER/MODEL")]
    pub model: Option<String>,
    /// Print a `curl` command that sends the request; the key stays in its variable.
    #[arg(long)]
    pub curl: bool,
    /// Print the request, its size and its price as JSON.
    #[arg(long, conflicts_with = "curl")]
    pub json: bool,
    /// Put an example where a parameter has no default: `<name>` where it is a text.
    #[arg(long, conflicts_with = "words")]
    pub examples: bool,
    /// The prompt's own arguments, after `--`.
    #[arg(last = true)]
    pub words: Vec<String>,
}

/// Prints the request that a call of a prompt would send.
pub fn prompt(arguments: &Prompt) -> Exit {
    let (file, name) =
        project::entry_and_word(arguments.file.as_deref(), arguments.name.as_deref());
    match file.and_then(|file| asked(&file, name, arguments)) {
        Ok(asked) => show(&asked, arguments),
        Err(exit) => exit,
    }
}

struct Asked {
    request: Arc<ModelRequest>,
    prices: Prices,
}

/// What the prompt asks its model first.
fn asked(file: &Path, name: Option<&str>, arguments: &Prompt) -> Result<Asked, Exit> {
    let image = compile::prompts(file)?;
    let loaded = Loaded::from_bytes(&image).map_err(|refusal| report::failure(&refusal))?;
    let name = named(&loaded.program, name)?;
    let invocation = match arguments.examples {
        true => with_examples(&loaded.program, &name)?,
        false => read_words(&loaded.program, file, &name, &arguments.words)?,
    };
    let begun = begin(loaded, arguments.model.clone()).map_err(|why| report::usage(&why))?;
    let handle = begun.engine.start(invocation.workflow, invocation.input);
    let finished = handle.wait();
    if let Some(asked) = begun.asked() {
        return Ok(asked);
    }
    Err(match &finished.result {
        RunResult::InvalidInput(issues) => {
            gsw_service::say::say_lines(&gsw_service::issues_text(issues));
            Exit::Usage
        }
        RunResult::Raised(error) => {
            gsw_service::say::say_lines(&gsw_service::error_text(error));
            Exit::Raised
        }
        RunResult::Internal(message) => {
            report::failure(message);
            Exit::Internal
        }
        RunResult::Value(_) | RunResult::Cancelled | RunResult::Left(_) => {
            report::failure(&format!("`{name}` asks no model"))
        }
    })
}

/// An engine whose only model captures its request.
struct Begun {
    engine: Engine,
    program: Arc<Program>,
    noted: Arc<Noted>,
}

fn begin(mut loaded: Loaded, model: Option<String>) -> Result<Begun, String> {
    let model = model.or_else(model_of_environment);
    if let Some(given) = &model {
        known_model(given, &loaded.program.models)?;
    }
    let prices_of_user = gsw_service::prices_of_user()?;
    let models = &mut Arc::make_mut(&mut loaded.program).models;
    models.prices.splice(0..0, prices_of_user);
    let program = Arc::clone(&loaded.program);
    let noted = Arc::new(Noted::default());
    let options = EngineOptions {
        models: Some(Arc::clone(&noted) as Arc<dyn Models>),
        prompts: Some(Arc::new(AgentPrompts)),
        model_override: model,
        ..EngineOptions::default()
    };
    Ok(Begun {
        engine: Engine::new(loaded, options),
        program,
        noted,
    })
}

impl Begun {
    /// What the model was asked first, if it was asked.
    fn asked(&self) -> Option<Asked> {
        let first = self.noted.0.lock();
        let request = first.unwrap_or_else(PoisonError::into_inner).take()?;
        let prices = prices(&self.program, Some(&AgentPrompts));
        Some(Asked { request, prices })
    }
}

/// The prompt with examples for its input.
fn with_examples(program: &Program, name: &str) -> Result<Invocation, Exit> {
    let all = &program.workflows;
    let index = all.iter().position(|it| it.name == name);
    let found = index.and_then(|index| {
        let input = preview::examples(&program.types, &all[index].parameters)?;
        Some(Invocation {
            workflow: index,
            input,
            options: BuiltinOptions::default(),
        })
    });
    found.ok_or_else(|| {
        report::usage(&format!(
            "a parameter of `{name}` has a type that no example is made up for: give it after `--`"
        ))
    })
}

/// The prompt and its input, by the words after `--`.
fn read_words(
    program: &Program,
    file: &Path,
    name: &str,
    words: &[String],
) -> Result<Invocation, Exit> {
    let words: Vec<String> = std::iter::once(name.to_owned())
        .chain(words.iter().cloned())
        .collect();
    match gsw_service::parse(program, &words) {
        Ok(Command::Run(invocation)) if invocation.options == BuiltinOptions::default() => {
            Ok(*invocation)
        }
        Ok(Command::Run(_)) => Err(report::usage(
            &"a prompt that is only shown takes its own arguments after `--` and no other; `--model` and `--json` stand before it",
        )),
        Ok(Command::Help(Topic::Workflow(index))) => {
            let prompt = &program.workflows[index];
            let usage = format!("gswc prompt {} {name} -- [OPTIONS]", file.display());
            let columns = Columns::of_terminal();
            let help = gsw_service::signature_help(program, prompt, &usage, columns);
            Err(report::output(&help))
        }
        // Only the first word asks for these, and that is the prompt's name.
        Ok(
            Command::Help(Topic::Program | Topic::Command(_))
            | Command::Manifest
            | Command::Version
            | Command::Runs(_)
            | Command::Worker(_)
            | Command::Mcp(_)
            | Command::Login(_),
        ) => Err(Exit::Usage),
        Err(error) => Err(report::usage(&error.0)),
    }
}

fn model_of_environment() -> Option<String> {
    Environment::process().get(BuiltinOption::Model.variable()?)
}

/// The prompt of this name; without one the only one of the file.
fn named(program: &Program, name: Option<&str>) -> Result<String, Exit> {
    let names: Vec<&str> = program.workflows.iter().map(|it| &*it.name).collect();
    let all = names
        .iter()
        .map(|it| format!("`{it}`"))
        .collect::<Vec<_>>()
        .join(", ");
    let wrong = match (name, names.as_slice()) {
        (_, []) => "the file declares no prompt".to_owned(),
        (Some(name), _) if names.contains(&name) => return Ok(name.to_owned()),
        (Some(name), _) => format!("there is no prompt `{name}` in the file; there are {all}"),
        (None, [only]) => return Ok((*only).to_owned()),
        (None, _) => format!("name the prompt after the file; there are {all}"),
    };
    Err(report::usage(&wrong))
}

/// A model that captures its first request, and never answers.
#[derive(Default)]
struct Noted(Mutex<Option<Arc<ModelRequest>>>);

impl Models for Noted {
    fn ask(
        &self,
        request: Arc<ModelRequest>,
        _call: &Call,
    ) -> Pending<'_, Result<ModelAnswer, ModelFailure>> {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(request);
        let failure = ModelFailure::new(FailureKind::Provider, "the request is only shown".into());
        Box::pin(std::future::ready(Err(failure)))
    }
}

fn show(asked: &Asked, arguments: &Prompt) -> Exit {
    let request = &asked.request;
    let outgoing = match Outgoing::of(request, &Environment::process()) {
        Ok(outgoing) => outgoing,
        Err(failure) => return report::failure(&failure.message),
    };
    let size = Size::of(asked);
    match (outgoing, arguments) {
        (None, Prompt { curl: true, .. }) => report::usage(&format!(
            "`{}` is simulated, so nothing would be sent; name a model with `--model`",
            request.model
        )),
        (Some(outgoing), Prompt { curl: true, .. }) => report::output(&curl(&outgoing)),
        (outgoing, Prompt { json: true, .. }) => report::output_json(&format!(
            "{:#}\n",
            json!({
                "model": request.model,
                "request": outgoing.as_ref().map(as_json),
                "cache_marks": outgoing.as_ref().map(|it| cache_marks(&it.body)),
                "size": size.as_json(),
            })
        )),
        (Some(outgoing), _) => {
            let mut text = format!("POST {}\ncontent-type: application/json\n", outgoing.url);
            for (name, value) in &outgoing.headers {
                let _ = writeln!(text, "{name}: {value}");
            }
            let _ = write!(text, "\n{:#}\n\n{}\n", outgoing.body, size.as_text());
            let marks = cache_marks(&outgoing.body);
            if !marks.is_empty() {
                let _ = writeln!(
                    text,
                    "the provider is told to cache it up to the end of {}",
                    marks.join(" and of ")
                );
            }
            report::output(&text)
        }
        (None, _) => report::output(&format!(
            "{}\n`{}` is simulated, so nothing would be sent; name a model with `--model` to see its request\n{}\n",
            conversation(request),
            request.model,
            size.as_text()
        )),
    }
}

/// The positions in a request up to which the provider is asked to cache it.
fn cache_marks(body: &Value) -> Vec<&'static str> {
    let is_marked = |it: &Value| !it["cache_control"].is_null();
    let any = |part: &str| {
        body[part]
            .as_array()
            .is_some_and(|it| it.iter().any(is_marked))
    };
    let marks = [
        ("the tools", any("tools")),
        ("the system text", any("system")),
        ("the conversation", is_marked(body)),
    ];
    let marks = marks.into_iter().filter(|it| it.1);
    marks.map(|it| it.0).collect()
}

/// How long a request is.
struct Size {
    /// Of all its texts: messages, schema, tools.
    bytes: usize,
    /// Whether it holds images or documents, whose tokens depend on what they show.
    media: usize,
    /// What the model takes, where that is known.
    window: Option<u64>,
    /// In dollars, where the price is known.
    cost: Option<f64>,
}

/// How many bytes of English, of programs and of JSON are about a token; of other scripts it is fewer.
const BYTES_A_TOKEN: usize = 4;
/// Said wherever tokens are, which only the provider can count.
const METHOD: &str = "a quarter of the bytes";

impl Size {
    fn of(Asked { request, prices }: &Asked) -> Self {
        let pieces = || request.messages.iter().flat_map(|it| &it.content);
        let texts = pieces().filter_map(Content::text).map(str::len);
        let schema = request.schema.iter().map(|it| it.to_string().len());
        let tools = request
            .tools
            .iter()
            .map(|it| it.name.len() + it.description.len() + it.input_schema.to_string().len());
        let system = request.system.iter().map(String::len);
        let bytes: usize = texts.chain(schema).chain(tools).chain(system).sum();
        let usage = Usage {
            input_tokens: bytes.div_ceil(BYTES_A_TOKEN) as u64,
            ..Usage::default()
        };
        let known = Catalogue::built_in().find(&request.model);
        Self {
            bytes,
            media: pieces()
                .filter(|it| matches!(it, Content::Media { .. }))
                .count(),
            window: known.and_then(|it| it.context),
            cost: prices.cost(&request.model, &usage),
        }
    }

    fn tokens(&self) -> usize {
        self.bytes.div_ceil(BYTES_A_TOKEN)
    }

    fn as_json(&self) -> Value {
        json!({
            "bytes": self.bytes,
            "tokens": self.tokens(),
            "counted_as": METHOD,
            "media_not_counted": self.media,
            "window": self.window,
            "input_cost_usd": self.cost,
        })
    }

    fn as_text(&self) -> String {
        let mut text = format!("about {} tokens, counted as {METHOD}", self.tokens());
        if self.media > 0 {
            let _ = write!(text, ", without {} images or documents", self.media);
        }
        if let Some(window) = self.window {
            let _ = write!(text, "; the model takes {window}");
        }
        if let Some(cost) = self.cost {
            let _ = write!(text, "; about ${cost:.6} before the answer");
        }
        text
    }
}

/// The messages, for a model that has no wire.
fn conversation(request: &ModelRequest) -> String {
    let said = request.messages.iter().map(|message| {
        let role = match message.role {
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::System => "system",
        };
        let texts: Vec<&str> = message.content.iter().filter_map(Content::text).collect();
        (role, texts.join("\n"))
    });
    let system = request.system.iter().map(|it| ("system", it.clone()));
    let parts = system
        .chain(said)
        .map(|(role, text)| format!("{role}:\n{text}\n"));
    parts.collect::<Vec<_>>().join("\n")
}

fn as_json(outgoing: &Outgoing) -> Value {
    let headers = outgoing.headers.iter();
    let headers = headers.map(|(name, value)| ((*name).to_owned(), json!(value)));
    json!({
        "url": outgoing.url,
        "headers": headers.collect::<Map<_, _>>(),
        "body": outgoing.body,
    })
}

/// A command for a shell, which puts the key in the place of its variable; all else is taken as it is.
fn curl(outgoing: &Outgoing) -> String {
    let mut text = format!("curl {} \\\n", quoted(&outgoing.url));
    let _ = writeln!(text, "  -H 'content-type: application/json' \\");
    for (name, value) in &outgoing.headers {
        let header = match value.strip_suffix(&outgoing.key) {
            Some(before) => {
                let before = quoted(&format!("{name}: {before}"));
                format!("{before}\"{}\"", outgoing.key)
            }
            None => quoted(&format!("{name}: {value}")),
        };
        let _ = writeln!(text, "  -H {header} \\");
    }
    let _ = writeln!(text, "  --data-raw {}", quoted(&outgoing.body.to_string()));
    text
}

/// In single quotes, for a POSIX shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
