//! How models mark in an answer what they think aloud.

/// The marks around a thought, as templates of conversations and models write them; case does not count.
#[derive(Debug)]
pub struct Thought {
    open: &'static str,
    close: &'static str,
}

const fn marks(open: &'static str, close: &'static str) -> Thought {
    Thought { open, close }
}

const THOUGHTS: &[Thought] = &[
    marks("<think>", "</think>"),
    marks("<thinking>", "</thinking>"),
    marks("<thought>", "</thought>"),
    marks("<thoughts>", "</thoughts>"),
    marks("<reasoning>", "</reasoning>"),
    marks("<scratchpad>", "</scratchpad>"),
    marks("<analysis>", "</analysis>"),
    marks("<reflection>", "</reflection>"),
    marks("<seed:think>", "</seed:think>"),
    marks("[THINK]", "[/THINK]"),
    marks("◁think▷", "◁/think▷"),
    marks("<|channel|>analysis<|message|>", "<|end|>"),
    marks("<|START_THINKING|>", "<|END_THINKING|>"),
    marks("<|begin_of_thought|>", "<|end_of_thought|>"),
];

/// What a mark may begin with.
pub const FIRST: [char; 3] = ['<', '[', '◁'];

/// The thought that a text begins with: its marks, and the length of the first one.
fn opened(text: &str) -> Option<(&'static Thought, usize)> {
    let open = THOUGHTS.iter().find(|it| begins(text, it.open))?;
    Some((open, open.open.len()))
}

/// The length of the thought that a text begins with: all of the text where the thought has no end.
#[must_use]
pub fn length(text: &str) -> Option<usize> {
    let (thought, begin) = opened(text)?;
    let mark = thought.close.as_bytes();
    let mut rest = text.as_bytes()[begin..].windows(mark.len());
    let end = rest.position(|it| it.eq_ignore_ascii_case(mark));
    Some(end.map_or(text.len(), |it| begin + it + mark.len()))
}

/// Where the thoughts end whose beginning is not in the text; nothing where one begins in it.
#[must_use]
pub fn unopened(text: &str) -> Vec<usize> {
    let text = text.to_ascii_lowercase();
    let holds = |mark: &str| text.contains(&mark.to_ascii_lowercase());
    if THOUGHTS.iter().any(|it| holds(it.open)) {
        return Vec::new();
    }
    let ends = THOUGHTS.iter().flat_map(|it| {
        let close = it.close.to_ascii_lowercase();
        let ends = text.match_indices(&close).map(|(at, it)| at + it.len());
        ends.collect::<Vec<usize>>()
    });
    ends.collect()
}

fn begins(text: &str, mark: &str) -> bool {
    let begin = text.as_bytes().get(..mark.len());
    begin.is_some_and(|it| it.eq_ignore_ascii_case(mark.as_bytes()))
}

/// Follows the marks of thoughts through a text that arrives in pieces.
#[derive(Debug, Default)]
pub struct Follower {
    /// The last bytes, in which a mark may have begun.
    last: Vec<u8>,
    within: Option<&'static Thought>,
}

impl Follower {
    /// Takes the next character, and says whether it is in a thought or ends a mark.
    pub fn takes(&mut self, character: char) -> bool {
        const LONGEST: usize = 64;
        let mut bytes = [0; 4];
        self.last
            .extend(character.encode_utf8(&mut bytes).as_bytes());
        if self.last.len() > LONGEST {
            self.last.drain(..LONGEST / 2);
        }
        let next = match self.within {
            Some(thought) if self.has_just_read(thought.close) => None,
            Some(_) => return true,
            None => match THOUGHTS.iter().find(|it| self.has_just_read(it.open)) {
                Some(thought) => Some(thought),
                None => return false,
            },
        };
        self.within = next;
        self.last.clear();
        true
    }

    /// Takes the next character, and says whether it ends a thought that nothing in the text has begun.
    pub fn closes(&mut self, character: char) -> bool {
        if self.takes(character) || !THOUGHTS.iter().any(|it| self.has_just_read(it.close)) {
            return false;
        }
        self.last.clear();
        true
    }

    fn has_just_read(&self, mark: &str) -> bool {
        let begin = self.last.len().checked_sub(mark.len());
        begin.is_some_and(|it| self.last[it..].eq_ignore_ascii_case(mark.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::{Follower, length, unopened};

    #[test]
    fn a_thought_ends_with_its_own_mark() {
        assert_eq!(length("<THINK>a</thinking></Think>b"), Some(27));
        assert_eq!(length("[think]1[/THINK]2"), Some(16));
        assert_eq!(length("◁think▷no end"), Some("◁think▷no end".len()));
        assert_eq!(length("<b>"), None);
        assert_eq!(unopened("a</think>b"), [9]);
        assert!(unopened("<think>a</think>b").is_empty());
    }

    #[test]
    fn only_a_thought_that_nothing_has_begun_is_closed() {
        let closed = |text: &str| {
            let mut follower = Follower::default();
            text.chars().filter(|it| follower.closes(*it)).count()
        };
        assert_eq!(closed("a</THINK>b[/think]"), 2);
        assert_eq!(closed("<think>a</think>b"), 0);
    }

    #[test]
    fn a_mark_may_be_cut_anywhere() {
        let outside = |text: &str| {
            let mut follower = Follower::default();
            let outside = text.chars().filter(|it| !follower.takes(*it));
            outside.collect::<String>()
        };
        assert_eq!(outside("a<think>b</think>c"), "a<thinkc");
        assert_eq!(
            outside(&format!("◁THINK▷{}◁/think▷d", "<".repeat(200))),
            "◁THINKd"
        );
    }
}
