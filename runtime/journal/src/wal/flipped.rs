//! Whether a frame of a log is one flipped bit away from what was written.
//!
//! A power cut tears a write: sectors of it are missing. A bit that flips later leaves all else as it was, and then the frame's checksum
//! says which one: it is a sum of the words, each times a number that only its place decides. So what a flipped bit of a word does
//! to it is known without adding everything up again for each of 33,000 bits.

use super::{FRAME_HEADER, Order, Sum, checksum, pair, word};

/// Whether one bit of a frame of full length is wrong, where its log has this salt and this checksum `before` it.
pub(super) fn is_one_bit_off(order: Order, before: Sum, frame: &[u8], salt: &[u8]) -> bool {
    let (head, page) = (&frame[..8], &frame[FRAME_HEADER..]);
    let (first, second) = checksum(order, checksum(order, before, head), page);
    let written = (word(frame, 16), word(frame, 20));
    let of_salt: u32 = (frame[8..16].iter().zip(salt))
        .map(|(is, was)| (is ^ was).count_ones())
        .sum();
    let of_sum = (first ^ written.0).count_ones() + (second ^ written.1).count_ones();
    if of_salt > 0 || of_sum == 1 {
        return of_salt + of_sum == 1;
    }
    let missing = (
        written.0.wrapping_sub(first),
        written.1.wrapping_sub(second),
    );
    let (head, _) = head.as_chunks::<8>();
    let (page, _) = page.as_chunks::<8>();
    // What one more in either word of a pair adds to the checksum, from the last pair to the first.
    let mut adds = [(1, 1), (0, 1)];
    for &bytes in head.iter().chain(page).rev() {
        let (one, other) = pair(order, bytes);
        if explains(missing, one, adds[0]) || explains(missing, other, adds[1]) {
            return true;
        }
        adds = adds.map(|(first, second): Sum| {
            let first = first.wrapping_add(second);
            (first, first.wrapping_add(second))
        });
    }
    false
}

/// Whether a flipped bit of this word makes the difference, when one more in the word adds this much.
fn explains(missing: Sum, word: u32, adds: Sum) -> bool {
    (0..u32::BITS).any(|bit| {
        let bit = 1_u32 << bit;
        let change = if word & bit == 0 {
            bit
        } else {
            bit.wrapping_neg()
        };
        missing == (adds.0.wrapping_mul(change), adds.1.wrapping_mul(change))
    })
}
