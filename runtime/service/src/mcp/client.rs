//! What the client of a call has said that it can: whether it can be asked for something, and how.
#![expect(
    deprecated,
    reason = "clients of both ages lend their models and have folders, whatever newer ones should do"
)]

use rmcp::RoleServer;
use rmcp::model::{ClientCapabilities, ProtocolVersion};
use rmcp::service::RequestContext;

use crate::mcp::form::Choices;

/// What a client must be able to, to be asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Need {
    Forms,
    Folders,
    Model,
}

/// Whether a client can be asked, and how.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Asking {
    /// It has not what is needed.
    Never,
    /// By a request, while its own is open.
    Within,
    /// By the result, after which it calls again.
    Between,
}

/// What the client of a call can be asked, and how.
#[derive(Clone)]
pub(super) struct Client {
    capabilities: ClientCapabilities,
    version: ProtocolVersion,
}

impl Client {
    pub fn of(context: &RequestContext<RoleServer>) -> Self {
        Self {
            capabilities: context.client_capabilities().unwrap_or_default(),
            version: context.protocol_version().unwrap_or_default(),
        }
    }

    /// How it is asked for something.
    pub fn asking(&self, need: Need) -> Asking {
        let can = match need {
            // One that names neither kind of form has the plain one, as all had before there were two.
            Need::Forms => {
                let forms = self.capabilities.elicitation.as_ref();
                forms.is_some_and(|it| it.form.is_some() || it.url.is_none())
            }
            Need::Folders => self.capabilities.roots.is_some(),
            Need::Model => self.capabilities.sampling.is_some(),
        };
        match (can, self.is_newer()) {
            (false, _) => Asking::Never,
            (true, true) => Asking::Between,
            (true, false) => Asking::Within,
        }
    }

    /// Whether it is of the age in which it is not asked while its own request is open.
    pub fn is_newer(&self) -> bool {
        self.version.as_str() >= ProtocolVersion::V_2026_07_28.as_str()
    }

    /// The choices of forms that it knows.
    pub fn choices(&self) -> Choices {
        match self.version.as_str() >= ProtocolVersion::V_2025_11_25.as_str() {
            true => Choices::Several,
            false => Choices::One,
        }
    }
}

impl Need {
    /// As a client declares it.
    pub fn capability(self) -> ClientCapabilities {
        match self {
            Self::Forms => ClientCapabilities::builder().enable_elicitation().build(),
            Self::Folders => ClientCapabilities::builder().enable_roots().build(),
            Self::Model => ClientCapabilities::builder().enable_sampling().build(),
        }
    }

    /// Its name in the protocol.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Forms => "elicitation",
            Self::Folders => "roots",
            Self::Model => "sampling",
        }
    }
}
