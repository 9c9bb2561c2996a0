//! Every example compiles, runs with the simulator both ways, and says what stands beside it.

use crate::program::{gswc, root, run_both_ways_with_input, text};

#[test]
fn examples_check_without_a_report() {
    for file in files() {
        let said = gswc(&["check", text(&file)]);
        assert_eq!(
            (said.code, said.err.as_str()),
            (Some(0), ""),
            "{}",
            file.display()
        );
    }
}

#[test]
fn examples_run_with_the_simulator() {
    for file in files() {
        let arguments: &[&str] = if file.ends_with("review.gsw") {
            &["--dir", "runtime/abi"]
        } else {
            &[]
        };
        let input = std::fs::read_to_string(file.with_extension("in")).unwrap_or_default();
        let said = run_both_ways_with_input(&file, arguments, &input);
        assert_eq!(said.code, Some(0), "{}: {}", file.display(), said.err);
        if let Ok(expected) = std::fs::read_to_string(file.with_extension("out")) {
            assert_eq!(said.out, expected, "{}", file.display());
        }
    }
}

fn files() -> Vec<std::path::PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(root().join("examples"))
        .expect("the examples are there")
        .map(|entry| entry.expect("a folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|it| it == "gsw"))
        .collect();
    files.sort();
    files
}
