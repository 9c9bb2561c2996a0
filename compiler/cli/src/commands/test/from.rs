//! `gswc test --from RUN`: a test of what happened in a run of the store, with a mock for each call that had an answer.
//!
//! The run is replayed in memory, so nothing is performed. What stands for it in the test is what a reader would write:
//! prompts, tools, people and what comes from outside by their values, effects of the library where neither a prompt nor a tool
//! asks for them. The test is tried before it is printed. Where it fails because an answer comes at once that took its time, as
//! with a time limit or in a race, the mocks take as long as the calls did.

mod effects;
mod literal;
mod story;

use std::path::Path;
use std::sync::Arc;

use gsw_service::{Exit, Origin, happened};

use super::{Test, cases, cassettes, load, snapshots};
use crate::compile::{self, Main};
use crate::overlay::Overlay;
use crate::test_report::Ending;
use crate::{project, report};
use story::{Pace, Story};

/// The word for the run that was begun last.
const NEWEST: &str = "newest";

/// Prints a test of a run. Exits with 1 when it is printed and does not pass as it is.
pub fn from(arguments: &Test, run: &str) -> Exit {
    printed(arguments, run).unwrap_or_else(|exit| exit)
}

fn printed(arguments: &Test, run: &str) -> Result<Exit, Exit> {
    let file = match &arguments.files[..] {
        [] => project::entry(None)?,
        [file] => project::entry(Some(file))?,
        _ => {
            return Err(report::usage(
                &"`--from` makes a test of one program: name its file",
            ));
        }
    };
    let loaded = load(&compile::image(&file, Main::Optional)?).map_err(|it| it.exit)?;
    let program = Arc::clone(&loaded.program);
    let origin = Origin {
        command: format!("gswc run {} --", file.display()),
        program: file.display().to_string(),
    };
    let id = (run != NEWEST).then_some(run);
    let happened = happened(loaded, arguments.store.as_deref(), id, &origin, None)
        .map_err(|why| report::failure(&why))?;
    let story = Story::of(&program, &happened).map_err(|why| report::failure(&why))?;
    let quick = story.test(Pace::AtOnce)?;
    let (text, verdict) = match tried(&file, &quick)? {
        Ending::Passed => (quick, Ending::Passed),
        failed @ Ending::Failed { .. } => {
            let slow = story.test(Pace::AsItWas)?;
            match tried(&file, &slow)? {
                Ending::Passed => (slow, Ending::Passed),
                Ending::Failed { .. } => (quick, failed),
            }
        }
    };
    let exit = report::output(&text);
    Err(match (exit, verdict) {
        (Exit::Done, Ending::Failed { message }) => {
            report::note(&format!(
                "warning: this test does not pass as it is:\n{}",
                message.trim_end()
            ));
            Exit::Raised
        }
        (exit, Ending::Passed | Ending::Failed { .. }) => return Ok(exit),
    })
}

/// What happens to the test at the end of the file.
fn tried(file: &Path, test: &str) -> Result<Ending, Exit> {
    let failed = |message: &str| {
        Ok(Ending::Failed {
            message: message.to_owned(),
        })
    };
    let before = std::fs::read_to_string(file).map_err(|error| {
        report::failure(&format!("`{}` cannot be read: {error}", file.display()))
    })?;
    let mut overlay = Overlay::default();
    overlay.change(file.to_owned(), format!("{before}\n{test}"));
    let Ok((image, mut tests)) = compile::tests_in(file, &overlay) else {
        return failed("it does not compile");
    };
    // It is the last one of the file that the program begins with, and only it is wanted.
    let Some(test) = tests.pop() else {
        return failed("it is not found");
    };
    let name = test.name.clone();
    let loaded = Arc::new(load(&image).map_err(|it| it.exit)?);
    let (cases, _) = cases::Cases::of(&loaded, vec![test], cases::Wanted::Called(&name));
    let runner = cases::Runner::Mocked {
        loaded: Arc::clone(&loaded),
        prompts: gsw_service::testing::prompts(),
        image: &image,
        crashes: None,
    };
    let of = cases::Of { file, model: None };
    let mut snapshots = snapshots::Snapshots::beside(file, snapshots::Accept::Nothing)
        .map_err(|why| report::failure(&why))?;
    let mut cassettes = cassettes::Cassettes::new(cassettes::Use::Play);
    let outcome = cases
        .run(&runner, &of, &mut snapshots, &mut cassettes)
        .pop();
    outcome.map_or_else(|| failed("it was not run"), |it| Ok(it.ending))
}
