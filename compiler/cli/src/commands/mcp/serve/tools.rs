//! The tools: their names, what they take, what they answer.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use gsw_describe::{MANUAL, ManualPage, search_manual};
use gsw_source::{Diagnostic, Severity};
use rmcp::model::{Tool, ToolAnnotations};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::answer::Answer;
use super::place::{At, Place, told};
use super::program::{Opened, open, open_around};
use crate::commands::explain::page_of;
use crate::declarations::{Whose, declarations, described, meant};
use crate::report;

/// The most sections that a search gives.
const MOST_FOUND: usize = 6;
/// The most characters of a section that are shown.
const MOST_SHOWN: usize = 1_500;

pub enum Ask {
    Check(Program),
    Describe(Named),
    Hover(Pointed),
    Definition(Pointed),
    References(Pointed),
    Format(Program),
    Fix(Program),
    Explain(Topic),
    Search(Topic),
    Page(Topic),
    Test(Tests),
}

/// What performs the work of a tool.
pub enum Work {
    /// This process.
    Here,
    /// A `gswc` with these words.
    Child(Vec<String>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    file: Option<String>,
    text: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Named {
    name: String,
    file: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pointed {
    file: String,
    line: u32,
    column: Option<u32>,
    name: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Topic {
    about: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tests {
    file: Option<String>,
    filter: Option<String>,
}

/// A tool as clients see it.
struct Row {
    name: &'static str,
    about: &'static str,
    parameters: &'static [Parameter],
    /// Whether the tool only reads.
    reads: Reads,
    /// What a call with these arguments asks for.
    ask: fn(Map<String, Value>) -> Result<Ask, String>,
}

struct Parameter {
    name: &'static str,
    /// A type of JSON Schema.
    ty: &'static str,
    about: &'static str,
    needed: Needed,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Needed {
    Always,
    /// It may be left out.
    AtWill,
}

const fn needed(name: &'static str, ty: &'static str, about: &'static str) -> Parameter {
    Parameter {
        name,
        ty,
        about,
        needed: Needed::Always,
    }
}

const fn at_will(name: &'static str, ty: &'static str, about: &'static str) -> Parameter {
    Parameter {
        name,
        ty,
        about,
        needed: Needed::AtWill,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reads {
    Only,
    AndWrites,
}

const FILE: Parameter = at_will(
    "file",
    "string",
    "An entry file or a project folder; by default the project that the server was started in.",
);
const SOURCE: Parameter = at_will(
    "text",
    "string",
    "A program in the place of what is on the disk under `file`.",
);
const AT: &[Parameter] = &[
    needed("file", "string", "The file."),
    needed("line", "integer", "The line, from 1."),
    at_will("name", "string", "The name in that line; or `column`."),
    at_will(
        "column",
        "integer",
        "The column, from 1, in characters; or `name`.",
    ),
];

const ROWS: &[Row] = &[
    Row {
        name: "check",
        about: "Report what is wrong with a program, with places, notes and fixes.",
        parameters: &[FILE, SOURCE],
        reads: Reads::Only,
        ask: |it| read(it).map(Ask::Check),
    },
    Row {
        name: "describe",
        about: "Say what a declaration of the program or of the library is: signature, docs, parameters or fields, what a call raises and does, how a tool may be repeated, what a prompt says.",
        parameters: &[
            needed(
                "name",
                "string",
                "As a program names it: `main`, `schemas.Order`, `fs.read`; or the last part; or a module, `fs`, for all that it declares.",
            ),
            FILE,
        ],
        reads: Reads::Only,
        ask: |it| read(it).map(Ask::Describe),
    },
    Row {
        name: "hover",
        about: "Say what the name at a place is, with its type and docs.",
        parameters: AT,
        reads: Reads::Only,
        ask: |it| read(it).map(Ask::Hover),
    },
    Row {
        name: "definition",
        about: "Find where the name at a place is declared.",
        parameters: AT,
        reads: Reads::Only,
        ask: |it| read(it).map(Ask::Definition),
    },
    Row {
        name: "references",
        about: "Find every place of the project that names what the name at a place does.",
        parameters: AT,
        reads: Reads::Only,
        ask: |it| read(it).map(Ask::References),
    },
    Row {
        name: "format",
        about: "Write a file, or all of a project, in the one style; or give a text in it.",
        parameters: &[
            FILE,
            at_will("text", "string", "A program to format instead of a file."),
        ],
        reads: Reads::AndWrites,
        ask: |it| read(it).map(Ask::Format),
    },
    Row {
        name: "fix",
        about: "Apply the fixes that are certain (`applicability` of a report says so) where there is exactly one, and report what remains.",
        parameters: &[FILE],
        reads: Reads::AndWrites,
        ask: |it| read(it).map(Ask::Fix),
    },
    Row {
        name: "explain",
        about: "Explain a code of a report (`unknown-name`), an error of a run (`BudgetExceeded`), a word (`retry`) or a function of the library (`fs.read`).",
        parameters: &[needed("about", "string", "The name.")],
        reads: Reads::Only,
        ask: |it| read(it).map(Ask::Explain),
    },
    Row {
        name: "search",
        about: "Search the documentation: sections in which the words stand, the best first.",
        parameters: &[needed("about", "string", "A few words.")],
        reads: Reads::Only,
        ask: |it| read(it).map(Ask::Search),
    },
    Row {
        name: "page",
        about: "Read a page of the documentation: `reference/language` is the whole language, an unknown name lists all.",
        parameters: &[needed(
            "about",
            "string",
            "The page, such as `reference/testing`.",
        )],
        reads: Reads::Only,
        ask: |it| read(it).map(Ask::Page),
    },
    Row {
        name: "test",
        about: "Run tests, offline, with mocks.",
        parameters: &[
            at_will(
                "file",
                "string",
                "A file or a project folder; by default the project that the server was started in.",
            ),
            at_will("filter", "string", "Only tests whose name contains this."),
        ],
        // Tests may write files.
        reads: Reads::AndWrites,
        ask: |it| read(it).map(Ask::Test),
    },
];

pub fn list() -> Vec<Tool> {
    ROWS.iter().map(tool).collect()
}

fn tool(row: &Row) -> Tool {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for it in row.parameters {
        if it.needed == Needed::Always {
            required.push(it.name);
        }
        let property = json!({ "type": it.ty, "description": it.about });
        properties.insert(it.name.into(), property);
    }
    let mut schema = Map::new();
    schema.insert("type".into(), json!("object"));
    schema.insert("properties".into(), Value::Object(properties));
    schema.insert("required".into(), json!(required));
    schema.insert("additionalProperties".into(), json!(false));
    let tool = Tool::new_with_raw(row.name, Some(Cow::Borrowed(row.about)), Arc::new(schema));
    tool.with_annotations(ToolAnnotations::new().read_only(row.reads == Reads::Only))
}

fn read<T: for<'de> Deserialize<'de>>(arguments: Map<String, Value>) -> Result<T, String> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| error.to_string())
}

impl Ask {
    /// What a call asks for.
    pub fn of(name: &str, arguments: Map<String, Value>) -> Result<Self, String> {
        match ROWS.iter().find(|it| it.name == name) {
            Some(row) => (row.ask)(arguments),
            None => Err(format!("there is no tool `{name}`")),
        }
    }

    /// The file or folder that it names.
    pub fn file(&self) -> Option<&str> {
        match self {
            Self::Check(it) | Self::Format(it) | Self::Fix(it) => it.file.as_deref(),
            Self::Describe(it) => it.file.as_deref(),
            Self::Hover(it) | Self::Definition(it) | Self::References(it) => Some(&it.file),
            Self::Test(it) => it.file.as_deref(),
            Self::Explain(_) | Self::Search(_) | Self::Page(_) => None,
        }
    }

    pub fn work(&self) -> Work {
        // After `--`, so that no name is taken for an option.
        let file = |file: &Option<String>| {
            file.iter()
                .flat_map(|it| ["--".to_owned(), it.clone()])
                .collect::<Vec<_>>()
        };
        let words = |command: &[&str], file: Vec<String>| {
            let words = command.iter().map(|it| (*it).to_owned());
            Work::Child(words.chain(file).collect())
        };
        match self {
            Self::Format(Program { text: Some(_), .. })
            | Self::Check(_)
            | Self::Describe(_)
            | Self::Hover(_)
            | Self::Definition(_)
            | Self::References(_)
            | Self::Explain(_)
            | Self::Search(_)
            | Self::Page(_) => Work::Here,
            Self::Format(it) => words(&["fmt"], file(&it.file)),
            Self::Fix(it) => words(&["fix"], file(&it.file)),
            Self::Test(it) => {
                let mut command = vec!["test"];
                let filter = it.filter.iter().map(|it| format!("--filter={it}"));
                let filter: Vec<String> = filter.collect();
                command.extend(filter.iter().map(String::as_str));
                words(&command, file(&it.file))
            }
        }
    }

    /// The answer to what is done here.
    pub fn answer(self) -> Answer {
        let answer = match self {
            Self::Check(it) => check(it),
            Self::Describe(it) => describe(&it),
            Self::Hover(it) => hover(&it),
            Self::Definition(it) => definition(&it),
            Self::References(it) => references(&it),
            Self::Format(it) => format(it),
            Self::Explain(it) => page_of(&it.about).map(Answer::text),
            Self::Search(it) => Ok(search(&it.about)),
            Self::Page(it) => page(&it.about),
            Self::Fix(_) | Self::Test(_) => unreachable!("a child does it"),
        };
        answer.into()
    }
}

fn check(it: Program) -> Result<Answer, String> {
    let Opened { db, .. } = open(it.file.as_deref().map(Path::new), it.text)?;
    let found = gsw_analysis::check_project(&db);
    let lines = report::json_text(&db, &found);
    let data: Vec<Value> = lines
        .lines()
        .filter_map(|it| serde_json::from_str(it).ok())
        .collect();
    let is_error = |it: &&Diagnostic| it.severity == Severity::Error;
    let errors = found.iter().filter(is_error).count();
    let text = match found.is_empty() {
        true => "nothing is wrong".to_owned(),
        false => report::plain_text(&db, &found),
    };
    Ok(Answer::with_data(
        text,
        json!({ "errors": errors, "diagnostics": data }),
    ))
}

fn describe(it: &Named) -> Result<Answer, String> {
    let file = it.file.as_deref().map(Path::new);
    let db = match open(file, None) {
        Ok(opened) => opened.db,
        // Without a program there is still the library.
        Err(_) if file.is_none() => open(None, Some(String::new()))?.db,
        Err(why) => return Err(why),
    };
    let named = declarations(&db, Whose::All);
    let found = meant(&named, &it.name)?;
    let described = described(&db, &found);
    let texts: Vec<String> = described.iter().map(|it| it.text()).collect();
    let data: Vec<Value> = described.iter().map(|it| it.json()).collect();
    Ok(Answer::with_data(
        texts.join("\n"),
        json!({ "declarations": data }),
    ))
}

/// The program around a place, and the byte of the file.
fn pointed(it: &Pointed) -> Result<(Opened, u32), String> {
    let at = match (&it.name, it.column) {
        (Some(name), None) => At::Name(name.clone()),
        (None, Some(column)) => At::Column(column),
        (None, None) | (Some(_), Some(_)) => {
            return Err("give `name` or `column`, one of both".to_owned());
        }
    };
    let opened = open_around(Path::new(&it.file))?;
    let place = Place { line: it.line, at };
    let offset = place.offset(opened.file.text(&opened.db))?;
    Ok((opened, offset))
}

const NO_NAME: &str = "there is no name that the compiler knows at that position";

fn hover(it: &Pointed) -> Result<Answer, String> {
    let (Opened { db, file }, offset) = pointed(it)?;
    let hover = gsw_ide::hover(&db, file, offset).ok_or(NO_NAME)?;
    let Some(word) = hover.word else {
        return Ok(Answer::text(hover.markdown));
    };
    let section = gsw_describe::explained(&word);
    Ok(Answer::text(section.ok_or(NO_NAME)?))
}

fn definition(it: &Pointed) -> Result<Answer, String> {
    let (Opened { db, file }, offset) = pointed(it)?;
    let found = gsw_ide::definition(&db, file, offset).ok_or(NO_NAME)?;
    let (text, data) = told(&db, found);
    Ok(Answer::with_data(text, data))
}

fn references(it: &Pointed) -> Result<Answer, String> {
    let (Opened { db, file }, offset) = pointed(it)?;
    let found = gsw_ide::references(&db, file, offset);
    if found.is_empty() {
        return Err(NO_NAME.to_owned());
    }
    let (mut text, mut data) = (String::new(), Vec::new());
    for it in found {
        let (line, place) = told(&db, it.location);
        text.push_str(&line);
        data.push(place);
    }
    Ok(Answer::with_data(text, json!({ "references": data })))
}

fn format(it: Program) -> Result<Answer, String> {
    let text = it.text.unwrap_or_default();
    let Opened { db, file } = open(it.file.as_deref().map(Path::new), Some(text))?;
    match gsw_format::format_file(&db, file) {
        Ok(formatted) => Ok(Answer::text(formatted)),
        Err(error) => Err(report::plain_text(&db, &error.diagnostics)),
    }
}

fn search(question: &str) -> Answer {
    let found = search_manual(question, MOST_FOUND);
    if found.is_empty() {
        return Answer::text(format!("no page mentions `{question}`"));
    }
    let sections = found.iter().map(|it| {
        let text = it.text.trim();
        let shown: String = text.chars().take(MOST_SHOWN).collect();
        let more = match shown.len() < text.len() {
            true => "\n… (the page has more)",
            false => "",
        };
        format!("## {} (page `{}`)\n\n{shown}{more}\n", it.heading, it.page)
    });
    Answer::text(sections.collect::<Vec<_>>().join("\n"))
}

fn page(path: &str) -> Result<Answer, String> {
    match ManualPage::at(path.trim_end_matches(".md")) {
        Some(page) => Ok(Answer::text(page.text.to_owned())),
        None => {
            let pages = MANUAL
                .iter()
                .map(|it| format!("{}: {}\n", it.path, it.title()));
            Err(format!(
                "there is no page `{path}`; there are\n{}",
                pages.collect::<String>()
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::{Ask, Needed, Parameter, ROWS};

    #[test]
    fn every_tool_takes_the_parameters_that_it_shows_and_needs_those_that_it_says() {
        let value = |it: &Parameter| match it.ty {
            "integer" => json!(1),
            _ => json!("a"),
        };
        for row in ROWS {
            let all = row
                .parameters
                .iter()
                .map(|it| (it.name.to_owned(), value(it)));
            let all: Map<String, Value> = all.collect();
            assert!(Ask::of(row.name, all.clone()).is_ok(), "{}", row.name);
            for it in row.parameters {
                let mut less = all.clone();
                less.remove(it.name);
                let is_taken = Ask::of(row.name, less).is_ok();
                let name = it.name;
                assert_eq!(
                    is_taken,
                    it.needed == Needed::AtWill,
                    "{}: {name}",
                    row.name
                );
            }
        }
        assert!(Ask::of("dance", Map::new()).is_err());
    }
}
