//! Requests to a token endpoint: with an authorization code, or with a refresh token.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gsw_driver::servers::ServerFailure;
use reqwest::{StatusCode, Url};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::mcp::authorization::discovery::Metadata;
use crate::mcp::authorization::exchange::{Answer, Exchange, failed};
use crate::mcp::authorization::identity::{Identity, Method};

/// A token is renewed this long before it ends.
const BEFORE: Duration = Duration::from_secs(30);

/// What lets the program use the server.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Token {
    pub access: String,
    /// The refresh token.
    pub refresh: Option<String>,
    /// When it ends, in seconds since 1970; none if that is not known.
    pub ends: Option<u64>,
    pub scopes: Vec<String>,
}

impl Token {
    /// Whether it has ended, or is about to.
    pub fn is_over(&self) -> bool {
        self.ends.is_some_and(|it| it <= now() + BEFORE.as_secs())
    }
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default().as_secs()
}

/// Why there is no token.
pub(super) enum Refused {
    /// The authorization server does not know the program any more.
    Unknown(ServerFailure),
    /// It does not take what it was shown.
    Other(ServerFailure),
    /// It has not looked at it: what it was shown may be good.
    Unseen(ServerFailure),
}

impl Refused {
    pub fn failure(self) -> ServerFailure {
        match self {
            Self::Unknown(failure) | Self::Other(failure) | Self::Unseen(failure) => failure,
        }
    }
}

#[derive(Deserialize)]
struct Given {
    access_token: String,
    token_type: String,
    expires_in: Option<Value>,
    refresh_token: Option<String>,
    scope: Option<String>,
}

pub(super) struct TokenEndpoint<'a> {
    pub exchange: &'a Exchange<'a>,
    pub metadata: &'a Metadata,
    pub identity: &'a Identity,
    /// The server as it is published.
    pub resource: &'a str,
}

impl TokenEndpoint<'_> {
    /// Exchanges the code that a person has brought back to `redirect`.
    pub async fn for_code(
        &self,
        code: &str,
        verifier: &str,
        redirect: &str,
        wanted: Vec<String>,
    ) -> Result<Token, Refused> {
        let form = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("code_verifier", verifier),
            ("redirect_uri", redirect),
        ];
        self.token(&form, None, wanted).await
    }

    /// In the place of a token that has ended.
    pub async fn renewed(&self, token: &Token, refresh: &str) -> Result<Token, Refused> {
        let form = [("grant_type", "refresh_token"), ("refresh_token", refresh)];
        let scopes = token.scopes.clone();
        self.token(&form, Some(refresh.to_owned()), scopes).await
    }

    async fn token(
        &self,
        form: &[(&str, &str)],
        refresh: Option<String>,
        scopes: Vec<String>,
    ) -> Result<Token, Refused> {
        let endpoint = self.exchange.address(&self.metadata.token_endpoint);
        let endpoint = endpoint.map_err(Refused::Other)?;
        let mut fields = form.to_vec();
        fields.push(("resource", self.resource));
        let Identity {
            id, secret, method, ..
        } = self.identity;
        let secret = secret.as_deref().unwrap_or_default();
        let mut authorization = None;
        match method {
            Method::Public => fields.push(("client_id", id)),
            Method::Post => fields.extend([("client_id", id.as_str()), ("client_secret", secret)]),
            Method::Basic => {
                let pair = format!("{}:{}", encoded(id), encoded(secret));
                authorization = Some(format!("Basic {}", STANDARD.encode(pair)));
            }
        }
        let form = query(&fields);
        let answer = self
            .exchange
            .post_form(&endpoint, form, authorization)
            .await;
        let answer = answer.map_err(Refused::Unseen)?;
        self.given(answer, refresh, scopes)
    }

    /// The token in an answer. Fields that are absent stay as they were.
    fn given(
        &self,
        answer: Answer,
        refresh: Option<String>,
        scopes: Vec<String>,
    ) -> Result<Token, Refused> {
        if !answer.status.is_success() {
            let error = answer.body["error"].as_str().unwrap_or_default();
            let more = answer.body["error_description"]
                .as_str()
                .unwrap_or_default();
            let failure = failed(format!(
                "its authorization server `{}` gives no token (HTTP {}): {error} {more}",
                self.metadata.issuer,
                answer.status.as_u16(),
            ));
            let is_overloaded = answer.status == StatusCode::TOO_MANY_REQUESTS;
            return Err(match error {
                "invalid_client" | "unauthorized_client" => Refused::Unknown(failure),
                _ if is_overloaded || answer.status.is_server_error() => Refused::Unseen(failure),
                _ => Refused::Other(failure),
            });
        }
        // What serde says of it could show the token.
        let given: Given = serde_json::from_value(answer.body).map_err(|_| {
            let issuer = &self.metadata.issuer;
            Refused::Other(failed(format!(
                "its authorization server `{issuer}` gives no token that can be read"
            )))
        })?;
        if !given.token_type.eq_ignore_ascii_case("bearer") {
            return Err(Refused::Other(failed(format!(
                "its authorization server gives a token of the type `{}`; only `Bearer` is supported",
                given.token_type
            ))));
        }
        let scopes = match given.scope {
            Some(scope) => scope.split_whitespace().map(str::to_owned).collect(),
            // The default of the standard.
            None => scopes,
        };
        Ok(Token {
            access: given.access_token,
            refresh: given.refresh_token.or(refresh),
            ends: seconds(given.expires_in.as_ref()).map(|it| now().saturating_add(it)),
            scopes,
        })
    }
}

/// A number of seconds, which some servers write as a text.
fn seconds(value: Option<&Value>) -> Option<u64> {
    let value = value?;
    let number = value.as_f64().or_else(|| value.as_str()?.parse().ok());
    number.map(|it| it as u64)
}

/// Fields as a form.
fn query(fields: &[(&str, &str)]) -> String {
    let mut url = Url::parse("http://form").expect("it is an address");
    url.query_pairs_mut().extend_pairs(fields);
    url.query().unwrap_or_default().to_owned()
}

/// A text as a form has it.
fn encoded(text: &str) -> String {
    query(&[(text, "")]).trim_end_matches('=').to_owned()
}

#[cfg(test)]
mod tests {
    use super::{encoded, query};

    #[test]
    fn forms_are_encoded() {
        assert_eq!(query(&[("a", "b c"), ("d", "e&f")]), "a=b+c&d=e%26f");
        assert_eq!(encoded("a:b=/é"), "a%3Ab%3D%2F%C3%A9");
    }
}
