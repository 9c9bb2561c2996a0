//! The ABI hash, by which a runtime accepts an image.

use sha2::{Digest, Sha256};

use crate::call::RuntimeCall;
use crate::judge::Fact;
use crate::setting::Setting;

/// Raised by hand when the meaning of a layout or a call changes without changing its shape.
const REVISION: u32 = 1;

/// A hash of the tables of calls, settings and facts, the layouts and the fixed types. Images with another one are refused.
#[must_use]
pub fn abi_hash() -> u64 {
    static HASH: std::sync::OnceLock<u64> = std::sync::OnceLock::new();
    *HASH.get_or_init(|| {
        let mut hash = Sha256::new();
        hash.update(REVISION.to_le_bytes());
        hash.update(env!("CARGO_PKG_VERSION"));
        for call in RuntimeCall::ALL {
            hash.update(format!(
                "{} {:?} {:?}\n",
                call.name(),
                call.kind(),
                call.parameters()
            ));
        }
        for setting in Setting::ALL {
            hash.update(format!("{} {:?}\n", setting.name(), setting.form()));
        }
        for fact in Fact::ALL {
            hash.update(format!("{} {:?}\n", fact.name(), fact.form()));
        }
        hash.update(include_str!("layout.rs"));
        hash.update(include_str!("types.rs"));
        hash.update(include_str!("program.rs"));
        hash.update(include_str!("builtin.rs"));
        let digest = hash.finalize();
        let mut word = [0; 8];
        word.copy_from_slice(&digest[..8]);
        u64::from_le_bytes(word)
    })
}
