//! Which runs are stored encrypted: those of programs that have secrets.

use gsw_abi::program::Program;
use gsw_abi::types::{self, Type};
use gsw_journal::questions::Question;
use gsw_journal::record::{Blob, Record};
use gsw_journal::schema::Missing;
use gsw_journal::store::{Error, Store};

use crate::durable::store::RunStore;

/// Whether what is written of a run can be read by anyone who has the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Secrecy {
    Plain,
    /// The program has secrets, so what it writes is encrypted.
    Sealed,
}

impl Secrecy {
    /// Of the runs of a program: where a type or a declaration has `@secret`, it is unknown which outcome holds it.
    pub(crate) fn of(program: &Program) -> Self {
        let types = program.types.types.iter().flat_map(Type::declared_fields);
        let mut fields = types
            .chain(program.workflows.iter().flat_map(|it| &it.parameters))
            .chain(program.prompts.iter().flat_map(|it| &it.parameters))
            .chain(program.tools.iter().flat_map(|it| &it.parameters))
            .chain(
                program
                    .spawnable
                    .iter()
                    .flat_map(|it| &it.workflow.parameters),
            );
        if fields.any(|it| it.secrecy == types::Secrecy::Redacted) {
            Self::Sealed
        } else {
            Self::Plain
        }
    }

    /// A question as it is written: its text and its key may hold a secret.
    pub(crate) fn of_question(
        self,
        mut question: Question,
        store: &RunStore,
    ) -> Result<Question, Error> {
        match self {
            Self::Plain => Ok(question),
            Self::Sealed => {
                // It is shown to the person who answers by replaying the run.
                question.shown = "null".to_owned();
                let store = store.existing()?;
                let key = question.key.take();
                // Whoever carries a run has its key, unless an earlier version had no secrets.
                let sealed = key.map(|it| store.sealed_key(&it, Missing::Made));
                question.key = sealed.transpose()?;
                Ok(question)
            }
        }
    }
}

/// The records with all their content sealed.
pub(crate) fn sealed_all(
    store: &Store,
    records: impl IntoIterator<Item = (Record, Option<Blob>)>,
) -> Result<Vec<(Record, Option<Blob>)>, Error> {
    let sealed = records
        .into_iter()
        .map(|(record, blob)| store.sealed(record, blob));
    sealed.collect()
}
