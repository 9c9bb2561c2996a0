//! A request without a response, and whether it may be sent again at once.

use super::connector::Cause;
use crate::connections::failing::Reached;

/// Why a request got no response.
#[derive(Debug)]
pub(crate) struct Unanswered {
    pub reached: Reached,
    pub cause: Cause,
    pub sent: Sent,
}

/// How much of a request the server has had.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sent {
    /// Nothing: its connection was closed before.
    Nothing,
    /// The server has said that it did nothing with it.
    Refused,
    /// As far as is known, possibly all of it.
    Maybe,
}

impl Unanswered {
    /// No connection could be opened.
    pub fn unreached(cause: Cause) -> Self {
        let (reached, sent) = (Reached::Way, Sent::Maybe);
        Self {
            reached,
            cause,
            sent,
        }
    }

    pub fn unsent(cause: Cause) -> Self {
        Self::at_host(cause, Sent::Nothing)
    }

    pub fn refused(cause: Cause) -> Self {
        Self::at_host(cause, Sent::Refused)
    }

    pub fn failed(cause: Cause) -> Self {
        Self::at_host(cause, Sent::Maybe)
    }

    fn at_host(cause: Cause, sent: Sent) -> Self {
        Self {
            reached: Reached::Host,
            cause,
            sent,
        }
    }
}
