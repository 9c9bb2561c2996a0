//! The types that no file declares.

use crate::types::Type;

/// Types that a program cannot declare itself, because their names are not capitalised.
pub(crate) const SIMPLE: &[(&str, Type)] = &[
    ("bool", Type::Bool),
    ("int", Type::Int),
    ("float", Type::Float),
    ("string", Type::String),
    ("bytes", Type::Bytes),
    ("time", Type::Time),
    ("duration", Type::Duration),
    ("json", Type::Json),
    ("secret", Type::Secret),
    ("image", Type::Image),
    ("document", Type::Document),
];

/// Built-in types with a capitalised name, and how many arguments each takes. A declaration of that name hides one.
pub(crate) const CAPITALISED: &[(&str, usize)] = &[
    ("Error", 0),
    ("Agent", 0),
    ("Session", 0),
    ("Task", 1),
    ("Stream", 1),
    ("Queue", 1),
    ("Partial", 1),
];

/// The names of all of them, each with how many arguments it takes; everyday types first.
pub fn built_in_types() -> impl Iterator<Item = (&'static str, usize)> {
    let simple = SIMPLE.iter().map(|(name, _)| (*name, 0));
    simple.chain(CAPITALISED.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::SIMPLE;

    /// Its reports distinguish a type from a word before names are resolved.
    #[test]
    fn the_parser_knows_the_simple_types() {
        let names: Vec<&str> = SIMPLE.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, gsw_syntax::SIMPLE_TYPES);
    }
}
