//! The user's own table of prices: a JSON file that `GSW_PRICES` names.

use gsw_notation::json;
use serde_json::{Map, Value, json};

use crate::{environment, value_text};

/// The variable that names the file.
pub const VARIABLE: &str = "GSW_PRICES";
/// The most bytes of the file: no table of prices is nearly as long.
const LARGEST: u64 = 16 << 20;
/// The required and the optional keys of a model.
const USUAL: Tier = Tier {
    needed: &["input", "output"],
    known: &["input", "output", "cache_read", "cache_write", "long"],
};
/// The keys of requests with more input than `above`.
const LONG: Tier = Tier {
    needed: &["above", "input", "output"],
    known: &["above", "input", "output", "cache_read", "cache_write"],
};

struct Tier {
    needed: &'static [&'static str],
    known: &'static [&'static str],
}

/// The rows of the user's table, as [`gsw_abi::program::ModelDefaults::prices`] has them; none without the variable.
///
/// # Errors
/// When the file cannot be read, or something in it is no price.
pub fn of_user() -> Result<Vec<String>, String> {
    let Some(path) = environment::text(VARIABLE) else {
        return Ok(Vec::new());
    };
    let text = value_text::read_file(&path, LARGEST)
        .map_err(|why| format!("`{VARIABLE}`: `{path}` {why}"))?;
    rows(&text).map_err(|why| format!("`{VARIABLE}`: `{path}`: {why}"))
}

/// `{"openai/gpt-5": {"input": 1.25, "output": 10.0}, "anthropic/*": …}`, in dollars per million tokens.
fn rows(text: &str) -> Result<Vec<String>, String> {
    // Ours takes no model twice, since it would be unknown which price is meant.
    let table = json::parse(text)
        .map_err(|issue| format!("this is not a JSON object of models: {}", issue.message))?;
    let Value::Object(table) = table else {
        return Err("this is not a JSON object of models".into());
    };
    table
        .iter()
        .map(|(model, price)| row(model, price))
        .collect()
}

fn row(model: &str, price: &Value) -> Result<String, String> {
    let is_model = model
        .split_once('/')
        .is_some_and(|(provider, name)| !provider.is_empty() && !name.is_empty());
    let is_pattern = model.strip_suffix('*').unwrap_or(model).contains('*');
    if is_pattern {
        return Err(format!(
            "`{model}` has a `*` that is not at its end, where it matches nothing"
        ));
    }
    if !is_model {
        return Err(format!(
            "`{model}` is not the name of a model: write `provider/model`, or `provider/*` for all of a provider"
        ));
    }
    let mut row = Map::from_iter([("name".to_owned(), json!(model))]);
    row.extend(prices(model, price, &USUAL)?);
    Ok(Value::Object(row).to_string())
}

/// Checks the prices of a model, or of its long requests.
fn prices(of: &str, given: &Value, tier: &Tier) -> Result<Map<String, Value>, String> {
    let Value::Object(given) = given else {
        let needed: Vec<_> = tier.needed.iter().map(|it| format!("`{it}`")).collect();
        return Err(format!(
            "`{of}` needs an object with {}",
            needed.join(" and ")
        ));
    };
    let mut prices = Map::new();
    for (name, value) in given {
        if !tier.known.contains(&name.as_str()) {
            let known = tier.known.join(", ");
            return Err(format!("`{of}` has no `{name}`, only {known}"));
        }
        let checked = match name.as_str() {
            "long" => Value::Object(prices_of_long(of, value)?),
            "above" => tokens(of, value)?,
            _ => dollars(of, name, value)?,
        };
        prices.insert(name.clone(), checked);
    }
    match tier.needed.iter().find(|it| !prices.contains_key(**it)) {
        Some(missing) => Err(format!("`{of}` lacks `{missing}`")),
        None => Ok(prices),
    }
}

fn prices_of_long(model: &str, given: &Value) -> Result<Map<String, Value>, String> {
    prices(&format!("{model}.long"), given, &LONG)
}

fn tokens(of: &str, value: &Value) -> Result<Value, String> {
    match value.as_u64() {
        Some(_) => Ok(value.clone()),
        None => Err(format!(
            "`above` of `{of}` is {value}, and must be a number of tokens"
        )),
    }
}

fn dollars(of: &str, name: &str, value: &Value) -> Result<Value, String> {
    let is_price = value.as_f64().is_some_and(|it| it.is_finite() && it >= 0.0);
    if is_price {
        return Ok(value.clone());
    }
    Err(format!(
        "`{name}` of `{of}` is {value}, and must be dollars per million tokens, at least 0"
    ))
}

#[cfg(test)]
mod tests {
    use gsw_engine::prices::Price;

    use super::rows;

    #[test]
    fn what_is_no_price_is_named() {
        let good = r#"{"openai/gpt-5": {"input": 1.25, "output": 10, "cache_read": 0}, "sim/*": {"input": 0, "output": 0},
            "a/b": {"input": 1, "output": 2, "long": {"above": 200000, "input": 2, "output": 3.5, "cache_read": 0.1}}}"#;
        let good = rows(good).expect("all of it is a price");
        let read: Vec<Price> = good
            .iter()
            .map(|it| serde_json::from_str(it).expect("a run reads it"))
            .collect();
        let long = read[2].long.expect("it was given");
        assert_eq!((long.above, long.output), (200_000, 3.5));
        for (text, part) in [
            ("[]", "not a JSON object of models"),
            (r#"{"gpt-5": {}}"#, "`gpt-5` is not the name of a model"),
            (r#"{"a/b": 3}"#, "needs an object"),
            (r#"{"a/b*c": {}}"#, "`a/b*c` has a `*`"),
            (r#"{"a/b": {}, "a/b": {}}"#, "\"a/b\" twice"),
            (r#"{"a/b": {"input": 1}}"#, "lacks `output`"),
            (
                r#"{"a/b": {"input": -1, "output": 1}}"#,
                "`input` of `a/b` is -1",
            ),
            (r#"{"a/b": {"input": "1", "output": 1}}"#, "is \"1\""),
            (r#"{"a/b": {"inptu": 1}}"#, "has no `inptu`"),
            (
                r#"{"a/b": {"input": 1, "output": 1, "long": {"input": 1, "output": 1}}}"#,
                "`a/b.long` lacks `above`",
            ),
            (
                r#"{"a/b": {"input": 1, "output": 1, "long": {"above": -1}}}"#,
                "`above` of `a/b.long` is -1",
            ),
            (
                r#"{"a/b": {"input": 1, "output": 1, "long": {"long": 1}}}"#,
                "`a/b.long` has no `long`",
            ),
        ] {
            let why = rows(text).expect_err("it is refused");
            assert!(why.contains(part), "{text}: {why}");
        }
    }
}
