//! Holds nothing: its manifest names the features of dependencies that crates of the workspace want together.
//!
//! Cargo unites features among what one command builds. `cargo run` builds `gswc`, `cargo test` everything, and build scripts
//! have a set of their own: with other features of `serde_core` or `libc` nearly every crate is built once for each, which took
//! three minutes on two cores. So `gswc` and `groundswell-build` depend on this crate, and each is built once.
#![warn(clippy::wildcard_enum_match_arm)]
