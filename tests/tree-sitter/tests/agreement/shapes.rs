//! Tree-sitter and the compiler see the same shape in every program of the repository.

use gsw_source::{Database, File, Severity};
use gsw_syntax::{FileReader, dump_item};
use tree_sitter_gsw::{Tree, items};

use crate::programs::all;

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
    let programs = all();
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
