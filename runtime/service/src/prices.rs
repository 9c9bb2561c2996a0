//! The user's own table of prices: a JSON file that `GSW_PRICES` names.

use serde_json::{Map, Value, json};

use crate::{environment, value_text};

/// The variable that names the file.
pub const VARIABLE: &str = "GSW_PRICES";
/// The most bytes of the file: no table of prices is nearly as long.
const LARGEST: u64 = 16 << 20;
/// What must be said of a model, and what may.
const NEEDED: [&str; 2] = ["input", "output"];
const KNOWN: [&str; 4] = ["input", "output", "cache_read", "cache_write"];

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
    let table: Map<String, Value> = serde_json::from_str(text)
        .map_err(|error| format!("this is not a JSON object of models: {error}"))?;
    table
        .iter()
        .map(|(model, price)| row(model, price))
        .collect()
}

fn row(model: &str, price: &Value) -> Result<String, String> {
    let is_model = model
        .split_once('/')
        .is_some_and(|(provider, name)| !provider.is_empty() && !name.is_empty());
    if !is_model {
        return Err(format!(
            "`{model}` is not the name of a model: write `provider/model`, or `provider/*` for all of a provider"
        ));
    }
    let Value::Object(price) = price else {
        return Err(format!(
            "`{model}` needs an object with `input` and `output`"
        ));
    };
    let mut row = Map::from_iter([("name".to_owned(), json!(model))]);
    for (name, dollars) in price {
        if !KNOWN.contains(&name.as_str()) {
            return Err(format!(
                "`{model}` has no `{name}`, only {}",
                KNOWN.join(", ")
            ));
        }
        let is_price = dollars
            .as_f64()
            .is_some_and(|it| it.is_finite() && it >= 0.0);
        if !is_price {
            return Err(format!(
                "`{name}` of `{model}` is {dollars}, and must be dollars per million tokens, at least 0"
            ));
        }
        row.insert(name.clone(), dollars.clone());
    }
    match NEEDED.iter().find(|it| !row.contains_key(**it)) {
        Some(missing) => Err(format!("`{model}` lacks `{missing}`")),
        None => Ok(Value::Object(row).to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn what_is_no_price_is_named() {
        let good = r#"{"openai/gpt-5": {"input": 1.25, "output": 10, "cache_read": 0}, "sim/*": {"input": 0, "output": 0}}"#;
        assert_eq!(rows(good).map(|it| it.len()), Ok(2));
        for (text, part) in [
            ("[]", "not a JSON object of models"),
            (r#"{"gpt-5": {}}"#, "`gpt-5` is not the name of a model"),
            (r#"{"a/b": 3}"#, "needs an object"),
            (r#"{"a/b": {"input": 1}}"#, "lacks `output`"),
            (
                r#"{"a/b": {"input": -1, "output": 1}}"#,
                "`input` of `a/b` is -1",
            ),
            (r#"{"a/b": {"input": "1", "output": 1}}"#, "is \"1\""),
            (r#"{"a/b": {"inptu": 1}}"#, "has no `inptu`"),
        ] {
            let why = rows(text).expect_err("it is refused");
            assert!(why.contains(part), "{text}: {why}");
        }
    }
}
