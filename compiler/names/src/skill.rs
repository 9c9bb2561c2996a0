//! Skills: folders with a `SKILL.md`, in the form of agentskills.io. What they hold becomes part of the program.
//!
//! Folders that others have written are read leniently: only a description is asked for, and what else the form wants is a
//! warning. `gsw_project` reads the files; here they get their meaning.

use std::collections::BTreeMap;
use std::sync::Arc;

use gsw_abi::program::{Skill, SkillFile};
use gsw_source::{Db, File, Folder, INSTRUCTIONS, ItemId, LARGEST_SKILL, Project};
use saphyr_parser::{Event, Parser};

use crate::module::{path_from, std_file};
use crate::tool_list::module_tools;

/// The module of the tools with which a model reads skills.
const MODULE: &str = "std/skill";
/// The key of the tools that a skill allows.
const ALLOWED: &str = "allowed-tools";
/// The letters of it, by which it is known however it is written: whoever restricts a skill must not be passed over for a hyphen.
const LETTERS: &str = "allowedtools";
/// The most characters of a name, as the form has it.
const LONGEST_NAME: usize = 64;
/// The most characters of a description, as the form has it.
const LONGEST_DESCRIPTION: usize = 1_024;

/// What the folder holds that an element of `skills` names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SkillsAt {
    pub skills: Vec<Arc<Skill>>,
    /// Why it holds none that can be used: sentences without the path of the element.
    pub errors: Vec<String>,
    /// What other programs would not take.
    pub warnings: Vec<String>,
    /// Which of several cannot be used, and why; the others are taken all the same.
    pub left_out: Vec<String>,
}

/// What `path` names, written in `file`: a skill, or a folder of several.
pub fn skills_at(db: &dyn Db, file: File, path: &str) -> SkillsAt {
    let known = Project::try_get(db).map(|it| skills_by_folder(db, it));
    let key = path_from(db, file, path);
    match known.zip(key).and_then(|(known, key)| known.get(&key)) {
        Some(found) => found.clone(),
        None => SkillsAt::unusable("the folder does not exist".into()),
    }
}

/// The instructions of the skills that `path` names, written in `file`, in order of their folders.
pub fn skill_instructions(db: &dyn Db, file: File, path: &str) -> Vec<File> {
    let Some((project, key)) = Project::try_get(db).zip(path_from(db, file, path)) else {
        return Vec::new();
    };
    let Some(Ok(folder)) = project.skills(db).get(&key) else {
        return Vec::new();
    };
    let paths = skill_folders(folder).into_iter();
    let instructions = paths.map(|it| format!("{it}{INSTRUCTIONS}"));
    instructions
        .filter_map(|it| folder.get(&it).copied().flatten())
        .collect()
}

/// All skills of the project, each once.
pub fn project_skills(db: &dyn Db) -> Vec<Arc<Skill>> {
    let folders = Project::try_get(db).map(|it| skills_by_folder(db, it).values());
    let found = folders.into_iter().flatten();
    let mut found: Vec<_> = found.flat_map(|it| it.skills.iter().cloned()).collect();
    found.sort_by(|a, b| a.id.cmp(&b.id));
    found.dedup_by(|a, b| a.id == b.id);
    found
}

/// The tools with which a model reads skills.
pub fn skill_tools(db: &dyn Db) -> Vec<ItemId> {
    std_file(db, MODULE).map_or_else(Vec::new, |it| module_tools(db, it))
}

/// Whether a tool is one of those.
pub fn is_skill_tool(db: &dyn Db, item: ItemId) -> bool {
    std_file(db, MODULE) == Some(item.file(db))
}

/// What the folders hold that the project names, by their keys.
#[salsa::tracked(returns(ref))]
fn skills_by_folder(db: &dyn Db, project: Project) -> BTreeMap<String, SkillsAt> {
    let folders = project.skills(db).iter();
    folders
        .map(|(key, folder)| {
            let found = match folder {
                Ok(folder) => skills_in(db, key, folder),
                Err(why) => SkillsAt::unusable(format!("the folder {why}")),
            };
            (key.clone(), found)
        })
        .collect()
}

