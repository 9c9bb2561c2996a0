//! Names of the language as names of Rust.

/// Words that Rust keeps for itself and the language does not.
const KEYWORDS: &[&str] = &[
    "abstract", "async", "become", "box", "dyn", "extern", "final", "gen", "impl", "loop", "macro",
    "mod", "move", "mut", "override", "priv", "pub", "ref", "static", "struct", "trait", "try",
    "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "yield", "as", "break",
    "const", "continue", "else", "enum", "false", "fn", "for", "if", "in", "let", "match",
    "return", "true", "while", "await", "do",
];
/// Words that cannot even be written raw.
const NEVER: &[&str] = &["self", "Self", "super", "crate"];

/// A field, parameter or function.
pub fn value(name: &str) -> String {
    if NEVER.contains(&name) {
        format!("{name}_")
    } else if KEYWORDS.contains(&name) {
        format!("r#{name}")
    } else {
        name.to_owned()
    }
}

/// A type or variant made of any text: `not a bug` becomes `NotABug`.
pub fn pascal(text: &str) -> String {
    let mut name = String::new();
    let mut upper = true;
    for c in text.chars() {
        if !c.is_alphanumeric() {
            upper = true;
        } else if std::mem::take(&mut upper) {
            name.extend(c.to_uppercase());
        } else {
            name.push(c);
        }
    }
    if name.is_empty() {
        name.push_str("Empty");
    }
    if name.starts_with(|c: char| c.is_numeric()) {
        name.insert(0, 'N');
    }
    if NEVER.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

/// Names for several texts, all different.
pub fn distinct<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for text in texts {
        let plain = pascal(text);
        let mut name = plain.clone();
        let mut number = 2;
        while names.contains(&name) {
            name = format!("{plain}{number}");
            number += 1;
        }
        names.push(name);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::{distinct, pascal, value};

    #[test]
    fn any_text_becomes_a_name() {
        assert_eq!(pascal("not a bug"), "NotABug");
        assert_eq!(pascal("2nd"), "N2nd");
        assert_eq!(pascal("--"), "Empty");
        assert_eq!(value("type"), "r#type");
        assert_eq!(value("self"), "self_");
        assert_eq!(distinct(["a b", "a-b"].into_iter()), ["AB", "AB2"]);
    }
}
