//! What people ask of a cache on the disk: what it holds, whether it is whole, and that it forgets.

use std::path::Path;
use std::time::Duration;

use rusqlite::types::ToSql;
use rusqlite::{Connection, Row};
use serde::Serialize;

use super::file::{self, Older, Unopened};
use super::{digest, nanoseconds};

/// An open cache, for inspection.
#[derive(Debug)]
pub struct Inspection(Connection);

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Stats {
    pub entries: u64,
    /// Of the answers' texts.
    pub bytes: u64,
    /// How many of the entries have expired; they are removed when room is needed.
    pub expired: u64,
    /// The calls that are on their way, in all processes; those of dead ones as well.
    pub claims: u64,
}

/// An answer, without its text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Line {
    pub key: String,
    /// The agent, else the prompt.
    pub agent: String,
    pub prompt: String,
    pub model: String,
    pub bytes: u64,
    /// Nanoseconds since 1970.
    pub kept: i64,
    /// In nanoseconds since 1970.
    pub expires: i64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Filter {
    All,
    /// Those whose keys begin so.
    Key(String),
    Prompt(String),
    Agent(String),
    Model(String),
    /// Those whose time was over then, since 1970.
    Expired(Duration),
}

/// What is wrong with a cache.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Damage {
    /// The text is not the one that was kept.
    Answer { key: String },
    /// In the words of SQLite.
    File { message: String },
}

const COLUMNS: &str = "key, owner, prompt, model, octet_length(text), kept, expires";

impl Filter {
    /// A condition over `?1`, and what is put there.
    fn condition(&self) -> (&'static str, Box<dyn ToSql>) {
        match self {
            Self::All => ("?1 IS NULL", Box::new(rusqlite::types::Null)),
            // Not `LIKE`, for which some letters are signs.
            Self::Key(it) => ("substr(key, 1, length(?1)) = ?1", Box::new(it.clone())),
            Self::Prompt(it) => ("prompt = ?1", Box::new(it.clone())),
            Self::Agent(it) => ("owner = ?1", Box::new(it.clone())),
            Self::Model(it) => ("model = ?1", Box::new(it.clone())),
            Self::Expired(at) => ("expires <= ?1", Box::new(nanoseconds(*at))),
        }
    }
}

/// How long a command waits while a process writes.
pub(super) const PATIENCE: Duration = Duration::from_millis(500);

impl Inspection {
    /// # Errors
    /// When there is no such file, or it is no cache.
    pub fn open(path: &Path) -> Result<Self, String> {
        if !path.exists() {
            return Err("there is none".into());
        }
        let opened = file::open(path, PATIENCE, Older::Refused);
        opened.map(Self).map_err(unopened)
    }

    /// # Errors
    /// When the file cannot be read.
    pub fn stats(&self, now: Duration) -> Result<Stats, String> {
        let count = |query: &str, at: i64| -> rusqlite::Result<u64> {
            let count: i64 = self.0.query_row(query, [at], |row| row.get(0))?;
            Ok(count.unsigned_abs())
        };
        let at = nanoseconds(now);
        let stats = || -> rusqlite::Result<Stats> {
            Ok(Stats {
                entries: count("SELECT count(*) FROM answers WHERE ?1 = ?1", at)?,
                bytes: count(
                    "SELECT coalesce(sum(octet_length(text)), 0) FROM answers WHERE ?1 = ?1",
                    at,
                )?,
                expired: count("SELECT count(*) FROM answers WHERE expires <= ?1", at)?,
                claims: count("SELECT count(*) FROM claims WHERE ?1 = ?1", at)?,
            })
        };
        stats().map_err(|it| unopened(it.into()))
    }

    /// The answers that are meant, those last used first.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn lines(&self, filter: &Filter) -> Result<Vec<Line>, String> {
        let (condition, value) = filter.condition();
        let query = format!(
            "SELECT {COLUMNS} FROM answers WHERE {condition} ORDER BY used DESC, number DESC"
        );
        let lines = || -> rusqlite::Result<Vec<Line>> {
            let mut statement = self.0.prepare(&query)?;
            let rows = statement.query_map([value], line)?;
            rows.collect()
        };
        lines().map_err(|it| unopened(it.into()))
    }

    /// The text of an answer.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn text(&self, key: &str) -> Result<String, String> {
        let text = self
            .0
            .query_row("SELECT text FROM answers WHERE key = ?1", [key], |row| {
                row.get(0)
            });
        text.map_err(|it| unopened(it.into()))
    }

    /// Forgets the answers that are meant; how many. [`forget_all`](super::forget_all) forgets them in any file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn bust(&self, filter: &Filter) -> Result<usize, String> {
        let (condition, value) = filter.condition();
        let query = format!("DELETE FROM answers WHERE {condition}");
        self.0
            .execute(&query, [value])
            .map_err(|it| unopened(it.into()))
    }

    /// What is damaged.
    ///
    /// # Errors
    /// When the file cannot be read at all.
    pub fn verify(&self) -> Result<Vec<Damage>, String> {
        let damages = || -> rusqlite::Result<Vec<Damage>> {
            let mut damages = Vec::new();
            let mut statement = self.0.prepare("PRAGMA integrity_check")?;
            for message in statement.query_map([], |row| row.get::<_, String>(0))? {
                let message = message?;
                if message != "ok" {
                    damages.push(Damage::File { message });
                }
            }
            // By one transaction, since processes write meanwhile.
            let reading = self.0.unchecked_transaction()?;
            if !are_totals_right(&reading)? {
                let message =
                    "the number and size of its answers are not those that it holds".into();
                damages.push(Damage::File { message });
            }
            let mut statement = reading.prepare("SELECT key, text, digest FROM answers")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let (key, text, said): (String, String, Vec<u8>) =
                    (row.get(0)?, row.get(1)?, row.get(2)?);
                if said != digest(&key, &text) {
                    damages.push(Damage::Answer { key });
                }
            }
            Ok(damages)
        };
        damages().map_err(|it| unopened(it.into()))
    }
}

/// Whether the limits of the file are those that it stores.
fn are_totals_right(connection: &Connection) -> rusqlite::Result<bool> {
    let query = "SELECT count(*) = 1 AND max(entries) = (SELECT count(*) FROM answers)
         AND max(bytes) = (SELECT coalesce(sum(octet_length(text)), 0) FROM answers) FROM totals";
    let right: Option<bool> = connection.query_row(query, [], |row| row.get(0))?;
    Ok(right == Some(true))
}

/// Why a file cannot be used, for the user.
pub(super) fn unopened(why: Unopened) -> String {
    match why {
        Unopened::Busy => "another process writes to it".into(),
        Unopened::Damaged(why) => {
            format!("{why}; `gswc cache bust --all` empties it and makes it usable again")
        }
        Unopened::Failed(why) => why,
    }
}

fn line(row: &Row<'_>) -> rusqlite::Result<Line> {
    let bytes: i64 = row.get(4)?;
    Ok(Line {
        key: row.get(0)?,
        agent: row.get(1)?,
        prompt: row.get(2)?,
        model: row.get(3)?,
        bytes: bytes.unsigned_abs(),
        kept: row.get(5)?,
        expires: row.get(6)?,
    })
}
