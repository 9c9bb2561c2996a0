//! Where in a JSON text something stands: `$.items[2].name`.

use std::borrow::Cow;

#[derive(Clone, Debug)]
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

fn is_name(key: &str) -> bool {
    let is_part = |it: char| it.is_alphanumeric() || it == '_' || it == '-';
    key.chars().all(is_part) && key.chars().next().is_some_and(|it| !it.is_ascii_digit())
}
