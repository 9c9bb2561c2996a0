//! Finds the files that a pattern fits, beneath the folder before its first wildcard.
//!
//! The parts of a pattern are states: a folder is looked at once, with all the states in which the way to it may be, so that no
//! file is found twice and no pattern costs more than its folder. Links are found, never followed: what they lead to is found
//! where it is, and a cycle of them leads nowhere.

mod braces;

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use ::glob::Pattern;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};

use crate::allowance::Share;
use crate::beneath;
use crate::files::{FileWork, Trouble};
use crate::place::{Place, kind};

/// The limits of one search; a guess at more than any program needs.
const BOUNDS: Bounds = Bounds {
    entries: 4_000_000,
    depth: 200,
};

struct Bounds {
    entries: usize,
    depth: usize,
}

#[derive(Debug)]
pub(crate) struct Glob {
    /// The path before the first wildcard, without `.` and doubled `/`.
    fixed: String,
    parts: Vec<Part>,
    /// Whether only folders are meant, by a `/` at the end.
    needs_folder: bool,
}

#[derive(Debug)]
enum Part {
    Name(String),
    /// One of these.
    Fitting(Vec<Pattern>),
    /// `**`: any number of folders.
    Folders,
}

/// Whether a link that was found may be named, by where it leads.
pub(super) type Admits<'a> = &'a dyn Fn(&str) -> bool;

/// Why a text is no pattern that can be searched for.
#[derive(Debug)]
pub(super) enum Unfit {
    Syntax(::glob::PatternError),
    /// `..` follows a wildcard.
    Climbs,
    /// `/` in braces: what differs is not one part.
    SlashInBraces,
    /// Braces stand for more than are searched for.
    TooManyInBraces,
}

impl Glob {
    pub(crate) fn parse(pattern: &str) -> Result<Self, Unfit> {
        Pattern::new(pattern).map_err(Unfit::Syntax)?;
        braces::check(pattern)?;
        let mut fixed = String::from(if pattern.starts_with('/') { "/" } else { "" });
        let mut parts = Vec::new();
        for text in pattern.split('/').filter(|it| !matches!(*it, "" | ".")) {
            match text {
                "**" if matches!(parts.last(), Some(Part::Folders)) => {}
                "**" => parts.push(Part::Folders),
                _ if text.contains(['*', '?', '[']) || braces::has_choice(text) => {
                    let texts = braces::alternatives(text)?;
                    let patterns = texts.iter().map(|it| Pattern::new(it));
                    let patterns: Result<_, _> = patterns.collect();
                    parts.push(Part::Fitting(patterns.map_err(Unfit::Syntax)?));
                }
                _ if parts.is_empty() => {
                    if !matches!(&*fixed, "" | "/") {
                        fixed.push('/');
                    }
                    fixed.push_str(text);
                }
                ".." => return Err(Unfit::Climbs),
                name => parts.push(Part::Name(name.to_owned())),
            }
        }
        if fixed.is_empty() && !pattern.is_empty() && parts.is_empty() {
            fixed.push('.');
        }
        Ok(Self {
            fixed,
            parts,
            needs_folder: pattern.ends_with('/'),
        })
    }

    /// The path before the first wildcard.
    pub(crate) fn fixed(&self) -> &str {
        &self.fixed
    }

    pub(crate) fn has_wildcards(&self) -> bool {
        !self.parts.is_empty()
    }

    /// What is to be there, or looked into.
    pub(crate) fn start(&self) -> String {
        match (&*self.fixed, self.needs_folder) {
            ("", _) => ".".into(),
            (fixed, true) => format!("{fixed}/"),
            (fixed, false) => fixed.into(),
        }
    }

    /// Adds the state `at`, and where it is `**` what follows it, since that may stand for no folder.
    fn enter(&self, mut at: usize, states: &mut Vec<usize>) {
        loop {
            if !states.contains(&at) {
                states.push(at);
            }
            let is_last = at + 1 >= self.parts.len();
            if is_last || !matches!(self.parts[at], Part::Folders) {
                return;
            }
            at += 1;
        }
    }

    /// What follows from a name in a folder: whether it is found, and the states inside of it.
    fn step(&self, states: &[usize], name: &str, kind: FileType) -> (bool, Vec<usize>) {
        let is_folder = kind.is_dir();
        let (mut is_found, mut inside) = (false, Vec::new());
        for &at in states {
            let is_last = at + 1 == self.parts.len();
            let fits = match &self.parts[at] {
                Part::Name(text) => name == text,
                Part::Fitting(patterns) => patterns.iter().any(|it| it.matches(name)),
                Part::Folders => {
                    if is_folder {
                        self.enter(at, &mut inside);
                        is_found |= is_last;
                    }
                    continue;
                }
            };
            if fits && is_last {
                is_found |= is_folder || !self.needs_folder;
            } else if fits && is_folder {
                self.enter(at + 1, &mut inside);
            }
        }
        (is_found, inside)
    }

