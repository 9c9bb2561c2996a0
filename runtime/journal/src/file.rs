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
pub(crate) struct Draft {
    path: PathBuf,
    /// As long as this lives, nobody takes the file for what a process has left that was killed.
    _lock: File,
}

/// What SQLite puts beside a file.
const COMPANIONS: [&str; 4] = ["", "-wal", "-shm", "-journal"];

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
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        loop {
            let number = MADE.fetch_add(1, Ordering::Relaxed);
            let path = beside(store, &format!(".{}-{number}.new", std::process::id()));
            let lock = match options.open(&path) {
                Ok(lock) => lock,
                // A process of this number in another container, or one that was killed, has made it.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            };
            lock.lock()?;
            // Before it was locked another process may have swept it.
            if path.exists() {
                return Ok(Self { path, _lock: lock });
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Puts it into its place, unless another process was first.
    pub(crate) fn publish(self, store: &Path) -> std::io::Result<()> {
        match std::fs::hard_link(&self.path, store) {
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
        remove(&self.path);
    }
}

fn remove(draft: &Path) {
    for end in COMPANIONS {
        let _ = std::fs::remove_file(beside(draft, end));
    }
}

/// Removes the drafts of a store whose processes were killed while they made it.
pub(crate) fn sweep_drafts(store: &Path) {
    let (Some(folder), Some(file)) = (store.parent(), store.file_name()) else {
        return;
    };
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    // What cannot be listed is swept at another opening.
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let rest = name.to_str().zip(file.to_str());
        let rest = rest.and_then(|(name, file)| name.strip_prefix(file)?.strip_prefix('.'));
        // A companion may be there without its draft, when who swept it was killed.
        let end = |it: &str| {
            COMPANIONS.iter().find_map(|end| {
                it.strip_suffix(end)?
                    .strip_suffix(".new")
                    .map(str::to_owned)
            })
        };
        let Some(draft) = rest.and_then(end).filter(|it| is_draft(it)) else {
            continue;
        };
        let draft = beside(store, &format!(".{draft}.new"));
        if is_left(&draft, store) {
            remove(&draft);
        }
    }
}

/// Whether this is `PID-NUMBER`, as drafts are named.
fn is_draft(name: &str) -> bool {
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    name.split_once('-')
        .is_some_and(|(process, number)| is_number(process) && is_number(number))
}

/// Whether the process that made a draft is gone.
fn is_left(draft: &Path, store: &Path) -> bool {
    // Killed between its publication and its end: another name of the store, which must not be opened here, since closing it
    // would let go of the locks that this process has on it.
    if is_same_file(draft, store) {
        return true;
    }
    match File::open(draft) {
        Ok(file) => file.try_lock().is_ok(),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}

#[cfg(unix)]
fn is_same_file(first: &Path, second: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let of = |it: &Path| std::fs::metadata(it).map(|it| (it.dev(), it.ino())).ok();
    of(first).is_some_and(|it| Some(it) == of(second))
}

#[cfg(not(unix))]
fn is_same_file(_: &Path, _: &Path) -> bool {
    false
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
    use super::{Draft, beside, check, folder_of, network, sweep_drafts};
    use std::path::Path;

    #[test]
    fn what_a_killed_process_left_of_a_new_store_is_swept_and_nothing_else() {
        let folder = std::env::temp_dir().join(format!("gsw-drafts-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
        let store = folder.join("runs.db");
        let left = [".7-0.new", ".7-0.new-journal", ".8-1.new-wal", ".9-2.new"];
        let others = [".9.new", ".a-b.new", ".7-0.old", ".key"];
        for end in left.iter().chain(&others) {
            std::fs::write(beside(&store, end), "").expect("it can be written");
        }
        // Killed when it had published its draft.
        std::fs::hard_link(beside(&store, ".9-2.new"), &store).expect("a second name");
        let draft = Draft::new(&store).expect("a draft");
        sweep_drafts(&store);
        let is_there = |end: &&str| beside(&store, end).exists();
        assert!(!left.iter().any(&is_there));
        assert!(others.iter().all(is_there));
        assert!(store.exists() && draft.path().exists());
        drop(draft);
        std::fs::remove_dir_all(&folder).expect("it is ours");
    }

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
