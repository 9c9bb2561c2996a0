//! The streams that answer requests of a session: what was sent on each is held for a while, so that a client whose connection
//! broke off takes it up where it was, also when the call has ended meanwhile.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use futures_core::Stream;
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId};

use crate::mcp::calls::Calls;
use crate::mcp::offered::lock;

/// For how long a stream is held after its end.
const HELD: Duration = Duration::from_secs(5 * 60);
/// The most that are then held, the oldest of which goes first, and the most bytes of theirs.
const MOST: usize = 1_000;
const MOST_BYTES: usize = 64 << 20;
/// The most messages that are held of a running call, and the most bytes of them, but always the last one.
const BACKLOG: usize = 64;
const BACKLOG_BYTES: usize = 1 << 20;
/// The most unread messages that are held for the listener before the call waits.
const AHEAD: usize = 16;

/// A stream by its session, and by what follows the number of a message in the id of that.
type Name = (SessionId, String);

/// All that can be taken up.
#[derive(Default)]
pub(super) struct Streams(Mutex<Known>);

#[derive(Default)]
struct Known {
    streams: BTreeMap<Name, Arc<Channel>>,
    /// Those that have ended, the oldest first, with their bytes.
    ended: VecDeque<(Name, Instant, usize)>,
    bytes: usize,
}

/// What was sent on one stream.
#[derive(Default)]
struct Channel(Mutex<Sent>);

#[derive(Default)]
struct Sent {
    messages: VecDeque<Message>,
    bytes: usize,
    ended: bool,
    /// The number of the next message for the listener.
    next: u64,
    /// How many listeners there were: only the last one listens.
    listener: u64,
    listened_to: bool,
    reader: Option<Waker>,
    writer: Option<Waker>,
}

struct Message {
    number: u64,
    bytes: usize,
    event: ServerSseMessage,
}

/// The messages for one connection.
pub(super) struct Listening {
    channel: Arc<Channel>,
    listener: u64,
}

impl Streams {
    /// Takes what is sent for a request, with or without a listener, and gives it to the listener.
    pub fn take<S>(self: &Arc<Self>, session: &SessionId, calls: &Arc<Calls>, sent: S) -> Listening
    where
        S: Stream<Item = ServerSseMessage> + Send + 'static,
    {
        let channel = Arc::<Channel>::default();
        let listening = listen(&channel, 0);
        let (streams, calls) = (Arc::clone(self), Arc::clone(calls));
        let session = Arc::clone(session);
        tokio::spawn(async move {
            let mut sent = Box::pin(sent);
            let mut name = None;
            while let Some(event) = std::future::poll_fn(|it| sent.as_mut().poll_next(it)).await {
                let place = event.event_id.as_deref().and_then(place);
                if name.is_none()
                    && let Some((_, request)) = place
                {
                    let named = (Arc::clone(&session), request.to_owned());
                    name = Some(named.clone());
                    lock(&streams.0).streams.insert(named, Arc::clone(&channel));
                }
                if let Some(message) = &event.message {
                    calls.said(message);
                }
                let number = place.map(|it| it.0);
                channel.put(number, event).await;
            }
            let bytes = channel.end();
            if let Some(name) = name {
                streams.ended(name, bytes);
            }
        });
        listening
    }

    /// What was sent after a message, and what still comes; none where it is not known any more.
    pub fn resume(&self, session: &SessionId, last: &str) -> Option<Listening> {
        let (number, request) = place(last)?;
        let name = (Arc::clone(session), request.to_owned());
        let mut known = lock(&self.0);
        known.let_go();
        let channel = known.streams.get(&name)?;
        Some(listen(channel, number.saturating_add(1)))
    }

    /// Forgets a session that has ended, so that nothing of it is resumed.
    pub fn forget(&self, session: &SessionId) {
        let mut known = lock(&self.0);
        known.streams.retain(|name, _| name.0 != *session);
        let Known { ended, bytes, .. } = &mut *known;
        ended.retain(|(name, _, of_it)| {
            let stays = name.0 != *session;
            if !stays {
                *bytes -= of_it;
            }
            stays
        });
    }

    /// Releases what was held for long enough.
    pub fn tidy(&self) {
        lock(&self.0).let_go();
    }

