//! Runs of programs that have secrets: nothing that is kept of them shows one, and without the key they cannot be
//! resumed.

use std::path::Path;

use crate::kept_runs::Kept;

const SECRET: &str = "correct-horse-battery-4711";

const LOGIN: &str = r#"
import std/fs
permissions { fs.write: ["."] fs.read: ["."] }
type Login { user: string, @secret pin: string }
tool log_in(user: string, @secret pin: string) -> Login once {
  fs.write("used.txt", user)
  Login { user: user, pin: pin }
}
tool renew(user: string, @secret pin: string) -> Login once {
  fs.write("pin.txt", pin)
  Login { user: user, pin: fs.read("pin.txt") }
}
human approve(user: string) -> Login { user "Go on as ${user}?" }
workflow main(user: string, @secret pin: string) -> string {
  let login = log_in(user, pin)
  if renew(user, login.pin) != login { return "changed" }
  let approved = approve(login.user)
  fs.write("done.txt", approved.user)
  if approved.pin == pin { "same" } else { "other" }
}
"#;

/// The files of a folder that hold the secret, but for the one that the program has written with it.
fn leaks(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder can be listed");
    let holds = |path: &Path| {
        let bytes = std::fs::read(path).unwrap_or_default();
        bytes
            .windows(SECRET.len())
            .any(|it| it == SECRET.as_bytes())
    };
    let files = entries.map(|it| it.expect("an entry").path());
    let named = files.map(|it| (it.file_name().unwrap_or_default().display().to_string(), it));
    let held = named.filter(|(name, path)| name != "pin.txt" && holds(path));
    held.map(|(name, _)| name).collect()
}

