//! The JSON Schema (draft 2020-12) of a type of the table.

mod bound;
mod build;
mod canonical;
mod names;
mod strict;
#[cfg(test)]
mod tests;

pub use build::{SECONDS, input_schema, schema, schema_of_fields, variant_docs};
pub use canonical::{canonical_digest, schema_hash};
pub use strict::{strict, strict_obstacle};
