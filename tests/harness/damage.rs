//! Damaged images are refused, or load; nothing worse. `tests/fuzz` does the same for longer.

use gsw_abi::image::{self, Parts};
use gsw_abi::program::Program;
use gsw_engine::load::Loaded;
use proptest::prelude::{ProptestConfig, any, prop, proptest};

use crate::in_process::open;

/// The program whose image is damaged.
const PROGRAM: &str = include_str!("../fuzz/tables.gsw");

fn good() -> Vec<u8> {
    let (db, _) = open(PROGRAM);
    let module = gsw_flow::lower_program(&db).expect("the program has no errors");
    let image = gsw_codegen::compile(&module, &gsw_codegen::Options::default());
    image.expect("it compiles")
}

fn damage(bytes: &mut [u8], edits: &[(prop::sample::Index, u8)]) {
    for (place, value) in edits {
        let place = place.index(bytes.len());
        bytes[place] = *value;
    }
}

#[test]
fn damaged_images_are_refused() {
    let good = good();
    let edit = || (any::<prop::sample::Index>(), any::<u8>());
    let config = ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    proptest!(config, |(edits in prop::collection::vec(edit(), 1..8), end in any::<prop::sample::Index>())| {
        let mut bytes = good.clone();
        damage(&mut bytes, &edits);
        let loaded = Loaded::from_bytes(&bytes);
        assert!(bytes == good || loaded.is_err(), "a damaged image was taken");
        assert!(Loaded::from_bytes(&good[..end.index(good.len())]).is_err(), "half an image was taken");
    });
}

#[test]
fn tables_that_are_wrong_under_right_sums_do_no_harm() {
    let good = good();
    let view = image::read(&good).expect("it was just made");
    let tables = postcard::to_stdvec(&view.program).expect("tables can be written");
    let edit = || (any::<prop::sample::Index>(), any::<u8>());
    let config = ProptestConfig {
        cases: 1_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    proptest!(config, |(edits in prop::collection::vec(edit(), 1..5))| {
        let mut tables = tables.clone();
        damage(&mut tables, &edits);
        if let Ok(program) = postcard::from_bytes::<Program>(&tables) {
            let parts = Parts { program: &program, code: view.code, constants: view.constants };
            let image = image::write(&parts).expect("what was read can be written");
            let _ = Loaded::from_bytes(&image);
        }
    });
}
