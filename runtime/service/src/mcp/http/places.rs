//! The connections that are open: not more than a number of them, of which the one that was idle longest makes room.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Instant;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::oneshot;

use crate::mcp::offered::lock;

/// The connections that a server has at once, `most` at a time.
pub(super) struct Places {
    most: usize,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    last: u64,
    taken: BTreeMap<u64, Use>,
}

struct Use {
    /// When something came, or an answer ended.
    heard: Instant,
    /// How many requests are answered; one that is not here in full is not yet.
    answering: usize,
    /// Dropped to end the connection.
    _end: oneshot::Sender<()>,
}

/// The place of one connection, until this is dropped.
pub(super) struct Place {
    places: Arc<Places>,
    number: u64,
}

/// Held while a request is answered.
pub(super) struct Answering(Arc<Place>);

/// A connection whose bytes are heard.
pub(super) struct Heard<S> {
    pub stream: S,
    pub place: Arc<Place>,
}

impl Places {
    pub fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            most,
            table: Mutex::default(),
        })
    }

    /// A place for one more, and what says that it must end for another one. A connection that is being answered keeps its
    /// place; `None` where all are.
    pub fn take(self: &Arc<Self>) -> Option<(Arc<Place>, oneshot::Receiver<()>)> {
        let mut table = lock(&self.table);
        if table.taken.len() >= self.most {
            let idle = table.taken.iter().filter(|it| it.1.answering == 0);
            let longest = idle.min_by_key(|it| it.1.heard).map(|it| *it.0)?;
            table.taken.remove(&longest);
        }
        let (end, ended) = oneshot::channel();
        table.last += 1;
        let number = table.last;
        let used = Use {
            heard: Instant::now(),
            answering: 0,
            _end: end,
        };
        table.taken.insert(number, used);
        let place = Place {
            places: Arc::clone(self),
            number,
        };
        Some((Arc::new(place), ended))
    }
}

impl Place {
    pub fn answering(self: &Arc<Self>) -> Answering {
        self.change(|it| it.answering += 1);
        Answering(Arc::clone(self))
    }

    fn heard(&self) {
        self.change(|it| it.heard = Instant::now());
    }

    /// One that must end has no place to change.
    fn change(&self, change: impl FnOnce(&mut Use)) {
        if let Some(used) = lock(&self.places.table).taken.get_mut(&self.number) {
            change(used);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        lock(&self.places.table).taken.remove(&self.number);
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.change(|it| {
            it.answering -= 1;
            it.heard = Instant::now();
        });
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Heard<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.place.heard();
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Heard<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[std::io::IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot::error::TryRecvError;

    use super::Places;

    #[test]
    fn the_one_that_was_idle_longest_makes_room_and_who_is_answered_stays() {
        let places = Places::new(2);
        let (first, mut first_ends) = places.take().expect("there is room");
        let (second, mut second_ends) = places.take().expect("there is room");
        first.heard();
        let (third, mut third_ends) = places.take().expect("the second one ends");
        assert_eq!(second_ends.try_recv(), Err(TryRecvError::Closed));
        assert_eq!(first_ends.try_recv(), Err(TryRecvError::Empty));
        let answering = first.answering();
        let (fourth, mut fourth_ends) = places.take().expect("the third one ends");
        assert_eq!(third_ends.try_recv(), Err(TryRecvError::Closed));
        let also = fourth.answering();
        assert!(places.take().is_none(), "all are answered");
        drop(answering);
        let (_fifth, _fifth_ends) = places.take().expect("the first one ends");
        assert_eq!(first_ends.try_recv(), Err(TryRecvError::Closed));
        assert_eq!(fourth_ends.try_recv(), Err(TryRecvError::Empty));
        drop((second, third, also));
    }
}
