//! How much of the memory the bodies may take that are read at once, so that servers which send a lot together do not fill it.
//!
//! A body takes room as it grows. Where there is none left, bodies wait, but for one at a time, which is read to its end: those
//! that wait hold room that others wait for, and nobody would get on.

use tokio::sync::{Semaphore, SemaphorePermit};

/// Of so many bytes, of which each body has the first for nothing.
const PART: usize = 1 << 20;
/// So many parts there are; a guess.
const PARTS: usize = 512;

static SHARED: Room = Room::new(PARTS);

#[derive(Debug)]
struct Room {
    parts: Semaphore,
    /// Whose body is read without room.
    past: Semaphore,
}

impl Room {
    const fn new(parts: usize) -> Self {
        Self {
            parts: Semaphore::const_new(parts),
            past: Semaphore::const_new(1),
        }
    }
}

/// The room that a body takes, until it is dropped.
#[derive(Debug)]
pub(super) struct Taken {
    room: &'static Room,
    parts: usize,
    held: Option<SemaphorePermit<'static>>,
    past: Option<SemaphorePermit<'static>>,
}

impl Taken {
    pub(super) const fn none() -> Self {
        Self::of(&SHARED)
    }

    const fn of(room: &'static Room) -> Self {
        Self {
            room,
            parts: 0,
            held: None,
            past: None,
        }
    }

    /// Waits until the body may have so many bytes.
    pub(super) async fn grow(&mut self, bytes: usize) {
        while self.parts < bytes / PART && self.past.is_none() {
            tokio::select! {
                biased;
                part = self.room.parts.acquire() => {
                    // Nobody closes it.
                    let Ok(part) = part else { return };
                    match &mut self.held {
                        Some(held) => held.merge(part),
                        held @ None => *held = Some(part),
                    }
                    self.parts += 1;
                }
                past = self.room.past.acquire() => self.past = past.ok(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{PART, Room, Taken};

    fn room(parts: usize) -> &'static Room {
        Box::leak(Box::new(Room::new(parts)))
    }

    #[tokio::test]
    async fn bodies_that_fill_the_room_are_read_one_after_the_other() {
        let room = room(3);
        let mut bodies: Vec<Taken> = (0..3).map(|_| Taken::of(room)).collect();
        for body in &mut bodies {
            body.grow(2 * PART - 1).await;
        }
        assert_eq!(room.parts.available_permits(), 0);
        // One gets on, to any size, and the next one when that is read.
        bodies[0].grow(60 * PART).await;
        let mut second = bodies.remove(1);
        let waits = tokio::time::timeout(Duration::from_millis(50), second.grow(2 * PART));
        assert!(waits.await.is_err());
        drop(bodies.remove(0));
        second.grow(60 * PART).await;
        drop((second, bodies));
        assert_eq!(room.parts.available_permits(), 3);
        assert_eq!(room.past.available_permits(), 1);
    }

    #[tokio::test]
    async fn small_bodies_take_none() {
        let room = room(1);
        let (mut large, mut small) = (Taken::of(room), Taken::of(room));
        large.grow(9 * PART).await;
        small.grow(PART - 1).await;
        assert_eq!(small.parts, 0);
    }
}
