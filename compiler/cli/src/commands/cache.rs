//! `gswc cache`: the answers of models that a program keeps on the disk.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Subcommand;
use gsw_agents::{Damage, Filter, Forgotten, Inspection, Line, Stats, forget_all};
use gsw_service::Exit;
use serde_json::{Value, json};

use crate::{project, report};

#[derive(clap::Args)]
pub struct Cache {
    #[command(subcommand)]
    pub command: Command,
    /// The entry file or a project folder of the program whose cache it is; by default the project in the current folder.
    #[arg(long, global = true, value_name = "FILE")]
    pub of: Option<PathBuf>,
    /// The folder of the cache, as `--cache` of the program names it.
    #[arg(long, global = true, value_name = "DIR", conflicts_with = "of")]
    pub cache: Option<String>,
    /// Print JSON.
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Subcommand)]
pub enum Command {
    /// How many answers there are, and how large they are.
    Stats,
    /// List answers, those last used first.
    Ls(Which),
    /// Show one answer.
    Show {
        /// Its key, or as much of the beginning as no other has.
        key: String,
    },
    /// Forget answers.
    Bust(Bust),
    /// Check that every answer is what was kept.
    Verify,
}

/// Which answers are meant.
#[derive(clap::Args)]
#[group(required = false, multiple = false)]
pub struct Which {
    /// Those whose keys begin so.
    #[arg(long, value_name = "PREFIX")]
    pub key: Option<String>,
    /// Those of a prompt.
    #[arg(long, value_name = "NAME")]
    pub prompt: Option<String>,
    /// Those of an agent.
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Those of a model.
    #[arg(long, value_name = "PROVIDER/MODEL")]
    pub model: Option<String>,
    /// Those whose time is over.
    #[arg(long)]
    pub expired: bool,
}

#[derive(clap::Args)]
pub struct Bust {
    #[command(flatten)]
    pub which: Which,
    /// All.
    #[arg(long, conflicts_with_all = ["key", "prompt", "agent", "model", "expired"])]
    pub all: bool,
}

impl Which {
    /// `None` when no option is given.
    fn filter(&self) -> Option<Filter> {
        let Self {
            key,
            prompt,
            agent,
            model,
            expired,
        } = self;
        let named = [
            key.clone().map(Filter::Key),
            prompt.clone().map(Filter::Prompt),
            agent.clone().map(Filter::Agent),
            model.clone().map(Filter::Model),
            expired.then(|| Filter::Expired(now())),
        ];
        named.into_iter().flatten().next()
    }
}

/// Looks at a cache, or makes it forget.
pub fn cache(arguments: &Cache) -> Exit {
    let path = match file(arguments) {
        Ok(path) => path,
        Err(exit) => return exit,
    };
    if !path.exists() {
        return report::failure(&format!(
            "no answers are kept: there is no `{}`",
            path.display()
        ));
    }
    let done = if let Command::Bust(bust) = &arguments.command
        && bust.all
    {
        // Also of a file that cannot be opened to look at it.
        forget_all(&path).map(|it| print(arguments, &json!(it), || forgotten_text(&it)))
    } else {
        Inspection::open(&path).and_then(|it| perform(&it, &arguments.command, arguments))
    };
    done.unwrap_or_else(|why| report::failure(&format!("`{}`: {why}", path.display())))
}

fn file(arguments: &Cache) -> Result<PathBuf, Exit> {
    let name = match &arguments.cache {
        Some(_) => String::new(),
        None => {
            let entry = project::entry(arguments.of.as_deref())?;
            let stem = || Some(entry.file_stem()?.to_string_lossy().into_owned());
            let name = project::name_of_entry(&entry).or_else(stem);
            name.unwrap_or_default()
        }
    };
    gsw_service::cache::file(&name, arguments.cache.as_deref()).ok_or_else(|| {
        report::usage(&"answers are kept in memory only: name the folder with `--cache DIR`")
    })
}

