//! What a tree remembers of events besides the nodes themselves: keys of the cache, and which prompts were revised.

use std::sync::Arc;

use crate::event::EventKind;
use crate::node::{Status, Tree};

impl Tree {
    /// Remembers what is to be asked for later.
    pub fn note(&mut self, kind: &EventKind) {
        if let EventKind::CacheHit { key } = kind {
            self.cache_keys.insert(key.as_str().into());
        } else if let EventKind::PromptRevision { old, new } = kind {
            self.revised.insert(*old, *new);
        } else if let EventKind::PromptEnd { end, detail, .. } = kind
            && end.status == Status::Completed
        {
            let key = detail.as_ref().and_then(|it| it.cache_key.as_deref());
            self.cache_keys.extend(key.map(Arc::from));
        }
    }
}
