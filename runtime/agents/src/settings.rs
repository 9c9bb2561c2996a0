//! The settings of a prompt call, read from the merged map and checked.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::catalogue::Catalogue;

/// The most tokens of an answer where nothing is said.
const MAX_TOKENS: u32 = 8_192;
/// The provider's further attempts where nothing is said.
const RETRIES: u32 = 2;
/// Turns of tool use where nothing is said.
const MAX_TURNS: u32 = 30;
/// How long one request may take, all attempts together.
const TIMEOUT: Duration = Duration::from_secs(600);
/// How long a kept answer counts where nothing is said.
const TIME_TO_LIVE: Duration = Duration::from_secs(3_600);

/// What this crate reads.
const READ: &[&str] = &[
    "answer",
    "cache",
    "max_tokens",
    "max_turns",
    "model",
    "reflect",
    "retry",
    "spawns",
    "stop",
    "temperature",
    "thinking",
    "timeout",
    "tools",
];
/// What others read.
const ELSEWHERE: &[&str] = &[
    "budget",
    "description",
    "env",
    "hooks",
    "mcp",
    "name",
    "session",
    "skills",
    "system",
];

/// How much of an answer the parser may mend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exactness {
    /// Whatever it can, and it says what.
    Lenient,
    /// Nothing.
    Exact,
}

/// A tool in a list of `tools`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Listed {
    /// Its index in the program.
    pub tool: u32,
    /// What the model knows it by, where that is not its own name.
    pub name: Option<String>,
}

impl Listed {
    fn read(entry: &Value) -> Option<Self> {
        let tool = entry.get("tool").and_then(Value::as_u64)?;
        Some(Self {
            tool: u32::try_from(tool).ok()?,
            name: entry.get("name").and_then(Value::as_str).map(str::to_owned),
        })
    }
}

/// The settings of one call.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Settings {
    /// Tried in turn; at least one.
    pub models: Vec<String>,
    pub max_tokens: u32,
    pub stop: Vec<String>,
    pub temperature: Option<f64>,
    pub thinking: Option<u32>,
    pub retries: u32,
    pub reflect: u32,
    pub max_turns: u32,
    pub timeout: Duration,
    pub exactness: Exactness,
    /// How long the answer is kept; `None` when it is neither kept nor looked up.
    pub cache: Option<Duration>,
    pub tools: Vec<Listed>,
    /// The workflows that the model may start.
    pub spawns: Vec<String>,
}

impl Settings {
    /// Reads them; the error is a sentence for the user.
    pub fn read(given: &Map<String, Value>) -> Result<Self, String> {
        let known = |it: &&String| READ.contains(&it.as_str()) || ELSEWHERE.contains(&it.as_str());
        if let Some(unknown) = given.keys().find(|it| !known(it)) {
            let names = [READ, ELSEWHERE].concat().join(", ");
            return Err(format!(
                "there is no setting `{unknown}`; the settings are {names}"
            ));
        }
        let of = Given(given);
        Ok(Self {
            models: of.models()?,
            max_tokens: of.count("max_tokens", 1)?.unwrap_or(MAX_TOKENS),
            stop: of.texts("stop")?,
            temperature: of.number("temperature")?,
            thinking: of.count("thinking", 0)?.filter(|it| *it > 0),
            retries: of.count("retry", 0)?.unwrap_or(RETRIES),
            reflect: of.count("reflect", 0)?.unwrap_or(0),
            max_turns: of.count("max_turns", 1)?.unwrap_or(MAX_TURNS),
            timeout: of.duration("timeout")?.unwrap_or(TIMEOUT),
            exactness: of.exactness()?,
            cache: of.cache()?,
            tools: of.tools()?,
            spawns: of.texts("spawns")?,
        })
    }
}

struct Given<'a>(&'a Map<String, Value>);

