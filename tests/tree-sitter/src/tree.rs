//! Trees of words and lists, as the compiler dumps them, without what says nothing of their shape: docs, the text of strings,
//! the value of numbers.

use std::fmt;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tree {
    Word(String),
    List(Vec<Tree>),
}

/// What stands for every number, and for every string.
pub const NUMBER: &str = "#";
pub const STRING: &str = "\"\"";

impl Tree {
    pub(crate) fn word(text: &str) -> Self {
        Self::Word(text.to_owned())
    }

    pub(crate) fn list(head: &str, rest: impl IntoIterator<Item = Self>) -> Self {
        // An operator of two words, which a dump has one after the other.
        Self::List(head.split(' ').map(Self::word).chain(rest).collect())
    }

    /// The tree with the empty list as the word that a dump shows it as.
    pub(crate) fn with_units(self) -> Self {
        match self {
            Self::List(parts) if parts.is_empty() => Self::word("()"),
            Self::List(parts) => Self::List(parts.into_iter().map(Self::with_units).collect()),
            Self::Word(_) => self,
        }
    }

    /// Reads a dump of the compiler.
    #[must_use]
    pub fn of_dump(dump: &str) -> Self {
        let mut open: Vec<Vec<Self>> = vec![Vec::new()];
        let mut rest = dump.trim();
        while let Some(first) = rest.chars().next() {
            let length = match first {
                '"' => quoted_length(rest),
                // The empty list is a word: the unit.
                '(' if rest.starts_with("()") => 2,
                '(' | ')' => 1,
                _ if first.is_whitespace() => first.len_utf8(),
                _ => rest
                    .find(|it: char| it.is_whitespace() || it == ')')
                    .unwrap_or(rest.len()),
            };
            let (token, after) = rest.split_at(length);
            rest = after;
            match token {
                "(" => open.push(Vec::new()),
                ")" => {
                    let list = simplified(open.pop().unwrap_or_default());
                    open.last_mut().expect("brackets are in pairs").push(list);
                }
                _ if token.trim().is_empty() => {}
                _ => {
                    let last = open.last_mut().expect("brackets are in pairs");
                    last.push(Self::Word(leaf(token)));
                }
            }
        }
        let mut top = open.pop().unwrap_or_default();
        top.pop().unwrap_or_else(|| Self::word(""))
    }
}

fn quoted_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, it) in text.char_indices().skip(1) {
        match it {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn leaf(token: &str) -> String {
    let digits = token.strip_prefix('-').unwrap_or(token);
    if token.starts_with('"') {
        STRING.into()
    } else if token == "too-large" || digits.starts_with(|it: char| it.is_ascii_digit()) {
        NUMBER.into()
    } else {
        token.to_owned()
    }
}

/// Without docs, and without the text between interpolations.
fn simplified(mut list: Vec<Tree>) -> Tree {
    let before = list.len();
    list.retain(
        |it| !matches!(it, Tree::List(inner) if inner.first() == Some(&Tree::word("docs"))),
    );
    if list.len() < before && matches!(list.as_slice(), [Tree::List(_)]) {
        return list.remove(0);
    }
    if list.first() == Some(&Tree::word("interpolation")) {
        list.retain(|it| *it != Tree::word(STRING));
    }
    Tree::List(list)
}

impl fmt::Display for Tree {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(text) => formatter.write_str(text),
            Self::List(nodes) => {
                formatter.write_str("(")?;
                for (index, node) in nodes.iter().enumerate() {
                    if index > 0 {
                        formatter.write_str(" ")?;
                    }
                    node.fmt(formatter)?;
                }
                formatter.write_str(")")
            }
        }
    }
}
