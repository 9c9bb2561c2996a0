//! `gswc explain`: codes of diagnostics, errors of a run, words of the language, functions of the library.

use gsw_describe::{docs_and_examples, explained, explained_names, first_sentence, keyword, tail};
use gsw_names::is_private;
use gsw_service::Exit;
use gsw_service::columns::Columns;
use gsw_source::{Code, Database, ItemId, Name, Project};
use gsw_syntax::file_item_ids;

use crate::report;

/// Prints what there is to say of a name, or the list of all codes, errors and words.
pub fn explain(name: Option<&str>) -> Exit {
    let Some(name) = name else {
        return report::output(&list());
    };
    let name = bare(name);
    if let Some(page) = gsw_source::explain(name) {
        return report::output(page);
    }
    if let Some(page) = explained(name) {
        return report::output(&page);
    }
    let library = Library::open();
    match library.as_ref().and_then(|it| it.page(name)) {
        Some(page) => report::output(&page),
        None => unknown(name, library.as_ref()),
    }
}

fn unknown(name: &str, library: Option<&Library>) -> Exit {
    let codes = Code::ALL.iter().map(|it| Name::new_static(it.name()));
    let words = explained_names().map(|it| Name::new_static(it.0));
    let functions = library.map(Library::names).unwrap_or_default();
    let names: Vec<Name> = codes.chain(words).chain(functions).collect();
    let near = gsw_source::nearest(name, &names).map(|it| format!("did you mean `{it}`?"));
    let near = near.unwrap_or_else(|| "`gswc explain` lists everything that it can explain".into());
    report::usage(&format!(
        "there is nothing called `{name}` to explain; {near}"
    ))
}

/// The code in `error[unknown-name]`, which is how it stands in a report.
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

/// The standard library, to look declarations up in.
struct Library(Database);

impl Library {
    fn open() -> Option<Self> {
        super::doc::library().ok().map(Self)
    }

    /// Its public declarations, by the name that a program writes: `fs.read`, `list.map`, `Response`.
    fn items(&self) -> Vec<(String, ItemId)> {
        let db = &self.0;
        let Some(project) = Project::try_get(db) else {
            return Vec::new();
        };
        let mut items = Vec::new();
        for (module, file) in project.modules(db) {
            let Some(module) = module.strip_prefix("std/") else {
                continue;
            };
            for item in file_item_ids(db, *file).iter().copied() {
                if keyword(item.kind(db)).is_empty() || is_private(db, item) {
                    continue;
                }
                let name = match module {
                    "prelude" => item.name(db).to_string(),
                    module => format!("{module}.{}", item.name(db)),
                };
                items.push((name, item));
            }
        }
        items
    }

    fn names(&self) -> Vec<Name> {
        self.items().iter().map(|it| Name::new(&it.0)).collect()
    }

    /// What there is to say of a declaration, by its full name, or of all that have this short one.
    fn page(&self, name: &str) -> Option<String> {
        let items = self.items();
        if let Some(found) = items.iter().find(|it| it.0 == name) {
            return Some(self.declaration(found));
        }
        let short = format!(".{name}");
        let found = items.iter().filter(|it| it.0.ends_with(&short));
        let pages: Vec<String> = found.map(|it| self.declaration(it)).collect();
        (!pages.is_empty()).then(|| pages.join("\n"))
    }

    /// The head, docs and examples of a declaration.
    fn declaration(&self, (full, item): &(String, ItemId)) -> String {
        let db = &self.0;
        let (docs, examples) = docs_and_examples(db, *item);
        let word = keyword(item.kind(db));
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
}
