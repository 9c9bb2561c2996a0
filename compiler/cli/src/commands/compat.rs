//! `gswc compat`: whether runs of an earlier version can be resumed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use gsw_driver::engine::resuming::image_digest;
use gsw_engine::load::footer;
use gsw_flow::compare::{Class, Compared, Difference, Place, What, compare};
use gsw_service::{Exit, Replayed, Verdict, dry_replay, in_flight, short};
use gsw_trace::measure::counted;
use serde_json::{Value, json};

use crate::report;
use crate::version::{Version, version};

#[derive(clap::Args)]
pub struct Compat {
    /// The earlier version, a `.gsw` file, a project folder, a built program or an image, and the later one. The earlier one
    /// may be omitted with `--runs`: then it is each program that began a run of the store.
    #[arg(value_name = "FILE", num_args = 1..=2, required = true)]
    pub files: Vec<PathBuf>,
    /// Try the runs of this store that have not ended, one by one: nothing is performed, and the answer is exact.
    #[arg(long, value_name = "STORE")]
    pub runs: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Two versions, compared.
struct Pair {
    /// The earlier one.
    old: PathBuf,
    workflows: Vec<Compared>,
}

/// A program that began runs and is another version now, so that there is nothing to compare with.
struct Replaced {
    path: PathBuf,
    runs: usize,
}

/// What is known of the versions.
#[derive(Default)]
struct Versions {
    pairs: Vec<Pair>,
    replaced: Vec<Replaced>,
}

/// Compares versions of a program, and tries the runs of a store.
pub fn compat(arguments: &Compat) -> Exit {
    match compared(arguments) {
        Ok(exit) => exit,
        // That a version is wrong says nothing of runs.
        Err(exit) => match exit {
            Exit::Raised => Exit::Usage,
            Exit::Done
            | Exit::Usage
            | Exit::Denied
            | Exit::Refused
            | Exit::Parked
            | Exit::Internal
            | Exit::HungUp
            | Exit::Cancelled => exit,
        },
    }
}

fn compared(arguments: &Compat) -> Result<Exit, Exit> {
    let (old, new) = match &arguments.files[..] {
        [old, new] => (Some(old), new),
        [new] if arguments.runs.is_some() => (None, new),
        _ => {
            let message =
                "give the earlier and the later version, or `--runs STORE` and the later one";
            return Err(report::usage(&message));
        }
    };
    let new = version(new)?;
    let unreadable = |why: String| report::failure(&why);
    let versions = match (old, &arguments.runs) {
        (Some(old), _) => Versions {
            pairs: vec![pair(old, &version(old)?, &new)],
            replaced: Vec::new(),
        },
        (None, Some(store)) => {
            let began = programs(store).map_err(unreadable)?;
            beginners(began, &arguments.files[0], &new)?
        }
        (None, None) => Versions::default(),
    };
    let runs = match &arguments.runs {
        Some(store) => Some(dry_replay(new.loaded, store).map_err(unreadable)?),
        None => None,
    };
    let shown = match arguments.json {
        true => report::output_value(&as_json(&versions, runs.as_deref())),
        false => report::output(&as_text(&versions, runs.as_deref())),
    };
    Ok(match (shown, &runs) {
        (Exit::Done, Some(runs)) if runs.iter().all(goes_on) => Exit::Done,
        (Exit::Done, Some(_)) => Exit::Raised,
        (Exit::Done, None) => verdict(&versions.pairs),
        (failed, _) => failed,
    })
}

fn pair(path: &Path, old: &Version, new: &Version) -> Pair {
    Pair {
        old: path.to_owned(),
        workflows: compare(&old.module, &new.module),
    }
}

/// The programs that began the runs of a store that have not ended, with the images that these had.
fn programs(store: &Path) -> Result<BTreeMap<PathBuf, Vec<[u8; 32]>>, String> {
    let mut programs: BTreeMap<PathBuf, Vec<[u8; 32]>> = BTreeMap::new();
    for run in in_flight(store)? {
        let images = programs.entry(PathBuf::from(run.program)).or_default();
        images.push(run.image);
    }
    Ok(programs)
}

/// The programs that began runs, compared with a later version that is at `path`: as far as they are still what they were.
fn beginners(
    began: BTreeMap<PathBuf, Vec<[u8; 32]>>,
    path: &Path,
    new: &Version,
) -> Result<Versions, Exit> {
    let mut versions = Versions::default();
    for (program, images) in began {
        // A source may be compiled to another image, by where it is compiled. The file that is to be compared is no earlier
        // version of itself.
        let is_replaced = match footer::sum_of(&program) {
            Ok(Some(sum)) => !images.contains(&sum),
            Ok(None) => {
                is_same_file(&program, path) && !images.contains(&image_digest(&new.loaded))
            }
            // It is gone.
            Err(_) => continue,
        };
        match is_replaced {
            true => versions.replaced.push(Replaced {
                path: program,
                runs: images.len(),
            }),
            false => versions
                .pairs
                .push(pair(&program, &version(&program)?, new)),
        }
    }
    Ok(versions)
}

/// Whether two paths are of one file, or of a project and its entry.
fn is_same_file(program: &Path, path: &Path) -> bool {
    let real = |it: &Path| std::fs::canonicalize(it).ok();
    match (real(program), real(path)) {
        (Some(program), Some(path)) => program == path || program.parent() == Some(&path),
        (Some(_) | None, _) => false,
    }
}

/// Without runs, what may be lost counts.
fn verdict(pairs: &[Pair]) -> Exit {
    let mut workflows = pairs.iter().flat_map(|it| &it.workflows);
    if workflows.any(|it| it.class == Class::Changes) {
        Exit::Raised
    } else {
        Exit::Done
    }
}

const fn goes_on(run: &Replayed) -> bool {
    match run.verdict {
        Verdict::GoesOn => true,
        Verdict::Diverges(_) | Verdict::Unreadable(_) => false,
    }
}

const fn class_name(class: Class) -> &'static str {
    match class {
        Class::Same => "same",
        Class::Adds => "adds",
        Class::Changes => "changes",
    }
}

