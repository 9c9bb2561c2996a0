//! Which exchange of a session an answer replaces.
//!
//! Only one that a prompt was asked in, and that of nobody else: what the program has put into the session, and what is left of older
//! exchanges, is what later answers rest on.

use gsw_abi::call::AnswerPurpose;

use crate::node::NodeId;
use crate::run::Run;

/// What happens to the last exchange of a session when a call in it is answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Last {
    Kept,
    /// Removes the exchange of this number.
    Replaced(u64),
}

const NOTHING_SAID: &str =
    "`revise` replaces the last exchange of the session, and nothing has been said in it";
const NOT_ASKED: &str = "`revise` replaces what was asked last in the session, and its last exchange is none that a prompt was asked in: the program has put it there, by `seed` or `compact`";

/// What a call of a prompt replaces.
///
/// # Errors
/// In words, where `revise` has nothing that it may replace.
pub(crate) fn last(
    run: &Run,
    word: u64,
    prompt: usize,
    purpose: AnswerPurpose,
) -> Result<Last, &'static str> {
    let last = run.sessions.get(word).exchanges.last();
    let asked = last.and_then(|it| it.asked.as_ref());
    match (purpose, last, asked) {
        (AnswerPurpose::Next, _, _) => Ok(Last::Kept),
        (AnswerPurpose::Revision, None, _) => Err(NOTHING_SAID),
        (AnswerPurpose::Revision, Some(_), None) => Err(NOT_ASKED),
        (AnswerPurpose::Revision, Some(last), Some(_)) => Ok(Last::Replaced(last.number)),
        // Other calls may have asked since, or the conversation was shortened: then the better answer is added at the end.
        (AnswerPurpose::Better, Some(last), Some(asked))
            if asked.task == run.scheduler.current() && asked.prompt == Some(prompt) =>
        {
            Ok(Last::Replaced(last.number))
        }
        (AnswerPurpose::Better, _, _) => Ok(Last::Kept),
    }
}

/// The prompt whose exchange is replaced, if a model was asked.
pub(crate) fn prompt_of(run: &Run, word: u64, last: Last) -> Option<NodeId> {
    let Last::Replaced(number) = last else {
        return None;
    };
    let exchanges = &run.sessions.get(word).exchanges;
    let replaced = exchanges.iter().find(|it| it.number == number)?;
    replaced.asked.as_ref()?.node
}

/// Removes what is replaced, where it is still there; returns the place of what follows.
pub(super) fn take(run: &mut Run, word: u64, last: Last) -> usize {
    let exchanges = &mut run.sessions.get_mut(word).exchanges;
    let replaced = match last {
        Last::Kept => None,
        Last::Replaced(number) => exchanges.iter().position(|it| it.number == number),
    };
    let Some(place) = replaced else {
        return exchanges.len();
    };
    let replaced = exchanges.remove(place);
    run.heap.discharge(replaced.weight);
    place
}
