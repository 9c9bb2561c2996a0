//! The language server as an editor drives it: framed messages over a pair of streams.

mod addresses;
mod agreed;
mod client;
mod features;
mod random;
mod session;
mod unreadable;
