//! The one database trait and the one database, used by the command line, the language server and every test.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use rustc_hash::FxHashMap;

use crate::File;

/// What every query takes first.
#[salsa::db]
pub trait Db: salsa::Database {
    /// A handle on this database for another thread; never inside of a query, which would not know what was asked
    /// there.
    fn fork(&self) -> Database;

    /// What a query has made of the texts that files had before.
    fn earlier(&self) -> &Earlier;
}

/// What a query has made of the last text of each file, so that it can take over what an edit has left alone. That decides how soon
/// the query ends and never what it gives. Nothing is kept alive here: when the query's own result goes, this goes too.
#[derive(Clone, Default)]
pub struct Earlier {
    files: Arc<Mutex<FxHashMap<File, Weak<dyn Any + Send + Sync>>>>,
}

impl Earlier {
    /// What was made of the last text of `file`, if that is still there.
    #[must_use]
    pub fn get<T: Any + Send + Sync>(&self, file: File) -> Option<Arc<T>> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.get(&file)?.upgrade()?.downcast().ok()
    }

    /// Takes what was made of the text that `file` has now.
    pub fn set<T: Any + Send + Sync>(&self, file: File, made: &Arc<T>) {
        let made: Arc<dyn Any + Send + Sync> = Arc::<T>::clone(made);
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.insert(file, Arc::downgrade(&made));
    }
}

/// The concrete database. Cloning it gives a snapshot for another thread.
#[salsa::db]
#[derive(Clone, Default)]
pub struct Database {
    storage: salsa::Storage<Self>,
    earlier: Earlier,
}

#[salsa::db]
impl salsa::Database for Database {}

#[salsa::db]
impl Db for Database {
    fn fork(&self) -> Database {
        self.clone()
    }

    fn earlier(&self) -> &Earlier {
        &self.earlier
    }
}

/// How many of the results that take much memory and are soon found again stay when others are released: those that were used last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Retained {
    /// What an edit of a document asks for, as the attributes `lru` of the queries say.
    Many,
    /// What one file after the other asks for.
    Few,
}

impl Database {
    /// A database that reports every salsa event to `listener`, for tests that name what must not run again.
    #[must_use]
    pub fn with_listener(listener: Box<dyn Fn(salsa::Event) + Send + Sync + 'static>) -> Self {
        Self {
            storage: salsa::Storage::new(Some(listener)),
            earlier: Earlier::default(),
        }
    }
}
