//! Query `import_cycles`: which files import each other in a cycle, found in one walk over all imports.

use gsw_source::{Db, File, Project};
use rustc_hash::FxHashMap;

use crate::import::imported_files;

/// A number for each file; files of one number reach each other by imports.
#[salsa::tracked(returns(ref))]
pub fn import_cycles(db: &dyn Db, project: Project) -> FxHashMap<File, u32> {
    let mut walk = Walk {
        db,
        order: FxHashMap::default(),
        low: FxHashMap::default(),
        open: Vec::new(),
        cycles: FxHashMap::default(),
        next: 0,
    };
    for &file in project.modules(db).values() {
        if !walk.order.contains_key(&file) {
            walk.run(file);
        }
    }
    walk.cycles
}

/// Whether two files, one of which reaches the other, reach each other.
pub fn is_cycle(db: &dyn Db, one: File, other: File) -> bool {
    let Some(project) = Project::try_get(db) else {
        return one == other;
    };
    let cycles = import_cycles(db, project);
    one == other || (cycles.contains_key(&one) && cycles.get(&one) == cycles.get(&other))
}

/// Tarjan's walk, with a stack of its own: imports may lead thousands deep.
struct Walk<'db> {
    db: &'db dyn Db,
    order: FxHashMap<File, u32>,
    low: FxHashMap<File, u32>,
    /// Files whose cycle is not known yet.
    open: Vec<File>,
    cycles: FxHashMap<File, u32>,
    next: u32,
}

impl Walk<'_> {
    fn run(&mut self, start: File) {
        let db = self.db;
        self.enter(start);
        let mut stack: Vec<(File, usize)> = vec![(start, 0)];
        while let Some((file, position)) = stack.pop() {
            let Some(&target) = imported_files(db, file).get(position) else {
                self.leave(file, stack.last().map(|it| it.0));
                continue;
            };
            stack.push((file, position + 1));
            if !self.order.contains_key(&target) {
                self.enter(target);
                stack.push((target, 0));
            } else if !self.cycles.contains_key(&target) {
                let seen = self.order[&target];
                self.lower(file, seen);
            }
        }
    }

    fn enter(&mut self, file: File) {
        self.order.insert(file, self.next);
        self.low.insert(file, self.next);
        self.open.push(file);
        self.next += 1;
    }

    fn lower(&mut self, file: File, to: u32) {
        if let Some(low) = self.low.get_mut(&file) {
            *low = to.min(*low);
        }
    }

    fn leave(&mut self, file: File, parent: Option<File>) {
        let low = self.low[&file];
        if low == self.order[&file] {
            while let Some(member) = self.open.pop() {
                self.cycles.insert(member, low);
                if member == file {
                    break;
                }
            }
        }
        if let Some(parent) = parent {
            self.lower(parent, low);
        }
    }
}
