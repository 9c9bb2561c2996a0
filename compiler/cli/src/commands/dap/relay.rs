//! A program with environment variables of its own: another `gswc dap` debugs it, which has them from its start.
//!
//! A process with threads cannot change its own environment. So what the client sends is passed to that process, and it answers on
//! the same standard output.

use std::io::Write;
use std::process::{Child, ChildStdin, Command, Stdio};

use gsw_service::Exit;
use serde_json::{Map, Value};

/// The debugger with another environment.
pub struct Relay {
    child: Child,
    input: ChildStdin,
}

/// Whether the other debugger keeps listening.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Listening {
    Still,
    NoMore,
}

impl Relay {
    /// Starts it for a `launch` or `attach` that names variables; `None` for any other request.
    pub fn wanted(request: &Value) -> Option<Result<Self, String>> {
        let variables = request["arguments"]["env"].as_object()?;
        let is_launch = matches!(request["command"].as_str(), Some("launch" | "attach"));
        (is_launch && !variables.is_empty()).then(|| Self::start(request, variables))
    }

    fn start(request: &Value, variables: &Map<String, Value>) -> Result<Self, String> {
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new(own);
        command.arg("dap").stdin(Stdio::piped());
        for (name, value) in variables {
            match value {
                Value::String(value) => command.env(name, value),
                Value::Null => command.env_remove(name),
                Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                    return Err(format!(
                        "`env`: `{name}` is a string, or `null` to unset it"
                    ));
                }
            };
        }
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let input = child.stdin.take().ok_or("it has no input")?;
        let mut relay = Self { child, input };
        let mut launch = request.clone();
        if let Some(arguments) = launch["arguments"].as_object_mut() {
            arguments.remove("env");
        }
        relay.send(&launch);
        Ok(relay)
    }

    /// Passes on what the client has sent.
    pub fn send(&mut self, message: &Value) -> Listening {
        let body = message.to_string();
        let framed = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        let sent = self.input.write_all(framed.as_bytes());
        match sent.and_then(|()| self.input.flush()) {
            Ok(()) if message["command"] != "disconnect" => Listening::Still,
            Ok(()) | Err(_) => Listening::NoMore,
        }
    }

    /// Waits until it has ended.
    pub fn end(self) -> Exit {
        let Self { mut child, input } = self;
        drop(input);
        match child.wait() {
            Ok(status) if status.success() => Exit::Done,
            Ok(_) | Err(_) => Exit::Internal,
        }
    }
}
