//! `mcp`: the program as a server of the Model Context Protocol, by its pipes or at an address. Each workflow is a tool.
//!
//! A call of a tool is a run. What a `human` asks goes to the caller, by elicitation, and what a model of `client/…` is asked, by
//! sampling; what the run logs is progress.
//! Standard output may belong to the protocol, so everything else is written to standard error.

mod asked;
mod call;
mod callers;
mod calls;
mod client;
mod content;
mod ending;
mod form;
mod guard;
mod http;
mod log;
pub(crate) mod login;
mod offer;
mod offered;
mod parted;
pub(crate) mod pipes;
pub(crate) mod progress;
mod prompt;
pub(crate) mod reach;
mod read;
mod resource;
mod sampling;
mod server;
mod tasks;
mod titles;
mod watched;

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::time::Duration;

use gsw_abi::program::Program;
use gsw_driver::durable::store::RunStore;
use gsw_driver::engine::{Engine, EngineOptions};
use gsw_driver::host::Variables;
use gsw_driver::human::Humans;
use gsw_engine::load::Loaded;
use gsw_tree::event::Header;
use rmcp::service::{RunningService, ServerInitializeError};
use rmcp::{RoleServer, ServiceExt};

use crate::arguments::{BuiltinOptions, TapeOption, Verbosity};
use crate::exit::Exit;
use crate::interrupt::{Interrupted, Listener, Whom};
use crate::mcp::call::Watch;
use crate::mcp::callers::Callers;
use crate::mcp::offered::Offered;
use crate::mcp::pipes::Pipes;
use crate::mcp::reach::{Reach, Serving};
use crate::mcp::server::Server;
use crate::report::report_detached;
use crate::say::say;
use crate::setup::{base_options, observers, prepared};
use crate::store::{self, Origin};
use crate::watchers::Watchers;
use crate::{open_files, setup, terminal};

/// How often to check whether a signal has come, since a signal wakes no task.
const PERIOD: Duration = Duration::from_millis(100);

/// Serves until the client has gone or a signal comes.
pub(crate) fn serve(mut loaded: Loaded, serving: &Serving, origin: &Origin) -> Exit {
    let Serving { options, reach } = serving;
    let program = Arc::clone(&loaded.program);
    let variables = Variables::default();
    let (memory_limit, idle, taping) = match prepared(&mut loaded, options, &variables) {
        Ok(settled) => settled,
        Err(why) => {
            say(&format!("{}: {why}", program.name));
            return Exit::Usage;
        }
    };
    let store = kept_in(&program, options, origin);
    open_files::raise_limit();
    let observers = observers();
    let header = Header::new(&program.name, &loaded.image);
    let mut watched = options.clone();
    if io::stderr().is_terminal() {
        // What is drawn on a terminal is one run.
        watched.verbosity = Verbosity::Quiet;
    }
    let mut watchers = Watchers::start(&observers, &header, &watched, &terminal::stage());
    watchers.run_has_begun();
    let callers = Arc::new(Callers::new(Arc::clone(&program)));
    let models = setup::models(&program.name, options).asking_clients(Arc::clone(&callers) as _);
    let engine = Engine::new(
        loaded,
        EngineOptions {
            memory_limit,
            observers: Arc::clone(&observers),
            models: Some(Arc::new(models)),
            humans: Some(Arc::clone(&callers) as Arc<dyn Humans>),
            store: store.clone(),
            idle,
            variables,
            tape: taping.tape(),
            ..base_options(&program.name, options, &terminal::stage(), origin)
        },
    );
    let interrupted = Listener::start().end(Whom::All, engine.clone(), Arc::clone(&observers));
    let watch = match reach {
        Reach::Pipes => Watch::NotAtAll,
        Reach::Http(_) => Watch::Calls,
    };
    let (running, calling) = (engine.clone(), Arc::clone(&callers));
    let offered = Offered::new(running, calling, store.clone(), origin, options, watch);
    guard::report(&program);
    let served = talk(Arc::new(offered), reach, &interrupted);
    // What a client has begun and not cancelled can be resumed where it is recorded.
    engine.leave_all("the client has gone");
    callers.wait_for_all();
    report_detached(&engine.wait_for_detached());
    engine.close();
    store.iter().for_each(|it| it.close());
    watchers.end(&observers);
    let exit = match served {
        Ok(()) => Exit::Done,
        Err(why) => {
            say(&format!("error: {why}"));
            Exit::Raised
        }
    };
    taping.end(options, exit)
}

/// Where runs are recorded, as for a run of the command line.
fn kept_in(program: &Program, options: &BuiltinOptions, origin: &Origin) -> Option<Arc<RunStore>> {
    match options.tape {
        TapeOption::Replay(_) => None,
        TapeOption::Off | TapeOption::Record(_) => {
            store::of(program, options.store.as_deref(), origin)
        }
    }
}

/// Talks to clients until there can be no more.
fn talk(offered: Arc<Offered>, reach: &Reach, interrupted: &Interrupted) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("the server cannot be started: {error}"))?;
    let talked = runtime.block_on(async {
        let talking = async {
            match reach {
                Reach::Pipes => converse(Server::new(offered)).await,
                Reach::Http(http) => http::serve(offered, http).await.map(|never| match never {}),
            }
        };
        tokio::select! {
            talked = talking => talked,
            () = told_to_end(interrupted) => Ok(()),
        }
    });
    // A thread may still wait for input that never comes.
    runtime.shutdown_background();
    talked
}

async fn converse(server: Server) -> Result<(), String> {
    let begun: Result<RunningService<RoleServer, Server>, ServerInitializeError> =
        server.serve(Pipes::open()).await;
    let running = match begun {
        Ok(running) => running,
        // No message has come.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(format!("the client does not speak MCP: {error}")),
    };
    let ended = running.waiting().await;
    ended
        .map(drop)
        .map_err(|error| format!("the server has failed: {error}"))
}

async fn told_to_end(interrupted: &Interrupted) {
    while !interrupted.has_come() {
        tokio::time::sleep(PERIOD).await;
    }
}
