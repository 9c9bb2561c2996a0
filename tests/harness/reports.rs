//! The exact text of reports: `reports` blocks of pages, what fixes do, and that every sentence occurs somewhere.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gsw_source::Code;
use serde_json::Value;

use crate::page::{Case, cases, pages, with_blocks, write_project};
use crate::program::{gswc, root, text};

/// The reports of `gswc check`, as it prints them for programs.
fn checked(file: &Path) -> Vec<Value> {
    let said = gswc(&["check", "--format", "json", text(file)]);
    let reports: Vec<Value> = said
        .out
        .lines()
        .map(|line| serde_json::from_str(line).expect("reports are JSON"))
        .collect();
    let failed = reports.iter().any(|it| it["severity"] == "error");
    assert_eq!(said.code, Some(i32::from(failed)), "{said:?}");
    reports
}

/// Where a report or an edit starts and ends: line and column, from 1.
fn range(value: &Value) -> [usize; 4] {
    let number = |end: &str, part: &str| value[end][part].as_u64().unwrap_or_default() as usize;
    [
        number("start", "line"),
        number("start", "column"),
        number("end", "line"),
        number("end", "column"),
    ]
}

/// A path without the folder of the case.
fn relative(text: &str, folder: &Path) -> String {
    text.replace(&format!("{}/", folder.display()), "")
}

/// A report as a `reports` block shows it.
fn shown(report: &Value, folder: &Path) -> String {
    let part = |name: &str| report[name].as_str().unwrap_or_default();
    let [line, column, last_line, last_column] = range(report);
    let end = if line == last_line {
        last_column.to_string()
    } else {
        format!("{last_line}:{last_column}")
    };
    let file = match relative(part("file"), folder) {
        file if file == "main.gsw" => String::new(),
        file => format!("{file}:"),
    };
    let mut shown = format!(
        "{file}{line}:{column}-{end} {}[{}]: {}\n",
        part("severity"),
        part("code"),
        part("message"),
    );
    for note in report["notes"].as_array().into_iter().flatten() {
        let note = relative(note.as_str().unwrap_or_default(), folder);
        shown.push_str(&format!("  note: {note}\n"));
    }
    for fix in report["fixes"].as_array().into_iter().flatten() {
        let title = fix["title"].as_str().unwrap_or_default();
        // What `gswc fix` leaves to the author is shown apart.
        let kind = match fix["applicability"].as_str() {
            Some("offered") => "offered",
            _ => "fix",
        };
        shown.push_str(&format!("  {kind}: {title}\n"));
        let (before, after) = (originals(fix), mended(fix));
        for (path, after) in &after {
            for line in changed_lines(&before[path], after) {
                shown.push_str(&format!("    | {line}\n"));
            }
        }
    }
    shown
}

fn originals(fix: &Value) -> BTreeMap<PathBuf, String> {
    let edits = fix["edits"].as_array().into_iter().flatten();
    edits
        .map(|edit| {
            let path = PathBuf::from(edit["file"].as_str().expect("an edit names its file"));
            let text = std::fs::read_to_string(&path).expect("files of cases can be read");
            (path, text)
        })
        .collect()
}

/// The files that a fix changes, changed.
fn mended(fix: &Value) -> BTreeMap<PathBuf, String> {
    let mut files = originals(fix);
    let mut edits: Vec<_> = fix["edits"].as_array().into_iter().flatten().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(range(edit)));
    for edit in edits {
        let path = PathBuf::from(edit["file"].as_str().expect("an edit names its file"));
        let file = files.get_mut(&path).expect("it was just read");
        let [line, column, last_line, last_column] = range(edit);
        let span = offset(file, line, column)..offset(file, last_line, last_column);
        file.replace_range(span, edit["text"].as_str().expect("an edit has a text"));
    }
    files
}

fn offset(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text
        .split_inclusive('\n')
        .take(line - 1)
        .map(str::len)
        .sum();
    let inside = text[start..].char_indices().nth(column - 1);
    inside.map_or(text.len(), |(index, _)| start + index)
}

