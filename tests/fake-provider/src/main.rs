//! `fake-provider [--script FILE] [--port N] [--tls AUTHORITY]`: plays a script and prints its port as its only line on stdout.

use std::process::ExitCode;

use fake_provider::{AUTHORITY, Script, Server, Transport};

const USAGE: &str = "usage: fake-provider [--script FILE] [--port N] [--tls AUTHORITY]";

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
    let (mut script, mut port, mut transport) = (Script::default(), 0, Transport::Plain);
    let mut arguments = std::env::args().skip(1);
    while let Some(option) = arguments.next() {
        let value = arguments.next().ok_or(USAGE)?;
        match option.as_str() {
            "--script" => script = read(&value)?,
            "--port" => {
                port = value
                    .parse()
                    .map_err(|_| format!("`{value}` is not a port"))?
            }
            // HTTP/2; the issuer of the certificate is written there.
            "--tls" => {
                std::fs::write(&value, AUTHORITY).map_err(|it| format!("{value}: {it}"))?;
                transport = Transport::TlsHttp2;
            }
            _ => return Err(USAGE.into()),
        }
    }
    let server = Server::start_with(script, port, transport)
        .await
        .map_err(|it| it.to_string())?;
    println!("{}", server.port());
    server.run().await.map_err(|it| it.to_string())
}

fn read(path: &str) -> Result<Script, String> {
    let text = std::fs::read_to_string(path).map_err(|it| format!("{path}: {it}"))?;
    serde_json::from_str(&text).map_err(|it| format!("{path}: {it}"))
}
