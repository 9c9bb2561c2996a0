//! A place in a JSON text: `$.items[2].name`.

use std::borrow::Cow;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Step<'a> {
    Key(Cow<'a, str>),
    Index(usize),
}

#[must_use]
pub fn text(steps: &[Step<'_>]) -> String {
    let mut text = String::from("$");
    for step in steps {
        match step {
            Step::Index(index) => text.push_str(&format!("[{index}]")),
            Step::Key(key) if is_name(key) => {
                text.push('.');
                text.push_str(key);
            }
            Step::Key(key) => text.push_str(&format!("[{}]", serde_json::Value::from(&**key))),
        }
    }
    text
}

/// The steps of a path that [`text`] wrote; `None` for any other text.
#[must_use]
pub fn steps(text: &str) -> Option<Vec<Step<'static>>> {
    let mut rest = text.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let (step, after) = if let Some(named) = rest.strip_prefix('.') {
            let end = named.find(|it| !is_part(it)).unwrap_or(named.len());
            let (key, after) = named.split_at(end);
            (Step::Key(key.to_owned().into()), after)
        } else {
            let bracketed = rest.strip_prefix('[')?;
            if bracketed.starts_with('"') {
                let mut keys = serde_json::Deserializer::from_str(bracketed).into_iter::<String>();
                let key = keys.next()?.ok()?;
                let after = bracketed[keys.byte_offset()..].strip_prefix(']')?;
                (Step::Key(key.into()), after)
            } else {
                let (index, after) = bracketed.split_once(']')?;
                (Step::Index(index.parse().ok()?), after)
            }
        };
        steps.push(step);
        rest = after;
    }
    Some(steps)
}

fn is_part(it: char) -> bool {
    it.is_alphanumeric() || it == '_' || it == '-'
}

fn is_name(key: &str) -> bool {
    key.chars().all(is_part) && key.chars().next().is_some_and(|it| !it.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::{Step, steps, text};

    #[test]
    fn the_text_of_a_path_is_read_back() {
        let path = [
            Step::Key("items".into()),
            Step::Index(12),
            Step::Key("a.b]\"[".into()),
            Step::Key("größe-1".into()),
            Step::Key("".into()),
            Step::Key("1".into()),
            Step::Index(0),
        ];
        for length in 0..=path.len() {
            let written = text(&path[..length]);
            assert_eq!(
                steps(&written).as_deref(),
                Some(&path[..length]),
                "{written}"
            );
        }
        for wrong in ["", "a", "$a", "$[", "$[x]", "$[\"a\"", "$[-1]"] {
            assert_eq!(steps(wrong), None, "{wrong}");
        }
    }
}
