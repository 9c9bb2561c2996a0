//! Where a program keeps what outlives its process, unless the user names another place.

use std::path::PathBuf;

use crate::environment;

/// The folder of a program's own, by the specification of such folders; `None` when the environment names none.
#[must_use]
pub fn folder(program: &str) -> Option<PathBuf> {
    Some(ours()?.join(folder_name(program)))
}

/// The folder with what people have authorized programs to use. It is one for all, so that the next build does not ask again.
#[must_use]
pub fn authorizations() -> Option<PathBuf> {
    Some(ours()?.join(".authorizations"))
}

fn ours() -> Option<PathBuf> {
    let absolute = |name| {
        let path = environment::text(name).map(PathBuf::from);
        // By the specification anything else is to be ignored.
        path.filter(|it| it.is_absolute())
    };
    let state = absolute("XDG_STATE_HOME");
    let state = state.or_else(|| Some(absolute("HOME")?.join(".local/state")))?;
    Some(state.join("groundswell"))
}

/// The name of a program as that of a folder.
fn folder_name(program: &str) -> String {
    let kept = |it: char| {
        if it.is_alphanumeric() || "-_.".contains(it) {
            it
        } else {
            '_'
        }
    };
    let name: String = program.chars().map(kept).collect();
    match name.trim_start_matches('.') {
        "" => "program".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::folder_name;

    #[test]
    fn a_program_has_one_folder_inside_of_ours() {
        assert_eq!(folder_name("review"), "review");
        assert_eq!(folder_name("../a b/ü"), "_a_b_ü");
        assert_eq!(folder_name(".."), "program");
    }
}
