//! Where a run says what needs no answer.

use crate::port::{Notice, Port};

/// The run's end of its port.
pub(crate) struct Outbox(Box<dyn Port>);

impl std::fmt::Debug for Outbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Outbox")
    }
}

impl Outbox {
    pub(crate) fn new(port: Box<dyn Port>) -> Self {
        Self(port)
    }

    /// Whether an event need be made at all.
    pub(crate) fn wants_events(&self) -> bool {
        self.0.wants_events()
    }

    pub(crate) fn push(&mut self, notice: Notice) {
        self.0.take(notice);
    }
}
