//! What a question costs in large files: four times as much in a file of four times the length, and not sixteen times.

use std::time::{Duration, Instant};

use crate::fixture::fixture;

/// Functions with a mistake of syntax in each, which all name the first.
fn broken(count: usize) -> String {
    let function = |it| format!("fn f{it}() -> int {{\n  let a = = f0()\n  a\n}}\n");
    (0..count).map(function).collect()
}

/// The least time in which all places are found that name the first of so many functions.
fn time(count: usize) -> Duration {
    let it = fixture(&broken(count));
    let ask = || {
        let begun = Instant::now();
        let found = gsw_ide::references(&it.db, it.file, 3);
        assert_eq!(found.len(), count + 1);
        begun.elapsed()
    };
    // What inference finds out is kept.
    ask();
    (0..3).map(|_| ask()).min().unwrap_or_default()
}

#[test]
fn names_in_many_mistakes_of_syntax() {
    let (once, fourfold) = (time(600), time(2400));
    assert!(fourfold < once * 6, "{once:?} becomes {fourfold:?}");
}
