//! What a project's `gsw.toml` says, and what is wrong with it.

mod lints;
mod models;
mod permissions;
mod prices;
mod reader;
mod runs;

use gsw_abi::permission::Permitted;
use gsw_source::{Code, Db, Diagnostic, File, Place, Project};
use toml::de::DeTable;

use crate::errors;
pub use lints::{LintLevel, with_levels};
pub use models::{ModelDefaults, resolved_model};
pub use permissions::meant_entry;
pub use prices::file_prices;
use reader::Reader;
pub use runs::RunsDefaults;

/// The entry of a project that names none.
const ENTRY: &str = "main.gsw";
/// A program's name is also a file's.
const LONGEST_NAME: usize = 64;
/// The keys at the top of the file.
const KEYS: [&str; 7] = [
    "entry",
    "lints",
    "models",
    "name",
    "permissions",
    "runs",
    "version",
];

/// What a `gsw.toml` says; what is wrong in it is left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Configuration {
    /// What the program is called.
    pub name: Option<String>,
    /// Its version, `major.minor.patch`.
    pub version: Option<String>,
    /// The file whose workflows are the program's commands, relative to the folder of `gsw.toml`.
    pub entry: String,
    /// Where it is named, in its quotes; `None` where it is not.
    pub entry_place: Option<Place>,
    /// Which models are asked where the program does not say, and by which short names.
    pub models: ModelDefaults,
    /// The most that the program may be permitted: each permission with what it lists.
    pub permissions: Option<Permitted>,
    /// Where runs are kept, and how long.
    pub runs: RunsDefaults,
    /// How warnings are to be taken.
    pub lints: Vec<(Code, LintLevel)>,
}

/// A configuration and what is wrong with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckedConfiguration {
    pub configuration: Configuration,
    /// In the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// What the `gsw.toml` in `file` says.
#[salsa::tracked(returns(ref))]
pub fn file_configuration(db: &dyn Db, file: File) -> CheckedConfiguration {
    let mut reader = Reader::new(file);
    let mut configuration = Configuration {
        name: None,
        version: None,
        entry: ENTRY.into(),
        entry_place: None,
        models: ModelDefaults::default(),
        permissions: None,
        runs: RunsDefaults::default(),
        lints: Vec::new(),
    };
    if let Some(table) = parse(&mut reader, file.text(db)) {
        read(&mut reader, &table, &mut configuration);
    }
    CheckedConfiguration {
        configuration,
        diagnostics: reader.found,
    }
}

/// What the project's `gsw.toml` says; `None` when it has none.
pub fn project_configuration(db: &dyn Db) -> Option<&Configuration> {
    let file = Project::try_get(db)?.configuration(db)?;
    Some(&file_configuration(db, file).configuration)
}

/// What is wrong with the project's `gsw.toml` and with the files that it names.
pub fn configuration_diagnostics(db: &dyn Db) -> Vec<Diagnostic> {
    let Some((project, file)) =
        Project::try_get(db).and_then(|it| Some((it, it.configuration(db)?)))
    else {
        return Vec::new();
    };
    let checked = file_configuration(db, file);
    let mut found = checked.diagnostics.clone();
    match (&checked.configuration.models.prices, project.prices(db)) {
        (Some(_), Some(prices)) => found.extend_from_slice(&file_prices(db, prices).diagnostics),
        (Some(named), None) => found.push(errors::unreadable_file(named.place, &named.path)),
        (None, _) => {}
    }
    found
}

/// That the project lacks the entry which its `gsw.toml` names, when all files of its folder are read.
pub fn missing_entry(db: &dyn Db) -> Option<Diagnostic> {
    let project = Project::try_get(db)?;
    let configuration = project_configuration(db)?;
    let home = project.home(db).as_deref()?;
    let place = configuration.entry_place?;
    let is_there = project.modules(db).contains_key(home);
    (!is_there).then(|| errors::unreadable_file(place, &configuration.entry))
}

/// The table of a file; `None` when it is no TOML, which is reported.
fn parse<'t>(reader: &mut Reader, text: &'t str) -> Option<DeTable<'t>> {
    let (table, mistakes) = DeTable::parse_recoverable(text);
    for mistake in &mistakes {
        let place = reader.place(mistake.span().unwrap_or(0..0));
        let report = errors::invalid_toml(place, mistake.message());
        // What is open many times over is reported once where the text ends.
        if reader.found.last() != Some(&report) {
            reader.found.push(report);
        }
    }
    // What follows a mistake of syntax would mostly be reported for it.
    mistakes.is_empty().then(|| table.into_inner())
}

fn read(reader: &mut Reader, table: &DeTable<'_>, into: &mut Configuration) {
    for entry in reader.entries(table) {
        match entry.key {
            "name" => into.name = reader.text(&entry, "a lower-case name", is_name),
            "version" => {
                into.version = reader.text(&entry, "a version such as `\"1.2.0\"`", is_version);
            }
            "entry" => {
                let named = reader.text(&entry, "a `.gsw` file of this folder", is_entry);
                into.entry_place = named.as_ref().map(|_| entry.value_place);
                into.entry = named.unwrap_or_else(|| ENTRY.into());
            }
            "models" => models::read(reader, &entry, &mut into.models),
            "permissions" => into.permissions = permissions::read(reader, &entry),
            "runs" => runs::read(reader, &entry, &mut into.runs),
            "lints" => into.lints = lints::read(reader, &entry),
            _ => reader.unknown(&entry, "", &KEYS),
        }
    }
}

/// Small letters, digits, `-` and `_`, a letter first.
fn is_name(text: &str) -> bool {
    let is_rest = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || "-_".contains(it);
    text.len() <= LONGEST_NAME
        && text.starts_with(|it: char| it.is_ascii_lowercase())
        && text.chars().all(is_rest)
}

/// `major.minor.patch`, with what may follow a `-` or a `+`.
fn is_version(text: &str) -> bool {
    let is_number = |it: &str| {
        !it.is_empty()
            && it.bytes().all(|byte| byte.is_ascii_digit())
            && (it == "0" || !it.starts_with('0'))
    };
    let is_label = |it: &str| {
        let mut parts = it.split('.');
        parts.all(|part| {
            !part.is_empty()
                && part
                    .chars()
                    .all(|it| it.is_ascii_alphanumeric() || it == '-')
        })
    };
    let (rest, build) = text
        .split_once('+')
        .map_or((text, None), |(a, b)| (a, Some(b)));
    let (numbers, label) = rest
        .split_once('-')
        .map_or((rest, None), |(a, b)| (a, Some(b)));
    text.len() <= LONGEST_NAME
        && numbers.split('.').count() == 3
        && numbers.split('.').all(is_number)
        && label.is_none_or(is_label)
        && build.is_none_or(is_label)
}

/// A path that stays in the folder.
fn is_entry(text: &str) -> bool {
    text.ends_with(".gsw") && is_inside(text)
}

/// Whether a path is relative and does not climb.
fn is_inside(path: &str) -> bool {
    !path.is_empty() && !path.starts_with('/') && path.split('/').all(|it| it != "..")
}
