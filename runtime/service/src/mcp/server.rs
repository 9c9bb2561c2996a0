//! What the server answers.
//!
//! A client of the newer protocol cannot be asked while its call is open: it gets the question as the result and calls again
//! with the answer and the token of the run, which goes on all the while.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gsw_abi::types::TypeId;
use gsw_driver::durable::store::RunStore;
use gsw_driver::engine::runs::new_id;
use gsw_driver::engine::{Canceller, Engine, RunOptions, Starting};
use gsw_driver::human::NoReply;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelledNotificationParam, ClientResult,
    ElicitRequest, ElicitResult, Implementation, InputRequest, InputRequests, InputRequiredResult,
    ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ProgressToken,
    ProtocolVersion, RequestId, ServerCapabilities, ServerConfig, ServerRequest, Tool,
};
use rmcp::service::{NotificationContext, PeerRequestOptions, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Map;

use crate::arguments::{BuiltinOptions, same_name};
use crate::mcp::callers::{Asked, Callers, Happening, Happenings};
use crate::mcp::{ending, form, offer, progress};
use crate::report::Next;
use crate::store::Origin;

/// The key of the only question of a result.
const QUESTION: &str = "question";

/// A program as a server.
pub(super) struct Server {
    engine: Engine,
    callers: Arc<Callers>,
    tools: Vec<Tool>,
    origin: Origin,
    options: BuiltinOptions,
    store: Option<Arc<RunStore>>,
    /// The runs of calls that are open, for clients that cancel them.
    open: Mutex<BTreeMap<String, Canceller>>,
    /// Runs whose client is to call again, by their tokens.
    parted: Mutex<BTreeMap<String, Ongoing>>,
}

/// A run that a client waits for.
struct Ongoing {
    result: TypeId,
    canceller: Canceller,
    happenings: Happenings,
    /// What is asked and has no reply.
    asked: Option<Box<Asked>>,
    /// How many lines of progress were sent.
    lines: u32,
}

/// Whether a client can be asked, and how.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asking {
    /// It has no form to show.
    Never,
    /// By a request, while its own is open.
    Within,
    /// By the result, after which it calls again.
    Between,
}

impl Server {
    pub fn new(
        engine: Engine,
        callers: Arc<Callers>,
        store: Option<Arc<RunStore>>,
        (origin, options): (&Origin, &BuiltinOptions),
    ) -> Self {
        Self {
            tools: offer::tools(engine.program()),
            engine,
            callers,
            origin: origin.clone(),
            options: options.clone(),
            store,
            open: Mutex::default(),
            parted: Mutex::default(),
        }
    }

    /// Begins the run of a call, or finds the one that its token names.
    fn ongoing(&self, request: CallToolRequestParams) -> Result<Ongoing, ErrorData> {
        let Some(token) = request.request_state else {
            return self.begin(&request.name, request.arguments.unwrap_or_default());
        };
        let found = lock(&self.parted).remove(&token);
        let mut ongoing = found.ok_or_else(|| {
            ErrorData::invalid_params("no run waits for this `requestState`", None)
        })?;
        let responses = request.input_responses.unwrap_or_default();
        if let Some(asked) = ongoing.asked.take() {
            let answer = responses.get(QUESTION).cloned();
            let answer = answer.ok_or_else(|| "there is no response to it".to_owned());
            let answer = answer.and_then(|it| {
                serde_json::from_value::<ElicitResult>(it).map_err(|error| error.to_string())
            });
            let reply = match answer {
                Ok(result) => form::reply(&asked.question, result),
                Err(why) => Err(NoReply::Declined(format!(
                    "`{}` was not answered: {why}",
                    asked.question.human
                ))),
            };
            // Who has taken the question back needs no reply.
            let _ = asked.reply.send(reply);
        }
        Ok(ongoing)
    }

    fn begin(
        &self,
        name: &str,
        input: Map<String, serde_json::Value>,
    ) -> Result<Ongoing, ErrorData> {
        let workflows = &self.engine.program().workflows;
        let index = workflows.iter().position(|it| same_name(&it.name, name));
        let index = index
            .ok_or_else(|| ErrorData::invalid_params(format!("there is no tool `{name}`"), None))?;
        let id = new_id();
        let (teller, happenings) = self.callers.add(&id);
        let (callers, run) = (Arc::clone(&self.callers), Arc::clone(&id));
        let options = RunOptions {
            listener: Some(Arc::new(move |event| {
                teller.progress(|| progress::line(&event.kind));
            })),
            on_end: Box::new(move |finished| callers.remove(&run, finished)),
        };
        match self.engine.start_once(id, index, input, options) {
            Starting::New(canceller) => Ok(Ongoing {
                result: workflows[index].result,
                canceller,
                happenings,
                asked: None,
                lines: 0,
            }),
            Starting::Exists(_) => unreachable!("nobody else has this id"),
        }
    }

