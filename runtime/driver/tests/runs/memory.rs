//! What waiting tasks cost.

use std::process::Command;

use gsw_abi::builtin::INT;
use gsw_abi::layout::{Context, Frame};
use gsw_driver::scripted::Script;

use crate::program::{Code, SLEEP_THEN_GIVE, done, go_with, release, spawn, value};

const TASKS: u64 = 100_000;

/// Set in the process that holds this test alone.
const ALONE: &str = "GSW_TEST_ALONE";

unsafe extern "C" fn spawns_many(context: *mut Context, frame: *mut Frame) -> u64 {
    for _ in 0..TASKS {
        let handle = spawn(context, 1, 1000);
        release(context, handle);
    }
    done(frame, TASKS)
}

#[test]
fn a_hundred_thousand_tasks_wait_at_once() {
    // What is measured is a process, so nothing else may run in it.
    if std::env::var_os(ALONE).is_none() {
        let itself = std::env::current_exe().expect("a test is a program");
        let name = "memory::a_hundred_thousand_tasks_wait_at_once";
        let mut alone = Command::new(itself);
        alone.args(["--exact", name]).env(ALONE, "1");
        let said = alone.output().expect("it starts again");
        assert!(said.status.success(), "{said:?}");
        return;
    }
    let before = resident();
    let (report, _) = go_with(
        &[Code::Resume(spawns_many, 0, 0), SLEEP_THEN_GIVE],
        INT,
        Script::default(),
    );
    let after = resident();
    assert_eq!(value(&report), "100000");
    // The target is 150 MB; the tree is still there, and the scripted driver keeps the operations as well.
    assert!(
        after.saturating_sub(before) < 150 << 20,
        "{} MB",
        (after - before) >> 20
    );
}

/// The most memory that this process has had, in bytes; 0 where the system does not say.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|it| it.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or(0) << 10
}
