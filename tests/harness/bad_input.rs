//! What bad input gets: a clear message, the right exit code, nothing lost.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{GSWC, gswc, run, scratch, text};

fn file(name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let file = scratch("bad_input").join(name);
    fs::write(&file, content).expect("the target folder can be written");
    file
}

fn refused(words: &[&str], code: i32, part: &str) {
    let said = gswc(words);
    assert_eq!(said.code, Some(code), "{words:?}: {said:?}");
    assert!(
        said.err.contains(part),
        "{words:?}: {part:?} missing in {:?}",
        said.err
    );
}

#[test]
fn files_that_are_no_source() {
    refused(&["check", "no/such/file.gsw"], 1, "does not exist");
    refused(
        &["check", text(&scratch("bad_input"))],
        2,
        "there is no `gsw.toml`",
    );
    refused(
        &[
            "check",
            text(&file("latin1.gsw", b"workflow main() { \xff }")),
        ],
        1,
        "is not UTF-8",
    );
    let large = file("large.gsw", "");
    fs::File::options()
        .write(true)
        .open(&large)
        .and_then(|it| it.set_len(100 << 20))
        .expect("a sparse file can be made");
    refused(&["check", text(&large)], 1, "MB");
    fs::remove_file(&large).expect("it was just made");
}

/// What an import leads to that is there and is no text is not called missing.
#[test]
fn an_import_of_what_cannot_be_read_says_why() {
    let main = file(
        "imports.gsw",
        "import ./folder\nimport ./latin1\nimport ./gone\n",
    );
    let folder = main.with_file_name("folder.gsw");
    fs::create_dir_all(&folder).expect("the target folder can be written");
    file("latin1.gsw", b"workflow main() { \xff }");
    let check = ["check", text(&main)];
    let said = [
        "the file of module `./folder` is a folder, not a `.gsw` file",
        "the file of module `./latin1` is not UTF-8 text: byte 18 is invalid",
        "there is no module `./gone`",
    ];
    for it in said {
        refused(&check, 1, it);
    }
}

#[test]
fn what_never_ends_is_no_source() {
    refused(&["check", "/dev/zero"], 1, "is no regular file");
    refused(&["run", "/dev/zero"], 1, "is no regular file");
    let program = "import std/json\nworkflow main(data: json) -> bool { data == none }\n";
    let file = file("endless.gsw", program);
    let asked = ["run", text(&file), "--", "--data", "@/dev/zero"];
    refused(&asked, 2, "is a pipe or a device");
}

#[test]
fn a_model_of_no_provider_is_wrong_usage() {
    let program = "agent a { model: \"openai/gpt-5\" }\nprompt p() -> string by a { user \"x\" }\nworkflow main() -> string { p() }\ntest \"t\" { assert p() == \"\" }\n";
    let file = file("model.gsw", program);
    let asked = ["run", text(&file), "--model", "claude-sonet-5-5"];
    refused(&asked, 2, "did you mean `anthropic/claude-sonnet-5-5`?");
    let asked = ["prompt", text(&file), "--model", "opnai/x"];
    refused(&asked, 2, "did you mean `openai/x`?");
    let asked = ["test", text(&file), "--live", "--model", "sim/a,nothing"];
    refused(&asked, 2, "`nothing` is not the name of a model");
    let said = Command::new(GSWC)
        .args(["run", text(&file)])
        .env("GSW_MODEL", "nothing")
        .output()
        .expect("`gswc` starts");
    assert_eq!(said.status.code(), Some(2), "{said:?}");
}

#[test]
fn deep_nesting_is_reported_and_not_a_crash() {
    let deep = format!(
        "workflow main() -> int {{ {}1{} }}\n",
        "(".repeat(10_000),
        ")".repeat(10_000)
    );
    refused(
        &["check", text(&file("deep.gsw", deep))],
        1,
        "nesting-too-deep",
    );
}

#[test]
fn instances_do_not_grow_for_ever() {
    let grow = "fn grow<T>(x: T, n: int) -> int { if n == 0 { 0 } else { grow([x], n - 1) } }\nworkflow main() -> int { grow(1, 3) }\n";
    refused(
        &["run", text(&file("grow.gsw", grow))],
        1,
        "instance-too-deep",
    );
}

#[test]
fn long_names_are_refused() {
    let long = format!(
        "workflow main() -> int {{\n  let {} = 1\n  2\n}}\n",
        "a".repeat(201)
    );
    refused(&["check", text(&file("long.gsw", long))], 1, "invalid-name");
}

