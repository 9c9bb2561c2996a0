//! The seam to the HTTP client.

use std::pin::Pin;
use std::sync::Arc;

use gsw_engine::operation::{Failure, HttpAnswer};

use crate::call::Call;

/// Where a host may lead that a program asks for, from the least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    Nowhere,
    /// A wildcard permits it: to public addresses.
    Public,
    /// It is listed by name: anywhere but to link-local addresses, where clouds keep the keys of a machine.
    Listed,
    /// Nothing is restricted, or it is an address that is listed itself.
    Anywhere,
}

/// Where a host and port may lead.
pub type ReachOf = Arc<dyn Fn(&str, u16) -> Reach + Send + Sync>;

/// The outcome of a request.
pub type WebAnswer = Pin<Box<dyn Future<Output = Result<HttpAnswer, Failure>> + Send>>;

pub trait Web: Send + Sync {
    /// Sends one and follows redirects. What must not happen twice (`call.class`) and may have been done fails as
    /// [`Failure::Unknown`], with why that is not known.
    ///
    /// Every host is asked for with `reach_of` before anything is sent to it, since only
    /// the client knows how it reads an address and what a name leads to.
    fn send(&self, request: WebRequest, reach_of: ReachOf, call: &Call) -> WebAnswer;
}

/// A request with the values of its secrets; it is never recorded.
#[derive(Clone, PartialEq, Eq)]
pub struct WebRequest {
    /// `GET` and so on.
    pub method: String,
    /// Absolute.
    pub url: String,
    pub headers: Vec<(String, String)>,
    /// The names of the headers that hold a secret: another host does not get them.
    pub confidential: Vec<String>,
    pub body: Option<Vec<u8>>,
}

impl std::fmt::Debug for WebRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebRequest")
            .field("method", &self.method)
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}
