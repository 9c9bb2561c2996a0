//! The standard variables of the environment that say where traces go.

use std::time::Duration;

use crate::connections::address;
use crate::environment::Environment;

/// Where traces go and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The whole address, path included.
    pub address: String,
    /// Names and values of the headers, as they are sent.
    pub headers: Vec<(String, String)>,
    pub protocol: Protocol,
    /// How long the collector may take for a batch.
    pub timeout: Duration,
    /// The attributes of the process; `service.name` is among them.
    pub resource: Vec<(String, String)>,
    /// Whether inputs, outputs and messages are sent.
    pub content: Content,
    /// The span outside that the runs belong to: its trace and itself.
    pub parent: Option<([u8; 16], [u8; 8])>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    Protobuf,
    Json,
}

/// Whether what programs and models say to each other is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    Sent,
    /// Only names and figures are.
    Withheld,
}

impl Settings {
    /// Reads them; `None` when no collector is named, or when they are switched off.
    pub fn read(environment: &Environment, program: &str) -> Result<Option<Self>, String> {
        let is = |name: &str, value: &str| {
            environment
                .get(name)
                .is_some_and(|it| it.eq_ignore_ascii_case(value))
        };
        if is("OTEL_SDK_DISABLED", "true") || is("OTEL_TRACES_EXPORTER", "none") {
            return Ok(None);
        }
        let Some(address) = address(environment) else {
            return Ok(None);
        };
        let of_traces = |name: &str| {
            let own = environment.get(&format!("OTEL_EXPORTER_OTLP_TRACES_{name}"));
            own.or_else(|| environment.get(&format!("OTEL_EXPORTER_OTLP_{name}")))
        };
        let milliseconds = of_traces("TIMEOUT").map(|it| {
            it.parse().map_err(|_| {
                format!(
                    "`OTEL_EXPORTER_OTLP_TIMEOUT` is `{it}`, which is not a number of milliseconds"
                )
            })
        });
        if let Some(compression) = of_traces("COMPRESSION").filter(|it| it != "none") {
            return Err(format!(
                "no trace is exported: `OTEL_EXPORTER_OTLP_COMPRESSION` is `{compression}`, and only `none` is available"
            ));
        }
        let content = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";
        Ok(Some(Self {
            address,
            headers: pairs(&of_traces("HEADERS").unwrap_or_default()),
            protocol: protocol(of_traces("PROTOCOL").as_deref())?,
            timeout: Duration::from_millis(milliseconds.transpose()?.unwrap_or(10_000)),
            resource: resource(environment, program),
            content: if is(content, "true") {
                Content::Sent
            } else {
                Content::Withheld
            },
            parent: environment
                .get("TRACEPARENT")
                .and_then(|it| traceparent(&it)),
        }))
    }

    /// The address as it can be shown: without a user and a password.
    pub fn collector(&self) -> String {
        address::shown(&self.address)
    }
}

fn address(environment: &Environment) -> Option<String> {
    if let Some(whole) = environment.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") {
        return Some(whole);
    }
    let base = environment.get("OTEL_EXPORTER_OTLP_ENDPOINT")?;
    Some(format!("{}/v1/traces", base.trim_end_matches('/')))
}

fn protocol(name: Option<&str>) -> Result<Protocol, String> {
    match name {
        None | Some("http/protobuf") => Ok(Protocol::Protobuf),
        Some("http/json") => Ok(Protocol::Json),
        Some(other) => Err(format!(
            "no trace is exported: `OTEL_EXPORTER_OTLP_PROTOCOL` is `{other}`; `http/protobuf` and `http/json` are available"
        )),
    }
}

fn resource(environment: &Environment, program: &str) -> Vec<(String, String)> {
    use crate::telemetry::names;
    let mut all = pairs(
        &environment
            .get("OTEL_RESOURCE_ATTRIBUTES")
            .unwrap_or_default(),
    );
    let named = environment.get("OTEL_SERVICE_NAME");
    let known = all.iter().position(|it| it.0 == names::SERVICE_NAME);
    let name = match (named, known) {
        (Some(name), _) => name,
        (None, Some(place)) => all[place].1.clone(),
        (None, None) if program.is_empty() => names::DEFAULT_SERVICE.to_owned(),
        (None, None) => program.to_owned(),
    };
    all.retain(|it| it.0 != names::SERVICE_NAME);
    all.insert(0, (names::SERVICE_NAME.to_owned(), name));
    all
}

