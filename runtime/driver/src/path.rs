//! Where a path really leads: links are followed one by one, also where nothing is yet.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Links that are followed before a path counts as a cycle; the system's own limit.
const LINKS: usize = 40;

/// The absolute path without links, `.` and `..` that `path` stands for. Its last parts need not exist.
pub(crate) fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut rest = parts(&std::path::absolute(path)?);
    let (mut resolved, mut links) = (PathBuf::from("/"), 0);
    while let Some(part) = rest.pop_front() {
        match Path::new(&part).components().next() {
            Some(Component::RootDir) => resolved = PathBuf::from("/"),
            // What is resolved holds no link, so this is its parent in truth.
            Some(Component::ParentDir) => drop(resolved.pop()),
            Some(Component::Normal(name)) => {
                let next = resolved.join(name);
                let is_link = std::fs::symlink_metadata(&next).is_ok_and(|it| it.is_symlink());
                if !is_link {
                    resolved = next;
                    continue;
                }
                links += 1;
                if links > LINKS {
                    return Err(io::Error::other("too many links"));
                }
                for part in parts(&std::fs::read_link(&next)?).into_iter().rev() {
                    rest.push_front(part);
                }
            }
            _ => {}
        }
    }
    Ok(resolved)
}

/// Resolves the path of what is removed: a link itself, not what it leads to.
pub(crate) fn resolve_parent(path: &Path) -> io::Result<PathBuf> {
    match (path.parent(), path.components().next_back()) {
        (Some(parent), Some(Component::Normal(name))) => {
            let parent = if parent.as_os_str().is_empty() {
                Path::new(".")
            } else {
                parent
            };
            Ok(resolve(parent)?.join(name))
        }
        _ => resolve(path),
    }
}

fn parts(path: &Path) -> VecDeque<OsString> {
    path.components()
        .map(|it| it.as_os_str().to_owned())
        .collect()
}
