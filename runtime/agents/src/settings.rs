//! The settings of a prompt call, read from the merged map and checked.

use std::time::Duration;

use gsw_abi::setting::{AnswerForm, Origin, Setting, TTL};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::catalogue::Catalogue;

/// The default for the most tokens of an answer.
const MAX_TOKENS: u32 = 8_192;
/// The default for the provider's further attempts.
const RETRIES: u32 = 2;
/// The default for turns of tool use.
const MAX_TURNS: u32 = 30;
/// How long one request may take, all attempts together.
const TIMEOUT: Duration = Duration::from_secs(600);
/// The default for how long a kept answer counts.
const TIME_TO_LIVE: Duration = Duration::from_secs(3_600);

/// How much of an answer the parser may repair.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub(crate) enum Exactness {
    /// Whatever it can; it reports each repair.
    Lenient,
    Exact,
    /// As [`Self::Lenient`], and items of lists that do not fit are left out.
    KeepValid,
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

/// The settings of one call, each under its name in the table of settings.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Settings {
    /// Tried in turn; at least one.
    pub model: Vec<String>,
    pub max_tokens: u32,
    pub stop: Vec<String>,
    pub temperature: Option<f64>,
    /// Tokens to think with; `None` when it is off.
    pub thinking: Option<u32>,
    pub retry: u32,
    /// The most requests a minute.
    pub rate: Option<u32>,
    pub reflect: u32,
    pub max_turns: u32,
    /// The share of the model's window from which on older tool results are left out.
    pub clear_results: Option<f64>,
    pub timeout: Duration,
    /// How long a request may take until something of its answer comes.
    pub first_token: Option<Duration>,
    pub answer: Exactness,
    /// How long the answer is kept; `None` when it is neither kept nor looked up.
    pub cache: Option<Duration>,
    pub tools: Vec<Listed>,
    /// The workflows that the model may start.
    pub spawns: Vec<String>,
    /// The skills that the model may read, by their ids.
    pub skills: Vec<String>,
}

impl Settings {
    /// Reads them; the error is a sentence for the user.
    pub fn read(given: &Map<String, Value>) -> Result<Self, String> {
        if let Some(unknown) = given.keys().find(|it| Setting::named(it).is_none()) {
            let names = Setting::names_at(Origin::Call).join(", ");
            return Err(format!(
                "there is no setting `{unknown}`; the settings are {names}"
            ));
        }
        let of = Given(given);
        Ok(Self {
            model: of.models()?,
            max_tokens: of.count(Setting::MaxTokens)?.unwrap_or(MAX_TOKENS),
            stop: of.texts(Setting::Stop)?,
            temperature: of.number(Setting::Temperature)?,
            thinking: of.count(Setting::Thinking)?.filter(|it| *it > 0),
            retry: of.count(Setting::Retry)?.unwrap_or(RETRIES),
            rate: of.count(Setting::Rate)?,
            reflect: of.count(Setting::Reflect)?.unwrap_or(0),
            max_turns: of.count(Setting::MaxTurns)?.unwrap_or(MAX_TURNS),
            clear_results: of.number(Setting::ClearResults)?,
            timeout: of.duration(Setting::Timeout)?.unwrap_or(TIMEOUT),
            first_token: of.duration(Setting::FirstToken)?,
            answer: of.exactness()?,
            cache: of.cache()?,
            tools: of.tools()?,
            spawns: of.texts(Setting::Spawns)?,
            skills: of.texts(Setting::Skills)?,
        })
    }
}

