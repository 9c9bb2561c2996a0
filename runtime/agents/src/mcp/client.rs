//! What a server may send by itself, and how it identifies itself.
#![expect(
    deprecated,
    reason = "servers of the older age ask for models and folders, and write to the log"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gsw_engine::operation::Grants;
use gsw_tree::event::McpWhat;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult,
    ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationCapability, ErrorCode,
    ErrorData, FormElicitationCapability, Implementation, ListRootsResult,
    ProgressNotificationParam, RootsCapabilities, SamplingCapability,
};
use rmcp::service::{InboundStreamOrigin, NotificationContext, Peer, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Value, json};

use crate::mcp::asked::{self, Reply, What};
use crate::mcp::happened::Happened;
use crate::mcp::talk::Talks;

/// The code of a question that the user of a client refuses.
const REFUSED: ErrorCode = ErrorCode(-1);

/// A client that has little a server could ask for: forms, models and folders only where a program grants them.
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

impl Client {
    /// The calls in which the server may ask, if it is granted what it asks for.
    fn granting(&self, what: &str, is_granted: impl Fn(&Grants) -> bool) -> Option<&Talks> {
        let talks = self.talks.as_ref().filter(|it| is_granted(it.grants()));
        if talks.is_none() {
            let what = json!({ "method": what });
            self.happened.note(McpWhat::Refused, Some(&what));
        }
        talks
    }
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let myself = Implementation::new("groundswell", env!("CARGO_PKG_VERSION"));
        let mut capabilities = ClientCapabilities::default();
        let grants = self.talks.as_ref().map(Talks::grants);
        if grants.is_some_and(|it| it.sampling) {
            capabilities.sampling = Some(SamplingCapability::default());
        }
        if grants.is_some_and(|it| !it.roots.is_empty()) {
            capabilities.roots = Some(RootsCapabilities::default());
        }
        if grants.is_some_and(|it| it.forms) {
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
        let declined = ElicitResult::new(ElicitationAction::Decline);
        let Some(talks) = self.granting("elicitation/create", |it| it.forms) else {
            return Ok(declined);
        };
        let what = What::form(params).map_err(|why| ErrorData::invalid_params(why, None))?;
        let origin = context.extensions.get::<InboundStreamOrigin>();
        match talks.ask(what, origin).await {
            Some(Reply::Form(result)) => Ok(result),
            Some(Reply::Sample(_) | Reply::Folders(_)) | None => Ok(declined),
        }
    }

    async fn create_message(
        &self,
        params: CreateMessageRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let refused = |why| Err(ErrorData::new(REFUSED, why, None));
        let Some(talks) = self.granting("sampling/createMessage", |it| it.sampling) else {
            return refused("no model is granted to this server".to_owned());
        };
        let what = match What::sample(params) {
            Ok(what) => what,
            Err(why) => return refused(why),
        };
        let origin = context.extensions.get::<InboundStreamOrigin>();
        match talks.ask(what, origin).await {
            Some(Reply::Sample(Ok(result))) => Ok(*result),
            Some(Reply::Sample(Err(why))) => refused(why),
            Some(Reply::Form(_) | Reply::Folders(_)) | None => {
                refused("there is no call that this is about".to_owned())
            }
        }
    }

    async fn list_roots(
        &self,
        _context: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        let talks = self.granting("roots/list", |it| !it.roots.is_empty());
        let roots = talks.map_or(&[][..], |it| &it.grants().roots);
        Ok(asked::folders(roots))
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
