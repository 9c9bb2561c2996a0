//! The identity of a program at an authorization server: registered beforehand, a metadata document, or dynamic registration.

use gsw_driver::servers::{OAuth, ServerFailure};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::mcp::authorization::discovery::Metadata;
use crate::mcp::authorization::exchange::{Exchange, failed};

/// What an authorization server knows a program by.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Identity {
    pub id: String,
    pub secret: Option<String>,
    pub method: Method,
    /// The redirect address, as registered.
    pub redirect: Option<String>,
}

/// How a program authenticates at the token endpoint.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub(super) enum Method {
    #[serde(rename = "none")]
    Public,
    #[serde(rename = "client_secret_basic")]
    Basic,
    #[serde(rename = "client_secret_post")]
    Post,
}

impl Method {
    const fn name(self) -> &'static str {
        match self {
            Self::Public => "none",
            Self::Basic => "client_secret_basic",
            Self::Post => "client_secret_post",
        }
    }

    fn named(name: &str) -> Option<Self> {
        let all = [Self::Public, Self::Basic, Self::Post];
        all.into_iter().find(|it| it.name() == name)
    }

    /// The first of these that the authorization server takes.
    fn taken(metadata: &Metadata, wanted: &[Self]) -> Option<Self> {
        let Some(taken) = &metadata.token_endpoint_auth_methods_supported else {
            // The default of the standard.
            return wanted.iter().copied().find(|it| *it == Self::Basic);
        };
        let is_taken = |it: &Self| taken.iter().any(|name| name == it.name());
        wanted.iter().copied().find(is_taken)
    }
}

/// What an authorization server answers to a registration.
#[derive(Deserialize)]
struct Registered {
    client_id: String,
    client_secret: Option<String>,
    token_endpoint_auth_method: Option<String>,
}

/// The identity that the program has already: what it says, or what it was registered as before.
pub(super) fn known(
    oauth: &OAuth,
    metadata: &Metadata,
    kept: Option<&Identity>,
) -> Result<Option<Identity>, ServerFailure> {
    if let Some(client) = &oauth.client {
        return registered_beforehand(client, oauth, metadata).map(Some);
    }
    if let Some(document) = &oauth.document
        && metadata.client_id_metadata_document_supported
    {
        return Ok(Some(Identity {
            id: document.clone(),
            secret: None,
            method: Method::Public,
            redirect: None,
        }));
    }
    // One that the program has not registered itself belongs to settings that were others.
    Ok(kept.filter(|it| it.redirect.is_some()).cloned())
}

fn registered_beforehand(
    client: &str,
    oauth: &OAuth,
    metadata: &Metadata,
) -> Result<Identity, ServerFailure> {
    match (&oauth.issuer, &oauth.secret) {
        (Some(issuer), _) if *issuer != metadata.issuer => {
            return Err(failed(format!(
                "its authorization server is `{}`, and the program is registered at `{issuer}`",
                metadata.issuer
            )));
        }
        // A server could name an authorization server of its own to learn the secret.
        (None, Some(_)) => {
            return Err(failed(format!(
                "`oauth` with a secret needs the `issuer` that it is for; the server names `{}`",
                metadata.issuer
            )));
        }
        (Some(_), _) | (None, None) => {}
    }
    let method = match &oauth.secret {
        None => Some(Method::Public),
        Some(_) => Method::taken(metadata, &[Method::Basic, Method::Post]),
    };
    let method = method.ok_or_else(|| no_method(metadata))?;
    Ok(Identity {
        id: client.to_owned(),
        secret: oauth.secret.clone(),
        method,
        redirect: None,
    })
}

/// Registers the program as a client (RFC 7591).
pub(super) async fn register(
    exchange: &Exchange<'_>,
    metadata: &Metadata,
    redirect: &str,
) -> Result<Identity, ServerFailure> {
    let Some(endpoint) = &metadata.registration_endpoint else {
        return Err(failed(format!(
            "its authorization server `{}` registers no programs by itself: register this one there, with the redirect address \
             `{redirect}`, and give its id as `oauth(client: \"…\")`",
            metadata.issuer
        )));
    };
    let wanted = [Method::Public, Method::Basic, Method::Post];
    let method = Method::taken(metadata, &wanted).ok_or_else(|| no_method(metadata))?;
    let asked = json!({
        "client_name": "Groundswell",
        "application_type": "native",
        "redirect_uris": [redirect],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": method.name(),
    });
    let answer = exchange
        .post_json(&exchange.address(endpoint)?, &asked)
        .await?;
    if !answer.status.is_success() {
        return Err(failed(format!(
            "its authorization server `{}` does not register the program (HTTP {})",
            metadata.issuer,
            answer.status.as_u16()
        )));
    }
    let registered: Registered = serde_json::from_value(answer.body).map_err(|why| {
        failed(format!(
            "its authorization server registers no client: {why}"
        ))
    })?;
    let method = match registered.token_endpoint_auth_method.as_deref() {
        None => method,
        Some(name) => Method::named(name).ok_or_else(|| no_method(metadata))?,
    };
    Ok(Identity {
        id: registered.client_id,
        secret: registered.client_secret,
        method,
        redirect: Some(redirect.to_owned()),
    })
}

fn no_method(metadata: &Metadata) -> ServerFailure {
    failed(format!(
        "its authorization server `{}` takes neither `none`, `client_secret_basic` nor `client_secret_post` at its token endpoint",
        metadata.issuer
    ))
}
