//! What a request has used, as far as the figures of its provider make sense.

use gsw_tree::usage::Usage;

use super::json::Json;

/// No request has more tokens; larger figures are ignored, since their sums would overflow 64 bits.
const MOST: u64 = 1 << 40;

/// A number of tokens; `None` where it is absent or nonsense.
pub(crate) fn count(value: &Json<'_>) -> Option<u64> {
    value.as_u64().filter(|it| *it <= MOST)
}

/// Of a provider that counts what came from its cache as part of the input.
pub(crate) fn with_cached(input_tokens: u64, output_tokens: u64, cached: Option<u64>) -> Usage {
    Usage {
        input_tokens,
        output_tokens,
        cache_read_tokens: cached.unwrap_or(0).min(input_tokens),
        cache_write_tokens: 0,
    }
}
