//! Sections of the manual that answer a question, the best first.

use super::{MANUAL, ManualPage};

/// A section that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundSection {
    /// The path of its page in `docs`, without the ending.
    pub page: &'static str,
    /// The heading, which is the page's title for the text before the first section.
    pub heading: &'static str,
    pub text: &'static str,
}

/// How much a word in a heading counts, and how often it counts at most in a text.
const IN_HEADING: usize = 8;
const MOST_IN_TEXT: usize = 4;

/// The sections that have the words of a question, the best first, at most `most`.
#[must_use]
pub fn search_manual(question: &str, most: usize) -> Vec<FoundSection> {
    let words: Vec<String> = question
        .split(|it: char| !(it.is_alphanumeric() || "_.-".contains(it)))
        .filter(|it| !it.is_empty())
        .map(str::to_lowercase)
        .collect();
    let pages = MANUAL.iter().copied();
    let mut found: Vec<(usize, FoundSection)> = pages
        .flat_map(sections)
        .map(|it| (score(&it, &words), it))
        .filter(|it| it.0 > 0)
        .collect();
    // Stable: of two that fit as well the earlier page comes first.
    found.sort_by_key(|it| std::cmp::Reverse(it.0));
    found.truncate(most);
    found.into_iter().map(|it| it.1).collect()
}

fn sections(page: ManualPage) -> impl Iterator<Item = FoundSection> {
    let head = page.text.split("\n## ").next().unwrap_or_default();
    let first = std::iter::once((page.title(), head));
    first
        .chain(page.sections())
        .map(move |(heading, text)| FoundSection {
            page: page.path,
            heading,
            text,
        })
}

/// How many of the words occur counts more than how often.
fn score(section: &FoundSection, words: &[String]) -> usize {
    let (heading, text) = (section.heading.to_lowercase(), section.text.to_lowercase());
    let scores = words.iter().map(|word| {
        let in_heading = usize::from(heading.contains(word)) * IN_HEADING;
        in_heading + text.matches(word.as_str()).take(MOST_IN_TEXT).count()
    });
    let scores: Vec<usize> = scores.collect();
    let present = scores.iter().filter(|it| **it > 0).count();
    scores.iter().sum::<usize>() * present
}
