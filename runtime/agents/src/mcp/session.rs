//! One server, and the exchanges with it.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use gsw_driver::servers::{
    ServerAddress, ServerCall, ServerFailure, ServerLife, ServerPlace, ServerProcess, ServerProgram,
};
use gsw_driver::web::ReachOf;
use gsw_engine::operation::{AskOfServer, Grants};
use gsw_notation::json;
use gsw_tree::event::McpWhat;
use rmcp::RoleClient;
use rmcp::model::{CallToolRequestParams, ProtocolVersion, ServerResult, Tool};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt, Peer, RunningService,
    RunningServiceCancellationToken, ServiceError,
};
use rmcp::transport::IntoTransport;
use serde_json::{Map, Value};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::sync::watch;

use crate::mcp::authorization::bearer::Bearer;
use crate::mcp::call::OpenCall;
use crate::mcp::client::{self, Client};
use crate::mcp::happened::Happened;
use crate::mcp::locked::Digests;
use crate::mcp::look::Unseen;
use crate::mcp::pipe::Pipes;
use crate::mcp::questions::Bounded;
use crate::mcp::talk::{Begun, Next, Talks, Turn};
use crate::mcp::trouble::Trouble;
use crate::mcp::waited::About;
use crate::mcp::{address, answer, lock, locked, look, newer, talk, trouble, waited};

/// How long a server may take until it has identified itself: one that is downloaded first takes its time.
const START: Duration = Duration::from_secs(60);
/// How long to wait for the answer that tells the age of a server. One that takes longer to start is started again and greeted in
/// the older way, which newer servers understand as well.
const PROBE: Duration = Duration::from_secs(10);
/// How long it may take until the end of a process is seen.
const SEEN: Duration = Duration::from_millis(1_200);
/// How many bytes of a server's standard error are kept, the last ones.
const SAID: usize = 2_000;

/// A server that runs or is reached.
pub(super) struct Session {
    peer: Peer<RoleClient>,
    /// Ends the exchange; `None` once it was cancelled.
    end: Mutex<Option<RunningServiceCancellationToken>>,
    life: Mutex<Life>,
    /// Whether the server has ended, for the calls that wait for an answer.
    has_gone: watch::Sender<bool>,
    said: Said,
    /// The exchange was ended here. Answers that the server does not read may still be on their way.
    overdone: Arc<AtomicBool>,
    happened: Happened,
    changes: Arc<AtomicU64>,
    /// `None` where the server was told that it may ask for nothing.
    talks: Option<Talks>,
    /// The digests of its tools by name, and after how many changes they were read.
    known: tokio::sync::Mutex<Option<(u64, Digests)>>,
}

/// Receives what a server sends by itself.
#[derive(Default)]
pub(super) struct Inbox {
    pub happened: Happened,
    pub grants: Grants,
}

/// What a session lives by.
enum Life {
    Process(ServerLife),
    /// The server is elsewhere and lives on.
    Address,
    Over,
}

/// Why no session with a server could begin.
struct Ungreeted {
    trouble: Trouble,
    /// It has answered the question for its age with something that is no answer to it, as servers do that know few methods and
    /// refuse none.
    may_be_older: bool,
}

impl Ungreeted {
    fn why(why: String) -> Self {
        Self::from(ServerFailure::Server(why))
    }
}

impl From<ServerFailure> for Ungreeted {
    fn from(failure: ServerFailure) -> Self {
        Self {
            trouble: failure.into(),
            may_be_older: false,
        }
    }
}

/// The end of a server's standard error.
#[derive(Clone, Default)]
struct Said {
    bytes: Arc<Mutex<Vec<u8>>>,
    /// Why the exchange was ended here, though the server has not ended.
    ended_here: Arc<Mutex<Option<String>>>,
}

