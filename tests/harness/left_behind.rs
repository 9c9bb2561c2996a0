//! Counts what a program holds after each way of leaving a node: no child process and no connection may be left.

use std::net::TcpListener;

use crate::program::{gswc, text};
use crate::wire::program;

const SOURCE: &str = r#"
import std/exec
import std/http

/// The processes that this one has started and that live; the shell that counts is one of them.
fn children() -> int { counted("cat /proc/$PPID/task/*/children | wc -w") - 1 }

/// The connections that it has open.
fn sockets() -> int { counted("ls -l /proc/$PPID/fd | grep -c socket: || true") }

fn counted(command: string) -> int {
  exec.run(["sh", "-c", command]).stdout.trim().parse_int() ?? -1
}

/// What is left; what was killed has some time to be gone, far less than it would have gone on.
fn settled(before: int) -> (int, int) {
  for _ in 0..100 {
    if children() == 0 and sockets() == before { return (0, 0) }
    sleep(50ms)
  }
  (children(), sockets() - before)
}

/// Starts what would go on for a minute, and waits until it does.
fn busy(url: string) {
  spawn { exec.run(["sleep", "60"]) }
  spawn { http.get(url) }
  spawn { parallel for n in 0..3 { exec.run(["sleep", "6${n}"]) } }
  spawn { step "inner" retry 3 { sleep(1m); http.get(url) } }
  sleep(150ms)
}

workflow child(url: string) -> int {
  busy(url)
  fail Failed("child")
}

fn returns(url: string) -> int {
  step "return" {
    busy(url)
    if url.len() > 0 { return 1 }
    2
  }
}

fn leave(way: string, url: string) {
  match way {
    "error" => { step "error" { busy(url); fail Failed("left") } }
    "return" => { returns(url) }
    "break" => for _ in 0..3 { step "break" { busy(url); break } }
    "timeout" => { timeout 300ms { busy(url); sleep(1m) } }
    "budget" => { budget(time: 300ms) { busy(url); sleep(1m) } }
    "retry" => { step "retry" retry 1 backoff 1ms { busy(url); fail Failed("left") } }
    "cancel" => {
      let task = spawn { busy(url); sleep(1m) }
      sleep(300ms)
      task.cancel()
      await task
    }
    "race" => { race [spawn { busy(url); sleep(1m) }, spawn { sleep(300ms) }] }
    "parallel" => { parallel for n in 0..2 { busy(url); if n == 1 { fail Failed("left") } } }
    "workflow" => { child(url) }
    "fault" => { step "fault" { busy(url); let xs: [int] = []; xs[1] } }
    _ => fail Failed("no way")
  }
}

workflow main(url: string) -> {string: (int, int)} {
  let ways = [
    "error", "return", "break", "timeout", "budget", "retry", "cancel", "race", "parallel", "workflow", "fault",
  ]
  // There is no listener; what the network needs once is there afterwards.
  http.get("http://127.0.0.1:9/").body catch { _ => "" }
  let before = sockets()
  var left: {string: (int, int)} = {}
  var held = (0, 0)
  step "during" {
    busy(url)
    held = (children(), sockets() - before)
    fail Failed("left")
  } catch { Failed(_) => () }
  left = left.insert("during", held)
  for way in ways {
    leave(way, url) catch { _ => () }
    left = left.insert(way, settled(before))
  }
  left
}
"#;

#[test]
fn nothing_is_left_behind_by_any_way_of_leaving_a_node() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let url = format!("http://{}", listener.local_addr().expect("it is bound"));
    // Takes every connection, and never answers.
    std::thread::spawn(move || {
        let mut held = Vec::new();
        while let Ok(connection) = listener.accept() {
            held.push(connection);
        }
    });
    let file = program("left_behind", SOURCE);
    let said = gswc(&["run", text(&file), "--", "--quiet", "--url", &url]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let left: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(&said.out).expect("the result is JSON");
    assert_eq!(left.len(), 12, "{left:?}");
    // What is counted is there as long as the node is.
    let held = &left["during"];
    assert!(
        held[0].as_u64() >= Some(4) && held[1].as_u64() >= Some(1),
        "{held}"
    );
    for (way, counts) in left.iter().filter(|it| it.0 != "during") {
        assert_eq!(*counts, serde_json::json!([0, 0]), "{way}");
    }
}