    /// The names that alone can fit in a folder; `None` when it must be listed.
    fn only_names(&self, states: &[usize]) -> Option<Vec<&str>> {
        let names = states.iter().map(|&at| match &self.parts[at] {
            Part::Name(name) => Some(&**name),
            Part::Fitting(_) | Part::Folders => None,
        });
        names.collect()
    }
}

/// The paths that a pattern with wildcards fits, sorted; `start` is the folder before the first of them.
pub(crate) fn search(
    glob: &Glob,
    start: &Place,
    admits: Admits<'_>,
    work: &FileWork<'_>,
) -> Result<Vec<String>, Trouble> {
    search_within(&BOUNDS, glob, start, admits, work)
}

fn search_within(
    bounds: &Bounds,
    glob: &Glob,
    start: &Place,
    admits: Admits<'_>,
    work: &FileWork<'_>,
) -> Result<Vec<String>, Trouble> {
    let mut states = Vec::new();
    glob.enter(0, &mut states);
    let start = start.open(OFlags::RDONLY | OFlags::DIRECTORY)?.into();
    let mut search = Search {
        bounds,
        glob,
        start: &start,
        admits,
        work,
        entries: 0,
        found: Vec::new(),
        share: work.allowance.share(),
        rest: vec![Folder {
            path: String::new(),
            depth: 0,
            states,
        }],
    };
    while let Some(folder) = search.rest.pop() {
        work.check()?;
        match search.look_into(&folder) {
            Ok(()) => {}
            // What is gone since, or may not be read, holds nothing that could be used.
            Err(Trouble::System(error)) if is_nothing_there(&error) => {}
            Err(trouble) => return Err(trouble),
        }
    }
    search.found.sort_unstable();
    Ok(search.found)
}

/// Whether an error says that nothing can be found, rather than that looking failed.
pub(crate) fn is_nothing_there(error: &io::Error) -> bool {
    let is_link = error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
    let kinds = [
        io::ErrorKind::NotFound,
        io::ErrorKind::PermissionDenied,
        io::ErrorKind::NotADirectory,
    ];
    is_link || kinds.contains(&error.kind())
}

struct Search<'a> {
    bounds: &'a Bounds,
    glob: &'a Glob,
    start: &'a OwnedFd,
    admits: Admits<'a>,
    work: &'a FileWork<'a>,
    /// How many were visited.
    entries: usize,
    found: Vec<String>,
    share: Share,
    rest: Vec<Folder>,
}

/// A folder that is to be looked into.
struct Folder {
    path: String,
    depth: usize,
    states: Vec<usize>,
}

impl Search<'_> {
    fn look_into(&mut self, folder: &Folder) -> Result<(), Trouble> {
        let way = beneath::names(Path::new(&folder.path));
        let open = beneath::descend(self.start, way)?;
        if let Some(names) = self.glob.only_names(&folder.states) {
            for name in names {
                let known = rustix::fs::statat(&open, name, AtFlags::SYMLINK_NOFOLLOW);
                if let Ok(known) = known {
                    self.take(folder, name, kind(&known))?;
                }
            }
            return Ok(());
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        for entry in Dir::new(rustix::fs::openat(&open, ".", flags, Mode::empty())?)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().to_str() else {
                continue;
            };
            if matches!(name, "." | "..") {
                continue;
            }
            let mut found = entry.file_type();
            if found == FileType::Unknown {
                let known = rustix::fs::statat(&open, name, AtFlags::SYMLINK_NOFOLLOW);
                found = known.map_or(FileType::Unknown, |it| kind(&it));
            }
            self.take(folder, name, found)?;
        }
        Ok(())
    }

    /// Takes a name that is in a folder.
    fn take(&mut self, folder: &Folder, name: &str, kind: FileType) -> Result<(), Trouble> {
        self.entries += 1;
        if self.entries > self.bounds.entries {
            return Err(too_much(&format!(
                "it looks at more than {} files and folders; begin the pattern with a more specific folder",
                self.bounds.entries
            )));
        }
        if self.entries.is_multiple_of(256) {
            self.work.check()?;
        }
        let (is_found, states) = self.glob.step(&folder.states, name, kind);
        if !is_found && states.is_empty() {
            return Ok(());
        }
        let path = joined(&folder.path, name);
        if is_found {
            let found = joined(&self.glob.fixed, &path);
            if !kind.is_symlink() || (self.admits)(&found) {
                self.share
                    .grow((found.len() + size_of::<String>()) as u64)?;
                self.found.push(found);
            }
        }
        if !states.is_empty() {
            if folder.depth >= self.bounds.depth {
                return Err(too_much(&format!(
                    "folders nest more than {} deep below `{}`; begin the pattern further down",
                    self.bounds.depth, self.glob.fixed
                )));
            }
            self.rest.push(Folder {
                path,
                depth: folder.depth + 1,
                states,
            });
        }
        Ok(())
    }
}

fn joined(folder: &str, name: &str) -> String {
    match folder {
        "" => name.to_owned(),
        "/" => format!("/{name}"),
        _ => format!("{folder}/{name}"),
    }
}

fn too_much(message: &str) -> Trouble {
    io::Error::other(message).into()
}

#[cfg(test)]
mod tests;
