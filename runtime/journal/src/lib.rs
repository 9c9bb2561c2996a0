//! The records of runs, from which one resumes after its process is gone.
//!
//! A run is a function of its beginning and of what was brought to it, in order. So a journal holds these and nothing else: no
//! values, no frames, no steps. Each record carries the digest of the one before it, which makes a list that cannot be changed
//! in the middle unnoticed. It knows no language, no operation and no outcome: what a record is about is bytes to it, and the
//! identity of an operation is a digest.
//!
//! One thread a store writes, in groups ([`writer`]). Only the process whose epoch a run has may write to it (`owner`);
//! every write names its run and epoch, so a process that slept while another took the run over writes nothing any more.
//!
//! ```text
//! facts               which store this is, and how many rows of a kind it has
//! runs ──< records    run, number, body, digest over (digest before, number, body)
//!      ──< blob_uses >── blobs    outcomes above 4 KiB, by their digest, shared by runs
//!      ──< questions  what a run asks, and what was answered; early: answers before their question
//!      ──< cancellations  requests that it end
//! owners              the processes that carry runs, and when they expire
//! ```
//!
//! A store is on a disk that others can reach: it may be torn, damaged, copied, locked, somewhere else. What is read is what
//! was written, or an error says what is wrong ([`verify`], `row`, [`wal`], `file`).

#![warn(clippy::wildcard_enum_match_arm)]

mod answering;
pub mod cancellation;
mod chain;
pub mod clock;
pub mod diff;
pub mod error;
pub mod export;
mod file;
mod fork;
pub mod list;
pub mod open_file;
pub mod owner;
pub mod questions;
pub mod record;
pub mod recording;
pub mod retention;
mod row;
pub mod schema;
pub mod seal;
mod sealed;
pub mod status;
pub mod store;
pub mod verify;
pub mod wal;
pub mod writer;
