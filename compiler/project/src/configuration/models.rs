//! `[models]`: the default model, short names, settings that hold for every agent, and the table of prices.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the kinds of TOML values are another crate's"
)]

use gsw_abi::bounds::Bounds;
use gsw_abi::setting::{AnswerForm, Form, Origin, Setting};
use gsw_notation::duration;
use gsw_source::{Db, Place};
use toml::de::DeValue;

use super::reader::{Entry, Reader};
use super::{is_inside, project_configuration};
use crate::errors;

/// Which models are asked where the program does not say.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ModelDefaults {
    /// The model of agents that name none: `provider/model`, or one of `aliases`.
    pub default: Option<String>,
    /// Short names of models, in the order of the file.
    pub aliases: Vec<(String, String)>,
    /// Settings that hold where an agent, a prompt or a call says nothing, each as JSON.
    pub settings: Vec<(String, String)>,
    pub prices: Option<NamedFile>,
}

/// A file that `gsw.toml` names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedFile {
    /// Relative to the folder of `gsw.toml`.
    pub path: String,
    pub place: Place,
}

const MODEL: &str = "a model such as `\"anthropic/claude-sonnet-5-5\"`";

pub(super) fn read(reader: &mut Reader, entry: &Entry<'_>, into: &mut ModelDefaults) {
    let entries = reader.table(entry);
    let is_alias = |it: &&Entry<'_>| !matches!(it.key, "default" | "prices" | "settings");
    for alias in entries.iter().filter(is_alias) {
        if !super::is_name(alias.key) {
            reader
                .found
                .push(errors::wrong_alias(alias.place, alias.key));
        } else if let Some(model) = reader.text(alias, MODEL, is_model) {
            into.aliases.push((alias.key.to_owned(), model));
        }
    }
    for entry in entries.iter().filter(|it| !is_alias(it)) {
        match entry.key {
            "default" => {
                let is_known =
                    |it: &str| is_model(it) || into.aliases.iter().any(|(alias, _)| alias == it);
                let expected = format!("{MODEL}, or one of the short names of `[models]`");
                into.default = reader.text(entry, &expected, is_known);
            }
            "prices" => {
                let expected = "the path of a `.toml` file in this folder";
                let is_table = |it: &str| it.ends_with(".toml") && is_inside(it);
                let path = reader.text(entry, expected, is_table);
                into.prices = path.map(|path| NamedFile {
                    path,
                    place: entry.value_place,
                });
            }
            _ => {
                for entry in reader.table(entry) {
                    let value = setting(reader, &entry);
                    into.settings
                        .extend(value.map(|it| (entry.key.to_owned(), it)));
                }
            }
        }
    }
}

/// Whether it is `provider/model` with both parts.
pub(super) fn is_model(text: &str) -> bool {
    let is_part = |it: &str| !it.is_empty() && !it.contains(char::is_whitespace);
    text.split_once('/')
        .is_some_and(|(provider, model)| is_part(provider) && is_part(model))
}

/// The value of a setting as JSON.
fn setting(reader: &mut Reader, entry: &Entry<'_>) -> Option<String> {
    let setting = Setting::named(entry.key).filter(|it| it.origin() == Origin::Project);
    let Some(setting) = setting else {
        return unknown_setting(reader, entry);
    };
    match setting.form() {
        Form::Count { .. } => reader.count(entry, setting.bounds()?),
        Form::Number => {
            let bounds = setting.bounds()?;
            reader.number(entry, bounds, bounds.instead_of(0.0))
        }
        Form::Duration => duration_setting(reader, entry, setting.bounds()?),
        Form::Cache => match entry.value {
            DeValue::Boolean(it) => Some(it.to_string()),
            _ => {
                reader.wrong(entry, "`true` or `false`");
                None
            }
        },
        Form::Answer => {
            let is_form = |it: &str| AnswerForm::named(it).is_some();
            let wanted = "`\"lenient\"`, `\"exact\"` or `\"keep_valid\"`";
            let text = reader.text(entry, wanted, is_form);
            text.map(|it| json(&it))
        }
        Form::Text => reader.text(entry, "a text", |_| true).map(|it| json(&it)),
        Form::Texts => {
            let texts = reader.texts(entry, "a list of strings");
            let texts: Vec<String> = texts.iter().map(|it| json(it)).collect();
            Some(format!("[{}]", texts.join(",")))
        }
        // Only a program can name these.
        Form::Model
        | Form::Budget
        | Form::Tools
        | Form::Names(_)
        | Form::Environment
        | Form::Session => unknown_setting(reader, entry),
    }
}

/// A duration within these bounds, in seconds.
fn duration_setting(reader: &mut Reader, entry: &Entry<'_>, bounds: Bounds) -> Option<String> {
    let text = match entry.value {
        DeValue::String(text) => seconds(text),
        _ => None,
    };
    let Some(text) = text else {
        reader.wrong(entry, "a duration such as `\"90s\"` or `\"2m\"`");
        return None;
    };
    let number = text.parse().unwrap_or_default();
    if !bounds.admit(number) {
        reader.wrong(entry, bounds.instead_of(number));
        return None;
    }
    Some(text)
}

fn unknown_setting(reader: &mut Reader, entry: &Entry<'_>) -> Option<String> {
    let known = Setting::names_at(Origin::Project);
    reader.unknown(entry, "models.settings", &known);
    None
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A duration as the language writes it, in seconds.
fn seconds(text: &str) -> Option<String> {
    duration::literal(text).ok().map(duration::seconds_text)
}

/// The model that `name` stands for: itself, unless the project's `gsw.toml` gives it as a short name.
#[must_use]
pub fn resolved_model(db: &dyn Db, name: &str) -> String {
    let aliases = project_configuration(db).map_or(&[][..], |it| &it.models.aliases);
    let found = aliases.iter().find(|(alias, _)| alias == name);
    found.map_or(name, |(_, model)| model).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{is_model, seconds};

    #[test]
    fn durations_are_seconds() {
        assert_eq!(seconds("250ms").as_deref(), Some("0.25"));
        assert_eq!(seconds("1h30m").as_deref(), Some("5400"));
        assert_eq!(seconds("2m").as_deref(), Some("120"));
        for wrong in ["", "s", "1", "1.5s", "1w", "-1s", "99999999999999999999s"] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn models_have_a_provider() {
        assert!(is_model("openai/local/model"));
        for wrong in ["", "gpt", "/gpt", "openai/", "openai/a b"] {
            assert!(!is_model(wrong), "{wrong}");
        }
    }
}
