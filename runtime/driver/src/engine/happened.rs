//! What happened in a stored run, found by replaying it in memory: its input, its events, and all its operations with their
//! outcomes.

use std::collections::BTreeMap;

use gsw_engine::operation::{OperationId, Outcome, Request};
use gsw_engine::run::{Hiding, RunResult};
use gsw_journal::list::Info;
use gsw_tree::event::Event;
use gsw_tree::node::NodeId;
use serde_json::{Map, Value};

use crate::durable::resume::{Brought, Past, bring_back_seen};
use crate::engine::resuming::{NotResumed, Read};
use crate::engine::runs::Runs;
use crate::engine::standing::Heard;
use crate::turn_threads::TurnThreads;

/// A run of a store and what happened in it.
#[derive(Debug)]
pub struct Happened {
    pub info: Info,
    /// The arguments of its workflow by name.
    pub input: Map<String, Value>,
    pub events: Vec<Event>,
    /// What has an outcome, in order of request.
    pub performed: Vec<Performed>,
    pub came: Came,
    /// What of all this is not to be shown.
    pub hiding: Hiding,
}

/// How a run ended.
#[derive(Debug)]
pub enum Came {
    Ended(RunResult),
    /// It waits for something, or was interrupted.
    Open,
    /// The program asks for something else; what is recorded, and what is asked for.
    Diverged(String),
}

/// An operation with its outcome.
#[derive(Debug)]
pub struct Performed {
    /// The node that asked for it.
    pub node: NodeId,
    pub request: Request,
    pub outcome: Outcome,
}

impl Runs {
    /// Brings a run back in memory alone, and reports what happened in it.
    pub(super) fn happened(&self, id: &str) -> Result<Happened, NotResumed> {
        let store = self.store().ok_or(NotResumed::NoStore)?.existing()?;
        let info = store.find(id)?;
        let read = Read::of(&store, &info.id, store.records(&info.id)?)?;
        let input = read.beginning.entered.input().clone();
        let entry = self.entry(&info, read.beginning.entered)?;
        let heard = Heard::default();
        let mut run = self.bare_run(read.beginning.start, Box::new(heard.clone()));
        let past = read.past;
        let mut outcomes: BTreeMap<OperationId, Outcome> = past
            .iter()
            .filter_map(|it| match it {
                Past::Outcome { of, noted, .. } => {
                    Some((OperationId(of.operation), noted.clone().outcome()?))
                }
                Past::Intent { .. }
                | Past::NotDone(_)
                | Past::Cancel { .. }
                | Past::Interrupt(_)
                | Past::Resumed { .. }
                | Past::Undo { .. }
                | Past::Forked => None,
            })
            .collect();
        let went = TurnThreads::shared().wait_for(move || {
            let mut performed = Vec::new();
            entry.begin(&mut run);
            let brought = bring_back_seen(&mut run, past, &mut |_, operation| {
                if let Some(outcome) = outcomes.remove(&operation.id) {
                    performed.push(Performed {
                        node: operation.node,
                        request: operation.request.clone(),
                        outcome,
                    });
                }
            });
            (brought, performed, run.hiding())
        });
        let (brought, performed, hiding) = went.ok_or_else(|| NotResumed::Unreadable {
            id: info.id.clone(),
            why: "bringing it back failed".into(),
        })?;
        Ok(Happened {
            info,
            input,
            events: heard.events(),
            performed,
            hiding,
            came: match brought {
                Ok(Brought::Ended(finished)) => Came::Ended(finished.result),
                Ok(Brought::Waits { .. }) => Came::Open,
                Err(why) => Came::Diverged(why),
            },
        })
    }
}
