//! What a store knows of its runs without reading their records.

use rusqlite::{Connection, OptionalExtension, Row};
use std::path::Path;

use crate::owner::{self, EXPIRY};
use crate::record::Hash;
use crate::store::Error;
use crate::writer::now;

/// How far a run is, as its owner last wrote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    Running,
    /// For a person or something outside, or for a long time.
    Waiting,
    Completed,
    Failed,
    Cancelled,
    /// What its program asked for was not what it had asked for before.
    Diverged,
}

impl Status {
    const ALL: [Self; 6] = [
        Self::Running,
        Self::Waiting,
        Self::Completed,
        Self::Failed,
        Self::Cancelled,
        Self::Diverged,
    ];

    pub(crate) const fn number(self) -> i64 {
        match self {
            Self::Running => 0,
            Self::Waiting => 1,
            Self::Completed => 2,
            Self::Failed => 3,
            Self::Cancelled => 4,
            Self::Diverged => 5,
        }
    }

    fn of(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.number() == number)
    }

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Diverged => "diverged",
        }
    }

    /// Whether the run has ended.
    #[must_use]
    pub const fn is_final(self) -> bool {
        match self {
            Self::Completed | Self::Failed | Self::Cancelled => true,
            Self::Running | Self::Waiting | Self::Diverged => false,
        }
    }
}

/// Whether a process carries a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Carried {
    Yes,
    /// It can be taken.
    No,
}

/// A run of a store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Info {
    pub id: String,
    pub workflow: String,
    pub status: Status,
    pub carried: Carried,
    /// When it began, in nanoseconds since 1970.
    pub begun: i64,
    /// When it last wrote something.
    pub changed: i64,
    /// The digest of the program's image.
    pub image: Hash,
    /// The path of the program.
    pub program: String,
    /// What it waits for, in words.
    pub waiting: Option<String>,
    /// How many records it has.
    pub records: u64,
}

impl Info {
    /// Its status as people see it: a run that nobody carries and that has not ended was interrupted.
    #[must_use]
    pub const fn status_name(&self) -> &'static str {
        match (self.status, self.carried) {
            (Status::Running, Carried::No) => "interrupted",
            (Status::Waiting, Carried::No) => "parked",
            (status, _) => status.name(),
        }
    }
}

const COLUMNS: &str =
    "id, workflow, status, begun, changed, image, program, waiting, next, owner, expires";

fn info(store: &Path, row: &Row<'_>) -> rusqlite::Result<Info> {
    let status: i64 = row.get(2)?;
    let next: i64 = row.get(8)?;
    let (owner, expires): (String, i64) = (row.get(9)?, row.get(10)?);
    let status = Status::of(status).unwrap_or(Status::Diverged);
    let is_carried = !status.is_final()
        && !owner.is_empty()
        && now() < expires
        && owner::is_alive(store, &owner);
    Ok(Info {
        id: row.get(0)?,
        workflow: row.get(1)?,
        status,
        carried: if is_carried {
            Carried::Yes
        } else {
            Carried::No
        },
        begun: row.get(3)?,
        changed: row.get(4)?,
        image: row.get(5)?,
        program: row.get(6)?,
        waiting: row.get(7)?,
        records: next.unsigned_abs(),
    })
}

/// All runs, the newest first.
pub(crate) fn all(connection: &Connection, store: &Path) -> Result<Vec<Info>, Error> {
    let text = format!("SELECT {COLUMNS} FROM runs ORDER BY begun DESC, number DESC");
    let mut statement = connection.prepare(&text)?;
    let rows = statement.query_map([], |row| info(store, row))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The run of an id, or of its beginning where that is one run's alone.
pub(crate) fn find(connection: &Connection, store: &Path, id: &str) -> Result<Info, Error> {
    let text = format!("SELECT {COLUMNS} FROM runs WHERE id = ?1");
    let exact = connection
        .query_row(&text, [id], |row| info(store, row))
        .optional()?;
    if let Some(info) = exact {
        return Ok(info);
    }
    let text = format!("SELECT {COLUMNS} FROM runs WHERE substr(id, 1, length(?1)) = ?1 LIMIT 2");
    let mut statement = connection.prepare(&text)?;
    let rows = statement.query_map([id], |row| info(store, row))?;
    let mut found: Vec<Info> = rows.collect::<rusqlite::Result<_>>()?;
    match (found.pop(), found.is_empty(), id.is_empty()) {
        (Some(one), true, false) => Ok(one),
        (Some(_), false, false) => Err(Error::Ambiguous(id.to_owned())),
        _ => Err(Error::NoSuchRun(id.to_owned())),
    }
}

/// The newest run of this workflow and input that has not ended and that nobody carries.
pub(crate) fn interrupted(
    connection: &Connection,
    store: &Path,
    workflow: &str,
    input: &Hash,
) -> Result<Option<Info>, Error> {
    let text = format!(
        "SELECT {COLUMNS} FROM runs WHERE workflow = ?1 AND input = ?2 ORDER BY begun DESC, number DESC"
    );
    let mut statement = connection.prepare(&text)?;
    let rows = statement.query_map((workflow, input), |row| info(store, row))?;
    for row in rows {
        let row = row?;
        if row.carried == Carried::No && !row.status.is_final() {
            return Ok(Some(row));
        }
    }
    Ok(None)
}

/// When a lease that is renewed now ends.
pub(crate) fn expiry() -> i64 {
    now().saturating_add(EXPIRY)
}
