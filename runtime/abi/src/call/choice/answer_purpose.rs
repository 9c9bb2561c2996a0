//! What an answer in a session is for.

use super::numbered::numbered;

/// What an answer is to the exchanges before it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum AnswerPurpose {
    /// It continues with the conversation.
    Next,
    /// It is a better one of a `reflect` around its prompt.
    Better,
    /// It is that of `revise`.
    Revision,
}

numbered!(AnswerPurpose {
    Next,
    Better,
    Revision
});