    /// Follows a run to its end, or to a question that the client answers by another call.
    async fn follow(
        &self,
        mut ongoing: Ongoing,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let token = context.meta.get_progress_token();
        let asking = asking(context);
        loop {
            match ongoing.happenings.next().await {
                Some(Happening::Progress(line)) => {
                    if let Some(token) = token.clone() {
                        ongoing.lines += 1;
                        tell(context, token, (ongoing.lines, line)).await;
                    }
                }
                Some(Happening::Asked(asked)) => match asking {
                    Asking::Never => refuse(*asked),
                    Asking::Within => ask(context, *asked).await,
                    Asking::Between => {
                        if let Some(result) = self.part(asked, &mut ongoing) {
                            lock(&self.parted).insert(result.0, ongoing);
                            return Ok(result.1.into());
                        }
                    }
                },
                Some(Happening::Ended(finished)) => {
                    if let Some(store) = &self.store {
                        // Who calls the command line with the same input asks for a run of their own, so should this
                        // fail, they get this result once more.
                        let _ = store.delivered(ongoing.canceller.run());
                    }
                    let next = Next::new(&self.origin, &self.options, ongoing.canceller.run());
                    let result = (ongoing.result, &next);
                    return ending::result(&self.engine, finished.result, result).map(Into::into);
                }
                None => return Err(ErrorData::internal_error("the run was lost", None)),
            }
        }
    }

    /// The result that asks, with the token under which the run is found; none where the question has no form.
    fn part(
        &self,
        asked: Box<Asked>,
        ongoing: &mut Ongoing,
    ) -> Option<(String, InputRequiredResult)> {
        let params = match form::request(&asked.question) {
            Ok(params) => params,
            Err(why) => {
                let _ = asked.reply.send(Err(why));
                return None;
            }
        };
        // Nobody can guess it, so that no other call gets the run.
        let token = new_id().to_string();
        let request = InputRequest::Elicitation(ElicitRequest::new(params));
        let requests = InputRequests::from([(QUESTION.to_owned(), request)]);
        ongoing.asked = Some(asked);
        Some((
            token.clone(),
            InputRequiredResult::new(Some(requests), Some(token)),
        ))
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let program = self.engine.program();
        let version = program.version.clone();
        let version = version.unwrap_or_else(|| env!("CARGO_PKG_VERSION").to_owned());
        let capabilities = ServerCapabilities::builder().enable_tools().build();
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
        Ok(ListToolsResult::with_all_items(self.tools.clone()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let ongoing = self.ongoing(request)?;
        let call = key(&context.id);
        lock(&self.open).insert(call.clone(), ongoing.canceller.clone());
        let result = self.follow(ongoing, &context).await;
        lock(&self.open).remove(&call);
        result
    }

    async fn on_cancelled(
        &self,
        notification: CancelledNotificationParam,
        _context: NotificationContext<RoleServer>,
    ) {
        let call = notification.request_id.as_ref().map(key);
        let run = call.and_then(|it| lock(&self.open).get(&it).cloned());
        if let Some(run) = run {
            let why = notification.reason.unwrap_or_default();
            run.cancel(match why.is_empty() {
                true => "cancelled by the client",
                false => &why,
            });
        }
    }
}

/// An id of the client's as text in which a number and a text differ.
fn key(id: &RequestId) -> String {
    match id {
        RequestId::Number(number) => number.to_string(),
        RequestId::String(text) => format!("\"{text}"),
    }
}

fn asking(context: &RequestContext<RoleServer>) -> Asking {
    let capabilities = context.client_capabilities();
    let elicits = capabilities.and_then(|it| it.elicitation);
    // One that names neither kind of form has the plain one, as all had before there were two.
    if !elicits.is_some_and(|it| it.form.is_some() || it.url.is_none()) {
        return Asking::Never;
    }
    let version = context.protocol_version().unwrap_or_default();
    if version.as_str() >= ProtocolVersion::V_2026_07_28.as_str() {
        Asking::Between
    } else {
        Asking::Within
    }
}

async fn tell(
    context: &RequestContext<RoleServer>,
    token: ProgressToken,
    (number, line): (u32, String),
) {
    let progress = ProgressNotificationParam::new(token, f64::from(number)).with_message(line);
    // A client that has gone is noticed elsewhere.
    let _ = context.peer.notify_progress(progress).await;
}

fn refuse(asked: Asked) {
    let why = format!(
        "`{}` asks a person, and the client has no elicitation",
        asked.question.human
    );
    let _ = asked.reply.send(Err(NoReply::Unreachable(why)));
}

/// Asks while the call is open. A question that was taken back is withdrawn from the client.
async fn ask(context: &RequestContext<RoleServer>, mut asked: Asked) {
    let unreachable = |why: String| {
        let human = &asked.question.human;
        NoReply::Unreachable(format!("`{human}` cannot be asked: {why}"))
    };
    let params = match form::request(&asked.question) {
        Ok(params) => params,
        Err(why) => {
            let _ = asked.reply.send(Err(why));
            return;
        }
    };
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(params));
    let options = PeerRequestOptions::default();
    let sent = context
        .peer
        .send_cancellable_request(request, options)
        .await;
    let mut handle = match sent {
        Ok(handle) => handle,
        Err(error) => {
            let why = unreachable(error.to_string());
            let _ = asked.reply.send(Err(why));
            return;
        }
    };
    let answer = tokio::select! {
        answer = &mut handle.rx => answer,
        () = asked.reply.closed() => {
            let why = "nobody waits for the answer any more".to_owned();
            let _ = handle.cancel(Some(why)).await;
            return;
        }
    };
    let reply = match answer {
        Ok(Ok(ClientResult::ElicitResult(result))) => form::reply(&asked.question, result),
        Ok(Ok(_)) => Err(unreachable("the client has answered something else".into())),
        Ok(Err(error)) => Err(unreachable(error.to_string())),
        Err(_) => Err(unreachable("the client has gone".into())),
    };
    let _ = asked.reply.send(reply);
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that can panic runs while the lock is held.
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
