//! What a server may send by itself, and how it identifies itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gsw_tree::event::McpWhat;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, ErrorData, FormElicitationCapability, Implementation,
    ProgressNotificationParam,
};
use rmcp::service::{InboundStreamOrigin, NotificationContext, Peer, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Value, json};

use crate::mcp::happened::Happened;
use crate::mcp::talk::Talks;

/// A client that has little a server could ask for: no sampling, no roots, and forms only where a program fills them in.
pub(super) struct Client {
    /// How often the server has reported that its tools have changed.
    changes: Arc<AtomicU64>,
    happened: Happened,
    talks: Option<Talks>,
}

impl Client {
    pub fn new(changes: Arc<AtomicU64>, happened: Happened, talks: Option<Talks>) -> Self {
        Self {
            changes,
            happened,
            talks,
        }
    }
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let myself = Implementation::new("groundswell", env!("CARGO_PKG_VERSION"));
        let mut capabilities = ClientCapabilities::default();
        if self.talks.is_some() {
            let forms = FormElicitationCapability::new();
            capabilities.elicitation = Some(ElicitationCapability::new().with_form(forms));
        }
        ClientConfig::new(capabilities, myself)
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let Some(talks) = &self.talks else {
            return Ok(ElicitResult::new(ElicitationAction::Decline));
        };
        let origin = context.extensions.get::<InboundStreamOrigin>();
        let asked = talks.ask(params, origin).await;
        asked.map_err(|why| ErrorData::invalid_params(why, None))
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changes.fetch_add(1, Ordering::Release);
        self.happened.note(McpWhat::ToolsChanged, None);
    }

    async fn on_resource_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.happened.note(McpWhat::ResourcesChanged, None);
    }

    async fn on_prompt_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.happened.note(McpWhat::PromptsChanged, None);
    }

    #[expect(deprecated, reason = "servers of the older age say it")]
    async fn on_logging_message(
        &self,
        params: rmcp::model::LoggingMessageNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        let said = json!({ "level": params.level, "logger": params.logger, "data": params.data });
        self.happened.note(McpWhat::Log, Some(&said));
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        let said = json!({ "progress": params.progress, "total": params.total, "message": params.message });
        let call = Some(params.progress_token);
        self.happened.note_of(call, McpWhat::Progress, Some(&said));
    }
}

/// How a server identifies itself, and the version of the protocol in use.
pub(super) fn of_server(peer: &Peer<RoleClient>) -> Option<Value> {
    let info = peer.peer_info()?;
    let server = info.server_info.as_ref();
    Some(json!({
        "name": server.map(|it| &it.name),
        "version": server.map(|it| &it.version),
        "protocol": info.protocol_version,
    }))
}
