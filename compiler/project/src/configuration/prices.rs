//! The table of prices that `gsw.toml` names: a table for each model with dollars per million tokens.

use gsw_abi::bounds::Bounds;
use gsw_source::{Db, Diagnostic, File};

use super::models::is_model;
use super::reader::{Entry, Reader};
use crate::errors;

/// Prices and what is wrong with them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckedPrices {
    /// A JSON object for each model: `name`, `input`, `output`, `cache_read`, `cache_write`, `long`; in the order of the file.
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
    let parts = prices(reader, model, model.key, Tier::Usual)?;
    let name = serde_json::Value::from(model.key);
    Some(format!("{{\"name\":{name},{parts}}}"))
}

/// Which of a model's prices.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tier {
    Usual,
    /// For requests with more input than `above`.
    Long,
}

impl Tier {
    const fn needed(self) -> &'static [&'static str] {
        match self {
            Self::Usual => &["input", "output"],
            Self::Long => &["above", "input", "output"],
        }
    }

    const fn known(self) -> &'static [&'static str] {
        match self {
            Self::Usual => &["cache_read", "cache_write", "input", "long", "output"],
            Self::Long => &["above", "cache_read", "cache_write", "input", "output"],
        }
    }
}

/// The fields of a JSON object with what a table holds.
fn prices(reader: &mut Reader, table: &Entry<'_>, model: &str, tier: Tier) -> Option<String> {
    let mut parts = Vec::new();
    let mut missing = tier.needed().to_vec();
    for price in reader.table(table) {
        let key = price.key;
        if !tier.known().contains(&key) {
            reader.unknown(&price, table.key, tier.known());
            continue;
        }
        missing.retain(|it| *it != key);
        let value = match key {
            "long" => format!("{{{}}}", prices(reader, &price, model, Tier::Long)?),
            "above" => reader.count(&price, Bounds::NARROW_COUNT_FROM_ONE)?,
            _ => {
                let expected = "dollars per million tokens, at least 0";
                reader.number(&price, Bounds::AMOUNT, expected)?
            }
        };
        parts.push(format!("\"{key}\":{value}"));
    }
    match missing.first() {
        None => Some(parts.join(",")),
        Some(missing) => {
            reader
                .found
                .push(errors::missing_price(table.place, model, missing));
            None
        }
    }
}
