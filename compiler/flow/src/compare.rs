//! What a changed program means for runs that an earlier version began: nothing, something more at the end, or something else.
//!
//! **Idea.** A run that is replayed is given its outcomes in order, and each must fit what the program asks for now. So two
//! versions are compared as a run would meet them: both go through their code in lockstep, from the beginning of each workflow,
//! and block by block and call by call the same is paired with the same. Two things can part them:
//!
//! - *a value*: a constant is another one, say. It is followed (it *taints* what is computed of it) and matters only where it
//!   reaches what an operation asks for, the name of a step, or a decision about what comes next.
//! - *the way*: one continues with something that the other one does not have. Code that asks for nothing and cannot raise
//!   is passed over; anything else ends the lockstep there.
//!
//! **The verdict** on a place where they part depends on what the old version could still have asked for from there on: if
//! nothing, no run can have recorded anything beyond it, and what the new version asks for is an addition; if something, a run
//! that has passed the place cannot be resumed.
//!
//! **Invariants.**
//! - It errs on one side: *same* and *adds* are promises, *changes* may be a false alarm. A dry replay is exact.
//! - Names of variables and functions, types' numbers, places in the text and counting of references mean nothing.
//!
//! - What is compared while it is being compared is taken to be the same, and all is compared again until nothing new is
//!   found: so a guess never outlives what it was made for.
//!
//! The code that is compared is Flow before the passes have moved anything; see `walk` for the lockstep, `reach` for what
//! can still be asked for, `running` for the tasks that ask meanwhile, `touched` for what is seen elsewhere, `names` for nodes
//! of one name, `tables` for what prompts, tools, hooks and types say.

mod item;
mod named;
mod names;
mod pairing;
mod permitted;
mod reach;
mod running;
mod tables;
mod touched;
mod walk;

use std::collections::BTreeSet;

use gsw_abi::call::NodeKind;
use gsw_abi::permission::Permission;
use gsw_abi::program::{Program, SpanIndex, Workflow};

use crate::compare::names::SharedNames;
use crate::compare::reach::Side;
use crate::compare::walk::Walk;
use crate::ir::Module;

/// What a difference means for runs of the old version.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// They resume as if nothing had changed.
    Same,
    /// They resume, and ask for more after what they could have recorded.
    Adds,
    /// Those that have passed the place cannot be resumed.
    Changes,
}

/// A workflow of the old version beside that of the new one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compared {
    /// As the old version calls it.
    pub workflow: String,
    pub class: Class,
    pub differences: Vec<Difference>,
}

/// A place where two versions part.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Difference {
    pub class: Class,
    pub what: What,
    pub old: Option<Place>,
    pub new: Option<Place>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum What {
    /// The new version has no such workflow.
    NoWorkflow,
    /// The old input does not fit any more.
    Parameter { name: String },
    /// The old input lacks what has no default.
    Wanted { name: String },
    /// Less of this is permitted than was.
    Permits { permission: Permission },
    /// Something is known by another name.
    Renamed {
        kind: &'static str,
        old: String,
        new: String,
    },
    /// A hook of what asks for something else does something else.
    Hook { name: String },
    /// The same operation asks for something else.
    Asks { operation: String },
    /// What has changed before decides whether this is asked for, or what.
    Depends { operation: String },
    /// Something else comes next; `None` where nothing is asked for any more.
    Goes {
        old: Option<String>,
        new: Option<String>,
    },
}

/// A place in the source of a version.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    pub path: String,
    /// From 1.
    pub line: usize,
    /// In bytes, from 1.
    pub column: usize,
}

/// Compares every workflow that the old version can start.
#[must_use]
pub fn compare(old: &Module, new: &Module) -> Vec<Compared> {
    let names = SharedNames::of(old, new);
    let (old_side, new_side) = (Side::new(old, &names), Side::new(new, &names));
    let workflows = old.program.workflows.iter();
    workflows
        .map(|it| compare_workflow(&old_side, &new_side, it))
        .collect()
}

fn compare_workflow(old: &Side<'_>, new: &Side<'_>, workflow: &Workflow) -> Compared {
    let known_as = |program: &Program, name: &str| identity(program, NodeKind::Workflow, name);
    let name = known_as(&old.module.program, &workflow.name);
    let mut others = new.module.program.workflows.iter();
    let other = others.find(|it| known_as(&new.module.program, &it.name) == name);
    let found = match other {
        None => BTreeSet::from([Difference {
            class: Class::Changes,
            what: What::NoWorkflow,
            old: old.place_of(old.function(workflow.function).span),
            new: None,
        }]),
        Some(other) => Walk::workflow(old, new, workflow, other),
    };
    Compared {
        workflow: workflow.name.clone(),
        class: found.iter().map(|it| it.class).max().unwrap_or(Class::Same),
        differences: found.into_iter().collect(),
    }
}

/// The name by which runs know a node of this kind and name.
fn identity(program: &Program, kind: NodeKind, name: &str) -> String {
    program.lasting_name(kind, name).to_owned()
}

impl Side<'_> {
    fn place_of(&self, span: SpanIndex) -> Option<Place> {
        let program = &self.module.program;
        let span = program.spans.get(span.0 as usize)?;
        let source = program.sources.get(span.source as usize)?;
        let line = source.lines.partition_point(|start| *start <= span.start);
        let start = source.lines.get(line.checked_sub(1)?)?;
        Some(Place {
            path: source.path.clone(),
            line,
            column: (span.start - start) as usize + 1,
        })
    }
}
