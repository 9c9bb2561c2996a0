//! Both ends of MCP with nothing but rmcp: what the measurement of calls is compared with, and whom both sides of it call.
//!
//! `bare_mcp serve` is a server with the tool `add`; `bare_mcp COUNT` starts that, calls it one time after another and prints the
//! seconds that the calls took. `bare_mcp COUNT older` does so without what each request of 2026-07-28 carries of its client.

use std::process::Stdio;
use std::time::Instant;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ProtocolVersion, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::{Map, Value, json};
use tokio::net::unix::pipe::{Receiver, Sender};

struct Adds;

impl ServerHandler for Adds {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let given = request.arguments.unwrap_or_default();
        let term = |name: &str| given.get(name).and_then(Value::as_i64).unwrap_or_default();
        let sum = json!({ "result": term("a") + term("b") });
        Ok(CallToolResult::structured(sum).into())
    }
}

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [word] if word == "serve" => {
            let serving = Adds.serve(rmcp::transport::stdio_pipes()).await?;
            serving.waiting().await?;
            Ok(())
        }
        [count] => call(count.parse()?, newer()).await,
        [count, word] if word == "older" => {
            call(count.parse()?, ClientLifecycleMode::Initialize).await
        }
        _ => Err("usage: bare_mcp COUNT [older], or bare_mcp serve".into()),
    }
}

fn newer() -> ClientLifecycleMode {
    ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: None,
    }
}

async fn call(count: i64, age: ClientLifecycleMode) -> Result<(), Box<dyn std::error::Error>> {
    let mut server = std::process::Command::new(std::env::current_exe()?)
        .arg("serve")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (Some(input), Some(output)) = (server.stdin.take(), server.stdout.take()) else {
        return Err("the server has no pipes".into());
    };
    let reader = Receiver::from_owned_fd(output.into())?;
    let writer = Sender::from_owned_fd(input.into())?;
    let session = ().serve_with_lifecycle((reader, writer), age).await?;
    let start = Instant::now();
    let mut sum = 0;
    for number in 0..count {
        let input = [("a", number), ("b", 1)].map(|it| (it.0.to_owned(), Value::from(it.1)));
        let params = CallToolRequestParams::new("add").with_arguments(Map::from_iter(input));
        let result = session.call_tool(params).await?.structured_content;
        sum += result
            .and_then(|it| it["result"].as_i64())
            .ok_or("no sum")?;
    }
    let taken = start.elapsed().as_secs_f64();
    session.cancel().await?;
    server.wait()?;
    println!("{taken} {sum}");
    Ok(())
}
