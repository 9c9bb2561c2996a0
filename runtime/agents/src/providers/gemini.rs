//! The Gemini API of Google: `generateContent` as a stream.

mod reader;
mod wire;

use gsw_abi::provider;
use gsw_engine::model::{ModelFailure, ModelRequest};
use reqwest::Url;
use serde::Serialize;

use super::exchange::AnswerReader;
use super::protocol::{Endpoint, Protocol, SchemaForm};
use crate::environment::Environment;
use reader::GenerationReader;

/// The Gemini API at an address.
pub(crate) struct Generation {
    base: String,
    version: String,
}

/// The version that we speak unless the environment names another: that of the newest official client.
const VERSION: &str = "v1";

impl Protocol for Generation {
    const KEY: &'static str = provider::GEMINI_KEY;

    type Format = SchemaForm;

    fn configured(environment: &Environment) -> Result<Self, ModelFailure> {
        let base = environment.get(provider::GEMINI_ADDRESS);
        Ok(Self {
            base: base.unwrap_or_else(|| "https://generativelanguage.googleapis.com".into()),
            version: environment
                .get("GEMINI_VERSION")
                .unwrap_or_else(|| VERSION.into()),
        })
    }

    fn endpoint(&self, key: &str, model: &str) -> Endpoint {
        Endpoint {
            // What is no address is named when it is asked.
            url: address(&self.base, &self.version, model).unwrap_or_else(|| self.base.clone()),
            headers: vec![
                ("x-goog-api-key", key.to_owned()),
                ("accept", "text/event-stream".into()),
            ],
        }
    }

    fn format(request: &ModelRequest, form: SchemaForm) -> SchemaForm {
        match form {
            // Models before the third generation take a schema or tools, not both.
            SchemaForm::Native if !request.tools.is_empty() => SchemaForm::Described,
            SchemaForm::Native | SchemaForm::Described | SchemaForm::Absent => form,
        }
    }

    fn body<'a>(
        &self,
        _model: &'a str,
        request: &'a ModelRequest,
        form: &'a SchemaForm,
    ) -> Result<impl Serialize, ModelFailure> {
        Ok(wire::body(request, *form))
    }

    fn reader(host: String) -> Box<dyn AnswerReader> {
        Box::new(GenerationReader::new(host))
    }
}

/// Where a model is asked; a name with a slash, such as `tunedModels/x`, is a path of its own.
fn address(base: &str, version: &str, model: &str) -> Option<String> {
    let mut url = Url::parse(base).ok()?;
    let (folder, name) = model.split_once('/').unwrap_or(("models", model));
    let last = format!("{name}:streamGenerateContent");
    url.path_segments_mut()
        .ok()?
        .pop_if_empty()
        .extend([version, folder, &last]);
    url.set_query(Some("alt=sse"));
    Some(url.into())
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn a_model_is_a_part_of_its_address() {
        let of = |model| address("https://example.org/", "v1beta", model);
        let gemini =
            "https://example.org/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse";
        assert_eq!(of("gemini-2.5-pro").as_deref(), Some(gemini));
        let tuned = "https://example.org/v1beta/tunedModels/mine:streamGenerateContent?alt=sse";
        assert_eq!(of("tunedModels/mine").as_deref(), Some(tuned));
        let odd = of("a/../../b?key=#").expect("an address");
        assert!(
            odd.starts_with("https://example.org/v1beta/a/") && odd.ends_with("?alt=sse"),
            "{odd}"
        );
        assert!(!odd.contains("/../") && !odd.contains("key=#"), "{odd}");
    }
}