/// The lines of `after` without those at its start and end that `before` has too.
fn changed_lines<'text>(before: &str, after: &'text str) -> Vec<&'text str> {
    let before: Vec<&str> = before.lines().collect();
    let lines: Vec<&str> = after.lines().collect();
    let shorter = before.len().min(lines.len());
    let same = |pair: &(&&str, &&str)| pair.0 == pair.1;
    let head = before.iter().zip(&lines).take_while(same).count();
    let tail = before.iter().rev().zip(lines.iter().rev());
    let tail = tail.take(shorter - head).take_while(same).count();
    lines[head..lines.len() - tail].to_vec()
}

/// What is wrong with the fixes of a case: each alone must end its own report and cause no error.
fn check_fixes(place: &str, file: &Path, reports: &[Value]) -> Vec<String> {
    let is_error = |it: &&Value| it["severity"] == "error";
    let errors = reports.iter().filter(is_error).count();
    let mut wrong = Vec::new();
    for report in reports {
        for fix in report["fixes"].as_array().into_iter().flatten() {
            let before = originals(fix);
            for (path, text) in mended(fix) {
                std::fs::write(path, text).expect("the target folder can be written");
            }
            let after = checked(file);
            for (path, text) in before {
                std::fs::write(path, text).expect("the target folder can be written");
            }
            let identity = |it: &Value| (it["code"].clone(), it["message"].clone());
            let same = |all: &[Value]| {
                all.iter()
                    .filter(|it| identity(it) == identity(report))
                    .count()
            };
            let left = after.iter().filter(is_error).count();
            if same(&after) >= same(reports) || left > errors {
                let said: String = after.iter().map(|it| shown(it, Path::new(""))).collect();
                wrong.push(format!(
                    "{place}: the fix {} mends nothing:\n{said}",
                    fix["title"]
                ));
            }
        }
    }
    wrong
}

/// The pages whose `reports` blocks are exact.
fn all_pages() -> Vec<PathBuf> {
    pages(&root().join("tests/semantics/reports"))
}

/// The stage of what is found only when a program is about to run.
const OF_RUN: &str = "reports of run";

/// What `gswc run` refuses a case with.
fn said_by_run(page: &str, index: usize, case: &Case) -> String {
    let file = write_project("reports", page, index, case);
    let said = gswc(&["run", text(&file)]);
    assert_eq!(said.code, Some(1), "{said:?}");
    relative(&said.err, file.parent().expect("a case has a folder"))
}

fn check_page(path: &Path, wrong: &mut Vec<String>) {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let content = std::fs::read_to_string(path).expect("pages can be read");
    let (mut made, mut of_run) = (Vec::new(), Vec::new());
    for (index, case) in cases(&content).iter().enumerate() {
        if let Some(expected) = case.expected(OF_RUN) {
            let said = said_by_run(&name, index, case);
            if said != expected {
                wrong.push(format!("{name}.md: {}: found\n{said}", case.claim));
            }
            of_run.push(said);
        }
        let Some(expected) = case.expected("reports") else {
            continue;
        };
        let place = format!("{name}.md: {}", case.claim);
        let file = write_project("reports", &name, index, case);
        let folder = file.parent().expect("a case has a folder");
        let reports = checked(&file);
        let said: String = reports.iter().map(|it| shown(it, folder)).collect();
        if said != expected {
            wrong.push(format!("{place}: expected\n{expected}found\n{said}"));
        }
        wrong.extend(check_fixes(&place, &file, &reports));
        made.push(said);
    }
    if std::env::var_os("ACCEPT").is_some() {
        let page = with_blocks(&content, "reports", &made);
        let page = with_blocks(&page, OF_RUN, &of_run);
        std::fs::write(path, page).expect("pages can be written");
    }
}

