//! Opens connections to hosts: directly or through a proxy of the environment, with TLS where the address says so.

use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use http::header::{HeaderMap, HeaderValue, USER_AGENT};
use http::uri::{Scheme, Uri};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connection, HttpConnector};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use tower_service::Service;

use crate::connections::failing::CONNECT;
use crate::connections::{Names, tls};

/// The name of the client in requests.
pub(super) const AGENT: &str = concat!("groundswell/", env!("CARGO_PKG_VERSION"));
/// From this long a silence on, the system asks for signs of life, this often and this many times.
const ALIVE: Duration = Duration::from_secs(15);
const TIMES_ALIVE: u32 = 3;
/// How long what was sent may stay unacknowledged.
#[cfg(target_os = "linux")]
const ACKNOWLEDGED: Duration = Duration::from_secs(30);

pub(super) type Cause = Box<dyn Error + Send + Sync>;

/// What all connections are opened with.
pub(super) struct Connector {
    tcp: HttpConnector<Names>,
    tls: Arc<ClientConfig>,
    /// To a proxy, by HTTP/1.1.
    proxy_tls: Arc<ClientConfig>,
    proxies: Matcher,
}

/// A connection on which nothing was said yet.
pub(super) struct Socket {
    pub bytes: Box<dyn Bytes>,
    pub speech: Speech,
}

pub(super) trait Bytes: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Bytes for T {}

/// What is spoken over a connection.
#[derive(Clone, Debug)]
pub(super) enum Speech {
    Http1,
    /// With a proxy that passes requests on; its password is a header of each.
    Http1ByProxy(Option<HeaderValue>),
    Http2,
}

impl Connector {
    /// The certificates of the system and the proxies of the environment are read here, once.
    pub fn new() -> Result<Self, String> {
        let tls = tls()?;
        let mut proxy_tls = tls.clone();
        proxy_tls.alpn_protocols.clear();
        let mut tcp = HttpConnector::new_with_resolver(Names::of_process());
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT));
        tcp.set_keepalive(Some(ALIVE));
        tcp.set_keepalive_interval(Some(ALIVE));
        tcp.set_keepalive_retries(Some(TIMES_ALIVE));
        #[cfg(target_os = "linux")]
        tcp.set_tcp_user_timeout(Some(ACKNOWLEDGED));
        Ok(Self {
            tcp,
            tls: Arc::new(tls),
            proxy_tls: Arc::new(proxy_tls),
            proxies: Matcher::from_system(),
        })
    }

    /// Opens a connection for requests to this address.
    pub async fn open(&self, to: &Uri) -> Result<Socket, Cause> {
        let opening = async {
            match self.proxies.intercept(to) {
                None => self.directly(to).await,
                Some(proxy) if to.scheme() == Some(&Scheme::HTTPS) => self.tunnel(to, &proxy).await,
                Some(proxy) => self.by_proxy(&proxy).await,
            }
        };
        let late = |_| io::Error::from(io::ErrorKind::TimedOut).into();
        timeout(CONNECT, opening).await.map_err(late).flatten()
    }

    async fn directly(&self, to: &Uri) -> Result<Socket, Cause> {
        let mut connector = HttpsConnector::from((self.tcp.clone(), Arc::clone(&self.tls)));
        Ok(Socket::of(connector.call(to.clone()).await?))
    }

    /// A connection that the proxy only passes on, so that it can read nothing of it.
    async fn tunnel(&self, to: &Uri, proxy: &Intercept) -> Result<Socket, Cause> {
        let inner = HttpsConnector::from((self.tcp.clone(), Arc::clone(&self.proxy_tls)));
        let mut headers = HeaderMap::new();
        headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
        let mut tunnel = Tunnel::new(proxy.uri().clone(), inner).with_headers(headers);
        if let Some(who) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(who.clone());
        }
        let mut connector = HttpsConnector::from((tunnel, Arc::clone(&self.tls)));
        Ok(Socket::of(connector.call(to.clone()).await?))
    }

    async fn by_proxy(&self, proxy: &Intercept) -> Result<Socket, Cause> {
        let mut connector = HttpsConnector::from((self.tcp.clone(), Arc::clone(&self.proxy_tls)));
        let stream = connector.call(proxy.uri().clone()).await?;
        Ok(Socket {
            bytes: Box::new(TokioIo::new(stream)),
            speech: Speech::Http1ByProxy(proxy.basic_auth().cloned()),
        })
    }
}

impl Socket {
    fn of<T>(stream: T) -> Self
    where
        T: Connection + hyper::rt::Read + hyper::rt::Write + Send + Unpin + 'static,
    {
        let speech = match stream.connected().is_negotiated_h2() {
            true => Speech::Http2,
            false => Speech::Http1,
        };
        Self {
            bytes: Box::new(TokioIo::new(stream)),
            speech,
        }
    }
}