/// Makes, from the rows of the table, what settings add to the key of a kept answer. A row that this crate reads needs a
/// field of its name in [`Settings`], and every row needs an arm for what it says of the key.
macro_rules! cache_key {
    ($($(#[$doc:meta])* $variant:ident $name:ident:
        form($($form:tt)*), from($from:ident), read($read:ident), key($key:ident);)*) => {
        impl Settings {
            /// What the settings add to the key of a kept answer; `written` are the merged settings as the program wrote them.
            pub fn cache_key(&self, written: &Map<String, Value>) -> Value {
                let settings = self;
                let mut parts = Map::new();
                $(
                    cache_key!(@read $read settings $name);
                    let part = cache_key!(@key $key settings written $variant $name);
                    parts.extend(part.map(|it: Value| (stringify!($name).to_owned(), it)));
                )*
                Value::Object(parts)
            }
        }
    };
    (@read agents $settings:ident $name:ident) => { let _ = &$settings.$name; };
    (@read engine $settings:ident $name:ident) => {};
    (@read people $settings:ident $name:ident) => {};
    (@read nobody $settings:ident $name:ident) => {};
    (@key none $settings:ident $written:ident $variant:ident $name:ident) => { None };
    (@key request $settings:ident $written:ident $variant:ident $name:ident) => { None };
    (@key effective $settings:ident $written:ident $variant:ident $name:ident) => { Some(json!($settings.$name)) };
    (@key written $settings:ident $written:ident $variant:ident $name:ident) => {
        $written.get(Setting::$variant.name()).cloned()
    };
}

gsw_abi::for_each_setting!(cache_key);

struct Given<'a>(&'a Map<String, Value>);

impl Given<'_> {
    fn get(&self, setting: Setting) -> Option<&Value> {
        self.0.get(setting.name()).filter(|it| !it.is_null())
    }

    fn models(&self) -> Result<Vec<String>, String> {
        let models = self.texts(Setting::Model)?;
        if models.is_empty() {
            return match self.get(Setting::Model) {
                Some(_) => Err("`model` names no model".into()),
                None => Ok(vec![Catalogue::built_in().default.clone()]),
            };
        }
        Ok(models)
    }

    /// A text, or a list of them.
    fn texts(&self, setting: Setting) -> Result<Vec<String>, String> {
        let text = |it: &Value| it.as_str().map(str::to_owned);
        let texts = match self.get(setting) {
            None => return Ok(Vec::new()),
            Some(Value::Array(items)) => items.iter().map(text).collect(),
            Some(one) => text(one).map(|it| vec![it]),
        };
        texts.ok_or_else(|| self.wrong(setting, "a string or a list of strings"))
    }

    fn tools(&self) -> Result<Vec<Listed>, String> {
        let Some(given) = self.get(Setting::Tools) else {
            return Ok(Vec::new());
        };
        let read = given
            .as_array()
            .and_then(|it| it.iter().map(Listed::read).collect());
        read.ok_or_else(|| self.wrong(Setting::Tools, "a list of tools"))
    }

    /// A whole number that is not less than the table allows.
    fn count(&self, setting: Setting) -> Result<Option<u32>, String> {
        let Some(value) = self.get(setting) else {
            return Ok(None);
        };
        let count = value.as_u64().and_then(|it| u32::try_from(it).ok());
        let bounds = setting.bounds();
        match count.filter(|it| bounds.is_some_and(|bounds| bounds.admit(f64::from(*it)))) {
            Some(count) => Ok(Some(count)),
            None => {
                let number = value.as_f64().unwrap_or_default();
                let wanted = bounds.map_or("a whole number", |it| it.instead_of(number));
                Err(self.wrong(setting, wanted))
            }
        }
    }

    fn number(&self, setting: Setting) -> Result<Option<f64>, String> {
        let Some(value) = self.get(setting) else {
            return Ok(None);
        };
        let bounds = setting.bounds();
        let number = value.as_f64().filter(|it| it.is_finite());
        match number {
            Some(number) if bounds.is_none_or(|it| it.admit(number)) => Ok(Some(number)),
            Some(_) | None => {
                let number = number.unwrap_or_default();
                let wanted = bounds.map_or("a number", |it| it.instead_of(number));
                Err(self.wrong(setting, wanted))
            }
        }
    }

    fn duration(&self, setting: Setting) -> Result<Option<Duration>, String> {
        let Some(value) = self.get(setting) else {
            return Ok(None);
        };
        let bounds = setting.bounds();
        let duration = seconds_of(value);
        match duration.filter(|it| bounds.is_none_or(|bounds| bounds.admit(it.as_secs_f64()))) {
            Some(duration) => Ok(Some(duration)),
            None => {
                let seconds = duration.unwrap_or_default().as_secs_f64();
                let wanted = bounds.map_or("a duration", |it| it.instead_of(seconds));
                Err(self.wrong(setting, wanted))
            }
        }
    }

    fn exactness(&self) -> Result<Exactness, String> {
        match self.get(Setting::Answer).map(Value::as_str) {
            None => Ok(Exactness::Lenient),
            Some(form) => match form.and_then(AnswerForm::named) {
                Some(AnswerForm::Lenient) => Ok(Exactness::Lenient),
                Some(AnswerForm::Exact) => Ok(Exactness::Exact),
                Some(AnswerForm::KeepValid) => Ok(Exactness::KeepValid),
                None => Err(self.wrong(Setting::Answer, "`lenient`, `exact` or `keep_valid`")),
            },
        }
    }

    fn cache(&self) -> Result<Option<Duration>, String> {
        let wrong = || self.wrong(Setting::Cache, "`true`, `false` or `{ ttl: duration }`");
        match self.get(Setting::Cache) {
            None | Some(Value::Bool(false)) => Ok(None),
            Some(Value::Bool(true)) => Ok(Some(TIME_TO_LIVE)),
            Some(Value::Object(parts)) if parts.keys().all(|it| it == TTL) => {
                match parts.get(TTL).filter(|it| !it.is_null()) {
                    Some(ttl) => Ok(Some(seconds_of(ttl).ok_or_else(wrong)?)),
                    None => Ok(Some(TIME_TO_LIVE)),
                }
            }
            Some(_) => Err(wrong()),
        }
    }

    fn wrong(&self, setting: Setting, expected: &str) -> String {
        let name = setting.name();
        let found = self.get(setting).map_or_else(String::new, Value::to_string);
        format!("the setting `{name}` must be {expected}, not `{found}`")
    }
}

