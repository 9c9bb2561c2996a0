//! What every page has: head, search, the list of modules; and the first page.

use std::fmt::Write;

use gsw_source::Project;
use gsw_syntax::file_docs;

use super::link::module_page;
use super::manual::{CODES, manual_page};
use super::markdown::{markdown, summary};
use super::{Module, Site, State};
use crate::escape::escaped;
use crate::graph::Graph;
use crate::manual::{MANUAL, ManualPage};

/// The page that is shown, as the list beside it knows it.
#[derive(Clone, Copy)]
pub(crate) enum Current<'s> {
    Overview,
    Module(&'s Module),
    Manual(ManualPage),
    Codes,
}

/// A page around its content.
pub(crate) fn frame(site: &Site<'_>, title: &str, current: Current<'_>, main: &str) -> String {
    let name = site.title.as_deref().unwrap_or("Groundswell library");
    let (title, name) = (escaped(title), escaped(name));
    let mut nav = String::new();
    list(&mut nav, "Modules", &site.own, current);
    list(&mut nav, "Library", &site.library, current);
    manual(&mut nav, current);
    format!(
        "<!doctype html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta name=\"color-scheme\" content=\"light dark\">
<title>{title} · {name}</title>
<link rel=\"stylesheet\" href=\"style.css\">
</head>
<body>
<a class=\"skip\" href=\"#main\">Skip to content</a>
<header>
<a class=\"home\" href=\"index.html\">{name}</a>
<form class=\"search\" role=\"search\">
<label for=\"search\">Search</label>
<input id=\"search\" type=\"search\" placeholder=\"Search (press /)\" autocomplete=\"off\" aria-controls=\"results\">
<p id=\"found\" class=\"away\" aria-live=\"polite\"></p>
<ol id=\"results\" hidden></ol>
</form>
</header>
<div class=\"columns\">
<nav aria-label=\"Modules\">
{nav}</nav>
<main id=\"main\" tabindex=\"-1\">
{main}</main>
</div>
<script src=\"search-index.js\"></script>
<script src=\"search.js\"></script>
</body>
</html>
"
    )
}

/// The pages of the manual.
fn manual(out: &mut String, current: Current<'_>) {
    out.push_str("<h2>Language and tools</h2>\n<ul>");
    let here = |is_here| {
        if is_here {
            " aria-current=\"page\""
        } else {
            ""
        }
    };
    for page in MANUAL {
        let is_here = matches!(current, Current::Manual(it) if it.path == page.path);
        let (file, title) = (escaped(&manual_page(*page)), escaped(page.title()));
        let _ = writeln!(
            out,
            "<li><a href=\"{file}\"{}>{title}</a></li>",
            here(is_here)
        );
    }
    let is_here = matches!(current, Current::Codes);
    let _ = writeln!(
        out,
        "<li><a href=\"{CODES}\"{}>Codes of diagnostics</a></li>\n</ul>",
        here(is_here)
    );
}

fn list(out: &mut String, title: &str, modules: &[Module], current: Current<'_>) {
    if modules.is_empty() {
        return;
    }
    let _ = writeln!(out, "<h2>{title}</h2>\n<ul>");
    for module in modules {
        let here = if matches!(current, Current::Module(it) if it == module) {
            " aria-current=\"page\""
        } else {
            ""
        };
        let (page, name) = (escaped(&module_page(&module.name)), escaped(&module.name));
        let _ = writeln!(out, "<li><a href=\"{page}\"{here}>{name}</a></li>");
    }
    out.push_str("</ul>\n");
}

pub(crate) fn index(site: &Site<'_>, state: State, graph: Option<&Graph>) -> String {
    let name = site.title.as_deref().unwrap_or("The Groundswell library");
    let mut main = format!("<h1>{}</h1>\n", escaped(name));
    if site.title.is_some()
        && let Some(docs) = entry_docs(site)
    {
        let _ = writeln!(main, "<div class=\"docs\">{}</div>", markdown(&docs));
    }
    if state == State::Broken {
        main.push_str("<p class=\"deprecated\">This program has errors, so parts of its pages may be missing.</p>\n");
    }
    table(site, &mut main, "Modules", &site.own);
    if graph.is_some() {
        main.push_str(
            "<h2>Workflows</h2>\n<p><a href=\"graph.svg\"><img class=\"graph\" src=\"graph.svg\" alt=\"What the workflows do, step by step; each is described on its module's page\"></a></p>\n",
        );
    }
    table(site, &mut main, "Library", &site.library);
    frame(site, "Overview", Current::Overview, &main)
}

/// The entry module's own docs.
fn entry_docs(site: &Site<'_>) -> Option<String> {
    let project = Project::try_get(site.db)?;
    let entry = project.modules(site.db).get(project.entry(site.db))?;
    file_docs(site.db, *entry)
}

fn table(site: &Site<'_>, out: &mut String, title: &str, modules: &[Module]) {
    if modules.is_empty() {
        return;
    }
    let _ = writeln!(out, "<table class=\"overview\"><caption>{title}</caption>");
    for module in modules {
        let docs = file_docs(site.db, module.file).map(|it| summary(&it));
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\"><a href=\"{}\">{}</a></th><td>{}</td></tr>",
            escaped(&module_page(&module.name)),
            escaped(&module.name),
            escaped(&docs.unwrap_or_default())
        );
    }
    out.push_str("</table>\n");
}
