//! Memory for code and constants: readable and executable, or readable; never writable at the same time.

use std::fs::File;
use std::io::{Error, Result};

use memmap2::{Mmap, MmapMut, MmapOptions};

use super::coherence;

/// Pages that will not change any more; `None` when there is nothing to map.
#[derive(Debug)]
pub struct Mapping(Option<Mmap>);

impl Mapping {
    pub const fn empty() -> Self {
        Self(None)
    }

    pub fn bytes(&self) -> &[u8] {
        self.0.as_deref().unwrap_or_default()
    }

    /// A copy of `code` in fresh pages, written first and made executable after.
    pub fn executable_copy(code: &[u8]) -> Result<Self> {
        let Some(pages) = copy(code)? else {
            return Ok(Self(None));
        };
        let pages = pages.make_exec()?;
        coherence::publish(&pages);
        Ok(Self(Some(pages)))
    }

    /// A copy of `constants` in fresh pages, which then cannot be written any more.
    pub fn readable_copy(constants: &[u8]) -> Result<Self> {
        match copy(constants)? {
            Some(pages) => Ok(Self(Some(pages.make_read_only()?))),
            None => Ok(Self(None)),
        }
    }

    /// A part of a file, readable.
    pub fn readable_part(file: &File, offset: u64, length: usize) -> Result<Self> {
        if length == 0 {
            return Ok(Self(None));
        }
        // SAFETY: the file is the program itself, which is trusted like any executable that the system maps.
        let pages = unsafe { MmapOptions::new().offset(offset).len(length).map(file)? };
        Ok(Self(Some(pages)))
    }

    /// A part of a file, executable; it must still hold `code`.
    pub fn executable_part(file: &File, offset: u64, code: &[u8]) -> Result<Self> {
        if code.is_empty() {
            return Ok(Self(None));
        }
        // SAFETY: as above; the pages are private and never writable.
        let pages = unsafe {
            MmapOptions::new()
                .offset(offset)
                .len(code.len())
                .map_exec(file)?
        };
        if pages[..] != *code {
            return Err(Error::other("the file changed while it was loaded"));
        }
        Ok(Self(Some(pages)))
    }
}

fn copy(bytes: &[u8]) -> Result<Option<MmapMut>> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let mut pages = MmapMut::map_anon(bytes.len())?;
    pages.copy_from_slice(bytes);
    Ok(Some(pages))
}
