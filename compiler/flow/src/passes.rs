//! The passes that turn what lowering wrote into what code generation takes.

pub mod apart;
pub mod liveness;
pub mod markers;
pub mod ownership;
pub mod prune;
