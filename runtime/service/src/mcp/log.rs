//! The log of a run for clients of the older age, which say from which level on they want it.
#![expect(deprecated, reason = "newer clients have no such log")]

use gsw_tree::event::Level;
use rmcp::RoleServer;
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use rmcp::service::RequestContext;

/// From which of our levels on a client wants lines that asks for a level of the protocol; none where we have nothing so grave.
pub(super) fn least(asked: LoggingLevel) -> Option<Level> {
    match asked {
        LoggingLevel::Debug => Some(Level::Debug),
        LoggingLevel::Info => Some(Level::Info),
        LoggingLevel::Notice | LoggingLevel::Warning => Some(Level::Warn),
        LoggingLevel::Error => Some(Level::Error),
        LoggingLevel::Critical | LoggingLevel::Alert | LoggingLevel::Emergency => None,
    }
}

/// Sends a line.
pub(super) async fn send(context: &RequestContext<RoleServer>, level: Level, text: &str) {
    let level = match level {
        Level::Debug => LoggingLevel::Debug,
        Level::Info => LoggingLevel::Info,
        Level::Warn => LoggingLevel::Warning,
        Level::Error => LoggingLevel::Error,
    };
    let message = LoggingMessageNotificationParam::new(level, text.into());
    // A client that has gone is noticed elsewhere.
    let _ = context.peer.notify_logging_message(message).await;
}
