//! `gswc mcp`: the compiler as a server of the Model Context Protocol, for coding agents.
//!
//! What only looks at programs is answered here, each time from the files as they are. What changes files or runs tests is done by a
//! `gswc` of its own, whose words are passed on, so that both ways say the same and nothing that goes wrong there ends the server.

mod answer;
mod child;
mod place;
mod program;
mod tools;

use std::io::IsTerminal;
use std::path::Path;

use gsw_service::{Exit, Pipes};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};

use crate::report;
use crate::threads::with_large_stack;
use answer::Answer;
use tools::{Ask, Work};

/// The instructions that an agent is given first.
const INSTRUCTIONS: &str = "The compiler of Groundswell, a typed workflow language for language-model agents (`.gsw` files). \
Read the page `reference/language` (tool `page`) before you write more than a few lines. After each edit call `check`, then `test`; \
`fix` applies suggested fixes and `format` writes the one style. `describe` says what a declaration of the program or of the library \
takes, gives, raises and does; `explain` explains a code of a report. Files are named from the folder that the server was started in.";

/// Serves until the client has gone.
pub fn serve() -> Exit {
    if std::io::stdin().is_terminal() {
        return report::usage(
            &"without a command this serves a coding agent by the Model Context Protocol on standard input, which is a terminal here; `gswc mcp --help` lists the commands",
        );
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let served = match runtime {
        Ok(runtime) => {
            let served = runtime.block_on(converse());
            // A thread may still wait for input that never comes.
            runtime.shutdown_background();
            served
        }
        Err(error) => Err(format!("the server cannot be started: {error}")),
    };
    match served {
        Ok(()) => Exit::Done,
        Err(why) => report::failure(&why),
    }
}

async fn converse() -> Result<(), String> {
    let running = match Compiler.serve(Pipes::open()).await {
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

struct Compiler;

impl ServerHandler for Compiler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("gswc", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let asked = Ask::of(&request.name, arguments)
            .map_err(|why| ErrorData::invalid_params(why, None))?;
        if let Some(file) = asked.file()
            && !place::is_inside(Path::new(file))
        {
            let why = format!(
                "`{file}` lies outside of the folder that this server was started in, and nothing is read or written there"
            );
            return Ok(Answer::wrong(why).result().into());
        }
        let answer = match asked.work() {
            Work::Here => here(asked).await,
            Work::Child(words) => tokio::select! {
                answer = child::run(words) => answer,
                () = context.ct.cancelled() => Answer::wrong("cancelled".to_owned()),
            },
        };
        Ok(answer.result().into())
    }
}

/// Answers on a thread of its own, whose stack is as deep as the compiler needs.
async fn here(asked: Ask) -> Answer {
    let work = tokio::task::spawn_blocking(move || with_large_stack(|| asked.answer()));
    match work.await {
        Ok(Ok(answer)) => answer,
        Ok(Err(_)) | Err(_) => Answer::wrong(
            "internal error: this is a bug in Groundswell; please report it with the program that shows it".to_owned(),
        ),
    }
}
