//! What a server says in `WWW-Authenticate` when it refuses a request.

/// Why a request was refused, and what would let it through.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Challenge {
    /// The scopes that it takes.
    pub scopes: Vec<String>,
    /// Where the server describes its authorization servers.
    pub metadata: Option<String>,
    pub why: Why,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Why {
    /// No token was shown, or one that does not count any more.
    #[default]
    Unknown,
    /// The token allows too little.
    TooLittle,
}

impl Challenge {
    /// Of a header's value. What is no challenge for a bearer says nothing.
    pub fn read(header: &str, why: Why) -> Self {
        let mut challenge = Self {
            why,
            ..Self::default()
        };
        for (name, value) in parameters(header) {
            match name.to_ascii_lowercase().as_str() {
                "scope" => {
                    challenge.scopes = value.split_whitespace().map(str::to_owned).collect();
                }
                "resource_metadata" => challenge.metadata = Some(value),
                _ => {}
            }
        }
        challenge
    }
}

/// The `name=value` pairs of the challenge for bearers, values with or without quotes.
fn parameters(header: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut is_bearer = false;
    let mut rest = header.trim_start();
    while !rest.is_empty() {
        let end = rest.find(['=', ' ', ',']).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let Some(value) = after.trim_start().strip_prefix('=') else {
            // A word without a value is a scheme, after which its parameters come.
            if !word.is_empty() {
                is_bearer = word.eq_ignore_ascii_case("bearer");
            }
            rest = after.trim_start_matches([' ', ',']);
            continue;
        };
        let (value, after) = value_of(value.trim_start());
        if is_bearer {
            found.push((word.to_owned(), value));
        }
        rest = after.trim_start_matches([' ', ',', '=']);
    }
    found
}

/// The value that a text begins with, and what comes after it.
fn value_of(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([',', ' ']).unwrap_or(text.len());
        return (text[..end].to_owned(), &text[end..]);
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return (value, &quoted[at + 1..]),
            '\\' => value.extend(characters.next().map(|it| it.1)),
            _ => value.push(character),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use super::{Challenge, Why};

    #[test]
    fn scopes_and_metadata_are_those_of_the_bearer() {
        let header = r#"Basic realm="a, b", Bearer error="insufficient_scope", scope="read write", resource_metadata="https://a.example/x?y=1", error_description="say \"please\"""#;
        let read = Challenge::read(header, Why::TooLittle);
        assert_eq!(read.scopes, ["read", "write"]);
        assert_eq!(read.metadata.as_deref(), Some("https://a.example/x?y=1"));
    }

    #[test]
    fn what_is_no_challenge_says_nothing() {
        for header in ["", "Basic scope=\"read\"", "Bearer", "=,=", "Bearer scope"] {
            let read = Challenge::read(header, Why::Unknown);
            assert_eq!(read, Challenge::default(), "{header}");
        }
        assert_eq!(
            Challenge::read("bearer scope=a", Why::Unknown).scopes,
            ["a"]
        );
    }
}
