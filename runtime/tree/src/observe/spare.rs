//! Allocations of events that every observer is done with, which the runs use again.
//!
//! An event is made on the thread of a run and dropped on that of its slowest observer. An allocator pays for that with a lock
//! that both threads wait for; it was a third of the time of a step whose events go to a file.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::event::Event;

/// The most events that are kept: about as many as wait for an observer that misses none.
const MOST: usize = 1 << 14;
/// An event with more text is dropped instead of kept, because it holds its text until it is used again.
const LIGHT: usize = 256;

/// Events without another owner. Their contents no longer mean anything.
#[derive(Clone, Debug, Default)]
pub struct Spare(Arc<Mutex<Vec<Arc<Event>>>>);

impl Spare {
    /// Keeps those of the events that have no other owner, as far as there is room, and drops the others.
    pub fn give(&self, events: &mut Vec<Arc<Event>>) {
        events.retain_mut(|it| Arc::get_mut(it).is_some() && it.text_bytes() <= LIGHT);
        let mut kept = self.lock();
        let room = MOST.saturating_sub(kept.len());
        kept.extend(events.drain(..).take(room));
    }

    /// Takes all that is there in exchange for an empty list, so that a publisher locks once for thousands of events.
    pub fn take(&self, into: &mut Vec<Arc<Event>>) {
        debug_assert!(
            into.is_empty(),
            "what a publisher still has would come back"
        );
        std::mem::swap(&mut *self.lock(), into);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Event>>> {
        // A panic between two lines above leaves nothing half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{LIGHT, Spare};
    use crate::event::{Event, EventKind};
    use crate::node::NodeId;

    fn event(reason: &str) -> Arc<Event> {
        Arc::new(Event {
            sequence: 0,
            time: 0,
            run: "r".into(),
            node: NodeId::ROOT,
            kind: EventKind::Cancel {
                reason: reason.into(),
            },
        })
    }

    #[test]
    fn what_is_held_elsewhere_or_heavy_is_not_used_again() {
        let spare = Spare::default();
        let held = event("held");
        let mut done = vec![
            Arc::clone(&held),
            event(&"x".repeat(LIGHT + 1)),
            event("free"),
        ];
        spare.give(&mut done);
        assert!(done.is_empty());
        let mut taken = Vec::new();
        spare.take(&mut taken);
        assert_eq!(taken, [event("free")]);
        assert_eq!(Arc::strong_count(&held), 1);
    }
}
