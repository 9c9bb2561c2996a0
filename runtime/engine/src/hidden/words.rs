//! How the few words about an operation are cut, which texts that are hidden are looked for in.

/// How many characters of an argument are shown.
pub(crate) const SHOWN: usize = 60;

/// Stands for what is not shown of an argument.
pub(crate) const CUT: char = '…';

/// A text in one line.
pub(crate) fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}
