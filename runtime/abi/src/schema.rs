//! The JSON Schema (draft 2020-12) of a type of the table.
