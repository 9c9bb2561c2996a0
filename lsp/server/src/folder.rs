//! The source files below a folder.

use std::path::{Path, PathBuf};

use gsw_project::CONFIGURATION;

/// A folder with more sources than this is most likely not one project. A guess.
const MOST: usize = 20_000;
/// The most entries that are looked at: opening the folder of a whole user must not wait for all of it. A guess.
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

struct Walk {
    found: Vec<PathBuf>,
    /// How many files and folders were looked at.
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
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_dir() {
                let is_left_out = name.starts_with('.')
                    || matches!(&*name, "target" | "node_modules")
                    || path.join(CONFIGURATION).is_file();
                if !is_left_out {
                    self.visit(&path, depth + 1);
                }
            } else if name.ends_with(".gsw") && path.is_file() {
                self.found.push(path);
            }
        }
    }
}
