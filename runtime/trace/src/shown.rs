//! Text from outside as a terminal may show it: nothing in it moves the cursor, changes colours, answers for the user or reads in
//! another order than it is written.
//!
//! What a model, a tool, a server or a file says goes through here on its way to a terminal. Controls of ASCII become pictures
//! (`␛`), other signs that a terminal obeys their numbers (`\u{9b}`).

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter, Write};

/// A text that a terminal can show.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    text: &'a str,
    form: Form,
}

/// What stays as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// Nothing that ends the line; a tab is a space.
    Line,
    /// Ends of lines, each followed by this indent at least, and tabs.
    Lines(&'static str),
    /// White space; the rest becomes escapes of JSON, so that the value is the same.
    Json,
    /// Ends of lines, tabs, and colours, for what we have coloured ourselves.
    Styled,
}

impl<'a> Shown<'a> {
    #[must_use]
    pub const fn line(text: &'a str) -> Self {
        let form = Form::Line;
        Self { text, form }
    }

    /// In as many lines as it has.
    #[must_use]
    pub const fn lines(text: &'a str) -> Self {
        Self::hanging(text, "")
    }

    /// In as many lines as it has, the further ones indented at least so far, so that none can be taken for a line of ours.
    #[must_use]
    pub const fn hanging(text: &'a str, indent: &'static str) -> Self {
        let form = Form::Lines(indent);
        Self { text, form }
    }

    /// A text of JSON, which stays the same JSON.
    #[must_use]
    pub const fn json(text: &'a str) -> Self {
        let form = Form::Json;
        Self { text, form }
    }

    /// A text of ours in colours.
    #[must_use]
    pub const fn styled(text: &'a str) -> Self {
        let form = Form::Styled;
        Self { text, form }
    }

    /// The text; the same one where nothing has to be changed.
    #[must_use]
    pub fn text(self) -> Cow<'a, str> {
        let is_plain = match self.form {
            Form::Lines("") | Form::Json | Form::Styled => {
                |it: char| matches!(it, '\n' | '\t') || !is_obeyed(it)
            }
            Form::Line | Form::Lines(_) => {
                |it: char| !is_obeyed(it) && !matches!(it, '\u{2028}' | '\u{2029}')
            }
        };
        if self.text.chars().all(is_plain) {
            Cow::Borrowed(self.text)
        } else {
            Cow::Owned(self.to_string())
        }
    }
}

impl Display for Shown<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let mut rest = self.text.chars();
        while let Some(next) = rest.next() {
            match (next, self.form) {
                ('\n', Form::Lines(indent)) if rest.as_str().starts_with(indent) => {
                    out.write_char('\n')?;
                }
                ('\n', Form::Lines(indent)) => write!(out, "\n{indent}")?,
                // The end of a line as other systems write it.
                ('\r', Form::Lines(_)) if rest.as_str().starts_with('\n') => {}
                ('\n', Form::Json | Form::Styled)
                | ('\t', Form::Lines(_) | Form::Json | Form::Styled) => out.write_char(next)?,
                ('\t', Form::Line) => out.write_char(' ')?,
                ('\u{1b}', Form::Styled) => match colour(rest.as_str()) {
                    Some(colour) => {
                        write!(out, "\u{1b}{colour}")?;
                        rest = rest.as_str()[colour.len()..].chars();
                    }
                    None => write_sign(out, next)?,
                },
                ('\u{2028}' | '\u{2029}', Form::Line) => write_sign(out, next)?,
                (it, Form::Json) if is_obeyed(it) => write!(out, "\\u{:04x}", u32::from(it))?,
                (it, _) if is_obeyed(it) => write_sign(out, it)?,
                (it, _) => out.write_char(it)?,
            }
        }
        Ok(())
    }
}

/// Whether a terminal does something else with it than to show it.
const fn is_obeyed(it: char) -> bool {
    matches!(it,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        // What turns the direction of the text after it: a name could read as another.
        | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn write_sign(out: &mut Formatter<'_>, it: char) -> fmt::Result {
    let picture = match it {
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(it)),
        '\u{7f}' => Some('\u{2421}'),
        _ => None,
    };
    match picture {
        Some(picture) => out.write_char(picture),
        None => write!(out, "{}", it.escape_unicode()),
    }
}

/// The rest of a sequence that only changes colours, after its escape.
fn colour(text: &str) -> Option<&str> {
    let parameters = text.strip_prefix('[')?;
    let end = parameters.find(|it: char| !it.is_ascii_digit() && it != ';')?;
    parameters[end..].starts_with('m').then(|| &text[..end + 2])
}

#[cfg(test)]
mod tests {
    use super::Shown;

    #[test]
    fn nothing_that_a_terminal_obeys_passes() {
        let hostile = "a\u{1b}[2J\r\nb\t\u{7}\u{7f}\u{9b}31m\u{85}\u{202e}c\u{2066}\u{2028}d\r";
        assert_eq!(
            Shown::line(hostile).to_string(),
            r"a␛[2J␍␊b ␇␡\u{9b}31m\u{85}\u{202e}c\u{2066}\u{2028}d␍"
        );
        assert_eq!(
            Shown::hanging(hostile, "  ").to_string(),
            "a␛[2J\n  b\t␇␡\\u{9b}31m\\u{85}\\u{202e}c\\u{2066}\u{2028}d␍"
        );
        let json = format!("{{\n  \"a\": {}\n}}", serde_json::json!(hostile));
        let shown = Shown::json(&json).to_string();
        assert!(
            shown.chars().all(|it| it == '\n' || !it.is_control()),
            "{shown:?}"
        );
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
        assert_eq!(read(&shown), read(&json));
    }

    #[test]
    fn plain_text_is_not_copied() {
        for text in ["", "Grüße, 日本 👩‍💻", "a\n\tb"] {
            assert!(
                matches!(Shown::lines(text).text(), std::borrow::Cow::Borrowed(it) if it == text)
            );
        }
        assert_eq!(Shown::line("a\n\tb").text(), "a␊ b");
        assert_eq!(Shown::hanging("a\nb\n   c", "  ").text(), "a\n  b\n   c");
    }

    #[test]
    fn our_own_colours_stay() {
        let text = "\u{1b}[31;1mred\u{1b}[0m \u{1b}[2J \u{1b}]0;x\u{7} \u{1b}[1";
        assert_eq!(
            Shown::styled(text).text(),
            "\u{1b}[31;1mred\u{1b}[0m ␛[2J ␛]0;x␇ ␛[1"
        );
    }
}
