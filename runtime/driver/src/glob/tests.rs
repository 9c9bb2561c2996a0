//! What patterns find, and what they do not look at.

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use super::{Bounds, Glob, Unfit, search_within};
use crate::allowance::Allowance;
use crate::files::{FileWork, Trouble};
use crate::place::Place;
use crate::work::Work;

/// A tree of folders and files, and the cycle of links of a hostile repository.
fn tree(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("gsw-glob-{name}-{}", std::process::id()));
    for path in ["src/deep/deeper", "src/.hidden", "target"] {
        std::fs::create_dir_all(folder.join(path)).expect("a folder for the test");
    }
    for path in [
        "a.rs",
        "src/b.rs",
        "src/deep/c.rs",
        "src/deep/deeper/d.rs",
        "src/.hidden/e.rs",
        "src/b.txt",
    ] {
        std::fs::write(folder.join(path), "").expect("a file for the test");
    }
    symlink("..", folder.join("src/l1")).expect("a link");
    symlink("..", folder.join("src/l2")).expect("a link");
    symlink("b.rs", folder.join("src/linked.rs")).expect("a link");
    folder.canonicalize().expect("it was just made")
}

/// What a pattern finds beneath a folder, without the folder's own path.
fn found(bounds: &Bounds, folder: &std::path::Path, pattern: &str) -> Result<Vec<String>, String> {
    let folder = folder.display().to_string();
    let glob = Glob::parse(&format!("{folder}/{pattern}")).map_err(|it| format!("{it:?}"))?;
    let (work, allowance) = (Work::default(), Allowance::default());
    let work = FileWork {
        work: &work,
        allowance: &allowance,
        pool: None,
    };
    let start = Place::anywhere(glob.start());
    let found = search_within(bounds, &glob, &start, &|_| true, &work);
    let found = found.map_err(|trouble| match trouble {
        Trouble::System(error) => error.to_string(),
        Trouble::TooLarge | Trouble::GivenUp => format!("{trouble:?}"),
    })?;
    let own = format!("{folder}/");
    Ok(found.iter().map(|it| it.replacen(&own, "", 1)).collect())
}

#[test]
fn a_pattern_finds_each_file_once_and_follows_no_link() {
    let folder = tree("once");
    let found =
        |pattern: &str| found(&super::BOUNDS, &folder, pattern).expect("it can be searched");
    let all = [
        "a.rs",
        "src/.hidden/e.rs",
        "src/b.rs",
        "src/deep/c.rs",
        "src/deep/deeper/d.rs",
        "src/linked.rs",
    ];
    assert_eq!(found("**/*.rs"), all);
    assert_eq!(found("**/**/*.rs"), all);
    assert_eq!(found("**/src/**/*.rs"), all[1..]);
    assert_eq!(
        found("**/deep/**/d*"),
        ["src/deep/deeper", "src/deep/deeper/d.rs"]
    );
    assert_eq!(found("*/b.*"), ["src/b.rs", "src/b.txt"]);
    assert_eq!(found("*/b.rs"), ["src/b.rs"]);
    assert_eq!(found("src/l*"), ["src/l1", "src/l2", "src/linked.rs"]);
    assert_eq!(found("src/l?/*"), [""; 0]);
    assert_eq!(found("src/*/"), ["src/.hidden", "src/deep"]);
    assert_eq!(found("src/deep/**"), ["src/deep/deeper"]);
    assert_eq!(found("[!s]*"), ["a.rs", "target"]);
    assert_eq!(found("src/{b,c}.{rs,txt}"), ["src/b.rs", "src/b.txt"]);
    assert_eq!(
        found("{src,target,none}/**/{b,d}.rs"),
        ["src/b.rs", "src/deep/deeper/d.rs"]
    );
    assert_eq!(found("{a.rs,target}/"), ["target"]);
    std::fs::remove_dir_all(folder).expect("the test's folder can go");
}

#[test]
fn a_search_has_bounds_that_it_names() {
    let folder = tree("bounds");
    let few = Bounds {
        entries: 5,
        depth: 200,
    };
    let failed = found(&few, &folder, "**/*").expect_err("there are more");
    assert!(failed.contains("more than 5 files"), "{failed}");
    let flat = Bounds {
        entries: 100,
        depth: 1,
    };
    let failed = found(&flat, &folder, "**/*").expect_err("it is deeper");
    assert!(failed.contains("more than 1 deep"), "{failed}");
    assert_eq!(
        found(&flat, &folder, "src/*.txt"),
        Ok(vec!["src/b.txt".to_owned()])
    );
    std::fs::remove_dir_all(folder).expect("the test's folder can go");
}

#[test]
fn patterns_are_split_at_their_first_wildcard() {
    let parts = |pattern: &str| {
        let glob = Glob::parse(pattern).expect("it is a pattern");
        (glob.start(), glob.parts.len())
    };
    assert_eq!(parts("./src//a/./*.rs"), ("src/a".into(), 1));
    assert_eq!(parts("../x/**/**/y"), ("../x".into(), 2));
    assert_eq!(parts("/*"), ("/".into(), 1));
    assert_eq!(parts("*"), (".".into(), 1));
    assert_eq!(parts("a/b/"), ("a/b/".into(), 0));
    assert!(matches!(Glob::parse("a/*/../b"), Err(Unfit::Climbs)));
    assert!(matches!(Glob::parse("a/**b"), Err(Unfit::Syntax(_))));
    assert!(matches!(Glob::parse("a/[b"), Err(Unfit::Syntax(_))));
}
