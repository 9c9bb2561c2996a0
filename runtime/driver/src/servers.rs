//! Programs that serve this one for as long as it lives: MCP servers. The seam to their client, and their processes.
//!
//! One thread starts them all and waits for their ends, because a program dies with the thread that started it: none outlives
//! this process, however that ends.

use std::future::Future;
use std::io;
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use gsw_abi::call::SaidOfClient;
use gsw_engine::operation::{AskOfServer, Grants};
use gsw_tree::event::McpHappened;

use crate::process::{Child, Ending, Group, Surroundings, start_server};
use crate::web::ReachOf;

/// How often it is looked whether a server has ended, as long as one runs.
const LOOK: Duration = Duration::from_millis(500);

/// How long a server may say nothing of a question unless the program says otherwise.
pub const SILENCE: Duration = Duration::from_secs(300);

/// A question to a server.
#[derive(Clone)]
pub struct ServerCall {
    pub server: ServerPlace,
    /// Where the host of an address may lead.
    pub reach_of: ReachOf,
    pub ask: AskOfServer,
    /// By which the call is known in every life of its run.
    pub key: String,
    /// How long the server may say nothing of it.
    pub silence: Duration,
    /// What the server may ask for meanwhile; its folders are addresses (`file://…`).
    pub grants: Grants,
}

/// Why a call has no result, for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ServerFailure {
    /// The server cannot be started or reached, or breaks the protocol.
    Server(String),
    /// The tool has failed.
    Tool(String),
    /// It has ended, or was not waited for any longer, and may have done what it was called for.
    Lost(String),
    /// It may not be reached: without which permission.
    Denied(String),
}

/// The answer of a server.
#[derive(Debug)]
pub struct Answered {
    /// What has happened with it since its last answer to any call.
    pub happened: Vec<McpHappened>,
    /// As JSON text.
    pub answer: Result<String, ServerFailure>,
}

/// An answer on its way. Dropping it cancels the call.
pub type Calling = Pin<Box<dyn Future<Output = Answered> + Send>>;

/// What a program says of itself where a person authorizes it to use a server, with the value of its secret.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct OAuth {
    /// Its id, where it was registered beforehand.
    pub client: Option<String>,
    pub secret: Option<String>,
    /// The authorization server that knows it by these.
    pub issuer: Option<String>,
    /// The address of its client-ID metadata document.
    pub document: Option<String>,
    pub scopes: Vec<String>,
    /// Where on this machine the person is sent back to; any port that is free if it is none.
    pub port: Option<u16>,
}

impl std::fmt::Debug for OAuth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OAuth").finish_non_exhaustive()
    }
}

impl OAuth {
    /// From settings by the words of [`SaidOfClient`]; none where there are none.
    #[must_use]
    pub fn of(settings: Vec<(String, String)>) -> Option<Self> {
        if settings.is_empty() {
            return None;
        }
        let mut this = Self::default();
        for (name, value) in settings {
            match SaidOfClient::of_word(&name) {
                SaidOfClient::Scopes => {
                    this.scopes = value.split_whitespace().map(str::to_owned).collect();
                }
                SaidOfClient::Client => this.client = Some(value),
                SaidOfClient::Secret => this.secret = Some(value),
                SaidOfClient::Issuer => this.issuer = Some(value),
                SaidOfClient::Document => this.document = Some(value),
                SaidOfClient::Port => this.port = value.parse().ok(),
            }
        }
        Some(this)
    }
}

/// Speaks with servers; one per engine, shared by its runs.
pub trait Servers: Send + Sync + std::fmt::Debug {
    fn ask(&self, call: ServerCall) -> Calling;

    /// Ends all of them, for a process that ends.
    fn close(&self);
}

/// Where a server is: two that are alike are one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ServerPlace {
    Program(ServerProgram),
    Address(ServerAddress),
}

/// A server that is reached by HTTP, with the values of its secrets; it is never recorded.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ServerAddress {
    pub url: String,
    pub headers: Vec<(String, String)>,
    /// None where no person authorizes the program.
    pub oauth: Option<OAuth>,
}

impl std::fmt::Debug for ServerAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerAddress").finish_non_exhaustive()
    }
}

/// A program that is a server, with what it finds around it: two that are alike are one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ServerProgram {
    argv: Vec<String>,
    around: Surroundings,
}

/// A server that was started.
#[derive(Debug)]
pub struct ServerProcess {
    /// The process's standard input.
    pub input: OwnedFd,
    /// The process's standard output.
    pub output: OwnedFd,
    /// Where it writes what is for people.
    pub errors: OwnedFd,
    pub life: ServerLife,
}

