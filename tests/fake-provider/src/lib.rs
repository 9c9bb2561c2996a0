//! A scripted server that speaks the wire protocols of model providers, well or badly.
//!
//! A [`Script`] is data: which replies are given in turn, and how each misbehaves. A [`Server`] plays it on a free port of
//! this machine and records what it is asked. Over HTTP it also takes a new script (`POST /__script`) and shows the
//! recorded requests (`GET /__requests`), so that clients in other languages can drive it.

mod events;
mod generation;
mod http;
mod http2;
mod reply;
mod response;
mod script;
mod secure;
mod server;

pub use http::Request;
pub use script::{
    Answer, Body, Completion, Drip, Event, Generation, Message, Reply, Response, Script,
};
pub use secure::{AUTHORITY, Transport};
pub use server::Server;
