//! Typed access to a TOML table; what has another form than expected is reported where it is.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the kinds of TOML values are another crate's"
)]

use std::ops::Range;

use gsw_abi::bounds::Bounds;
use gsw_source::{Diagnostic, File, Name, Place, Span, meant};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::errors;

/// Reads one file and collects what is wrong with it.
pub(super) struct Reader {
    file: File,
    /// What is wrong so far.
    pub found: Vec<Diagnostic>,
}

/// A key with its value.
pub(super) struct Entry<'t> {
    /// The key alone, without the tables around it.
    pub key: &'t str,
    pub place: Place,
    pub value: &'t DeValue<'t>,
    pub value_place: Place,
}

impl Reader {
    pub fn new(file: File) -> Self {
        Self {
            file,
            found: Vec::new(),
        }
    }

    /// The place of bytes of the file.
    pub fn place(&self, range: Range<usize>) -> Place {
        let bound = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
        Place::File {
            file: self.file,
            span: Span::new(bound(range.start), bound(range.end)),
        }
    }

    /// The entries of a table in the order of the file.
    pub fn entries<'t>(&self, table: &'t DeTable<'t>) -> Vec<Entry<'t>> {
        let entry = |(key, value): (&'t Spanned<_>, &'t Spanned<_>)| self.entry(key, value);
        table.iter().map(entry).collect()
    }

    fn entry<'t>(
        &self,
        key: &'t Spanned<toml::de::DeString<'t>>,
        value: &'t Spanned<DeValue<'t>>,
    ) -> Entry<'t> {
        let place = self.place(key.span());
        let value_place = match value.get_ref() {
            // A table that is written as `[name]` is in many places; its name is the one to point at.
            DeValue::Table(_) => place,
            _ => self.place(value.span()),
        };
        Entry {
            key: key.get_ref(),
            place,
            value: value.get_ref(),
            value_place,
        }
    }

    /// A text that `is_fitting`; everything else is reported as not being `expected`.
    pub fn text(
        &mut self,
        entry: &Entry<'_>,
        expected: &str,
        is_fitting: impl Fn(&str) -> bool,
    ) -> Option<String> {
        match entry.value {
            DeValue::String(text) if is_fitting(text) => Some(text.to_string()),
            _ => {
                self.wrong(entry, expected);
                None
            }
        }
    }

    /// A list of texts, or one alone, each with its place.
    pub fn texts(&mut self, entry: &Entry<'_>, expected: &str) -> Vec<String> {
        let DeValue::Array(elements) = entry.value else {
            return self.text(entry, expected, |_| true).into_iter().collect();
        };
        let mut texts = Vec::new();
        for element in elements.iter() {
            match element.get_ref() {
                DeValue::String(text) => texts.push(text.to_string()),
                other => {
                    let place = self.place(element.span());
                    let found = found(other);
                    self.found
                        .push(errors::wrong_value(place, entry.key, expected, &found));
                }
            }
        }
        texts
    }

    /// The entries of the table that the entry holds.
    pub fn table<'t>(&mut self, entry: &Entry<'t>) -> Vec<Entry<'t>> {
        match entry.value {
            DeValue::Table(table) => self.entries(table),
            _ => {
                let expected = format!("a table: `[{}]`", entry.key);
                self.wrong(entry, &expected);
                Vec::new()
            }
        }
    }

    /// A finite number within these bounds, as its JSON text.
    pub fn number(&mut self, entry: &Entry<'_>, bounds: Bounds, expected: &str) -> Option<String> {
        let given = number_of(entry).filter(|it| it.is_finite() && bounds.admit(*it));
        match given {
            Some(number) => Some(number.to_string()),
            None => {
                self.wrong(entry, expected);
                None
            }
        }
    }

    /// A whole number within these bounds, which fit 32 bits, as its JSON text.
    pub fn count(&mut self, entry: &Entry<'_>, bounds: Bounds) -> Option<String> {
        let number = match entry.value {
            DeValue::Integer(number) => {
                let digits = number.as_str().replace('_', "");
                u32::from_str_radix(digits.trim_start_matches('+'), number.radix()).ok()
            }
            _ => None,
        };
        match number.filter(|it| bounds.admit(f64::from(*it))) {
            Some(number) => Some(number.to_string()),
            None => {
                let number = number_of(entry).unwrap_or_default();
                self.wrong(entry, bounds.instead_of(number));
                None
            }
        }
    }

    /// Reports a value of another form.
    pub fn wrong(&mut self, entry: &Entry<'_>, expected: &str) {
        let found = found(entry.value);
        let report = errors::wrong_value(entry.value_place, entry.key, expected, &found);
        self.found.push(report);
    }

    pub fn report(&mut self, report: Diagnostic) {
        self.found.push(report);
    }

    /// Reports a key that means nothing; `table` is the name of the table around it, empty at the top.
    pub fn unknown(&mut self, entry: &Entry<'_>, table: &str, known: &[&'static str]) {
        let names: Vec<Name> = known.iter().map(|it| Name::new_static(it)).collect();
        let suggestion = meant(entry.key, &names);
        let report = errors::unknown_key(entry.place, entry.key, table, suggestion.as_ref(), known);
        self.found.push(report);
    }
}

fn number_of(entry: &Entry<'_>) -> Option<f64> {
    match entry.value {
        DeValue::Integer(number) => decimal(number.as_str(), number.radix()),
        DeValue::Float(number) => number.as_str().replace('_', "").parse().ok(),
        _ => None,
    }
}

fn decimal(digits: &str, radix: u32) -> Option<f64> {
    let digits = digits.replace('_', "");
    i64::from_str_radix(&digits, radix).ok().map(|it| it as f64)
}

/// A value as a report names it.
fn found(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("`\"{text}\"`"),
        DeValue::Integer(number) => format!("`{}`", number.as_str()),
        DeValue::Float(number) => format!("`{}`", number.as_str()),
        DeValue::Boolean(it) => format!("`{it}`"),
        DeValue::Datetime(_) => "a date".into(),
        DeValue::Array(_) => "a list".into(),
        DeValue::Table(_) => "a table".into(),
    }
}
