//! Strings and whole values of a JSON text that comes in pieces.

/// What happened to a piece.
pub(super) enum Taken<'a> {
    /// All of it belongs to the string.
    All,
    /// The string has ended; this comes after it.
    Ended(&'a str),
    /// It is no JSON.
    Broken,
}

/// Inside a string whose characters are handed over as they come.
#[derive(Debug, Default)]
pub(super) struct Text {
    /// An escape that is not whole, with its backslash.
    escape: String,
}

impl Text {
    /// Takes what belongs to the string.
    pub(super) fn take<'a>(&mut self, piece: &'a str, tell: &mut dyn FnMut(&str)) -> Taken<'a> {
        let mut rest = piece;
        loop {
            if !self.escape.is_empty() {
                let Some(next) = rest.chars().next() else {
                    return Taken::All;
                };
                self.escape.push(next);
                rest = &rest[next.len_utf8()..];
                match unescaped(&self.escape) {
                    Escape::Open => {}
                    Escape::Of(character) => {
                        self.escape.clear();
                        tell(character.encode_utf8(&mut [0; 4]));
                    }
                    Escape::Broken => return Taken::Broken,
                }
                continue;
            }
            let end = rest.find(['"', '\\']).unwrap_or(rest.len());
            let (plain, after) = rest.split_at(end);
            if plain.contains(|it: char| it < ' ') {
                return Taken::Broken;
            }
            if !plain.is_empty() {
                tell(plain);
            }
            match after.as_bytes().first() {
                None => return Taken::All,
                Some(b'"') => return Taken::Ended(&after[1..]),
                Some(_) => self.escape.push('\\'),
            }
            rest = &after[1..];
        }
    }
}

/// How far an escape has come.
enum Escape {
    Open,
    Of(char),
    Broken,
}

fn unescaped(escape: &str) -> Escape {
    let plain = match escape.as_bytes().get(1) {
        None => return Escape::Open,
        Some(b'u') => return unicode(&escape[2..]),
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(_) => return Escape::Broken,
    };
    Escape::Of(plain)
}

/// What comes after `\u`: four digits, or eight with a `\u` between them for what takes two units.
fn unicode(text: &str) -> Escape {
    let unit = |digits: &str| {
        let are_digits = digits.bytes().all(|it| it.is_ascii_hexdigit());
        are_digits.then(|| u32::from_str_radix(digits, 16).unwrap_or_default())
    };
    let (Some(first), rest) = (text.get(..4), text.get(4..).unwrap_or_default()) else {
        let is_open = text.bytes().all(|it| it.is_ascii_hexdigit());
        return if is_open {
            Escape::Open
        } else {
            Escape::Broken
        };
    };
    let Some(first) = unit(first) else {
        return Escape::Broken;
    };
    if !(0xd800..0xdc00).contains(&first) {
        return char::from_u32(first).map_or(Escape::Broken, Escape::Of);
    }
    match rest.strip_prefix("\\u") {
        None if "\\u".starts_with(rest) => Escape::Open,
        None => Escape::Broken,
        Some(digits) if digits.len() < 4 => match unit(digits) {
            Some(_) => Escape::Open,
            None => Escape::Broken,
        },
        Some(digits) => match unit(digits) {
            Some(second @ 0xdc00..0xe000) => {
                let both = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                char::from_u32(both).map_or(Escape::Broken, Escape::Of)
            }
            Some(_) | None => Escape::Broken,
        },
    }
}

/// The text of a value up to where it is whole. Only its extent is found here; its reader decides whether it is JSON.
#[derive(Debug)]
pub(super) struct Collected {
    text: String,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    String {
        is_escaped: bool,
    },
    /// A list or record with this many brackets open.
    Nested {
        depth: usize,
        within: Within,
    },
    /// A number or a word, which ends where something else begins.
    Word,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Within {
    Brackets,
    String,
    Escape,
}

impl Collected {
    /// A string after its opening quote.
    pub(super) fn string() -> Self {
        Self {
            text: "\"".into(),
            kind: Kind::String { is_escaped: false },
        }
    }

    /// A value that is no string and begins with this character, which is yet to be taken.
    pub(super) fn beginning_with(first: char) -> Option<Self> {
        let kind = match first {
            '{' | '[' => Kind::Nested {
                depth: 0,
                within: Within::Brackets,
            },
            '-' | '0'..='9' | 'a'..='z' | 'A'..='Z' => Kind::Word,
            _ => return None,
        };
        Some(Self {
            text: String::new(),
            kind,
        })
    }

    /// Takes what belongs to the value; returns what comes after it, if it is whole.
    pub(super) fn take<'a>(&mut self, piece: &'a str) -> Option<&'a str> {
        let end = piece.bytes().position(|it| self.ends_with(it));
        let end = match end {
            // A word does not have what ends it.
            Some(at) if self.kind == Kind::Word => at,
            Some(at) => at + 1,
            None => {
                self.text.push_str(piece);
                return None;
            }
        };
        self.text.push_str(&piece[..end]);
        Some(&piece[end..])
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether the value ends with this byte, or before it if it is a word.
    fn ends_with(&mut self, byte: u8) -> bool {
        match &mut self.kind {
            Kind::Word => {
                !matches!(byte, b'+' | b'-' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z')
            }
            Kind::String { is_escaped } => match (byte, *is_escaped) {
                (_, true) => {
                    *is_escaped = false;
                    false
                }
                (b'\\', false) => {
                    *is_escaped = true;
                    false
                }
                (b'"', false) => true,
                (_, false) => false,
            },
            Kind::Nested { depth, within } => match (*within, byte) {
                (Within::Escape, _) => {
                    *within = Within::String;
                    false
                }
                (Within::String, b'\\') => {
                    *within = Within::Escape;
                    false
                }
                (Within::String, b'"') => {
                    *within = Within::Brackets;
                    false
                }
                (Within::Brackets, b'"') => {
                    *within = Within::String;
                    false
                }
                (Within::Brackets, b'{' | b'[') => {
                    *depth += 1;
                    false
                }
                (Within::Brackets, b'}' | b']') => {
                    *depth -= 1;
                    *depth == 0
                }
                (Within::String | Within::Brackets, _) => false,
            },
        }
    }
}
