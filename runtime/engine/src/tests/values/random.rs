//! Random types, and random JSON that fits them.

use gsw_abi::builtin;
use gsw_abi::types::{Type, TypeId, TypeTable};
use gsw_notation::{calendar, number};
use indexmap::IndexSet;
use serde_json::{Map, Number, Value};

use crate::tests::values::table::{Table, field};

/// A source of numbers that a seed decides.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.word() % end as u64) as usize
    }
}

/// A table with types made of earlier ones; the last is the most complex.
pub fn table(dice: &mut Dice) -> Table {
    let mut table = Table::new();
    let plain = [
        builtin::BOOL,
        builtin::INT,
        builtin::FLOAT,
        builtin::STRING,
        builtin::BYTES,
        builtin::TIME,
        builtin::DURATION,
        builtin::JSON,
        builtin::UNIT,
    ];
    let mut known = plain.to_vec();
    let level = table.choice(
        "Level",
        vec![("Low", vec![]), ("Mid", vec![]), ("High", vec![])],
    );
    known.push(level);
    known.push(table.add(Type::Literals(vec!["a".into(), "b c".into()])));
    for index in 0..10 {
        let ty = composite(&mut table, dice, &known, level, index);
        known.push(ty);
    }
    table
}

fn composite(
    table: &mut Table,
    dice: &mut Dice,
    known: &[TypeId],
    level: TypeId,
    index: usize,
) -> TypeId {
    let pick = |dice: &mut Dice| known[dice.below(known.len())];
    let name = format!("T{index}");
    match dice.below(7) {
        0 => {
            let of = pick(dice);
            // `T??` is `T?`, and `()` has no other value than its null.
            let is_nullable =
                matches!(table.0.get(of), Type::Optional(_) | Type::Unit | Type::Json);
            if is_nullable {
                of
            } else {
                table.add(Type::Optional(of))
            }
        }
        1 => {
            let of = pick(dice);
            table.add(Type::List(of))
        }
        2 => {
            let key = [builtin::STRING, builtin::INT, level][dice.below(3)];
            let value = pick(dice);
            table.add(Type::Map { key, value })
        }
        3 => {
            let parts = vec![pick(dice), pick(dice)];
            table.add(Type::Tuple(parts))
        }
        4 => {
            let of = [builtin::STRING, builtin::INT, level][dice.below(3)];
            table.set(of)
        }
        5 => {
            let fields = vec![
                field("a", pick(dice)),
                field("b", pick(dice)),
                field("c", pick(dice)),
            ];
            table.record(&name, fields)
        }
        _ => {
            let variants = vec![
                ("None", vec![]),
                ("One", vec![field("x", pick(dice))]),
                ("Two", vec![field("x", pick(dice)), field("y", pick(dice))]),
            ];
            table.choice(&name, variants)
        }
    }
}

/// The canonical JSON of a random value of a type.
#[expect(
    clippy::too_many_lines,
    reason = "one arm for each type that `table` makes"
)]
pub fn value(types: &TypeTable, ty: TypeId, dice: &mut Dice) -> Value {
    match types.get(ty) {
        Type::Bool => (dice.below(2) == 0).into(),
        Type::Int => int(dice).into(),
        Type::Float => float(dice),
        Type::String => text(dice).into(),
        Type::Bytes => ["", "AAE=", "/+8="][dice.below(3)].into(),
        Type::Time => calendar::rfc3339(dice.word() as i64).into(),
        Type::Duration => Value::Number(Number::from_string_unchecked(
            ["0", "-1.5", "0.25", "90", "86400.125"][dice.below(5)].into(),
        )),
        Type::Json => json(dice, 3),
        Type::Literals(texts) => texts[dice.below(texts.len())].as_str().into(),
        Type::Optional(_) if dice.below(3) == 0 => Value::Null,
        Type::Optional(of) => value(types, *of, dice),
        Type::List(of) => (0..dice.below(4))
            .map(|_| value(types, *of, dice))
            .collect(),
        Type::Tuple(parts) => parts.iter().map(|&it| value(types, it, dice)).collect(),
        Type::Map { key, value: of } => {
            let mut entries = Map::new();
            for _ in 0..dice.below(14) {
                entries.insert(key_text(types, *key, dice), value(types, *of, dice));
            }
            entries.into()
        }
        Type::Set { of, .. } => {
            let elements = (0..dice.below(14)).map(|_| key_text(types, *of, dice));
            let elements: IndexSet<String> = elements.collect();
            let elements = elements.into_iter();
            elements
                .map(|it| match *of == builtin::INT {
                    true => it.parse::<i64>().expect("an int was written").into(),
                    false => Value::String(it),
                })
                .collect()
        }
        Type::Record(it) => {
            let fields = it.fields.iter();
            let fields = fields.map(|it| (it.wire.clone(), value(types, it.ty, dice)));
            Value::Object(fields.collect())
        }
        Type::Enum(it) => {
            let variant = &it.variants[dice.below(it.variants.len())];
            if variant.fields.is_empty() {
                return variant.wire.as_str().into();
            }
            let mut object = Map::from_iter([("kind".into(), variant.wire.as_str().into())]);
            for it in &variant.fields {
                object.insert(it.wire.clone(), value(types, it.ty, dice));
            }
            object.into()
        }
        Type::Unit => Value::Null,
        Type::Secret
        | Type::Media
        | Type::Error
        | Type::ErrorKind(_)
        | Type::Checked { .. }
        | Type::Closure(_)
        | Type::Function
        | Type::Cell(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Session => unreachable!("`table` makes no such type"),
    }
}

/// What may be the key of a map, as JSON has it there.
fn key_text(types: &TypeTable, key: TypeId, dice: &mut Dice) -> String {
    if let Type::Enum(it) = types.get(key) {
        it.variants[dice.below(3)].wire.clone()
    } else if key == builtin::INT {
        int(dice).to_string()
    } else {
        text(dice)
    }
}

pub fn text(dice: &mut Dice) -> String {
    let parts = [
        "", "a", "é", "\"", "\\", "\n", "\u{1}", "🦀", "kind", " ", "0", "\u{2028}", "xyz",
    ];
    (0..dice.below(5))
        .map(|_| parts[dice.below(parts.len())])
        .collect()
}

fn int(dice: &mut Dice) -> i64 {
    match dice.below(4) {
        0 => [0, -1, i64::MAX, i64::MIN][dice.below(4)],
        _ => dice.below(100) as i64 - 50,
    }
}

fn float(dice: &mut Dice) -> Value {
    let value = match dice.below(3) {
        0 => [
            0.0,
            -0.0,
            1e21,
            5e-324,
            f64::MAX,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
        ][dice.below(8)],
        1 => dice.below(1000) as f64 / 8.0,
        _ => f64::from_bits(dice.word()),
    };
    match number::special_text(value) {
        Some(text) => text.into(),
        None => Value::Number(Number::from_string_unchecked(number::float_text(value))),
    }
}

fn json(dice: &mut Dice, depth: usize) -> Value {
    match dice.below(if depth == 0 { 5 } else { 7 }) {
        0 => Value::Null,
        1 => true.into(),
        2 => int(dice).into(),
        3 => Value::Number(Number::from_string_unchecked("2.5".into())),
        4 => text(dice).into(),
        5 => (0..dice.below(4)).map(|_| json(dice, depth - 1)).collect(),
        _ => {
            let entries = (0..dice.below(4)).map(|_| (text(dice), json(dice, depth - 1)));
            Value::Object(entries.collect())
        }
    }
}