#[test]
fn reports_read_exactly_as_pages_say() {
    let mut wrong = Vec::new();
    for path in all_pages() {
        check_page(&path, &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Cases of pages that show exact reports.
fn exact_cases() -> Vec<Case> {
    let all = all_pages()
        .into_iter()
        .flat_map(|path| cases(&std::fs::read_to_string(path).expect("pages can be read")));
    all.collect()
}

#[test]
fn every_code_has_a_case_with_its_exact_text() {
    let cases = exact_cases();
    let stages = |it: &Case| {
        let stage = |name| it.expected(name).unwrap_or_default().to_owned();
        stage("reports") + &stage(OF_RUN)
    };
    let shown: String = cases.iter().map(stages).collect();
    let codes = Code::ALL.iter().map(|it| it.name());
    let missing: Vec<_> = codes
        .filter(|code| !shown.contains(&format!("[{code}]")))
        .collect();
    assert!(missing.is_empty(), "no case shows {missing:?}");
}

/// The modules that word reports: `errors` of each crate, and those of the parser and the lexer.
fn wordings() -> Vec<PathBuf> {
    let crates = std::fs::read_dir(root().join("compiler")).expect("the folder is there");
    let mut files = Vec::new();
    for entry in crates {
        let source = entry.expect("a folder can be listed").path().join("src");
        files.extend(
            [source.join("errors.rs")]
                .into_iter()
                .filter(|it| it.is_file()),
        );
        let topics = std::fs::read_dir(source.join("errors"))
            .into_iter()
            .flatten();
        files.extend(topics.map(|it| it.expect("a folder can be listed").path()));
    }
    for name in [
        "parser/error.rs",
        "parser/error/advice.rs",
        "parser/error/braces.rs",
        "parser/error/foreign.rs",
        "parser/error/rewritten.rs",
        "parser/error/types.rs",
        "parser/error/sign/heads.rs",
        "parser/error/sign/particular.rs",
        "parser/error/sign/signatures.rs",
        "parser/error/sign/table.rs",
        "lexer/error.rs",
    ] {
        files.push(root().join("compiler/syntax/src").join(name));
    }
    files
}

/// The sentences in a source file: its strings of several words, cut at what is put into them.
fn sentences(source: &str) -> Vec<Vec<String>> {
    let string = regex::Regex::new(r##"r#"(?s:(.*?))"#|r"([^"]*)"|"((?:[^"\\]|\\(?s:.))*)""##)
        .expect("the expression is right");
    let hole = regex::Regex::new(r"\{[^{}]*\}").expect("the expression is right");
    let continued = regex::Regex::new(r"\\\n\s*").expect("the expression is right");
    let lines = source
        .lines()
        .filter(|it| !it.trim_start().starts_with("//"));
    let code: String = lines.flat_map(|it| [it, "\n"]).collect();
    let code = continued.replace_all(&code, "");
    let texts = string.captures_iter(&code).map(|found| {
        let raw = found
            .get(1)
            .or(found.get(2))
            .map(|it| it.as_str().to_owned());
        raw.unwrap_or_else(|| found[3].replace("\\\"", "\"").replace("\\\\", "\\"))
    });
    texts
        .filter(|it| it.len() >= 12 && it.contains(' ') && !it.contains("\\n"))
        .map(|it| {
            let text = it.replace("{{", "\u{1}").replace("}}", "\u{2}");
            let parts = hole.split(&text);
            parts
                .map(|it| it.replace('\u{1}', "{").replace('\u{2}', "}"))
                .collect()
        })
        .collect()
}

/// Whether a line of `text` has the parts, in order.
fn says(text: &str, parts: &[String]) -> bool {
    text.lines().any(|line| {
        let mut rest = line;
        parts.iter().all(|part| match rest.find(part.as_str()) {
            Some(index) => {
                rest = &rest[index + part.len()..];
                true
            }
            None => false,
        })
    })
}

#[test]
fn every_sentence_is_said_on_a_page() {
    let folders = ["tests/semantics/reports", "tests/project"];
    let pages = folders.iter().flat_map(|it| pages(&root().join(it)));
    let shown: String = pages
        .map(|path| std::fs::read_to_string(path).expect("pages can be read"))
        .collect();
    let mut missing = Vec::new();
    for path in wordings() {
        let source = std::fs::read_to_string(&path).expect("sources can be read");
        let sentences = sentences(&source).into_iter();
        let unsaid = sentences.filter(|it| !says(&shown, it));
        let file = path
            .strip_prefix(root())
            .unwrap_or(&path)
            .display()
            .to_string();
        missing.extend(unsaid.map(|it| format!("{file}: {}", it.join("{}"))));
    }
    assert!(missing.is_empty(), "no page says\n{}", missing.join("\n"));
}
