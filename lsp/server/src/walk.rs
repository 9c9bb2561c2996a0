//! The order in which files are checked: what a file imports before the file itself. So each check is a small one, and what it has
//! needed of a file is not needed again when the file's turn comes.

use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use crate::loading::percentage;

#[derive(Default)]
pub struct Walk {
    /// How many files there are.
    all: usize,
    /// The last one is the next.
    waiting: Vec<PathBuf>,
    /// Those whose imports were put before them.
    entered: BTreeSet<PathBuf>,
    /// Those whose turn has come, in depth-first order.
    left: BTreeSet<PathBuf>,
    /// Those of them that were not taken.
    ready: VecDeque<PathBuf>,
}

impl Walk {
    /// The last of these files is the first, unless it imports others.
    pub fn new(files: Vec<PathBuf>) -> Self {
        Self {
            all: files.len(),
            waiting: files,
            ..Self::default()
        }
    }

    /// Whether there are files whose turn has not come.
    pub fn goes_on(&self) -> bool {
        !self.waiting.is_empty()
    }

    pub fn is_over(&self) -> bool {
        !self.goes_on() && self.ready.is_empty()
    }

    /// How many files there were to begin with.
    pub const fn files(&self) -> usize {
        self.all
    }

    /// How much of it is done, in percent, as long as it is not all.
    pub fn percentage(&self) -> u32 {
        percentage(self.left.len() - self.ready.len(), self.all)
    }

    /// Whether so many files' turns have come, or twice as many, and so on.
    pub fn has_left_another(&self, files: usize) -> bool {
        self.left.len().is_multiple_of(files)
    }

    /// Puts what a file imports before it, or finds that the file's turn has come.
    pub fn step(&mut self, imported: impl FnOnce(&Path) -> Vec<PathBuf>) {
        let Some(path) = self.waiting.pop() else {
            return;
        };
        if self.entered.insert(path.clone()) {
            let imported = imported(&path).into_iter();
            self.waiting.push(path);
            let entered = &self.entered;
            self.waiting
                .extend(imported.filter(|it| !entered.contains(it)));
        } else if self.left.insert(path.clone()) {
            self.ready.push_back(path);
        }
    }

    /// The files whose turn has come.
    pub fn ready(&mut self) -> &[PathBuf] {
        self.ready.make_contiguous()
    }

    pub fn take(&mut self) -> Option<PathBuf> {
        self.ready.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::Walk;

    /// The files in the order in which their turns come, where each imports the ones after the colon.
    fn order(files: &[&str]) -> String {
        let split = files.iter().filter_map(|it| it.split_once(':'));
        let split: Vec<(&str, &str)> = split.collect();
        let paths = split.iter().rev().map(|it| PathBuf::from(it.0)).collect();
        let imported = |of: &Path| {
            let found = split.iter().filter(|it| of == Path::new(it.0));
            let names = found.flat_map(|it| it.1.split_whitespace());
            names.map(PathBuf::from).collect()
        };
        let mut walk = Walk::new(paths);
        let mut order = Vec::new();
        while !walk.is_over() {
            walk.step(imported);
            order.extend(walk.take());
        }
        assert_eq!(walk.percentage(), 99);
        let names = order.iter().filter_map(|it| it.to_str());
        names.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_a_file_imports_comes_before_it_and_each_file_once() {
        assert_eq!(order(&["a: b c", "b: c", "c:", "d: a"]), "c b a d");
        // The chain is longer than what is put before one file, and the last file is reached first.
        assert_eq!(order(&["a:", "b: d", "c: a", "d: c"]), "a c d b");
    }

    #[test]
    fn files_that_import_each_other_come_all_the_same() {
        assert_eq!(order(&["a: b", "b: a", "c: c"]), "b a c");
    }
}
