//! Programs with mistakes made by a generator: whatever is written, the checker answers, and always the same.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gsw_analysis::{check_project, item_summary};
use gsw_source::{Database, File, Project};
use gsw_syntax::file_item_ids;
use salsa::Setter;

/// How many mutants of each program are checked.
const MUTANTS: u64 = 4;

#[test]
fn mutated_programs_are_checked_without_a_panic() {
    let mut db = Database::default();
    let mut modules: BTreeMap<String, File> = gsw_std::MODULES
        .iter()
        .map(|(path, text)| {
            (
                (*path).to_string(),
                File::new(&db, (*path).into(), (*text).into()),
            )
        })
        .collect();
    let file = File::new(&db, "main.gsw".into(), "".into());
    modules.insert("main".into(), file);
    Project::new(&db, modules, "main".into());
    let programs = programs();
    assert!(programs.len() > 20, "the folders of pages have moved");
    let count = std::env::var("GSW_MUTANTS")
        .ok()
        .and_then(|it| it.parse().ok());
    for (index, program) in programs.iter().enumerate() {
        for round in 0..count.unwrap_or(MUTANTS) {
            let mut random = Random(index as u64 * 1_000_003 + round * 7919 + 1);
            let mutant = mutate(program, &programs, &mut random);
            file.set_text(&mut db).to(mutant.as_str().into());
            let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                for item in file_item_ids(&db, file) {
                    item_summary(&db, *item);
                }
                check_project(&db).len()
            }));
            assert!(checked.is_ok(), "panicked on:\n{mutant}");
        }
    }
}

/// A xorshift generator: the same numbers everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit.max(1) as u64).unwrap_or_default()
    }
}

/// Removes, repeats, swaps or brings in words of the program, once or a few times.
fn mutate(program: &str, others: &[String], random: &mut Random) -> String {
    let mut words = words(program);
    for _ in 0..=random.below(4) {
        if words.is_empty() {
            break;
        }
        let at = random.below(words.len());
        let to = random.below(words.len());
        match random.below(6) {
            0 => drop(words.remove(at)),
            1 => words.insert(to, words[at].clone()),
            2 => words.swap(at, to),
            3 => words[at] = words[to].clone(),
            4 => {
                let other = self::words(&others[random.below(others.len())]);
                words[at] = other[random.below(other.len())].clone();
            }
            _ => words.truncate(at.max(1)),
        }
    }
    words.concat()
}

/// Runs of letters, and every other character by itself.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut in_word = false;
    for letter in text.chars() {
        let is_word = letter.is_alphanumeric() || letter == '_';
        match words.last_mut() {
            Some(last) if in_word && is_word => last.push(letter),
            _ => words.push(letter.to_string()),
        }
        in_word = is_word;
    }
    words
}

/// Every program of the pages of codes and tests.
fn programs() -> Vec<String> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in [
        "../source/src/codes",
        "../../tests/semantics",
        "../../tests/run",
    ] {
        for path in files(&root.join(folder), "md") {
            let page = std::fs::read_to_string(path).expect("a page is text");
            let blocks = page.split("```gsw\n").skip(1);
            found.extend(
                blocks
                    .filter_map(|it| it.split("```").next())
                    .map(str::to_string),
            );
        }
    }
    for path in files(&root.join("../../tests/conformance/run"), "gsw") {
        found.push(std::fs::read_to_string(path).expect("a program is text"));
    }
    found
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder stands in the repository")
        .map(|it| it.expect("its entries can be read").path())
        .filter(|it| it.extension().is_some_and(|it| it == ending))
        .collect();
    paths.sort();
    paths
}
