//! What a run asked of the library outside of prompts and tools, as mocks: files, programs, the network, time and chance.

use gsw_engine::operation::{
    ExecOutput, ExecRequest, Failure, HttpAnswer, HttpRequest, Outcome, Request,
};
use gsw_notation::calendar::rfc3339;
use gsw_notation::duration;

use super::literal::{ANYTHING, quoted};
use super::story::Mock;

/// What stands for an operation in a test.
pub enum Effect {
    Mocked(Mock),
    /// The test does it by itself, as the run did.
    Same,
    /// What cannot be written as a test, described.
    Unwritten(String),
}

/// The mock that answers as the outside did.
pub fn effect(request: &Request, outcome: &Outcome) -> Effect {
    let mocked = |callee: &str, pattern: Vec<String>| {
        let answer = answer(outcome).map_err(|why| format!("{callee}: {why}"));
        match answer {
            Ok(answer) => Effect::Mocked(Mock::new(callee, pattern, answer)),
            Err(why) => Effect::Unwritten(why),
        }
    };
    let path = |path: &String| vec![quoted(path)];
    let path_and_content = |path: &String| vec![quoted(path), ANYTHING.into()];
    match request {
        // Time is virtual.
        Request::Sleep { .. } => Effect::Same,
        Request::Now => mocked("now", Vec::new()),
        Request::Random => mocked("random", Vec::new()),
        Request::RandomInt { low, high } => {
            mocked("random.int", vec![low.to_string(), high.to_string()])
        }
        Request::Uuid => mocked("uuid", Vec::new()),
        Request::FsRead { path: it } => mocked("fs.read", path(it)),
        Request::FsReadBytes { path: it } => mocked("fs.read_bytes", path(it)),
        Request::FsExists { path: it } => mocked("fs.exists", path(it)),
        Request::FsList { path: it } => mocked("fs.list", path(it)),
        Request::FsGlob { pattern } => mocked("fs.glob", path(pattern)),
        Request::FsRemove { path: it } => mocked("fs.remove", path(it)),
        Request::FsMakeDir { path: it } => mocked("fs.make_dir", path(it)),
        Request::FsWrite { path: it, .. } => mocked("fs.write", path_and_content(it)),
        Request::FsWriteBytes { path: it, .. } => mocked("fs.write_bytes", path_and_content(it)),
        Request::FsAppend { path: it, .. } => mocked("fs.append", path_and_content(it)),
        Request::EnvGet { name } => mocked("env.get", path(name)),
        Request::Exec { request } => mocked("exec.run", argv(request)),
        Request::Http { request } => {
            let (callee, pattern) = sent(request);
            mocked(callee, pattern)
        }
        Request::MediaUrl { .. } => Effect::Unwritten("the address of an image or document".into()),
        Request::StartRun { start } => {
            Effect::Unwritten(format!("a detached run of `{}`", start.workflow))
        }
        Request::OtherRun { ask, .. } => Effect::Unwritten(ask.function().to_owned()),
        Request::Mcp { request } => {
            Effect::Unwritten(format!("the MCP server `{}`", request.server()))
        }
        Request::Host { tool, .. } => Effect::Unwritten(format!("the host's `{tool}`")),
        Request::Model { .. } | Request::LookUp { .. } => {
            Effect::Unwritten("a question to a model that is no prompt's".into())
        }
        Request::Human { .. }
        | Request::External { .. }
        | Request::Piece { .. }
        | Request::Keep { .. }
        | Request::Compile { .. }
        | Request::Scripted { .. }
        | Request::Mocked { .. } => Effect::Same,
    }
}

fn argv(request: &ExecRequest) -> Vec<String> {
    let words: Vec<String> = request.argv.iter().map(|it| quoted(it)).collect();
    vec![format!("[{}]", words.join(", ")), "..".into()]
}

