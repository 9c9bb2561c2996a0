//! The source files below a folder.

use std::path::{Path, PathBuf};

use gsw_project::CONFIGURATION;

use crate::workspace::is_source;

/// A folder with more sources than this is most likely not one project. A guess.
const MOST: usize = 20_000;
/// The most entries that are visited: opening a whole home folder must not wait for all of it. A guess.
const MOST_ENTRIES: usize = 200_000;
/// Folders nest so deep at most.
const DEEPEST: usize = 64;

/// The `.gsw` files below `root`, in order of path. Hidden folders, what builds leave behind and projects of their own are left out.
pub fn sources(root: &Path) -> Vec<PathBuf> {
    let mut walk = Walk {
        found: Vec::new(),
        entries: 0,
    };
    walk.visit(root, 0);
    walk.found.sort();
    walk.found
}

/// Whether the walk below `root` reaches a file at this path.
pub fn is_among_sources(root: &Path, file: &Path) -> bool {
    let Ok(inside) = file.strip_prefix(root) else {
        return false;
    };
    let mut folder = root.to_owned();
    let between = inside.parent().into_iter().flat_map(Path::components);
    between.into_iter().all(|name| {
        folder.push(name);
        !is_left_out(&folder)
    })
}

/// Whether nothing below a folder is a source of the project around it: a hidden one, what builds leave behind, a project of its own.
fn is_left_out(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.')
        || matches!(&*name, "target" | "node_modules")
        || folder.join(CONFIGURATION).is_file()
}

struct Walk {
    found: Vec<PathBuf>,
    /// How many files and folders were visited.
    entries: usize,
}

impl Walk {
    fn visit(&mut self, folder: &Path, depth: usize) {
        // What cannot be read is no source of the project.
        let Ok(entries) = std::fs::read_dir(folder) else {
            return;
        };
        for entry in entries.flatten() {
            self.entries += 1;
            if self.found.len() >= MOST || self.entries > MOST_ENTRIES || depth > DEEPEST {
                return;
            }
            let path = entry.path();
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_dir() {
                if !is_left_out(&path) {
                    self.visit(&path, depth + 1);
                }
            } else if is_source(&path) && path.is_file() {
                self.found.push(path);
            }
        }
    }
}
