//! The cassettes of tests: which a test plays or records, and what happens to their files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gsw_agents::{Cassette, Playing, Record};
use gsw_driver::crash::Tapes;
use gsw_driver::host::UsedSecrets;
use gsw_driver::tape::Tape;

/// How cassettes are made, as a test's failure says it.
const COMMAND: &str = "`gswc test --record`";

/// What is done with cassettes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// They answer in the place of models.
    Play,
    Record,
    /// Models are asked all the same.
    Ignore,
}

/// The cassettes of all tests of a command.
pub struct Cassettes {
    kind: Use,
    /// By path.
    open: BTreeMap<PathBuf, Open>,
}

struct Open {
    /// What the file holds; when it is recorded, what it held before.
    content: Result<Arc<Cassette>, String>,
    /// What each test has recorded, in order; `None` for one whose old records stay.
    recorded: Vec<(String, Option<Vec<Record>>)>,
    /// Whether all tests passed that play it.
    has_passed: bool,
}

impl Cassettes {
    pub fn new(kind: Use) -> Self {
        Self {
            kind,
            open: BTreeMap::new(),
        }
    }

    /// Whether no test has one.
    pub fn are_none(&self) -> bool {
        self.open.is_empty()
    }

    pub fn kind(&self) -> Use {
        self.kind
    }

    /// Opens what a test of this file names.
    ///
    /// # Errors
    /// When it is to be recorded and cannot be.
    pub fn open(&mut self, file: &Path, name: &str) -> Result<(), String> {
        let path = path_of(file, name);
        if self.kind == Use::Ignore || self.open.contains_key(&path) {
            return Ok(());
        }
        let content = match self.kind {
            Use::Record => {
                Cassette::check_writable(&path)?;
                // What cannot be read is not lost by recording over it.
                let before = Cassette::read_if_any(&path)?;
                before.map(Arc::new).ok_or_else(String::new)
            }
            Use::Play | Use::Ignore => Cassette::read(&path)
                .map(Arc::new)
                .map_err(|why| format!("{why}\n  {COMMAND} makes it")),
        };
        self.open.insert(
            path,
            Open {
                content,
                recorded: Vec::new(),
                has_passed: true,
            },
        );
        Ok(())
    }

    /// What answers a test in the place of models, from the beginning of its cassette each time that it is run.
    ///
    /// # Errors
    /// When its cassette cannot be read.
    pub fn players(&self, file: &Path, name: &str, test: String) -> Result<Tapes, String> {
        let open = self.open.get(&path_of(file, name));
        let content = open.ok_or("its cassette was not opened")?.content.clone()?;
        Ok(Box::new(move || {
            // The network is mocked in a test, so it uses no secrets.
            let secrets = UsedSecrets::default();
            let (content, test) = (Arc::clone(&content), test.clone());
            Tape::Plays(Arc::new(Playing::new(
                content,
                Some(test),
                COMMAND,
                secrets,
            )))
        }))
    }

    /// What a test has recorded, or that it could not; and whether it passed.
    pub fn note(&mut self, file: &Path, name: &str, ended: Ended) {
        if let Some(open) = self.open.get_mut(&path_of(file, name)) {
            open.has_passed &= ended.has_passed;
            open.recorded.push((ended.test, ended.records));
        }
    }

    /// Writes what was recorded, and names what no test has asked for. `All` when no test was left out. One that cannot be
    /// written keeps no other from being written: what models answered has been paid for.
    pub fn finish(self, which: Which) -> Finished {
        let mut finished = Finished::default();
        for (path, open) in self.open {
            match self.kind {
                Use::Record => match open.write(&path) {
                    Ok(note) => finished.notes.push(note),
                    Err(why) => finished.failures.push(why),
                },
                Use::Play if which == Which::All && open.has_passed => {
                    let content = open.content.iter();
                    let unused = content.flat_map(|it| it.unused());
                    finished.notes.extend(unused.map(|it| {
                        format!("{}, {it}: no test asks for this record", path.display())
                    }));
                }
                Use::Play | Use::Ignore => {}
            }
        }
        finished
    }
}

/// What happened to the files of cassettes.
#[derive(Default)]
pub struct Finished {
    pub notes: Vec<String>,
    /// Of files that could not be written.
    pub failures: Vec<String>,
}

/// How a test with a cassette ended.
pub struct Ended {
    pub test: String,
    pub records: Option<Vec<Record>>,
    pub has_passed: bool,
}

/// Which tests of the files were run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Which {
    All,
    Some,
}

impl Open {
    /// Puts what was recorded in the place of what the same tests had recorded before; all else stays, since other tests may play
    /// it.
    fn write(self, path: &Path) -> Result<String, String> {
        let before = self.content.map(|it| it.records().to_vec());
        let is_new = before.is_err();
        let mut records = before.unwrap_or_default();
        let has_passed = self.has_passed;
        let anew = self.recorded.iter().filter(|it| it.1.is_some());
        let anew: Vec<&String> = anew.map(|it| &it.0).collect();
        records.retain(|it| it.test.as_ref().is_none_or(|test| !anew.contains(&test)));
        let kept = records.len();
        records.extend(self.recorded.into_iter().filter_map(|it| it.1).flatten());
        // Of a test that passes without asking anything there has to be one, or it would fail when it is played.
        if records.is_empty() && is_new && !has_passed {
            return Ok(format!("{}: nothing recorded", path.display()));
        }
        Cassette::write(path, &records)?;
        let recorded = records.len() - kept;
        let others = match kept {
            0 => String::new(),
            kept => format!(", {kept} of other tests kept"),
        };
        Ok(format!("{}: {recorded} recorded{others}", path.display()))
    }
}

fn path_of(file: &Path, name: &str) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).join(name)
}
