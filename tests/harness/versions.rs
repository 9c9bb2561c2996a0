//! Versions of a program: what `gswc compat` says of them, and whether runs of the earlier one resume under the later
//! one.

use std::collections::HashMap;
use std::fmt::Write;

use gsw_journal::store::{NewRun, Store};
use serde_json::Value;

use crate::kept_runs::Kept;
use crate::page::{Case, cases};
use crate::program::root;

const PAGE: &str = "tests/compat/versions.md";

/// Writes both versions of a case.
fn versions(name: &str, case: &Case) -> Kept {
    let kept = Kept::new(name);
    let (_, later) = case.files.first().expect("a later version");
    for (file, text) in [("old.gsw", &case.source), ("new.gsw", later)] {
        std::fs::write(kept.path(file), text).expect("the target folder can be written");
    }
    kept
}

/// What is said of each pair of versions is what the page says; `ACCEPT=1` writes it anew.
#[test]
fn versions_are_compared() {
    let path = root().join(PAGE);
    let page = std::fs::read_to_string(&path).expect("pages can be read");
    let mut said_all = Vec::new();
    for (index, case) in cases(&page).iter().enumerate() {
        let kept = versions(&format!("compared_{index}"), case);
        let said = kept.run("gswc", &["compat", "old.gsw", "new.gsw"]);
        assert_eq!(said.err, "", "{}", case.claim);
        let is_change = said.out.contains(": changes\n");
        let code = if is_change { 1 } else { 0 };
        assert_eq!(said.code, Some(code), "{}: {said:?}", case.claim);
        said_all.push(said.out);
    }
    let mut written = String::new();
    let mut said_all = said_all.into_iter();
    let mut parts = page.split("```compat\n");
    written.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (_, rest) = part.split_once("```").expect("a block ends");
        let said = said_all.next().expect("a block for each case");
        let _ = write!(written, "```compat\n{said}```{rest}");
    }
    if std::env::var_os("ACCEPT").is_some() {
        std::fs::write(&path, written).expect("the page can be written");
        return;
    }
    assert!(
        written == page,
        "{PAGE} does not say what `gswc compat` says; ACCEPT=1 writes it anew:\n{written}"
    );
}

/// A class other than *changes* is a promise: every beginning of a run resumes under the later version.
#[test]
fn what_is_no_change_goes_on_from_every_record() {
    let page = std::fs::read_to_string(root().join(PAGE)).expect("pages can be read");
    // Many have the same earlier version, of which one run is enough.
    let mut begun: HashMap<String, (Kept, usize)> = HashMap::new();
    for case in cases(&page) {
        let (_, later) = case.files.first().expect("a later version");
        let number = begun.len();
        let (kept, records) = begun
            .entry(case.source.clone())
            .or_insert_with(|| recorded(number, &case.source));
        std::fs::write(kept.path("new.gsw"), later).expect("it can be written");
        let words = ["compat", "new.gsw", "--runs", "runs.db", "--json"];
        let said = kept.run("gswc", &words);
        let tree: Value = serde_json::from_str(&said.out).expect("JSON");
        let runs = tree["runs"].as_array().expect("a list");
        assert_eq!(runs.len(), *records, "{}", case.claim);
        let lost: Vec<&Value> = runs.iter().filter(|it| it["goes_on"] != true).collect();
        let expected = case.expected("compat").unwrap_or_default();
        assert!(
            expected.contains("workflow main: changes") || lost.is_empty(),
            "{}: {lost:?}",
            case.claim
        );
        let code = i32::from(!lost.is_empty());
        assert_eq!(said.code, Some(code), "{}", case.claim);
    }
}

/// A store with every beginning of a run of a program.
fn recorded(number: usize, source: &str) -> (Kept, usize) {
    let kept = Kept::new(&format!("recorded_{number}"));
    kept.build("old", source);
    let mut said = kept.run("old", &[]);
    for human in ["approve", "ship"] {
        if said.code == Some(5) {
            let id = &kept.ids("old")[0];
            kept.run("old", &["runs", "answer", id, human, "true"]);
            said = kept.run("old", &["runs", "resume", id]);
        }
    }
    assert_eq!(said.code, Some(0), "{said:?}");
    let records = beginnings(&kept);
    (kept, records)
}

