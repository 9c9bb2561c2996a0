//! Connections by TLS, with a certificate of our own.

use std::io;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// The authority that has signed the server's certificate, as PEM: clients are made to trust it (`SSL_CERT_FILE`). The key is
/// gone, so that it can sign nothing else.
pub const AUTHORITY: &str = include_str!("../tls/authority.pem");
const CERTIFICATE: &str = include_str!("../tls/certificate.pem");
const KEY: &str = include_str!("../tls/key.pem");

/// What a server's connections are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Transport {
    /// HTTP/1.1 without TLS.
    Plain,
    /// HTTP/1.1 over TLS.
    Tls,
    /// HTTP/2 or HTTP/1.1 over TLS, as the client likes.
    TlsHttp2,
}

/// Makes connections secure.
#[derive(Clone)]
pub(crate) struct Acceptor(TlsAcceptor);

/// A connection, by what the two sides have agreed on.
pub(crate) enum Socket {
    Http1(TlsStream<TcpStream>),
    Http2(TlsStream<TcpStream>),
}

/// None for connections without TLS.
pub(crate) fn acceptor(transport: Transport) -> io::Result<Option<Acceptor>> {
    let versions: &[&[u8]] = match transport {
        Transport::Plain => return Ok(None),
        Transport::Tls => &[b"http/1.1"],
        Transport::TlsHttp2 => &[b"h2", b"http/1.1"],
    };
    let certificate = CertificateDer::from_pem_slice(CERTIFICATE.as_bytes());
    let certificate = certificate.map_err(io::Error::other)?;
    let key = PrivateKeyDer::from_pem_slice(KEY.as_bytes()).map_err(io::Error::other)?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config =
        ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(io::Error::other)?.with_no_client_auth();
    let config = config.with_single_cert(vec![certificate], key);
    let mut config = config.map_err(io::Error::other)?;
    config.alpn_protocols = versions.iter().map(|it| it.to_vec()).collect();
    Ok(Some(Acceptor(TlsAcceptor::from(Arc::new(config)))))
}

impl Acceptor {
    pub(crate) async fn accept(&self, socket: TcpStream) -> io::Result<Socket> {
        let stream = self.0.accept(socket).await?;
        Ok(match stream.get_ref().1.alpn_protocol() {
            Some(b"h2") => Socket::Http2(stream),
            Some(_) | None => Socket::Http1(stream),
        })
    }
}