/// The function that is most likely to have sent this.
fn sent(request: &HttpRequest) -> (&'static str, Vec<String>) {
    let url = quoted(&request.url);
    let with_body = |callee| (callee, vec![url.clone(), ANYTHING.into(), "..".into()]);
    match request.method.as_str() {
        "GET" => ("http.get", vec![url, "..".into()]),
        "POST" => with_body("http.post"),
        "PUT" => with_body("http.put"),
        "PATCH" => with_body("http.patch"),
        method => ("http.request", vec![quoted(method), url, "..".into()]),
    }
}

/// What the function gave, as source text; else why none makes it.
fn answer(outcome: &Outcome) -> Result<String, String> {
    Ok(match outcome {
        Outcome::Done => "()".into(),
        Outcome::Time(at) => format!("time.parse({})", quoted(&rfc3339(*at))),
        Outcome::Float(value) => format!("{value:?}"),
        Outcome::Int(value) => value.to_string(),
        Outcome::Bool(value) => value.to_string(),
        Outcome::Text(text) | Outcome::Earlier { run: text, .. } => quoted(text),
        Outcome::OptionalText(text) => text.as_deref().map_or("none".into(), quoted),
        Outcome::Texts(texts) => {
            let texts: Vec<String> = texts.iter().map(|it| quoted(it)).collect();
            format!("[{}]", texts.join(", "))
        }
        Outcome::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => format!("{}.bytes()", quoted(text)),
            Err(_) => return Err("bytes that are no text".into()),
        },
        Outcome::Exec(output) => ran(output),
        Outcome::Http(answer) => answered(answer),
        Outcome::Failed(failure) => failed(failure)?,
        Outcome::Server(reply) => match &reply.answer {
            Ok(json) => return answer(&Outcome::Json(json.clone())),
            Err(failure) => failed(failure)?,
        },
        Outcome::Found(_)
        | Outcome::GaveWay(_)
        | Outcome::Json(_)
        | Outcome::Media(_)
        | Outcome::Host { .. }
        | Outcome::Piece(_)
        | Outcome::Model(_)
        | Outcome::Human(_) => {
            return Err("it gave what only a model, a person or a host gives".into());
        }
    })
}

fn ran(output: &ExecOutput) -> String {
    let ExecOutput {
        code,
        stdout,
        stderr,
    } = output;
    format!(
        "exec.Output {{ code: {code}, stdout: {}, stderr: {} }}",
        quoted(stdout),
        quoted(stderr)
    )
}

fn answered(answer: &HttpAnswer) -> String {
    let HttpAnswer {
        status,
        headers,
        body,
    } = answer;
    let mut joined: Vec<(&str, String)> = Vec::new();
    for (name, value) in headers {
        match joined.iter_mut().find(|it| it.0 == name) {
            Some((_, so_far)) => {
                so_far.push_str(", ");
                so_far.push_str(value);
            }
            None => joined.push((name, value.clone())),
        }
    }
    let headers: Vec<String> = joined
        .iter()
        .map(|(name, value)| format!("{}: {}", quoted(name), quoted(value)))
        .collect();
    format!(
        "http.HttpResponse {{ status: {status}, headers: {{ {} }}, body: {} }}",
        headers.join(", "),
        quoted(body)
    )
}

fn failed(failure: &Failure) -> Result<String, String> {
    Ok(match failure {
        Failure::Io { path, message } => format!(
            "fail IoError(path: {}, message: {})",
            path.as_deref().map_or("none".into(), quoted),
            quoted(message)
        ),
        Failure::Timeout { nanoseconds } => {
            format!("fail Timeout({})", duration::text(*nanoseconds))
        }
        Failure::Tool { tool, message } => format!(
            "fail ToolFailed(tool: {}, message: {})",
            quoted(tool),
            quoted(message)
        ),
        Failure::Unknown { what } => format!("fail OutcomeUnknown({})", quoted(what)),
        Failure::Mcp { .. }
        | Failure::Denied { .. }
        | Failure::Declined { .. }
        | Failure::Unreachable { .. }
        | Failure::Stopped
        | Failure::TooLarge
        | Failure::Other { .. } => return Err("it failed as no mock does".into()),
    })
}
