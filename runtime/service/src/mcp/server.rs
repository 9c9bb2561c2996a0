//! What the server answers to one client.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use gsw_tree::event::Level;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestMethod,
    CompleteRequestParams, CompleteResult, CompletionInfo, GetPromptRequestParams,
    GetPromptResponse, GetTaskParams, GetTaskResult, Implementation, InputResponses,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    Reference, ResourcesCapability, ServerCapabilities, ServerConfig, SetLevelRequestMethod,
    SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value, json};

use crate::arguments::same_name;
use crate::mcp::calls::Call;
use crate::mcp::client::Client;
use crate::mcp::offered::{Followed, Offered, Wanted, lock};
use crate::mcp::watched::Watched;
use crate::mcp::{ending, guard, log, offer, prompt, resource, tasks, watched};

/// For this long, in milliseconds, a client may believe that all is as it has heard: what is offered is that of the program.
const LISTED: u64 = 3_600_000;

/// The server of one client.
pub(super) struct Server {
    offered: Arc<Offered>,
    /// The lowest level of the log that it wants; `None` until it asks for it.
    logged: Mutex<Option<Level>>,
    watched: Watched,
}

impl Server {
    pub fn new(offered: Arc<Offered>) -> Self {
        Self {
            offered,
            logged: Mutex::default(),
            watched: Watched::default(),
        }
    }

    /// The error for a client that asks for something that does not exist, or that it may not have.
    fn unknown(&self, what: &str, name: &str) -> ErrorData {
        let why = guard::why_not(self.offered.program(), name);
        let why = why.unwrap_or_else(|| format!("there is no {what} `{name}`"));
        ErrorData::invalid_params(why, None)
    }

    /// The workflow that is read at an address, and its input.
    fn readable(&self, uri: &str) -> Result<(usize, Map<String, Value>), ErrorData> {
        let found = resource::find(self.offered.program(), uri);
        let (workflow, input) = found.ok_or_else(|| {
            let why = format!("there is nothing to read at `{uri}`");
            ErrorData::resource_not_found(why, Some(json!({ "uri": uri })))
        })?;
        match guard::why_closed(&self.offered.program().workflows[workflow]) {
            Some(why) => Err(ErrorData::invalid_params(why, None)),
            None => Ok((workflow, input)),
        }
    }

    /// Runs what a client wants, which it can cancel by the id of its request.
    async fn run(
        &self,
        wanted: Wanted,
        context: &RequestContext<RoleServer>,
        patience: Option<Duration>,
    ) -> Result<Followed, ErrorData> {
        if let Some(ended) = self.offered.unfit(&wanted) {
            return Ok(ended);
        }
        let ongoing = self.offered.ongoing(wanted)?;
        // A request of the newer age at an address has a connection of its own, and is cancelled by its end.
        if let Some(call) = context.extensions.get::<Arc<Call>>() {
            call.began(&ongoing.canceller);
        }
        let logged = *lock(&self.logged);
        self.offered
            .follow(ongoing, context, patience, logged)
            .await
    }
}