/// Makes a run of each beginning of the only run that is kept; gives how many.
fn beginnings(kept: &Kept) -> usize {
    let store = Store::existing(&kept.store).expect("the run was written down");
    let run = store.list().expect("a list").runs.remove(0);
    // The beginning and the build are written at once.
    for count in 2..run.records {
        let id = format!("first-{count}");
        let new = NewRun {
            id: &id,
            workflow: &run.workflow,
            image: run.image,
            program: &run.program,
            input: [0; 32],
            begun: run.begun,
        };
        let journal = store.fork(&run.id, &new, count).expect("it has as many");
        drop(journal);
    }
    store.close();
    usize::try_from(run.records - 2).expect("a few")
}

/// A program is the same as itself, however it is given.
#[test]
fn a_built_program_is_compared_by_the_source_that_it_carries() {
    let kept = Kept::new("built");
    let helper = "import std/env\ntool pay(n: int) -> string once { env.get(\"SHOP\") ?? \"receipt ${n}\" }\n";
    std::fs::create_dir_all(kept.path("lib")).expect("the target folder can be written");
    std::fs::write(kept.path("lib/shop.gsw"), helper).expect("it can be written");
    let source = "import ./lib/shop\npermissions { env: [\"SHOP\"] }\nworkflow main(n: int = 1) -> string { shop.pay(n) }\n";
    kept.build("flow", source);
    let said = kept.run("gswc", &["compat", "flow", "flow.gsw"]);
    assert_eq!(
        (said.out.as_str(), said.code),
        ("workflow main: same\n", Some(0)),
        "{said:?}"
    );
    let renamed = source.replace("shop.pay(n)", "step \"pay\" { shop.pay(n) }");
    std::fs::write(kept.path("flow.gsw"), renamed).expect("it can be written");
    let said = kept.run("gswc", &["compat", "flow", "flow.gsw"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    let bad: [(&[&str], &str); 4] = [
        (
            &["compat", "flow"],
            "give the earlier and the later version",
        ),
        (&["compat", "none", "flow.gsw"], "`none`: "),
        (&["compat", "lib/shop.gsw", "none.gsw"], "none.gsw"),
        (
            &["compat", "flow.gsw", "--runs", "none.db"],
            "there is no `none.db`",
        ),
    ];
    for (words, part) in bad {
        let said = kept.run("gswc", words);
        assert!(
            said.code == Some(2) && said.err.contains(part),
            "{words:?}: {said:?}"
        );
    }
}

const ASKS: &str = r#"
import std/fs
permissions { fs.write: ["."] }
human approve() -> bool { user "Go on?" }
workflow main() -> string {
  fs.append("log.txt", "begun\n")
  if approve() { "yes" } else { "no" }
}
"#;

/// Begins a run of a program, which waits for an answer; gives its id.
fn waiting(kept: &Kept, program: &str) -> String {
    assert_eq!(kept.run(program, &[]).code, Some(5));
    let id = kept.ids(program).pop().expect("a run");
    let said = kept.run(program, &["runs", "answer", &id, "approve", "true"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    id
}

#[test]
fn a_run_goes_on_under_the_build_that_began_it() {
    let kept = Kept::new("kept_build");
    kept.build("old", ASKS);
    // Another build, in which nothing of before is as it was.
    kept.build(
        "new",
        &ASKS
            .replace("begun", "started")
            .replace("\"yes\"", "\"new\""),
    );
    let id = waiting(&kept, "old");
    // Asked of the new one, the old one continues: nothing is appended again, and the result is that of the old one.
    let said = kept.run("new", &["runs", "resume", &id, "--quiet"]);
    assert_eq!(
        (said.out.as_str(), said.code),
        ("\"yes\"\n", Some(0)),
        "{said:?}"
    );
    assert_eq!(kept.read("log.txt"), "begun\n");
}

#[test]
fn a_worker_carries_a_run_on_with_the_build_that_began_it() {
    let kept = Kept::new("worked_by_another");
    kept.build("old", ASKS);
    kept.build("new", &ASKS.replace("begun", "started"));
    let id = waiting(&kept, "old");
    let said = kept.run("new", &["runs", "wait"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let (listed, _) = kept.json("new", &[]);
    assert_eq!(listed[0]["id"], id, "{listed}");
    assert_eq!(listed[0]["status"], "completed", "{listed}");
    assert_eq!(kept.read("log.txt"), "begun\n");
}

#[test]
fn what_is_said_to_another_build_is_done_by_the_one_that_began_the_run() {
    let kept = Kept::new("said_to_another");
    kept.build("old", ASKS);
    kept.build("new", &ASKS.replace("begun", "started"));
    assert_eq!(kept.run("old", &[]).code, Some(5));
    let id = kept.ids("old").remove(0);
    let shown = kept.run("new", &["runs", "show", &id]);
    assert!(shown.out.contains("Go on?"), "{shown:?}");
    let (forked, code) = kept.json("new", &["fork", &id, "approve"]);
    assert_eq!(code, Some(0), "{forked}");
    let said = kept.run("new", &["runs", "answer", &id, "approve", "true"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let said = kept.run("new", &["runs", "settle", &id, "0", "not-done"]);
    assert!(said.err.contains("is not in doubt"), "{said:?}");
    let said = kept.run("new", &["runs", "resume", &id, "--quiet"]);
    assert_eq!(said.out, "\"yes\"\n", "{said:?}");
    assert_eq!(kept.read("log.txt"), "begun\n");
}

#[test]
fn a_run_whose_build_is_gone_goes_on_where_the_new_one_asks_for_the_same() {
    let kept = Kept::new("gone_build");
    kept.build("old", ASKS);
    kept.build("same", &ASKS.replace("\"yes\"", "\"yes, of the new one\""));
    kept.build("other", &ASKS.replace("begun", "started"));
    let id = waiting(&kept, "old");
    std::fs::remove_file(kept.path("old")).expect("it was just built");
    // What asks for something else does nothing, and says what can be done.
    let said = kept.run("other", &["runs", "resume", &id]);
    assert_eq!(said.code, Some(4), "{said:?}");
    for part in [
        "now:      fs.append",
        "needs a decision",
        "runs fork",
        "runs abandon",
    ] {
        assert!(said.err.contains(part), "{part}: {said:?}");
    }
    let said = kept.run("other", &["runs", "migrate", &id]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert_eq!(kept.read("log.txt"), "begun\n");
    let said = kept.run("same", &["runs", "resume", &id]);
    assert_eq!(said.out, "\"yes, of the new one\"\n", "{said:?}");
    assert_eq!(kept.read("log.txt"), "begun\n");
    // It is the new one's from then on.
    let (listed, _) = kept.json("same", &[]);
    assert_eq!(
        listed[0]["program"],
        kept.path("same").display().to_string()
    );
}

#[test]
fn a_run_can_be_given_to_another_build() {
    let kept = Kept::new("migrated");
    kept.build("old", ASKS);
    kept.build("new", &ASKS.replace("\"yes\"", "\"yes, of the new one\""));
    let id = waiting(&kept, "old");
    let said = kept.run("new", &["runs", "migrate", &id]);
    assert_eq!(said.code, Some(0), "{said:?}");
    // Now it is the other way round: the old one leaves it to the new one.
    let said = kept.run("old", &["runs", "resume", &id]);
    assert_eq!(said.out, "\"yes, of the new one\"\n", "{said:?}");
    let said = kept.run("new", &["runs", "migrate", &id]);
    assert!(
        said.code == Some(4) && said.err.contains("has ended"),
        "{said:?}"
    );
}
