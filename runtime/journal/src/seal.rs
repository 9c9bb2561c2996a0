//! Encryption at rest, with a key that is not in the store.
//!
//! XChaCha20-Poly1305 with a nonce that is drawn for each: the file alone shows only how long a secret is. What a secret is
//! about (its run, its field) goes into the seal, so that one cannot be put in the place of another. The key is in a file beside
//! the store, which only its owner may read, or is given at the start of the program. Sealed bytes name their key by a digest,
//! so that a wrong key is distinguished from damage.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use chacha20poly1305::aead::common::Generate;
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use gsw_notation::hex;
use sha2::{Digest, Sha256};

use crate::file::beside;

/// The form of sealed bytes.
const FORM: u8 = 1;
const NAME: usize = 8;
const NONCE: usize = 24;

/// An encryption key, with the name by which rows refer to it.
#[derive(Clone)]
pub struct Key {
    cipher: XChaCha20Poly1305,
    /// The beginning of its digest.
    name: [u8; NAME],
    /// Makes digests that cannot be computed without the key.
    pepper: [u8; 32],
}

/// Why there is no key, or why it does not decrypt something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SealError {
    /// The key file does not exist.
    Missing(PathBuf),
    /// It is not 64 hexadecimal digits.
    NoKey {
        of: String,
    },
    /// Others may read it.
    Open(PathBuf),
    Unusable {
        path: PathBuf,
        why: String,
    },
    /// It was sealed with another key.
    OtherKey,
    /// It was changed, or belongs somewhere else.
    Damaged,
    /// The system has no random numbers.
    Random(String),
}

impl std::error::Error for SealError {}

impl std::fmt::Display for SealError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing(path) => write!(
                f,
                "there is no key for the secrets of this store: `{}` is not there, and GSW_STORE_KEY is not set",
                path.display()
            ),
            Self::NoKey { of } => write!(f, "{of} is no key: a key is 64 hexadecimal digits"),
            Self::Open(path) => write!(
                f,
                "`{}` may be read by others; `chmod 600` it, or make a new key",
                path.display()
            ),
            Self::Unusable { path, why } => {
                write!(f, "the key `{}` cannot be used: {why}", path.display())
            }
            Self::OtherKey => f.write_str(
                "a secret was sealed with another key: give the one that the store was made with",
            ),
            Self::Damaged => {
                f.write_str("a sealed secret was changed, or belongs to something else")
            }
            Self::Random(why) => write!(f, "the system gives no random numbers: {why}"),
        }
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key")
    }
}

impl Key {
    /// The key of these 64 hexadecimal digits, as `GSW_STORE_KEY` has them.
    ///
    /// # Errors
    /// When they are something else.
    pub fn of_text(text: &str, of: &str) -> Result<Self, SealError> {
        let bytes = hex::bytes(text.trim()).and_then(|it| it.try_into().ok());
        let bytes: [u8; 32] = bytes.ok_or_else(|| SealError::NoKey { of: of.to_owned() })?;
        Ok(Self::of(&bytes))
    }

    /// The key beside a store.
    ///
    /// # Errors
    /// When there is none, or it cannot be read, or others may read it.
    pub fn beside(store: &Path) -> Result<Self, SealError> {
        let path = beside(store, ".key");
        let unusable = |error: std::io::Error| SealError::Unusable {
            path: path.clone(),
            why: error.to_string(),
        };
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(SealError::Missing(path));
            }
            Err(error) => return Err(unusable(error)),
        };
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = file.metadata().map_err(unusable)?.permissions().mode();
            if mode & 0o077 != 0 {
                return Err(SealError::Open(path));
            }
        }
        let text = std::io::read_to_string(file).map_err(unusable)?;
        Self::of_text(&text, &format!("`{}`", path.display()))
    }

    /// The key beside a store, which is made if there is none. Several processes that make it at once get the same one.
    ///
    /// # Errors
    /// When it can be neither read nor made.
    pub fn beside_or_new(store: &Path) -> Result<Self, SealError> {
        match Self::beside(store) {
            Err(SealError::Missing(path)) => {
                make(&path)?;
                Self::beside(store)
            }
            known => known,
        }
    }

    fn of(bytes: &[u8; 32]) -> Self {
        let digest: [u8; 32] = Sha256::digest(bytes).into();
        let mut name = [0; NAME];
        name.copy_from_slice(&digest[..NAME]);
        Self {
            cipher: XChaCha20Poly1305::new(bytes.into()),
            name,
            pepper: Sha256::new()
                .chain_update(b"groundswell: names of what is sealed")
                .chain_update(bytes)
                .finalize()
                .into(),
        }
    }

    /// A digest by which equal bytes are found again, and from which they cannot be guessed without the key.
    #[must_use]
    pub fn digest(&self, about: &[u8], bytes: &[u8]) -> [u8; 32] {
        let mut inner = Sha256::new();
        for part in [&self.pepper[..], about, bytes] {
            inner.update((part.len() as u64).to_le_bytes());
            inner.update(part);
        }
        // Twice, so that it is not resumed.
        let inner = inner.finalize();
        Sha256::new()
            .chain_update(self.pepper)
            .chain_update(inner)
            .finalize()
            .into()
    }

    /// Seals bytes; `about` says what they are, and is needed to open them.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn seal(&self, about: &[u8], bytes: &[u8]) -> Result<Vec<u8>, SealError> {
        let nonce = draw::<NONCE>()?;
        let payload = Payload {
            msg: bytes,
            aad: about,
        };
        let sealed = self
            .cipher
            .encrypt(&XNonce::from(nonce), payload)
            .expect("no payload is as long as 256 GB");
        Ok([&[FORM], &self.name[..], &nonce, &sealed].concat())
    }

    /// Opens what [`Self::seal`] has sealed about the same thing.
    ///
    /// # Errors
    /// When this is not its key, or it was changed.
    pub fn open(&self, about: &[u8], sealed: &[u8]) -> Result<Vec<u8>, SealError> {
        let (head, text) = sealed
            .split_at_checked(1 + NAME + NONCE)
            .ok_or(SealError::Damaged)?;
        let (form, rest) = head.split_at(1);
        let (name, nonce) = rest.split_at(NAME);
        if form != [FORM] {
            return Err(SealError::Damaged);
        }
        if name != self.name {
            return Err(SealError::OtherKey);
        }
        let nonce = XNonce::try_from(nonce).map_err(|_| SealError::Damaged)?;
        let payload = Payload {
            msg: text,
            aad: about,
        };
        self.cipher
            .decrypt(&nonce, payload)
            .map_err(|_| SealError::Damaged)
    }
}