impl ServerHandler for Server {
    #[expect(deprecated, reason = "clients of the older age ask for the log")]
    fn get_info(&self) -> ServerConfig {
        let program = self.offered.program();
        let version = program.version.clone();
        let version = version.unwrap_or_else(|| env!("CARGO_PKG_VERSION").to_owned());
        let mut capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_logging()
            .enable_tasks()
            .build();
        let Offered {
            prompts,
            resources,
            templates,
            ..
        } = &*self.offered;
        if !prompts.is_empty() {
            capabilities.prompts = Some(Default::default());
        }
        if !resources.is_empty() || !templates.is_empty() {
            let mut readable = ResourcesCapability::default();
            readable.subscribe = Some(true);
            capabilities.resources = Some(readable);
        }
        if !prompts.is_empty() || !templates.is_empty() {
            capabilities.completions = Some(Default::default());
        }
        let config = ServerConfig::new(capabilities)
            .with_server_info(Implementation::new(program.name.clone(), version));
        match &program.docs {
            Some(docs) => config.with_instructions(docs.clone()),
            None => config,
        }
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let listed = ListToolsResult::with_all_items(self.offered.tools.clone());
        let listed = listed.with_ttl_ms(LISTED);
        Ok(listed.with_cache_scope(CacheScope::Public))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = &request.name;
        let workflow = offer::find(self.offered.program(), name);
        let workflow = workflow.ok_or_else(|| self.unknown("tool", name))?;
        let wanted = Wanted {
            workflow,
            input: request.arguments.unwrap_or_default(),
            again: again(request.request_state, request.input_responses),
        };
        let patience = tasks::are_known(&context).then_some(tasks::PATIENCE);
        Ok(match self.run(wanted, &context, patience).await? {
            Followed::Asked(asked) => asked.into(),
            Followed::Late(ongoing) => {
                let task = tasks::begin(&self.offered, *ongoing, Client::of(&context));
                CallToolResponse::Task(task)
            }
            Followed::Ended(ended, next) => {
                ending::result(self.offered.engine(), ended, &next)?.into()
            }
        })
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let mut tools = self.offered.tools.iter();
        tools.find(|it| same_name(&it.name, name)).cloned()
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let task = self.offered.tasks_begun.get(&request.task_id)?;
        Ok(GetTaskResult::new(task))
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let answers = request.input_responses;
        self.offered.tasks_begun.answer(&request.task_id, answers)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.offered.tasks_begun.cancel(&request.task_id)
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let listed = ListPromptsResult::with_all_items(self.offered.prompts.clone());
        let listed = listed.with_ttl_ms(LISTED);
        Ok(listed.with_cache_scope(CacheScope::Public))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let (program, name) = (self.offered.program(), &request.name);
        let workflow = prompt::find(program, name);
        let workflow = workflow.ok_or_else(|| self.unknown("prompt", name))?;
        let declared = &program.workflows[workflow];
        let arguments = request.arguments.unwrap_or_default();
        let wanted = Wanted {
            workflow,
            input: prompt::input(&program.types, declared, arguments),
            again: again(request.request_state, request.input_responses),
        };
        Ok(match self.run(wanted, &context, None).await? {
            Followed::Asked(asked) => GetPromptResponse::InputRequired(asked),
            Followed::Late(_) => return Err(endless()),
            Followed::Ended(ended, _) => {
                GetPromptResponse::Complete(ending::messages(self.offered.engine(), ended)?)
            }
        })
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let listed = ListResourcesResult::with_all_items(self.offered.resources.clone());
        let listed = listed.with_ttl_ms(LISTED);
        Ok(listed.with_cache_scope(CacheScope::Public))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let listed = ListResourceTemplatesResult::with_all_items(self.offered.templates.clone());
        let listed = listed.with_ttl_ms(LISTED);
        Ok(listed.with_cache_scope(CacheScope::Public))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = &request.uri;
        let (workflow, input) = self.readable(uri)?;
        let wanted = Wanted {
            workflow,
            input,
            again: again(request.request_state, request.input_responses),
        };
        Ok(match self.run(wanted, &context, None).await? {
            Followed::Asked(asked) => ReadResourceResponse::InputRequired(asked),
            Followed::Late(_) => return Err(endless()),
            Followed::Ended(ended, _) => {
                ReadResourceResponse::Complete(ending::contents(self.offered.engine(), ended, uri)?)
            }
        })
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        self.get_info().capabilities.resources?;
        let wanted = requested.resource_subscriptions.as_deref();
        let mut filter = SubscriptionFilter::new();
        // Of all else nothing ever changes, so that who listens for that alone hears nothing.
        filter.resource_subscriptions =
            wanted.map(|it| watched::accepted(it, |it| self.readable(it).is_ok()));
        Some(filter)
    }

    async fn listen(&self, listener: SubscriptionContext) -> Result<(), ErrorData> {
        self.offered.changes.tell(listener).await;
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.readable(&request.uri)?;
        self.watched
            .add(request.uri, &context.peer, &self.offered.changes)
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.watched.remove(&request.uri);
        Ok(())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        if self.get_info().capabilities.completions.is_none() {
            return Err(ErrorData::method_not_found::<CompleteRequestMethod>());
        }
        let program = self.offered.program();
        let workflow = match &request.r#ref {
            Reference::Prompt(of) => prompt::find(program, &of.name),
            Reference::Resource(of) => resource::declared(program, &of.uri),
            _ => None,
        };
        let workflow = workflow
            .ok_or_else(|| ErrorData::invalid_params("nothing of this name has arguments", None))?;
        let values = prompt::completions(
            &program.types,
            &program.workflows[workflow],
            &request.argument.name,
            &request.argument.value,
        );
        let info = CompletionInfo::new(values);
        let info = info.map_err(|why| ErrorData::internal_error(why, None))?;
        Ok(CompleteResult::new(info))
    }

    #[expect(deprecated, reason = "clients of the older age ask for the log")]
    async fn set_level(
        &self,
        request: rmcp::model::SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let version = context.protocol_version().unwrap_or_default();
        if version.as_str() >= ProtocolVersion::V_2026_07_28.as_str() {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        *lock(&self.logged) = log::least(request.level);
        Ok(())
    }
}

/// A wait without a limit cannot run out.
fn endless() -> ErrorData {
    ErrorData::internal_error("the run was given up without a limit", None)
}

/// The token of a run that has asked, with what was answered.
fn again(
    token: Option<String>,
    responses: Option<InputResponses>,
) -> Option<(String, InputResponses)> {
    Some((token?, responses.unwrap_or_default()))
}
