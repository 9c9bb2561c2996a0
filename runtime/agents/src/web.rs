//! Sends the HTTP requests of programs.

mod room;

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use gsw_driver::call::Call;
use gsw_driver::servers::ServerFailure;
use gsw_driver::web::{Reach, ReachOf, Web, WebAnswer, WebRequest};
use gsw_engine::operation::{Failure, HttpAnswer};
use gsw_tree::class::Class;
use reqwest::header::{HOST, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Client, Method, Response, StatusCode, Url, redirect};
use tokio::time::timeout;

use crate::connections::failing::last_cause;
use crate::connections::{Names, OutOfReach, Within, address, connection, is_within, tls};
use crate::web::room::Taken;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);
const REDIRECTS: usize = 10;
/// The largest body in bytes; a guess.
const LARGEST: usize = 64 << 20;
/// Headers that are for one host even where they hold no secret.
const PERSONAL: &[&str] = &["authorization", "cookie", "proxy-authorization", "host"];

/// How long an exchange may take, redirects and body included; a `timeout` around it may be shorter.
const TIME_LIMIT: Duration = Duration::from_secs(300);

#[derive(Clone, Debug)]
pub struct WebClient {
    clients: Arc<Clients>,
    limit: Duration,
}

/// One client for each reach, made at first use: what one has connected to, another may have no right to.
#[derive(Debug, Default)]
struct Clients {
    public: OnceLock<Result<Client, String>>,
    listed: OnceLock<Result<Client, String>>,
    anywhere: OnceLock<Result<Client, String>>,
}

impl Clients {
    /// The client for a host, or that nothing may be sent to it.
    fn of(&self, reach: Reach, host: &str) -> Result<&Client, Failure> {
        let client = match reach {
            Reach::Nowhere => return Err(denied(host)),
            Reach::Public => &self.public,
            Reach::Listed => &self.listed,
            Reach::Anywhere => &self.anywhere,
        };
        let client = client.get_or_init(|| new_client(reach)).as_ref();
        client.map_err(|message| failed(message.clone()))
    }
}

impl Default for WebClient {
    fn default() -> Self {
        Self::with_time_limit(TIME_LIMIT)
    }
}

impl Web for WebClient {
    fn send(&self, request: WebRequest, reach_of: ReachOf, call: &Call) -> WebAnswer {
        let (this, class) = (self.clone(), call.class);
        Box::pin(async move {
            let answer = this.exchange(request, &reach_of).await;
            answer.map_err(|failed| failed.of(class))
        })
    }
}

impl WebClient {
    /// With another time for each exchange.
    #[must_use]
    pub fn with_time_limit(limit: Duration) -> Self {
        Self {
            clients: Arc::default(),
            limit,
        }
    }

    async fn exchange(
        &self,
        request: WebRequest,
        reach_of: &ReachOf,
    ) -> Result<HttpAnswer, Failed> {
        let mut next = Next::new(&request).map_err(Failed::unsent)?;
        // The wait for a connection is for other exchanges, each of which has its limit.
        let _connection = connection().await;
        let followed = follow(&self.clients, &mut next, &request, reach_of);
        let answer = timeout(self.limit, followed).await.unwrap_or_else(|_| {
            let host = address::host(&request.url);
            let seconds = self.limit.as_secs_f64();
            Err(failed(format!(
                "{host} gave no complete answer within {seconds} s"
            )))
        });
        answer.map_err(|failure| Failed {
            failure,
            sent: next.sent,
        })
    }
}

async fn follow(
    clients: &Clients,
    next: &mut Next,
    request: &WebRequest,
    reach_of: &ReachOf,
) -> Result<HttpAnswer, Failure> {
    for _ in 0..=REDIRECTS {
        let (host, reach) = next.permitted_host(reach_of)?;
        let mut builder = clients
            .of(reach, &host)?
            .request(next.method.clone(), next.url.clone())
            .headers(next.headers.clone());
        if let Some(body) = &next.body {
            builder = builder.body(body.clone());
        }
        let before = std::mem::replace(&mut next.sent, Sent::Perhaps);
        let response = builder.send().await.map_err(|error| {
            if error.is_connect() {
                next.sent = before;
            }
            unreachable_host(&host, &error)
        })?;
        match target(&response) {
            Some(url) => next.redirect(response.status(), url, &request.confidential),
            None => return read(response, &host).await,
        }
    }
    Err(failed(format!("more than {REDIRECTS} redirects")))
}

