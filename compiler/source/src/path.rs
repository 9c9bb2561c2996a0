//! Paths as they are written: a file has one, whatever way an import takes to it.

use std::path::{Component, Path, PathBuf};

/// A path without the folders that it enters and leaves again. Links are not looked at, as modules are named by what is written.
#[must_use]
pub fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => match normal.components().next_back() {
                Some(Component::Normal(_)) => {
                    normal.pop();
                }
                // Nothing is above the root.
                Some(Component::RootDir | Component::Prefix(_)) => {}
                Some(Component::ParentDir | Component::CurDir) | None => normal.push(component),
            },
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => {
                normal.push(component);
            }
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::normal;

    #[test]
    fn a_folder_that_is_left_again_is_no_part_of_a_path() {
        let cases = [
            ("/x/a/../lib.gsw", "/x/lib.gsw"),
            ("a/./b/../../lib.gsw", "lib.gsw"),
            ("../../lib.gsw", "../../lib.gsw"),
            ("a/../../lib.gsw", "../lib.gsw"),
            ("/../lib.gsw", "/lib.gsw"),
        ];
        for (path, wanted) in cases {
            assert_eq!(normal(Path::new(path)), Path::new(wanted), "{path}");
        }
    }
}
