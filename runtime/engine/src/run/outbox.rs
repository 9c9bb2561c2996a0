//! What a run says, on its way to the port.

use crate::port::{AT_ONCE, Notice, Port};

/// The notices that have not left yet.
pub(crate) struct Outbox {
    notices: Vec<Notice>,
    port: Box<dyn Port>,
}

impl std::fmt::Debug for Outbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outbox")
            .field("notices", &self.notices.len())
            .finish_non_exhaustive()
    }
}

impl Outbox {
    pub(crate) fn new(port: Box<dyn Port>) -> Self {
        Self {
            notices: Vec::new(),
            port,
        }
    }

    /// Whether an event need be made at all.
    pub(crate) fn wants_events(&self) -> bool {
        self.port.wants_events()
    }

    pub(crate) fn push(&mut self, notice: Notice) {
        self.notices.push(notice);
        if self.notices.len() >= AT_ONCE {
            self.flush();
        }
    }

    pub(crate) fn flush(&mut self) {
        if !self.notices.is_empty() {
            self.port.take(std::mem::take(&mut self.notices));
        }
    }
}
