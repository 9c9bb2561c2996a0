//! A text that a regular expression matches.

use regex_syntax::hir::{Class, Hir, HirKind};

use super::chance::Chance;

/// The most repetitions beyond what an expression asks for.
const EXTRA: u32 = 3;
/// The most bytes made from an expression; `(a{1000}){1000}` is one too.
const LONGEST: usize = 10_000;

/// Made up from the expression; `None` when it cannot be read.
pub(crate) fn matching(pattern: &str, chance: &mut Chance) -> Option<String> {
    let hir = regex_syntax::parse(pattern).ok()?;
    let mut text = String::new();
    write(&hir, chance, &mut text);
    Some(text)
}

fn write(hir: &Hir, chance: &mut Chance, text: &mut String) {
    if text.len() > LONGEST {
        return;
    }
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(class) => text.extend(one_of(class, chance)),
        HirKind::Repetition(it) => {
            let most = it.max.unwrap_or(u32::MAX).min(it.min.saturating_add(EXTRA));
            let count = chance.between(it.min.into(), most.into());
            for _ in 0..count.min(LONGEST as i64) {
                write(&it.sub, chance, text);
            }
        }
        HirKind::Capture(it) => write(&it.sub, chance, text),
        HirKind::Concat(parts) => {
            for part in parts {
                write(part, chance, text);
            }
        }
        HirKind::Alternation(branches) => {
            let branch = chance.below(branches.len());
            write(&branches[branch], chance, text);
        }
    }
}

/// A character of the class, a plain one where it has such.
fn one_of(class: &Class, chance: &mut Chance) -> Option<char> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => class.iter().map(|it| (it.start(), it.end())).collect(),
        Class::Bytes(class) => {
            let ranges = class.iter();
            ranges
                .map(|it| (char::from(it.start()), char::from(it.end())))
                .collect()
        }
    };
    let inside = |it: &char| ranges.iter().any(|(start, end)| start <= it && it <= end);
    let plain: Vec<char> = ('a'..='z')
        .chain('0'..='9')
        .chain('A'..='Z')
        .filter(inside)
        .collect();
    if plain.is_empty() {
        return ranges.first().map(|it| it.0);
    }
    Some(plain[chance.below(plain.len())])
}
