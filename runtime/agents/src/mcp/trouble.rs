//! Why a server has not done what it was asked for.

use std::error::Error;

use gsw_driver::servers::ServerFailure;
use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::DynamicTransportError;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, InsufficientScopeError, StreamableHttpError,
};

use crate::connections::failing::{causes, last_cause};
use crate::mcp::authorization::challenge::{Challenge, Why};
use crate::mcp::pipe;

pub(super) enum Trouble {
    Failed(ServerFailure),
    /// It has not begun, because the program is not authorized to have it done.
    Refused(Challenge),
}

impl From<ServerFailure> for Trouble {
    fn from(failure: ServerFailure) -> Self {
        Self::Failed(failure)
    }
}

impl Trouble {
    /// The failure as the program gets it where no person is asked for an authorization.
    pub fn failure(self) -> ServerFailure {
        match self {
            Self::Failed(failure) => failure,
            Self::Refused(_) => ServerFailure::Server(
                "it wants to be shown an authorization: write `auth: oauth()` where the server is declared, or give it a token in its \
                 `headers`"
                    .into(),
            ),
        }
    }
}

/// The challenge in an answer to a request.
pub(super) fn of_request(error: &ServiceError) -> Option<Challenge> {
    if let ServiceError::TransportSend(error) = error {
        return of_transport(error);
    }
    None
}

/// The library's error for a call whose session ended before the answer.
const BEGUN_ANEW: &str = "streamable HTTP session was re-initialized before the response arrived";

/// Whether the server may do what it was asked for all the same.
pub(super) fn is_in_doubt(error: &ServiceError) -> bool {
    if let ServiceError::TransportSend(error) = error {
        let sent = causes(error.error.as_ref()).find_map(of_client);
        return sent.is_some_and(may_be_done);
    }
    if let ServiceError::McpError(error) = error {
        return error.message == BEGUN_ANEW || pipe::is_unreadable(error);
    }
    true
}

/// Whether what was sent may be done though it came to this: it is not where it was not sent, or was refused. An answer that
/// cannot be read says neither.
fn may_be_done(error: &StreamableHttpError<reqwest::Error>) -> bool {
    if let StreamableHttpError::Client(error) = error {
        return !error.is_connect() && !error.is_builder();
    }
    // A server that has failed has begun, and one before it does not know what happened to the request.
    if let StreamableHttpError::HttpStatus(error) = error {
        return error.status >= 500;
    }
    if let StreamableHttpError::UnexpectedServerResponse(said) = error {
        return !said.starts_with("HTTP ");
    }
    !matches!(
        error,
        StreamableHttpError::AuthRequired(_)
            | StreamableHttpError::InsufficientScope(_)
            | StreamableHttpError::ReservedHeaderConflict(_)
            | StreamableHttpError::SessionExpired
            | StreamableHttpError::ReinitializationFailed(_)
    )
}

/// Why a request to an address failed, for people.
pub(super) fn words_of_request(error: &ServiceError) -> Option<String> {
    let ServiceError::TransportSend(error) = error else {
        return None;
    };
    let all: Vec<_> = causes(error.error.as_ref()).collect();
    let last = match all.iter().find_map(|it| of_reqwest(*it)) {
        Some(error) => last_cause(error),
        None => all.last().map(ToString::to_string)?,
    };
    let last = last.trim_end_matches([':', ' ']);
    Some(format!("the connection to it has ended: {last}"))
}

/// Why a greeting failed, for people: without types of the client, and a missing server is not reported as a faulty one.
pub(super) fn words_of_greeting(error: &ClientInitializeError) -> String {
    if let ClientInitializeError::LegacyFallbackFailed { fallback, .. } = error {
        return words_of_greeting(fallback);
    }
    let ClientInitializeError::TransportError { error, .. } = error else {
        return format!("it does not speak the protocol: {error}");
    };
    let all: Vec<_> = causes(error.error.as_ref()).collect();
    match all.iter().find_map(|it| of_reqwest(*it)) {
        Some(error) if error.is_connect() => format!("it cannot be reached: {}", last_cause(error)),
        Some(error) => format!("it does not speak the protocol: {}", last_cause(error)),
        None => {
            let last = all.last().map(ToString::to_string).unwrap_or_default();
            format!("it does not speak the protocol: {last}")
        }
    }
}

fn of_client<'a>(
    error: &'a (dyn Error + 'static),
) -> Option<&'a StreamableHttpError<reqwest::Error>> {
    error.downcast_ref()
}

/// The error that the HTTP client wraps, and leaves out of its sources.
fn of_reqwest<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a reqwest::Error> {
    match of_client(error) {
        Some(StreamableHttpError::Client(error)) => Some(error),
        _ => None,
    }
}

/// The challenge in an answer to a greeting.
pub(super) fn of_greeting(error: &ClientInitializeError) -> Option<Challenge> {
    if let ClientInitializeError::TransportError { error, .. } = error {
        return of_transport(error);
    }
    if let ClientInitializeError::LegacyFallbackFailed { discover, fallback } = error {
        return of_greeting(fallback).or_else(|| of_greeting(discover));
    }
    None
}

fn of_transport(error: &DynamicTransportError) -> Option<Challenge> {
    let mut error: Option<&(dyn Error + 'static)> = Some(error.error.as_ref());
    while let Some(it) = error {
        if let Some(it) = it.downcast_ref::<AuthRequiredError>() {
            return Some(Challenge::read(&it.www_authenticate_header, Why::Unknown));
        }
        if let Some(it) = it.downcast_ref::<InsufficientScopeError>() {
            return Some(Challenge::read(&it.www_authenticate_header, Why::TooLittle));
        }
        error = it.source();
    }
    None
}
