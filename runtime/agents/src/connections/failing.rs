//! Why connections fail, in messages that name the host and never a key.

use std::error::Error;
use std::io;
use std::time::Duration;

use super::address;

/// How long a connection may take.
pub(crate) const CONNECT: Duration = Duration::from_secs(5);

/// How far a request had come when it failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reached {
    /// A connection was being opened.
    Way,
    Host,
}

/// What went wrong with a request to this address.
pub(crate) fn describe(url: &str, reached: Reached, error: &(dyn Error + 'static)) -> String {
    let host = address::host(url);
    if let Some(tls) = tls_error(error) {
        return format!("no secure connection to {host}: {tls}");
    }
    let cause = last_cause(error);
    match reached {
        Reached::Way if is_timeout(error) => format!(
            "{host} did not accept a connection within {} s",
            CONNECT.as_secs()
        ),
        Reached::Way => format!("{host} cannot be reached: {cause}"),
        Reached::Host => format!("the connection to {host} failed: {cause}"),
    }
}

/// The same of an error of the general client.
pub(crate) fn describe_client(url: &str, error: &reqwest::Error) -> String {
    if error.is_builder() {
        return no_address(url);
    }
    let reached = match error.is_connect() {
        true => Reached::Way,
        false => Reached::Host,
    };
    describe(url, reached, error)
}

/// A text that is no address.
pub(crate) fn no_address(url: &str) -> String {
    let shown = address::shown(url);
    format!("`{shown}` is not an address that can be reached; check the base URL")
}

pub(crate) fn tls_error<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    causes(error).find_map(<dyn Error + 'static>::downcast_ref)
}

fn is_timeout(error: &(dyn Error + 'static)) -> bool {
    let late = |it: &io::Error| it.kind() == io::ErrorKind::TimedOut;
    let client = error.downcast_ref::<reqwest::Error>();
    client.is_some_and(reqwest::Error::is_timeout)
        || causes(error).any(|it| it.downcast_ref().is_some_and(late))
}

/// The error and what caused it, the outermost first.
pub(crate) fn causes<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    let mut next = Some(error);
    std::iter::from_fn(move || {
        let this = next?;
        // The `source` of an `io::Error` skips the error that it wraps.
        let carried = this
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        next = carried.map(|it| it as _).or_else(|| this.source());
        Some(this)
    })
}

/// The message of the innermost source of an error.
pub(crate) fn last_cause(error: &(dyn Error + 'static)) -> String {
    let last = causes(error).last().unwrap_or(error);
    last.to_string()
}