/// How many runs of a workflow have not ended, where a store was given.
fn counts(runs: Option<&[Replayed]>) -> Option<BTreeMap<&str, usize>> {
    let mut counts = BTreeMap::new();
    for run in runs? {
        *counts.entry(&*run.info.workflow).or_default() += 1;
    }
    Some(counts)
}

fn as_text(versions: &Versions, runs: Option<&[Replayed]>) -> String {
    let Versions { pairs, replaced } = versions;
    let mut text = String::new();
    let counts = counts(runs);
    for Replaced { path, runs } in replaced {
        let _ = writeln!(
            text,
            "`{}` is no longer the version that began {}, so nothing is compared with it",
            path.display(),
            counted(*runs as u64, "run")
        );
    }
    for Pair { old, workflows } in pairs {
        if pairs.len() > 1 {
            let _ = writeln!(text, "{}", old.display());
        }
        for it in workflows {
            let count = counts.as_ref().map(|counts| {
                let count = counts.get(&*it.workflow).copied().unwrap_or(0);
                format!(", {}", counted(count as u64, "run"))
            });
            let _ = writeln!(
                text,
                "workflow {}: {}{}",
                it.workflow,
                class_name(it.class),
                count.unwrap_or_default()
            );
            for difference in &it.differences {
                text.push_str(&difference_text(difference));
            }
        }
    }
    let Some(runs) = runs else { return text };
    for run in runs {
        let info = &run.info;
        let (said, why) = match &run.verdict {
            Verdict::GoesOn => ("goes on", None),
            Verdict::Diverges(why) => ("does not go on", Some(why)),
            Verdict::Unreadable(why) => ("cannot be tried", Some(why)),
        };
        let id = short(&info.id);
        let _ = writeln!(
            text,
            "run {id} of {}, {}: {said}",
            info.workflow,
            info.shown_status().name()
        );
        for line in why.iter().flat_map(|it| it.lines()) {
            let _ = writeln!(text, "  {line}");
        }
    }
    let going = runs.iter().filter(|it| goes_on(it)).count();
    let _ = writeln!(
        text,
        "{} of {} that have not ended go on",
        going,
        counted(runs.len() as u64, "run")
    );
    text
}

