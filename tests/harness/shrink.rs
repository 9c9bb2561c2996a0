//! Makes a program smaller as long as it stays interesting.

/// The most smaller programs that are looked at.
const LOOKS: usize = 600;

/// Drops ever shorter runs of lines while `is_interesting` holds.
pub fn shrink(source: &str, is_interesting: impl Fn(&str) -> bool) -> String {
    let mut lines: Vec<&str> = source.lines().collect();
    let mut looks = 0;
    let mut length = lines.len().div_ceil(2);
    loop {
        let mut dropped = false;
        let mut at = 0;
        while at < lines.len() && looks < LOOKS {
            let end = (at + length).min(lines.len());
            let kept: Vec<&str> = lines[..at].iter().chain(&lines[end..]).copied().collect();
            looks += 1;
            if is_balanced(&lines[at..end]) && is_interesting(&(kept.join("\n") + "\n")) {
                lines = kept;
                dropped = true;
            } else {
                at += (length / 2).max(1);
            }
        }
        if looks >= LOOKS || (length == 1 && !dropped) {
            return lines.join("\n") + "\n";
        }
        length = (length / 2).max(1);
    }
}

/// Whether dropping these lines leaves the brackets around them in pairs.
fn is_balanced(lines: &[&str]) -> bool {
    let mut open = 0i32;
    for c in lines.iter().flat_map(|it| it.chars()) {
        match c {
            '{' | '(' | '[' => open += 1,
            '}' | ')' | ']' => open -= 1,
            _ => {}
        }
        if open < 0 {
            return false;
        }
    }
    open == 0
}
