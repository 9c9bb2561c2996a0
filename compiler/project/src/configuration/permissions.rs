//! `[permissions]`: what the program may at most be permitted.

use gsw_abi::permission::{Permission, Permitted};
use toml::de::DeValue;

use super::reader::{Entry, Reader};
use crate::errors;

/// What is meant by an entry that can never cover anything: addresses, patterns of files, command lines and signs before the name
/// of a variable are written elsewhere.
#[must_use]
pub fn meant_entry(permission: Permission, entry: &str) -> Option<String> {
    let meant = match permission {
        Permission::Net => {
            let (_, rest) = entry.split_once("://").unwrap_or(("", entry));
            let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
            authority.rsplit('@').next().unwrap_or(authority)
        }
        Permission::FsRead | Permission::FsWrite => match entry.find('*') {
            // A folder stands for all that is in it.
            Some(at) => match entry[..at].rfind('/') {
                Some(0) => "/",
                Some(slash) => &entry[..slash],
                None => ".",
            },
            None => entry,
        },
        Permission::Exec => entry.split_whitespace().next().unwrap_or(entry),
        Permission::Env => {
            let name = entry.strip_prefix("${").and_then(|it| it.strip_suffix('}'));
            let name = name.or_else(|| entry.strip_prefix('$')).unwrap_or(entry);
            name.split('=').next().unwrap_or(name)
        }
    };
    // A path to a program may hold blanks.
    let is_path = permission == Permission::Exec && meant.contains('/');
    (meant != entry && !meant.is_empty() && !is_path).then(|| meant.to_owned())
}

/// The permissions, `fs.read` also written as `read` in a table `fs`.
pub(super) fn read(reader: &mut Reader, entry: &Entry<'_>) -> Option<Permitted> {
    if !matches!(entry.value, DeValue::Table(_)) {
        reader.wrong(entry, "a table: `[permissions]`");
        return None;
    }
    let mut listed = Permitted::new();
    for inner in reader.table(entry) {
        if inner.key == "fs" && matches!(inner.value, DeValue::Table(_)) {
            for file in reader.table(&inner) {
                list(reader, &file, &format!("fs.{}", file.key), &mut listed);
            }
        } else {
            list(reader, &inner, inner.key, &mut listed);
        }
    }
    Some(listed)
}

fn list(reader: &mut Reader, entry: &Entry<'_>, name: &str, listed: &mut Permitted) {
    let Some(permission) = Permission::named(name) else {
        reader.unknown(entry, "permissions", &Permission::names());
        return;
    };
    let texts = reader.texts(entry, "a list of strings");
    for text in &texts {
        if let Some(meant) = meant_entry(permission, text) {
            let report = errors::unmatchable_entry(entry.value_place, permission, text, &meant);
            reader.report(report);
        }
    }
    listed.entry(permission).or_default().extend(texts);
}