impl Session {
    /// Starts or reaches the server and greets it, in whichever age of the protocol it speaks. One at an address is shown the token.
    pub async fn start(
        server: &ServerPlace,
        (reach_of, bearer): (&ReachOf, Bearer),
        inbox: &Inbox,
    ) -> Result<Self, Trouble> {
        match server {
            ServerPlace::Program(program) => Self::start_program(program, inbox).await,
            ServerPlace::Address(address) => Self::reach(address, reach_of, bearer, inbox).await,
        }
        .map_err(|it| it.trouble)
    }

    async fn reach(
        address: &ServerAddress,
        reach_of: &ReachOf,
        bearer: Bearer,
        inbox: &Inbox,
    ) -> Result<Self, Ungreeted> {
        let with = (reach_of, bearer.clone());
        match Self::greet_address(address, with, either_age(), inbox).await {
            Err(it) if it.may_be_older => {
                let older = ClientLifecycleMode::Initialize;
                Self::greet_address(address, (reach_of, bearer), older, inbox).await
            }
            greeted => greeted,
        }
    }

    async fn greet_address(
        address: &ServerAddress,
        (reach_of, bearer): (&ReachOf, Bearer),
        age: ClientLifecycleMode,
        inbox: &Inbox,
    ) -> Result<Self, Ungreeted> {
        let said = Said::default();
        let noted = said.clone();
        let over = Arc::new(move |why: &str| noted.note_end_here(why));
        let transport = address::transport(address, reach_of, bearer, over)?;
        let heard = (said, inbox);
        Self::greet(transport, age, Life::Address, heard).await
    }

    async fn start_program(server: &ServerProgram, inbox: &Inbox) -> Result<Self, Ungreeted> {
        let begun = Instant::now();
        match Self::greet_program(server, either_age(), inbox).await {
            // The question for its age was given up, and its answer came after the next greeting; or it was not understood.
            Err(it) if it.may_be_older || (PROBE..START).contains(&begun.elapsed()) => {
                Self::greet_program(server, ClientLifecycleMode::Initialize, inbox).await
            }
            greeted => greeted,
        }
    }

    async fn greet_program(
        server: &ServerProgram,
        age: ClientLifecycleMode,
        inbox: &Inbox,
    ) -> Result<Self, Ungreeted> {
        let process = server
            .start()
            .map_err(|error| Ungreeted::why(server.not_started(&error)))?;
        let ServerProcess {
            input,
            output,
            errors,
            life,
        } = process;
        let said = Said::default();
        let piped = pipes(input, output, &said)
            .and_then(|pipes| Ok((pipes, Receiver::from_owned_fd(errors)?)));
        let (pipes, errors) =
            piped.map_err(|error| Ungreeted::why(format!("it cannot be reached: {error}")))?;
        tokio::spawn(said.clone().listen(errors));
        Self::greet(pipes, age, Life::Process(life), (said, inbox)).await
    }