    fn ended(&self, name: Name, bytes: usize) {
        let mut known = lock(&self.0);
        if known.streams.contains_key(&name) {
            known.bytes += bytes;
            known.ended.push_back((name, Instant::now(), bytes));
        }
        known.let_go();
    }
}

impl Known {
    fn let_go(&mut self) {
        while self.ended.front().is_some_and(|it| {
            it.1.elapsed() > HELD || self.ended.len() > MOST || self.bytes > MOST_BYTES
        }) {
            if let Some((name, _, bytes)) = self.ended.pop_front() {
                self.streams.remove(&name);
                self.bytes -= bytes;
            }
        }
    }
}

impl Channel {
    /// Adds a message, once the listener has read most of those before it.
    async fn put(&self, number: Option<u64>, event: ServerSseMessage) {
        let bytes = size(&event);
        let mut event = Some(event);
        std::future::poll_fn(|context| {
            let mut sent = lock(&self.0);
            let next = sent.next;
            let unread = sent.messages.iter().filter(|it| it.number >= next).count();
            if sent.listened_to && unread >= AHEAD {
                sent.writer = Some(context.waker().clone());
                return Poll::Pending;
            }
            if let Some(event) = event.take() {
                sent.add(number, bytes, event);
            }
            Poll::Ready(())
        })
        .await;
    }

    /// Nothing follows. Returns the bytes of what is held.
    fn end(&self) -> usize {
        let mut sent = lock(&self.0);
        sent.ended = true;
        sent.wake_reader();
        sent.bytes
    }
}

impl Sent {
    fn add(&mut self, number: Option<u64>, bytes: usize, event: ServerSseMessage) {
        let following = self.messages.back().map_or(0, |it| it.number + 1);
        self.messages.push_back(Message {
            number: number.unwrap_or(following),
            bytes,
            event,
        });
        self.bytes += bytes;
        while self.messages.len() > 1
            && (self.messages.len() > BACKLOG || self.bytes > BACKLOG_BYTES)
            // The listener gets all of it.
            && !(self.listened_to && self.messages.front().is_some_and(|it| it.number >= self.next))
        {
            let oldest = self.messages.pop_front();
            self.bytes -= oldest.map_or(0, |it| it.bytes);
        }
        self.wake_reader();
    }

    fn wake_reader(&mut self) {
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
    }

    fn wake_writer(&mut self) {
        if let Some(writer) = self.writer.take() {
            writer.wake();
        }
    }
}

/// Listens from a message on, in place of the listener until now.
fn listen(channel: &Arc<Channel>, from: u64) -> Listening {
    let mut sent = lock(&channel.0);
    sent.listener += 1;
    sent.listened_to = true;
    sent.next = from;
    sent.wake_reader();
    sent.wake_writer();
    Listening {
        listener: sent.listener,
        channel: Arc::clone(channel),
    }
}

impl Stream for Listening {
    type Item = ServerSseMessage;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut sent = lock(&self.channel.0);
        if sent.listener != self.listener {
            return Poll::Ready(None);
        }
        let next = sent.next;
        let found = sent.messages.iter().find(|it| it.number >= next);
        if let Some((number, event)) = found.map(|it| (it.number, it.event.clone())) {
            sent.next = number + 1;
            sent.wake_writer();
            return Poll::Ready(Some(event));
        }
        if sent.ended {
            return Poll::Ready(None);
        }
        sent.reader = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let mut sent = lock(&self.channel.0);
        if sent.listener == self.listener {
            sent.listened_to = false;
            sent.wake_writer();
        }
    }
}

/// The number of a message and its stream, as its id has them.
fn place(id: &str) -> Option<(u64, &str)> {
    let (number, request) = id.split_once('/')?;
    Some((number.parse().ok()?, request))
}

/// How many bytes it takes on the way, which is about what it takes here.
fn size(event: &ServerSseMessage) -> usize {
    struct Counted(usize);
    impl io::Write for Counted {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut counted = Counted(0);
    if let Some(message) = &event.message {
        // Counting cannot fail.
        let _ = serde_json::to_writer(&mut counted, &**message);
    }
    counted.0
}
