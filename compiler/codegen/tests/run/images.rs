//! Images and bundles: the same bytes each time, and one file that carries its image.

use gsw_abi::builtin::{ERROR, INT};
use gsw_abi::image::{FOOTER_MAGIC, FOOTER_SIZE, PAGE};
use gsw_codegen::{BundleError, Options, bundle, clif, compile};

use crate::module::{Build, at, call, end, give, handler, raise};

/// Enough functions for several threads, each calling the one before.
fn chain() -> Build {
    let mut build = Build::new();
    let mut last = build.plain(1, &[INT], vec![end(give(at(0)))]);
    for _ in 0..100 {
        last = build.plain(
            1,
            &[INT, ERROR],
            vec![
                end(call(0, last, &[at(0)], 1, handler(1, 2))),
                end(give(at(0))),
                end(raise(1)),
            ],
        );
    }
    build
}

#[test]
fn the_same_module_gives_the_same_bytes() {
    let build = chain();
    let first = compile(&build.module, &Options::default()).expect("it compiles");
    for _ in 0..4 {
        let again = compile(&build.module, &Options::default()).expect("it compiles");
        assert!(first == again);
    }
    let mut machine = crate::machine::Machine::new(&build.module);
    let last = gsw_abi::program::FunctionIndex(100);
    assert_eq!(machine.run(last, &[9]), Ok(9));
}

#[test]
fn clif_names_every_function() {
    let text = clif(&chain().module).expect("it translates");
    assert!(text.contains("; 0 f0\nfunction u0:0(i64, i64) -> i64, i64 system_v"));
    assert!(text.contains("; 100 f100"));
}

#[test]
fn a_bundle_ends_with_its_image() {
    let folder = std::env::temp_dir().join(format!("gsw-bundle-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let launcher = std::env::current_exe().expect("this test is an executable");
    let target = folder.join("program");
    // The second time the launcher is a built program, whose image is replaced.
    bundle(&launcher, b"image", &target).expect("it is written");
    bundle(&target, b"other image", &target).expect("it is written");
    let bytes = std::fs::read(&target).expect("it is there");
    let footer = &bytes[bytes.len() - FOOTER_SIZE..];
    let offset = u64::from_le_bytes(footer[..8].try_into().expect("eight bytes")) as usize;
    assert_eq!(offset % PAGE, 0);
    assert!(offset - std::fs::metadata(&launcher).expect("it is there").len() as usize <= PAGE);
    assert_eq!(&bytes[offset..bytes.len() - FOOTER_SIZE], b"other image");
    assert_eq!(&footer[16..], FOOTER_MAGIC);
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 1);
    let not_a_launcher = folder.join("text");
    std::fs::write(&not_a_launcher, "#!/bin/sh").expect("it is written");
    let refused = bundle(&not_a_launcher, b"", &target);
    assert!(matches!(refused, Err(BundleError::NotAnExecutable(_))));
    let nowhere = bundle(&launcher, b"", &folder.join("missing/program"));
    assert!(matches!(nowhere, Err(BundleError::Target { .. })));
    std::fs::remove_dir_all(&folder).expect("it is removed");
}
