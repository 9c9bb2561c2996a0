//! Forks: another run with the past of one that is kept, up to where a node of it began.
//!
//! The source is only read. The fork has an id of its own, so whatever it asks the outside for has other keys, and the runs that
//! its source had started are not its own to end.

use std::sync::Arc;

use gsw_journal::clock;
use gsw_journal::record::{Blob, Payload, Record};
use gsw_journal::store::{NewRun, Store};
use gsw_notation::issue::Issue;
use gsw_tree::event::{Event, EventKind};
use serde_json::{Map, Value};

use crate::durable::beginning::{self, Entered};
use crate::durable::resume::bring_back_until;
use crate::durable::secrecy::sealed_all;
use crate::engine::resuming::{NotResumed, Read, image_digest};
use crate::engine::runs::{Runs, new_id};
use crate::engine::standing::Heard;
use crate::turn_threads::TurnThreads;

/// Why a run is not forked.
#[derive(Debug)]
pub enum NotForked {
    Run(NotResumed),
    /// The program asks for something else than what is recorded, or would with the new input.
    Diverged {
        id: String,
        why: String,
    },
    NoNode {
        id: String,
        node: String,
    },
    /// The workflow has no such parameter.
    NoParameter {
        name: String,
    },
    /// The new input does not fit the parameters.
    Unfit {
        issues: Vec<Issue>,
    },
}

impl std::error::Error for NotForked {}

impl std::fmt::Display for NotForked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Run(error) => error.fmt(f),
            Self::Diverged { id, why } => write!(
                f,
                "run `{id}` cannot be forked there: up to that node it would ask for something else: {why}"
            ),
            Self::NoNode { id, node } => write!(
                f,
                "run `{id}` has no node `{node}`: `runs show` draws those that it has"
            ),
            Self::NoParameter { name } => {
                write!(f, "the workflow of the run has no parameter `{name}`")
            }
            Self::Unfit { issues } => {
                f.write_str("the new input does not fit")?;
                for issue in issues {
                    write!(f, "; {}", issue.message)?;
                }
                Ok(())
            }
        }
    }
}

impl<E: Into<NotResumed>> From<E> for NotForked {
    fn from(error: E) -> Self {
        Self::Run(error.into())
    }
}

impl Runs {
    /// Makes another run of the past of one, up to where `node` began; `set` changes its input. Returns the id of the new run,
    /// which no process runs yet.
    pub(super) fn fork(
        &self,
        id: &str,
        node: &str,
        set: Map<String, Value>,
    ) -> Result<Arc<str>, NotForked> {
        let at = self.store().ok_or(NotResumed::NoStore)?;
        let store = at.existing()?;
        let info = store.find(id)?;
        let records = store.records(&info.id)?;
        let mut read = Read::of(&store, &info.id, records.clone())?;
        self.change(&mut read.beginning.entered, set)?;
        let (mut start, entered) = (read.beginning.start.clone(), read.beginning.entered.clone());
        let kept = self.records_before(&info, read, node)?;
        start.id = new_id();
        // The parent of the source does not wait for the fork.
        start.parent = None;
        let image = image_digest(&self.loaded);
        let new = NewRun {
            id: &start.id,
            workflow: entered.workflow(),
            image,
            program: &info.program,
            input: at.input_digest(entered.input()),
            begun: start.now,
        };
        let mut all = beginning::records(&start, &entered, image, kept);
        if store.is_sealed(&records)? {
            all = sealed_all(&store, all)?;
        }
        let past = records.into_iter().filter(is_past).take(kept);
        for record in past {
            let blob = blob_of(&store, &info.id, &record)?;
            all.push((record, blob));
        }
        let journal = store.fork_with(&info.id, &new, |_| Ok(all))?;
        journal.released()?;
        Ok(start.id)
    }

