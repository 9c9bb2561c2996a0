//! The machine that code is made for: a fixed baseline, never what this very processor can do.

use cranelift_codegen::isa::{OwnedTargetIsa, lookup_by_name};
use cranelift_codegen::settings::{self, Configurable, SetError};
use gsw_abi::image::target_name;

use crate::error::CodegenError;

/// Whether Cranelift verifies its input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verification {
    /// For tests and debug builds of the compiler.
    On,
    Off,
}

/// What x86-64-v2 adds to the first x86-64.
const X86_64_V2: [&str; 6] = [
    "has_sse3",
    "has_ssse3",
    "has_cmpxchg16b",
    "has_sse41",
    "has_sse42",
    "has_popcnt",
];

/// The one machine, with two ways to compile for it.
pub(crate) struct Targets {
    /// For functions that loop without waiting: the time to compile pays.
    pub(crate) speed: OwnedTargetIsa,
    pub(crate) quick: OwnedTargetIsa,
}

impl Targets {
    pub(crate) fn new(verification: Verification) -> Result<Self, CodegenError> {
        Ok(Self {
            speed: build("speed", verification)?,
            quick: build("none", verification)?,
        })
    }
}

fn build(opt_level: &str, verification: Verification) -> Result<OwnedTargetIsa, CodegenError> {
    let refuse = |message: String| CodegenError::new(target_name(), message);
    let flags = flags(opt_level, verification).map_err(|error| refuse(error.to_string()))?;
    let mut isa = lookup_by_name(&format!("{}-unknown-linux-gnu", target_name()))
        .map_err(|error| refuse(error.to_string()))?;
    if cfg!(target_arch = "x86_64") {
        for feature in X86_64_V2 {
            // A fixed baseline, so that the same program gives the same bytes on every machine, and runs on all that have it.
            isa.enable(feature)
                .map_err(|error| refuse(error.to_string()))?;
        }
    }
    isa.finish(flags).map_err(|error| refuse(error.to_string()))
}

fn flags(opt_level: &str, verification: Verification) -> Result<settings::Flags, SetError> {
    let mut flags = settings::builder();
    flags.set("opt_level", opt_level)?;
    // Bits of a NaN would otherwise differ by machine, and hashes, `==` of JSON and replays with them.
    flags.set("enable_nan_canonicalization", "true")?;
    // Functions check the stack themselves, and no frame of theirs is larger than the room left below the limit.
    flags.set("enable_probestack", "false")?;
    // Nothing unwinds through compiled code: errors are values, and panics of the runtime stop at its exports.
    flags.set("unwind_info", "false")?;
    flags.set("is_pic", "false")?;
    let verifier = match verification {
        Verification::On => "true",
        Verification::Off => "false",
    };
    flags.set("enable_verifier", verifier)?;
    Ok(settings::Flags::new(flags))
}
