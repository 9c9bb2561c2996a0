//! Whether a request can fit the window of its model, before it is sent.
//!
//! Only the provider has the tokenizer of a model, so what is counted is the least that any of them makes of a text: words,
//! numbers of up to three digits and runs of signs are split before they are made tokens, so each is one token at least, and a
//! token holds sixteen bytes of one at most. English prose counts some three quarters of its real tokens so. What is refused here
//! would certainly be refused there; what is not may be. Images, documents and the answer are not counted.

use gsw_engine::model::{Content, FailureKind, ModelFailure, ModelRequest, Oversize};

use crate::catalogue::Catalogue;

/// The most bytes of one word that one token holds.
const LONGEST_TOKEN: u64 = 16;
/// The most digits of one.
const LONGEST_NUMBER: u64 = 3;

/// An error where the request is larger than the window.
pub(crate) fn check(request: &ModelRequest) -> Result<(), ModelFailure> {
    let known = Catalogue::built_in().find(&request.model);
    let Some(limit) = known.and_then(|it| it.context) else {
        return Ok(());
    };
    // A token is a byte at least, so most requests need no count.
    if request.weight() as u64 <= limit {
        return Ok(());
    }
    let tokens = least_tokens(request);
    if tokens <= limit {
        return Ok(());
    }
    let message = format!(
        "the request has at least {tokens} tokens, counted by words, and `{}` takes {limit}: it was not sent",
        request.model
    );
    Err(ModelFailure {
        oversize: Some(Box::new(Oversize { tokens, limit })),
        ..ModelFailure::new(FailureKind::ContextTooLong, message)
    })
}

/// The least number of tokens that the texts of a request can be.
fn least_tokens(request: &ModelRequest) -> u64 {
    let texts = request.messages.iter().flat_map(|it| &it.content);
    let texts = texts.map(|it| match it {
        Content::Text { text } | Content::ToolResult { content: text, .. } => least(text),
        Content::ToolUse { .. } | Content::Media { .. } | Content::Opaque { .. } => 0,
    });
    let system = request.system.as_deref().map_or(0, least);
    texts.sum::<u64>() + system
}

/// What the characters of a run have in common.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letters,
    Digits,
    /// Joined with what follows or precedes them.
    Blanks,
    Signs,
}

impl Kind {
    fn of(character: char) -> Self {
        if character.is_alphabetic() {
            Self::Letters
        } else if character.is_numeric() {
            Self::Digits
        } else if character.is_whitespace() {
            Self::Blanks
        } else {
            Self::Signs
        }
    }

    /// The least tokens of a run of this many characters and bytes.
    fn least(self, characters: u64, bytes: u64) -> u64 {
        match self {
            Self::Letters => bytes.div_ceil(LONGEST_TOKEN),
            Self::Digits => characters.div_ceil(LONGEST_NUMBER),
            // Signs join the word after them, as in `.name`, and long runs such as `-----` are one token.
            Self::Blanks | Self::Signs => 0,
        }
    }
}

fn least(text: &str) -> u64 {
    let mut tokens = 0;
    let mut run = (Kind::Blanks, 0, 0);
    for character in text.chars() {
        let kind = Kind::of(character);
        if kind != run.0 {
            tokens += run.0.least(run.1, run.2);
            run = (kind, 0, 0);
        }
        run.1 += 1;
        run.2 += character.len_utf8() as u64;
    }
    tokens + run.0.least(run.1, run.2)
}

#[cfg(test)]
mod tests {
    use super::{check, least};
    use crate::request::{plain_request, said};
    use gsw_engine::model::{FailureKind, Oversize, Role};

    #[test]
    fn a_text_is_counted_as_the_least_that_it_can_be() {
        // As cl100k_base counts them: 4, 6, 4, 2 and 1.
        for (text, most) in [
            ("Hello, wörld", 4),
            ("fn main() { x.y }", 6),
            ("1234567890", 4),
            ("internationalization", 2),
            ("----------------", 1),
        ] {
            assert!(least(text) <= most, "{text}: {}", least(text));
        }
        assert_eq!(least("one two  three\nfour"), 4);
        assert_eq!(least(&"x".repeat(1600)), 100);
    }

    #[test]
    fn what_cannot_fit_is_refused_and_what_may_is_not() {
        let mut request = plain_request("anthropic/claude-haiku-4-5", &"word ".repeat(199_999));
        assert!(check(&request).is_ok());
        request.messages.push(said(Role::User, "and two"));
        let failure = check(&request).expect_err("it is too long");
        assert_eq!(failure.kind, FailureKind::ContextTooLong);
        let (tokens, limit) = (200_001, 200_000);
        assert_eq!(
            failure.oversize.as_deref(),
            Some(&Oversize { tokens, limit })
        );
        request.model = "openai/local".into();
        assert!(check(&request).is_ok(), "its window is not known");
    }
}