/// A duration that is written in seconds.
fn seconds_of(value: &Value) -> Option<Duration> {
    Duration::try_from_secs_f64(value.as_f64()?).ok()
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
        assert_eq!(settings.model, ["anthropic/claude-sonnet-5-5"]);
        assert_eq!((settings.retry, settings.reflect), (2, 0));
        assert_eq!(
            (settings.cache, settings.answer),
            (None, Exactness::Lenient)
        );
    }

    #[test]
    fn all_forms_are_read() {
        let settings = read(json!({
            "model": ["a/x", "b/y/z"], "cache": {"ttl": 90.5}, "stop": "END", "answer": "exact",
            "thinking": 0, "rate": 60, "system": "s", "temperature": 1, "reflect": 3,
        }))
        .expect("valid");
        assert_eq!(settings.model, ["a/x", "b/y/z"]);
        assert_eq!(settings.cache, Some(Duration::from_millis(90_500)));
        assert_eq!((settings.stop.len(), settings.thinking), (1, None));
        assert_eq!(settings.rate, Some(60));
        assert_eq!((settings.temperature, settings.reflect), (Some(1.0), 3));
    }

    #[test]
    fn wrong_ones_are_named() {
        for (settings, part) in [
            (json!({"temprature": 1}), "no setting `temprature`"),
            (
                json!({"max_tokens": 0}),
                "`max_tokens` must be a whole number of at least 1",
            ),
            (json!({"reflect": -1}), "`reflect`"),
            (json!({"temperature": 9.0}), "a number from 0.0 to 2.0"),
            (json!({"timeout": 0}), "a duration above 0s"),
            (json!({"clear_results": 1.5}), "a share above 0.0"),
            (json!({"model": []}), "names no model"),
            (json!({"cache": {"tll": 1}}), "`cache` must be"),
            (json!({"cache": {"ttl": -1}}), "`cache` must be"),
            (json!({"stop": [1]}), "`stop` must be a string"),
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
