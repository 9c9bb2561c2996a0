//! The documentation of a program and of the library as a folder of pages that need no server and nothing from elsewhere.

mod frame;
mod item;
mod link;
mod manual;
mod markdown;
mod module;
mod search;
mod signature;
mod source;

use gsw_source::{Db, File, Project};

use crate::graph::{program_graph, svg};
use link::Links;
pub(crate) use link::keyword;

/// One file of the site.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page {
    /// Its name in the folder.
    pub name: String,
    pub text: String,
}

/// Whether the program that is documented has errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    Checked,
    /// It does not compile: types and errors that depend on what is wrong are missing.
    Broken,
}

/// A module with what readers call it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Module {
    /// `std/list`, or a path from the project's folder.
    pub name: String,
    pub file: File,
}

pub(crate) struct Site<'db> {
    pub db: &'db dyn Db,
    /// The program's name and version; `None` for the library alone.
    pub title: Option<String>,
    /// The program's, in order of name.
    pub own: Vec<Module>,
    /// The library's, in order of name.
    pub library: Vec<Module>,
    pub links: Links,
}

/// The pages about the project in the database and about the library. `title` is what the program is called; without one there
/// is only the library.
#[must_use]
pub fn site(db: &dyn Db, title: Option<&str>, state: State) -> Vec<Page> {
    let (own, library) = match title {
        Some(_) => modules(db),
        None => (Vec::new(), modules(db).1),
    };
    let links = Links::new(own.iter().chain(&library));
    let site = Site {
        db,
        title: title.map(str::to_owned),
        own,
        library,
        links,
    };
    let mut pages = vec![
        page("style.css", include_str!("site/style.css").to_owned()),
        page("search.js", include_str!("site/search.js").to_owned()),
        page("search-index.js", search::index(&site)),
    ];
    let graph = match (title, state) {
        // What a broken workflow does is unknown.
        (None, _) | (_, State::Broken) => None,
        (Some(_), State::Checked) => program_graph(db, None),
    };
    let graph = graph.filter(|it| !it.workflows.is_empty());
    pages.push(page(
        "index.html",
        frame::index(&site, state, graph.as_ref()),
    ));
    pages.extend(manual::pages(&site));
    pages.extend(graph.map(|it| page("graph.svg", svg(&it))));
    for module in site.own.iter().chain(&site.library) {
        pages.push(page(
            &link::module_page(&module.name),
            module::page(&site, module),
        ));
        pages.push(page(
            &link::source_page(&module.name),
            source::page(&site, module),
        ));
    }
    pages
}

fn page(name: &str, text: String) -> Page {
    Page {
        name: name.to_owned(),
        text,
    }
}

/// The modules of the program and of the library.
fn modules(db: &dyn Db) -> (Vec<Module>, Vec<Module>) {
    let Some(project) = Project::try_get(db) else {
        return (Vec::new(), Vec::new());
    };
    let root = root(db, project);
    let (mut own, mut library) = (Vec::new(), Vec::new());
    for (path, &file) in project.modules(db) {
        if path.starts_with("std/") {
            library.push(Module {
                name: path.clone(),
                file,
            });
        } else {
            let inside = path.strip_prefix(&root).filter(|it| !it.is_empty());
            let name = match inside {
                Some(inside) => inside.trim_start_matches('/').to_owned(),
                // It is outside of the project, and its path concerns no one.
                None => path.rsplit('/').next().unwrap_or(path).to_owned(),
            };
            own.push(Module { name, file });
        }
    }
    (own, library)
}

/// The folder of the project's entry, as modules are named.
fn root(db: &dyn Db, project: Project) -> String {
    let entry = project.home(db).as_ref().unwrap_or(project.entry(db));
    let inside = project
        .configuration(db)
        .map(|it| &gsw_project::file_configuration(db, it).configuration.entry);
    let depth = inside.map_or(1, |it| it.split('/').filter(|it| *it != ".").count());
    let mut folder = entry.as_str();
    for _ in 0..depth {
        folder = folder.rsplit_once('/').map_or("", |it| it.0);
    }
    format!("{folder}/")
}
