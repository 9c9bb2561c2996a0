//! `gswc lsp`

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use gsw_agents::Catalogue;
use gsw_ide::Model;
use gsw_server::{Ending, Runtime};
use gsw_service::Exit;
use gsw_source::Files;

use crate::commands::prompt;
use crate::report;

/// Serves an editor until it closes the connection.
pub fn lsp() -> Exit {
    match gsw_server::serve(Arc::new(Own)) {
        Ok(Ending::Regular) => Exit::Done,
        // What the protocol asks for.
        Ok(Ending::Abrupt) => Exit::Raised,
        Err(error) => {
            report::failure(&error);
            Exit::Internal
        }
    }
}

/// The runtime that is built into `gswc`.
struct Own;

impl Runtime for Own {
    fn models(&self) -> Vec<Model> {
        let known = Catalogue::built_in().models().iter();
        let exact = known.filter(|it| !it.name.ends_with('*'));
        let described = exact.map(|it| Model {
            name: it.name.clone(),
            detail: match &it.price {
                Some(price) => format!(
                    "${} in, ${} out for a million tokens",
                    price.input, price.output
                ),
                None => "no price is known".to_owned(),
            },
        });
        described.collect()
    }

    fn request(&self, file: &Path, prompt: &str, files: &dyn Files) -> Option<String> {
        prompt::preview(file, prompt, files)
    }

    fn explained(&self, word: &str) -> Option<String> {
        let section = gsw_describe::explained(word)?;
        // The heading repeats the word.
        let (_, text) = section.split_once("\n\n")?;
        Some(without_links(text.trim_end()))
    }

    fn last_runs(&self, program: &str, store: Option<(&str, &Path)>) -> BTreeMap<String, String> {
        gsw_service::newest_runs(program, store)
    }
}

/// The text of links alone: what they lead to is beside the pages of the manual.
fn without_links(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once("](") {
        shown.push_str(before);
        if let Some(open) = shown.rfind('[') {
            shown.remove(open);
        }
        rest = link.split_once(')').map_or("", |it| it.1);
    }
    shown.push_str(rest);
    shown
}
