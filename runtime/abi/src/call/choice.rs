//! Choices that compiled code hands over as the number of an enum's variant.

mod answer_purpose;
mod error_policy;
mod node_kind;
mod numbered;
mod queue_purpose;

pub use answer_purpose::AnswerPurpose;
pub use error_policy::{ErrorPolicy, RacePolicy};
pub use node_kind::NodeKind;
pub use queue_purpose::QueuePurpose;
