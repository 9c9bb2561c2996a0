//! `gswc run`

use gsw_service::Exit;

use crate::arguments::Run;
use crate::compile::{self, Main};
use crate::report;

/// Compiles a program in memory and runs it.
pub fn run(arguments: &Run) -> Exit {
    let main = if arguments.workflow.is_some() {
        Main::Optional
    } else {
        Main::Needed
    };
    let image = match compile::image(&arguments.file, main) {
        Ok(image) => image,
        Err(exit) => return exit,
    };
    let mut words: Vec<String> = arguments.workflow.iter().cloned().collect();
    if let Some(model) = &arguments.model {
        words.extend(["--model".into(), model.clone()]);
    }
    words.extend(arguments.words.iter().cloned());
    match gsw_engine::load::Loaded::from_bytes(&image) {
        Ok(loaded) => gsw_service::run_program(loaded, &words),
        Err(refusal) => report::failure(&refusal),
    }
}