    async fn greet<E: std::error::Error + Send + Sync + 'static, A>(
        transport: impl IntoTransport<RoleClient, E, A>,
        age: ClientLifecycleMode,
        life: Life,
        (said, inbox): (Said, &Inbox),
    ) -> Result<Self, Ungreeted> {
        let changes = Arc::new(AtomicU64::new(0));
        let grants = &inbox.grants;
        let talks = grants.talks().then(|| Talks::new(grants.clone()));
        let overdone = Arc::<AtomicBool>::default();
        let (heard, stopped) = (said.clone(), Arc::clone(&overdone));
        let transport = Bounded::new(transport.into_transport(), move |why| {
            heard.note_end_here(why);
            stopped.store(true, Ordering::Release);
        });
        let client = Client::new(Arc::clone(&changes), inbox.happened.clone(), talks.clone());
        let greeted =
            tokio::time::timeout(START, client.serve_with_lifecycle(transport, age)).await;
        let service: RunningService<RoleClient, Client> = match greeted {
            Ok(Ok(service)) => service,
            Ok(Err(error)) => {
                let trouble = match trouble::of_greeting(&error) {
                    Some(challenge) => Trouble::Refused(challenge),
                    None => {
                        let why = trouble::words_of_greeting(&error);
                        Trouble::Failed(ServerFailure::Server(said.beside(&why).await))
                    }
                };
                return Err(Ungreeted {
                    trouble,
                    may_be_older: matches!(error, ClientInitializeError::ExpectedInitResult(_)),
                });
            }
            Err(_) => {
                let seconds = START.as_secs();
                let why = format!("it does not answer the greeting within {seconds} s");
                return Err(Ungreeted::why(said.beside(&why).await));
            }
        };
        let (peer, end) = (service.peer().clone(), service.cancellation_token());
        inbox
            .happened
            .note(McpWhat::Started, client::of_server(&peer).as_ref());
        // It runs by itself until the server ends or is asked to.
        tokio::spawn(async move { drop(service.waiting().await) });
        Ok(Self {
            peer,
            end: Mutex::new(Some(end)),
            life: Mutex::new(life),
            has_gone: watch::Sender::default(),
            said,
            overdone,
            happened: inbox.happened.clone(),
            changes,
            talks,
            known: tokio::sync::Mutex::default(),
        })
    }

    /// What it says to a question, if it does not leave that without an answer.
    pub async fn ask(&self, call: ServerCall) -> Result<String, Trouble> {
        let (about, silence) = (About::default(), call.silence);
        tokio::select! {
            biased;
            answer = self.answer(call, &about) => answer,
            why = waited::in_vain(self, &self.happened, &about, silence) => Err(why.into()),
        }
    }

    /// Whatever is rarer than a call is apart, for a call carries the room for all that may be waited for in it.
    async fn answer(&self, call: ServerCall, about: &About) -> Result<String, Trouble> {
        let (peer, happened) = (&self.peer, &self.happened);
        let seen = match call.ask {
            AskOfServer::Tools => {
                let tools = Box::pin(self.tools()).await?;
                return Ok(locked::shown(&tools)?);
            }
            AskOfServer::Call {
                tool,
                input,
                digest,
            } => {
                if let Some(digest) = digest {
                    Box::pin(self.check(&tool, &digest)).await?;
                }
                return self.call(tool, &input, call.key, about).await;
            }
            AskOfServer::Talk { tool, turn } => {
                return Box::pin(self.talk(tool, &turn, (call.key, about))).await;
            }
            AskOfServer::Resources => Box::pin(look::resources(peer, happened)).await,
            AskOfServer::Templates => Box::pin(look::templates(peer, happened)).await,
            AskOfServer::Read { uri } => Box::pin(look::resource(peer, uri)).await,
            AskOfServer::Prompts => Box::pin(look::prompts(peer, happened)).await,
            AskOfServer::Prompt { prompt, input } => {
                Box::pin(look::prompt(peer, prompt, &input)).await
            }
        };
        Box::pin(self.seen(seen)).await
    }

    async fn tools(&self) -> Result<Vec<Tool>, Trouble> {
        let listed = look::tools(&self.peer, &self.happened).await;
        self.seen(listed).await
    }

    /// What was looked at, or why nothing was seen.
    async fn seen<T>(&self, seen: Result<T, Unseen>) -> Result<T, Trouble> {
        match seen {
            Ok(seen) => Ok(seen),
            Err(Unseen::Service(error)) => Err(self.failure(&error).await),
            Err(Unseen::Server(why)) => Err(ServerFailure::Server(why).into()),
        }
    }

    /// Refuses a tool that is not what it was when it was declared.
    async fn check(&self, tool: &str, digest: &str) -> Result<(), Trouble> {
        let changes = self.changes.load(Ordering::Acquire);
        let mut known = self.known.lock().await;
        let tools = match known.take().filter(|it| it.0 == changes) {
            Some((_, tools)) => tools,
            None => locked::digests(&self.tools().await?),
        };
        let found = tools.get(tool).cloned();
        *known = Some((changes, tools));
        Ok(locked::compare(tool, digest, found.as_deref())?)
    }

    /// Calls a tool. When its caller stops waiting, the server is notified.
    async fn call(
        &self,
        tool: String,
        input: &str,
        key: String,
        about: &About,
    ) -> Result<String, Trouble> {
        let input: Map<String, Value> = json::read(input)
            .map_err(|error| ServerFailure::Server(format!("no arguments: {error}")))?;
        let params = CallToolRequestParams::new(tool).with_arguments(input);
        let mut call = self.begin(params, key).await?;
        about.is(call.token());
        match known(call.answer().await) {
            Ok(ServerResult::CallToolResult(result)) => Ok(answer::of(result)?),
            Ok(ServerResult::InputRequiredResult(_)) => Err(Trouble::Failed(ServerFailure::Tool(
                "it asks its caller for what it is not granted: forms are for `call_with_forms`, a model for `sampling`, folders for `roots`"
                    .into(),
            ))),
            other => Err(Box::pin(self.no_answer(other)).await),
        }
    }

    async fn begin(&self, params: CallToolRequestParams, key: String) -> Result<OpenCall, Trouble> {
        match OpenCall::begin(&self.peer, params, key, &self.happened).await {
            Ok(call) => Ok(call),
            Err(error) => Err(Box::pin(self.failure(&error)).await),
        }
    }

    /// A turn of a call in which the server may ask.
    async fn talk(
        &self,
        tool: String,
        turn: &str,
        (key, about): (String, &About),
    ) -> Result<String, Trouble> {
        let talks = self
            .talks
            .as_ref()
            .ok_or_else(|| ServerFailure::Server("it was not told that it may ask".into()))?;
        let turn: Turn =
            json::read(turn).map_err(|error| ServerFailure::Server(format!("no turn: {error}")))?;
        if let Some(digest) = turn.locked() {
            self.check(&tool, digest).await?;
        }
        let talk = match talks.begin(tool, turn)? {
            Begun::GoesOn(talk) => *talk,
            Begun::GivenUp => return Ok(talk::done("null")?),
            Begun::Call(params) => talks.follow(self.begin(*params, key).await?),
        };
        about.is(talk.token());
        match talk.next(talks).await? {
            Next::Asks(told) => Ok(told),
            Next::Answered(answer) => match known(*answer) {
                Ok(ServerResult::CallToolResult(result)) => Ok(talk::done(&answer::of(result)?)?),
                Ok(ServerResult::InputRequiredResult(result)) => Ok(talks.asks(result)?),
                other => Err(self.no_answer(other).await),
            },
        }
    }

    /// What went wrong where a call that was sent has another answer, or none: whether it was done is unknown unless the server
    /// says that it refuses it.
    async fn no_answer(&self, answer: Result<ServerResult, ServiceError>) -> Trouble {
        let error = match answer {
            Ok(_) => return ServerFailure::Lost("it has answered something else".into()).into(),
            Err(error) => error,
        };
        let failure = self.failure(&error).await;
        if let Trouble::Failed(ServerFailure::Server(why)) = &failure
            && trouble::is_in_doubt(&error)
        {
            return ServerFailure::Lost(why.clone()).into();
        }
        failure
    }

    /// What went wrong, with the end of the server's standard error.
    async fn failure(&self, error: &ServiceError) -> Trouble {
        if let ServiceError::McpError(error) = error {
            // It has understood and does not want.
            return ServerFailure::Server(error.message.to_string()).into();
        }
        if let Some(challenge) = trouble::of_request(error) {
            return Trouble::Refused(challenge);
        }
        let has_gone = matches!(
            error,
            ServiceError::TransportClosed | ServiceError::TransportSend(_)
        );
        if let Life::Address = &*lock(&self.life)
            && let Some(why) = trouble::words_of_request(error)
        {
            return ServerFailure::Server(why).into();
        }
        if has_gone {
            return ServerFailure::Server(self.gone().await).into();
        }
        ServerFailure::Server(error.to_string()).into()
    }

    /// Fails all calls that wait for an answer.
    pub fn note_end(&self) {
        self.has_gone.send_replace(true);
    }

    /// Returns once that is so.
    pub async fn end_is_noted(&self) {
        // The sender lives as long as this does.
        let _ = self.has_gone.subscribe().wait_for(|it| *it).await;
    }

    /// That it has ended, or why there is no exchange with it any more, with the end of its standard error.
    pub async fn gone(&self) -> String {
        let ended_here = lock(&self.said.ended_here).clone();
        if let Some(why) = ended_here {
            let sentence = format!("{why}, so the connection to it was closed");
            return self.said.beside(&sentence).await;
        }
        let is_elsewhere = matches!(&*lock(&self.life), Life::Address);
        let sentence = if is_elsewhere {
            "the connection to it has ended"
        } else if self.ends_soon().await {
            "it has ended"
        } else {
            "it has closed its output"
        };
        self.said.beside(sentence).await
    }

    /// Whether its process has ended, which is seen a moment after its output has.
    async fn ends_soon(&self) -> bool {
        let until = Instant::now() + SEEN;
        while !self.has_ended() && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        self.has_ended()
    }

    /// Whether the session has ended.
    pub fn is_over(&self) -> bool {
        let has_ended = !matches!(&*lock(&self.life), Life::Address) && self.has_ended();
        let is_stopped = self.overdone.load(Ordering::Acquire);
        is_stopped || has_ended || self.peer.is_transport_closed() || lock(&self.end).is_none()
    }

    /// Whether its process has ended.
    pub fn has_ended(&self) -> bool {
        match &*lock(&self.life) {
            Life::Process(life) => life.is_over(),
            // There is nothing to wait for.
            Life::Address | Life::Over => true,
        }
    }

    /// Says that there will be no more, after which a server ends by itself.
    pub fn close(&self) {
        if let Some(end) = lock(&self.end).take() {
            end.cancel();
        }
    }

    /// Sends the termination signal. A process that has ended ignores it.
    pub fn ask_to_end(&self) {
        match &*lock(&self.life) {
            Life::Process(life) if !life.is_over() => life.ask_to_end(),
            Life::Process(_) | Life::Address | Life::Over => {}
        }
    }

    pub fn kill(&self) {
        self.close();
        *lock(&self.life) = Life::Over;
    }
}