fn skills_in(db: &dyn Db, key: &str, folder: &Folder) -> SkillsAt {
    let mut found = SkillsAt::default();
    let texts: Files = folder
        .iter()
        .map(|(path, file)| (path.as_str(), file.map(|it| it.text(db).clone())))
        .collect();
    let shown = |inner: &str| {
        let instructions = format!("{inner}{INSTRUCTIONS}");
        let file = folder.get(&instructions).copied().flatten();
        let path = file.and_then(|it| it.path(db).parent()?.to_str());
        path.map_or_else(|| format!("{key}/{inner}"), str::to_owned)
    };
    let inner = skill_folders(folder);
    if inner.is_empty() {
        let message = format!("there is no `{INSTRUCTIONS}` in it, nor in a folder in it");
        found.errors.push(message);
    }
    for below in inner {
        let name = match below.strip_suffix('/') {
            Some(name) => name,
            None => key.rsplit('/').next().unwrap_or_default(),
        };
        let own = texts.iter();
        let own = own.filter_map(|(path, text)| Some((path.strip_prefix(below)?, text.clone())));
        let path = shown(below);
        match read(name, &path, &own.collect()) {
            Ok((skill, warnings)) => {
                found.warnings.extend(warnings);
                found.skills.push(Arc::new(skill));
            }
            // A skill that is named alone has none beside it.
            Err(why) => found
                .left_out
                .push(format!("`{path}/{INSTRUCTIONS}` {why}")),
        }
    }
    if found.skills.is_empty() {
        found.errors.append(&mut found.left_out);
    }
    found
}

/// The skills in a folder as the beginnings of the paths of their files: `""` when it is a skill itself, else `name/` for each.
fn skill_folders(folder: &Folder) -> Vec<&str> {
    if folder.contains_key(INSTRUCTIONS) {
        return vec![""];
    }
    let inner = folder.keys().filter_map(|it| it.strip_suffix(INSTRUCTIONS));
    // One that is deeper is part of another, or of something else.
    inner
        .filter(|it| it.find('/') == it.len().checked_sub(1))
        .collect()
}

/// The files of a skill by their paths in it; without a text where a file is none.
type Files<'a> = BTreeMap<&'a str, Option<Arc<str>>>;

impl SkillsAt {
    fn unusable(why: String) -> Self {
        Self {
            errors: vec![why],
            ..Self::default()
        }
    }
}

/// Reads a skill; the error continues after the path of its `SKILL.md`.
fn read(folder: &str, path: &str, files: &Files<'_>) -> Result<(Skill, Vec<String>), String> {
    let text = files.get(INSTRUCTIONS).cloned().flatten();
    let text = text.ok_or("is no UTF-8 text")?;
    let (head, body) = split(&text).ok_or(
        "does not begin with a head: `---`, a line `description: …`, `---`, and the instructions",
    )?;
    let said = head_of(head)?;
    let description = said.text("description");
    if description.is_empty() {
        return Err("has no `description`, by which a model chooses it".into());
    }
    let size: usize = files.values().flatten().map(|it| it.len()).sum();
    if size > LARGEST_SKILL {
        let most = LARGEST_SKILL >> 20;
        return Err(format!(
            "and the files beside it have more than {most} MB, which is the most for a skill"
        ));
    }
    let name = said.text("name");
    let mut warnings = form(name, folder, description);
    let name = if name.is_empty() { folder } else { name };
    let tools = allowed_tools(&said, name, &mut warnings);
    let others = files.iter().filter(|(path, _)| **path != INSTRUCTIONS);
    let mut skill = Skill {
        id: String::new(),
        name: name.to_owned(),
        description: description.to_owned(),
        tools,
        path: path.to_owned(),
        source: text.to_string(),
        instructions: body.trim().to_owned(),
        files: others
            .map(|(path, text)| SkillFile {
                path: (*path).to_owned(),
                text: text.as_deref().map(str::to_owned),
            })
            .collect(),
    };
    skill.seal();
    Ok((skill, warnings))
}

/// What the form says of names and descriptions and other programs hold against them.
fn form(name: &str, folder: &str, description: &str) -> Vec<String> {
    let mut warnings = Vec::new();
    let is_plain = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-';
    let is_formed = name.chars().all(is_plain)
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--");
    if name.is_empty() {
        warnings.push(format!(
            "the skill in `{folder}` has no `name`, so it has that of its folder"
        ));
    } else if !is_formed || name.len() > LONGEST_NAME {
        warnings.push(format!(
            "the name `{name}` is not of the form that skills have: at most {LONGEST_NAME} small letters, digits and single hyphens"
        ));
    } else if name != folder {
        warnings.push(format!(
            "the skill `{name}` lies in a folder of another name, `{folder}`"
        ));
    }
    if description.chars().count() > LONGEST_DESCRIPTION {
        let name = if name.is_empty() { folder } else { name };
        warnings.push(format!(
            "the description of `{name}` has more than {LONGEST_DESCRIPTION} characters"
        ));
    }
    warnings
}

