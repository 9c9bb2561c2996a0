//! Messages as they come in: what is no message is left out, because the protocol's engine stops at the first such one.

use std::io::Result;
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::sync::watch;
use tower_lsp::jsonrpc::{Request, Response};

/// How many received bytes may wait to be read. A guess.
const BUFFER: usize = 64 << 10;
/// A longer message is no message: a document may have 16 MB, and JSON can make six bytes of one.
const LONGEST: u64 = 128 << 20;
/// Nobody sends as much as this. A guess.
const LONGEST_SKIPPED: u64 = 4 << 30;
/// The longest line of a header, in bytes.
const LONGEST_LINE: u64 = 4 << 10;

/// The messages of `input`, framed as they were, up to its end; and how long anything more may come.
pub fn messages(input: impl AsyncRead + Send + Unpin + 'static) -> (DuplexStream, Attendance) {
    let (mut sender, receiver) = tokio::io::duplex(BUFFER);
    let (attending, attended) = watch::channel(());
    tokio::spawn(async move {
        // Dropped when nothing more is read.
        let _attending = attending;
        let mut input = BufReader::new(input);
        let mut client = None;
        loop {
            let read = tokio::select! {
                read = next(&mut input) => read,
                () = gone(client) => return,
            };
            // Either end may go away; the other one then has nothing left to do.
            let Ok(Some(body)) = read else {
                return;
            };
            client = client.or_else(|| process_of(&body));
            let is_last = is_exit(&body);
            if let Some(body) = message(body)
                && send(&mut sender, &body).await.is_err()
            {
                return;
            }
            if is_last {
                return;
            }
        }
    });
    (receiver, Attendance(attended))
}

/// How long the client can answer: up to its last message.
#[derive(Clone)]
pub struct Attendance(watch::Receiver<()>);

impl Attendance {
    /// What the client answers; `None` when it can answer no more.
    pub async fn answer<T>(&self, answer: impl Future<Output = T>) -> Option<T> {
        let mut attended = self.0.clone();
        tokio::select! {
            biased;
            answer = answer => Some(answer),
            // Nothing is ever sent: it fails when the sender is gone.
            _ = attended.changed() => None,
        }
    }
}

fn is_exit(body: &[u8]) -> bool {
    serde_json::from_slice::<Request>(body).is_ok_and(|it| it.method() == "exit")
}

/// The process that `initialize` names, which the session does not outlive.
fn process_of(body: &[u8]) -> Option<u64> {
    let request = serde_json::from_slice::<Request>(body).ok()?;
    let parameters = request
        .params()
        .filter(|_| request.method() == "initialize")?;
    parameters.get("processId")?.as_u64()
}

/// How often it is looked whether the client is still there. A guess.
const LOOK: Duration = Duration::from_secs(2);

/// Waits for the end of a process; of one that is not known for ever.
async fn gone(process: Option<u64>) {
    let Some(process) = process else {
        return std::future::pending().await;
    };
    loop {
        tokio::time::sleep(LOOK).await;
        if has_ended(process) {
            return;
        }
    }
}

/// Whether a process has ended, as far as the system tells.
fn has_ended(process: u64) -> bool {
    match std::fs::read_to_string(format!("/proc/{process}/stat")) {
        // What has ended is kept until its parent has asked for it. The name before the state may hold anything.
        Ok(stat) => {
            let state = stat.rsplit_once(") ").map(|(_, rest)| rest);
            state.is_some_and(|it| it.starts_with(['Z', 'X']))
        }
        Err(_) => std::path::Path::new("/proc/self").exists(),
    }
}

/// The body after the next header that has a length; `None` at the end of input.
async fn next(input: &mut (impl AsyncBufReadExt + Unpin)) -> Result<Option<Vec<u8>>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        // What has no end is read in pieces, none of which is a header.
        let mut piece = (&mut *input).take(LONGEST_LINE);
        if piece.read_until(b'\n', &mut line).await? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        match (line.trim(), length) {
            ("", Some(length)) if length > LONGEST => {
                let skipped = &mut (&mut *input).take(length);
                tokio::io::copy(skipped, &mut tokio::io::sink()).await?;
                return Ok(Some(Vec::new()));
            }
            ("", Some(length)) => {
                let mut body = Vec::new();
                input.take(length).read_to_end(&mut body).await?;
                return Ok(Some(body));
            }
            ("", None) => {}
            (field, _) => length = content_length(field).or(length),
        }
    }
}

fn content_length(field: &str) -> Option<u64> {
    let (name, value) = field.split_once(':')?;
    let is_length = name.trim().eq_ignore_ascii_case("content-length");
    let length = is_length.then(|| value.trim().parse().ok())?;
    // What would be skipped for ever is no length.
    length.filter(|it| *it <= LONGEST_SKIPPED)
}

/// What is passed on of a body that is a message.
fn message(body: Vec<u8>) -> Option<Vec<u8>> {
    let Ok(request) = serde_json::from_slice::<Request>(&body) else {
        let is_response = serde_json::from_slice::<Response>(&body).is_ok();
        return is_response.then_some(body);
    };
    let Some(rest) = request.method().strip_prefix('$') else {
        return Some(with_version(request).unwrap_or(body));
    };
    // The engine answers no request whose method begins with `$`, and the protocol wants it refused: without the `$` it is as unknown.
    match request.id() {
        Some(id) => {
            let unknown = json!({ "jsonrpc": "2.0", "id": id, "method": rest });
            Some(unknown.to_string().into_bytes())
        }
        None => Some(body),
    }
}

/// The message of a client that does not say which version of a document it opens or changes, with one: what it has edited must not be lost.
fn with_version(request: Request) -> Option<Vec<u8>> {
    if !matches!(
        request.method(),
        "textDocument/didOpen" | "textDocument/didChange"
    ) {
        return None;
    }
    let version = request.params()?.pointer("/textDocument/version");
    if version.is_some_and(|it| !it.is_null()) {
        return None;
    }
    let (method, _, mut parameters) = request.into_parts();
    let document = parameters
        .as_mut()?
        .get_mut("textDocument")?
        .as_object_mut()?;
    document.insert("version".into(), json!(0));
    let message = json!({ "jsonrpc": "2.0", "method": method, "params": parameters });
    Some(message.to_string().into_bytes())
}

async fn send(sender: &mut DuplexStream, body: &[u8]) -> Result<()> {
    let header = format!("Content-Length: {}\r\n\r\n", body.len());
    sender.write_all(header.as_bytes()).await?;
    sender.write_all(body).await
}