/// An answer to a call with what of it is known here, if it is one.
fn known(answer: Result<ServerResult, ServiceError>) -> Result<ServerResult, ServiceError> {
    let result = newer::tool_result(answer?);
    Ok(result.map_or_else(|other| *other, ServerResult::CallToolResult))
}

/// The newer age of the protocol, or the older one where a server does not know it.
fn either_age() -> ClientLifecycleMode {
    ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: None,
    }
}

fn pipes(input: OwnedFd, output: OwnedFd, said: &Said) -> io::Result<Pipes> {
    let (output, input) = (
        Receiver::from_owned_fd(output)?,
        Sender::from_owned_fd(input)?,
    );
    let said = said.clone();
    Ok(Pipes::new(output, input, move |why| {
        said.note_end_here(why)
    }))
}

impl Said {
    async fn listen(self, mut errors: Receiver) {
        let mut bytes = vec![0; 4096];
        while let Ok(count @ 1..) = errors.read(&mut bytes).await {
            self.add(&bytes[..count]);
        }
    }

    /// Why the exchange was ended here: the first reason.
    fn note_end_here(&self, why: &str) {
        lock(&self.ended_here).get_or_insert_with(|| why.to_owned());
    }

    fn add(&self, bytes: &[u8]) {
        let mut said = lock(&self.bytes);
        said.extend_from_slice(bytes);
        let surplus = said.len().saturating_sub(SAID);
        said.drain(..surplus);
    }

    /// A sentence with the end of standard error.
    async fn beside(&self, sentence: &str) -> String {
        // Its last output may still be in flight.
        tokio::time::sleep(Duration::from_millis(20)).await;
        let said = lock(&self.bytes);
        match String::from_utf8_lossy(&said).trim() {
            "" => sentence.to_owned(),
            said => format!("{sentence}; it has said: {said}"),
        }
    }
}
