//! Environment variables as the user sets them.

/// The text of a variable; one that is empty counts as not set.
pub fn text(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|it| !it.is_empty())
}
