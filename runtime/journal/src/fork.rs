//! A run that begins with the first records of another one.

use crate::chain;
use crate::error::Error;
use crate::record::{Blob, Record};
use crate::store::{NewRun, Store, new_row};
use crate::writer::Journal;

impl Store {
    /// Copies the first `records` of a run into a new one, which belongs to this process. The source is only read: it may
    /// continue, and the copy has none of its questions.
    ///
    /// # Errors
    /// When there is no such run or it is damaged, it has fewer records, or the new one cannot be written.
    pub fn fork(&self, source: &str, new: &NewRun<'_>, records: u64) -> Result<Journal, Error> {
        self.fork_with(source, new, |all| {
            let has = all.len() as u64;
            let wanted = usize::try_from(records).ok().and_then(|it| all.get(..it));
            let wanted = wanted.ok_or(has)?;
            Ok(wanted.iter().map(|it| (it.clone(), None)).collect())
        })
    }

    /// Like [`Self::fork`], with the records that `choose` makes of the source's: some of them, or replacements. A payload may
    /// be one of the source. When `choose` needs more records, it returns how many.
    ///
    /// # Errors
    /// As for [`Self::fork`].
    pub fn fork_with(
        &self,
        source: &str,
        new: &NewRun<'_>,
        choose: impl FnOnce(&[Record]) -> Result<Vec<(Record, Option<Blob>)>, u64>,
    ) -> Result<Journal, Error> {
        let writer = self.writer()?;
        self.change(|transaction| {
            let source = self.look(transaction).find(source)?.id;
            let source = self.row(transaction, &source)?;
            let (_, records) = chain::read(transaction, &source)?;
            let chosen = choose(&records).map_err(|has| Error::TooShort {
                id: source.id.clone(),
                records: has,
            })?;
            let mut row = new_row(new, writer.owner());
            row.source = Some(source.id);
            let journal = self.add(transaction, writer, row, chosen)?;
            chain::share(transaction, source.number, journal.number())?;
            Ok(journal)
        })
    }
}
