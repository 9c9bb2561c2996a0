//! Finds the authorization server of a server: the metadata of the protected resource (RFC 9728) and of its authorization
//! server (RFC 8414, or those of OpenID Connect).

use gsw_driver::servers::ServerFailure;
use reqwest::Url;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::mcp::authorization::challenge::Challenge;
use crate::mcp::authorization::exchange::{Exchange, failed};

/// What a server says of itself as something to be protected.
#[derive(Deserialize)]
pub(super) struct Resource {
    /// The server as its authorization server knows it, exactly as it is published.
    pub resource: String,
    /// The issuers that it trusts.
    #[serde(default)]
    pub authorization_servers: Vec<String>,
    pub scopes_supported: Option<Vec<String>>,
}

/// What an authorization server says of itself.
#[derive(Deserialize)]
pub(super) struct Metadata {
    pub issuer: String,
    pub authorization_endpoint: String,
    pub token_endpoint: String,
    pub registration_endpoint: Option<String>,
    pub scopes_supported: Option<Vec<String>>,
    pub token_endpoint_auth_methods_supported: Option<Vec<String>>,
    #[serde(default)]
    code_challenge_methods_supported: Vec<String>,
    #[serde(default)]
    pub client_id_metadata_document_supported: bool,
    #[serde(default)]
    pub authorization_response_iss_parameter_supported: bool,
}

/// The metadata of the server, at the place that it names, else at the well-known ones.
pub(super) async fn resource(
    exchange: &Exchange<'_>,
    challenge: &Challenge,
) -> Result<Resource, ServerFailure> {
    let places = match &challenge.metadata {
        Some(place) => vec![exchange.address(place)?],
        None => well_known(
            exchange.server,
            &[Place::Inserted("oauth-protected-resource")],
        ),
    };
    let found: Option<Resource> = first(exchange, &places).await?;
    let found = found.ok_or_else(|| {
        failed(
            "it wants a person's authorization and does not say whose: it has no metadata of a protected resource"
                .into(),
        )
    })?;
    if !is_of(&found.resource, exchange.server) {
        return Err(failed(format!(
            "its authorization is for `{}`, which it is not",
            found.resource
        )));
    }
    Ok(found)
}

/// The metadata of the authorization server that calls itself `issuer`.
pub(super) async fn authorization_server(
    exchange: &Exchange<'_>,
    issuer: &str,
) -> Result<Metadata, ServerFailure> {
    let places = well_known(
        &exchange.address(issuer)?,
        &[
            Place::Inserted("oauth-authorization-server"),
            Place::Inserted("openid-configuration"),
            Place::Appended("openid-configuration"),
        ],
    );
    let found: Option<Metadata> = first(exchange, &places).await?;
    let found = found.ok_or_else(|| {
        failed(format!(
            "its authorization server `{issuer}` has no metadata"
        ))
    })?;
    // Compared as texts: a server that can make two addresses look alike would be taken for another one.
    if found.issuer != issuer {
        return Err(failed(format!(
            "its authorization server `{issuer}` calls itself `{}`",
            found.issuer
        )));
    }
    if !found
        .code_challenge_methods_supported
        .iter()
        .any(|it| it == "S256")
    {
        return Err(failed(format!(
            "its authorization server `{issuer}` does not support PKCE with S256"
        )));
    }
    Ok(found)
}

/// Where metadata are found beside an address.
enum Place {
    /// `/.well-known/NAME` before the path, then without the path if the name is that of a resource.
    Inserted(&'static str),
    /// `/.well-known/NAME` after the path.
    Appended(&'static str),
}

fn well_known(of: &Url, places: &[Place]) -> Vec<Url> {
    let path = of.path().trim_end_matches('/');
    let at = |path: String| {
        let mut url = of.clone();
        url.set_path(&path);
        url.set_query(None);
        url.set_fragment(None);
        url
    };
    let mut urls: Vec<Url> = Vec::new();
    for place in places {
        match place {
            Place::Inserted(name) => urls.push(at(format!("/.well-known/{name}{path}"))),
            Place::Appended(name) => urls.push(at(format!("{path}/.well-known/{name}"))),
        }
    }
    if let [Place::Inserted(name)] = places {
        urls.push(at(format!("/.well-known/{name}")));
    }
    urls.dedup();
    urls
}

/// The document at the first place that has one of its kind.
async fn first<T: DeserializeOwned>(
    exchange: &Exchange<'_>,
    places: &[Url],
) -> Result<Option<T>, ServerFailure> {
    for place in places {
        let answer = exchange.get(place).await?;
        // Some servers answer any address with a page.
        let found = match answer.status.is_success() {
            true => serde_json::from_value(answer.body).ok(),
            false => None,
        };
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Whether a resource is the server, or what it is in at the same origin.
fn is_of(resource: &str, server: &Url) -> bool {
    let Ok(resource) = Url::parse(resource) else {
        return false;
    };
    let path = resource.path().trim_end_matches('/');
    let rest = server.path().strip_prefix(path);
    resource.origin() == server.origin()
        && rest.is_some_and(|it| it.is_empty() || it.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use reqwest::Url;

    use super::{Place, is_of, well_known};

    fn url(text: &str) -> Url {
        Url::parse(text).expect("a test has addresses")
    }

    #[test]
    fn a_resource_is_the_server_or_what_it_lies_in() {
        let server = url("https://a.example/x/mcp");
        for resource in [
            "https://a.example/x/mcp",
            "https://a.example",
            "https://a.example/x/",
        ] {
            assert!(is_of(resource, &server), "{resource}");
        }
        for other in [
            "https://b.example/x/mcp",
            "https://a.example/x/m",
            "https://a.example:8443/x/mcp",
            "http://a.example/x/mcp",
            "a.example",
        ] {
            assert!(!is_of(other, &server), "{other}");
        }
    }

    #[test]
    fn metadata_stand_before_and_after_a_path() {
        let places = [
            Place::Inserted("a"),
            Place::Inserted("b"),
            Place::Appended("b"),
        ];
        let found = |of: &str| {
            let found = well_known(&url(of), &places);
            found.iter().map(Url::to_string).collect::<Vec<_>>()
        };
        assert_eq!(
            found("https://a.example/t"),
            [
                "https://a.example/.well-known/a/t",
                "https://a.example/.well-known/b/t",
                "https://a.example/t/.well-known/b"
            ]
        );
        assert_eq!(
            found("https://a.example"),
            [
                "https://a.example/.well-known/a",
                "https://a.example/.well-known/b"
            ]
        );
    }
}
