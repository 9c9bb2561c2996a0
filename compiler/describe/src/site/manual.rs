//! The pages of the manual and of the codes of diagnostics, so that one search finds everything.

use std::collections::BTreeMap;
use std::fmt::Write;

use gsw_source::Code;
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use serde_json::{Value, json};

use super::markdown::{harmless, safe_link, summary};
use super::{Page, Site, frame};
use crate::escape::escaped;
use crate::manual::{MANUAL, ManualPage, first_sentence};

/// The page with all codes.
pub(crate) const CODES: &str = "codes.html";

/// The file of a page of the manual.
pub(crate) fn manual_page(page: ManualPage) -> String {
    format!("manual.{}.html", page.path.replace('/', "."))
}

/// Every page of the manual, and the page of codes.
pub(crate) fn pages(site: &Site<'_>) -> Vec<Page> {
    let mut pages: Vec<Page> = MANUAL
        .iter()
        .map(|it| Page {
            name: manual_page(*it),
            text: frame::frame(site, it.title(), frame::Current::Manual(*it), &body(*it)),
        })
        .collect();
    pages.push(Page {
        name: CODES.to_owned(),
        text: frame::frame(
            site,
            "Codes of diagnostics",
            frame::Current::Codes,
            &codes(),
        ),
    });
    pages
}

/// The rows of the search: every section of the manual, every name that is explained, every code.
pub(crate) fn rows() -> Vec<Value> {
    let mut rows = Vec::new();
    for page in MANUAL {
        let file = manual_page(*page);
        let first = page.text.split_once('\n').map_or("", |it| it.1);
        rows.push(json!([
            page.title(),
            "guide",
            "",
            file,
            summary(first.trim_start())
        ]));
        let mut ids = Ids::default();
        for (heading, text) in headings(page.text) {
            let address = format!("{file}#{}", ids.of(&heading));
            let said = first_sentence(&summary(text.trim_start()));
            rows.push(json!([heading, "guide", page.title(), address, said]));
        }
    }
    for code in Code::ALL {
        let address = format!("{CODES}#{}", code.name());
        rows.push(json!([
            code.name(),
            "code",
            "",
            address,
            code_summary(*code)
        ]));
    }
    rows
}

fn code_summary(code: Code) -> String {
    let page = gsw_source::explain(code.name()).unwrap_or_default();
    first_sentence(page.split_once('\n').map_or("", |it| it.1))
}

/// The headings below the first level, with the text after each.
fn headings(text: &str) -> Vec<(String, &str)> {
    let mut found = Vec::new();
    let mut is_code = false;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        is_code ^= line.starts_with("```");
        offset += line.len();
        if !is_code && line.starts_with("##") {
            found.push((plain(line.trim_start_matches('#').trim()), &text[offset..]));
        }
    }
    found
}

/// The text of a heading without its markup.
fn plain(heading: &str) -> String {
    summary(&format!("# {heading}"))
}

/// The ids of headings, made as the web pages of repositories make them.
#[derive(Default)]
struct Ids(BTreeMap<String, usize>);

impl Ids {
    fn of(&mut self, heading: &str) -> String {
        let mut id = String::new();
        for character in heading.to_lowercase().chars() {
            match character {
                ' ' => id.push('-'),
                it if it.is_alphanumeric() || it == '-' || it == '_' => id.push(it),
                _ => {}
            }
        }
        let count = self.0.entry(id.clone()).or_insert(0);
        *count += 1;
        match *count {
            1 => id,
            count => format!("{id}-{}", count - 1),
        }
    }
}

/// A page of the manual as HTML.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the events of Markdown are not ours to list"
)]
fn body(page: ManualPage) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut ids = Ids::default();
    let mut events = Vec::new();
    let mut heading: Option<(HeadingLevel, usize, String)> = None;
    for event in Parser::new_ext(page.text, options).map(harmless) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                heading = Some((level, events.len(), String::new()));
                events.push(Event::Text(CowStr::Borrowed("")));
            }
            Event::End(TagEnd::Heading(_)) => {
                let Some((level, at, text)) = heading.take() else {
                    continue;
                };
                // The title's own id is the page.
                let id = (level != HeadingLevel::H1).then(|| CowStr::from(ids.of(&text)));
                events[at] = Event::Start(Tag::Heading {
                    level,
                    id,
                    classes: Vec::new(),
                    attrs: Vec::new(),
                });
                events.push(Event::End(TagEnd::Heading(level)));
            }
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                title,
                id,
            }) => {
                let address = CowStr::from(address(page, &dest_url));
                events.push(safe_link(link_type, address, title, id));
            }
            other => {
                if let (Event::Text(text) | Event::Code(text), Some((_, _, said))) =
                    (&other, &mut heading)
                {
                    said.push_str(text);
                }
                events.push(other);
            }
        }
    }
    let mut out = String::new();
    html::push_html(&mut out, events.into_iter());
    out
}

/// Where a link of a page leads in the site; what the site does not have leads nowhere.
fn address(page: ManualPage, link: &str) -> String {
    if link.starts_with('#') || link.contains("://") {
        return link.to_owned();
    }
    let (path, place) = link.split_once('#').unwrap_or((link, ""));
    let mut folders: Vec<&str> = page.path.split('/').collect();
    folders.pop();
    for part in path.trim_end_matches(".md").split('/') {
        match part {
            ".." => {
                folders.pop();
            }
            part => folders.push(part),
        }
    }
    match (ManualPage::at(&folders.join("/")), place) {
        (Some(page), "") => manual_page(page),
        (Some(page), place) => format!("{}#{place}", manual_page(page)),
        (None, _) => "#".to_owned(),
    }
}

/// All codes, each a section.
fn codes() -> String {
    let mut out = "<h1>Codes of diagnostics</h1>\n".to_owned();
    for code in Code::ALL {
        let name = escaped(code.name());
        let page = gsw_source::explain(code.name()).unwrap_or_default();
        let text = page.split_once('\n').map_or("", |it| it.1);
        let _ = writeln!(
            out,
            "<h2 id=\"{name}\">{name}</h2>\n<div class=\"docs\">{}</div>",
            super::markdown::markdown(text)
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Ids, address};
    use crate::manual::ManualPage;

    #[test]
    fn ids_are_those_of_web_pages_of_repositories() {
        let mut ids = Ids::default();
        assert_eq!(
            ids.of("Modifiers: retry, timeout"),
            "modifiers-retry-timeout"
        );
        assert_eq!(ids.of("Response and Usage"), "response-and-usage");
        assert_eq!(ids.of("Response and Usage"), "response-and-usage-1");
    }

    #[test]
    fn links_lead_to_pages_of_the_site() {
        let page = ManualPage::at("reference/language").expect("it is there");
        assert_eq!(
            address(page, "types.md#json"),
            "manual.reference.types.html#json"
        );
        assert_eq!(
            address(page, "../guide/first-steps.md"),
            "manual.guide.first-steps.html"
        );
        assert_eq!(address(page, "../../CONTRIBUTING.md"), "#");
        assert_eq!(address(page, "https://a.org/b.md"), "https://a.org/b.md");
    }
}
