//! From typed HIR to Flow IR: one function per instance, ownership made explicit, and a verifier.

pub mod dump;
pub mod ir;
pub mod passes;
pub mod role;
pub mod verify;
