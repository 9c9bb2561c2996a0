//! What can be wrong with text before any grammar, and how it is worded.

use gsw_source::{Code, Diagnostic, Place, Span};

/// Something wrong with the text itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LexicalError {
    pub kind: LexicalErrorKind,
    /// The bytes that it is about, in the file.
    pub span: Span,
}

/// What is wrong with the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LexicalErrorKind {
    /// A character that no token starts with.
    UnknownCharacter(char),
    /// An operator of another language; the text names ours.
    ForeignOperator(&'static str),
    /// The sign that starts a comment up to the end of its line in another language.
    ForeignLineComment,
    /// `#[…]` before a declaration.
    ForeignAttribute,
    /// The sign that starts a comment with an end of its own.
    ForeignBlockComment,
    /// The sign before a raw string that lacks its `r`.
    RawWithoutMark,
    /// Text in other quotes; in double ones when nothing in it changes its meaning there.
    ForeignQuotes(Option<String>),
    /// A string without its closing quotes.
    UnterminatedString,
    /// A backslash before something that it does not go with.
    UnknownEscape,
    /// `\u{…}` that names no character.
    NoSuchCharacter,
    /// A point without digits on both sides.
    HalfFloat,
    /// Letters after a number that are no unit.
    UnknownUnit(String),
    /// The units of a duration do not go from the largest to the smallest.
    UnorderedUnits,
    /// A number with misplaced underscores or without digits.
    MalformedNumber,
    /// An int, float or duration that is too large.
    NumberOutOfRange,
    /// A name longer than 200 bytes.
    LongName,
}

impl LexicalError {
    #[must_use]
    pub fn diagnostic(&self, place: Place) -> Diagnostic {
        match &self.kind {
            LexicalErrorKind::UnknownCharacter(character) => unknown_character(*character, place),
            LexicalErrorKind::ForeignOperator(ours) => foreign_operator(ours, place),
            LexicalErrorKind::ForeignLineComment => {
                comment(place).fix("write `//`", place, "//")
            }
            LexicalErrorKind::ForeignAttribute => Diagnostic::error(
                Code::INVALID_CHARACTER,
                place,
                "an attribute is written `@name`, above what it is about",
            )
            .note("values compare, print and become JSON without being told to; of fields and declarations there are `@alias(\"n\")`, `@secret`, `@deprecated(\"why\")`")
            .offer("remove it", place, ""),
            LexicalErrorKind::ForeignBlockComment => comment(place),
            LexicalErrorKind::RawWithoutMark => {
                unknown_character('#', place).fix("write `r#`", place, "r#")
            }
            LexicalErrorKind::ForeignQuotes(mended) => {
                let message = "strings are written in double quotes";
                let diagnostic = Diagnostic::error(Code::INVALID_CHARACTER, place, message);
                match mended {
                    Some(text) => diagnostic.fix("write double quotes", place, text.as_str()),
                    None => diagnostic,
                }
            }
            LexicalErrorKind::UnterminatedString => Diagnostic::error(
                Code::UNTERMINATED_STRING,
                place,
                "this string is not closed",
            )
            .note("a string in `\"` ends on its line, and a `${` in it with `}`; a multi-line string is written in `\"\"\"`"),
            LexicalErrorKind::UnknownEscape => Diagnostic::error(
                Code::INVALID_ESCAPE,
                place,
                "unknown escape sequence",
            )
            .note(r#"the escapes are `\n` `\t` `\r` `\\` `\"` `\$` and `\u{1F600}`; in `r"…"` a backslash is taken literally, and a value is put into text with `${x}`"#),
            LexicalErrorKind::NoSuchCharacter => Diagnostic::error(
                Code::INVALID_ESCAPE,
                place,
                "this escape is not a character",
            )
            .note(r"`\u{…}` takes one to six hexadecimal digits of a Unicode scalar value"),
            LexicalErrorKind::HalfFloat => number(
                place,
                "a number with a point has digits on both sides of it",
            ),
            LexicalErrorKind::UnknownUnit(unit) => unknown_unit(unit, place),
            LexicalErrorKind::UnorderedUnits => {
                number(place, "the units of a duration go from the largest to the smallest, each once")
            }
            LexicalErrorKind::MalformedNumber => number(place, "this is not a number")
                .note("digits may be grouped by single underscores: `1_000_000`, `0xff_ff`"),
            LexicalErrorKind::NumberOutOfRange => number_too_large(place),
            LexicalErrorKind::LongName => Diagnostic::error(
                Code::INVALID_NAME,
                place,
                "a name has at most 200 bytes",
            ),
        }
    }
}

/// An int, float or duration that is too large.
#[must_use]
pub fn number_too_large(place: Place) -> Diagnostic {
    number(place, "this number is too large").note(
        "an int ranges from -9223372036854775808 to 9223372036854775807, a duration up to 292 years",
    )
}

fn comment(place: Place) -> Diagnostic {
    let message = "a comment starts with `//` and runs to the end of the line";
    Diagnostic::error(Code::INVALID_CHARACTER, place, message)
}

/// An operator of another language.
fn foreign_operator(ours: &'static str, place: Place) -> Diagnostic {
    let report = |message: String| Diagnostic::error(Code::INVALID_CHARACTER, place, message);
    match ours {
        "??" => report("the default value for `none` comes after `??`".to_owned())
            .note("`or` joins conditions")
            .fix("write `??`", place, "??"),
        ours => report(format!("this operator is written `{ours}`")).fix(
            format!("write `{ours}`"),
            place,
            ours,
        ),
    }
}

fn number(place: Place, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(Code::INVALID_NUMBER, place, message)
}

fn unknown_unit(unit: &str, place: Place) -> Diagnostic {
    let note = match unit {
        "f" => {
            "a float is written `2.5`, and there are no formats in `${…}`: `x.fixed(2)` has two decimal places"
        }
        _ => {
            "numbers are decimal, or hexadecimal as `0xff`; durations are whole numbers with `ms`, `s`, `m`, `h` or `d`, as `90s` or `1h30m`"
        }
    };
    number(place, format!("`{unit}` cannot follow a number")).note(note)
}

fn unknown_character(character: char, place: Place) -> Diagnostic {
    let shown = if character.is_control() || character.is_whitespace() {
        format!("U+{:04X}", u32::from(character))
    } else {
        character.to_string()
    };
    let diagnostic = Diagnostic::error(
        Code::INVALID_CHARACTER,
        place,
        format!("unexpected character `{shown}`"),
    );
    if character.is_alphabetic() {
        diagnostic.note("names consist of the letters a to z, digits and `_`")
    } else if character.is_whitespace() {
        diagnostic
            .note("this is not an ordinary space; it may come from copied text")
            .fix("write a plain space", place, " ")
    } else if character == '&' {
        diagnostic.note("there are no references, since values are immutable and passed directly, and no bitwise operators; conditions are joined by `and`")
    } else if character == '^' {
        diagnostic.note("a power is written `x.pow(2)`; there are no bitwise operators")
    } else if character == '~' {
        diagnostic.note("a text is compared with a regular expression by `s.matches(r\"^[0-9]+$\")`; there are no bitwise operators")
    } else if character == '#' {
        diagnostic
            .note("a raw string is written `r#\"…\"#`, and one of several lines `\"\"\"…\"\"\"`")
    } else if character == '$' {
        diagnostic.note("`${…}` stands in strings, in which a quote is written `\\\"`; a lambda names its parameters: `x => x + 1`")
    } else {
        diagnostic
    }
}