impl Given<'_> {
    fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|it| !it.is_null())
    }

    fn models(&self) -> Result<Vec<String>, String> {
        let models = self.texts("model")?;
        if models.is_empty() {
            return match self.get("model") {
                Some(_) => Err("`model` names no model".into()),
                None => Ok(vec![Catalogue::built_in().default.clone()]),
            };
        }
        Ok(models)
    }

    /// A text, or a list of them.
    fn texts(&self, name: &str) -> Result<Vec<String>, String> {
        let text = |it: &Value| it.as_str().map(str::to_owned);
        let texts = match self.get(name) {
            None => return Ok(Vec::new()),
            Some(Value::Array(items)) => items.iter().map(text).collect(),
            Some(one) => text(one).map(|it| vec![it]),
        };
        texts.ok_or_else(|| self.wrong(name, "a text or a list of texts"))
    }

    fn tools(&self) -> Result<Vec<Listed>, String> {
        let Some(given) = self.get("tools") else {
            return Ok(Vec::new());
        };
        let read = given
            .as_array()
            .and_then(|it| it.iter().map(Listed::read).collect());
        read.ok_or_else(|| self.wrong("tools", "a list of tools"))
    }

    fn count(&self, name: &str, least: u32) -> Result<Option<u32>, String> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let count = value.as_u64().and_then(|it| u32::try_from(it).ok());
        match count.filter(|it| *it >= least) {
            Some(count) => Ok(Some(count)),
            None => Err(self.wrong(name, &format!("a whole number from {least} on"))),
        }
    }

    fn number(&self, name: &str) -> Result<Option<f64>, String> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        match value.as_f64().filter(|it| it.is_finite()) {
            Some(number) => Ok(Some(number)),
            None => Err(self.wrong(name, "a number")),
        }
    }

    fn duration(&self, name: &str) -> Result<Option<Duration>, String> {
        let wrong = || self.wrong(name, "a duration");
        let seconds = self.number(name).map_err(|_| wrong())?;
        let duration = |it: f64| Duration::try_from_secs_f64(it).map_err(|_| wrong());
        seconds.map(duration).transpose()
    }

    fn exactness(&self) -> Result<Exactness, String> {
        match self.get("answer").map(Value::as_str) {
            None | Some(Some("lenient")) => Ok(Exactness::Lenient),
            Some(Some("exact")) => Ok(Exactness::Exact),
            Some(_) => Err(self.wrong("answer", "`exact` or `lenient`")),
        }
    }

    fn cache(&self) -> Result<Option<Duration>, String> {
        match self.get("cache") {
            None | Some(Value::Bool(false)) => Ok(None),
            Some(Value::Bool(true)) => Ok(Some(TIME_TO_LIVE)),
            Some(Value::Object(inner)) if inner.keys().all(|it| it == "ttl") => {
                let ttl = Given(inner)
                    .duration("ttl")
                    .map_err(|_| self.wrong_cache())?;
                Ok(Some(ttl.unwrap_or(TIME_TO_LIVE)))
            }
            Some(_) => Err(self.wrong_cache()),
        }
    }

    fn wrong_cache(&self) -> String {
        self.wrong("cache", "`true`, `false` or `{ ttl: duration }`")
    }

    fn wrong(&self, name: &str, expected: &str) -> String {
        let found = self.0.get(name).map_or_else(String::new, Value::to_string);
        format!("the setting `{name}` must be {expected}, not `{found}`")
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::{Value, json};

    use super::{Exactness, Settings};

    fn read(settings: Value) -> Result<Settings, String> {
        let Value::Object(map) = settings else {
            panic!("an object")
        };
        Settings::read(&map)
    }

    #[test]
    fn nothing_said_gives_defaults() {
        let settings = read(json!({})).expect("valid");
        assert_eq!(settings.models, ["anthropic/claude-sonnet-5-5"]);
        assert_eq!((settings.retries, settings.reflect), (2, 0));
        assert_eq!(
            (settings.cache, settings.exactness),
            (None, Exactness::Lenient)
        );
    }

    #[test]
    fn all_forms_are_read() {
        let settings = read(json!({
            "model": ["a/x", "b/y/z"], "cache": {"ttl": 90.5}, "stop": "END", "answer": "exact",
            "thinking": 0, "system": "s", "temperature": 1, "reflect": 3,
        }))
        .expect("valid");
        assert_eq!(settings.models, ["a/x", "b/y/z"]);
        assert_eq!(settings.cache, Some(Duration::from_millis(90_500)));
        assert_eq!((settings.stop.len(), settings.thinking), (1, None));
        assert_eq!((settings.temperature, settings.reflect), (Some(1.0), 3));
    }

    #[test]
    fn wrong_ones_are_named() {
        for (settings, part) in [
            (json!({"temprature": 1}), "no setting `temprature`"),
            (
                json!({"max_tokens": 0}),
                "`max_tokens` must be a whole number from 1",
            ),
            (json!({"reflect": -1}), "`reflect`"),
            (json!({"model": []}), "names no model"),
            (json!({"cache": {"tll": 1}}), "`cache` must be"),
            (json!({"cache": {"ttl": -1}}), "`cache` must be"),
            (json!({"stop": [1]}), "`stop` must be a text"),
            (json!({"answer": "strict"}), "`answer` must be"),
            (
                json!({"tools": ["look"]}),
                "`tools` must be a list of tools",
            ),
        ] {
            let message = read(settings).expect_err(part);
            assert!(message.contains(part), "{message}");
        }
    }
}