/// The tools that `allowed-tools` allows; `None` without such a line. A line that cannot be read allows nothing: its author wanted
/// to hold something back.
fn allowed_tools(said: &Head, name: &str, warnings: &mut Vec<String>) -> Option<Vec<String>> {
    let is_meant = |key: &str| {
        let letters = key.chars().filter(|it| it.is_alphanumeric());
        letters.flat_map(char::to_lowercase).eq(LETTERS.chars())
    };
    let meant = said.all.iter().filter(|(key, _)| is_meant(key));
    let mut allowed: Option<Vec<String>> = None;
    for (key, value) in meant {
        if key != ALLOWED {
            warnings.push(format!(
                "`{key}` of `{name}` is taken for `{ALLOWED}`, as it is written"
            ));
        }
        let words = match value {
            Said::Text(text) => text.split([' ', ',', '\n']).map(str::to_owned).collect(),
            Said::List(items) => items.clone(),
            Said::Other => {
                warnings.push(format!(
                    "`{key}` of `{name}` is no list of names, so it allows nothing"
                ));
                Vec::new()
            }
        };
        let words = words.into_iter().map(|it| it.trim().to_owned());
        let words: Vec<String> = words.filter(|it| !it.is_empty()).collect();
        if let Some(pattern) = words.iter().find(|it| it.contains(['(', '*', '?'])) {
            // Taking it for the whole tool would allow more than is written.
            warnings.push(format!(
                "`{pattern}` in `{key}` of `{name}` allows nothing: here tools are allowed by their names alone"
            ));
        }
        // Of two lines, what both allow.
        allowed = Some(match allowed {
            Some(before) => before.into_iter().filter(|it| words.contains(it)).collect(),
            None => words,
        });
    }
    allowed
}

/// The head and what comes after it.
fn split(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // Blank lines may stand before it.
    let rest = text.trim_start().strip_prefix("---")?;
    let rest = rest.strip_prefix('\r').unwrap_or(rest).strip_prefix('\n')?;
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some((&rest[..at], &rest[at + line.len()..]));
        }
        at += line.len();
    }
    None
}

/// A value of a head.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Said {
    Text(String),
    /// A list of texts.
    List(Vec<String>),
    /// What holds more than that.
    Other,
}

impl Said {
    /// The text that it is; of anything else none.
    fn text(&self) -> &str {
        match self {
            Self::Text(text) => text.trim(),
            Self::List(_) | Self::Other => "",
        }
    }
}

/// The values of a head with their keys, in order. A key may stand there twice.
#[derive(Default)]
struct Head {
    all: Vec<(String, Said)>,
}

impl Head {
    /// The text of a key, the last one; empty where there is none.
    fn text(&self, key: &str) -> &str {
        let values = self.all.iter().rev();
        let mut values = values.filter(|it| it.0 == key).map(|it| it.1.text());
        values.next().unwrap_or_default()
    }
}

fn head_of(head: &str) -> Result<Head, String> {
    // Descriptions often hold a colon and no quotes, which YAML does not take and everyone means.
    values(head).or_else(|error| values(&quoted(head)).map_err(|_| error))
}

fn values(head: &str) -> Result<Head, String> {
    let mut values = Head::default();
    let mut depth = 0_u32;
    let mut key: Option<String> = None;
    // The value of the key, while it is no single text.
    let mut inner = Said::Other;
    for event in Parser::new_from_str(head) {
        let (event, _) = event.map_err(|error| format!("has a head that is no YAML: {error}"))?;
        match event {
            Event::Scalar(text, ..) if depth == 1 => match key.take() {
                None => key = Some(text.into_owned()),
                Some(key) => {
                    values.all.push((key, Said::Text(text.into_owned())));
                }
            },
            Event::Scalar(text, ..) if depth == 2 => {
                if let Said::List(items) = &mut inner {
                    items.push(text.into_owned());
                }
            }
            Event::SequenceStart(..) => {
                depth += 1;
                inner = match depth {
                    2 => Said::List(Vec::new()),
                    _ => Said::Other,
                };
            }
            Event::MappingStart(..) => {
                depth += 1;
                inner = Said::Other;
            }
            Event::MappingEnd | Event::SequenceEnd => {
                depth = depth.saturating_sub(1);
                if depth == 1
                    && let Some(key) = key.take()
                {
                    let value = std::mem::replace(&mut inner, Said::Other);
                    values.all.push((key, value));
                }
            }
            Event::Alias(_) => {
                inner = Said::Other;
                if depth == 1
                    && let Some(key) = key.take()
                {
                    values.all.push((key, Said::Other));
                }
            }
            Event::Scalar(..)
            | Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => {}
        }
    }
    Ok(values)
}

