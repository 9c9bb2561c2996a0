//! What models cost, as a run knows it from its start: budgets are kept by these, also when the run is replayed elsewhere.

use gsw_tree::usage::Usage;
use serde::{Deserialize, Serialize};

/// What models cost. The first row that names a model counts.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Prices(pub Vec<Price>);

/// What one model costs, or several, in dollars per million tokens.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Price {
    /// `provider/model`; one that ends in `*` stands for all that begin so.
    pub name: String,
    /// Input that comes from no cache.
    pub input: f64,
    /// Output, thinking included.
    pub output: f64,
    /// Input read from the provider's cache; the price of fresh input where absent.
    pub cache_read: Option<f64>,
    /// Input written to the provider's cache; likewise.
    pub cache_write: Option<f64>,
    /// What takes the place of these for a request with much input, where the provider asks more for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long: Option<Long>,
}

/// What a request costs whose input is larger than `above` tokens, output included.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Long {
    pub above: u64,
    pub input: f64,
    pub output: f64,
    pub cache_read: Option<f64>,
    pub cache_write: Option<f64>,
}

impl Price {
    /// What it costs with this much input.
    fn at(&self, input_tokens: u64) -> Self {
        match self.long.filter(|it| input_tokens > it.above) {
            None => self.clone(),
            Some(long) => Self {
                name: self.name.clone(),
                input: long.input,
                output: long.output,
                cache_read: long.cache_read,
                cache_write: long.cache_write,
                long: None,
            },
        }
    }
}

impl Prices {
    /// What the tokens of one request cost in dollars, where the price is known.
    #[must_use]
    pub fn cost(&self, model: &str, usage: &Usage) -> Option<f64> {
        let price = self.0.iter().find(|it| is_named(&it.name, model))?;
        let price = price.at(usage.input_tokens);
        let cached = usage
            .cache_read_tokens
            .saturating_add(usage.cache_write_tokens);
        let fresh = usage.input_tokens.saturating_sub(cached);
        let part = |tokens: u64, dollars: f64| tokens as f64 * dollars / 1e6;
        let read = price.cache_read.unwrap_or(price.input);
        let written = price.cache_write.unwrap_or(price.input);
        Some(
            part(fresh, price.input)
                + part(usage.output_tokens, price.output)
                + part(usage.cache_read_tokens, read)
                + part(usage.cache_write_tokens, written),
        )
    }
}

/// Whether a row is about a model.
#[must_use]
pub fn is_named(row: &str, model: &str) -> bool {
    match row.strip_suffix('*') {
        Some(prefix) => model.starts_with(prefix),
        None => row == model,
    }
}

#[cfg(test)]
mod tests {
    use gsw_tree::usage::Usage;

    use super::{Long, Price, Prices};

    #[test]
    fn cached_tokens_have_their_own_price_and_the_first_row_counts() {
        let price = |name: &str, input| Price {
            name: name.into(),
            input,
            output: 2.0,
            cache_read: Some(0.5),
            cache_write: None,
            long: None,
        };
        let prices = Prices(vec![price("a/b", 1.0), price("a/*", 10.0)]);
        let usage = Usage {
            input_tokens: 1_000_000,
            output_tokens: 0,
            cache_read_tokens: 500_000,
            cache_write_tokens: 0,
        };
        assert_eq!(prices.cost("a/b", &usage), Some(0.75));
        assert_eq!(prices.cost("a/c", &usage), Some(5.25));
        assert_eq!(prices.cost("b/c", &usage), None);
    }

    #[test]
    fn a_request_with_much_input_costs_more_as_a_whole() {
        let long = Long {
            above: 100_000,
            input: 5.0,
            output: 20.0,
            cache_read: None,
            cache_write: None,
        };
        let prices = Prices(vec![Price {
            name: "a/*".into(),
            input: 1.0,
            output: 2.0,
            cache_read: None,
            cache_write: None,
            long: Some(long),
        }]);
        let usage = |input_tokens| Usage {
            input_tokens,
            output_tokens: 1_000_000,
            ..Usage::default()
        };
        assert_eq!(prices.cost("a/b", &usage(100_000)), Some(2.1));
        assert_eq!(prices.cost("a/b", &usage(200_000)), Some(21.0));
    }
}
