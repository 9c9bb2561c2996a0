//! The programs of the repository: files, and blocks of pages.

use std::fs;
use std::path::{Path, PathBuf};

/// A program and its place.
pub struct Program {
    pub place: String,
    pub source: String,
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

/// Every program of the repository.
pub fn all() -> Vec<Program> {
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
    programs
}
