//! The names of models: `provider/model`.

use gsw_abi::program::ModelDefaults;
use gsw_abi::provider::{OFFLINE_MODEL, Provider};
use gsw_notation::near::nearest;

use crate::catalogue::Catalogue;

/// The provider of a model and the model's own name; the error is a sentence for the user.
pub(crate) fn parsed(model: &str) -> Result<(Provider, &str), String> {
    Provider::of(model).ok_or_else(|| unknown(model))
}

/// Whether the model that is to replace every agent's can be asked: it is one of a provider, or a short name of the project.
///
/// # Errors
/// With a sentence for the user, which has the name that was probably meant.
pub fn known_model(given: &str, defaults: &ModelDefaults) -> Result<(), String> {
    if Provider::of(defaults.resolve(given)).is_some() {
        return Ok(());
    }
    let mut sentence = unknown(given);
    let short: Vec<&str> = defaults.aliases.iter().map(|it| it.0.as_str()).collect();
    if !short.is_empty() {
        sentence = format!("{sentence}, or a short name: `{}`", short.join("`, `"));
    }
    match probably(given, &short) {
        Some(meant) => Err(format!("{sentence}; did you mean `{meant}`?")),
        None => Err(sentence),
    }
}

/// The model that was probably meant.
fn probably(given: &str, short: &[&str]) -> Option<String> {
    let providers = || Provider::ALL.iter().map(|it| it.name());
    if let Some((provider, model)) = given.split_once('/')
        && !model.is_empty()
    {
        return nearest(provider, providers()).map(|it| format!("{it}/{model}"));
    }
    if given.trim_end_matches('/') == Provider::Sim.name() {
        return Some(OFFLINE_MODEL.into());
    }
    if let Some(meant) = nearest(given, short.iter().copied()) {
        return Some(meant.into());
    }
    // Without its provider, as others write it.
    let whole = |it: &'static str| !it.ends_with('*');
    let models = Catalogue::built_in().models().iter();
    let models: Vec<&str> = models.map(|it| &*it.name).filter(|it| whole(it)).collect();
    let own = |it: &&'static str| it.split_once('/').map(|it| it.1);
    let meant = nearest(given, models.iter().filter_map(own))?;
    let found = models.iter().find(|it| own(it) == Some(meant))?;
    Some((*found).to_owned())
}

fn unknown(model: &str) -> String {
    let names: Vec<&str> = Provider::ALL.iter().map(|it| it.name()).collect();
    let names = names.join("`, `");
    match model.split_once('/') {
        Some((provider, name)) if !provider.is_empty() && !name.is_empty() => {
            format!("`{model}`: unknown provider `{provider}`; the providers are `{names}`")
        }
        _ => format!(
            "`{model}` is not the name of a model; write `provider/model`, with one of the providers `{names}`"
        ),
    }
}

#[cfg(test)]
mod tests {
    use gsw_abi::program::ModelDefaults;

    use super::known_model;

    /// What is said of a model, after the semicolon before the question.
    fn meant(given: &str) -> Option<String> {
        let defaults = ModelDefaults {
            aliases: vec![("fast".into(), "openai/gpt-5".into())],
            ..ModelDefaults::default()
        };
        let sentence = known_model(given, &defaults).err()?;
        assert!(sentence.contains("`fast`"), "{sentence}");
        let meant = sentence.split_once("did you mean ").map(|it| it.1);
        Some(meant.unwrap_or_default().to_owned())
    }

    #[test]
    fn a_model_is_of_a_provider_or_has_a_short_name() {
        for known in ["fast", "sim/default", "openai/some/local", "anthropic/new"] {
            assert_eq!(meant(known), None, "{known}");
        }
        for (given, named) in [
            ("nothing", ""),
            ("", ""),
            ("fas", "`fast`?"),
            ("anthropi/x", "`anthropic/x`?"),
            ("sim", "`sim/default`?"),
            ("claude-sonet-5-5", "`anthropic/claude-sonnet-5-5`?"),
            ("gpt-5", "`openai/gpt-5`?"),
            ("/gpt-5", ""),
        ] {
            assert_eq!(meant(given).as_deref(), Some(named), "{given}");
        }
    }
}
