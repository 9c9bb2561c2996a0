//! Shapes and fitting answers that are made up: whatever they are and wherever they are cut, parts only refine, the last one is
//! the whole, and no byte is handed over twice.

use serde_json::{Map, Value, json};

use super::tests::{Arrived, refines};
use super::{Change, Fields, Growing, Shape};

/// Numbers that follow from a seed (xorshift).
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).expect("it is below the bound")
    }
}

/// Records by their number; a field is called `f` and its place.
#[derive(Default)]
struct Records(Vec<Vec<Shape>>);

impl Fields for Records {
    fn field(&self, record: u32, name: &str) -> Option<(u32, Shape)> {
        let place: u32 = name.strip_prefix('f')?.parse().ok()?;
        let fields = &self.0[record as usize];
        Some((place, *fields.get(place as usize)?))
    }
}

impl Records {
    fn shape(&mut self, chance: &mut Chance, depth: usize) -> Shape {
        match chance.below(if depth == 0 { 3 } else { 5 }) {
            0 => Shape::Whole,
            1 => Shape::Text,
            2 => Shape::List,
            _ => self.record(chance, depth),
        }
    }

    fn record(&mut self, chance: &mut Chance, depth: usize) -> Shape {
        let count = chance.below(4) + 1;
        let fields = (0..count).map(|_| self.shape(chance, depth - 1)).collect();
        self.0.push(fields);
        Shape::Record(u32::try_from(self.0.len() - 1).expect("a few records"))
    }

    /// An answer of this shape: what is taken of it, and its text, with spaces, escapes and keys that the shape does
    /// not have.
    fn answer(&self, chance: &mut Chance, shape: Shape) -> (Value, String) {
        match shape {
            Shape::Whole => any(chance, 2),
            Shape::Text => text(chance),
            Shape::List => {
                let items: Vec<_> = (0..chance.below(5)).map(|_| any(chance, 2)).collect();
                let texts: Vec<&str> = items.iter().map(|it| &*it.1).collect();
                let list = format!(
                    "[{}{}]",
                    space(chance),
                    texts.join(&format!("{},", space(chance)))
                );
                (items.into_iter().map(|it| it.0).collect(), list)
            }
            Shape::Record(record) => {
                let (mut taken, mut parts) = (Map::new(), Vec::new());
                for (place, field) in self.0[record as usize].iter().enumerate() {
                    if chance.below(4) == 0 {
                        parts.push(format!("\"g{place}\":{}", any(chance, 2).1));
                    }
                    let (value, written) = self.answer(chance, *field);
                    taken.insert(format!("f{place}"), value);
                    parts.push(format!(
                        "{}\"f{place}\"{}:{}{written}",
                        space(chance),
                        space(chance),
                        space(chance)
                    ));
                }
                let written = format!("{{{}{}}}", parts.join(","), space(chance));
                (Value::Object(taken), written)
            }
        }
    }
}

fn space(chance: &mut Chance) -> &'static str {
    ["", "", " ", "\n  "][chance.below(4)]
}

fn text(chance: &mut Chance) -> (Value, String) {
    const PIECES: [(&str, &str); 8] = [
        ("word ", "word "),
        ("\"", "\\\""),
        ("\\", "\\\\"),
        ("ü", "ü"),
        ("😀", "\\ud83d\\ude00"),
        ("\n", "\\n"),
        ("}],", "}],"),
        ("é", "\\u00e9"),
    ];
    let picked: Vec<_> = (0..chance.below(9))
        .map(|_| PIECES[chance.below(8)])
        .collect();
    let value: String = picked.iter().map(|it| it.0).collect();
    let written: String = picked.iter().map(|it| it.1).collect();
    (value.into(), format!("\"{written}\""))
}

fn any(chance: &mut Chance, depth: usize) -> (Value, String) {
    match chance.below(if depth == 0 { 3 } else { 5 }) {
        0 => text(chance),
        1 => (json!(true), "true".into()),
        2 => (json!(-12.5), "-12.5".into()),
        3 => {
            let (value, written) = any(chance, depth - 1);
            (json!([value, null]), format!("[{written} , null]"))
        }
        _ => {
            let (value, written) = any(chance, depth - 1);
            (json!({ "k": value }), format!("{{\"k\": {written}}}"))
        }
    }
}

/// Feeds the pieces, and gives what has arrived with the bytes that were handed over.
fn fed<'a>(
    records: &Records,
    root: Shape,
    pieces: impl Iterator<Item = &'a str>,
) -> (Value, usize) {
    let mut growing = Growing::new(root);
    let mut arrived = Arrived::named(|it| format!("f{it}"));
    for piece in pieces {
        let before = arrived.root.clone();
        growing.feed(piece, records, &mut |change: Change<'_>| {
            arrived.take(change)
        });
        assert!(
            refines(&before, &arrived.root),
            "{before} is not refined by {}",
            arrived.root
        );
    }
    assert!(growing.is_whole(), "{}", arrived.root);
    (arrived.root, arrived.work)
}

/// G31: of any type and any answer that fits it, at every border.
#[test]
fn of_any_answer_cut_anywhere_the_parts_only_refine_and_end_with_the_whole() {
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    for _ in 0..60 {
        let mut records = Records::default();
        let root = records.record(&mut chance, 3);
        let (taken, written) = records.answer(&mut chance, root);
        let before = ["", "Here it is:\n```json\n", "[1] "][chance.below(3)];
        let answer = format!("{before}{written}\n```");
        let letters = answer
            .char_indices()
            .map(|(at, it)| &answer[at..at + it.len_utf8()]);
        let (whole, work) = fed(&records, root, letters);
        assert_eq!(whole, taken, "{answer}");
        assert!(work <= answer.len(), "{work} bytes of {}", answer.len());
        for (at, _) in answer.char_indices() {
            let halves = [&answer[..at], &answer[at..]];
            assert_eq!(fed(&records, root, halves.into_iter()).0, taken, "{answer}");
        }
    }
}
