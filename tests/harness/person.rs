//! Questions to people: a form on a real terminal, lines on a pipe, and what becomes of a question without an answer.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::program::{GSWC, Said, gswc, run_with_input, scratch, text};
use crate::terminal::Session;

const SOURCE: &str = r#"
enum Colour {
  Red,
  /// Like grass.
  Green
}

/// What is to be done.
enum Verdict {
  /// Send it.
  Ship
  /// Keep it back.
  Hold(
    /// Why not now.
    reason: string,
    days: int = 3,
  )
}

type Address { street: string, number: int? }

/// A decision.
type Decision {
  /// What to do with it.
  verdict: Verdict
  /// From 0 to 1.
  confidence: float where it >= 0.0 and it <= 1.0
  low: int
  high: int where it > self.low
  tags: [string]
  stops: [Address]
  note: string?
  home: Address?
  wait: duration = 90s
  tone: "warm" | "cool" = "warm"
  colour: Colour?
  extra: {string: int} = {}
  text: string
}

type Plan { summary: string, steps: [string] }

human approve(plan: Plan) -> Decision timeout 24h { user "Ship this? ${plan.summary}" }
human sure(what: string) -> bool { user "Sure of ${what}?\u{1b}[2J" }
human name() -> string { user "Who?" }

workflow main() -> Decision {
  step "ask" {
    log.info("about to ask")
    approve(Plan { summary: "the thing", steps: ["a", "b"] })
  }
}

workflow both() -> [bool] {
  let (a, b) = parallel (sure("one"), sure("two"))
  [a, b]
}

workflow pair() -> string {
  let tired = sure("it") catch { Cancelled(why) => fail Failed("no: ${why ?? ""}") }
  "${name()} ${tired}"
}

workflow late() -> string {
  defer { log.warn("cleaned up") }
  let said = timeout 1s { "${sure("anything")}" } catch { Timeout(_) => "nobody came" }
  log.info("meanwhile")
  "${said} ${name()}"
}

type Login { user: string, @secret pin: int where it > 9, @secret words: [string], @secret old: string = "hunter1" }
human soon(what: string) -> bool timeout 300ms { user "Soon ${what}?" }

workflow too_late() -> [bool] {
  let first = soon("one") catch { Timeout(_) => false }
  log.info("between")
  sleep(2s)
  [first, sure("two")]
}
human login() -> Login { user "Which login?" }

workflow signed_in() -> [int] {
  let it = login()
  [it.user.len(), it.pin, it.words.len(), it.old.len()]
}

workflow raced() -> string {
  race [spawn { sleep(700ms); "the clock" }, spawn { "${sure("it")}" }]
}
"#;

/// One text for every test, so they may run side by side.
fn file() -> PathBuf {
    let file = scratch("person").join("asks.gsw");
    if std::fs::read_to_string(&file).ok().as_deref() != Some(SOURCE) {
        let new = scratch("person").join(format!("asks-{:?}", std::thread::current().id()));
        std::fs::write(&new, SOURCE).expect("the target folder can be written");
        std::fs::rename(&new, &file).expect("it has a place");
    }
    file
}

fn start(words: &[&str]) -> Session {
    Session::of(&file(), (50, 100), words, &[])
}

/// Runs a workflow with lines on its standard input.
fn piped(words: &[&str], input: &str) -> Said {
    let file = file();
    let mut all = vec!["run", text(&file)];
    all.extend(words);
    run_with_input(Path::new(GSWC), &all, input)
}

/// Answers prompts one after the other.
fn answer(session: &mut Session, answers: &[(&str, &str)]) {
    for (prompt, keys) in answers {
        session.wait_for_prompt(prompt);
        session.type_in(keys);
    }
}

/// Prompts of the form and what is typed there.
const FIRST: &[(&str, &str)] = &[
    ("verdict (", "3\n"),
    ("verdict (", "hold\n"),
    ("reason (text", "\"\"\"\ntoo\n early\n\"\"\"\n"),
    ("days (a whole number; empty: 3)", "\n"),
    (
        "confidence (a number, it >= 0.0 and it <= 1.0) — From 0 to 1:",
        "much\n",
    ),
    ("confidence (", "1.5\n"),
    ("low (a whole number)", "5\n"),
    ("high (a whole number, it > self.low)", "5\n"),
    ("tags 1 (text", "a\n"),
    ("tags 2 (text", "\n"),
    ("stops 1 (fill it in? y/n; empty: no more)", "y\n"),
    ("street (text", "Elm\n"),
    ("number (a whole number; empty: none)", "7\n"),
    ("stops 2", "\n"),
    (
        "note (text; \"\"\" begins and ends several lines; empty: none)",
        "\n",
    ),
    ("home (fill it in? y/n; empty: none)", "\n"),
    ("wait (such as 1m30s; empty: 90", "2m\n"),
    ("tone (1-2 or a name; empty: \"warm\")", "1\n"),
    ("colour (1-2 or a name; empty: none)", "Green\n"),
    ("extra (JSON; empty: {})", "{\"x\": 1}\n"),
    ("text (text", "\u{1b}[A\n"),
    ("text (text", "plain\n"),
    // Only what does not fit is asked again.
    ("confidence (", "0.5\n"),
];

