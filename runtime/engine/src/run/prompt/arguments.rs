//! The answer to a model whose arguments do not fit a tool, by the names that its schema has.

use gsw_abi::types::Field;
use gsw_notation::issue::Issue;

/// A line for each issue, which names the parameter.
pub(super) fn unfit(parameters: &[Field], issues: &[Issue]) -> String {
    let lines: Vec<String> = issues.iter().map(|it| line(parameters, it)).collect();
    lines.join("\n")
}

fn line(parameters: &[Field], issue: &Issue) -> String {
    let message = &issue.message;
    let within = issue.path.strip_prefix("$.").unwrap_or_default();
    let is_it = |it: &&Field| {
        let rest = within.strip_prefix(it.name.as_str());
        rest.is_some_and(|it| it.is_empty() || it.starts_with(['.', '[']))
    };
    let Some(Field { name, wire, .. }) = parameters.iter().find(is_it) else {
        return message.clone();
    };
    // A message about a value begins with the place in it.
    match message.strip_prefix("at $") {
        Some(said) => format!("{wire}{said}"),
        None => message.replacen(&format!("`{name}`"), &format!("`{wire}`"), 1),
    }
}

#[cfg(test)]
mod tests {
    use gsw_abi::builtin::INT;
    use gsw_abi::types::{Field, Secrecy, Trust};
    use gsw_notation::issue::Issue;

    use super::unfit;

    #[test]
    fn a_parameter_is_named_as_the_model_knows_it() {
        let parameters = [("which", "type"), ("count", "count")].map(|(name, wire)| Field {
            name: name.into(),
            wire: wire.into(),
            docs: None,
            ty: INT,
            default: None,
            check: None,
            secrecy: Secrecy::Shown,
            trust: Trust::Any,
        });
        let issue = |path: &str, message: &str| Issue {
            path: path.into(),
            expected: String::new(),
            found: String::new(),
            message: message.into(),
        };
        let issues = [
            issue("$.which[0].a", "at $[0].a: expected int, found \"1\""),
            issue("$.count", "at $: expected int, found null"),
            issue("$.which", "parameter `which` has no value: it is missing"),
            issue("$.whichever", "there is no parameter `whichever`"),
        ];
        assert_eq!(
            unfit(&parameters, &issues),
            "type[0].a: expected int, found \"1\"\ncount: expected int, found null\n\
             parameter `type` has no value: it is missing\nthere is no parameter `whichever`"
        );
    }
}
