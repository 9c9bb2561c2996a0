//! Values, their codec and the runtime calls on them, against models that are known to be right.

mod decoding;
mod guard;
mod interrupted;
mod json_text;
mod lists;
mod machine;
mod maps;
mod numbers;
mod random;
mod round_trip;
mod strings;
mod table;

/// Failures are reported with their seed, so no file is kept of them.
fn config() -> proptest::test_runner::Config {
    proptest::test_runner::Config {
        failure_persistence: None,
        ..Default::default()
    }
}
