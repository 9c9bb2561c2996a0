//! What requests to models used.

use serde::{Deserialize, Serialize};

/// Tokens of one or more requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Usage {
    /// Tokens that the model read, cached ones included.
    pub input_tokens: u64,
    /// Tokens that the model wrote, thinking included.
    pub output_tokens: u64,
    /// Of the input: read from the provider's cache.
    pub cache_read_tokens: u64,
    /// Of the input: written to the provider's cache.
    pub cache_write_tokens: u64,
}

impl Usage {
    /// Adds the tokens of something else.
    pub fn add(&mut self, other: &Self) {
        let Self {
            input_tokens,
            output_tokens,
            cache_read_tokens,
            cache_write_tokens,
        } = other;
        self.input_tokens = self.input_tokens.saturating_add(*input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(*output_tokens);
        self.cache_read_tokens = self.cache_read_tokens.saturating_add(*cache_read_tokens);
        self.cache_write_tokens = self.cache_write_tokens.saturating_add(*cache_write_tokens);
    }

    /// What is left of it beyond `counted`, of each count at least nothing.
    #[must_use]
    pub const fn beyond(&self, counted: &Self) -> Self {
        let Self {
            input_tokens,
            output_tokens,
            cache_read_tokens,
            cache_write_tokens,
        } = *counted;
        Self {
            input_tokens: self.input_tokens.saturating_sub(input_tokens),
            output_tokens: self.output_tokens.saturating_sub(output_tokens),
            cache_read_tokens: self.cache_read_tokens.saturating_sub(cache_read_tokens),
            cache_write_tokens: self.cache_write_tokens.saturating_sub(cache_write_tokens),
        }
    }

    #[must_use]
    pub const fn total(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}
