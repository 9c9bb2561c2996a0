//! Commands that are shown, to be copied into a shell.

/// A word as a shell reads it.
#[must_use]
pub fn quoted(word: &str) -> String {
    let is_plain = |it: char| it.is_alphanumeric() || "-_./:,@%+=".contains(it);
    if !word.is_empty() && !word.starts_with(['-', '=']) && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_of_a_shell_are_quoted_where_they_must_be() {
        for plain in ["work/letters", "https://a.example:8080/mcp"] {
            assert_eq!(quoted(plain), plain);
        }
        for word in ["", "-rf", "a b", "https://a.example/?a=1&b=2", "$HOME", "~"] {
            assert_eq!(quoted(word), format!("'{word}'"));
        }
        assert_eq!(quoted("It's here"), "'It'\\''s here'");
    }
}
