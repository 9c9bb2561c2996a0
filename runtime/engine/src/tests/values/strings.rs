//! Calls on strings against the standard library.

use gsw_abi::builtin::{self, LIST_STRING, OPTIONAL_INT, STRING};
use gsw_abi::types::Type;
use proptest::prelude::{Strategy, any, proptest};
use proptest::{prop_assert_eq, sample};
use serde_json::json;

use crate::tests::values::machine::{Given, Machine, call};
use crate::tests::values::table::Table;

/// Texts in which the same few pieces come again.
fn text() -> impl Strategy<Value = String> {
    let pieces = sample::select(vec!["a", "b", "ab", " ", "\n", "ß", "é", "🦀", ","]);
    proptest::collection::vec(pieces, 0..12).prop_map(|it| it.concat())
}

fn piece() -> impl Strategy<Value = String> {
    sample::select(vec!["a", "ab", "", "é", "🦀", ",", "zz"]).prop_map(str::to_owned)
}

proptest! {
    #![proptest_config(crate::tests::values::config())]

    #[test]
    fn questions_have_the_same_answers(a in text(), b in piece()) {
        let mut it = Machine::new();
        let (s, p) = (it.text(&a), it.text(&b));
        prop_assert_eq!(call!(it, string_len(s)), a.chars().count() as u64);
        prop_assert_eq!(call!(it, string_contains(s, p)) != 0, a.contains(&b));
        prop_assert_eq!(call!(it, string_starts_with(s, p)) != 0, a.starts_with(&b));
        prop_assert_eq!(call!(it, string_ends_with(s, p)) != 0, a.ends_with(&b));
        prop_assert_eq!(call!(it, string_equal(s, p)) != 0, a == b);
        let order = call!(it, value_compare(u64::from(STRING.0), s, p)) as i64;
        prop_assert_eq!(order, a.cmp(&b) as i64);
        let index = call!(it, string_index_of(s, p));
        let expected = a.find(&b).map(|at| a[..at].chars().count());
        prop_assert_eq!(it.take(OPTIONAL_INT, index), json!(expected).to_string());
        it.heap().release(s);
        it.heap().release(p);
    }

    #[test]
    fn new_strings_are_the_same(a in text(), b in piece(), from in -3..20i64, to in -3..20i64) {
        let mut it = Machine::new();
        let (s, p) = (it.text(&a), it.text(&b));
        let word = call!(it, string_trim(s));
        prop_assert_eq!(it.take_text(word), a.trim());
        let word = call!(it, string_upper(s));
        prop_assert_eq!(it.take_text(word), a.to_uppercase());
        let word = call!(it, string_lower(s));
        prop_assert_eq!(it.take_text(word), a.to_lowercase());
        let word = call!(it, string_slice(s, from as u64, to as u64));
        let (start, end) = (from.max(0) as usize, to.max(from).max(0) as usize);
        let part: String = a.chars().skip(start).take(end - start).collect();
        prop_assert_eq!(it.take_text(word), part);
        let word = call!(it, string_replace(s, p, s));
        let replaced = if b.is_empty() { a.clone() } else { a.replace(&b, &a) };
        prop_assert_eq!(it.take_text(word), replaced);
        let padded = call!(it, string_pad_start(s, to as u64, p));
        let missing = (to.max(0) as usize).saturating_sub(a.chars().count());
        let padding: String = b.chars().cycle().take(missing).collect();
        prop_assert_eq!(it.take_text(padded), format!("{padding}{a}"));
        let padded = call!(it, string_pad_end(s, to as u64, p));
        prop_assert_eq!(it.take_text(padded), format!("{a}{padding}"));
        let repeated = call!(it, string_repeat(s, to as u64));
        let expected = json!(a.repeat(to.max(0) as usize)).to_string();
        prop_assert_eq!(it.outcome(STRING, repeated), Ok(expected));
        it.heap().release(s);
        it.heap().release(p);
    }

    #[test]
    fn pieces_are_the_same(a in text(), b in piece()) {
        let mut it = Machine::new();
        let (s, p) = (it.text(&a), it.text(&b));
        let word = call!(it, string_lines(s));
        let lines: Vec<&str> = a.lines().collect();
        prop_assert_eq!(it.take(LIST_STRING, word), json!(lines).to_string());
        let word = call!(it, string_words(s));
        let words: Vec<&str> = a.split_whitespace().collect();
        prop_assert_eq!(it.take(LIST_STRING, word), json!(words).to_string());
        let word = call!(it, string_chars(s));
        let chars: Vec<char> = a.chars().collect();
        prop_assert_eq!(it.take(LIST_STRING, word), json!(chars).to_string());
        let word = call!(it, string_split(s, p)).word();
        if b.is_empty() {
            prop_assert_eq!(it.take(LIST_STRING, word), json!(chars).to_string());
        } else {
            let joined = call!(it, list_join(word, p));
            prop_assert_eq!(it.take_text(joined), a.clone());
            let parts: Vec<&str> = a.split(&b[..]).collect();
            prop_assert_eq!(it.take(LIST_STRING, word), json!(parts).to_string());
        }
        it.heap().release(s);
        it.heap().release(p);
    }

    #[test]
    fn concatenation_is_the_same_with_and_without_other_owners(parts in proptest::collection::vec((text(), any::<bool>()), 0..9)) {
        let mut it = Machine::new();
        let (mut all, mut word) = (String::new(), it.text(""));
        for (part, is_shared) in parts {
            let piece = it.text(&part);
            let before = word;
            if is_shared {
                it.heap().retain(word);
            }
            word = call!(it, string_concat(word, piece));
            if is_shared {
                prop_assert_eq!(it.take_text(before), all.clone());
            }
            it.heap().release(piece);
            all += &part;
            prop_assert_eq!(call!(it, string_len(word)), all.chars().count() as u64);
        }
        prop_assert_eq!(it.take_text(word), all);
    }
}

