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
