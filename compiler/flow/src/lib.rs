//! From typed HIR to Flow IR: one function per instance, ownership made explicit, and a verifier.

pub mod ir;