/// The head with quotes around values that hold a colon.
fn quoted(head: &str) -> String {
    let line = |line: &str| match line.split_once(": ") {
        Some((key, value)) if !line.starts_with(' ') && value.contains(':') => {
            let value = value.trim().replace('\\', "\\\\").replace('"', "\\\"");
            format!("{key}: \"{value}\"\n")
        }
        Some(_) | None => format!("{line}\n"),
    };
    head.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::{Files, read};

    fn of(text: &str) -> Result<(gsw_abi::program::Skill, Vec<String>), String> {
        let files: Files = [("SKILL.md", Some(text.into()))].into();
        read("notes", "./notes", &files)
    }

    // G29
    #[test]
    fn heads_are_read_leniently_and_what_is_missing_is_said() {
        let (skill, warnings) = of("---\nname: notes\ndescription: >\n  Writes\n  notes.\nmetadata:\n  a: b\n  description: inner\nallowed-tools: Read Grep\nlicense: [x]\n---\n\n# How\n---\nend\n").expect("good");
        assert_eq!(
            (skill.description.as_str(), skill.instructions.as_str()),
            ("Writes notes.", "# How\n---\nend")
        );
        assert_eq!(
            (skill.tools.as_deref(), warnings.len()),
            (Some(&["Read".to_owned(), "Grep".to_owned()][..]), 0)
        );
        let (skill, warnings) =
            of("---\r\ndescription: Use it: when \"asked\"\r\n---\r\nbody").expect("lenient");
        assert_eq!(skill.description, "Use it: when \"asked\"");
        assert_eq!((skill.name.as_str(), warnings.len()), ("notes", 1));
        let long = "x".repeat(super::LONGEST_DESCRIPTION + 1);
        let (_, warnings) = of(&format!("---\ndescription: {long}\n---\nbody")).expect("lenient");
        assert!(warnings[1].starts_with("the description of `notes` has"));
        let (skill, _) = of("\n \r\n---\ndescription: d\n---\nbody").expect("lenient");
        assert_eq!(skill.instructions, "body");
        for (text, part) in [
            ("# no head", "does not begin with a head"),
            ("---\nname: notes\n", "does not begin with a head"),
            ("---\nname: notes\n---\n", "has no `description`"),
            ("---\ndescription: [a\n---\n", "no YAML"),
        ] {
            let error = of(text).expect_err(text);
            assert!(error.contains(part), "{error}");
        }
        let (_, warnings) =
            of("---\nname: No_tes\ndescription: d\nallowed-tools: Bash(git:*)\n---\n")
                .expect("lenient");
        assert!(
            warnings[0].contains("not of the form") && warnings[1].contains("`Bash(git:*)`"),
            "{warnings:?}"
        );
    }
    #[test]
    fn a_line_of_allowed_tools_never_allows_more_than_it_names() {
        let allowed = |line: &str| {
            let (skill, warnings) =
                of(&format!("---\nname: notes\ndescription: d\n{line}\n---\n")).expect("lenient");
            (skill.tools.map(|it| it.join(" ")), warnings.len())
        };
        let some = |text: &str| Some(text.to_owned());
        for (line, expected) in [
            ("license: x", (None, 0)),
            ("allowed-tools: Read, Grep", (some("Read Grep"), 0)),
            ("allowed-tools: [Read, Grep]", (some("Read Grep"), 0)),
            ("allowed-tools:\n  - Read\n  - Grep", (some("Read Grep"), 0)),
            ("allowed-tools: []", (some(""), 0)),
            ("allowed-tools:", (some(""), 0)),
            ("allowed-tools: \"\"", (some(""), 0)),
            ("allowed-tools: \"*\"", (some("*"), 1)),
            (
                "allowed-tools: mcp__git__* Read",
                (some("mcp__git__* Read"), 1),
            ),
            ("allowed-tools: { Read: true }", (some(""), 1)),
            ("allowed-tools: [Read, [Grep]]", (some(""), 1)),
            ("license: &it Read\nallowed-tools: *it", (some(""), 1)),
            ("Allowed-Tools: Read", (some("Read"), 1)),
            ("allowedTools: Read", (some("Read"), 1)),
            ("allowed\u{2011}tools: Read", (some("Read"), 1)),
            (
                "allowed-tools: Read\nallowed-tools: Read Grep",
                (some("Read"), 0),
            ),
            (
                "allowed_tools: Read\nallowed-tools: Read Grep",
                (some("Read"), 1),
            ),
        ] {
            assert_eq!(allowed(line), expected, "{line}");
        }
    }
}
