//! Storage of authorizations: a file for each server, which only the user may read.

use std::fs::{self, DirBuilder, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gsw_driver::servers::ServerAddress;
use rustix::process::geteuid;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::mcp::authorization::identity::Identity;
use crate::mcp::authorization::token::Token;

/// How long to wait for another process that renews the token: longer than its requests may take.
const PATIENCE: Duration = Duration::from_secs(120);
/// How often it is looked whether that process is done.
const LOOK: Duration = Duration::from_millis(20);

/// What is known of the authorization to use a server. Tokens and identities are those of one issuer and worth nothing at others.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Grant {
    /// The address of the server, for readers of the file.
    pub server: String,
    pub issuer: String,
    pub identity: Identity,
    pub token: Token,
}

/// The file of a server in a folder.
pub(super) struct File(PathBuf);

impl File {
    pub fn of(folder: &Path, server: &ServerAddress) -> Self {
        let mut digest = Sha256::new();
        let oauth = server.oauth.as_ref();
        let client = oauth.and_then(|it| it.client.as_deref());
        let document = oauth.and_then(|it| it.document.as_deref());
        for part in [Some(server.url.as_str()), client, document] {
            digest.update(part.unwrap_or_default());
            digest.update([0]);
        }
        let name = gsw_notation::hex::text(digest.finalize());
        Self(folder.join(format!("{name}.json")))
    }

    /// What is kept; none where nothing is.
    ///
    /// # Errors
    /// Why what is there is not used, in words for people. Whoever can change the file chooses the account that the program works in.
    pub fn read(&self) -> Result<Option<Grant>, String> {
        let unused =
            |why: &str| format!("what is kept in `{}` is not used: {why}", self.0.display());
        let unreadable = |error: io::Error| unused(&error.to_string());
        let mut file = match fs::File::open(&self.0) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(error)),
        };
        let metadata = file.metadata().map_err(unreadable)?;
        if metadata.uid() != geteuid().as_raw() {
            return Err(unused("it belongs to another user"));
        }
        if metadata.mode() & 0o077 != 0 {
            return Err(unused(
                "other users have access to it (`chmod 600` removes it)",
            ));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(unreadable)?;
        // What serde says of it could show a token.
        serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|_| unused("it is damaged"))
    }

    /// Waits until no other process renews the token, and keeps the others waiting until the lock is dropped. Authorization servers
    /// that rotate refresh tokens take each of them once, and may take all of them back when one comes twice.
    pub async fn lock(&self) -> io::Result<fs::File> {
        self.make_folder()?;
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .mode(0o600)
            .open(self.0.with_extension("lock"))?;
        let until = Instant::now() + PATIENCE;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if Instant::now() >= until => {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                Err(TryLockError::WouldBlock) => tokio::time::sleep(LOOK).await,
            }
        }
    }

    fn make_folder(&self) -> io::Result<()> {
        let folder = self.0.parent().ok_or(io::ErrorKind::NotFound)?;
        DirBuilder::new().recursive(true).mode(0o700).create(folder)
    }

    /// Keeps something in the place of what was kept.
    pub fn write(&self, grant: &Grant) -> io::Result<()> {
        self.make_folder()?;
        let new = self.0.with_extension(format!("{}.new", std::process::id()));
        // One that a killed process has left may have other rights.
        let _ = fs::remove_file(&new);
        let mut options = OpenOptions::new();
        let mut file = options
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&new)?;
        file.write_all(&serde_json::to_vec_pretty(grant)?)?;
        file.sync_all()?;
        fs::rename(&new, &self.0)
    }

    /// Whether something was kept, which is now gone.
    pub fn remove(&self) -> io::Result<bool> {
        match fs::remove_file(&self.0) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}