/// A client for a server that is spoken with for long; nothing may be sent to one out of reach.
pub(crate) fn client_for(url: &Url, reach_of: &ReachOf) -> Result<Client, ServerFailure> {
    let host = url.host_str().unwrap_or_default();
    let reach = reach_of(host, url.port_or_known_default().unwrap_or_default());
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    if reach == Reach::Nowhere || address.is_ok_and(|it| !is_within(reach, it)) {
        return Err(ServerFailure::Denied(format!("`net` of `{host}`")));
    }
    new_client(reach).map_err(ServerFailure::Server)
}

fn new_client(reach: Reach) -> Result<Client, String> {
    Client::builder()
        .tls_backend_preconfigured(tls()?)
        .connect_timeout(CONNECT)
        .dns_resolver(Within {
            names: Names::of_process(),
            reach,
        })
        // Each host is asked for before it is asked.
        .redirect(redirect::Policy::none())
        .user_agent(concat!("groundswell/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| format!("the HTTP client cannot start: {error}"))
}

/// Whether a server may have begun to do what it was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sent {
    /// No connection came about, or the server has sent the request elsewhere.
    Nothing,
    Perhaps,
}

/// Why there is no answer.
struct Failed {
    failure: Failure,
    sent: Sent,
}

impl Failed {
    fn unsent(failure: Failure) -> Self {
        Self {
            failure,
            sent: Sent::Nothing,
        }
    }

    /// As a request of this class fails: what must not happen twice may have happened once it was sent.
    fn of(self, class: Class) -> Failure {
        match (class, self.sent) {
            (Class::Once, Sent::Perhaps) => {}
            (Class::Once, Sent::Nothing) | (Class::Pure | Class::Reads | Class::Idempotent, _) => {
                return self.failure;
            }
        }
        if let Failure::Io { message: what, .. } = self.failure {
            Failure::Unknown { what }
        } else if let Failure::Denied { what } = self.failure {
            Failure::Unknown {
                what: format!("it led elsewhere, without the permission {what}"),
            }
        } else {
            self.failure
        }
    }
}

struct Next {
    sent: Sent,
    method: Method,
    url: Url,
    headers: HeaderMap,
    body: Option<Vec<u8>>,
}

impl Next {
    fn new(request: &WebRequest) -> Result<Self, Failure> {
        let method = Method::from_bytes(request.method.to_ascii_uppercase().as_bytes())
            .map_err(|_| failed(format!("`{}` is not an HTTP method", request.method)))?;
        let url = Url::parse(&request.url).map_err(|why| {
            failed(format!(
                "`{}` is not an address: {why}",
                address::shown(&request.url)
            ))
        })?;
        if !matches!(url.scheme(), "http" | "https") {
            let scheme = url.scheme();
            return Err(failed(format!("`{scheme}` addresses are not supported")));
        }
        let mut headers = HeaderMap::new();
        for (name, value) in &request.headers {
            let name = HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| failed(format!("`{name}` is not the name of a header")))?;
            // The value may be a secret, so it is not shown.
            let mut value = HeaderValue::from_str(value).map_err(|_| {
                failed(format!(
                    "the value of the header `{name}` contains characters that cannot be sent"
                ))
            })?;
            value.set_sensitive(true);
            headers.append(name, value);
        }
        Ok(Self {
            sent: Sent::Nothing,
            method,
            url,
            headers,
            body: request.body.clone(),
        })
    }

    /// The host that is asked, and where it may lead. What a name leads to is known once it is looked up.
    fn permitted_host(&self, reach_of: &ReachOf) -> Result<(String, Reach), Failure> {
        let host = self.url.host_str().unwrap_or_default();
        let port = self.url.port_or_known_default().unwrap_or_default();
        let reach = reach_of(host, port);
        // An address is never looked up.
        let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
        if reach == Reach::Nowhere || address.is_ok_and(|it| !is_within(reach, it)) {
            return Err(denied(host));
        }
        // Servers of many hosts choose by this header, not by the address.
        for other in self.headers.get_all(HOST) {
            let other = other.to_str().unwrap_or_default();
            let address = Url::parse(&format!("http://{other}"));
            let name = address
                .as_ref()
                .ok()
                .and_then(Url::host_str)
                .unwrap_or_default();
            if reach_of(name, port) == Reach::Nowhere {
                return Err(denied(other));
            }
        }
        Ok((host.to_owned(), reach))
    }

    fn redirect(&mut self, status: StatusCode, url: Url, confidential: &[String]) {
        if self.url.origin() != url.origin() {
            let confidential = confidential.iter().map(String::as_str);
            for name in confidential.chain(PERSONAL.iter().copied()) {
                self.headers.remove(name);
            }
        }
        // As browsers do: only 307 and 308 send the same again.
        let is_same = matches!(
            status,
            StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT
        );
        if is_same {
            // A server that redirects a request has not done what it asks for.
            self.sent = Sent::Nothing;
        }
        if !is_same && self.method != Method::GET && self.method != Method::HEAD {
            self.method = Method::GET;
            self.body = None;
            self.headers.remove("content-type");
            self.headers.remove("content-length");
        }
        self.url = url;
    }
}

