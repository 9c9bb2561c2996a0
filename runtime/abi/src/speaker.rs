//! The speaker of a text of a prompt, as compiled code hands texts to the runtime.

/// The speaker of a text of a prompt whose texts are a list of pairs `(int, string)`: the first is [`Speaker::word`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Speaker {
    System,
    User,
    Assistant,
    /// None: the block of a parameter that the body does not name. It joins the user's text before it as it is.
    Block,
}

impl Speaker {
    pub const ALL: [Self; 4] = [Self::System, Self::User, Self::Assistant, Self::Block];

    #[must_use]
    pub const fn word(self) -> u64 {
        self as u64
    }

    /// The speaker of this word, if there is one.
    #[must_use]
    pub fn of(word: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.word() == word)
    }
}