#[test]
fn import_cycles_are_shown_as_a_path() {
    let a = file(
        "cycle_a.gsw",
        "import ./cycle_b\nworkflow main() -> int { cycle_b.f() }\nfn g() -> int { 1 }\n",
    );
    file(
        "cycle_b.gsw",
        "import ./cycle_a\nfn f() -> int { cycle_a.g() }\n",
    );
    refused(&["check", text(&a)], 1, "import-cycle");
}

#[test]
fn a_program_of_a_host_cannot_run_by_itself() {
    let source = "@host tool now_playing(room: string) -> string\n\nworkflow main() -> string { now_playing(\"kitchen\") }\n";
    let file = file("host.gsw", source);
    assert_eq!(gswc(&["check", text(&file)]).code, Some(0));
    let built = file.with_extension("out");
    for words in [
        &["run", text(&file)][..],
        &["build", text(&file), "-o", text(&built)],
    ] {
        let said = gswc(words);
        assert_eq!(said.code, Some(1), "{said:?}");
        let expected = "error[needs-host]: the tool `now_playing` is implemented by a host program, and there is none here";
        assert!(said.err.contains(expected), "{}", said.err);
    }
    let image = file.with_extension("gswi");
    let said = gswc(&["build", text(&file), "--emit", "image", "-o", text(&image)]);
    assert_eq!(said.code, Some(0), "{said:?}");
}

#[test]
fn a_program_without_main_cannot_run() {
    refused(
        &["run", text(&file("no_main.gsw", "fn f() -> int { 1 }\n"))],
        1,
        "main",
    );
}

#[test]
fn wrong_flags_are_usage_errors() {
    let greet = file(
        "greet.gsw",
        "workflow main(name: string, times: int = 1) -> string { name.repeat(times) }\n",
    );
    let greet = text(&greet);
    refused(&["run", greet], 2, "--name");
    refused(
        &["run", greet, "--", "--name", "x", "--tims", "2"],
        2,
        "--tims",
    );
    refused(
        &["run", greet, "--", "--name", "x", "--times", "many"],
        2,
        "many",
    );
    refused(&["run", greet, "--", "stray"], 2, "stray");
    refused(&["frobnicate"], 2, "frobnicate");
    let emitted = [
        "build",
        greet,
        "--emit",
        "flow",
        "--launcher",
        "gsw-launcher",
    ];
    refused(&emitted, 2, "--launcher");
}

#[test]
fn a_form_as_text_is_written_where_it_is_to_be() {
    let hello = file("emitted.gsw", "workflow main() -> int { 1 }\n");
    for form in ["flow", "clif"] {
        let output = scratch("bad_input").join(form);
        let words = ["build", text(&hello), "--emit", form];
        let printed = gswc(&words);
        let said = gswc(&[&words[..], &["-o", text(&output)]].concat());
        assert_eq!((said.out.as_str(), said.code), ("", Some(0)), "{said:?}");
        let written = fs::read_to_string(&output).expect("it was just written");
        assert_eq!(written, printed.out);
    }
}

#[test]
fn an_output_that_cannot_be_written_leaves_nothing_behind() {
    let hello = file("hello.gsw", "workflow main() -> int { 1 }\n");
    refused(
        &["build", text(&hello), "-o", "/no/such/folder/out"],
        1,
        "cannot be written",
    );
    if Path::new("/dev/full").exists() {
        let said = gswc(&["run", text(&hello)]);
        assert_eq!(said.code, Some(0), "{said:?}");
    }
}

#[test]
fn damaged_programs_are_refused() {
    let hello = file("damaged.gsw", "workflow main() -> int { 1 }\n");
    let built = scratch("bad_input").join("damaged");
    let said = gswc(&["build", text(&hello), "-o", text(&built)]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let whole = fs::read(&built).expect("it was just built");
    let cut = whole.len() - 1000;
    let mut flipped = whole.clone();
    flipped[cut] ^= 0x10;
    for (bytes, part) in [
        (&flipped[..], "damaged"),
        (&whole[..cut], "holds no program"),
    ] {
        fs::write(&built, bytes).expect("it was just built");
        let said = run(&built, &[]);
        assert_eq!(said.code, Some(4), "{said:?}");
        assert!(said.err.contains(part), "{}", said.err);
    }
}
