//! Cassettes: what models were asked and what they answered, in a file that replaces them afterwards.
//!
//! A line is a request with what happened to it ([`record`]). A request is found by its content alone, so a program may be
//! moved, reformatted and reordered, and a file may be edited by hand. Requests that are equal get their answers in the order
//! in which they were made. Where several tests share a file each begins anew, and takes the records of its own name where
//! there are any: so no test's answers depend on what others run beside it.
//!
//! What `@secret` hides is gone before a record comes here (`gsw_engine::exchange`); keys of providers and secrets that the run has
//! looked up are taken out here, in whatever text a provider or a tool has repeated them.

mod file;
mod nearest;
mod playing;
mod record;
mod recording;
mod scrub;

pub use file::Cassette;
pub use playing::Playing;
pub use record::Record;
pub use recording::Recording;
