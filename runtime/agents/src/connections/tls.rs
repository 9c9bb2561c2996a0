//! How connections are made secure: the certificates of the system, and which versions of HTTP are offered.

use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt;

/// Reads the certificates of the system; all connections of one kind share what it gives.
pub(crate) fn tls() -> Result<ClientConfig, String> {
    // Fails only when another part of the process has installed one, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut config = ClientConfig::builder()
        .with_platform_verifier()
        .map_err(|error| {
            format!(
                "no secure connection can be made: {error}; install the certificates of the system (`ca-certificates`), or name a file of them in SSL_CERT_FILE"
            )
        })?
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}
