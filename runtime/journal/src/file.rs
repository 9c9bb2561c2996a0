//! The file of a store before the database sees it: that it is one, that it is its owner's alone, and that locks hold there.

use std::fs::{DirBuilder, File, FileType, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::Error;

/// Refuses what can hold no store. A named pipe would be waited for without an end, and a folder is only ever a mistake.
pub(crate) fn check(path: &Path) -> Result<(), Error> {
    let found = match std::fs::metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return check_system(folder_of(path));
        }
        Err(error) => return Err(Error::unusable(path, &error)),
    };
    match kind(found.file_type()) {
        None => check_system(path),
        Some(kind) => Err(Error::NoFile {
            path: path.to_owned(),
            kind,
        }),
    }
}

/// A store that is being made, under another name beside its place.
pub(crate) struct Draft(PathBuf);

impl Draft {
    /// Makes its folder, and an empty file that only its owner may read.
    pub(crate) fn new(store: &Path) -> std::io::Result<Self> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        if let Some(folder) = store.parent().filter(|it| !it.as_os_str().is_empty()) {
            let mut builder = DirBuilder::new();
            builder.recursive(true);
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder.create(folder)?;
        }
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = beside(store, &format!(".{}-{number}.new", std::process::id()));
        // What a process of this number left when it was killed.
        let _ = std::fs::remove_file(&path);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&path)?;
        Ok(Self(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Puts it into its place, unless another process was first.
    pub(crate) fn publish(self, store: &Path) -> std::io::Result<()> {
        match std::fs::hard_link(&self.0, store) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => return Ok(()),
            Err(error) => return Err(error),
        }
        let folder = store.parent().filter(|it| !it.as_os_str().is_empty());
        File::open(folder.unwrap_or_else(|| Path::new(".")))?.sync_all()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        for end in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(beside(&self.0, end));
        }
    }
}

/// Takes a file from everybody but its owner: a copy may have come with the permissions of its folder.
pub(crate) fn close_to_others(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if let Ok(found) = std::fs::metadata(path)
            && found.permissions().mode() & 0o077 != 0
        {
            // A user who may not change them may still use it.
            let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600));
        }
    }
    #[cfg(not(unix))]
    let _ = path;
}

/// The path of a file beside a store.
pub(crate) fn beside(store: &Path, end: &str) -> PathBuf {
    let mut path = store.as_os_str().to_owned();
    path.push(end);
    path.into()
}

/// What it is when it is not a regular file.
fn kind(of: FileType) -> Option<&'static str> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if of.is_fifo() {
            return Some("a named pipe");
        }
        if of.is_socket() {
            return Some("a socket");
        }
        if of.is_block_device() || of.is_char_device() {
            return Some("a device");
        }
    }
    match (of.is_dir(), of.is_file()) {
        (true, _) => Some("a folder"),
        (false, true) => None,
        (false, false) => Some("no file"),
    }
}

/// The nearest existing folder above `path`.
fn folder_of(path: &Path) -> &Path {
    let above = path.ancestors().skip(1);
    let mut there = above.filter(|it| !it.as_os_str().is_empty() && it.exists());
    there.next().unwrap_or_else(|| Path::new("."))
}

/// Refuses a network file system: its locks do not hold between machines, and the memory that a store's readers and writers
/// share is not shared there, so two of them would write over each other.
fn check_system(path: &Path) -> Result<(), Error> {
    #[cfg(target_os = "linux")]
    if let Ok(found) = rustix::fs::statfs(path)
        && let Some(system) = network(found.f_type as u64)
    {
        return Err(Error::Network {
            path: path.to_owned(),
            system,
        });
    }
    #[cfg(not(target_os = "linux"))]
    let _ = path;
    Ok(())
}

/// The name of a network file system by its number in `linux/magic.h`. FUSE and 9p are not listed: they are as often local.
fn network(number: u64) -> Option<&'static str> {
    // The field is signed on some machines, so only its lower half counts.
    match number & 0xFFFF_FFFF {
        0x6969 => Some("nfs"),
        0x517B => Some("smb"),
        0xFE53_4D42 => Some("smb2"),
        0xFF53_4D42 => Some("cifs"),
        0x5346_414F | 0x6B41_4653 => Some("afs"),
        0x0BD0_0BD0 => Some("lustre"),
        0x00C3_6400 => Some("ceph"),
        0x7375_7245 => Some("coda"),
        0x564C => Some("ncp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{check, folder_of, network};
    use std::path::Path;

    #[test]
    fn network_file_systems_are_known_by_their_numbers() {
        assert_eq!(network(0x6969), Some("nfs"));
        // As it comes where the field is signed.
        assert_eq!(network(0xFFFF_FFFF_FF53_4D42), Some("cifs"));
        for local in [0xEF53, 0x0102_1994, 0x9123_683E, 0x794C_7630] {
            assert_eq!(network(local), None);
        }
    }

    #[test]
    fn what_is_not_there_yet_is_judged_by_the_folder_above() {
        assert_eq!(folder_of(Path::new("/none/such/runs.db")), Path::new("/"));
        assert_eq!(folder_of(Path::new("runs.db")), Path::new("."));
        assert!(check(Path::new("/none/such/runs.db")).is_ok());
    }
}