/// The labels when all may be corrected.
const AGAIN: &[(&str, &str)] = &[
    ("verdict (", "\n"),
    (
        "confidence (a number, it >= 0.0 and it <= 1.0; empty: 0.5)",
        "\n",
    ),
    ("low (a whole number; empty: 5)", "4\n"),
    ("high (", "5\n"),
    ("tags (fill it in? y/n; empty: [\"a\"])", "\n"),
    ("stops (", "\n"),
    ("note (", "\n"),
    ("home (", "\n"),
    ("wait (", "\n"),
    ("tone (", "\n"),
    ("colour (", "\n"),
    ("extra (", "\n"),
    ("text (", "\n"),
];

#[test]
fn a_form_follows_the_type_field_by_field() {
    let mut session = start(&[]);
    session.wait_for_prompt("verdict (1-2 or a name) — What to do with it:");
    let shown = session.shown();
    assert!(
        shown.starts_with("info: about to ask\n? approve\n"),
        "{shown}"
    );
    assert!(shown.contains("Ship this? the thing"), "{shown}");
    assert!(
        shown.contains("  1) Ship — Send it.\n  2) Hold — Keep it back."),
        "{shown}"
    );
    assert!(!shown.contains("main"), "the tree steps aside:\n{shown}");
    answer(&mut session, FIRST);
    // A check over several fields may be put right in any of them.
    session.wait_for_prompt("verdict (1-2 or a name; empty: {\"kind\":\"Hold\"");
    answer(&mut session, AGAIN);
    assert_eq!(session.finish(), 0);
    let shown = session.shown().replace('\n', "");
    let squeezed: String = shown.split_whitespace().collect();
    let expected = concat!(
        r#"{"verdict":{"kind":"Hold","reason":"too\nearly","days":3},"confidence":0.5,"low":4,"high":5,"#,
        r#""tags":["a"],"stops":[{"street":"Elm","number":7}],"note":null,"home":null,"wait":120,"#,
        r#""tone":"cool","colour":"Green","extra":{"x":1},"text":"plain"}"#
    );
    assert!(squeezed.ends_with(expected), "{shown}");
    assert!(shown.contains("✓ main"), "the tree is back:\n{shown}");
}

#[test]
fn what_a_type_hides_is_not_shown_while_it_is_typed() {
    let mut session = start(&["signed_in"]);
    answer(
        &mut session,
        &[
            ("user (text", "ada\n"),
            ("pin (a whole number, it > 9)", "no-number\n"),
            ("pin (a whole number, it > 9)", "4711\n"),
            ("words 1 (text", "sesame\n"),
            ("words 2 (text", "\n"),
            (
                "old (text; \"\"\" begins and ends several lines; empty: ***)",
                "\n",
            ),
        ],
    );
    assert_eq!(session.finish(), 0);
    let shown = session.shown();
    assert!(shown.contains("[3, 4711, 1, 7]"), "{shown}");
    assert!(shown.contains("ada"), "{shown}");
    assert!(shown.contains("! this does not fit"), "{shown}");
    for hidden in ["no-number", "sesame", "hunter1"] {
        assert!(!shown.contains(hidden), "{hidden}:\n{shown}");
    }
    assert_eq!(
        shown.matches("4711").count(),
        1,
        "the result alone:\n{shown}"
    );
}

#[test]
fn questions_come_one_after_the_other_and_can_be_declined() {
    let mut session = start(&["both"]);
    session.wait_for_prompt("answer (y/n)");
    let shown = session.shown();
    assert!(
        shown.contains("Sure of one?␛[2J") && !shown.contains("Sure of two"),
        "{shown}"
    );
    session.type_in("perhaps\n");
    session.wait_for("! `y` or `n`");
    session.type_in("y\n");
    session.wait_for("Sure of two?");
    session.type_in("No\n");
    assert_eq!(session.finish(), 0);
    assert!(
        session.shown().ends_with("[true, false]"),
        "{}",
        session.shown()
    );
    let mut session = start(&["pair", "--quiet"]);
    session.wait_for_prompt("answer (y/n)");
    session.type_in("\u{4}");
    assert_eq!(session.finish(), 1);
    let shown = session.shown();
    assert!(shown.contains("(declined)\n"), "{shown}");
    assert!(
        shown.contains("error: Failed: no: `sure` was declined"),
        "{shown}"
    );
}

