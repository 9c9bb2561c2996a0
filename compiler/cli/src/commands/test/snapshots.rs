//! What `assert snapshot(…)` finds, against what was accepted before: the file `x.gsw.snap` beside `x.gsw`.
//!
//! The file is made for reading in a review. An entry is a line `"name of the test" n` and the value beneath, each line
//! indented by two blanks: JSON, or after ` text` the lines of a string.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use gsw_codegen::{Access, replace};
use gsw_notation::difference;
use gsw_notation::json::written;
use serde_json::Value;

const HEAD: &str = "Snapshots, written by `gswc test --accept`.\n";
/// What an entry's value begins with on each line.
const INDENT: &str = "  ";
/// The most lines of a value that are shown.
const MOST_LINES: usize = 60;

/// Whether what is found becomes what is expected.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Accept {
    Nothing,
    Changes,
}

/// The test's name and the number of the snapshot in it, from 1.
type Key = (String, usize);

/// The snapshots of a file.
pub struct Snapshots {
    path: PathBuf,
    accept: Accept,
    known: BTreeMap<Key, Kept>,
    /// Found in this run, in tests that passed.
    found: BTreeMap<Key, Kept>,
    /// What tests took that took all of theirs.
    taken: BTreeSet<Key>,
    /// The names of these tests.
    complete: BTreeSet<String>,
}

/// A value as it is kept.
#[derive(Clone, PartialEq, Eq)]
struct Kept {
    form: Form,
    lines: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Json,
    /// The lines of a string.
    Text,
}

impl Snapshots {
    /// Those beside a file of tests.
    ///
    /// # Errors
    /// When there is a file and it cannot be read, or was not written by this.
    pub fn beside(file: &Path, accept: Accept) -> Result<Self, String> {
        let mut name = file.as_os_str().to_owned();
        name.push(".snap");
        let path = PathBuf::from(name);
        let known = match std::fs::read_to_string(&path) {
            Ok(text) => parse(&text).map_err(|line| {
                format!(
                    "`{}`, line {line}: this is not a snapshot file; remove it or undo the change",
                    path.display()
                )
            })?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(format!("`{}` cannot be read: {error}", path.display())),
        };
        Ok(Self {
            path,
            accept,
            known,
            found: BTreeMap::new(),
            taken: BTreeSet::new(),
            complete: BTreeSet::new(),
        })
    }

    /// Compares what a test has taken snapshots of, as JSON, with what is expected.
    ///
    /// # Errors
    /// With what is new or different, unless it is accepted.
    pub fn compare(&mut self, test: &str, taken: &[String]) -> Result<(), String> {
        let mut message = String::new();
        for (number, json) in (1..).zip(taken) {
            let key = (test.to_owned(), number);
            let found = Kept::of(json);
            let expected = match self.accept {
                // Of runs of one test, the first says what is expected of the others.
                Accept::Changes => self.found.get(&key),
                Accept::Nothing => self.known.get(&key),
            };
            match (expected, self.accept) {
                (Some(expected), _) if *expected == found => {}
                (None, Accept::Changes) => {
                    self.found.insert(key, found);
                }
                (None, Accept::Nothing) => {
                    let _ = writeln!(
                        message,
                        "error: snapshot {number} is new; `gswc test --accept` keeps it"
                    );
                    found.show(&mut message);
                }
                (Some(expected), _) => {
                    let _ = writeln!(
                        message,
                        "error: snapshot {number} is not what was accepted (- accepted, + found)"
                    );
                    difference::write(&expected.lines, &found.lines, &mut message);
                }
            }
        }
        if !message.is_empty() {
            return Err(message);
        }
        let keys = (1..=taken.len()).map(|it| (test.to_owned(), it));
        self.taken.extend(keys);
        self.complete.insert(test.to_owned());
        Ok(())
    }

