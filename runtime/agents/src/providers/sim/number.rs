//! Made-up numbers within their bounds.

use serde_json::{Map, Number, Value};

use super::chance::Chance;

/// How far from a bound, or from 0, numbers go where the schema has no bound.
const REACH: i64 = 100;
/// How far numbers go in later attempts, so that a check for large or negative numbers has a chance.
const WIDE_REACH: i64 = 100_000;

pub(crate) fn integer(schema: &Map<String, Value>, chance: &mut Chance) -> Value {
    let given = |name| schema.get(name).and_then(Value::as_f64);
    let least = match (given("minimum"), given("exclusiveMinimum")) {
        (Some(bound), None) => Some(bound.ceil() as i64),
        (_, Some(bound)) => Some((bound.floor() as i64).saturating_add(1)),
        (None, None) => None,
    };
    let most = match (given("maximum"), given("exclusiveMaximum")) {
        (Some(bound), None) => Some(bound.floor() as i64),
        (_, Some(bound)) => Some((bound.ceil() as i64).saturating_sub(1)),
        (None, None) => None,
    };
    let (least, most) = range(least, most, chance);
    let drawn = chance.between(least, most);
    let step = given("multipleOf")
        .filter(|it| *it >= 1.0)
        .map_or(1, |it| it as i64);
    let down = drawn.saturating_sub(drawn.rem_euclid(step));
    let fitting = if down >= least {
        down
    } else {
        down.saturating_add(step)
    };
    fitting.into()
}

fn range(least: Option<i64>, most: Option<i64>, chance: &mut Chance) -> (i64, i64) {
    let is_wide = chance.attempt() > 0 && chance.below(3) == 0;
    let reach = if is_wide { WIDE_REACH } else { REACH };
    match (least, most) {
        (Some(least), Some(most)) => {
            // Beyond a wide range numbers get unwieldy to read.
            (least, most.min(least.saturating_add(WIDE_REACH * 10)))
        }
        (Some(least), None) => (least, least.saturating_add(reach)),
        (None, Some(most)) => (most.saturating_sub(reach).max(most.min(0)), most),
        (None, None) if chance.attempt() > 0 => (-reach, reach),
        (None, None) => (0, reach),
    }
}

pub(crate) fn float(schema: &Map<String, Value>, chance: &mut Chance) -> Value {
    let given = |name| schema.get(name).and_then(Value::as_f64);
    let least = given("exclusiveMinimum").or(given("minimum"));
    let most = given("exclusiveMaximum").or(given("maximum"));
    let reach = REACH as f64;
    let (least, most) = match (least, most) {
        (Some(least), Some(most)) => (least, most),
        (Some(least), None) => (least, least + reach),
        (None, Some(most)) => (most - reach, most),
        (None, None) if chance.attempt() > 0 => (-reach, reach),
        (None, None) => (0.0, reach),
    };
    let is_inside = |it: f64| {
        it.is_finite()
            && (it > least || (it == least && !schema.contains_key("exclusiveMinimum")))
            && (it < most || (it == most && !schema.contains_key("exclusiveMaximum")))
    };
    let drawn = least + (most - least) * chance.share();
    let rounded = (drawn * 100.0).round() / 100.0;
    let middle = least / 2.0 + most / 2.0;
    let fitting = [rounded, drawn, middle]
        .into_iter()
        .find(|it| is_inside(*it));
    let fitting = fitting.unwrap_or(least);
    // Where the bounds are not finite, neither are the candidates.
    Number::from_f64(fitting).map_or_else(|| 0.into(), Value::Number)
}
