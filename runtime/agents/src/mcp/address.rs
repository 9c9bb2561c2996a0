//! Servers that are reached by HTTP: nothing is sent to a host that the program may not reach, and no redirect is followed.

use std::collections::HashMap;

use gsw_driver::servers::{ServerAddress, ServerFailure};
use gsw_driver::web::ReachOf;
use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use crate::mcp::authorization::bearer::{Bearer, BearerClient, Over};
use crate::web::client_for;

pub(super) fn transport(
    server: &ServerAddress,
    reach_of: &ReachOf,
    bearer: Bearer,
    over: Over,
) -> Result<StreamableHttpClientTransport<BearerClient>, ServerFailure> {
    let failed = |message: String| ServerFailure::Server(message);
    let url = Url::parse(&server.url).map_err(|why| failed(format!("it has no address: {why}")))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(failed(format!(
            "`{}` addresses are not supported",
            url.scheme()
        )));
    }
    let client = BearerClient {
        client: client_for(&url, reach_of)?,
        bearer,
        over,
    };
    let mut headers = HashMap::new();
    for (name, value) in &server.headers {
        let known = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| failed(format!("`{name}` is not the name of a header")))?;
        // The value may be a secret, so it is not shown.
        let mut value = HeaderValue::from_str(value).map_err(|_| {
            failed(format!(
                "the value of the header `{name}` contains characters that cannot be sent"
            ))
        })?;
        value.set_sensitive(true);
        headers.insert(known, value);
    }
    let config =
        StreamableHttpClientTransportConfig::with_uri(server.url.as_str()).custom_headers(headers);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}