/// The life of a server: dropping it kills the server and all that it has started.
#[derive(Debug)]
pub struct ServerLife {
    group: Group,
    ending: Ending,
}

impl ServerLife {
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.group.is_gone() || self.ending.is_over()
    }

    /// Asks it to end (`SIGTERM`), and what it has started.
    pub fn ask_to_end(&self) {
        self.group.ask_to_end();
    }
}

impl Drop for ServerLife {
    fn drop(&mut self) {
        self.group.kill();
    }
}

impl ServerProgram {
    pub(crate) fn new(argv: Vec<String>, around: Surroundings) -> Self {
        Self { argv, around }
    }

    /// One that gets all variables of this process.
    #[must_use]
    pub fn of_user(argv: Vec<String>) -> Self {
        Self::new(argv, Surroundings::default())
    }

    /// Why it could not be started; a command line is no program.
    #[must_use]
    pub fn not_started(&self, error: &io::Error) -> String {
        let why = format!("it cannot be started: {error}");
        match self.argv.first() {
            Some(program) if program.contains(' ') && error.kind() == io::ErrorKind::NotFound => {
                let words: Vec<String> = program
                    .split_whitespace()
                    .map(|it| format!("{it:?}"))
                    .collect();
                let (first, rest) = words
                    .split_first()
                    .map_or(("", &[][..]), |(it, rest)| (it, rest));
                format!(
                    "{why}; the arguments of a program are a list: `stdio({first}, [{}])`",
                    rest.join(", ")
                )
            }
            Some(_) | None => why,
        }
    }

    /// Starts it.
    ///
    /// # Errors
    /// When the system cannot.
    pub fn start(&self) -> io::Result<ServerProcess> {
        let (answer, started) = channel();
        let order = Order {
            server: self.clone(),
            answer,
        };
        order_of_keeper(order)?;
        started.recv().unwrap_or_else(|_| Err(no_keeper()))
    }
}

/// What the thread of servers is asked for.
struct Order {
    server: ServerProgram,
    answer: Sender<io::Result<ServerProcess>>,
}

fn no_keeper() -> io::Error {
    io::Error::other("the thread that starts servers has failed")
}

/// Hands an order to the thread of servers, which is started at first use.
fn order_of_keeper(order: Order) -> io::Result<()> {
    static KEEPER: Mutex<Option<Sender<Order>>> = Mutex::new(None);
    // Nothing that can panic runs while the lock is held.
    let mut keeper = KEEPER.lock().unwrap_or_else(PoisonError::into_inner);
    if keeper.is_none() {
        let (sender, orders) = channel();
        std::thread::Builder::new()
            .name("gsw-servers".into())
            .stack_size(256 << 10)
            .spawn(move || keep(&orders))?;
        *keeper = Some(sender);
    }
    match keeper.as_ref() {
        Some(sender) => sender.send(order).map_err(|_| no_keeper()),
        None => Err(no_keeper()),
    }
}

/// Starts servers and waits for their ends, as long as the process lives.
fn keep(orders: &Receiver<Order>) {
    let mut running: Vec<(Ending, Group)> = Vec::new();
    loop {
        let order = match running.is_empty() {
            true => orders.recv().map_err(|_| RecvTimeoutError::Disconnected),
            false => orders.recv_timeout(LOOK),
        };
        match order {
            Ok(Order { server, answer }) => {
                let started = start_server(&server.argv, &server.around).map(|child| {
                    let (process, kept) = process_of(child);
                    running.push(kept);
                    process
                });
                // The caller may not wait any more; the server is then killed where it is dropped.
                let _ = answer.send(started);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        running.retain(|(ending, group)| !has_ended(*ending, group));
    }
}

fn process_of(child: Child) -> (ServerProcess, (Ending, Group)) {
    let Child {
        pid,
        input,
        outputs: [output, errors],
    } = child;
    let group = Group::default();
    group.has_started(pid);
    let process = ServerProcess {
        input: input.expect("a server is started with an input"),
        output,
        errors,
        life: ServerLife {
            group: group.clone(),
            ending: Ending(pid),
        },
    };
    (process, (Ending(pid), group))
}

/// Whether a server has ended; what it has started ends with it.
fn has_ended(ending: Ending, group: &Group) -> bool {
    if !ending.is_over() {
        return false;
    }
    group.end(ending.0);
    // It has ended, so there is nothing to wait for.
    let _ = ending.status();
    true
}
