//! A run on standard error: a tree that lives on a terminal, plain lines elsewhere. Never touches standard output.

pub mod frame;
mod held;
mod lines;
mod live;
mod row;
mod screen;
mod stage;

use std::io::{IsTerminal, stderr, stdout};
use std::sync::Arc;

use gsw_tree::observe::attached::Attached;
use gsw_tree::observe::{Delivery, Observer, Observers, Replay};

use crate::arguments::EventSink;
use crate::environment;
use crate::terminal::lines::Lines;
use crate::terminal::live::Live;

pub use row::{Colors, Row, Tone};
pub use stage::Stage;

/// Shows runs on standard error from now on.
pub fn start(
    observers: &Observers,
    events: Option<&EventSink>,
    stage: &Arc<Stage>,
) -> std::io::Result<Attached> {
    stage.observe();
    let stage = Arc::clone(stage);
    let observer: Box<dyn Observer> = if can_draw(events) {
        Box::new(Live::new(stage))
    } else {
        Box::new(Lines::new(stage))
    };
    observers.attach("terminal", Replay::All, Delivery::Lossy, observer)
}

/// Standard error, with nothing on it.
pub fn stage() -> Arc<Stage> {
    Arc::new(Stage::new(colors()))
}

/// Whether there is a terminal with cursor movement, and nothing else is written to it.
fn can_draw(events: Option<&EventSink>) -> bool {
    let is_shared = events == Some(&EventSink::Standard) && stdout().is_terminal();
    stderr().is_terminal() && environment::text("TERM").is_some_and(|it| it != "dumb") && !is_shared
}

/// Whether a terminal is to show colours, as the environment says.
#[must_use]
pub fn shows_colors() -> bool {
    colors() == Colors::On
}

/// Whether a terminal is to show colours; by <https://no-color.org> any text that is not empty means none.
pub fn colors() -> Colors {
    let is_dumb = environment::text("TERM").is_none_or(|it| it == "dumb");
    if is_dumb || environment::text("NO_COLOR").is_some() {
        Colors::Off
    } else {
        Colors::On
    }
}

/// Whether standard error is to have colours.
pub fn error_colors() -> Colors {
    match stderr().is_terminal() {
        true => colors(),
        false => Colors::Off,
    }
}
