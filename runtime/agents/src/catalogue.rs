//! What is known about models, as data: prices, and which settings they take.

use std::sync::OnceLock;

use gsw_abi::program::ModelDefaults;
use gsw_engine::model::Usage;
use serde::Deserialize;

/// The built-in table; prices are per million tokens in US dollars.
const BUILT_IN: &str = include_str!("catalogue.json");

/// The known models.
#[derive(Clone, Debug, Deserialize)]
pub struct Catalogue {
    /// The model of an agent that names none.
    pub default: String,
    /// Looked up in order; a name that ends in `*` stands for all that begin so.
    models: Vec<KnownModel>,
}

/// What is known about a model.
#[derive(Clone, Debug, Deserialize)]
pub struct KnownModel {
    /// `provider/model`, or a prefix with `*`.
    pub name: String,
    /// What it costs, where known.
    pub price: Option<Price>,
    /// How many tokens fit, where known.
    pub context: Option<u64>,
    /// How thinking is asked for; `None` where it cannot be.
    pub thinking: Option<Thinking>,
    /// Settings that it does not take; they are not sent, and the user is warned.
    pub refuses: Vec<String>,
}

/// Dollars per million tokens.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Price {
    /// Fresh input.
    pub input: f64,
    /// Output, thinking included.
    pub output: f64,
    /// Input read from the provider's cache; the price of fresh input where absent.
    pub cache_read: Option<f64>,
    /// Input written to the provider's cache; likewise.
    pub cache_write: Option<f64>,
}

/// How a model is asked to think.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Thinking {
    /// With a number of tokens.
    Budget,
    /// It decides by itself how much.
    Adaptive,
}

impl Catalogue {
    /// The built-in one.
    #[must_use]
    pub fn built_in() -> &'static Self {
        static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
        CATALOGUE.get_or_init(|| {
            serde_json::from_str(BUILT_IN).expect("a test reads the built-in catalogue")
        })
    }

    /// What is known about a model.
    #[must_use]
    pub fn find(&self, model: &str) -> Option<&KnownModel> {
        self.models.iter().find(|it| is_named(&it.name, model))
    }

    /// Whether the model takes the setting; unknown models are given the benefit of the doubt.
    #[must_use]
    pub fn takes(&self, model: &str, setting: &str) -> bool {
        self.find(model)
            .is_none_or(|it| !it.refuses.iter().any(|refused| refused == setting))
    }

    /// What the tokens cost in dollars, where the price is known: first by what the program says of prices, then by this table.
    #[must_use]
    pub fn cost(&self, program: &ModelDefaults, model: &str, usage: &Usage) -> Option<f64> {
        let price = own_price(program, model).or_else(|| self.find(model)?.price)?;
        let cached = usage.cache_read_tokens + usage.cache_write_tokens;
        let fresh = usage.input_tokens.saturating_sub(cached);
        let part = |tokens: u64, dollars: f64| tokens as f64 * dollars / 1e6;
        Some(
            part(fresh, price.input)
                + part(usage.output_tokens, price.output)
                + part(
                    usage.cache_read_tokens,
                    price.cache_read.unwrap_or(price.input),
                )
                + part(
                    usage.cache_write_tokens,
                    price.cache_write.unwrap_or(price.input),
                ),
        )
    }
}

/// Whether a row is about a model.
fn is_named(row: &str, model: &str) -> bool {
    match row.strip_suffix('*') {
        Some(prefix) => model.starts_with(prefix),
        None => row == model,
    }
}

/// A row of a program's own table.
#[derive(Deserialize)]
struct OwnPrice {
    name: String,
    input: f64,
    output: f64,
    cache_read: Option<f64>,
    cache_write: Option<f64>,
}

fn own_price(program: &ModelDefaults, model: &str) -> Option<Price> {
    let rows = program.prices.iter();
    let mut rows = rows.filter_map(|it| serde_json::from_str::<OwnPrice>(it).ok());
    let row = rows.find(|it| is_named(&it.name, model))?;
    Some(Price {
        input: row.input,
        output: row.output,
        cache_read: row.cache_read,
        cache_write: row.cache_write,
    })
}

#[cfg(test)]
mod tests {
    use gsw_abi::program::ModelDefaults;
    use gsw_engine::model::Usage;

    use super::Catalogue;

    #[test]
    fn cached_tokens_have_their_own_price() {
        let catalogue = Catalogue::built_in();
        let usage = Usage {
            input_tokens: 1_000_000,
            output_tokens: 0,
            cache_read_tokens: 500_000,
            cache_write_tokens: 0,
        };
        let mut own = ModelDefaults::default();
        let cost = catalogue.cost(&own, "anthropic/claude-sonnet-5-5", &usage);
        assert_eq!(cost, Some(1.5 + 0.15));
        assert_eq!(catalogue.cost(&own, "anthropic/unheard-of", &usage), None);
        own.prices = vec![r#"{"name":"anthropic/*","input":2.0,"output":4,"cache_read":0}"#.into()];
        let cost = catalogue.cost(&own, "anthropic/claude-sonnet-5-5", &usage);
        assert_eq!(cost, Some(1.0));
        assert!(catalogue.find(&catalogue.default).is_some());
    }

    #[test]
    fn settings_that_a_model_refuses_are_known() {
        let catalogue = Catalogue::built_in();
        assert!(!catalogue.takes("anthropic/claude-opus-5-5", "temperature"));
        assert!(catalogue.takes("openai/local/model", "temperature"));
        assert!(catalogue.takes("sim/default", "thinking"));
    }
}
