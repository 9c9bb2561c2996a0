//! Masks the key of a request in what its server answers: a provider or a gateway may repeat it, and messages go to logs,
//! events and stores.

/// The shortest beginning of a key that is taken out of a message that has no more of it: what was cut off may have held the
/// rest. A guess: shorter beginnings are the same in all keys of a provider.
const SHORTEST: usize = 12;
/// The shortest key that is masked: servers that want none are given words such as `x` or `none`, which occur in every message.
const SHORTEST_KEY: usize = 8;

/// Headers that hold a key.
pub(crate) fn is_secret(header: &str) -> bool {
    matches!(header, "authorization" | "x-api-key" | "x-goog-api-key")
}

/// The text with `***` in place of the keys in these headers.
pub(crate) fn without_keys(text: String, headers: &[(&'static str, String)]) -> String {
    let secret = headers.iter().filter(|it| is_secret(it.0));
    secret.fold(text, |text, (_, value)| {
        let key = value.strip_prefix("Bearer ").unwrap_or(value);
        match key.len() < SHORTEST_KEY {
            true => text,
            false => without(&text, key),
        }
    })
}

fn without(text: &str, key: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let pairs = rest.bytes().zip(key.bytes());
        let common = pairs.take_while(|(left, right)| left == right).count();
        let is_key = common > 0 && (common == key.len() || common >= SHORTEST);
        if is_key && rest.is_char_boundary(common) {
            out.push_str("***");
            rest = &rest[common..];
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::without_keys;

    #[test]
    fn keys_and_their_beginnings_are_taken_out() {
        let headers = [
            ("authorization", "Bearer sk-oa-KEYKEYKEY123".to_owned()),
            ("x-api-key", "shortest".to_owned()),
            ("x-goog-api-key", "x".to_owned()),
            ("anthropic-version", "2023-06-01".to_owned()),
        ];
        let shown = |text: &str| without_keys(text.to_owned(), &headers);
        assert_eq!(
            shown("bad key: sk-oa-KEYKEYKEY123, `Bearer sk-oa-KEYKEYKEY123`"),
            "bad key: ***, `Bearer ***`"
        );
        assert_eq!(shown("bad key: sk-oa-KEYKEYK…"), "bad key: ***…");
        assert_eq!(
            shown("extra shortestened 2023-06-01 sk-oa"),
            "extra ***ened 2023-06-01 sk-oa"
        );
        assert_eq!(shown("é shortest"), "é ***");
    }
}