/// Where a response redirects to, when it does.
fn target(response: &Response) -> Option<Url> {
    let is_redirect = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let location = response.headers().get(LOCATION).filter(|_| is_redirect)?;
    let url = response.url().join(location.to_str().ok()?).ok()?;
    matches!(url.scheme(), "http" | "https").then_some(url)
}

async fn read(mut response: Response, host: &str) -> Result<HttpAnswer, Failure> {
    let status = i64::from(response.status().as_u16());
    let mut headers: Vec<(String, String)> = Vec::new();
    for (name, value) in response.headers() {
        let text = String::from_utf8_lossy(value.as_bytes());
        match headers.iter_mut().find(|it| it.0 == name.as_str()) {
            Some((_, known)) => {
                known.push_str(", ");
                known.push_str(&text);
            }
            None => headers.push((name.as_str().to_owned(), text.into_owned())),
        }
    }
    let mut bytes = Vec::new();
    let mut room = Taken::none();
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|error| unreachable_host(host, &error))?
    {
        if bytes.len() + chunk.len() > LARGEST {
            return Err(failed(format!("{host} sent more than {LARGEST} bytes")));
        }
        room.grow(bytes.len() + chunk.len()).await;
        bytes.extend_from_slice(&chunk);
    }
    Ok(HttpAnswer {
        status,
        headers,
        body: String::from_utf8_lossy(&bytes).into_owned(),
    })
}

fn unreachable_host(host: &str, error: &reqwest::Error) -> Failure {
    if let Some(OutOfReach { address }) = out_of_reach(error) {
        return Failure::Denied {
            what: format!("`net` of `{host}`, which leads to {address},"),
        };
    }
    let cause = last_cause(error);
    failed(if error.is_connect() {
        format!("{host} cannot be reached: {cause}")
    } else {
        format!("the connection to {host} failed: {cause}")
    })
}

/// The address that a name led to and that it may not lead to, when that is why a request failed.
fn out_of_reach(error: &reqwest::Error) -> Option<&OutOfReach> {
    let first = std::error::Error::source(error);
    let mut causes = std::iter::successors(first, |it| it.source());
    causes.find_map(|it| it.downcast_ref())
}

fn denied(host: &str) -> Failure {
    Failure::Denied {
        what: format!("`net` of `{host}`"),
    }
}

fn failed(message: String) -> Failure {
    Failure::Io {
        path: None,
        message,
    }
}
