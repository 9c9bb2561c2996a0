//! Tree-sitter and the compiler see the same shape in every program of the repository.

use std::fs;
use std::path::{Path, PathBuf};

use gsw_source::{Database, File, Severity};
use gsw_syntax::{FileReader, dump_item};
use tree_sitter_gsw::{Tree, items};

/// A program and its place.
struct Program {
    place: String,
    source: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every program below a folder: files, and blocks of pages.
fn programs_below(folder: &Path, programs: &mut Vec<Program>) {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .expect("a folder can be listed")
        .map(|it| it.expect("a folder can be listed").path())
        .collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        if path.is_dir() && name != "target" && name != "node_modules" {
            programs_below(&path, programs);
        } else if extension == "gsw" {
            let source = fs::read_to_string(&path).expect("programs are text");
            programs.push(Program {
                place: path.display().to_string(),
                source,
            });
        } else if extension == "md" {
            let page = fs::read_to_string(&path).expect("pages are text");
            blocks(&path, &page, programs);
        }
    }
}

fn blocks(path: &Path, page: &str, programs: &mut Vec<Program>) {
    let mut lines = page.lines().enumerate();
    while let Some((line, text)) = lines.next() {
        if !text.starts_with("```gsw") {
            continue;
        }
        let block = lines.by_ref().take_while(|it| !it.1.starts_with("```"));
        let source: String = block.flat_map(|it| [it.1, "\n"]).collect();
        programs.push(Program {
            place: format!("{}:{}", path.display(), line + 1),
            source,
        });
    }
}

/// The trees of the compiler, or nothing where it finds a mistake of syntax.
fn compiled(source: &str) -> Option<Vec<Tree>> {
    let db = Database::default();
    let file = File::new(&db, "main.gsw".into(), source.into());
    let reader = FileReader::new(&db, file);
    let is_wrong = |it: &gsw_source::Diagnostic| it.severity == Severity::Error;
    if reader.lexical_diagnostics().iter().any(is_wrong) {
        return None;
    }
    let mut trees = Vec::new();
    for item in reader.items() {
        if item.diagnostics.iter().any(is_wrong) {
            return None;
        }
        trees.push(Tree::of_dump(&dump_item(item.item())));
    }
    Some(trees)
}

#[test]
fn both_see_the_same_shape_in_every_program_that_compiles() {
    let mut programs = Vec::new();
    for folder in ["std", "examples", "docs", "tests", "compiler", "README.md"] {
        let path = root().join(folder);
        if path.is_dir() {
            programs_below(&path, &mut programs);
        } else {
            let page = fs::read_to_string(&path).expect("pages are text");
            blocks(&path, &page, &mut programs);
        }
    }
    let (mut compared, mut wrong) = (0, Vec::new());
    for program in &programs {
        let Some(wanted) = compiled(&program.source) else {
            continue;
        };
        compared += 1;
        match items(&program.source) {
            Err(places) => wrong.push(format!("{}: {}", program.place, places.join(", "))),
            Ok(found) => {
                for (wanted, found) in wanted.iter().zip(&found) {
                    if wanted != found {
                        wrong.push(format!(
                            "{}:\n  compiler    {wanted}\n  tree-sitter {found}",
                            program.place
                        ));
                    }
                }
                if wanted.len() != found.len() {
                    wrong.push(format!("{}: another number of items", program.place));
                }
            }
        }
    }
    println!("{compared} programs of {} compared", programs.len());
    assert!(compared > 1_000, "the programs are not found: {compared}");
    assert!(
        wrong.is_empty(),
        "{} of {compared}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
