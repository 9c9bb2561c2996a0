//! The random numbers that the delays of a run are drawn from.

/// A generator that gives the same numbers for the same seed (xorshift64*).
#[derive(Debug)]
pub(crate) struct Jitter(u64);

impl Jitter {
    pub(crate) fn of_seed(seed: u64) -> Self {
        // The generator must not start at 0.
        Self(seed | 1)
    }

    /// A number from 0 to below 1.
    pub(crate) fn next(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11;
        // The 53 upper bits, which are as many as a float holds exactly; the lowest bits of xorshift are weak.
        bits as f64 / (1_u64 << 53) as f64
    }
}
