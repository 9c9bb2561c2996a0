//! Random numbers by SplitMix64.

/// A stream of numbers that its seed decides.
pub struct Random(u64);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// From 0 up to but not including `bound`; 0 for 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    /// True once in `times`.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn pick<'a, T>(&mut self, them: &'a [T]) -> &'a T {
        &them[self.below(them.len())]
    }

    pub fn shuffle<T>(&mut self, them: &mut [T]) {
        for index in (1..them.len()).rev() {
            them.swap(index, self.below(index + 1));
        }
    }
}
