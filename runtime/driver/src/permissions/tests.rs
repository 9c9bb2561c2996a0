//! What permissions let through, and what they do not.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gsw_abi::permission::Permission;
use gsw_engine::operation::{Failure, Outcome, Request};

use super::{Permissions, Rules, entry_reach};
use crate::web::Reach;

fn is_denied(permissions: &Permissions, request: Request) -> bool {
    let outcome = permissions.perform_alone(&request);
    matches!(outcome, Outcome::Failed(Failure::Denied { .. }))
}

#[test]
fn hosts_are_whole_names() {
    for (entry, host, port, expected) in [
        ("API.example.org", "api.example.org", 443, Reach::Listed),
        ("a.org:8443", "a.org", 8443, Reach::Listed),
        ("a.org:8443", "a.org", 443, Reach::Nowhere),
        ("*", "a.org", 443, Reach::Public),
        ("*.a.org", "x.a.org", 443, Reach::Public),
        ("*.a.org", "a.org", 443, Reach::Nowhere),
        ("a.org", "evil-a.org", 443, Reach::Nowhere),
        ("a.org", "a.org.evil", 443, Reach::Nowhere),
        ("10.0.0.1", "10.0.0.1", 80, Reach::Anywhere),
        ("[::1]:80", "[::1]", 80, Reach::Anywhere),
    ] {
        assert_eq!(entry_reach(entry, host, port), expected, "{entry} {host}");
    }
}

#[test]
fn paths_stay_beneath_their_roots() {
    let folder = std::env::temp_dir().join(format!("gsw-permissions-{}", std::process::id()));
    let inside = folder.join("in");
    std::fs::create_dir_all(&inside).expect("a folder for the test");
    std::fs::write(folder.join("out.txt"), "no").expect("a file for the test");
    std::fs::write(inside.join("a.txt"), "yes").expect("a file for the test");
    std::os::unix::fs::symlink("../out.txt", inside.join("link.txt")).expect("a link");
    std::os::unix::fs::symlink("../new.txt", inside.join("dangling")).expect("a link");
    let root = inside.display().to_string();
    let block = [Permission::FsRead, Permission::FsWrite];
    let block = block.map(|it| (it, vec![root.clone()])).into();
    let permissions = Permissions(vec![Arc::new(Rules::of(&block))]);
    let read = |name: &str| Request::FsRead {
        path: format!("{root}/{name}"),
    };
    assert_eq!(
        permissions.perform_alone(&read("./x/../a.txt")),
        Outcome::Text("yes".into())
    );
    assert!(is_denied(&permissions, read("../out.txt")));
    assert!(is_denied(&permissions, read("link.txt")));
    let write = Request::FsWrite {
        path: format!("{root}/dangling"),
        text: String::new(),
    };
    assert!(is_denied(&permissions, write));
    let glob = permissions.perform_alone(&Request::FsGlob {
        pattern: format!("{root}/*.txt"),
    });
    assert_eq!(glob, Outcome::Texts(vec![format!("{root}/a.txt")]));
    // What the project grants as well is another folder, to which a link in this one leads.
    let other = folder.join("out").display().to_string();
    let other = [(Permission::FsRead, vec![other])].into();
    let both = Permissions(vec![
        Arc::new(Rules::of(&block)),
        Arc::new(Rules::of(&other)),
    ]);
    assert!(is_denied(&both, read("a.txt")) && is_denied(&both, read("link.txt")));
    let remove = Request::FsRemove {
        path: format!("{root}/link.txt"),
    };
    assert_eq!(permissions.perform_alone(&remove), Outcome::Done);
    std::fs::remove_dir_all(folder).expect("the test's folder can go");
}

