//! A call of a tool that is in flight. When its caller stops waiting, the server is notified.

use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotificationParam, ClientRequest,
    ProgressToken, RequestId, RequestMetaObject, ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestHandle, ServiceError};

use crate::mcp::happened::Happened;

/// Under which a server finds the key of a call.
const KEY: &str = "groundswell/idempotency-key";

pub(super) struct OpenCall {
    handle: RequestHandle<RoleClient>,
    open: Open,
}

impl OpenCall {
    /// Sends the request.
    pub async fn begin(
        peer: &Peer<RoleClient>,
        mut params: CallToolRequestParams,
        key: String,
        happened: &Happened,
    ) -> Result<Self, ServiceError> {
        let mut meta = RequestMetaObject::new();
        meta.insert(KEY.to_owned(), key.into());
        params.meta = Some(meta);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let options = PeerRequestOptions::default();
        let handle = peer.send_cancellable_request(request, options).await?;
        happened.has_begun(&handle.progress_token);
        let open = Open {
            peer: peer.clone(),
            request: Some(handle.id.clone()),
            call: handle.progress_token.clone(),
            happened: happened.clone(),
        };
        Ok(Self { handle, open })
    }

    pub fn token(&self) -> &ProgressToken {
        &self.handle.progress_token
    }

    pub fn id(&self) -> &RequestId {
        &self.handle.id
    }

    /// What the server says to it, once.
    pub async fn answer(&mut self) -> Result<ServerResult, ServiceError> {
        let answer = (&mut self.handle.rx).await;
        self.open.request = None;
        answer.unwrap_or(Err(ServiceError::TransportClosed))
    }
}

struct Open {
    peer: Peer<RoleClient>,
    /// None once it has its answer.
    request: Option<RequestId>,
    call: ProgressToken,
    happened: Happened,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.happened.is_over(&self.call);
        let Some(request) = self.request.take() else {
            return;
        };
        let peer = self.peer.clone();
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let why = "the answer is not waited for any more".to_owned();
                let cancelled = CancelledNotificationParam::new(Some(request), Some(why));
                // A server that has gone has nothing to cancel.
                let _ = peer.notify_cancelled(cancelled).await;
            });
        }
    }
}
