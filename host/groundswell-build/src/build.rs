//! The build script's side: warnings and errors as cargo shows them, files into `OUT_DIR`.

use std::path::{Path, PathBuf};

use crate::compile::compile;
use crate::rust::generate;

/// Checks and compiles the program whose entry file this is, and writes `<name>.rs` and `<name>.image` into `OUT_DIR`.
///
/// Warnings become warnings of cargo; errors are printed as `gswc check` prints them and end the build script. Cargo runs it
/// again when one of the program's files changes.
///
/// # Panics
/// When it is not called by a build script.
pub fn workflows(entry: impl AsRef<Path>) {
    let out = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR for build scripts");
    if let Err(error) = write(entry.as_ref(), &PathBuf::from(out)) {
        for line in error.lines() {
            println!("cargo::error={line}");
        }
        std::process::exit(1);
    }
}

fn write(entry: &Path, out: &Path) -> Result<(), String> {
    // Also when it does not compile.
    println!("cargo::rerun-if-changed={}", entry.display());
    let built = compile(entry).map_err(|error| error.to_string())?;
    for file in &built.files {
        println!("cargo::rerun-if-changed={}", file.display());
    }
    for line in built.warnings.iter().flat_map(|it| it.lines()) {
        println!("cargo::warning={line}");
    }
    let target = std::env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    if !target.is_empty() && target != gsw_abi::image::target_name() {
        return Err(format!(
            "workflows are compiled for the machine that builds ({}), not for {target}",
            gsw_abi::image::target_name()
        ));
    }
    let name = &built.program.name;
    for (ending, bytes) in [
        ("image", built.image.as_slice()),
        ("rs", generate(&built.program).as_bytes()),
    ] {
        let path = out.join(format!("{name}.{ending}"));
        gsw_codegen::replace(&path, bytes, gsw_codegen::Access::Usual)
            .map_err(|error| format!("`{}` cannot be written: {error}", path.display()))?;
    }
    Ok(())
}
