//! Finds the image at the end of an executable.

use std::fs::File;
use std::io::{Error, Read, Seek, SeekFrom};
use std::path::Path;

use gsw_abi::image::{self, FOOTER_MAGIC, FOOTER_SIZE, HEADER_SIZE, PAGE};

/// Where the image is in its file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Its first byte, where a mapping can start.
    pub offset: u64,
    /// How many bytes it has.
    pub length: u64,
}

/// The footer of an executable with an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    Image(Place),
    /// No footer: this is a bare launcher.
    Bare,
    /// A footer that does not fit the file.
    Damaged,
}

/// Reads the footer of `file`.
///
/// # Errors
/// When it cannot be read.
pub fn find(file: &mut File) -> Result<Ending, Error> {
    let size = file.metadata()?.len();
    let Some(end) = size.checked_sub(FOOTER_SIZE as u64) else {
        return Ok(Ending::Bare);
    };
    let mut footer = [0; FOOTER_SIZE];
    file.seek(SeekFrom::Start(end))?;
    file.read_exact(&mut footer)?;
    if footer[16..] != FOOTER_MAGIC {
        return Ok(Ending::Bare);
    }
    let place = Place {
        offset: word(&footer, 0),
        length: word(&footer, 8),
    };
    let fits = place.offset.checked_add(place.length) == Some(end)
        && place.offset.is_multiple_of(PAGE as u64);
    Ok(if fits {
        Ending::Image(place)
    } else {
        Ending::Damaged
    })
}

/// The checksum of the image appended to an executable; `None` when there is none. Nothing else of it is read, so it may be of
/// another version of Groundswell.
///
/// # Errors
/// When the file cannot be read.
pub fn sum_of(executable: &Path) -> Result<Option<[u8; 32]>, Error> {
    let mut file = File::open(executable)?;
    match find(&mut file)? {
        Ending::Bare | Ending::Damaged => Ok(None),
        Ending::Image(place) => {
            let mut header = [0; HEADER_SIZE];
            file.seek(SeekFrom::Start(place.offset))?;
            file.read_exact(&mut header)?;
            Ok(image::sum_of(&header))
        }
    }
}

fn word(footer: &[u8; FOOTER_SIZE], at: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&footer[at..at + 8]);
    u64::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::{Ending, Place, find};
    use gsw_abi::image::{FOOTER_MAGIC, PAGE};
    use std::fs::File;

    fn ending(name: &str, bytes: &[u8]) -> Ending {
        let path = std::env::temp_dir().join(format!("gsw-footer-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).expect("it is written");
        let found = find(&mut File::open(&path).expect("it is there")).expect("it is read");
        std::fs::remove_file(&path).expect("it is removed");
        found
    }

    fn with_footer(offset: u64, length: u64) -> Vec<u8> {
        let mut bytes = vec![0; PAGE];
        bytes.extend_from_slice(b"image");
        bytes.extend_from_slice(&offset.to_le_bytes());
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(&FOOTER_MAGIC);
        bytes
    }

    #[test]
    fn only_a_footer_that_fits_names_an_image() {
        let offset = PAGE as u64;
        let place = Place { offset, length: 5 };
        assert_eq!(
            ending("fits", &with_footer(offset, 5)),
            Ending::Image(place)
        );
        assert_eq!(ending("empty", b""), Ending::Bare);
        assert_eq!(ending("bare", &[7; 100]), Ending::Bare);
        assert_eq!(ending("short", &with_footer(offset, 4)), Ending::Damaged);
        assert_eq!(
            ending("uneven", &with_footer(offset + 1, 4)),
            Ending::Damaged
        );
        assert_eq!(ending("huge", &with_footer(u64::MAX, 5)), Ending::Damaged);
    }
}
