//! From the start of the process to the program's own command line.

use std::fs::File;
use std::io::Error;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use gsw_abi::image::MAGIC;
use gsw_engine::load::Loaded;
use gsw_engine::load::footer::{Ending, Place, find};
use gsw_engine::load::plans::Compiler;

use crate::refusal::Refusal;

/// The exit code when the image is refused.
const REFUSED: u8 = 4;
/// The exit code of a fault of ours.
const INTERNAL: u8 = 70;

/// Runs the program appended to this executable.
#[must_use]
pub fn run() -> ExitCode {
    run_if_bundled(None).unwrap_or_else(|| refuse(&Refusal::NoImage))
}

/// Runs the program appended to this executable, with the compiler that is part of it; `None` when nothing is appended.
#[must_use]
pub fn run_if_bundled(compiler: Option<Arc<dyn Compiler>>) -> Option<ExitCode> {
    let mut file = match own_file() {
        Ok(file) => file,
        Err(error) => return Some(refuse(&Refusal::Unreadable(error))),
    };
    match find(&mut file) {
        Ok(Ending::Image(place)) => Some(run_image(&file, place, compiler)),
        Ok(Ending::Bare) => None,
        Ok(Ending::Damaged) => Some(refuse(&Refusal::Damaged)),
        Err(error) => Some(refuse(&Refusal::Unreadable(error))),
    }
}

/// The program appended to an executable, or in the file of an image.
///
/// # Errors
/// When there is none, or it is damaged or of another version.
pub fn load(path: &Path) -> Result<Loaded, Refusal> {
    let mut file = File::open(path).map_err(Refusal::Unreadable)?;
    match find(&mut file).map_err(Refusal::Unreadable)? {
        Ending::Image(Place { offset, length }) => {
            Loaded::from_file(&file, offset, length).map_err(Refusal::Load)
        }
        Ending::Damaged => Err(Refusal::Damaged),
        Ending::Bare => {
            let bytes = std::fs::read(path).map_err(Refusal::Unreadable)?;
            if !bytes.starts_with(&MAGIC) {
                return Err(Refusal::NoImage);
            }
            Loaded::from_bytes(&bytes).map_err(Refusal::Load)
        }
    }
}

fn run_image(file: &File, place: Place, compiler: Option<Arc<dyn Compiler>>) -> ExitCode {
    match Loaded::from_file(file, place.offset, place.length) {
        Ok(loaded) => {
            let loaded = match compiler {
                Some(compiler) => loaded.with_compiler(compiler),
                None => loaded,
            };
            let arguments = std::env::args_os().skip(1).collect();
            let code = gsw_service::main_with_image(loaded, arguments);
            ExitCode::from(u8::try_from(code).unwrap_or(INTERNAL))
        }
        Err(error) => refuse(&Refusal::Load(error)),
    }
}

/// The file that this process runs from, even when it has been renamed or replaced since.
fn own_file() -> Result<File, Error> {
    if cfg!(target_os = "linux")
        && let Ok(file) = File::open("/proc/self/exe")
    {
        return Ok(file);
    }
    File::open(std::env::current_exe()?)
}

fn refuse(refusal: &Refusal) -> ExitCode {
    gsw_service::say::say(&format!("error: {refusal}"));
    ExitCode::from(REFUSED)
}
