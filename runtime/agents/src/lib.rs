//! Agents: how a prompt call becomes requests to a model, and what comes back becomes a checked value.
//!
//! [`AgentPrompts`] makes the pure state machines that the engine steps; [`Providers`] performs their requests.

#![warn(clippy::wildcard_enum_match_arm)]

mod answer;
mod cache;
mod cassette;
mod catalogue;
mod connections;
mod environment;
mod machine;
mod mcp;
mod model_name;
mod outcome;
mod providers;
mod reflection;
mod request;
mod settings;
mod skills;
mod telemetry;
mod tools;
mod web;

pub use cache::disk::{Damage, Disk, Filter, Forgotten, Inspection, Line, Stats, forget_all};
pub use cache::{Cache, Metrics};
pub use cassette::{Cassette, Playing, Record, Recording};
pub use catalogue::{Catalogue, Dollars, KnownModel};
pub use environment::Environment;
pub use machine::AgentPrompts;
pub use mcp::{Authorizing, Consent, McpServers};
pub use model_name::known_model;
pub use providers::{Outgoing, Policy, Providers};
pub use telemetry::{DeliveryReport, Telemetry};
pub use web::WebClient;
