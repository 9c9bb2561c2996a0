//! Modules that imports lead to and whose files cannot be read.

use std::collections::BTreeMap;
use std::path::Path;

use gsw_source::{Database, Files, Project};
use salsa::Setter;

/// What was found out about modules that imports lead to: why the file of one cannot be read, or that nothing is wrong with it but that
/// it may be missing.
#[derive(Default)]
pub struct Unread(BTreeMap<String, Option<String>>);

impl Unread {
    /// The file of a module could not be read.
    pub fn note(&mut self, key: String, why: String, path: &Path, files: &dyn Files) {
        self.0.insert(key, files.exists(path).then_some(why));
    }

    /// Its file could be read.
    pub fn note_readable(&mut self, key: String) {
        self.0.insert(key, None);
    }

    pub fn unreadable(self) -> BTreeMap<String, String> {
        let all = self.0.into_iter();
        all.filter_map(|(key, why)| Some((key, why?))).collect()
    }

    /// Puts it into a project, where that knows something else.
    pub fn enter(self, db: &mut Database, project: Project) {
        let before = project.unreadable(db);
        let is_known = |(key, why): (&String, &Option<String>)| before.get(key) == why.as_ref();
        if self.0.iter().all(is_known) {
            return;
        }
        let mut all = before.clone();
        for (key, why) in self.0 {
            match why {
                Some(why) => drop(all.insert(key, why)),
                None => drop(all.remove(&key)),
            }
        }
        project.set_unreadable(db).to(all);
    }
}
