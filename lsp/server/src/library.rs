//! The standard library as files that an editor can open: read-only copies in the user's cache, written when one is first asked for.

use std::path::{Path, PathBuf};

/// Where the copy of a module is, `std/fs.gsw` for example; `None` when it cannot be written.
pub fn copy_of(module: &Path) -> Option<PathBuf> {
    let path = folder()?.join(module);
    let name = module.with_extension("");
    let name = name.to_str()?;
    let (_, text) = gsw_std::MODULES.iter().find(|(it, _)| *it == name)?;
    let is_there = std::fs::read(&path).is_ok_and(|it| it == text.as_bytes());
    if !is_there {
        write(&path, text).ok()?;
    }
    Some(path)
}

/// The module, `std/fs` for example, of which `path` is the copy.
pub fn module_of(path: &Path) -> Option<String> {
    let inside = path.strip_prefix(folder()?).ok()?;
    let name = inside.with_extension("").to_str()?.to_owned();
    let is_module = gsw_std::MODULES.iter().any(|(it, _)| *it == name);
    is_module.then_some(name)
}

/// One for each version, so that servers of two versions do not write over each other's.
fn folder() -> Option<PathBuf> {
    let cache = match std::env::var_os("XDG_CACHE_HOME") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(std::env::var_os("HOME")?).join(".cache"),
    };
    let own = format!("library-{}", env!("CARGO_PKG_VERSION"));
    cache
        .is_absolute()
        .then(|| cache.join("groundswell").join(own))
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    // Beside it first: another server may be reading.
    let fresh = path.with_extension(format!("{}.new", std::process::id()));
    std::fs::write(&fresh, text)?;
    let mut permissions = std::fs::metadata(&fresh)?.permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&fresh, permissions)?;
    std::fs::rename(&fresh, path)
}
