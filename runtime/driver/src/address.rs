//! Addresses of the web, as their clients read them.

use gsw_engine::operation::Failure;
use url::Url;

/// The host in lower case and the port that an address leads to.
pub(crate) fn host_and_port(address: &str) -> Result<(String, u16), Failure> {
    let failed = |message: String| Failure::Io {
        path: None,
        message,
    };
    let url = Url::parse(address)
        .map_err(|why| failed(format!("`{address}` is not an address: {why}")))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(failed(format!(
            "`{}` addresses are not supported",
            url.scheme()
        )));
    }
    let host = url.host_str().unwrap_or_default().to_owned();
    Ok((host, url.port_or_known_default().unwrap_or_default()))
}
