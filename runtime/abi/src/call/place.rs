//! The position of a runtime call in the table, and its name.

use super::RuntimeCall;

impl RuntimeCall {
    /// Offset of its address in [`Table`](super::Table).
    #[must_use]
    pub const fn offset(self) -> i32 {
        8 * self as i32
    }

    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.name() == name)
    }
}