#[test]
fn a_question_ends_with_its_time_a_race_and_the_run() {
    let mut session = start(&["late"]);
    session.wait_for("Sure of anything?");
    session.wait_for("(the question was withdrawn)");
    // The line that was begun for the question before does not count for this one.
    session.wait_for_prompt("answer (text");
    session.type_in("Ada\n");
    assert_eq!(session.finish(), 0);
    let shown = session.shown();
    assert!(shown.ends_with("nobody came Ada"), "{shown}");
    assert!(shown.contains("info: meanwhile\n"), "{shown}");
    let mut session = start(&["raced"]);
    session.wait_for("(the question was withdrawn)");
    assert_eq!(session.finish(), 0);
    assert!(
        session.shown().ends_with("the clock"),
        "{}",
        session.shown()
    );
    let mut session = start(&["late"]);
    session.wait_for("Sure of anything?");
    session.type_in("\u{3}");
    assert_eq!(session.finish(), 130);
    let shown = session.shown();
    assert!(shown.contains("(the question was withdrawn)"), "{shown}");
    assert!(
        shown.contains("warn: cleaned up") && shown.ends_with("cancelled"),
        "{shown}"
    );
}

#[test]
fn lines_of_json_answer_on_a_pipe() {
    let said = piped(&["both"], "1\ntrue\nfalse\n");
    assert_eq!(
        (said.code, said.out.as_str()),
        (Some(0), "[true,false]\n"),
        "{}",
        said.err
    );
    assert!(
        said.err
            .contains("? sure\nSure of one?␛[2J\n! sure: at $: expected bool, found 1\n"),
        "{}",
        said.err
    );
    let said = piped(&["pair", "--", "--quiet"], "true\n\"Ada\"");
    assert_eq!(
        (said.code, said.out.as_str(), said.err.as_str()),
        (Some(0), "\"Ada true\"\n", "")
    );
    let said = piped(&["both"], "true\nmaybe\n");
    assert_eq!((said.code, said.out.as_str()), (Some(1), ""));
    let why = "`sure` asks a person, and nobody answers (the last answer did not fit: at $: expected a JSON value";
    assert!(said.err.contains(why), "{}", said.err);
    // As `yes` writes: a pipe that never says anything else is no person.
    let said = piped(&["both"], &"y\n".repeat(1_000));
    assert_eq!((said.code, said.out.as_str()), (Some(1), ""));
    assert!(
        said.err
            .contains("(20 answers did not fit, the last one: at $"),
        "{}",
        said.err
    );
    let said = gswc(&["run", text(&file()), "both"]);
    assert_eq!((said.code, said.out.as_str()), (Some(1), ""));
    let how = "(standard input is at its end): run it on a terminal, or write one line of JSON for each question to its standard input";
    assert!(said.err.contains(how), "{}", said.err);
}

/// The writer of a line has seen the last question: one that comes between two questions is meant for the first, whose time is
/// over.
#[test]
fn a_line_answers_no_question_that_was_not_asked_when_it_was_written() {
    let mut child = Command::new(GSWC)
        .args(["run", text(&file()), "too_late"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it can be started");
    let mut input = child.stdin.take().expect("it is piped");
    let errors = child.stderr.take().expect("it is piped");
    let mut said = String::new();
    for line in BufReader::new(errors).lines() {
        let line = line.expect("text");
        match line.as_str() {
            "info: between" => input.write_all(b"true\n").expect("it is read"),
            "? sure" => input.write_all(b"false\n").expect("it is read"),
            _ => {}
        }
        said += &line;
    }
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.stdout, b"[false,false]\n", "{said}");
    let dropped = "! no question is open, so this line of standard input is ignored: true";
    assert!(said.contains(dropped), "{said}");
    // Nor does the end of a line that was refused.
    let long = format!("{}true\nfalse\n", " ".repeat(16 << 20));
    let said = piped(&["pair"], &long);
    assert!(said.err.contains("a line is too long"), "{said:?}");
}

/// A process that waits for a person uses no processor, and ends in time although its input stays empty.
#[cfg(target_os = "linux")]
#[test]
fn waiting_takes_no_time_of_the_processor() {
    let mut command = Command::new(GSWC);
    command.args(["run", text(&file()), "pair", "--", "--quiet"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("gswc can be started");
    let used = |id: u32| {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let rest = stat.rsplit(')').next().unwrap_or_default().to_owned();
        let fields: Vec<u64> = rest
            .split_whitespace()
            .filter_map(|it| it.parse().ok())
            .collect();
        // Of all that are numbers, user and system time in ticks of 10 ms.
        fields[10] + fields[11]
    };
    let threads =
        |id: u32| std::fs::read_dir(format!("/proc/{id}/task")).map_or(0, Iterator::count);
    let begun = Instant::now();
    let is_asking = |id: u32| {
        let tasks = std::fs::read_dir(format!("/proc/{id}/task"));
        tasks.is_ok_and(|mut it| {
            it.any(|it| {
                let name = it.map(|it| std::fs::read_to_string(it.path().join("comm")));
                name.is_ok_and(|it| it.is_ok_and(|it| it == "gsw-keys\n"))
            })
        })
    };
    while !is_asking(child.id()) {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "{} threads",
            threads(child.id())
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    let before = used(child.id());
    std::thread::sleep(Duration::from_secs(2));
    let after = used(child.id());
    assert!(after - before <= 3, "{} ticks", after - before);
    let mut pipe = child.stdin.take().expect("its input is a pipe");
    std::io::Write::write_all(&mut pipe, b"true\n\"Ada\"\n").expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "\"Ada true\"\n");
}
