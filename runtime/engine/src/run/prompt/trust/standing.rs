//! Whether a text occurs in another one as a whole: not as a part of a longer name, address or number.

/// Whether `wanted` occurs in `text`, with nothing around it that would make it something else. An empty text occurs anywhere.
pub(super) fn stands_in(text: &str, wanted: &str) -> bool {
    if wanted.is_empty() {
        return true;
    }
    text.match_indices(wanted).any(|(start, _)| {
        let (before, after) = (&text[..start], &text[start + wanted.len()..]);
        begins(before, wanted) && ends(after, wanted)
    })
}

fn begins(before: &str, wanted: &str) -> bool {
    let mut before = before.chars().rev();
    match before.next() {
        None => true,
        Some(',') => {
            let parts_a_number = before.next().is_some_and(|it| it.is_ascii_digit());
            !(parts_a_number && wanted.starts_with(|it: char| it.is_ascii_digit()))
        }
        Some(last) => !joins(last),
    }
}

fn ends(after: &str, wanted: &str) -> bool {
    let ends_in_digit = wanted.ends_with(|it: char| it.is_ascii_digit());
    if let Some(rest) = after.strip_prefix(',') {
        return !(ends_in_digit && rest.starts_with(|it: char| it.is_ascii_digit()));
    }
    // The end of a sentence is no part of what comes before it.
    let rest = after.trim_start_matches(['.', ':']);
    !rest.starts_with(joins)
}

/// Whether a character beside a word makes both a longer one.
fn joins(it: char) -> bool {
    it.is_alphanumeric() || "_@.-/:+%&=#~\\".contains(it)
}

#[cfg(test)]
mod tests {
    use super::stands_in;

    #[test]
    fn what_stands_as_a_whole_is_found() {
        for (text, wanted) in [
            (
                "Pay GB29NWBK60161331926819 for me.",
                "GB29NWBK60161331926819",
            ),
            ("Write to ada@example.org.", "ada@example.org"),
            ("Write to <ada@example.org>: hello", "ada@example.org"),
            ("the file 'notes.txt'", "notes.txt"),
            ("rent is 2200. Also", "2200"),
            ("in $50, not more", "50"),
            ("to Zoë's house", "Zoë"),
            ("Ada", "Ada"),
            ("anything", ""),
        ] {
            assert!(stands_in(text, wanted), "{wanted} in {text}");
        }
    }

    #[test]
    fn a_part_of_something_longer_is_not() {
        for (text, wanted) in [
            ("Pay GB29NWBK60161331926819", "GB29"),
            ("Write to evil.ada@example.org", "ada@example.org"),
            ("Write to ada@example.org", "example.org"),
            ("Write to ada@example.org.evil.com", "ada@example.org"),
            ("rent is 12,200", "200"),
            ("rent is 2,200", "2"),
            ("it cost 12.00", "12"),
            ("see /etc/passwd", "passwd"),
            ("Zoë", "Zo"),
            ("", "a"),
        ] {
            assert!(!stands_in(text, wanted), "{wanted} in {text}");
        }
    }
}
