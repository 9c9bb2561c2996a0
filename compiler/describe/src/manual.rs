//! The pages of `docs` that are part of `gswc`: the language, the reference, the how-to pages, the guide.

mod search;

pub use search::{FoundSection, search_manual};

/// A page of the documentation.
#[derive(Clone, Copy, Debug)]
pub struct ManualPage {
    /// Its path in `docs`, without the ending: `reference/language`.
    pub path: &'static str,
    /// In Markdown.
    pub text: &'static str,
}

macro_rules! pages {
    ($($path:literal,)*) => {
        &[$(ManualPage {
            path: $path,
            text: include_str!(concat!("../../../docs/", $path, ".md")),
        },)*]
    };
}

/// Every page, in the order in which they are listed.
pub const MANUAL: &[ManualPage] = pages![
    "guide/first-steps",
    "reference/language",
    "how-to/structured-output",
    "how-to/tool-calling",
    "how-to/retries",
    "how-to/cost-control",
    "how-to/several-turns",
    "how-to/handoff",
    "how-to/local-models",
    "how-to/recorded-models",
    "how-to/continuous-integration",
    "how-to/containers",
    "how-to/new-versions",
    "how-to/scheduled-work",
    "how-to/approvals",
    "how-to/sagas",
    "how-to/editors",
    "how-to/observability",
    "how-to/permissions",
    "how-to/command-line-programs",
    "reference/agents",
    "reference/command-line",
    "reference/context",
    "reference/debugging",
    "reference/documentation",
    "reference/durable",
    "reference/editor",
    "reference/errors",
    "reference/run-errors",
    "reference/words",
    "reference/grammar",
    "reference/graph",
    "reference/hooks",
    "reference/host",
    "reference/inference",
    "reference/library",
    "reference/library-index",
    "reference/mcp",
    "reference/models",
    "reference/modifiers",
    "reference/modules",
    "reference/not-yet",
    "reference/observers",
    "reference/patterns",
    "reference/permissions",
    "reference/project",
    "reference/repairs",
    "reference/runs",
    "reference/secrets",
    "reference/skills",
    "reference/store",
    "reference/testing",
    "reference/tools",
    "reference/trust",
    "reference/types",
    "reference/waiting",
    "reference/workflows",
];

impl ManualPage {
    /// The page at a path such as `reference/language`.
    #[must_use]
    pub fn at(path: &str) -> Option<Self> {
        MANUAL.iter().copied().find(|it| it.path == path)
    }

    /// Its first heading.
    #[must_use]
    pub fn title(self) -> &'static str {
        let line = self.text.lines().find_map(|it| it.strip_prefix("# "));
        line.unwrap_or(self.path)
    }

    /// Its sections of the second level: heading and text.
    pub fn sections(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let sections = self.text.split("\n## ").skip(1);
        sections.map(|it| it.split_once('\n').unwrap_or((it, "")))
    }
}

/// A section of [errors of a run](MANUAL) or of the words of the language, as Markdown; names in any case.
#[must_use]
pub fn explained(name: &str) -> Option<String> {
    let sections = explanations();
    let mut sections = sections.filter(|it| names_of(it.0).any(|it| it.eq_ignore_ascii_case(name)));
    let (heading, text) = sections.next()?;
    Some(format!("# {heading}\n\n{}\n", text.trim()))
}

/// Every name that [`explained`] knows, with the first sentence of its section.
pub fn explained_names() -> impl Iterator<Item = (&'static str, String)> {
    explanations()
        .flat_map(|(heading, text)| names_of(heading).map(move |name| (name, first_sentence(text))))
}

fn explanations() -> impl Iterator<Item = (&'static str, &'static str)> {
    let pages = ["reference/run-errors", "reference/words"];
    pages
        .into_iter()
        .filter_map(ManualPage::at)
        .flat_map(ManualPage::sections)
}

/// The names in a heading such as `and, or, not`.
fn names_of(heading: &'static str) -> impl Iterator<Item = &'static str> {
    heading.split(", ").map(str::trim)
}

/// The first sentence of Markdown, on one line.
#[must_use]
pub fn first_sentence(text: &str) -> String {
    let paragraph = text.trim_start().split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    let line = words.join(" ");
    match line.split_once(". ") {
        Some((sentence, _)) => format!("{sentence}."),
        None => line,
    }
}
