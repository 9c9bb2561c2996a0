//! THE table of providers: the first part of a model's name, `provider/model`.

use crate::setting::Setting;

/// A model that needs neither a key nor a network.
pub const OFFLINE_MODEL: &str = "sim/default";

/// The environment variables of providers: their keys, and where they are.
pub const ANTHROPIC_KEY: &str = "ANTHROPIC_API_KEY";
pub const ANTHROPIC_ADDRESS: &str = "ANTHROPIC_BASE_URL";
pub const GEMINI_KEY: &str = "GEMINI_API_KEY";
pub const GEMINI_ADDRESS: &str = "GEMINI_BASE_URL";
pub const OPENAI_KEY: &str = "OPENAI_API_KEY";
pub const OPENAI_ADDRESS: &str = "OPENAI_BASE_URL";

/// How many bytes a request must begin with alike for a provider to keep them: some 1,024 tokens.
pub const LEAST_CACHED: usize = 4096;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Provider {
    /// The Messages API of Anthropic.
    Anthropic,
    /// The model of the client that calls the program as an MCP server.
    Client,
    /// The Gemini API of Google.
    Gemini,
    /// Chat completions of OpenAI, and of compatible servers at another address.
    OpenAi,
    /// The Responses API of OpenAI.
    OpenAiResponses,
    Sim,
}

impl Provider {
    /// Every provider, sorted by name.
    pub const ALL: &'static [Self] = &[
        Self::Anthropic,
        Self::Client,
        Self::Gemini,
        Self::OpenAi,
        Self::OpenAiResponses,
        Self::Sim,
    ];

    /// The first part of the names of its models.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::Client => "client",
            Self::Gemini => "gemini",
            Self::OpenAi => "openai",
            Self::OpenAiResponses => "openai-responses",
            Self::Sim => "sim",
        }
    }

    /// The provider of a model and the model's own name, which may hold slashes and is not empty.
    #[must_use]
    pub fn of(model: &str) -> Option<(Self, &str)> {
        let (provider, model) = model.split_once('/')?;
        let found = Self::ALL.iter().copied().find(|it| it.name() == provider)?;
        (!model.is_empty()).then_some((found, model))
    }

    /// The environment variable of its key; `None` where it needs none.
    #[must_use]
    pub const fn key(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some(ANTHROPIC_KEY),
            Self::Gemini => Some(GEMINI_KEY),
            Self::OpenAi | Self::OpenAiResponses => Some(OPENAI_KEY),
            Self::Client | Self::Sim => None,
        }
    }

    /// The environment variable of its address; `None` where it has none.
    #[must_use]
    pub const fn address(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some(ANTHROPIC_ADDRESS),
            Self::Gemini => Some(GEMINI_ADDRESS),
            Self::OpenAi | Self::OpenAiResponses => Some(OPENAI_ADDRESS),
            Self::Client | Self::Sim => None,
        }
    }

    /// Whether its answers are made up.
    #[must_use]
    pub const fn is_simulated(self) -> bool {
        match self {
            Self::Sim => true,
            Self::Anthropic
            | Self::Client
            | Self::Gemini
            | Self::OpenAi
            | Self::OpenAiResponses => false,
        }
    }

    /// Whether a program may ask it that has been granted these providers: what is made up reaches nothing.
    #[must_use]
    pub fn is_granted(self, granted: &[String]) -> bool {
        self.is_simulated() || granted.iter().any(|it| it == self.name())
    }
}

/// Settings that models do not take: they are not sent, and the compiler and the run say so. In the order in which models are
/// looked up; a name that ends in `*` stands for all that begin so. The sources are those of the catalogue of models.
const REFUSED: &[(&str, &[Setting])] = &[
    ("anthropic/*", &[Setting::Temperature]),
    ("client/*", &[Setting::Thinking]),
    ("openai/gpt-5", &[Setting::Thinking, Setting::Temperature]),
    ("openai/*", &[Setting::Thinking]),
    (
        "openai-responses/gpt-5",
        &[Setting::Stop, Setting::Temperature],
    ),
    ("openai-responses/*", &[Setting::Stop]),
];

/// Whether a model takes a setting; unknown models are given the benefit of the doubt.
#[must_use]
pub fn takes(model: &str, setting: Setting) -> bool {
    let is_named = |row: &str| match row.strip_suffix('*') {
        Some(prefix) => model.starts_with(prefix),
        None => row == model,
    };
    let row = REFUSED.iter().find(|it| is_named(it.0));
    row.is_none_or(|(_, refused)| !refused.contains(&setting))
}

#[cfg(test)]
mod tests {
    use super::{OFFLINE_MODEL, Provider, REFUSED, takes};
    use crate::setting::Setting;

    #[test]
    fn settings_that_a_model_refuses_are_known() {
        assert!(!takes("anthropic/claude-opus-5-5", Setting::Temperature));
        assert!(!takes("openai/gpt-5", Setting::Temperature));
        assert!(takes("openai/local/model", Setting::Temperature));
        assert!(!takes("openai/local/model", Setting::Thinking));
        assert!(takes("sim/default", Setting::Thinking));
        for (name, _) in REFUSED {
            assert!(Provider::of(name).is_some(), "{name}");
        }
    }

    #[test]
    fn a_model_names_its_provider_first() {
        assert_eq!(
            Provider::of("openai/local/model"),
            Some((Provider::OpenAi, "local/model"))
        );
        for wrong in ["", "gpt", "openai/", "/gpt", "open/gpt"] {
            assert_eq!(Provider::of(wrong), None, "{wrong}");
        }
        assert!(Provider::of(OFFLINE_MODEL).is_some_and(|it| it.0.is_simulated()));
    }
}
