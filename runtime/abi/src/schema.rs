//! The JSON Schema (draft 2020-12) of a type of the table.

mod bound;
mod build;
mod canonical;
mod default;
mod names;
mod strict;
#[cfg(test)]
mod tests;

pub use build::{SECONDS, schema, schema_of_fields, variant_docs};
pub use canonical::{canonical_digest, schema_hash};
pub use default::input_schema;
pub use strict::{strict, strict_obstacle};
