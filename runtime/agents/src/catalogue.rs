//! What is known about models, as data: their windows, prices and abilities.

use std::sync::OnceLock;

use gsw_engine::prices::{Long, Price, is_named};
use serde::Deserialize;

/// The built-in table; prices are per million tokens in US dollars.
const BUILT_IN: &str = include_str!("catalogue.json");

#[derive(Clone, Debug, Deserialize)]
pub struct Catalogue {
    /// The model of an agent that names none.
    pub default: String,
    /// Looked up in order; a name that ends in `*` matches every name with that prefix.
    models: Vec<KnownModel>,
}

/// What is known about a model.
#[derive(Clone, Debug, Deserialize)]
pub struct KnownModel {
    /// `provider/model`, or a prefix with `*`.
    pub name: String,
    /// What it costs, where known.
    pub price: Option<Dollars>,
    /// How many tokens fit, where known.
    pub context: Option<u64>,
    /// The most tokens of one answer, where known.
    pub output: Option<u64>,
    pub abilities: Vec<Ability>,
    /// The day on which this was read, as `2026-11-23`.
    pub read: String,
    /// Where it was read.
    pub source: String,
    /// How thinking is asked for; `None` where it cannot be.
    pub thinking: Option<Thinking>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Dollars {
    /// Input that the provider has not cached.
    pub input: f64,
    /// Output, including the tokens of thinking.
    pub output: f64,
    /// Input read from the provider's cache; the price of fresh input where absent.
    pub cache_read: Option<f64>,
    /// Input written to the provider's cache; likewise.
    pub cache_write: Option<f64>,
    /// What takes the place of these for much input.
    pub long: Option<Long>,
}

/// What a model can do besides answering a text with a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ability {
    Tools,
    /// Its provider holds it to a schema.
    Schemas,
    Images,
    Documents,
}

/// How a model is asked to think.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Thinking {
    /// With a number of tokens.
    Budget,
    /// It decides by itself how much.
    Adaptive,
    /// With a degree of effort, which follows from the number of tokens.
    Effort,
}

impl Catalogue {
    #[must_use]
    pub fn built_in() -> &'static Self {
        static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
        CATALOGUE.get_or_init(|| {
            serde_json::from_str(BUILT_IN).expect("a test reads the built-in catalogue")
        })
    }

    /// All of them, in the order in which they are looked up.
    #[must_use]
    pub fn models(&self) -> &[KnownModel] {
        &self.models
    }

    /// What is known about a model.
    #[must_use]
    pub fn find(&self, model: &str) -> Option<&KnownModel> {
        self.models.iter().find(|it| is_named(&it.name, model))
    }

    /// What the known models cost.
    #[must_use]
    pub fn prices(&self) -> Vec<Price> {
        let priced = self.models.iter();
        priced
            .filter_map(|it| {
                let Dollars {
                    input,
                    output,
                    cache_read,
                    cache_write,
                    long,
                } = it.price?;
                Some(Price {
                    name: it.name.clone(),
                    input,
                    output,
                    cache_read,
                    cache_write,
                    long,
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use gsw_abi::provider::Provider;
    use gsw_engine::prices::{Prices, is_named};
    use gsw_tree::usage::Usage;

    use super::Catalogue;

    #[test]
    fn known_models_have_their_prices() {
        let catalogue = Catalogue::built_in();
        let usage = Usage {
            input_tokens: 1_000_000,
            output_tokens: 0,
            cache_read_tokens: 500_000,
            cache_write_tokens: 0,
        };
        let prices = Prices(catalogue.prices());
        let cost = prices.cost("anthropic/claude-sonnet-5-5", &usage);
        assert_eq!(cost, Some(1.0 + 0.1));
        assert_eq!(prices.cost("anthropic/unheard-of", &usage), None);
        assert!(catalogue.find(&catalogue.default).is_some());
    }

    /// The Markdown files below a folder.
    fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() {
                pages(&path, found);
            } else if path.extension().is_some_and(|it| it == "md") {
                found.push(path);
            }
        }
    }

    #[test]
    fn every_model_that_the_documentation_names_is_in_the_catalogue() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut found = vec![root.join("README.md")];
        pages(&root.join("docs"), &mut found);
        pages(&root.join("compiler/source/src/codes"), &mut found);
        let mut models = 0;
        for page in found {
            let text = fs::read_to_string(&page).expect("a page can be read");
            for word in text.split(['"', '`', ' ', ',', '\n', '(', ')', '[', ']']) {
                // A compatible server has models of its own.
                let is_own = ["anthropic/", "gemini/", "openai-responses/", "openai/gpt"]
                    .iter()
                    .any(|it| word.starts_with(it));
                if !is_own || word.ends_with(['…', '*', '/']) {
                    continue;
                }
                let known = Catalogue::built_in().find(word);
                let is_row = known.is_some_and(|it| it.name == word);
                assert!(is_row, "{}: `{word}`", page.display());
                models += 1;
            }
        }
        assert!(models > 50, "{models}");
    }

    #[test]
    fn the_catalogue_speaks_of_providers_that_there_are() {
        let catalogue = Catalogue::built_in();
        for model in &catalogue.models {
            assert!(Provider::of(&model.name).is_some(), "{}", model.name);
            let day: Vec<&str> = model.read.split('-').collect();
            let is_day = matches!(day[..], [year, month, day] if year.len() == 4 && month.len() == 2 && day.len() == 2);
            assert!(is_day && !model.source.is_empty(), "{}", model.name);
            if let (Some(window), Some(output)) = (model.context, model.output) {
                assert!(output <= window, "{}", model.name);
            }
            if !model.name.ends_with('*') {
                assert!(
                    model.context.is_some() && model.price.is_some(),
                    "{}",
                    model.name
                );
            }
        }
        for (place, model) in catalogue.models.iter().enumerate() {
            let first = catalogue
                .models
                .iter()
                .position(|it| is_named(&it.name, &model.name));
            assert_eq!(first, Some(place), "an earlier row hides {}", model.name);
        }
        for provider in Provider::ALL {
            let other = format!("{}/unheard-of", provider.name());
            assert!(catalogue.find(&other).is_some(), "{other}");
        }
    }
}
