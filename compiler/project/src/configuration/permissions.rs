//! `[permissions]`: what the program may at most be permitted.

use toml::de::DeValue;

use super::reader::{Entry, Reader};

/// What a program can be permitted, in `gsw.toml` and in its `permissions` block.
pub const PERMISSIONS: [&str; 5] = ["fs.read", "fs.write", "net", "exec", "env"];

/// The permissions in alphabetical order, `fs.read` also written as `read` in a table `fs`.
pub(super) fn read(reader: &mut Reader, entry: &Entry<'_>) -> Option<Vec<(String, Vec<String>)>> {
    if !matches!(entry.value, DeValue::Table(_)) {
        reader.wrong(entry, "a table: `[permissions]`");
        return None;
    }
    let mut listed = Vec::new();
    for inner in reader.table(entry) {
        if inner.key == "fs" && matches!(inner.value, DeValue::Table(_)) {
            for file in reader.table(&inner) {
                list(reader, &file, &format!("fs.{}", file.key), &mut listed);
            }
        } else {
            list(reader, &inner, inner.key, &mut listed);
        }
    }
    listed.sort();
    Some(listed)
}

fn list(
    reader: &mut Reader,
    entry: &Entry<'_>,
    name: &str,
    listed: &mut Vec<(String, Vec<String>)>,
) {
    if PERMISSIONS.contains(&name) {
        let texts = reader.texts(entry, "a list of strings");
        listed.push((name.to_owned(), texts));
    } else {
        reader.unknown(entry, "permissions", &PERMISSIONS);
    }
}