fn perform(cache: &Inspection, command: &Command, arguments: &Cache) -> Result<Exit, String> {
    Ok(match command {
        Command::Stats => {
            let stats = cache.stats(now())?;
            print(arguments, &json!(stats), || stats_text(&stats))
        }
        Command::Ls(which) => {
            let lines = cache.lines(&which.filter().unwrap_or(Filter::All))?;
            print(arguments, &json!(lines), || list(&lines))
        }
        Command::Show { key } => return show(cache, key, arguments),
        Command::Bust(bust) => {
            let Some(filter) = bust.which.filter() else {
                return Ok(report::usage(
                    &"say which answers to forget: `--key`, `--prompt`, `--agent`, `--model`, `--expired` or `--all`",
                ));
            };
            let count = cache.bust(&filter)?;
            print(arguments, &json!({ "forgotten": count }), || {
                format!("forgot {count} answers\n")
            })
        }
        Command::Verify => {
            let damages = cache.verify()?;
            let text = || match damages.as_slice() {
                [] => "every answer is what was kept\n".to_owned(),
                damages => damages.iter().map(damage_text).collect(),
            };
            match (print(arguments, &json!(damages), text), damages.is_empty()) {
                (Exit::Done, false) => Exit::Raised,
                (exit, _) => exit,
            }
        }
    })
}

fn show(cache: &Inspection, key: &str, arguments: &Cache) -> Result<Exit, String> {
    let lines = cache.lines(&Filter::Key(key.to_owned()))?;
    let line = match lines.as_slice() {
        [line] => line,
        [] => {
            return Ok(report::failure(&format!(
                "no answer has a key that begins with `{key}`"
            )));
        }
        lines => {
            return Ok(report::failure(&format!(
                "{} answers have keys that begin with `{key}`: write more of it",
                lines.len()
            )));
        }
    };
    let text = cache.text(&line.key)?;
    // What cannot be read is shown as it is.
    let answer = gsw_notation::json::written(&text).unwrap_or(Value::String(text));
    let mut shown = json!(line);
    shown["answer"] = answer;
    Ok(print(arguments, &shown, || format!("{shown:#}\n")))
}

fn print(arguments: &Cache, json: &Value, text: impl FnOnce() -> String) -> Exit {
    if arguments.json {
        report::output_json(&format!("{json:#}\n"))
    } else {
        report::output(&text())
    }
}

fn stats_text(stats: &Stats) -> String {
    let Stats {
        entries,
        bytes,
        expired,
        claims,
    } = stats;
    format!("{entries} answers of {bytes} bytes, {expired} expired; {claims} calls on their way\n")
}

fn forgotten_text(done: &Forgotten) -> String {
    let Forgotten {
        forgotten,
        damage,
        copy,
    } = done;
    let mut text = match forgotten {
        Some(count) => format!("forgot {count} answers\n"),
        None => String::new(),
    };
    if let Some(why) = damage {
        let _ = writeln!(
            text,
            "the file was damaged ({why}); it has been recreated, and is empty"
        );
    }
    if let Some(copy) = copy {
        let copy = copy.display();
        let _ = writeln!(
            text,
            "it did not say that it was a cache: what it held is in `{copy}`"
        );
    }
    text
}

fn list(lines: &[Line]) -> String {
    let mut text = String::new();
    for Line {
        key,
        agent: _,
        prompt,
        model,
        bytes,
        kept,
        expires,
    } in lines
    {
        let short = &key[..key.len().min(12)];
        let age = now().saturating_sub(since_1970(*kept)).as_secs();
        let rest = match since_1970(*expires).checked_sub(now()) {
            Some(rest) => format!("for {} s more", rest.as_secs()),
            None => "expired".to_owned(),
        };
        let _ = writeln!(
            text,
            "{short}  {prompt}  {model}  {bytes} bytes  {age} s old  {rest}"
        );
    }
    text
}

fn damage_text(damage: &Damage) -> String {
    match damage {
        Damage::Answer { key } => format!("the answer `{key}` is damaged; it will not be used\n"),
        Damage::File { message } => format!("the file is damaged: {message}\n"),
    }
}

fn since_1970(nanoseconds: i64) -> Duration {
    Duration::from_nanos(nanoseconds.max(0).unsigned_abs())
}

fn now() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}
