//! The image: one contiguous file with code, constants and tables.
//!
//! Layout: [`HEADER_SIZE`] bytes of header, then code, constants and tables, each starting at a multiple of [`SECTION`].
//! The header holds, little-endian: magic (8 bytes), ABI hash (8), target (16, zero-padded), offset and length of code,
//! constants and tables (6 × 8), SHA-256 over all of that and everything after the header (32), zeros. Tables are a [`Program`] in postcard form.

use sha2::{Digest, Sha256};

use crate::program::Program;

/// The first eight bytes of every image.
pub const MAGIC: [u8; 8] = *b"GSWIMG\x01\n";
/// Size of the header in bytes.
pub const HEADER_SIZE: usize = 120;
/// Offset of the sum in the header.
const SUM: usize = 80;
/// In a bundled program the image starts at a multiple of this, where a mapping can start on every target.
pub const PAGE: usize = 65_536;
/// Code starts at a multiple of this inside the image, constants and tables too.
pub const SECTION: usize = 4_096;
/// A bundled program ends with this footer: offset of the image (8 bytes), its length (8), then these eight bytes.
pub const FOOTER_MAGIC: [u8; 8] = *b"GSWEND\x01\n";
pub const FOOTER_SIZE: usize = 24;

/// The parts of an image before they are laid out.
#[derive(Debug)]
pub struct Parts<'a> {
    /// Position-independent machine code, never writable and executable at once.
    pub code: &'a [u8],
    pub constants: &'a [u8],
    pub program: &'a Program,
}

/// A checked view of an image.
#[derive(Debug)]
pub struct View<'a> {
    /// The sum of everything in it, which names it.
    pub sum: [u8; 32],
    /// Where the code starts in the image, for mapping.
    pub code_offset: usize,
    pub code: &'a [u8],
    pub constants: &'a [u8],
    pub program: Program,
}

/// Why an image is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// It does not start as an image does.
    NotAnImage,
    /// It was made for another version of the runtime.
    OtherVersion,
    /// It was made for another machine: the target it names.
    OtherTarget(String),
    /// Its length or its sum is not what the header says.
    Damaged,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotAnImage => f.write_str("this is not a compiled program"),
            Self::OtherVersion => f.write_str(
                "this program was compiled for another version of the runtime; build it again with this `gswc`",
            ),
            Self::OtherTarget(target) => {
                write!(f, "this program was compiled for {target}, not for {}", target_name())
            }
            Self::Damaged => f.write_str("this program is damaged: its checksum does not match"),
        }
    }
}

impl std::error::Error for Refusal {}

/// The name of the machine this crate was compiled for.
#[must_use]
pub const fn target_name() -> &'static str {
    cfg_select! {
        target_arch = "x86_64" => "x86_64",
        target_arch = "aarch64" => "aarch64",
        _ => compile_error!("code is made for x86-64 and aarch64 alone"),
    }
}

/// Lays out an image.
///
/// # Errors
/// When the tables cannot be written.
pub fn write(parts: &Parts<'_>) -> Result<Vec<u8>, postcard::Error> {
    let tables = postcard::to_stdvec(parts.program)?;
    let mut bytes = vec![0; HEADER_SIZE];
    let mut sections = Vec::new();
    for section in [parts.code, parts.constants, &tables] {
        bytes.resize(bytes.len().next_multiple_of(SECTION), 0);
        sections.push((bytes.len() as u64, section.len() as u64));
        bytes.extend_from_slice(section);
    }
    let mut header = Vec::with_capacity(HEADER_SIZE);
    header.extend_from_slice(&MAGIC);
    header.extend_from_slice(&crate::abi_hash().to_le_bytes());
    let mut target = [0; 16];
    target[..target_name().len()].copy_from_slice(target_name().as_bytes());
    header.extend_from_slice(&target);
    for (offset, length) in sections {
        header.extend_from_slice(&offset.to_le_bytes());
        header.extend_from_slice(&length.to_le_bytes());
    }
    header.extend_from_slice(&digest(&header, &bytes[HEADER_SIZE..]));
    header.resize(HEADER_SIZE, 0);
    bytes[..HEADER_SIZE].copy_from_slice(&header);
    Ok(bytes)
}

/// The checksum in an image's header, of any version; whether the rest matches it is not checked.
#[must_use]
pub fn sum_of(header: &[u8; HEADER_SIZE]) -> Option<[u8; 32]> {
    let sum = header.get(SUM..SUM + 32)?;
    let is_image = header[..8] == MAGIC;
    is_image.then(|| sum.try_into().ok()).flatten()
}

/// Checks an image from front to back and decodes its tables.
///
/// # Errors
/// When it is not an intact image for this runtime and this machine.
pub fn read(bytes: &[u8]) -> Result<View<'_>, Refusal> {
    let header = bytes.get(..HEADER_SIZE).ok_or(Refusal::NotAnImage)?;
    if header[..8] != MAGIC {
        return Err(Refusal::NotAnImage);
    }
    if word(header, 8) != crate::abi_hash() {
        return Err(Refusal::OtherVersion);
    }
    let target = header[16..32]
        .split(|&byte| byte == 0)
        .next()
        .unwrap_or_default();
    if target != target_name().as_bytes() {
        return Err(Refusal::OtherTarget(
            String::from_utf8_lossy(target).into_owned(),
        ));
    }
    let is_intact = header[SUM..SUM + 32] == digest(&header[..SUM], &bytes[HEADER_SIZE..]);
    if !is_intact || header[SUM + 32..].iter().any(|&byte| byte != 0) {
        return Err(Refusal::Damaged);
    }
    let section = |index: usize| {
        let offset = usize::try_from(word(header, 32 + 16 * index)).ok()?;
        let length = usize::try_from(word(header, 40 + 16 * index)).ok()?;
        Some((offset, bytes.get(offset..offset.checked_add(length)?)?))
    };
    let (code_offset, code) = section(0).ok_or(Refusal::Damaged)?;
    let (_, constants) = section(1).ok_or(Refusal::Damaged)?;
    let (_, tables) = section(2).ok_or(Refusal::Damaged)?;
    let program = postcard::from_bytes(tables).map_err(|_| Refusal::Damaged)?;
    let mut sum = [0; 32];
    sum.copy_from_slice(&header[SUM..SUM + 32]);
    Ok(View {
        sum,
        code_offset,
        code,
        constants,
        program,
    })
}

/// The sum of the header's front and everything after the header.
fn digest(front: &[u8], rest: &[u8]) -> [u8; 32] {
    let mut sum = Sha256::new();
    sum.update(front);
    sum.update(rest);
    sum.finalize().into()
}

/// The little-endian word at `offset`, which is inside the header.
fn word(header: &[u8], offset: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&header[offset..offset + 8]);
    u64::from_le_bytes(bytes)
}
