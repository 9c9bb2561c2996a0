//! Which runs the words of a command mean: a person may write the beginning of an id. From here on ids are whole.

use gsw_driver::durable::store::RunStore;
use gsw_journal::store::Error;

use crate::runs::arguments::{Asking, RunsCommand};

/// The id of the run that a word means.
pub(super) fn of_word(store: &RunStore, word: &str) -> Result<String, Error> {
    Ok(store.existing()?.find_by_beginning(word)?.id)
}

/// Completes the ids of a command. A word that means no run stays as it is: the command says what it misses.
pub(super) fn complete(command: &mut RunsCommand, store: &RunStore) -> Result<(), String> {
    for word in words(command) {
        match of_word(store, word) {
            Ok(id) => *word = id,
            Err(error @ Error::Ambiguous(_)) => return Err(error.to_string()),
            Err(_) => {}
        }
    }
    Ok(())
}

/// What of a command is the id of a run.
fn words(command: &mut RunsCommand) -> Vec<&mut String> {
    match command {
        RunsCommand::Show { id }
        | RunsCommand::Settle { id, .. }
        | RunsCommand::Undo { id, .. }
        | RunsCommand::Fork { id, .. }
        | RunsCommand::Migrate { id }
        | RunsCommand::Cancel { id }
        | RunsCommand::Abandon { id }
        | RunsCommand::Export { id, .. }
        | RunsCommand::Answer {
            to: Asking::Run(id),
            ..
        } => vec![id],
        RunsCommand::Diff { first, second } => vec![first, second],
        RunsCommand::Resume { id } | RunsCommand::Wait { id } | RunsCommand::Verify { id } => {
            id.iter_mut().collect()
        }
        RunsCommand::List
        | RunsCommand::Check { .. }
        | RunsCommand::Prune
        | RunsCommand::Answer {
            to: Asking::Key(_), ..
        } => Vec::new(),
    }
}
