//! A result as people read it on a terminal: a text bare, everything else as JSON on indented lines.

use gsw_trace::Shown;

use crate::terminal::Colors;

const INDENT: &str = "  ";
/// A list of plain values that is shorter, in bytes, stays on one line.
const SHORT: usize = 72;

/// The lines of a result, which is given as compact JSON.
pub fn lines(json: &str, colors: Colors) -> String {
    match serde_json::from_str::<String>(json) {
        Ok(text) => format!("{}\n", Shown::lines(&text)),
        Err(_) => format!("{}\n", Indented::new(colors).of(json)),
    }
}

/// What a piece of JSON is, by which it gets its colour.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    Key,
    Text,
    /// A number, `true`, `false` or `null`.
    Word,
}

/// Writes JSON piece by piece, however deep it is; numbers stay as they are written.
struct Indented {
    out: String,
    colors: Colors,
    depth: usize,
    list: List,
}

/// How the list or object at hand is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    /// A line for each item.
    Long,
    Short,
}

impl Indented {
    const fn new(colors: Colors) -> Self {
        Self {
            out: String::new(),
            colors,
            depth: 0,
            list: List::Long,
        }
    }

    fn of(mut self, json: &str) -> String {
        let json = Shown::json(json).text();
        let mut rest: &str = &json;
        while let Some(next) = rest.chars().next() {
            let length = match next {
                '"' => {
                    let end = end_of_text(rest);
                    let is_key = rest[end..].starts_with(':');
                    let piece = if is_key { Piece::Key } else { Piece::Text };
                    self.piece(piece, &rest[..end]);
                    end
                }
                '{' | '[' => self.open(rest),
                '}' | ']' => {
                    self.close(next);
                    1
                }
                ',' => {
                    self.out.push(',');
                    match self.list {
                        List::Long => self.new_line(),
                        List::Short => self.out.push(' '),
                    }
                    1
                }
                ':' => {
                    self.out.push_str(": ");
                    1
                }
                it if it.is_whitespace() => it.len_utf8(),
                _ => {
                    let end = rest.find([',', '}', ']', ' ', '\n']).unwrap_or(rest.len());
                    self.piece(Piece::Word, &rest[..end]);
                    end
                }
            };
            rest = &rest[length..];
        }
        self.out
    }

    /// Writes the beginning of a list or an object; returns how much of the text that is.
    fn open(&mut self, rest: &str) -> usize {
        self.out.push_str(&rest[..1]);
        if rest[1..].starts_with(['}', ']']) {
            self.out.push_str(&rest[1..2]);
            return 2;
        }
        if is_short(rest) {
            self.list = List::Short;
        } else {
            self.depth += 1;
            self.new_line();
        }
        1
    }

    fn close(&mut self, bracket: char) {
        match self.list {
            List::Short => self.list = List::Long,
            List::Long => {
                self.depth = self.depth.saturating_sub(1);
                self.new_line();
            }
        }
        self.out.push(bracket);
    }

    fn new_line(&mut self) {
        self.out.push('\n');
        self.out.push_str(&INDENT.repeat(self.depth));
    }

    fn piece(&mut self, piece: Piece, text: &str) {
        if self.colors == Colors::Off {
            self.out.push_str(text);
            return;
        }
        let code = match piece {
            Piece::Key => "36",
            Piece::Text => "32",
            Piece::Word => "33",
        };
        self.out.push_str(&format!("\u{1b}[{code}m{text}\u{1b}[0m"));
    }
}

/// Whether a list of plain values begins here that fits on a line.
fn is_short(json: &str) -> bool {
    let mut at = 1;
    while json.starts_with('[') && at < SHORT {
        match json.as_bytes().get(at) {
            Some(b'"') => at += end_of_text(&json[at..]),
            Some(b']') => return true,
            None | Some(b'[' | b'{') => return false,
            Some(_) => at += 1,
        }
    }
    false
}

/// How long a text in quotes is that `json` begins with.
fn end_of_text(json: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in json.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    json.len()
}

#[cfg(test)]
mod tests {
    use super::lines;
    use crate::terminal::Colors;

    #[test]
    fn what_is_shown_is_the_same_json() {
        let json = r#"{"a b":[1.50,{"c\"}":"x\\"},[],{}],"d":null,"e":-2e3,"f":[true,"[1,2]"]}"#;
        let shown = lines(json, Colors::Off);
        assert!(shown.starts_with("{\n  \"a b\": [\n    1.50,\n    {\n      \"c\\\"}\": \"x\\\\\"\n    },\n    [],\n    {}\n  ],\n"), "{shown}");
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
        assert_eq!(read(&shown), read(json));
        assert!(shown.ends_with("\"f\": [true, \"[1,2]\"]\n}\n"), "{shown}");
        let long = format!("[{}1]", "1,".repeat(40));
        assert_eq!(lines(&long, Colors::Off).lines().count(), 43);
        let deep = format!("{}1{}", "[".repeat(500), "]".repeat(500));
        let shown = lines(&deep, Colors::Off)
            .split_whitespace()
            .collect::<String>();
        assert_eq!(shown, deep);
    }

    #[test]
    fn a_text_is_bare_and_colours_are_ours_alone() {
        assert_eq!(lines(r#""a\n\u001b[2Jb""#, Colors::On), "a\n␛[2Jb\n");
        let shown = lines("{\"a\":\"\\u001b[2J\u{9b}1m\"}", Colors::On);
        assert_eq!(
            shown,
            "{\n  \u{1b}[36m\"a\"\u{1b}[0m: \u{1b}[32m\"\\u001b[2J\\u009b1m\"\u{1b}[0m\n}\n"
        );
        assert_eq!(lines("17", Colors::Off), "17\n");
    }
}
