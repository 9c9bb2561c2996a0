//! Damaged images through the loader.
#![no_main]

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use gsw_abi::image::{self, Parts};
use gsw_abi::program::Program;
use gsw_engine::load::Loaded;
use gsw_source::{Database, Files};
use libfuzzer_sys::fuzz_target;

/// The program whose image is damaged.
const PROGRAM: &str = include_str!("../tables.gsw");

struct Text;

impl Files for Text {
    fn read(&self, _: &Path) -> Result<Arc<str>, String> {
        Ok(PROGRAM.into())
    }

    fn below(&self, _: &Path) -> Result<Vec<String>, String> {
        Err("does not exist".into())
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        Path::new("/").join(path)
    }
}

fn good() -> &'static [u8] {
    static IMAGE: OnceLock<Vec<u8>> = OnceLock::new();
    IMAGE.get_or_init(|| {
        let mut db = Database::default();
        gsw_project::open_project(&mut db, Path::new("main.gsw"), &Text).expect("it is there");
        let module = gsw_flow::lower_program(&db).expect("the program has no errors");
        gsw_codegen::compile(&module, &gsw_codegen::Options::default()).expect("it compiles")
    })
}

/// Every five bytes of `data` are a place and what is written there.
fn damage(bytes: &mut [u8], data: &[u8]) {
    for edit in data.chunks_exact(5) {
        let place = u32::from_le_bytes([edit[0], edit[1], edit[2], edit[3]]) as usize % bytes.len();
        bytes[place] = edit[4];
    }
}

/// Tables that are wrong under sums that are right.
fn mended(data: &[u8]) -> Option<Vec<u8>> {
    let view = image::read(good()).ok()?;
    let mut tables = postcard::to_stdvec(&view.program).ok()?;
    damage(&mut tables, data);
    let program: Program = postcard::from_bytes(&tables).ok()?;
    let parts = Parts { program: &program, code: view.code, constants: view.constants };
    image::write(&parts).ok()
}

fuzz_target!(|data: &[u8]| {
    let mut bytes = good().to_vec();
    damage(&mut bytes, data);
    if let Some(&length) = data.first() {
        bytes.truncate(bytes.len() - bytes.len() * usize::from(length) / 1024);
    }
    let _ = Loaded::from_bytes(&bytes);
    let _ = Loaded::from_bytes(data);
    if let Some(image) = mended(data) {
        let _ = Loaded::from_bytes(&image);
    }
});