#[test]
fn a_secret_is_in_nothing_that_is_kept_and_its_run_needs_the_key() {
    let kept = Kept::new("sealed");
    kept.build("flow", LOGIN);
    let said = kept.run(
        "flow",
        &["--user", "ada", "--pin", SECRET, "--events", "events.jsonl"],
    );
    assert_eq!(said.code, Some(5), "{said:?}");
    assert!(!said.err.contains(SECRET), "{said:?}");
    assert_eq!(kept.read("pin.txt"), SECRET, "the program itself has it");
    let id = &kept.ids("flow")[0];
    for words in [
        &["show", id.as_str()][..],
        &["diff", id, id],
        &["export", id, "run.jsonl"],
    ] {
        let words = [&["runs"], words].concat();
        for program in ["flow", "gswc"] {
            let said = kept.run(program, &words);
            assert!(
                !(said.out + &said.err).contains(SECRET),
                "{program} {words:?}"
            );
        }
    }
    assert_eq!(leaks(&kept.folder), Vec::<String>::new());
    needs_its_key(&kept, id);
    assert_eq!(leaks(&kept.folder), ["events.jsonl"; 0]);
    // What may be forked is sealed like its source.
    let said = kept.run("flow", &["runs", "fork", id, "approve", "--json"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(leaks(&kept.folder), Vec::<String>::new());
}

const REPEATS: &str = r#"
import std/exec
import std/fs
import std/http
type Login { user: string, @secret pin: string }
human approve(user: string) -> bool { user "Go on as ${user}?" }
workflow main(user: string, @secret pin: string, mode: string) -> Login {
  fs.append("begun.txt", mode)
  if mode == "read" { let _ = fs.read(pin) }
  if mode == "write" { fs.write("plain/${pin}", "x") }
  if mode == "exec" { let _ = exec.run([pin]) }
  if mode == "check" { let _ = exec.check(["sh", "-c", "echo no such pin: $0 >&2; exit 3", pin]) }
  if mode == "http" { let _ = http.get("http://127.0.0.1:1/${pin}") }
  if mode == "status" { let _ = http.HttpResponse { status: 400, headers: {}, body: "no ${pin}" }.ok() }
  if mode == "waits" {
    let _ = exec.run(["true", "with the pin ${pin} and much more behind it"])
    let _ = exec.run(["true", "here and with as much as possible before ${pin}"])
    let _ = approve(user)
  }
  Login { user: user, pin: pin }
}
"#;

/// What an effect fails with names what it was given: a path, a program, an address, what a command has written.
#[test]
fn what_an_effect_fails_with_shows_no_hidden_argument() {
    let kept = Kept::new("sealed-errors");
    kept.build("flow", REPEATS);
    std::fs::write(kept.path("plain"), "").expect("it can be written");
    for mode in ["read", "write", "exec", "check", "http", "status"] {
        let words = ["--user", "ada", "--pin", SECRET, "--mode", mode];
        for more in [&["--events", "events.jsonl"][..], &["--json"]] {
            let said = kept.run("flow", &[&words, more].concat());
            assert_eq!(said.code, Some(1), "{said:?}");
            assert!(
                matches!(mode, "http" | "status") || said.err.contains("***"),
                "{mode}: {said:?}"
            );
            assert!(!(said.out + &said.err).contains(SECRET), "{mode} {more:?}");
        }
        assert_eq!(leaks(&kept.folder), Vec::<String>::new(), "{mode}");
    }
    let ids = kept.ids("flow");
    assert_eq!(ids.len(), 12);
    for id in ids {
        hides(&kept, &id);
    }
}

/// Who asks how a run is has not called it.
#[test]
fn what_is_shown_of_a_run_hides_its_result_and_what_it_has_asked_for() {
    let kept = Kept::new("sealed-shown");
    kept.build("flow", REPEATS);
    let words = |mode| ["--user", "ada", "--pin", SECRET, "--mode", mode];
    let said = kept.run("flow", &words("ends"));
    let result = format!("{{\"user\":\"ada\",\"pin\":\"{SECRET}\"}}\n");
    assert_eq!(said.out, result, "the caller has it");
    let id = kept.ids("flow").remove(0);
    hides(&kept, &id);
    let shown = kept.run("flow", &["runs", "show", &id]);
    let expected = "result: {\"user\":\"ada\",\"pin\":\"***\"}\n";
    assert!(shown.out.ends_with(expected), "{shown:?}");
    // A command that it has asked for, and another one that it asks for now.
    assert_eq!(kept.run("flow", &words("waits")).code, Some(5));
    let mut ids = kept.ids("flow").into_iter();
    let id = ids.find(|it| *it != id).expect("the second run");
    hides(&kept, &id);
    kept.build("flow", &REPEATS.replace("\"true\"", "\"false\""));
    let said = kept.run("flow", &["runs", "resume", &id]);
    assert_eq!(said.code, Some(4), "{said:?}");
    let now = "exec false with the pin *** and much …";
    assert!(said.err.contains(now), "{said:?}");
    assert!(!said.err.contains(&SECRET[..8]), "{said:?}");
    hides(&kept, &id);
}

/// No command that shows a run shows the secret, or its beginning.
fn hides(kept: &Kept, id: &str) {
    for program in ["flow", "gswc"] {
        for more in [&[][..], &["--json"]] {
            let said = kept.run(program, &[&["runs", "show", id], more].concat());
            let all = said.out + &said.err;
            assert!(!all.contains(&SECRET[..8]), "{program} {more:?}: {all}");
        }
    }
}

const PAID: &str = r#"
type Payment { amount: int, @secret card: string }
external payment(card: string) -> Payment by "card:${card}" timeout 2d
workflow main(@secret card: string) -> int { payment(card).amount }
"#;

/// The key of an `external` is made of what a program has, and is where every command looks for it.
#[test]
fn the_key_of_an_external_is_sealed_and_found_all_the_same() {
    let kept = Kept::new("sealed-keys");
    kept.build("flow", PAID);
    let key = format!("card:{SECRET}");
    let answer = format!("{{\"amount\": 5, \"card\": \"{SECRET}\"}}");
    let pay = ["runs", "answer", "--key", &key, "payment", &answer];
    // Before the run: it finds the answer.
    let said = kept.run("flow", &pay);
    assert_eq!(said.code, Some(0), "{said:?}");
    let again = kept.run("flow", &pay);
    assert!(
        again.code == Some(2) && again.err.contains("answered before"),
        "{again:?}"
    );
    assert_eq!(leaks(&kept.folder), Vec::<String>::new());
    let said = kept.run("flow", &["--card", SECRET]);
    assert_eq!((&*said.out, said.code), ("5\n", Some(0)), "{said:?}");
    // After it: the answer finds the run, also without the program.
    for program in ["flow", "gswc"] {
        let said = kept.run("flow", &["--card", SECRET]);
        assert_eq!(said.code, Some(5), "{said:?}");
        let said = kept.run(program, &pay);
        assert_eq!(said.code, Some(0), "{said:?}");
        assert_eq!(leaks(&kept.folder), Vec::<String>::new());
        let said = kept.run("flow", &["--resume", "--card", SECRET]);
        assert_eq!((&*said.out, said.code), ("5\n", Some(0)), "{said:?}");
    }
}

/// Who looks at a run is no one who has started it: of its result they see what events show.
#[test]
fn the_result_of_a_run_is_shown_without_its_secrets() {
    let kept = Kept::new("sealed-results");
    let source = r#"
import std/fs
permissions { fs.write: ["."] }
type Login { user: string, @secret pin: string }
tool log_in(@secret pin: string) -> string once { fs.write("in.txt", "${pin.len()}"); "ada" }
workflow main(@secret pin: string) -> Login { Login { user: log_in(pin), pin: pin } }
"#;
    kept.build("flow", source);
    let said = kept.run("flow", &["--pin", SECRET]);
    assert!(said.out.contains(SECRET), "its caller has it: {said:?}");
    let id = &kept.ids("flow")[0];
    let shown = kept.run("flow", &["runs", "show", id]);
    let result = "result: {\"user\":\"ada\",\"pin\":\"***\"}\n";
    assert!(shown.out.contains(result), "{shown:?}");
    let (tree, _) = kept.json("flow", &["show", id]);
    assert!(!tree.to_string().contains(SECRET), "{tree}");
    assert_eq!(tree["ended"], result.trim());
}

/// The version that takes a run over is the first that needs a key, and makes it.
#[test]
fn a_run_of_a_version_without_secrets_is_answered_by_one_that_has_them() {
    let kept = Kept::new("sealed-later");
    let source = |secret: &str| {
        format!(
            "human approve() -> bool {{ user \"Go on?\" }}\nworkflow main({secret}pin: string) -> bool {{ approve() }}\n"
        )
    };
    kept.build("flow", &source(""));
    assert_eq!(kept.run("flow", &["--pin", "1"]).code, Some(5));
    kept.build("flow", &source("@secret "));
    let id = &kept.ids("flow")[0];
    let said = kept.run("flow", &["runs", "answer", id, "approve", "true"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let said = kept.run("flow", &["runs", "resume", id]);
    assert_eq!((&*said.out, said.code), ("true\n", Some(0)), "{said:?}");
}

/// Proofs need no key; to resume the run does, and none but its own.
fn needs_its_key(kept: &Kept, id: &str) {
    let key = kept.path("runs.db.key");
    let away = kept.path("away");
    std::fs::rename(&key, &away).expect("a key was made");
    assert_eq!(kept.run("gswc", &["runs", "verify"]).code, Some(0));
    assert_eq!(
        kept.run("gswc", &["runs", "check", "run.jsonl"]).code,
        Some(0)
    );
    let answer = format!("{{\"user\": \"ada\", \"pin\": \"{SECRET}\"}}");
    for words in [&["resume", id][..], &["answer", id, "approve", &answer]] {
        let said = kept.run("flow", &[&["runs"], words].concat());
        assert!(
            said.code != Some(0) && said.err.contains("GSW_STORE_KEY"),
            "{said:?}"
        );
    }
    // Another key opens nothing.
    std::fs::write(&key, "0".repeat(64)).expect("it can be written");
    let said = kept.run("flow", &["runs", "resume", id]);
    assert!(
        said.code == Some(4) && !said.out.contains("same"),
        "{said:?}"
    );
    std::fs::rename(&away, &key).expect("it is put back");
    let said = kept.run("flow", &["runs", "answer", id, "approve", &answer]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let said = kept.run("flow", &["runs", "resume", id]);
    assert_eq!(
        (said.out.as_str(), said.code),
        ("\"same\"\n", Some(0)),
        "{said:?}"
    );
}
