//! Ctrl-c ends any run with its `defer`s, whatever it computes; a second one ends what they wait for as well.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::killed::{Kept, await_text};
use crate::program::{GSWC, Said, scratch, text};

/// No run takes so long to end, however busy the machine is: most take milliseconds. One that does hangs.
const HANGS: Duration = Duration::from_secs(300);

/// What computes for longer than anybody waits.
const COMPUTING: &[(&str, &str)] = &[
    ("a loop", "var x = 0\n  while x >= 0 { x = (x + 1) % 1000 }"),
    (
        "loops in parallel",
        "let r = parallel for i in 0..4 { forever(i) }",
    ),
    (
        "tasks",
        "let a = spawn waiting(1)\n  let b = spawn waiting(2)\n  let _ = await a + await b",
    ),
    (
        "tasks that nobody awaits yet",
        "let a = spawn waiting(1)\n  let b = forever(2)\n  let _ = await a + b",
    ),
    ("nested calls", "let _ = ways(60)"),
    (
        "a long call of the library",
        "for _i in 0..1_000_000 { let _ = \"b a \".repeat(500_000).split(\" \").sort() }",
    ),
    (
        "a full inbox",
        "let r = parallel for i in 0..4_000 { work(i) }",
    ),
    (
        "a check of what is decoded",
        "let r = (json.parse(\"{\\\"n\\\":1}\") as Checked).n catch { DecodeError(..) => 7 }\n  log.info(\"went on ${r}\")",
    ),
    (
        "a default of what is decoded",
        "let r = (json.parse(\"{}\") as? Filled)?.n ?? 7\n  log.info(\"went on ${r}\")",
    ),
    (
        "a check of what a model answers",
        "let r = found(\"x\").n catch { InvalidResponse(..) => 7 }\n  log.info(\"went on ${r}\")",
    ),
    (
        "JSON of many values",
        "let xs = (0..3_000_000).map(x => x)\n  while true { if xs.to_json().items().len() != 3_000_000 { log.info(\"went on\") } }",
    ),
    (
        "a step with modifiers",
        "step \"s\" retry 5 timeout 1h { let _ = forever(1) }",
    ),
];

fn source(body: &str) -> String {
    format!(
        "import std/random
fn forever(i: int) -> int {{ var x = i; while x >= 0 {{ x = (x + 1) % 1000 }}; x }}
type Checked {{ n: int where forever(it) > 0 }}
type Filled {{ n: int = forever(1) }}
agent reader {{ model: \"sim/default\" }}
prompt found(text: string) -> Checked by reader {{ user \"${{text}}\" }}
fn waiting(i: int) -> int {{ sleep(1ms); forever(i) }}
fn ways(n: int) -> int {{ if n < 2 {{ 1 }} else {{ ways(n - 1) + ways(n - 2) }} }}
fn work(i: int) -> int {{ let r = random.int(0, 9); var x = 0; for k in 0..2_000_000 {{ x = (x * 31 + k + r) % 1_000_003 }}; x + i }}
workflow main() -> int {{
  defer {{ log.info(\"cleaned up\"); DEFER }}
  log.info(\"ready\")
  {body}
  1
}}
"
    )
}

fn start(name: &str, source: &str) -> Child {
    let file = scratch("stopping").join(format!("{}.gsw", name.replace(' ', "_")));
    std::fs::write(&file, source).expect("the target folder can be written");
    let mut child = Command::new(GSWC)
        .args(["run", text(&file)])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the compiler can be started");
    // Its own first line, before which signals are listened for; warnings of the compiler come earlier. Byte by byte, so that
    // what follows is left for the end.
    let stderr = child.stderr.as_mut().expect("it is piped");
    let mut said = Vec::new();
    let mut byte = [0];
    while !(said.ends_with(b"\n") && said.windows(5).any(|it| it == b"ready")) {
        match stderr.read_exact(&mut byte) {
            Ok(()) => said.push(byte[0]),
            Err(_) => panic!("{name}: {}", String::from_utf8_lossy(&said)),
        }
    }
    child
}

fn interrupt(child: &Child) {
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.is_ok_and(|it| it.success()));
}

/// Its output, unless it never ends.
fn end(mut child: Child) -> Option<Said> {
    let begun = Instant::now();
    while child.try_wait().expect("a child can be asked").is_none() {
        if begun.elapsed() > HANGS {
            // It has hung; how it ends is of no matter.
            let _ = child.kill();
            return None;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Some(child.wait_with_output().expect("it has ended").into())
}

#[test]
fn an_interrupt_reaches_code_that_waits_for_nothing() {
    let mut wrong = Vec::new();
    for (name, body) in COMPUTING {
        let child = start(name, &source(body).replace("DEFER", "sleep(1ms)"));
        std::thread::sleep(Duration::from_millis(200));
        interrupt(&child);
        match end(child) {
            Some(said)
                if said.code == Some(130)
                    && said.err.contains("cleaned up")
                    && !said.err.contains("went on") => {}
            other => wrong.push(format!("{name}: {other:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_second_interrupt_ends_what_a_defer_waits_for_or_computes() {
    let mut wrong = Vec::new();
    for defer in ["sleep(1h)", "let _ = forever(1)"] {
        let child = start(defer, &source("sleep(1h)").replace("DEFER", defer));
        interrupt(&child);
        std::thread::sleep(Duration::from_millis(500));
        interrupt(&child);
        match end(child) {
            Some(said) if said.code == Some(130) => {}
            other => wrong.push(format!("{defer}: {other:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// There is no task yet that would unwind.
#[test]
fn an_interrupt_ends_the_reading_of_the_input() {
    let source = "fn forever(i: int) -> int { var x = i; while x >= 0 { x = (x + 1) % 1000 }; x }
workflow main(n: int = do { log.info(\"ready\"); forever(1) }) -> int { n }
";
    let child = start("the input", source);
    interrupt(&child);
    let said = end(child);
    assert!(
        said.as_ref().is_some_and(|it| it.code == Some(130)),
        "{said:?}"
    );
}

/// What it computes is computed again when it is resumed.
#[test]
fn an_interrupted_run_that_is_written_down_is_left_in_the_middle_of_a_loop() {
    let kept = Kept::new(
        "stopping_kept",
        "import std/fs
workflow main(n: int) -> int {
  fs.write(\"begun.txt\", \"x\")
  var x = 0
  while x >= 0 { x = (x + 1) % 1000 }
  n
}
permissions { fs.write: [\".\"] }
",
    );
    let child = kept.start(&["--n", "1"]);
    await_text(&kept.folder.join("begun.txt"), "x");
    interrupt(&child);
    let said = end(child).expect("it ends");
    assert_eq!(said.code, Some(130), "{said:?}");
    assert_eq!(kept.listed()["status"], "interrupted");
}
