//! What is left after extracting, inlining and renaming means what was there before: the reference evaluator says the same of both, of
//! random programs and of those of the repository.
//!
//! `GSW_PROGRAMS` is how many random programs are tried, `GSW_SEED` the first seed; every `GSW_EVERY`-th of the others is, and at about
//! `GSW_PLACES` places in each.

use gsw_evaluator::{Verdict, evaluate};
use gsw_generator::generate;
use gsw_ide::{ActionKind, Renamable};
use gsw_source::Span;
use serde_json::{Map, Value};

use crate::fixture::{Fixture, fixture};
use crate::on_examples::{blocks, errors, files, other_name, starts_of_names};

fn number(variable: &str, otherwise: usize) -> usize {
    let text = std::env::var(variable).ok();
    text.and_then(|it| it.parse().ok()).unwrap_or(otherwise)
}

/// The random programs, each with its seed.
fn random_programs(otherwise: usize) -> impl Iterator<Item = (usize, String)> {
    let first = number("GSW_SEED", 1);
    let seeds = first..first + number("GSW_PROGRAMS", otherwise);
    seeds.map(|seed| {
        let size = 20 + seed % 40;
        (seed, generate(u64::try_from(seed).unwrap_or(0), size))
    })
}

/// The programs of the pages and of the library's documentation, a number with each.
fn written_programs(every: usize) -> impl Iterator<Item = (usize, String)> {
    let mut found = Vec::new();
    for page in files("../../tests/run", "md") {
        found.extend(blocks(&page));
    }
    for module in files("../../std", "gsw") {
        let docs = module.lines().filter_map(|it| it.strip_prefix("///"));
        let docs: Vec<&str> = docs.map(|it| it.strip_prefix(' ').unwrap_or(it)).collect();
        found.extend(blocks(&(docs.join("\n") + "\n")));
    }
    found.extend(files("../../examples", "gsw"));
    (0..).zip(found).step_by(every)
}

/// What a program comes to.
fn verdict(it: &Fixture) -> Verdict {
    evaluate(&it.db, it.file, "main", &Value::Object(Map::new()))
}

const fn is_known(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Value(_) | Verdict::Raised(_) => true,
        Verdict::Unknown(_) | Verdict::TooMuch(_) => false,
    }
}

/// Whether a program comes to what it came to before. One that calls itself deeper than before may be too much for the reference.
#[track_caller]
fn is_same(it: &Fixture, before: &Verdict, what: &str) {
    let found = verdict(it);
    let is_too_much = matches!(found, Verdict::TooMuch(_));
    assert!(
        found == *before || is_too_much,
        "{what}: {found:?}, not {before:?}\n{}",
        it.file.text(&it.db)
    );
}

/// Some places of a text, with what an editor would select from there.
fn ranges(it: &Fixture, text: &str, number: usize) -> Vec<Span> {
    let step = text.len() / self::number("GSW_PLACES", 6) + 1;
    let mut found = Vec::new();
    for at in (0..text.len()).skip(number * 31 % step).step_by(step) {
        let offset = u32::try_from(at).expect("a small text");
        let around = gsw_ide::selection_range(&it.db, it.file, offset);
        let small = around.into_iter().filter(|it| it.end - it.start < 200);
        found.push(Span::new(offset, offset));
        found.extend(small.take(3));
    }
    found.sort_unstable();
    found.dedup();
    found
}

const fn keeps_meaning(kind: ActionKind) -> bool {
    match kind {
        ActionKind::Extract | ActionKind::Inline => true,
        ActionKind::Rewrite
        | ActionKind::OrganizeImports
        | ActionKind::PreferredFix
        | ActionKind::Fix
        | ActionKind::FixAll => false,
    }
}

