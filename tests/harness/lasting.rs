//! How long a run takes grows with what it does: what goes over all of it again and again would take minutes here.

use std::time::{Duration, Instant};

use crate::program::{gswc, scratch, text};

/// Each takes some two seconds in a build for tests, and took more than this when it grew with the square.
const MOST: Duration = Duration::from_secs(15);

const SOURCE: &str = r#"
/// Each awaits the one before it.
workflow chain(n: int) -> int {
  var last = spawn { sleep(10ms); 0 }
  for _ in 0..n {
    let before = last
    last = spawn { (await before) + 1 }
  }
  await last
}

/// All await one.
workflow same(n: int) -> int {
  let one = spawn { sleep(10ms); 1 }
  var all: [Task<int>] = []
  for _ in 0..n { all += [spawn { (await [one])[0] }] }
  (await all).sum()
}

/// A chain that no task ever ends.
workflow stuck(n: int) -> int {
  let q: Queue<int> = queue(limit: 1)
  var last = spawn { q.pop() ?? 0 }
  for _ in 0..n {
    let before = last
    last = spawn { (await before) + 1 }
  }
  (await last) catch { _ => n }
}

workflow group(n: int) -> int { (0..n).group_by(_ => "all").get("all")?.len() ?? 0 }
"#;

fn lasts(workflow: &str, count: u64) {
    let file = scratch("lasting").join(format!("{workflow}.gsw"));
    std::fs::write(&file, SOURCE).expect("the target folder can be written");
    let begun = Instant::now();
    let number = count.to_string();
    let said = gswc(&[
        "run",
        text(&file),
        workflow,
        "--",
        "--n",
        &number,
        "--quiet",
    ]);
    assert_eq!(
        (said.code, said.out),
        (Some(0), format!("{count}\n")),
        "{}",
        said.err
    );
    let took = begun.elapsed();
    assert!(took < MOST, "{workflow} of {count} took {took:?}");
}

#[test]
fn tasks_that_await_one_after_the_other() {
    lasts("chain", 100_000);
}

#[test]
fn tasks_that_await_one_and_the_same() {
    lasts("same", 200_000);
}

#[test]
fn tasks_that_are_stuck_one_after_the_other() {
    lasts("stuck", 100_000);
}

#[test]
fn elements_of_one_group() {
    lasts("group", 100_000);
}
