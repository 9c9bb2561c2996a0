//! Collects bytes of unknown number in pieces: what grows as one piece is copied each time, and leaves behind as much again as it holds.

use std::io::{self, Read};

/// How much is read at most before it is asked whether to continue; the first pieces are smaller, as most of what is read is.
pub(crate) const PORTION: usize = 1 << 20;
const FIRST: usize = 8 << 10;

#[derive(Debug, Default)]
pub(crate) struct Portions {
    pieces: Vec<Vec<u8>>,
    /// Of all pieces.
    len: usize,
}

/// Whether there may be more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    Open,
    Ended,
}

/// What there is no memory for fails with [`io::ErrorKind::OutOfMemory`].
impl Portions {
    /// With room for this many bytes in its first piece.
    pub(crate) fn with_room(bytes: usize) -> io::Result<Self> {
        let mut portions = Self::default();
        portions.add_piece(bytes)?;
        Ok(portions)
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Reads one portion at most. What came before an error is kept.
    pub(crate) fn read(&mut self, source: impl Read) -> io::Result<Source> {
        if self
            .pieces
            .last()
            .is_none_or(|it| it.len() == it.capacity())
        {
            self.add_piece(self.len.clamp(FIRST, PORTION))?;
        }
        let Some(piece) = self.pieces.last_mut() else {
            return Ok(Source::Ended);
        };
        // Within its room, so that the piece stays where it is.
        let before = piece.len();
        let room = (piece.capacity() - before).min(PORTION);
        let read = source.take(room as u64).read_to_end(piece);
        self.len += piece.len() - before;
        Ok(match read? {
            read if read < room => Source::Ended,
            _ => Source::Open,
        })
    }

    pub(crate) fn into_bytes(self) -> io::Result<Vec<u8>> {
        let mut pieces = self.pieces.into_iter();
        let mut bytes = pieces.next().unwrap_or_default();
        let more = self.len - bytes.len();
        bytes.try_reserve_exact(more)?;
        // Each is given back before the next is copied.
        pieces.for_each(|it| bytes.extend(it));
        bytes.shrink_to_fit();
        Ok(bytes)
    }

    fn add_piece(&mut self, room: usize) -> io::Result<()> {
        let mut piece = Vec::new();
        piece.try_reserve_exact(room)?;
        self.pieces.push(piece);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{PORTION, Portions, Source};

    #[test]
    fn what_is_read_in_pieces_is_whole() {
        let text: Vec<u8> = (0..3 * PORTION + 5).map(|it| it as u8).collect();
        for room in [0, 1, 7, PORTION, 2 * PORTION, text.len(), text.len() + 1] {
            let mut portions = Portions::with_room(room).expect("there is memory");
            let mut source = text.as_slice();
            while portions.read(&mut source).expect("it can be read") == Source::Open {}
            assert_eq!(portions.len(), text.len(), "{room}");
            assert!(
                portions.into_bytes().expect("there is memory") == text,
                "{room}"
            );
        }
    }

    #[test]
    fn the_room_is_little_more_than_what_was_read() {
        let mut portions = Portions::default();
        while portions.len() < 10 * PORTION {
            portions.read(std::io::repeat(7)).expect("it can be read");
        }
        let room: usize = portions.pieces.iter().map(Vec::capacity).sum();
        assert!(room - portions.len() < PORTION, "{room}");
        let bytes = portions.into_bytes().expect("there is memory");
        assert_eq!(bytes.capacity(), bytes.len());
    }
}
