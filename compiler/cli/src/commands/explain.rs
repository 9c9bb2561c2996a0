//! `gswc explain`

use gsw_service::Exit;
use gsw_source::{Code, Name};

use crate::report;

/// Prints the page of a code, or the list of all codes.
pub fn explain(code: Option<&str>) -> Exit {
    let Some(code) = code else {
        return report::output(&list());
    };
    let code = bare(code);
    match gsw_source::explain(code) {
        Some(page) => report::output(page),
        None => {
            let names: Vec<Name> = Code::ALL
                .iter()
                .map(|it| Name::new_static(it.name()))
                .collect();
            let near = gsw_source::nearest(code, &names);
            let near = near.map(|it| format!("; did you mean `{it}`?"));
            let near = near.unwrap_or_else(|| "; `gswc explain` lists them all".into());
            report::usage(&format!("there is no code `{code}`{near}"))
        }
    }
}

/// The code in `error[unknown-name]`, which is how it stands in a report.
fn bare(text: &str) -> &str {
    let inside = text.split_once('[').map_or(text, |it| it.1);
    inside.split(']').next().unwrap_or(inside).trim()
}

/// Every code with the first sentence of its page.
fn list() -> String {
    let widest = Code::ALL.iter().map(|it| it.name().len()).max();
    let width = widest.unwrap_or_default();
    let lines = Code::ALL.iter().map(|code| {
        let page = gsw_source::explain(code.name()).unwrap_or_default();
        format!("{:<width$}  {}\n", code.name(), first_sentence(page))
    });
    lines.collect()
}

/// The first sentence below the heading of a page, on one line.
fn first_sentence(page: &str) -> String {
    let body = page.split_once('\n').map_or("", |it| it.1).trim_start();
    let paragraph = body.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    let line = words.join(" ");
    match line.split_once(". ") {
        Some((sentence, _)) => format!("{sentence}."),
        None => line,
    }
}
