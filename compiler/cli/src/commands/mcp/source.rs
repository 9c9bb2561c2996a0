//! Declarations of servers and their tools, as text of the language.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use gsw_notation::text::shortened;
use gsw_syntax::is_name;
use serde_json::{Map, Value};

use crate::commands::mcp::declared::{Declared, SAYS, Server, Tool};
use crate::commands::mcp::schema::Types;

/// The line that parts what a person wrote from what is made anew.
const MARK: &str = "// Made by `gswc mcp lock`, which makes all that follows anew; only how a tool may be repeated is kept.";

/// The most characters that are shown of a name which a server has made up.
const LONGEST_SHOWN: usize = 80;

/// Names that are taken in a file.
pub(super) struct Names(BTreeSet<String>);

impl Names {
    pub(super) fn of(taken: impl Iterator<Item = String>) -> Self {
        Self(taken.collect())
    }

    /// A name like `wanted` that nothing else has, and takes it.
    pub(super) fn take(&mut self, wanted: &str) -> String {
        let numbered = (2..).map(|it: u32| format!("{wanted}{it}"));
        let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
        // There are more numbers than names in a file.
        let free = names.find(|it| !self.0.contains(it)).unwrap_or_default();
        self.0.insert(free.clone());
        free
    }
}

/// The most letters of a name that is made of a server's. Two of them are the name of a type, and the language takes 200.
const LONGEST_NAME: usize = 80;

/// Whether `text` can be the name of a function.
pub(super) fn is_function_name(text: &str) -> bool {
    text.starts_with(|it: char| it.is_ascii_lowercase()) && is_name(text)
}

/// A name of the language that is as close to `text` as can be: `repo-path` is `repo_path`.
pub(super) fn name_like(text: &str) -> String {
    let mut name = String::new();
    let mut was_small = false;
    for letter in text.chars() {
        if letter.is_ascii_uppercase() && was_small {
            name.push('_');
        }
        was_small = letter.is_ascii_lowercase() || letter.is_ascii_digit();
        match letter.is_ascii_alphanumeric() {
            true => name.push(letter.to_ascii_lowercase()),
            false if !name.is_empty() && !name.ends_with('_') => name.push('_'),
            false => {}
        }
    }
    let end = name.floor_char_boundary(LONGEST_NAME);
    let name = name[..end].trim_matches('_');
    let name = match name.starts_with(|it: char| it.is_ascii_lowercase()) {
        true => name.to_owned(),
        false => format!("it_{name}"),
    };
    // A reserved word is none.
    match is_function_name(&name) {
        true => name,
        false => format!("{name}_"),
    }
}

/// `repo_path` as the name of a type: `RepoPath`.
pub(super) fn type_like(text: &str) -> String {
    let words = name_like(text);
    let words = words.split('_').filter(|it| !it.is_empty());
    let capital = |it: &str| it[..1].to_ascii_uppercase() + &it[1..];
    words.map(capital).collect()
}

/// A string literal.
pub(super) fn literal(text: &str) -> String {
    let mut literal = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' | '$' => literal.extend(['\\', letter]),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            unseen if is_unseen(unseen) => {
                // Writing to a string cannot fail.
                let _ = write!(literal, "\\u{{{:x}}}", u32::from(unseen));
            }
            plain => literal.push(plain),
        }
    }
    literal.push('"');
    literal
}

/// The lines of a description as a doc comment. It is a server's, so it may hold anything.
pub(super) fn docs(text: &str, indent: &str) -> String {
    let lines = text.trim().lines().map(|line| {
        let line = line.trim_end().replace("```gsw", "```");
        let plain: String = line.chars().filter(|it| !is_unseen(*it)).collect();
        format!("{indent}/// {plain}").trim_end().to_owned() + "\n"
    });
    lines.collect()
}

