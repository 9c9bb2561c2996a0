//! `gswc trace`: what it says of runs that were written to a file.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::program::{Said, gswc, scratch, text};

/// A run with everything that a tree shows, and a step that fails where it is told to.
const PROGRAM: &str = r#"
agent critic { model: "sim/default" system: "You are strict." }
prompt judge(work: string) -> string by critic { user "Judge ${work}" }
workflow main(fails: bool = false) -> int {
  state judged: int = 0
  let works = step "list \"all\"" { ["a/b", "c", "d"] }
  parallel for work in works {
    step "judge ${work}" {
      let _ = judge(work)
      judged += 1
      log.info("judged ${work}", { "count": judged })
    }
  }
  step "end" retry 1 backoff 1ms {
    if fails { fail Failed("it was told to") }
  }
  judged
}
"#;

/// Runs the program and gives the file of its events.
fn events(name: &str, arguments: &[&str]) -> PathBuf {
    let folder = scratch("trace");
    let (program, file) = (
        folder.join("program.gsw"),
        folder.join(format!("{name}.jsonl")),
    );
    fs::write(&program, PROGRAM).expect("the target folder can be written");
    let mut words = vec![
        "run",
        text(&program),
        "--",
        "--quiet",
        "--events",
        text(&file),
    ];
    words.extend(arguments);
    let said = gswc(&words);
    assert!(matches!(said.code, Some(0 | 1)), "{said:?}");
    file
}

/// The lines that a trace prints, without times.
fn lines(said: &Said) -> Vec<String> {
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
    let is_time = |it: &&str| !it.ends_with(" ms") && !it.ends_with(" µs") && !it.ends_with(" s");
    let plain = |line: &str| {
        line.split(" · ")
            .filter(is_time)
            .collect::<Vec<_>>()
            .join(" · ")
    };
    said.out.lines().map(plain).collect()
}

#[test]
fn a_finished_run_reads_as_it_was() {
    // G14, G15
    let file = events("whole", &[]);
    let said = gswc(&["trace", text(&file)]);
    let all = lines(&said);
    assert_eq!(
        all[0].split(" · ").next(),
        Some("✓ main [completed] workflow"),
        "{}",
        said.out
    );
    assert_eq!(
        all[1], "├── ✓ list \"all\" [completed] step",
        "{}",
        said.out
    );
    assert!(
        all.iter()
            .any(|it| it.starts_with("│   │   └── ✓ judge a/b [completed] step")),
        "{}",
        said.out
    );
    assert!(
        all.last().is_some_and(|it| it.contains("3 requests")),
        "{}",
        said.out
    );
    let logs = gswc(&["trace", text(&file), "--logs"]);
    assert_eq!(logs.out.lines().count(), 3, "{}", logs.out);
    assert!(
        logs.out.contains("info  judge a/b: judged a/b {\"count\":"),
        "{}",
        logs.out
    );
}

#[test]
fn one_node_is_found_by_path_and_number() {
    let file = events("node", &[]);
    let path = "main > parallel > item[0] > judge a/b > judge";
    let said = gswc(&["trace", text(&file), "--node", path]);
    for part in [
        "main > parallel > item[0] > judge a/b > judge [completed] prompt",
        "\"work\": \"a/b\"",
        "You are strict.",
        "Judge a/b",
        "simulated: Judge a/b",
    ] {
        assert!(said.out.contains(part), "{part:?} is not in {}", said.out);
    }
    let json = gswc(&["trace", text(&file), "--node", path, "--json"]);
    let node: Value = serde_json::from_str(&json.out).expect("it is JSON");
    assert_eq!(
        (&node["path"], &node["status"]),
        (&path.into(), &"completed".into())
    );
    let number = node["id"].to_string();
    assert_eq!(
        gswc(&["trace", text(&file), "--node", &number]).out,
        said.out
    );
    let nobody = gswc(&["trace", text(&file), "--node", "main > nobody"]);
    assert_eq!(
        (nobody.code, nobody.err.as_str()),
        (Some(1), "gswc: there is no node `main > nobody`\n")
    );
}

#[test]
fn nodes_are_filtered() {
    let file = events("filter", &["--fails"]);
    let found = |words: &[&str]| {
        let mut all = vec!["trace", text(&file)];
        all.extend(words);
        gswc(&all)
            .out
            .lines()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(found(&["--kind", "prompt"]).len(), 3);
    assert_eq!(found(&["--status", "failed", "--kind", "step"]).len(), 1);
    assert!(found(&["--status", "failed", "--kind", "step"])[0].contains("2 attempts"));
    assert_eq!(found(&["--name", "JUDGE", "--kind", "step"]).len(), 3);
    assert_eq!(found(&["--longer", "1h"]).len(), 0);
    assert_eq!(found(&["--costlier", "0", "--kind", "prompt"]).len(), 3);
    assert_eq!(
        gswc(&["trace", text(&file), "--longer", "soon"]).code,
        Some(2)
    );
}

#[test]
fn two_runs_are_compared_by_what_their_nodes_are() {
    let (before, after) = (events("before", &[]), events("after", &["--fails"]));
    let said = gswc(&["trace", text(&before), "--diff", text(&after)]);
    for part in [
        "~ main > end\n    status    completed → failed",
        "+ main > end > attempt 2",
        "→ Failed: it was told to",
    ] {
        assert!(said.out.contains(part), "{part:?} is not in {}", said.out);
    }
    let same = gswc(&["trace", text(&before), "--diff", text(&before), "--json"]);
    let same: Value = serde_json::from_str(&same.out).expect("it is JSON");
    assert_eq!(same["runs"][0]["changed"], serde_json::json!([]));
}

#[test]
fn what_a_file_lacks_is_said() {
    let file = events("cut", &[]);
    let whole = fs::read(&file).expect("it was written");
    let cut = scratch("trace").join("cut_short.jsonl");
    fs::write(&cut, &whole[..whole.len() - 40]).expect("the target folder can be written");
    let said = gswc(&["trace", text(&cut)]);
    assert_eq!(said.code, Some(0));
    assert!(
        said.err.contains("the file ends in the middle of an event"),
        "{}",
        said.err
    );
    assert!(said.out.contains("main ["), "{}", said.out);
    for (name, content, why) in [
        ("empty", "", "the file is empty"),
        (
            "foreign",
            "<html></html>\n",
            "this is not a file of events; write one with `--events FILE`",
        ),
    ] {
        let file = scratch("trace").join(name);
        fs::write(&file, content).expect("the target folder can be written");
        let said = gswc(&["trace", text(&file)]);
        let wanted = format!("gswc: {}: {why}\n", file.display());
        assert_eq!((said.code, said.err), (Some(1), wanted));
    }
    assert_eq!(gswc(&["trace", "/nowhere/at.all"]).code, Some(1));
}