/// How many actions were compared.
fn actions_in(it: &mut Fixture, text: &str, number: usize) -> usize {
    it.put(text);
    if errors(it) > 0 {
        return 0;
    }
    let before = verdict(it);
    if !is_known(&before) {
        return 0;
    }
    let mut tried = 0;
    for range in ranges(it, text, number) {
        let actions = gsw_ide::code_action(&mut it.db, it.file, range, keeps_meaning);
        // A model answers what another text was.
        let actions = actions
            .into_iter()
            .filter(|it| it.title != "extract into a prompt");
        for action in actions {
            let after = it.edited(&action.edits);
            it.put(&after);
            let selected = text.get(range.start as usize..range.end as usize);
            let what = format!("program {number}, {} of {selected:?}", action.title);
            assert_eq!(errors(it), 0, "{what}:\n{text}\n---\n{after}");
            is_same(it, &before, &format!("{what}:\n{text}\n---"));
            it.put(text);
            tried += 1;
        }
    }
    tried
}

/// Whether what a program comes to has nothing of a name in it.
fn is_silent_of(verdict: &Verdict, name: &str) -> bool {
    match verdict {
        Verdict::Value(told) | Verdict::Raised(told) => !told.contains(name),
        Verdict::Unknown(_) | Verdict::TooMuch(_) => false,
    }
}

/// How many renames were compared: one that is taken back leaves the text that was there.
fn renames_in(it: &mut Fixture, text: &str, number: usize) -> usize {
    it.put(text);
    if errors(it) > 0 {
        return 0;
    }
    let before = verdict(it);
    let places = starts_of_names(text);
    let step = places.len() / (2 * self::number("GSW_PLACES", 6)) + 1;
    let places = places.into_iter();
    let mut tried = 0;
    for at in places.skip(number % step).step_by(step) {
        let offset = u32::try_from(at).expect("a small text");
        let Ok(Renamable { name: old, .. }) = gsw_ide::prepare_rename(&it.db, it.file, offset)
        else {
            continue;
        };
        let new = other_name(&old);
        // What is called so in JSON and in texts keeps its name there.
        let is_told = gsw_ide::left_behind(&it.db, it.file, offset).is_some()
            || text.contains(&format!("\"{old}"));
        let Ok(edits) = gsw_ide::rename(&mut it.db, it.file, offset, &new) else {
            continue;
        };
        let after = it.edited(&edits);
        it.put(&after);
        let what = format!("program {number}, `{old}` to `{new}`");
        assert_eq!(errors(it), 0, "{what}:\n{text}\n---\n{after}");
        if !is_told && is_silent_of(&before, &old) {
            is_same(it, &before, &format!("{what}:\n{text}\n---"));
        }
        // `title` that became `title: other` stays in the long form.
        if edits.iter().all(|it| it.text == new) {
            let earlier = edits.iter().filter(|it| it.location.span.end <= offset);
            let longer = new.len() - old.len();
            let moved = u32::try_from(earlier.count() * longer).expect("a small text");
            let back = gsw_ide::rename(&mut it.db, it.file, offset + moved, &old);
            // Another variable may have that name, which hid it or was hidden.
            if let Ok(edits) = back {
                assert_eq!(it.edited(&edits), text, "{what}:\n{after}");
            }
        }
        it.put(text);
        tried += 1;
    }
    tried
}

#[test]
fn random_programs_mean_the_same_after_actions() {
    let mut it = fixture("");
    let mut tried = 0;
    for (number, text) in random_programs(2) {
        tried += actions_in(&mut it, &text, number);
    }
    assert!(tried > 5, "{tried} actions");
}

#[test]
fn programs_of_the_repository_mean_the_same_after_actions() {
    let mut it = fixture("");
    let mut tried = 0;
    for (number, text) in written_programs(number("GSW_EVERY", 5)) {
        tried += actions_in(&mut it, &text, number);
    }
    assert!(tried > 100, "{tried} actions");
}

#[test]
fn renames_can_be_taken_back_and_mean_the_same() {
    let mut it = fixture("");
    let mut tried = 0;
    let written = written_programs(number("GSW_EVERY", 7));
    for (number, text) in random_programs(1).chain(written) {
        tried += renames_in(&mut it, &text, number);
    }
    assert!(tried > 100, "{tried} renames");
}
