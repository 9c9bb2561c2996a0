//! The recipes of `CONTRIBUTING.md`: the files that a new variant leads to are all of them.

use std::path::Path;

use crate::program::root;
use crate::tidy::files_in;

/// Forms that nothing looks at but what goes over all forms, of the syntax tree and of typed bodies.
const RARE: [[&str; 2]; 2] = [
    ["Kind::AllOf", "Kind::Undo"],
    ["Kind::SpawnDetached", "Kind::OfferedTool"],
];

/// The part of a page between these words and the next recipe.
fn recipe<'page>(page: &'page str, words: &str) -> &'page str {
    let (_, rest) = page.split_once(words).expect("the recipe is there");
    rest.split("\n\n").next().unwrap_or(rest)
}

/// Whether a recipe names a file, by its path or by that below a folder it speaks of.
fn names(recipe: &str, path: &Path) -> bool {
    let quoted = |it: &Path| recipe.contains(&format!("`{}`", it.display()));
    let short = path.strip_prefix("compiler/analysis/src");
    quoted(path) || short.is_ok_and(quoted)
}

#[test]
fn the_recipe_for_a_form_of_expressions_names_every_walk_over_them() {
    let page = std::fs::read_to_string(root().join("CONTRIBUTING.md")).expect("it is there");
    let recipe = recipe(&page, "**An expression form.**");
    let mut missing = Vec::new();
    for area in ["compiler", "lsp"] {
        for path in files_in(&root().join(area), ".rs") {
            let source = std::fs::read_to_string(&path).expect("it was listed");
            let is_walk = RARE
                .iter()
                .any(|them| them.iter().all(|it| source.contains(it)));
            let path = path.strip_prefix(root()).unwrap_or(&path);
            if is_walk && !names(recipe, path) {
                missing.push(path.display().to_string());
            }
        }
    }
    assert!(missing.is_empty(), "not in the recipe: {missing:#?}");
}
