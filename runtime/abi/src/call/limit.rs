//! The numbers that stand for "no limit".

/// The word of a limit that is not written: of `budget`'s tokens, calls and time, and of `parallel for`. No program can write
/// this number.
pub const NO_LIMIT: i64 = i64::MIN;

/// The word of dollars that are not limited: no float of a program has these bits, which are of no canonical number.
pub const NO_DOLLARS: u64 = u64::MAX;
