//! Damages one place of an answer, as models and networks do.

use gsw_notation::path::Step;

use super::make::{Random, Token, TokenKind, Written};

#[derive(Clone, Copy, Debug)]
pub enum Damage {
    DeleteToken,
    DoubleToken,
    ReplaceToken,
    DeleteCharacter,
    InsertCharacter,
    Cut,
    CutBegin,
    OtherKey,
    OtherCase,
    AddKey,
    SameKey,
    OtherQuotes,
    NoQuotes,
    OtherType,
    Around,
    Wrap,
    Comment,
}

const ALL: &[Damage] = &[
    Damage::DeleteToken,
    Damage::DeleteToken,
    Damage::DoubleToken,
    Damage::ReplaceToken,
    Damage::DeleteCharacter,
    Damage::DeleteCharacter,
    Damage::InsertCharacter,
    Damage::InsertCharacter,
    Damage::Cut,
    Damage::CutBegin,
    Damage::OtherKey,
    Damage::OtherCase,
    Damage::AddKey,
    Damage::SameKey,
    Damage::OtherQuotes,
    Damage::NoQuotes,
    Damage::OtherType,
    Damage::Around,
    Damage::Wrap,
    Damage::Comment,
];

/// A text that was damaged between two places of the whole one.
pub struct Damaged {
    pub what: String,
    pub text: String,
    pub start: usize,
    pub end: usize,
    /// All that lies here is damaged as well, as under a key of a map.
    pub below: Option<Vec<Step<'static>>>,
}

impl Damage {
    pub fn any(random: &mut Random) -> Self {
        *random.pick(ALL)
    }

    pub fn on(self, written: &Written, random: &mut Random) -> Damaged {
        let text = &written.text;
        let token = random.pick(&written.tokens);
        let own = &text[token.start..token.end];
        let place = character(text, random.below(text.len()));
        let after = text[place..]
            .chars()
            .next()
            .map_or(place, |it| place + it.len_utf8());
        match self {
            Damage::DeleteToken => self.replace(written, token.start, token.end, ""),
            Damage::DoubleToken => self.replace(written, token.end, token.end, own),
            Damage::ReplaceToken => {
                let marks: [&'static str; 12] = [
                    "{", "}", "[", "]", ",", ":", "\"", "null", "...", "(", ";", "=>",
                ];
                let by: &&str = random.pick(&marks);
                self.replace(written, token.start, token.end, by)
            }
            Damage::DeleteCharacter => self.replace(written, place, after, ""),
            Damage::InsertCharacter => {
                let all = [
                    "{", "}", "[", "]", ",", ":", "\"", "'", "\n", " x ", "1", "\\", "`", "#",
                    "//", "/*", "```", "-", "\u{a0}",
                ];
                let by: &&str = random.pick(&all);
                self.replace(written, place, place, by)
            }
            Damage::Cut => self.replace(written, place, text.len(), ""),
            Damage::CutBegin => self.replace(written, 0, place, ""),
            Damage::OtherKey | Damage::OtherCase | Damage::AddKey | Damage::SameKey => {
                self.on_key(written, random)
            }
            Damage::OtherQuotes | Damage::NoQuotes | Damage::OtherType => {
                self.on_leaf(written, random)
            }
            Damage::Around | Damage::Wrap => self.outside(written, random),
            Damage::Comment => {
                let comment = *random.pick(&[
                    "// a remark\n",
                    "/* a remark */",
                    "# a remark\n",
                    "// \"x\": 1, {\n",
                    "// a remark",
                ]);
                self.replace(written, token.start, token.start, comment)
            }
        }
    }

    fn outside(self, written: &Written, random: &mut Random) -> Damaged {
        let texts = [
            ("Here it is:\n", "\nI hope it helps."),
            ("```json\n", "\n```"),
            ("<think>{\"title\": \"draft\"} or []</think>\n", ""),
            ("Draft: {\"title\": \"draft\"}\n\nFinal: ", ""),
            ("See [1] and {x}.\n", " [2]"),
            ("```json\n", ""),
            ("<answer>", "</answer>"),
        ];
        let wrappers = [
            ("{\"result\": ", "}"),
            ("[", "]"),
            ("{\"status\": \"ok\", \"data\": ", ", \"code\": 7}"),
            ("{\"name\": \"answer\", \"arguments\": ", "}"),
        ];
        let all: &[(&str, &str)] = if matches!(self, Damage::Wrap) {
            &wrappers
        } else {
            &texts
        };
        let (before, after) = *random.pick(all);
        self.around(written, before, after)
    }

    fn replace(self, written: &Written, start: usize, end: usize, by: &str) -> Damaged {
        let text = &written.text;
        let what = format!("{self:?} at {start}..{end} by {by:?}");
        // What touches a key is on all that lies under it, where any key will do.
        let is_hit = |it: &&Token| it.kind == TokenKind::Key && it.start <= end && start <= it.end;
        let below = written.tokens.iter().find(is_hit).map(|it| it.path.clone());
        Damaged {
            what,
            text: format!("{}{by}{}", &text[..start], &text[end..]),
            start,
            end,
            below,
        }
    }

    fn around(self, written: &Written, before: &str, after: &str) -> Damaged {
        Damaged {
            what: format!("{self:?} {before:?} {after:?}"),
            text: format!("{before}{}{after}", written.text),
            start: usize::MAX,
            end: 0,
            below: None,
        }
    }

    fn on_key(self, written: &Written, random: &mut Random) -> Damaged {
        let keys: Vec<&Token> = written
            .tokens
            .iter()
            .filter(|it| it.kind == TokenKind::Key)
            .collect();
        if keys.is_empty() {
            return self.around(written, "", "\n");
        }
        let key = *random.pick(&keys);
        let own = &written.text[key.start..key.end];
        if matches!(self, Damage::SameKey) {
            return Damaged {
                // It is unknown which of the two is meant, but it must be one of them.
                below: Some(key.path.clone()),
                ..self.replace(written, key.start, key.start, &format!("{own}: 12, "))
            };
        }
        if matches!(self, Damage::AddKey) {
            return Damaged {
                below: None,
                ..self.replace(written, key.start, key.start, "\"extra\": \"more\", ")
            };
        }
        let other = match random.below(2) {
            _ if matches!(self, Damage::OtherKey) => "\"other\"".to_owned(),
            0 => own.to_uppercase(),
            _ => own.replace('_', "-"),
        };
        self.replace(written, key.start, key.end, &other)
    }

    fn on_leaf(self, written: &Written, random: &mut Random) -> Damaged {
        if written.leaves.is_empty() {
            return self.around(written, "", "\n");
        }
        let leaf = random.pick(&written.leaves);
        let own = &written.text[leaf.start..leaf.end];
        let others = [
            "null",
            "12",
            "\"12\"",
            "[]",
            "{}",
            "true",
            "\"\"",
            "[1, 2]",
            "{\"a\": 1}",
        ];
        let other = if matches!(self, Damage::OtherQuotes) {
            format!("'{}'", own.trim_matches('"'))
        } else if matches!(self, Damage::NoQuotes) {
            own.trim_matches('"').to_owned()
        } else {
            (*random.pick(&others)).to_owned()
        };
        self.replace(written, leaf.start, leaf.end, &other)
    }
}

/// The beginning of a character.
fn character(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
