//! What of an answer that was refused is to be asked again.

use gsw_engine::human::Question;
use gsw_notation::json::written;
use serde_json::Value;

/// An earlier answer and where it does not fit.
#[derive(Default)]
pub struct Earlier {
    answer: Value,
    paths: Vec<String>,
}

impl Earlier {
    /// Of a question that is asked again; empty for a new one.
    pub fn of(question: &Question) -> Self {
        let Some(refused) = &question.refused else {
            return Self::default();
        };
        Self {
            answer: written(&refused.answer).unwrap_or_default(),
            paths: refused.issues.iter().map(|it| it.path.clone()).collect(),
        }
    }

    /// The earlier value at a path, when there is nothing wrong with it.
    pub fn good(&self, path: &str) -> Option<&Value> {
        let is_wrong = self
            .paths
            .iter()
            .any(|it| is_beneath(it, path) || is_beneath(path, it));
        if self.paths.is_empty() || is_wrong {
            return None;
        }
        self.at(path)
    }

    /// Whether exactly the value at a path is wrong.
    pub fn is_wrong(&self, path: &str) -> bool {
        self.paths.iter().any(|it| it == path)
    }

    /// The earlier value at a path.
    pub fn at(&self, path: &str) -> Option<&Value> {
        let names = path.strip_prefix('$')?.split('.').skip(1);
        names
            .into_iter()
            .try_fold(&self.answer, |it, name| it.get(name))
    }
}

/// Whether one path is the other or leads into it.
fn is_beneath(path: &str, of: &str) -> bool {
    path.strip_prefix(of)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

#[cfg(test)]
mod tests {
    use super::Earlier;
    use serde_json::json;

    #[test]
    fn what_fits_is_kept() {
        let earlier = Earlier {
            answer: json!({ "a": { "b": 1, "c": 2 }, "ab": [3] }),
            paths: vec!["$.a.b".into()],
        };
        assert_eq!(earlier.good("$.a.c"), Some(&json!(2)));
        assert_eq!(earlier.good("$.ab"), Some(&json!([3])));
        for wrong in ["$", "$.a", "$.a.b", "$.a.b.x"] {
            assert_eq!(earlier.good(wrong), None, "{wrong}");
        }
        assert!(earlier.is_wrong("$.a.b") && !earlier.is_wrong("$.a"));
        assert_eq!(Earlier::default().good("$"), None);
    }
}
