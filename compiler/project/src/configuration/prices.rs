//! The table of prices that `gsw.toml` names: a table for each model with dollars per million tokens.

use gsw_source::{Db, Diagnostic, File};

use super::models::is_model;
use super::reader::{Entry, Reader};
use crate::errors;

/// What a model's table may hold.
const KEYS: [&str; 4] = ["cache_read", "cache_write", "input", "output"];

/// Prices and what is wrong with them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckedPrices {
    /// A JSON object for each model: `name`, `input`, `output`, `cache_read`, `cache_write`; in the order of the file.
    pub rows: Vec<String>,
    /// In the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

#[salsa::tracked(returns(ref))]
pub fn file_prices(db: &dyn Db, file: File) -> CheckedPrices {
    let mut reader = Reader::new(file);
    let mut rows = Vec::new();
    if let Some(table) = super::parse(&mut reader, file.text(db)) {
        for entry in reader.entries(&table) {
            if is_model(entry.key) {
                rows.extend(row(&mut reader, &entry));
            } else {
                reader
                    .found
                    .push(errors::wrong_model(entry.place, entry.key));
            }
        }
    }
    CheckedPrices {
        rows,
        diagnostics: reader.found,
    }
}

fn row(reader: &mut Reader, model: &Entry<'_>) -> Option<String> {
    let mut parts = vec![format!("\"name\":{}", serde_json::Value::from(model.key))];
    let mut missing = vec!["input", "output"];
    for price in reader.table(model) {
        if KEYS.contains(&price.key) {
            missing.retain(|it| *it != price.key);
            let dollars = reader.number(&price, "dollars per million tokens, at least 0")?;
            parts.push(format!("\"{}\":{dollars}", price.key));
        } else {
            reader.unknown(&price, model.key, &KEYS);
        }
    }
    match missing.first() {
        None => Some(format!("{{{}}}", parts.join(","))),
        Some(missing) => {
            reader
                .found
                .push(errors::missing_price(model.place, model.key, missing));
            None
        }
    }
}
