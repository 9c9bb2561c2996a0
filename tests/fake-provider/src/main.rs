//! `fake-provider [--script FILE] [--port N]`: plays a script and prints its port as its only line on stdout.

use std::process::ExitCode;

use fake_provider::{Script, Server};

const USAGE: &str = "usage: fake-provider [--script FILE] [--port N]";

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("fake-provider: {message}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), String> {
    let (mut script, mut port) = (Script::default(), 0);
    let mut arguments = std::env::args().skip(1);
    while let Some(option) = arguments.next() {
        let value = arguments.next().ok_or(USAGE)?;
        match option.as_str() {
            "--script" => script = read(&value)?,
            "--port" => port = value.parse().map_err(|_| format!("`{value}` is no port"))?,
            _ => return Err(USAGE.into()),
        }
    }
    let server = Server::start(script, port)
        .await
        .map_err(|it| it.to_string())?;
    println!("{}", server.port());
    server.run().await.map_err(|it| it.to_string())
}

fn read(path: &str) -> Result<Script, String> {
    let text = std::fs::read_to_string(path).map_err(|it| format!("{path}: {it}"))?;
    serde_json::from_str(&text).map_err(|it| format!("{path}: {it}"))
}
