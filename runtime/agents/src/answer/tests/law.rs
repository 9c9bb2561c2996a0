//! The law of reading, over types, answers and damages that are made up: take a fitting answer, damage one place; every other leaf
//! is in the value, in a repair that names it, or the answer is refused.

mod damage;
mod make;
mod sentence;
mod turn;

use gsw_notation::path::{self, Step};
use serde_json::Value;

use super::{fits, read};
use crate::settings::Exactness;
use damage::{Damage, Damaged};
use make::{Random, Written};

/// How many answers are made, each with some damages. `LAW=100000` makes more.
const ANSWERS: u64 = 1_500;
const DAMAGES: u64 = 12;

// G24
#[test]
fn nothing_is_lost_without_a_word() {
    let count = std::env::var("LAW").ok().and_then(|it| it.parse().ok());
    let (mut read_all, mut broken) = (0, Vec::new());
    for seed in 0..count.unwrap_or(ANSWERS) {
        let mut random = Random::new(seed);
        let schema = make::schema(&mut random);
        let value = make::value(&mut random, &schema);
        fits::check(&value, &schema)
            .unwrap_or_else(|it| panic!("{value} does not fit {schema}: {it:?}"));
        let written = make::written(&mut random, &value);
        for _ in 0..DAMAGES {
            let damaged = Damage::any(&mut random).on(&written, &mut random);
            let Ok(reading) = read(&damaged.text, &schema, Exactness::Lenient) else {
                continue;
            };
            read_all += 1;
            for leaf in lost(&written, &damaged, &reading.value, &reading.repairs) {
                broken.push(format!(
                    "seed {seed}, {}: {leaf} is lost\n  schema {schema}\n  whole   {}\n  damaged {}\n  read as {}\n  {:?}",
                    damaged.what, written.text, damaged.text, reading.value, reading.repairs
                ));
            }
        }
    }
    let most = broken.len().min(8);
    assert!(
        broken.is_empty(),
        "{} losses\n{}",
        broken.len(),
        broken[..most].join("\n\n")
    );
    // Refusing everything would keep the law as well.
    assert!(
        read_all > 3_000,
        "only {read_all} damaged answers were read"
    );
}

#[test]
fn what_is_turned_is_not_what_it_was() {
    let count = std::env::var("LAW").ok().and_then(|it| it.parse().ok());
    let mut read_all = 0;
    for seed in 0..count.unwrap_or(ANSWERS) {
        let mut random = Random::new(seed);
        let schema = make::schema(&mut random);
        let value = make::value(&mut random, &schema);
        let written = make::written(&mut random, &value);
        for leaf in &written.leaves {
            let turned = turn::turned(&written, leaf, &mut random);
            let Ok(reading) = read(&turned.text, &schema, Exactness::Lenient) else {
                continue;
            };
            read_all += 1;
            // A number or truth value may have become the text for it, and the other way round.
            let is_it = stands(&reading.value, &leaf.path, &turned.value)
                || stands(&reading.value, &leaf.path, &as_text(&turned.value));
            assert!(
                is_it,
                "seed {seed}: {} at {} is read as another value\n  schema {schema}\n  turned  {}\n  read as {}\n  {:?}",
                turned.written,
                path::text(&leaf.path),
                turned.text,
                reading.value,
                reading.repairs
            );
        }
    }
    assert!(read_all > 1_000, "only {read_all} turned answers were read");
}

fn as_text(value: &Value) -> Value {
    value
        .as_str()
        .map_or(value.to_string(), str::to_owned)
        .into()
}

#[test]
fn what_is_said_around_a_value_is_named_and_denies_nothing() {
    let mut read_all = 0;
    for seed in 0..20 * ANSWERS {
        let mut random = Random::new(seed);
        let said = sentence::sentence(&mut random);
        let Ok(reading) = read(&said.text, &said.schema, Exactness::Lenient) else {
            continue;
        };
        read_all += 1;
        assert!(!said.denies, "{} is read as {}", said.text, reading.value);
        assert_eq!(reading.value, said.value, "{}", said.text);
        let named = reading.repairs.join("\n");
        for word in &said.words {
            assert!(
                named.contains(word),
                "{}: {word} is lost: {named}",
                said.text
            );
        }
    }
    assert!(read_all > 100, "only {read_all} sentences were read");
}

/// The leaves that are neither in the value nor named, other than those that were damaged.
fn lost(written: &Written, damaged: &Damaged, value: &Value, repairs: &[String]) -> Vec<String> {
    let mut lost = Vec::new();
    for leaf in &written.leaves {
        let is_damaged = leaf.start <= damaged.end && damaged.start <= leaf.end;
        let is_below = damaged
            .below
            .as_ref()
            .is_some_and(|it| leaf.path.starts_with(it));
        if is_damaged || is_below {
            continue;
        }
        let stands = stands(value, &leaf.path, &leaf.value);
        let place = path::text(&leaf.path);
        let text = leaf.value.to_string();
        let is_named = repairs.iter().any(|it| {
            let text = text.trim_matches('"');
            let losing = it.starts_with("dropped-key")
                || it.starts_with("other-value")
                || it.starts_with("comment");
            // A repair of the leaf itself says what was made of it.
            let own = it.contains(&format!(" at {place}: "));
            own || (losing && (it.contains(&place) || it.contains(text)))
        });
        // Where a bracket is missing or too many, the parts below it may lie deeper or less deep.
        let is_moved = repairs.iter().any(|it| {
            let is_bracket =
                it.starts_with("missing-end at ") || it.starts_with("extra-bracket at ");
            let at = it.split(" at ").nth(1).and_then(|it| it.split(": ").next());
            is_bracket && at.is_some_and(|it| place.starts_with(it))
        });
        let is_there = || value.to_string().contains(&text);
        let is_kept = stands || is_named || (is_moved && is_there());
        if !is_kept {
            lost.push(format!("{place} = {text}"));
        }
    }
    lost
}

/// Whether a leaf is where it was. Its index may be another one, where an item before it is gone.
fn stands(value: &Value, path: &[Step<'static>], leaf: &Value) -> bool {
    let Some((step, rest)) = path.split_first() else {
        return value == leaf;
    };
    match (step, value) {
        (Step::Key(key), Value::Object(fields)) => {
            fields.get(&**key).is_some_and(|it| stands(it, rest, leaf))
        }
        (Step::Index(_), Value::Array(items)) => items.iter().any(|it| stands(it, rest, leaf)),
        _ => false,
    }
}
