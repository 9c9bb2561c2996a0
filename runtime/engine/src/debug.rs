//! The debugger that follows a run point by point, and what it can see: only programs that are compiled for a debugger have
//! points.
//!
//! The run is paused while a debugger looks: what follows a point happens after [`Debugger::at`] has returned. The points of a run
//! are numbered, and a run that is given the same outcomes comes to the same points, so a number names a moment in any replay.

use gsw_abi::call::NodeKind;

use crate::event::TracePlace;
use crate::run::Run;

pub use crate::run::debugging::recording::{Given, Recording, Replayed};

/// Follows the runs of a program.
pub trait Debugger: Send + Sync + std::fmt::Debug {
    /// A run has come to a point; it continues when this returns. It is called on the thread of the run.
    fn at(&self, run: &Run, point: &Point<'_>);
}

/// A moment of a run.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    /// From 1.
    pub number: u64,
    /// The task that has come there.
    pub task: u32,
    /// How many functions that task is in.
    pub depth: usize,
    pub what: What<'a>,
}

/// What happens at a point.
#[derive(Clone, Copy, Debug)]
pub enum What<'a> {
    /// A statement is about to be executed.
    Statement {
        /// Its place, an index into the program's.
        span: u32,
        /// The function, when it is the first statement since that was entered.
        entered: Option<u32>,
    },
    /// A node of the tree has begun.
    Node { kind: NodeKind, name: &'a str },
    /// An error has just been raised.
    Raised { error: &'a str, message: &'a str },
}

/// A task as a debugger shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    pub task: u32,
    /// The name of its node.
    pub name: String,
}

/// A function that a task is in.
#[derive(Clone, PartialEq, Debug)]
pub struct Frame {
    pub function: String,
    /// The statement that it is at, or where it is declared.
    pub place: Option<TracePlace>,
}

/// A name in scope and what it holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    pub name: String,
    /// Its type, as in source.
    pub ty: String,
    /// What it holds, as JSON, without what is secret; `null` where a value has no JSON form, as a function.
    pub json: String,
}
