//! `gswc explain`: codes of diagnostics, errors of a run, words of the language, functions of the library.

use gsw_describe::{docs_and_examples, explained, explained_names, first_sentence, tail};
use gsw_service::Exit;
use gsw_service::columns::Columns;
use gsw_source::{Code, Database, Name};

use crate::declarations::{Named, Whose, declarations, find};
use crate::report;

/// Prints what there is to say of a name, or the list of all codes, errors and words.
pub fn explain(name: Option<&str>) -> Exit {
    let Some(name) = name else {
        return report::output(&list());
    };
    match page_of(name) {
        Ok(page) => report::output(&page),
        Err(why) => report::usage(&why),
    }
}

/// What there is to say of a name, else that there is nothing.
pub(super) fn page_of(name: &str) -> Result<String, String> {
    let name = bare(name);
    if let Some(page) = gsw_source::explain(name) {
        return Ok(page.to_owned());
    }
    // `std/mcp` is the module, and `mcp` the word.
    if let Some(page) = explained(name) {
        return Ok(page);
    }
    of_library(name).map_err(|functions| unknown(name, functions))
}

/// The page of a declaration of the library; without one the names that there are.
fn of_library(name: &str) -> Result<String, Vec<Name>> {
    let db = super::doc::library().map_err(|_| Vec::new())?;
    let named = declarations(&db, Whose::Library);
    let name = name.strip_prefix("std/").unwrap_or(name);
    page(&db, &named, name)
        .or_else(|| module(&db, &named, name))
        .ok_or_else(|| named.iter().map(|it| Name::new(&it.0)).collect())
}

/// What a module of the library declares.
fn module(db: &Database, named: &[Named], name: &str) -> Option<String> {
    let before = format!("{name}.");
    let own = named.iter().filter(|it| it.0.starts_with(&before));
    let rows: Vec<(String, String)> = own
        .map(|(full, item)| {
            (
                full.clone(),
                first_sentence(&docs_and_examples(db, *item).0),
            )
        })
        .collect();
    let columns = Columns::of_terminal();
    (!rows.is_empty()).then(|| format!("# std/{name}\n\n{}", columns.rows(&rows)))
}

/// Whether the library has a module of this name.
pub(super) fn is_module(name: &str) -> bool {
    let name = name.strip_prefix("std/").unwrap_or(name);
    let before = format!("{name}.");
    super::doc::library().is_ok_and(|db| {
        let named = declarations(&db, Whose::Library);
        named.iter().any(|it| it.0.starts_with(&before))
    })
}

fn unknown(name: &str, functions: Vec<Name>) -> String {
    let codes = Code::ALL.iter().map(|it| Name::new_static(it.name()));
    let words = explained_names().map(|it| Name::new_static(it.0));
    let names: Vec<Name> = codes.chain(words).chain(functions).collect();
    let near =
        gsw_source::nearest(name, &names).map(|it| format!("did you mean `{}`?", it.as_str()));
    let near = near.unwrap_or_else(|| "`gswc explain` lists everything that it can explain".into());
    format!("there is nothing called `{name}` to explain; {near}")
}

/// The code in `error[unknown-name]`, which is how it is written in a report.
fn bare(text: &str) -> &str {
    let inside = text.split_once('[').map_or(text, |it| it.1);
    inside.split(']').next().unwrap_or(inside).trim()
}

/// Everything that has a page, each with its first sentence.
fn list() -> String {
    let columns = Columns::of_terminal();
    let codes = Code::ALL.iter().map(|code| {
        let page = gsw_source::explain(code.name()).unwrap_or_default();
        let body = page.split_once('\n').map_or("", |it| it.1);
        (code.name().to_owned(), first_sentence(body))
    });
    let codes: Vec<_> = codes.collect();
    let others = explained_names().map(|(name, text)| (name.to_owned(), text));
    let others: Vec<_> = others.collect();
    format!(
        "Codes of diagnostics:\n{}\nErrors of a run, and words of the language:\n{}\nFunctions and types of the library are explained as well: `gswc explain fs.read`.\n",
        columns.rows(&codes),
        columns.rows(&others)
    )
}

/// What there is to say of a declaration of the library, by its full name, or of all that have this short one.
fn page(db: &Database, named: &[Named], name: &str) -> Option<String> {
    let found = find(named, name);
    let pages: Vec<String> = found.iter().map(|it| declared(db, it)).collect();
    (!pages.is_empty()).then(|| pages.join("\n"))
}

/// The head, docs and examples of a declaration.
fn declared(db: &Database, (full, item): &Named) -> String {
    let (docs, examples) = docs_and_examples(db, *item);
    let word = item.kind(db).keyword().unwrap_or_default();
    let short = item.name(db);
    let mut page = format!(
        "# {full}\n\n    {word} {short}{}\n\n{docs}\n",
        tail(db, *item)
    );
    for example in examples {
        page.push_str(&format!("\n```gsw\n{example}\n```\n"));
    }
    page
}
