//! Help on a terminal: headings are bold, and what is typed has a colour.

use std::io::{self, IsTerminal, stdout};

use crate::say;
use crate::terminal::shows_colors;

const BOLD: &str = "1";
const CYAN: &str = "36";

/// Prints a help that is laid out, with colours where standard output is a terminal that shows them.
///
/// # Errors
/// As of [`say::print()`].
pub fn print_help(help: &str) -> io::Result<()> {
    if stdout().is_terminal() && shows_colors() {
        let painted: String = help.lines().map(|it| line(it) + "\n").collect();
        say::print_styled(&painted)
    } else {
        say::print(help)
    }
}

fn line(line: &str) -> String {
    let words = line.trim_start();
    let indent = line.len() - words.len();
    if let Some(rest) = line.strip_prefix("Usage:") {
        return format!("{}{rest}", paint(BOLD, "Usage:"));
    }
    if indent == 0 && line.ends_with(':') {
        return paint(BOLD, line);
    }
    // Rows begin after two blanks, and options without a short form below the others; what is further right is explained there.
    let is_row = indent == 2 || (indent == 6 && words.starts_with("--"));
    if !is_row || words.is_empty() {
        return line.to_owned();
    }
    let end = words.find("  ").unwrap_or(words.len());
    let (typed, explained) = words.split_at(end);
    format!("{}{}{explained}", " ".repeat(indent), paint(CYAN, typed))
}

fn paint(code: &str, text: &str) -> String {
    format!("\x1b[{code}m{text}\x1b[0m")
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn what_is_typed_is_told_from_what_explains_it() {
        let bold = |it: &str| format!("\x1b[1m{it}\x1b[0m");
        let cyan = |it: &str| format!("\x1b[36m{it}\x1b[0m");
        assert_eq!(
            line("Usage: gswc run"),
            format!("{} gswc run", bold("Usage:"))
        );
        assert_eq!(line("Options:"), bold("Options:"));
        assert_eq!(
            line("  -h, --help  Print help"),
            format!("  {}  Print help", cyan("-h, --help"))
        );
        assert_eq!(line("      --json"), format!("      {}", cyan("--json")));
        for plain in ["", "A sentence.", "          further on", "      and below"] {
            assert_eq!(line(plain), plain);
        }
    }
}
