//! A cassette as a file: JSON lines, the first of which names the version.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use gsw_abi::schema::canonical_digest;
use gsw_notation::json;
use rustc_hash::FxHashMap;
use serde_json::Value;

use super::record::Record;

const VERSION: u64 = 1;
/// Under which key the first line has the version.
const KEY: &str = "cassette";
/// How many characters of a record's request are shown.
const SHOWN: usize = 60;

/// The records of a file.
#[derive(Debug)]
pub struct Cassette {
    path: PathBuf,
    records: Vec<Record>,
    /// The records of each request, by its digest.
    by_request: FxHashMap<String, Vec<usize>>,
    /// Whether each record was played.
    used: Mutex<Vec<bool>>,
}

impl Cassette {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read or is no cassette of this version.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            format!("the cassette `{}` cannot be read: {error}", path.display())
        })?;
        let records = parse(&text).map_err(|(line, what)| {
            format!("the cassette `{}`, line {line}: {what}", path.display())
        })?;
        let mut by_request: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (index, record) in records.iter().enumerate() {
            let digest = canonical_digest(&record.request);
            by_request.entry(digest).or_default().push(index);
        }
        Ok(Self {
            path: path.to_owned(),
            used: Mutex::new(vec![false; records.len()]),
            records,
            by_request,
        })
    }

    /// Like [`Self::read`], or `None` where there is no file yet.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub fn read_if_any(path: &Path) -> Result<Option<Self>, String> {
        match std::fs::metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Ok(_) | Err(_) => Self::read(path).map(Some),
        }
    }

    #[must_use]
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    #[must_use]
    pub fn into_records(self) -> Vec<Record> {
        self.records
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The records of this request, in order.
    pub(super) fn of_request(&self, digest: &str) -> &[usize] {
        self.by_request.get(digest).map_or(&[], |it| it)
    }

    pub(super) fn note_used(&self, record: usize) {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)[record] = true;
    }

    /// The records that were not used, each with its line.
    #[must_use]
    pub fn unused(&self) -> Vec<String> {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let records = self.records.iter().enumerate();
        let unused = records.filter(|(index, _)| !used[*index]);
        unused
            .map(|(index, it)| format!("line {} ({})", line_of(index), asked(it)))
            .collect()
    }

    /// Makes sure that a file can be written, before anything is paid for.
    ///
    /// # Errors
    /// When it cannot be.
    pub fn check_writable(path: &Path) -> Result<(), String> {
        let failed = |error: std::io::Error| not_written(path, &error);
        if path.is_dir() {
            return Err(not_written(path, &ErrorKind::IsADirectory.into()));
        }
        if path.metadata().is_ok_and(|it| it.permissions().readonly()) {
            return Err(not_written(path, &ErrorKind::PermissionDenied.into()));
        }
        make_folder(path).map_err(failed)?;
        let beside = beside(path);
        File::create(&beside).map_err(failed)?;
        std::fs::remove_file(&beside).map_err(failed)
    }

    /// Replaces a file as a whole.
    ///
    /// # Errors
    /// When it cannot be written; what was there stays.
    pub fn write(path: &Path, records: &[Record]) -> Result<(), String> {
        let mut text = format!("{{\"{KEY}\":{VERSION}}}\n");
        for record in records {
            text.push_str(&record.to_json().to_string());
            text.push('\n');
        }
        replace(path, &text).map_err(|error| not_written(path, &error))
    }
}

/// The line of a record in its file.
pub(super) fn line_of(record: usize) -> usize {
    record + 2
}

/// What a record asks, in short.
fn asked(record: &Record) -> String {
    let messages = record.request.get("messages").and_then(Value::as_array);
    let last = messages.and_then(|it| it.last()).map(|it| &it["content"]);
    let text = match last {
        Some(Value::String(text)) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    let shown = match text.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    };
    format!("`{}`: {shown}", record.prompt)
}

/// The records of a text, or the number of the line that is none and why.
fn parse(text: &str) -> Result<Vec<Record>, (usize, String)> {
    let mut lines = (1..).zip(text.lines());
    let head = lines.next().and_then(|(_, line)| json::parse(line).ok());
    let version = head.as_ref().and_then(|it| it.get(KEY)?.as_u64());
    match version {
        Some(VERSION) => {}
        Some(other) => {
            let what = format!("it is of version {other}, and this program reads {VERSION}");
            return Err((1, what));
        }
        None => {
            let what = format!("this is no cassette, which begins with `{{\"{KEY}\":{VERSION}}}`");
            return Err((1, what));
        }
    }
    let mut records = Vec::new();
    for (number, line) in lines {
        let value = json::parse(line).map_err(|issue| (number, issue.message))?;
        let record = Record::of_json(value);
        records.push(record.ok_or((number, "this is no record".to_owned()))?);
    }
    Ok(records)
}

fn not_written(path: &Path, error: &std::io::Error) -> String {
    format!(
        "the cassette `{}` cannot be written: {error}",
        path.display()
    )
}

fn make_folder(path: &Path) -> std::io::Result<()> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => std::fs::create_dir_all(folder),
        Some(_) | None => Ok(()),
    }
}

/// Where a file is written before it takes its place.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    PathBuf::from(name)
}

/// Writes beside the file and then takes its place, so that a reader finds the old or the new one.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    make_folder(path)?;
    // A link still leads to its file.
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let beside = beside(&path);
    let written = File::create(&beside).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    let placed = written.and_then(|()| std::fs::rename(&beside, &path));
    if placed.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    placed
}
