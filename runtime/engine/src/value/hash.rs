//! The keyed hash of map keys and of what lists are asked to hold once: SipHash-1-3 (Aumasson and Bernstein) for bytes, a
//! keyed mix for numbers.
//!
//! Keys of maps come from files, models and servers. Without a secret key, their author can choose ten thousand that share one
//! slot. The key is drawn from the seed of the run, so that a replay agrees; no order that a program sees depends on it.

/// The key of a run's hashes.
#[derive(Clone, Copy, Debug)]
pub struct HashKey {
    low: u64,
    high: u64,
}

impl HashKey {
    /// The key of a run that was started with this seed.
    #[must_use]
    pub const fn of_seed(seed: u64) -> Self {
        let low = mix(seed);
        Self {
            low,
            high: mix(low ^ seed.rotate_left(32)),
        }
    }

    /// The hash of a text or of bytes.
    #[must_use]
    pub(crate) fn bytes(self, bytes: &[u8]) -> u64 {
        let mut state = State::new(self);
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            let word = chunk.try_into().expect("chunks of eight have eight bytes");
            state.absorb(u64::from_le_bytes(word));
        }
        let mut last = [0; 8];
        let rest = chunks.remainder();
        last[..rest.len()].copy_from_slice(rest);
        // As SipHash defines it: texts that differ by zero bytes at the end hash differently.
        last[7] = bytes.len() as u8;
        state.absorb(u64::from_le_bytes(last));
        state.finish()
    }

    /// The hash of a word that is held inline.
    #[must_use]
    pub(crate) const fn word(self, word: u64) -> u64 {
        mix(mix(word ^ self.low).wrapping_add(self.high))
    }
}

/// The finalizer of SplitMix64, which changes every bit with every bit.
const fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// The four words of SipHash.
struct State {
    v0: u64,
    v1: u64,
    v2: u64,
    v3: u64,
}

impl State {
    fn new(key: HashKey) -> Self {
        Self {
            v0: key.low ^ 0x736f_6d65_7073_6575,
            v1: key.high ^ 0x646f_7261_6e64_6f6d,
            v2: key.low ^ 0x6c79_6765_6e65_7261,
            v3: key.high ^ 0x7465_6462_7974_6573,
        }
    }

    fn absorb(&mut self, word: u64) {
        self.v3 ^= word;
        self.round();
        self.v0 ^= word;
    }

    fn finish(mut self) -> u64 {
        self.v2 ^= 0xff;
        self.round();
        self.round();
        self.round();
        self.v0 ^ self.v1 ^ self.v2 ^ self.v3
    }

    fn round(&mut self) {
        self.v0 = self.v0.wrapping_add(self.v1);
        self.v1 = self.v1.rotate_left(13) ^ self.v0;
        self.v0 = self.v0.rotate_left(32);
        self.v2 = self.v2.wrapping_add(self.v3);
        self.v3 = self.v3.rotate_left(16) ^ self.v2;
        self.v0 = self.v0.wrapping_add(self.v3);
        self.v3 = self.v3.rotate_left(21) ^ self.v0;
        self.v2 = self.v2.wrapping_add(self.v1);
        self.v1 = self.v1.rotate_left(17) ^ self.v2;
        self.v2 = self.v2.rotate_left(32);
    }
}

#[cfg(test)]
mod tests {
    use std::hash::Hasher;

    use super::HashKey;

    #[test]
    fn bytes_hash_as_the_standard_librarys_siphash() {
        // `DefaultHasher::new` is SipHash-1-3 with a key of zeros.
        let key = HashKey { low: 0, high: 0 };
        for length in [0, 1, 7, 8, 9, 63, 300] {
            let bytes: Vec<u8> = (0..length).map(|it| it as u8).collect();
            let mut theirs = std::hash::DefaultHasher::new();
            theirs.write(&bytes);
            assert_eq!(key.bytes(&bytes), theirs.finish(), "{length} bytes");
        }
    }

    #[test]
    fn keys_that_collide_under_one_seed_do_not_under_another() {
        let (one, other) = (HashKey::of_seed(1), HashKey::of_seed(2));
        // Equal in the bits by which a table of 65,536 slots is indexed.
        let slot = |key: HashKey, number: u64| key.word(number) & 0xffff;
        let colliding: Vec<u64> = (0..4_000_000).filter(|&it| slot(one, it) == 0).collect();
        let still = colliding.iter().filter(|&&it| slot(other, it) == 0).count();
        assert!(
            colliding.len() > 20 && still < 4,
            "{still} of {}",
            colliding.len()
        );
    }
}
