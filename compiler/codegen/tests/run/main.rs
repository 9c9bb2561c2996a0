//! Compiles small modules of Flow IR, written by hand, and runs them against a runtime made for these tests.

mod arithmetic;
mod calls;
mod counting;
mod engine;
mod images;
mod machine;
mod module;
mod waiting;
