//! The questions of a store: listing them and answering them.

use rusqlite::Transaction;

use crate::error::Error;
use crate::list::Info;
use crate::questions::{Answer, Asked, Claimed, Delivered, Reply, Table, To};
use crate::store::Store;

impl Store {
    /// Answers a question, once, whether its run is running or not.
    ///
    /// # Errors
    /// When it is refused, with the reason, or cannot be written.
    pub fn answer(&self, reply: Reply<'_>) -> Result<Delivered, Error> {
        self.change(|transaction| {
            let table = Table::new(transaction, self.id());
            let asked = match reply.to {
                To::Named { run, name } => {
                    let info = self.open_run(transaction, run)?;
                    table
                        .of_run(&info.id)?
                        .named(&info.id, name, reply.digest)?
                }
                To::Operation { run, operation } => {
                    let info = self.open_run(transaction, run)?;
                    table.of_run(&info.id)?.of_operation(&info.id, operation)?
                }
                To::Key(key) => match table.of_key(&self.names_of_key(key))?.by_key() {
                    Some(asked) => asked,
                    None => {
                        let key = self.key_of_early(key, &reply.answer.value)?;
                        return table.keep(&key, reply.answer);
                    }
                },
            };
            table.deliver(asked, reply.digest, reply.answer)
        })
    }

    /// The questions of a run, or of all, the oldest first.
    ///
    /// # Errors
    /// When there is no such run, and those of the database.
    pub fn questions(&self, run: Option<&str>) -> Result<Vec<Asked>, Error> {
        self.glance(|transaction| {
            let table = Table::new(transaction, self.id());
            let found = match run {
                Some(run) => table.of_run(&self.look(transaction).find(run)?.id)?,
                None => table.all()?,
            };
            Ok(found.0)
        })
    }

    /// Those that an answer to this key would be for now; none where it would be early.
    ///
    /// # Errors
    /// Those of the database.
    pub fn question_of_key(&self, key: &str) -> Result<Option<Asked>, Error> {
        self.glance(|transaction| {
            let table = Table::new(transaction, self.id());
            Ok(table.of_key(&self.names_of_key(key))?.by_key())
        })
    }

    /// What was answered and not taken yet, by run and operation, in the order of the answers.
    ///
    /// # Errors
    /// Those of the database.
    pub fn answered(&self) -> Result<Vec<(String, u64, Answer)>, Error> {
        self.glance(|transaction| Table::new(transaction, self.id()).answered())
    }

    /// Like [`Self::answered`], for one run.
    ///
    /// # Errors
    /// When there is no such run, and those of the database.
    pub fn answers(&self, run: &str) -> Result<Vec<(u64, Answer)>, Error> {
        self.glance(|transaction| {
            let row = self.row(transaction, run)?;
            let found = Table::new(transaction, self.id()).answered_of(row.number)?;
            let answers = found.into_iter();
            Ok(answers.map(|(_, operation, it)| (operation, it)).collect())
        })
    }

    /// Called when the process that runs a run has received an answer to one of its questions itself, or learned that there
    /// will be none: returns which one counts.
    ///
    /// # Errors
    /// When there is no such run, and those of the database.
    pub fn claim(&self, run: &str, operation: u64, own: Option<Answer>) -> Result<Claimed, Error> {
        self.change_for_run(|transaction| {
            let row = self.row(transaction, run)?;
            Table::new(transaction, self.id()).claim(row.number, operation, own)
        })
    }

    /// Closes those of these questions of a run that are past their deadline; returns answers that came in time and were not
    /// taken yet.
    ///
    /// # Errors
    /// When there is no such run, and those of the database.
    pub fn expire(
        &self,
        run: &str,
        operations: &[u64],
        now: i64,
    ) -> Result<Vec<(u64, Answer)>, Error> {
        self.change_for_run(|transaction| {
            let row = self.row(transaction, run)?;
            Table::new(transaction, self.id()).expire(row.number, operations, now)
        })
    }

    /// A run that has not ended.
    pub(crate) fn open_run(&self, transaction: &Transaction<'_>, id: &str) -> Result<Info, Error> {
        let info = self.look(transaction).find(id)?;
        if info.status.is_final() {
            return Err(Error::Ended {
                id: info.id,
                status: info.status,
            });
        }
        Ok(info)
    }
}
