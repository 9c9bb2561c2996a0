//! The purpose for which a stored run is resumed.

use gsw_journal::record::UndoWish;

#[derive(Clone, Copy)]
pub(super) enum Purpose {
    Resume,
    Await,
    Cancel,
    Undo(UndoWish),
}

impl Purpose {
    /// The command of `runs` for it.
    pub(super) fn words(self, id: &str) -> Vec<String> {
        let words = |command: &str| vec![command.to_owned(), id.to_owned()];
        let undo = |number: u64, how: &str| {
            let mut words = words("undo");
            words.extend([number.to_string(), how.to_owned()]);
            words
        };
        match self {
            Self::Resume => words("resume"),
            Self::Await => words("wait"),
            Self::Cancel => words("cancel"),
            Self::Undo(UndoWish::Failed) => words("undo"),
            Self::Undo(UndoWish::Again(number)) => undo(number, "again"),
            Self::Undo(UndoWish::Done(number)) => undo(number, "done"),
        }
    }
}