/// Whether a character shows nothing, or changes what is shown: controls, marks that turn the direction of a text, and what has no
/// width, with the tags in which a text can be hidden from people and not from models.
fn is_unseen(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
                | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Which tools of a server hold characters that nobody sees, in sentences.
pub(super) fn unseen(server: &Server, offered: &[Value]) -> Vec<String> {
    // Lines and tabs of a description are escaped in JSON, and no fault.
    let is_odd = |it: &&Value| it.to_string().chars().any(is_unseen);
    let odd = offered.iter().filter(is_odd);
    let name = |it: &Value| shown(it["name"].as_str().unwrap_or_default());
    odd.map(|it| {
        format!(
            "`{}` of `{}` contains invisible characters: they are left out of its docs, and escaped elsewhere",
            name(it),
            server.name
        )
    })
    .collect()
}

/// What a server says of a tool for people, as a comment: whether it changes something is the program's to say.
fn hints(tool: &Map<String, Value>) -> String {
    let hint = |name: &str| {
        let hints = tool.get("annotations")?;
        hints.get(name)?.as_bool()
    };
    let hints = [
        (hint("readOnlyHint") == Some(true), "only reads"),
        (hint("readOnlyHint") == Some(false), "changes something"),
        (hint("destructiveHint") == Some(true), "may destroy"),
        (hint("destructiveHint") == Some(false), "destroys nothing"),
        (hint("idempotentHint") == Some(true), "may be repeated"),
    ];
    let said: Vec<&str> = hints.iter().filter(|it| it.0).map(|it| it.1).collect();
    match said.as_slice() {
        [] => String::new(),
        said => format!("{SAYS}{}\n", said.join(", ")),
    }
}

/// A name that a server has made up, as it may be shown.
pub(super) fn shown(name: &str) -> String {
    let escaped = |it: char| match is_unseen(it) {
        true => it.escape_unicode().to_string(),
        false => it.to_string(),
    };
    let name = shortened(name, LONGEST_SHOWN);
    name.chars().map(escaped).collect()
}

/// The address in the place of a program.
pub(super) fn address(program: &[String]) -> Option<&String> {
    let [address] = program else {
        return None;
    };
    let is_address = address.starts_with("https://") || address.starts_with("http://");
    is_address.then_some(address)
}

/// What a server is shown of the user.
#[derive(Clone, Copy)]
pub(super) enum Shows<'a> {
    /// The variables of these names.
    Secrets(&'a [String]),
    /// That a person has authorized its use.
    Authorization,
}

/// The declaration of a server.
pub(super) fn server(name: &str, shows: Shows<'_>, program: &[String]) -> String {
    if let Some(address) = address(program) {
        let shown = match shows {
            Shows::Secrets(env) => bearer(env),
            Shows::Authorization => ", auth: oauth()".to_owned(),
        };
        return format!("mcp {name} = http({}{shown})\n", literal(address));
    }
    let env = match shows {
        Shows::Secrets(env) => env,
        // A program asks by itself.
        Shows::Authorization => &[],
    };
    let (program, arguments) = program
        .split_first()
        .map_or(("", &[][..]), |(program, rest)| (program.as_str(), rest));
    let arguments: Vec<String> = arguments.iter().map(|it| literal(it)).collect();
    let mut text = format!("mcp {name} = stdio({}", literal(program));
    if !arguments.is_empty() || !env.is_empty() {
        text.push_str(&format!(", [{}]", arguments.join(", ")));
    }
    if !env.is_empty() {
        let variables: Vec<String> = env
            .iter()
            .map(|it| format!("{0}: secret({0})", literal(it)))
            .collect();
        text.push_str(&format!(", {{ {} }}", variables.join(", ")));
    }
    text + ")\n"
}

/// The headers that show a token.
fn bearer(env: &[String]) -> String {
    match env {
        [] => String::new(),
        [token, ..] => {
            let header = format!("\"Bearer ${{secret({})}}\"", literal(token));
            format!(", {{ \"Authorization\": {header} }}")
        }
    }
}

/// What a person wrote of a file.
pub(super) fn authored(text: &str) -> &str {
    text.find(MARK).map_or(text, |it| &text[..it])
}

/// What was made of a file.
pub(super) fn made(text: &str) -> &str {
    text.find(MARK)
        .map_or("", |it| text[it + MARK.len()..].trim_start())
}

/// The text with what was made put in the place of what was made before.
pub(super) fn joined(text: &str, made: &str) -> String {
    format!("{}\n\n{MARK}\n\n{made}", authored(text).trim_end())
}

/// The declarations of a server's tools, with the types that they need.
pub(super) fn tools(
    server: &Server,
    offered: &[Value],
    before: &Declared,
    names: &mut Names,
) -> String {
    let mut text = String::new();
    for tool in offered.iter().filter_map(Value::as_object) {
        let Some(known_as) = tool.get("name").and_then(Value::as_str) else {
            continue;
        };
        let name = names.take(&name_like(known_as));
        let mut types = Types::of(names, &name);
        let known = before.kept(&server.name, known_as);
        let parameters = parameters(tool, known, &mut types);
        let result = result(tool, &mut types);
        let trusted = known.map_or("", Tool::trust_of_result);
        text.push_str(&types.text);
        text.push_str(&hints(tool));
        let description = tool.get("description").and_then(Value::as_str);
        let description = description.filter(|it| !it.trim().is_empty());
        text.push_str(&docs(description.unwrap_or(known_as), ""));
        let digest = tool
            .get("digest")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let locked = (literal(known_as), literal(digest));
        let class = known.and_then(|it| it.class.as_deref());
        let class = class.unwrap_or("once");
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "@locked({}, {})\ntool {name}(\n{parameters}) -> {result}{trusted} {class} by {}\n\n",
            locked.0, locked.1, server.name
        );
    }
    text
}

fn parameters(tool: &Map<String, Value>, known: Option<&Tool>, types: &mut Types) -> String {
    let schema = tool.get("inputSchema").unwrap_or(&Value::Null);
    let fields = types.fields(schema, schema);
    let mut text = String::new();
    for field in fields {
        text.push_str(&field.docs_of_parameter("  "));
        let default = field.default();
        let trusted = known.map_or("", |it| it.trust_of(&field.name));
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "  {}{}: {}{trusted}{default},",
            field.alias(),
            field.name,
            field.ty
        );
    }
    text
}

fn result(tool: &Map<String, Value>, types: &mut Types) -> String {
    match tool.get("outputSchema") {
        Some(schema) => types.of_schema(schema, schema, "result"),
        None => "json".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_SHOWN, shown};

    #[test]
    fn a_name_of_a_server_is_shown_in_one_short_line() {
        assert_eq!(shown("a\n\u{202e}b"), "a\\u{a}\\u{202e}b");
        let long = shown(&"x".repeat(100_000));
        assert_eq!(long.chars().count(), LONGEST_SHOWN + 1);
    }
}
