//! The wording of every diagnostic: one function each, by topic. Nothing else in the crate holds prose.

pub mod calls;
pub mod elsewhere;
pub mod habits;
pub mod hooks;
pub mod literals;
pub mod patterns;
pub mod records;
pub mod testing;
mod unsupported;
pub mod values;

pub use unsupported::not_compiled_yet;

/// Source text with its article, as it is read out: "an `int`", "a `string`".
fn with_article(text: &str) -> String {
    let is_vowel = text.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']);
    let article = if is_vowel { "an" } else { "a" };
    format!("{article} `{text}`")
}
