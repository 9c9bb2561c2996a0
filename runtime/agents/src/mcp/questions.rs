//! The exchange with a server, which may not ask more than is answered: questions that wait for their answers are held in memory,
//! and a server that reads none of the answers would have them grow without end.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::Transport;

use crate::mcp::lock;

/// The most questions of a server that wait for their answers; the calls of a thousand runs may each have a form open.
const MOST: usize = 2_000;
/// How many bytes all of them may have, as JSON.
const LARGEST: usize = 32 << 20;

/// A transport that ends where a server asks too much.
pub(super) struct Bounded<T> {
    inner: T,
    open: Open,
    /// Receives why it has ended.
    over: Box<dyn FnMut(&'static str) + Send>,
}

/// The questions that wait for their answers.
#[derive(Clone, Default)]
struct Open(Arc<Mutex<Held>>);

#[derive(Default)]
struct Held {
    count: usize,
    bytes: usize,
    /// Some servers give several questions the same id.
    sizes: HashMap<RequestId, Vec<usize>>,
}

impl Open {
    /// Whether another one may be held.
    fn take(&self, id: RequestId, size: usize) -> bool {
        let mut held = lock(&self.0);
        held.count += 1;
        held.bytes += size;
        held.sizes.entry(id).or_default().push(size);
        held.count <= MOST && held.bytes <= LARGEST
    }

    fn is_answered(&self, id: &RequestId) {
        let mut held = lock(&self.0);
        let Some(sizes) = held.sizes.get_mut(id) else {
            return;
        };
        let size = sizes.pop();
        if sizes.is_empty() {
            held.sizes.remove(id);
        }
        if let Some(size) = size {
            held.count -= 1;
            held.bytes -= size;
        }
    }
}

impl<T> Bounded<T> {
    pub fn new(inner: T, over: impl FnMut(&'static str) + Send + 'static) -> Self {
        Self {
            inner,
            open: Open::default(),
            over: Box::new(over),
        }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Bounded<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answered = match &item {
            ClientJsonRpcMessage::Response(response) => Some(response.id.clone()),
            ClientJsonRpcMessage::Error(error) => error.id.clone(),
            ClientJsonRpcMessage::Request(_) | ClientJsonRpcMessage::Notification(_) => None,
        };
        let open = self.open.clone();
        let sent = self.inner.send(item);
        async move {
            let sent = sent.await;
            if let Some(id) = answered {
                open.is_answered(&id);
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        let message = self.inner.receive().await?;
        if let ServerJsonRpcMessage::Request(request) = &message {
            let size = serde_json::to_vec(&request.request).map_or(LARGEST, |it| it.len());
            if !self.open.take(request.id.clone(), size) {
                (self.over)("it asks more than can be answered");
                return None;
            }
        }
        Some(message)
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::RequestId;

    use super::{LARGEST, MOST, Open};

    #[test]
    fn what_is_answered_makes_room() {
        let open = Open::default();
        let same = RequestId::Number(1);
        for _ in 0..10 * MOST {
            assert!(open.take(same.clone(), LARGEST / 4));
            assert!(open.take(same.clone(), LARGEST / 4));
            open.is_answered(&same);
            open.is_answered(&same);
            open.is_answered(&same);
        }
    }

    #[test]
    fn more_than_can_be_held_is_refused() {
        let (many, large) = (Open::default(), Open::default());
        for number in 0..MOST {
            assert!(many.take(RequestId::Number(number as i64), 1));
        }
        assert!(!many.take(RequestId::Number(-1), 1));
        assert!(large.take(RequestId::Number(1), LARGEST));
        assert!(!large.take(RequestId::Number(2), 1));
    }
}