fn difference_text(difference: &Difference) -> String {
    let place = |it: &Option<Place>| match it {
        Some(Place { path, line, column }) => format!("{path}:{line}:{column}"),
        None => "–".to_owned(),
    };
    format!(
        "  {}: {}\n    before: {}\n    now:    {}\n",
        class_name(difference.class),
        said(&difference.what),
        place(&difference.old),
        place(&difference.new)
    )
}

fn said(what: &What) -> String {
    match what {
        What::NoWorkflow => {
            "there is no such workflow any more; `@was` keeps its runs when it is renamed".into()
        }
        What::Parameter { name } => {
            format!("the parameter `{name}` is another one, so the old input may not fit")
        }
        What::Wanted { name } => {
            format!("the parameter `{name}` is new and has no default, so the old input lacks it")
        }
        What::Permits { permission } => format!(
            "less of `{permission}` is permitted than was, so what is still to be done may be refused"
        ),
        What::Renamed { kind, old, new } => format!(
            "where {kind} `{old}` was, {kind} `{new}` is; `@was(\"{old}\")` keeps its runs if it is the same"
        ),
        What::Hook { name } => {
            format!("the hook `{name}` does something else, and what has it asks for that")
        }
        What::Asks { operation } => format!("{operation} asks for something else"),
        What::Depends { operation } => {
            format!("what has changed before decides how it goes on here; {operation} comes next")
        }
        What::Goes { old, new } => match (old, new) {
            (Some(old), Some(new)) => format!("{old} came next, now {new} does"),
            (Some(old), None) => format!("{old} came next, now nothing is asked for any more"),
            (None, Some(new)) => format!("nothing was asked for any more, now {new} is"),
            (None, None) => "nothing is asked for any more".to_owned(),
        },
    }
}

fn as_json(Versions { pairs, replaced }: &Versions, runs: Option<&[Replayed]>) -> Value {
    let counts = counts(runs);
    let count = |workflow: &str| {
        let counts = counts.as_ref()?;
        Some(counts.get(workflow).copied().unwrap_or(0))
    };
    let place = |it: &Option<Place>| {
        let it = it.as_ref()?;
        Some(json!({ "path": it.path, "line": it.line, "column": it.column }))
    };
    let difference = |it: &Difference| {
        json!({
            "class": class_name(it.class),
            "what": said(&it.what),
            "old": place(&it.old),
            "new": place(&it.new),
        })
    };
    let workflow = |old: &Path, it: &Compared| {
        json!({
            "old": old.display().to_string(),
            "workflow": it.workflow,
            "class": class_name(it.class),
            "runs": count(&it.workflow),
            "differences": it.differences.iter().map(difference).collect::<Vec<_>>(),
        })
    };
    let workflows: Vec<Value> = pairs
        .iter()
        .flat_map(|pair| pair.workflows.iter().map(|it| workflow(&pair.old, it)))
        .collect();
    let runs = runs.map(|runs| {
        let run = |it: &Replayed| {
            let why = match &it.verdict {
                Verdict::GoesOn => None,
                Verdict::Diverges(why) | Verdict::Unreadable(why) => Some(why),
            };
            json!({
                "id": it.info.id,
                "workflow": it.info.workflow,
                "status": it.info.shown_status().name(),
                "goes_on": goes_on(it),
                "why": why,
            })
        };
        runs.iter().map(run).collect::<Vec<_>>()
    });
    let replaced: Vec<Value> = replaced
        .iter()
        .map(|it| json!({ "program": it.path.display().to_string(), "runs": it.runs }))
        .collect();
    json!({ "workflows": workflows, "replaced": replaced, "runs": runs })
}
