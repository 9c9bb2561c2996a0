//! The two salsa inputs: a file's text and the project that the files belong to.

use std::path::PathBuf;
use std::sync::Arc;

/// One source file. Reading the disk is the caller's job; queries see only this text.
#[salsa::input(debug)]
pub struct File {
    /// The path as shown to the user; `std/…` for a file of the standard library.
    #[returns(ref)]
    pub path: PathBuf,
    /// The whole text, valid UTF-8.
    #[returns(ref)]
    pub text: Arc<str>,
}

/// The file that makes a folder a skill.
pub const INSTRUCTIONS: &str = "SKILL.md";
/// The most bytes of a skill with all its files. A guess: every program that lists it carries them.
pub const LARGEST_SKILL: usize = 4 << 20;

/// The files of a folder, by their paths in it; `None` for one that is no text.
pub type Folder = std::collections::BTreeMap<String, Option<File>>;

/// A set of files that are compiled together.
#[salsa::input(singleton, debug)]
pub struct Project {
    /// Every file by its module path, sorted: `std/fs`, or a path without `.gsw` relative to the root.
    #[returns(ref)]
    pub modules: std::collections::BTreeMap<String, File>,
    /// The module that is run: its workflows are the program's commands.
    #[returns(ref)]
    pub entry: String,
    /// The `gsw.toml` of the folder, or of one above it.
    #[default]
    #[returns(copy)]
    pub configuration: Option<File>,
    /// The table of prices that it names, when it can be read.
    #[default]
    #[returns(copy)]
    pub prices: Option<File>,
    /// The folders that `skills` name, or why one cannot be read.
    #[default]
    #[returns(ref)]
    pub skills: std::collections::BTreeMap<String, Result<Folder, String>>,
    /// Modules that imports lead to and whose files are there and cannot be read, each with the reason, without the path.
    #[default]
    #[returns(ref)]
    pub unreadable: std::collections::BTreeMap<String, String>,
    /// The module that it names as the project's entry.
    #[default]
    #[returns(ref)]
    pub home: Option<String>,
}