/// Random bytes of the system.
pub(crate) fn draw<const N: usize>() -> Result<[u8; N], SealError> {
    <[u8; N]>::try_generate().map_err(|error| SealError::Random(error.to_string()))
}

/// Makes a key that exists whole or not at all; the second process leaves the first one's.
fn make(path: &Path) -> Result<(), SealError> {
    let unusable = |error: std::io::Error| SealError::Unusable {
        path: path.to_owned(),
        why: error.to_string(),
    };
    let text = hex::text(draw::<32>()?);
    let unique = hex::text(draw::<8>()?);
    let temporary = beside(path, &format!(".{unique}"));
    let write = || -> std::io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&temporary)?;
        writeln!(file, "{text}")?;
        file.sync_all()?;
        match std::fs::hard_link(&temporary, path) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error),
            Ok(()) | Err(_) => {}
        }
        // Without its name on the disk a power cut would leave secrets that nothing opens.
        let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
        File::open(folder.unwrap_or_else(|| Path::new(".")))?.sync_all()
    };
    let made = write();
    let _ = std::fs::remove_file(&temporary);
    made.map_err(unusable)
}

#[cfg(test)]
mod tests {
    use super::{Key, SealError};

    fn key(digit: &str) -> Key {
        Key::of_text(&digit.repeat(64), "it").expect("64 digits")
    }

    #[test]
    fn what_is_sealed_is_opened_by_its_key_for_what_it_is_about() {
        let sealed = key("a").seal(b"run 1", b"secret").expect("random numbers");
        assert!(!sealed.windows(6).any(|it| it == b"secret"));
        assert_eq!(key("a").open(b"run 1", &sealed), Ok(b"secret".to_vec()));
        assert_eq!(key("a").open(b"run 2", &sealed), Err(SealError::Damaged));
        assert_eq!(key("b").open(b"run 1", &sealed), Err(SealError::OtherKey));
        let again = key("a").seal(b"run 1", b"secret").expect("random numbers");
        assert_ne!(sealed, again);
    }

    #[test]
    fn a_digest_is_of_its_key_its_subject_and_its_bytes() {
        let digest = key("a").digest(b"run 1", b"4711");
        assert_eq!(digest, key("a").digest(b"run 1", b"4711"));
        for other in [
            key("b").digest(b"run 1", b"4711"),
            key("a").digest(b"run 2", b"4711"),
            key("a").digest(b"run 1", b"4712"),
            key("a").digest(b"run 14", b"711"),
        ] {
            assert_ne!(digest, other);
        }
    }

    #[test]
    fn what_was_changed_anywhere_is_not_opened() {
        let sealed = key("a").seal(b"", b"secret").expect("random numbers");
        for at in 0..sealed.len() {
            for bit in 0..8 {
                let mut changed = sealed.clone();
                changed[at] ^= 1 << bit;
                assert!(key("a").open(b"", &changed).is_err());
            }
            assert!(key("a").open(b"", &sealed[..at]).is_err());
        }
    }

    #[test]
    fn a_key_is_64_digits() {
        for text in [
            "",
            "a",
            &"a".repeat(63),
            &"a".repeat(65),
            &"g".repeat(64),
            &"é".repeat(32),
        ] {
            assert!(Key::of_text(text, "it").is_err(), "{text}");
        }
    }
}
