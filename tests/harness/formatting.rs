//! `gswc fmt`: the repository has the one style, and a file with mistakes stays as it is.

use std::process::{Command, Stdio};

use gsw_source::{Database, File};

use crate::program::{gswc, root, scratch, text};

#[test]
fn what_we_ship_is_formatted() {
    for folder in ["std", "examples"] {
        let files: Vec<_> = std::fs::read_dir(root().join(folder))
            .expect("the folder is there")
            .map(|entry| entry.expect("a folder can be listed").path())
            .filter(|path| path.extension().is_some_and(|it| it == "gsw"))
            .collect();
        let mut words = vec!["fmt", "--check"];
        words.extend(files.iter().map(|it| text(it)));
        let said = gswc(&words);
        assert_eq!((said.code, said.out.as_str()), (Some(0), ""), "{folder}");
    }
}

#[test]
fn a_file_is_written_only_when_it_changes() {
    let file = scratch("fmt").join("loose.gsw");
    std::fs::write(&file, "fn  f( )->int{1}").expect("scratch can be written");
    let check = gswc(&["fmt", "--check", text(&file)]);
    assert_eq!(
        (check.code, check.out),
        (Some(1), format!("{}\n", file.display()))
    );
    assert_eq!(gswc(&["fmt", text(&file)]).code, Some(0));
    let written = std::fs::read_to_string(&file).expect("it is still there");
    assert_eq!(written, "fn f() -> int { 1 }\n");
    let before = std::fs::metadata(&file).and_then(|it| it.modified());
    assert_eq!(gswc(&["fmt", text(&file)]).code, Some(0));
    let after = std::fs::metadata(&file).and_then(|it| it.modified());
    assert_eq!(before.expect("a time"), after.expect("a time"));
}

#[test]
fn a_file_with_mistakes_stays_as_it_is() {
    let file = scratch("fmt").join("broken.gsw");
    std::fs::write(&file, "fn  f( {").expect("scratch can be written");
    let said = gswc(&["fmt", text(&file)]);
    assert_eq!((said.code, said.out.as_str()), (Some(1), ""));
    assert!(said.err.contains("error["), "{}", said.err);
    let kept = std::fs::read_to_string(&file).expect("it is still there");
    assert_eq!(kept, "fn  f( {");
}

#[test]
fn a_function_without_its_body_keeps_its_text() {
    let file = scratch("fmt").join("no_body.gsw");
    let program = "fn f(n: int) -> int\n  n + 1\nfn g() { }\n";
    std::fs::write(&file, program).expect("scratch can be written");
    let said = gswc(&["fmt", text(&file)]);
    assert_eq!((said.code, said.out.as_str()), (Some(1), ""));
    assert!(said.err.contains("is left as it is"), "{}", said.err);
    let kept = std::fs::read_to_string(&file).expect("it is still there");
    assert_eq!(kept, program);
}

#[test]
fn standard_input_goes_to_standard_output() {
    let mut process = Command::new(env!("CARGO_BIN_EXE_gswc"))
        .args(["fmt", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("gswc starts");
    let mut input = process.stdin.take().expect("it is a pipe");
    std::io::Write::write_all(&mut input, b"const  A:int=1").expect("it reads");
    drop(input);
    let output = process.wait_with_output().expect("it ends");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "const A: int = 1\n"
    );
}

/// What a text means: the trees of its items; `None` when it has mistakes.
fn meaning(text: &str) -> Option<String> {
    let db = Database::default();
    let file = File::new(&db, "test.gsw".into(), text.into());
    let parsed = gsw_syntax::parse_file(&db, file);
    let trees = parsed
        .items
        .iter()
        .map(|it| gsw_syntax::dump_item(&it.item));
    parsed.diagnostics.is_empty().then(|| trees.collect())
}

fn formatted(text: &str) -> Option<String> {
    let db = Database::default();
    let file = File::new(&db, "test.gsw".into(), text.into());
    gsw_format::format_file(&db, file).ok()
}

/// The program with blanks, line ends and comments where they change nothing.
fn perturbed(program: &str, mut seed: u64) -> String {
    let mut text = String::new();
    for line in program.lines() {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let indentation = " ".repeat((seed >> 60) as usize % 7);
        let comment = if (seed >> 50).is_multiple_of(5) {
            " // kept"
        } else {
            ""
        };
        let blank = if (seed >> 40).is_multiple_of(6) {
            "\n\n"
        } else {
            "\n"
        };
        text += &format!("{indentation}{}{comment}{blank}", line.trim());
    }
    text
}

#[test]
fn generated_programs_keep_their_meaning_and_comments() {
    for seed in 0..40 {
        let program = gsw_generator::generate(seed, 40);
        for source in [program.clone(), perturbed(&program, seed)] {
            let Some(before) = meaning(&source) else {
                assert_ne!(source, program, "seed {seed} has mistakes");
                continue;
            };
            let once = formatted(&source).expect("it has no mistakes");
            assert_eq!(Some(before), meaning(&once), "seed {seed}:\n{once}");
            assert_eq!(Some(&once), formatted(&once).as_ref(), "seed {seed}");
            let comments = |text: &str| text.matches("// kept").count();
            assert_eq!(comments(&source), comments(&once), "seed {seed}:\n{once}");
        }
    }
}

#[test]
fn block_strings_say_the_same_at_another_depth() {
    let source = "fn f(n: int) -> string {\n            if n > 0 {\n  \"\"\"\n      a\n        b ${n}\n\n      c\n      \"\"\"\n } else { \"\"\"one\n     two\n   three\"\"\" }\n}\n";
    let once = formatted(source).expect("it has no mistakes");
    assert_eq!(meaning(source), meaning(&once), "{once}");
    assert_eq!(Some(&once), formatted(&once).as_ref());
}