/// A folder with a permitted folder `in` and another one beside it.
fn folders(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("gsw-{name}-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("in/sub")).expect("a folder for the test");
    std::fs::create_dir_all(folder.join("private")).expect("a folder for the test");
    std::fs::write(folder.join("in/own.txt"), "own").expect("a file for the test");
    std::fs::write(folder.join("private/own.txt"), "secret").expect("a file for the test");
    folder.canonicalize().expect("it was just made")
}

/// Reading and writing is permitted in what has these names in `folder`.
fn permitted(folder: &Path, names: &[&str]) -> Permissions {
    let roots = names.iter().map(|it| folder.join(it).display().to_string());
    let roots: Vec<String> = roots.collect();
    let lists = [Permission::FsRead, Permission::FsWrite].map(|it| (it, roots.clone()));
    Permissions(vec![Arc::new(Rules::of(&lists.into()))])
}

#[test]
fn a_root_that_is_moved_or_replaced_leads_nowhere_else() {
    let folder = folders("pinned");
    let permissions = permitted(&folder, &["in"]);
    let path = |name: &str| folder.join(name).display().to_string();
    let read = Request::FsRead {
        path: path("in/own.txt"),
    };
    let write = Request::FsWrite {
        path: path("in/new.txt"),
        text: "new".into(),
    };
    // Another folder of the same name: the permitted one is worked in where it is.
    std::fs::rename(folder.join("in"), folder.join("moved")).expect("it can be moved");
    std::fs::rename(folder.join("private"), folder.join("in")).expect("it can be moved");
    assert_eq!(
        permissions.perform_alone(&read),
        Outcome::Text("own".into())
    );
    assert_eq!(permissions.perform_alone(&write), Outcome::Done);
    assert!(folder.join("moved/new.txt").exists() && !folder.join("in/new.txt").exists());
    let list = Request::FsList { path: path("in") };
    let names = ["new.txt", "own.txt", "sub"].map(str::to_owned).to_vec();
    assert_eq!(permissions.perform_alone(&list), Outcome::Texts(names));
    let glob = Request::FsGlob {
        pattern: path("in/*.txt"),
    };
    let found = ["in/new.txt", "in/own.txt"].map(path).to_vec();
    assert_eq!(permissions.perform_alone(&glob), Outcome::Texts(found));
    // A link of the same name.
    std::fs::rename(folder.join("in"), folder.join("private")).expect("it can be moved");
    std::os::unix::fs::symlink("private", folder.join("in")).expect("a link");
    for request in [read, write, list, glob] {
        assert!(is_denied(&permissions, request));
    }
    std::fs::remove_dir_all(folder).expect("the test's folder can go");
}

#[test]
fn a_root_may_be_a_file_and_may_come_go_and_come_again() {
    let folder = folders("coming");
    let permissions = permitted(&folder, &["in/own.txt", "new/deeper"]);
    let path = |name: &str| folder.join(name).display().to_string();
    let done = |request: Request| {
        let outcome = permissions.perform_alone(&request);
        assert_eq!(outcome, Outcome::Done, "{request:?}");
    };
    let write = |name: &str| Request::FsWrite {
        path: path(name),
        text: name.to_owned(),
    };
    done(write("in/own.txt"));
    assert!(is_denied(&permissions, write("in/other.txt")));
    // What is missing above a file is made, from the root on.
    done(write("new/deeper/below/a.txt"));
    for name in ["new/deeper/below/a.txt", "new/deeper/below", "new/deeper"] {
        done(Request::FsRemove { path: path(name) });
    }
    for _ in 0..2 {
        done(Request::FsMakeDir {
            path: path("new/deeper"),
        });
        done(write("new/deeper/a.txt"));
        for name in ["new/deeper/a.txt", "new/deeper"] {
            done(Request::FsRemove { path: path(name) });
        }
    }
    // A link in the way of a root that does not exist yet is not followed.
    std::fs::remove_dir(folder.join("new")).expect("it is empty");
    std::os::unix::fs::symlink("private", folder.join("new")).expect("a link");
    assert!(is_denied(&permissions, write("new/deeper/a.txt")));
    std::fs::remove_dir_all(folder).expect("the test's folder can go");
}

#[test]
fn a_folder_is_told_from_a_file_and_a_pattern_does_not_climb() {
    let folder = folders("kinds");
    let permissions = permitted(&folder, &["in"]);
    let path = |name: &str| folder.join(name).display().to_string();
    for (name, is_there) in [
        ("in", true),
        ("in/.", true),
        ("in/sub/.", true),
        ("in/sub/", true),
        ("in/own.txt", true),
        ("in/own.txt/.", false),
        ("in/own.txt/", false),
        ("in/nothing", false),
    ] {
        let exists = Request::FsExists { path: path(name) };
        let outcome = permissions.perform_alone(&exists);
        assert_eq!(outcome, Outcome::Bool(is_there), "{name}");
    }
    let glob = |pattern: &str| Request::FsGlob {
        pattern: path(pattern),
    };
    for pattern in ["in/*/../../*", "in/**/../own.txt", "in/../*", "*"] {
        assert!(is_denied(&permissions, glob(pattern)), "{pattern}");
    }
    let found = permissions.perform_alone(&glob("in/nothing/*"));
    assert_eq!(found, Outcome::Texts(Vec::new()));
    let found = permissions.perform_alone(&glob("in/sub/../*"));
    let expected = ["in/sub/../own.txt", "in/sub/../sub"].map(path).to_vec();
    assert_eq!(found, Outcome::Texts(expected));
    std::fs::remove_dir_all(folder).expect("the test's folder can go");
}
