//! Questions of a store: who answers them, and what was answered.

use rusqlite::Transaction;

use crate::error::Error;
use crate::list::Info;
use crate::questions::{Answer, Asked, Delivered, Reply, State, Table, To};
use crate::store::Store;

impl Store {
    /// Answers a question, once, whether a process carries its run or not.
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
                To::Key { name, key } => match table.of_key(name, key)?.by_key(name)? {
                    Some(asked) => asked,
                    None => return table.keep(name, key, reply.answer),
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

    /// What was answered to a run that it has not settled yet, by operation.
    ///
    /// # Errors
    /// Those of the database.
    pub fn answers(&self, run: &str) -> Result<Vec<(u64, Answer)>, Error> {
        let asked = self.questions(Some(run))?;
        let answered = asked.into_iter().filter_map(|it| match it.state {
            State::Answered(answer) => Some((it.question.operation, answer)),
            State::Open | State::Settled { .. } | State::Closed { .. } => None,
        });
        Ok(answered.collect())
    }

    /// A run that has not ended, by its id or the beginning of it.
    fn open_run(&self, transaction: &Transaction<'_>, id: &str) -> Result<Info, Error> {
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