#[test]
fn a_string_is_split_once() {
    let mut table = Table::new();
    let pair = table.add(Type::Tuple(vec![STRING, STRING]));
    let maybe = table.add(Type::Optional(pair));
    let mut it = Machine::with(table);
    for (text, separator, expected) in [
        ("a=b=c", "=", r#"["a","b=c"]"#),
        ("abc", "=", "null"),
        ("", "", r#"["",""]"#),
    ] {
        let (s, p) = (it.text(text), it.text(separator));
        let word = call!(it, string_split_once(u64::from(maybe.0), s, p));
        assert_eq!(it.take(maybe, word), expected);
        it.heap().release(s);
        it.heap().release(p);
    }
}

#[test]
fn numbers_are_read_and_patterns_matched() {
    let mut table = Table::new();
    let maybe = table.add(Type::Optional(builtin::FLOAT));
    let mut it = Machine::with(table);
    for (text, int, float) in [
        ("12", "12", "12.0"),
        ("-1", "-1", "-1.0"),
        ("1.5", "null", "1.5"),
        (" 1", "null", "null"),
    ] {
        let s = it.text(text);
        let word = call!(it, string_parse_int(s));
        assert_eq!(it.take(OPTIONAL_INT, word), int);
        let word = call!(it, string_parse_float(u64::from(maybe.0), s));
        assert_eq!(it.take(maybe, word), float);
        it.heap().release(s);
    }
    let (s, good, bad) = (it.text("a12b"), it.text(r"\d+"), it.text("("));
    for _ in 0..2 {
        let outcome = call!(it, string_matches(s, good));
        assert_eq!(it.outcome(builtin::BOOL, outcome), Ok("true".into()));
        let outcome = call!(it, string_matches(s, bad));
        let message = it
            .outcome(builtin::BOOL, outcome)
            .expect_err("a group is open");
        assert!(
            message.starts_with("AssertionFailed: `(` is not a regular expression"),
            "{message}"
        );
    }
    for word in [s, good, bad] {
        it.heap().release(word);
    }
}

#[test]
fn what_is_too_long_is_refused() {
    let mut it = Machine::new();
    let s = it.text("abc");
    let outcome = call!(it, string_repeat(s, i64::MAX as u64));
    let message = it.outcome(STRING, outcome).expect_err("no memory holds it");
    assert!(message.starts_with("OutOfMemory"), "{message}");
    // It was reported, so nothing is left to report.
    assert!(!it.heap().take_over_limit());
    let outcome = call!(it, string_pad_end(s, i64::MAX as u64, s));
    let message = it.outcome(STRING, outcome).expect_err("no memory holds it");
    assert!(message.starts_with("OutOfMemory"), "{message}");
    it.heap().release(s);
}
