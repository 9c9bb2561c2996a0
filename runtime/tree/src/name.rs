//! Names of nodes, each kept once per run.

use std::collections::HashMap;
use std::sync::Arc;

/// The most characters of a node's name; longer ones are cut.
const LONGEST: usize = 100;

/// A name of the run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NameId(u32);

/// All names of a run.
#[derive(Debug, Default)]
pub struct Names {
    /// Names come from outside, so the hash has a secret key; nothing depends on their order here.
    by_text: HashMap<Arc<str>, NameId>,
    texts: Vec<Arc<str>>,
}

impl Names {
    /// The name that `text` stands for: trimmed, without control characters, at most a hundred characters.
    pub fn intern(&mut self, text: &str) -> NameId {
        if let Some(&id) = self.by_text.get(text) {
            return id;
        }
        let clean = clean(text);
        if let Some(&id) = self.by_text.get(clean.as_str()) {
            return id;
        }
        let id = NameId(self.texts.len() as u32);
        let text: Arc<str> = clean.into();
        self.texts.push(Arc::clone(&text));
        self.by_text.insert(text, id);
        id
    }

    /// The text of a name.
    #[must_use]
    pub fn text(&self, id: NameId) -> &Arc<str> {
        &self.texts[id.0 as usize]
    }
}

fn clean(text: &str) -> String {
    let shown: String = text
        .trim()
        .chars()
        .map(|it| if it.is_control() { ' ' } else { it })
        .take(LONGEST + 1)
        .collect();
    if shown.is_empty() {
        return "unnamed".into();
    }
    match shown.char_indices().nth(LONGEST - 1) {
        Some((end, last)) if end + last.len_utf8() < shown.len() => shown[..end].to_owned() + "…",
        _ => shown,
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn a_name_is_kept_once_and_clean() {
        let mut names = Names::default();
        let id = names.intern("  review a.rs\n");
        assert_eq!(names.intern("review a.rs"), id);
        let broken = names.intern("a\nb");
        assert_eq!(&**names.text(broken), "a b");
        let long = names.intern(&"ä".repeat(10_000));
        assert_eq!(names.text(long).chars().count(), 100);
        assert!(names.text(long).ends_with("ä…"));
        let longest = names.intern(&"ä".repeat(100));
        assert_eq!(**names.text(longest), *"ä".repeat(100));
        let empty = names.intern("");
        assert_eq!(&**names.text(empty), "unnamed");
    }
}
