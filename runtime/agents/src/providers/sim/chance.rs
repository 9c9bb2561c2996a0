//! Numbers that look random and depend on nothing but the request and the attempt.

use sha2::{Digest, Sha256};

#[derive(Debug)]
pub(crate) struct Chance {
    state: u64,
    attempt: u32,
}

impl Chance {
    /// The sequence of one attempt at a request.
    pub fn new(seed: &str, attempt: u32) -> Self {
        let digest = Sha256::new()
            .chain_update(seed.as_bytes())
            .chain_update(attempt.to_le_bytes())
            .finalize();
        let mut state = [0; 8];
        state.copy_from_slice(&digest[..8]);
        Self {
            state: u64::from_le_bytes(state),
            attempt,
        }
    }

    /// Which attempt this is; the first one is the plainest.
    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// Any number (the generator is SplitMix64).
    pub fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `count`, which must not be 0.
    pub fn below(&mut self, count: usize) -> usize {
        (self.draw() % count as u64) as usize
    }

    /// A number in the range, both ends included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = (i128::from(high) - i128::from(low)).max(0) + 1;
        let offset = i128::from(self.draw()) % span;
        // The offset is less than the span, so the sum is between two `i64`.
        (i128::from(low) + offset) as i64
    }

    /// A number from 0 to below 1.
    pub fn share(&mut self) -> f64 {
        (self.draw() >> 11) as f64 / (1u64 << 53) as f64
    }
}
