//! The one database trait and the one database, used by the command line, the language server and every test.

/// What every query takes first.
#[salsa::db]
pub trait Db: salsa::Database {
    /// A handle on this database for another thread; never inside of a query, which would not know what was asked
    /// there.
    fn fork(&self) -> Database;
}

/// The concrete database. Cloning it gives a snapshot for another thread.
#[salsa::db]
#[derive(Clone, Default)]
pub struct Database {
    storage: salsa::Storage<Self>,
}

#[salsa::db]
impl salsa::Database for Database {}

#[salsa::db]
impl Db for Database {
    fn fork(&self) -> Database {
        self.clone()
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
        }
    }
}