/// `a=1,b=two%20words`; what is no pair is left out, as the standard says.
fn pairs(text: &str) -> Vec<(String, String)> {
    let pair = |it: &str| {
        let (name, value) = it.split_once('=')?;
        let name = name.trim();
        (!name.is_empty()).then(|| (decoded(name), decoded(value.trim())))
    };
    text.split(',').filter_map(pair).collect()
}

fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = (bytes[at] == b'%')
            .then(|| text.get(at + 1..at + 3))
            .flatten()
            .and_then(|it| u8::from_str_radix(it, 16).ok());
        out.push(code.unwrap_or(bytes[at]));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// `00-<32 hex digits>-<16 hex digits>-01`
fn traceparent(text: &str) -> Option<([u8; 16], [u8; 8])> {
    let mut parts = text.split('-');
    let (version, trace, span) = (parts.next()?, parts.next()?, parts.next()?);
    let is_hex = |it: &str| it.bytes().all(|it| it.is_ascii_hexdigit());
    if version.len() != 2
        || trace.len() != 32
        || span.len() != 16
        || !is_hex(trace)
        || !is_hex(span)
    {
        return None;
    }
    let trace = u128::from_str_radix(trace, 16).ok().filter(|it| *it != 0)?;
    let span = u64::from_str_radix(span, 16).ok().filter(|it| *it != 0)?;
    Some((trace.to_be_bytes(), span.to_be_bytes()))
}

#[cfg(test)]
mod tests {
    use super::{Protocol, Settings};
    use crate::environment::Environment;

    fn read(variables: &[(&str, &str)]) -> Result<Option<Settings>, String> {
        Settings::read(&Environment::of(variables), "review")
    }

    #[test]
    fn nothing_is_exported_unless_it_is_said_where() {
        assert_eq!(read(&[]), Ok(None));
        let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318/");
        assert_eq!(read(&[endpoint, ("OTEL_SDK_DISABLED", "true")]), Ok(None));
        assert_eq!(
            read(&[endpoint, ("OTEL_TRACES_EXPORTER", "none")]),
            Ok(None)
        );
        let settings = read(&[endpoint]).expect("it is right").expect("it is on");
        let named = ("OTEL_EXPORTER_OTLP_ENDPOINT", "https://user:p@ss@c:4318");
        let named = read(&[named]).expect("it is right").expect("it is on");
        assert_eq!(named.collector(), "https://c:4318/v1/traces");
        assert_eq!(settings.address, "http://c:4318/v1/traces");
        assert_eq!(settings.protocol, Protocol::Protobuf);
        assert_eq!(settings.timeout.as_millis(), 10_000);
        assert_eq!(
            settings.resource,
            [("service.name".to_owned(), "review".to_owned())]
        );
    }

    #[test]
    fn what_is_said_of_traces_wins() {
        let settings = read(&[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318"),
            ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://t/here"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "a=1"),
            (
                "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
                "authorization=Bearer%20x%3D, b = 2 ,c",
            ),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "250"),
            ("OTEL_RESOURCE_ATTRIBUTES", "service.name=a,deployment=test"),
            ("OTEL_SERVICE_NAME", "b"),
            (
                "TRACEPARENT",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            ),
        ]);
        let settings = settings.expect("it is right").expect("it is on");
        assert_eq!(settings.address, "http://t/here");
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(
            settings.headers,
            [pair("authorization", "Bearer x="), pair("b", "2")]
        );
        assert_eq!(
            settings.resource,
            [pair("service.name", "b"), pair("deployment", "test")]
        );
        assert_eq!(
            (settings.protocol, settings.timeout.as_millis()),
            (Protocol::Json, 250)
        );
        assert_eq!(settings.parent.map(|it| it.1[0]), Some(0xb7));
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c");
        for wrong in [
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
            ("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "soon"),
        ] {
            let why = read(&[endpoint, wrong]).expect_err("it cannot be done");
            assert!(why.contains(wrong.0) && why.contains(wrong.1), "{why}");
        }
    }
}
