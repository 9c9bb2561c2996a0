//! Where what people have authorized is kept: a file for each server, which only the user may read.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use gsw_driver::servers::ServerAddress;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::mcp::authorization::identity::Identity;
use crate::mcp::authorization::token::Token;

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

    /// What is kept; none where nothing is, or nothing that can be read.
    pub fn read(&self) -> Option<Grant> {
        serde_json::from_slice(&std::fs::read(&self.0).ok()?).ok()
    }

    /// Keeps something in the place of what was kept.
    pub fn write(&self, grant: &Grant) -> io::Result<()> {
        let folder = self.0.parent().ok_or(io::ErrorKind::NotFound)?;
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
        let new = self.0.with_extension(format!("{}.new", std::process::id()));
        // One that a killed process has left may have other rights.
        let _ = std::fs::remove_file(&new);
        let mut options = OpenOptions::new();
        let mut file = options
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&new)?;
        file.write_all(&serde_json::to_vec_pretty(grant)?)?;
        file.sync_all()?;
        std::fs::rename(&new, &self.0)
    }

    /// Whether something was kept, which is now gone.
    pub fn remove(&self) -> io::Result<bool> {
        match std::fs::remove_file(&self.0) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}