    /// Changes parameters of a run's input.
    fn change(&self, entered: &mut Entered, set: Map<String, Value>) -> Result<(), NotForked> {
        let workflows = &self.loaded.program.workflows;
        let workflow = workflows.iter().find(|it| it.name == entered.workflow());
        let is_changed = !set.is_empty();
        for (name, value) in set {
            let parameters = workflow
                .map(|it| it.parameters.as_slice())
                .unwrap_or_default();
            if !parameters.iter().any(|it| it.name == name) {
                return Err(NotForked::NoParameter { name });
            }
            match entered {
                Entered::Workflow { input, .. } => input.insert(name, value),
                Entered::Detached(start) => start.input.insert(name, value),
            };
        }
        // Before it is replayed: what does not fit makes another run of it, and the replay would say only that.
        match workflows
            .iter()
            .position(|it| it.name == entered.workflow())
        {
            Some(workflow) if is_changed => self.check_input(workflow, entered.input()),
            Some(_) | None => Ok(()),
        }
    }

    fn check_input(&self, workflow: usize, input: &Map<String, Value>) -> Result<(), NotForked> {
        let mut run = self.unbegun_run(clock::now());
        let input = input.clone();
        // A check of a type is compiled code, which wants a deep stack.
        let issues = TurnThreads::shared().wait_for(move || run.unfit_input(workflow, &input));
        match issues.unwrap_or_default() {
            issues if issues.is_empty() => Ok(()),
            issues => Err(NotForked::Unfit { issues }),
        }
    }

    /// How many records of the past the run had been given when a node began.
    fn records_before(
        &self,
        info: &gsw_journal::list::Info,
        read: Read,
        node: &str,
    ) -> Result<usize, NotForked> {
        let entry = self.entry(info, read.beginning.entered)?;
        let heard = Heard::default();
        let mut run = self.bare_run(read.beginning.start, Box::new(heard.clone()));
        let (past, wanted) = (read.past, node.to_owned());
        let found = TurnThreads::shared().wait_for(move || {
            let mut found = None;
            entry.begin(&mut run);
            let brought = bring_back_until(&mut run, past, |given| {
                if heard.events().iter().any(|it| begins(it, &wanted)) {
                    found = Some(given);
                }
                found.is_some()
            });
            brought.map(|_| found)
        });
        let id = || info.id.clone();
        match found {
            Some(Ok(Some(count))) => Ok(count),
            Some(Ok(None)) => Err(NotForked::NoNode {
                id: id(),
                node: node.to_owned(),
            }),
            Some(Err(why)) => Err(NotForked::Diverged { id: id(), why }),
            None => Err(NotForked::Run(NotResumed::Unreadable {
                id: id(),
                why: "bringing it back failed".into(),
            })),
        }
    }
}

/// Whether an event says that the node of this name begins; the second of a name is `name#2`.
fn begins(event: &Event, node: &str) -> bool {
    if let EventKind::ChildAttached { name, index, .. } = &event.kind {
        return match index {
            0 => **name == *node,
            index => format!("{name}#{}", index + 1) == node,
        };
    }
    false
}

/// Whether a record holds something that the run received.
fn is_past(record: &Record) -> bool {
    match record {
        Record::Intent { .. }
        | Record::Outcome { .. }
        | Record::Cancel { .. }
        | Record::Interrupt { .. }
        | Record::Resumed { .. }
        | Record::NotDone { .. }
        | Record::Undo { .. } => true,
        Record::Begin { .. } | Record::Build { .. } | Record::End { .. } => false,
    }
}

/// The blob that a record names, for another run.
fn blob_of(
    store: &Store,
    id: &str,
    record: &Record,
) -> Result<Option<Blob>, gsw_journal::store::Error> {
    match record.payload() {
        // As stored, possibly encrypted.
        Some(Payload::Blob(hash)) => {
            let lost = || gsw_journal::store::Error::DamagedEntry(format!("a value of run `{id}`"));
            Ok(Some(Blob::of(store.value(hash)?.ok_or_else(lost)?)))
        }
        Some(Payload::Inline(_)) | None => Ok(None),
    }
}
