//! Workflows as a host sees them: values, errors, tools, events, cancellation.

mod cancel;
mod embed;
mod events;
mod externals;
mod generated;
mod humans;
mod kept;
mod tools;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use groundswell::{Host, HostBuilder, Program};

/// A host of the program with this source, offline, to be set up.
fn program(name: &str, source: &str) -> HostBuilder {
    Host::builder(Program::from_image(&image(name, source)).expect("it was just built"))
        .model("sim/default")
        .without_process_environment()
}

fn image(name: &str, source: &str) -> Vec<u8> {
    groundswell_build::compile(&file(name, source))
        .unwrap_or_else(|error| panic!("{error}"))
        .image
}

/// A file of its own: tests of one module share their source, and run side by side.
fn file(name: &str, source: &str) -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{number}.gsw"));
    std::fs::write(&path, source).expect("the target folder can be written");
    path
}
