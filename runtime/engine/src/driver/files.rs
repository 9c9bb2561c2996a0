//! Operations on files, performed where blocking is no harm.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use crate::operation::{Failure, Outcome, Request};

/// Performs an operation on files; others fail.
#[must_use]
pub fn perform(request: &Request) -> Outcome {
    let (path, result) = match request {
        Request::FsRead { path } => (path, fs::read(path).and_then(text_of)),
        Request::FsReadBytes { path } => (path, fs::read(path).map(Outcome::Bytes)),
        Request::FsWrite { path, text } => {
            (path, write(path, text.as_bytes()).map(|()| Outcome::Done))
        }
        Request::FsWriteBytes { path, bytes } => (path, write(path, bytes).map(|()| Outcome::Done)),
        Request::FsAppend { path, text } => (path, append(path, text).map(|()| Outcome::Done)),
        Request::FsExists { path } => (path, exists(path).map(Outcome::Bool)),
        Request::FsList { path } => (path, list(path).map(Outcome::Texts)),
        Request::FsGlob { pattern } => (pattern, glob(pattern).map(Outcome::Texts)),
        Request::FsRemove { path } => (path, remove(path).map(|()| Outcome::Done)),
        Request::FsMakeDir { path } => (path, fs::create_dir_all(path).map(|()| Outcome::Done)),
        other => {
            let message = format!("this is no operation on files: {other:?}");
            return Outcome::Failed(Failure::Other { message });
        }
    };
    result.unwrap_or_else(|error| failed(path, &error))
}

/// What came of work on a path.
pub(super) fn failed(path: &str, error: &io::Error) -> Outcome {
    Outcome::Failed(Failure::Io {
        path: Some(path.to_owned()),
        message: format!("{path}: {}", reason(error)),
    })
}

/// The text that the bytes of a file are.
pub(super) fn text_of(bytes: Vec<u8>) -> io::Result<Outcome> {
    String::from_utf8(bytes)
        .map(Outcome::Text)
        .map_err(|_| io::Error::other("it is not UTF-8 text; `fs.read_bytes` reads anything"))
}

/// Nothing stands below a file, which is no mistake to ask for.
fn exists(path: &str) -> io::Result<bool> {
    match fs::exists(path) {
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(false),
        found => found,
    }
}

/// Writes beside and renames, so that nobody sees half of it.
fn write(path: &str, content: &[u8]) -> io::Result<()> {
    let target = Path::new(path);
    // A link or a device is written through, as is what cannot be replaced.
    let is_plain = fs::symlink_metadata(target).map_or(true, |it| it.is_file());
    let beside = format!("{path}.{:016x}.part", super::clock::random_word());
    if !is_plain {
        return fs::write(target, content);
    }
    let permissions = fs::metadata(target).ok().map(|it| it.permissions());
    let written = fs::write(&beside, content).and_then(|()| {
        permissions.map_or(Ok(()), |it| fs::set_permissions(&beside, it))?;
        fs::rename(&beside, target)
    });
    if written.is_err() {
        // What stopped the writing is the error to report.
        let _ = fs::remove_file(&beside);
    }
    written
}

fn append(path: &str, text: &str) -> io::Result<()> {
    let mut file = fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)?;
    file.write_all(text.as_bytes())
}

fn list(path: &str) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort_unstable();
    Ok(names)
}

fn glob(pattern: &str) -> io::Result<Vec<String>> {
    let paths = glob::glob(pattern).map_err(|error| io::Error::other(error.to_string()))?;
    // A folder that may not be read holds nothing that could be used.
    let readable = paths.flatten();
    let mut found: Vec<String> = readable
        .map(|path| path.to_string_lossy().into_owned())
        .collect();
    found.sort_unstable();
    Ok(found)
}

fn remove(path: &str) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() {
        fs::remove_dir(path)
    } else {
        fs::remove_file(path)
    }
}

/// What went wrong, without the system's number.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file or folder".into(),
        io::ErrorKind::PermissionDenied => "the system does not permit it".into(),
        io::ErrorKind::IsADirectory => "it is a folder".into(),
        io::ErrorKind::NotADirectory => "a part of the path is not a folder".into(),
        io::ErrorKind::DirectoryNotEmpty => "the folder is not empty".into(),
        io::ErrorKind::StorageFull => "the disk is full".into(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::perform;
    use crate::operation::{Failure, Outcome, Request};

    #[test]
    fn a_file_is_written_read_listed_and_removed() {
        let folder = std::env::temp_dir().join(format!("gsw-files-{}", std::process::id()));
        let folder = folder.to_string_lossy().into_owned();
        let path = format!("{folder}/a.txt");
        assert_eq!(
            perform(&Request::FsMakeDir {
                path: folder.clone()
            }),
            Outcome::Done
        );
        assert_eq!(
            perform(&Request::FsWrite {
                path: path.clone(),
                text: "ä".into()
            }),
            Outcome::Done
        );
        assert_eq!(
            perform(&Request::FsAppend {
                path: path.clone(),
                text: "b".into()
            }),
            Outcome::Done
        );
        assert_eq!(
            perform(&Request::FsRead { path: path.clone() }),
            Outcome::Text("äb".into())
        );
        assert_eq!(
            perform(&Request::FsList {
                path: folder.clone()
            }),
            Outcome::Texts(vec!["a.txt".into()])
        );
        let pattern = format!("{folder}/**/*.txt");
        assert_eq!(
            perform(&Request::FsGlob { pattern }),
            Outcome::Texts(vec![path.clone()])
        );
        assert_eq!(
            perform(&Request::FsRemove { path: path.clone() }),
            Outcome::Done
        );
        assert_eq!(
            perform(&Request::FsExists { path: path.clone() }),
            Outcome::Bool(false)
        );
        assert_eq!(perform(&Request::FsRemove { path: folder }), Outcome::Done);
        let missing = perform(&Request::FsRead { path });
        assert!(matches!(
            missing,
            Outcome::Failed(Failure::Io { path: Some(_), .. })
        ));
    }
}