    /// Writes what is accepted, and names what no test takes any more. `tests` are all tests of the file with their rows, when
    /// all are known.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(self, tests: Option<&[String]>) -> Result<Vec<String>, String> {
        let is_stale = |key: &Key| {
            let is_gone = tests.is_some_and(|it| !it.contains(&key.0));
            !self.taken.contains(key) && (self.complete.contains(&key.0) || is_gone)
        };
        let stale: Vec<Key> = self
            .known
            .keys()
            .filter(|it| is_stale(it))
            .cloned()
            .collect();
        let path = self.path.display();
        if self.accept == Accept::Nothing {
            let note = |(test, number): &Key| {
                format!(
                    "{path}: {test:?} {number} is used by no test; `gswc test --accept` removes it"
                )
            };
            return Ok(stale.iter().map(note).collect());
        }
        let mut kept = self.known.clone();
        kept.retain(|key, _| !stale.contains(key));
        let changed = self.found.iter();
        let changed = changed.filter(|(key, found)| kept.get(*key) != Some(*found));
        let changed = changed.count();
        kept.extend(self.found);
        if changed == 0 && stale.is_empty() {
            return Ok(Vec::new());
        }
        let done = if kept.is_empty() {
            std::fs::remove_file(&self.path)
        } else {
            replace(&self.path, text_of(&kept).as_bytes(), Access::Usual)
        };
        done.map_err(|error| format!("`{path}` cannot be written: {error}"))?;
        Ok(vec![format!(
            "{path}: {changed} accepted, {} removed",
            stale.len()
        )])
    }
}

impl Kept {
    fn of(json: &str) -> Self {
        // Nothing is lost of what is too deep to be laid out.
        let value = written(json).unwrap_or_else(|_| Value::from(json));
        let is_plain = |it: char| it == '\n' || !it.is_control();
        if let Value::String(text) = &value
            && text.contains('\n')
            && text.chars().all(is_plain)
        {
            return Self {
                form: Form::Text,
                lines: text.split('\n').map(str::to_owned).collect(),
            };
        }
        let text = format!("{value:#}");
        Self {
            form: Form::Json,
            lines: text.lines().map(str::to_owned).collect(),
        }
    }

    fn show(&self, message: &mut String) {
        for line in self.lines.iter().take(MOST_LINES) {
            let _ = writeln!(message, "  {line}");
        }
        if self.lines.len() > MOST_LINES {
            let _ = writeln!(message, "  … {} lines in all", self.lines.len());
        }
    }
}

fn text_of(kept: &BTreeMap<Key, Kept>) -> String {
    let mut text = HEAD.to_owned();
    for ((test, number), Kept { form, lines }) in kept {
        let name = Value::from(test.as_str());
        let form = match form {
            Form::Json => "",
            Form::Text => " text",
        };
        let _ = writeln!(text, "\n{name} {number}{form}");
        for line in lines {
            let _ = writeln!(text, "{INDENT}{line}");
        }
    }
    text
}

/// The entries of a file, or the number of the line that is not one.
fn parse(text: &str) -> Result<BTreeMap<Key, Kept>, usize> {
    let text = text.replace("\r\n", "\n");
    let Some(rest) = text.strip_prefix(HEAD) else {
        return Err(1);
    };
    let mut kept: BTreeMap<Key, Kept> = BTreeMap::new();
    let mut last: Option<Key> = None;
    for (number, line) in (2..).zip(rest.lines()) {
        if let Some(line) = line.strip_prefix(INDENT) {
            let entry = last.as_ref().and_then(|it| kept.get_mut(it));
            entry.ok_or(number)?.lines.push(line.to_owned());
        } else if !line.is_empty() {
            let (key, form) = heading(line).ok_or(number)?;
            let lines = Vec::new();
            if kept.insert(key.clone(), Kept { form, lines }).is_some() {
                return Err(number);
            }
            last = Some(key);
        }
    }
    Ok(kept)
}

fn heading(line: &str) -> Option<(Key, Form)> {
    let (line, form) = match line.strip_suffix(" text") {
        Some(line) => (line, Form::Text),
        None => (line, Form::Json),
    };
    let (name, number) = line.rsplit_once(' ')?;
    let name: String = serde_json::from_str(name).ok()?;
    Some(((name, number.parse().ok()?), form))
}

#[cfg(test)]
mod tests {
    use super::{Kept, parse, text_of};
    use std::collections::BTreeMap;

    #[test]
    fn what_is_written_is_read_again() {
        let values = [
            r#"{"a":[1,2.50],"b":"x\ny"}"#,
            r#""one line""#,
            r#""two\n\n  lines\n""#,
            r#""a bell \u0007\nrings""#,
            "[]",
            r#""\n\"x\" 1 text""#,
        ];
        let kept: BTreeMap<_, _> = (1..)
            .zip(values)
            .map(|(number, it)| (("t \"q\" text".to_owned(), number), Kept::of(it)))
            .collect();
        let text = text_of(&kept);
        let same = |read: Result<BTreeMap<_, _>, _>| read.is_ok_and(|it| it == kept);
        assert!(same(parse(&text)), "{text}");
        assert!(same(parse(&text.replace('\n', "\r\n"))), "{text}");
        assert!(parse("hello\n").is_err() && parse(&format!("{text}\nx\n")).is_err());
    }
}
