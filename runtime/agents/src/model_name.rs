//! The names of models: `provider/model`.

use gsw_abi::provider::Provider;

/// The provider of a model and the model's own name; the error is a sentence for the user.
pub(crate) fn parsed(model: &str) -> Result<(Provider, &str), String> {
    Provider::of(model).ok_or_else(|| unknown(model))
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
