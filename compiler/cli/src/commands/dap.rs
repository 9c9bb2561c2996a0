//! `gswc dap`: a debugger for editors, by the Debug Adapter Protocol on standard input and output.
//!
//! A program is compiled so that its code says where it is and what its names hold (`gsw_flow::lower_debugged`). A run stops at
//! such a point by not continuing: the thread that has it answers questions until it may continue, and its clock is stopped. Since
//! a run is decided by what it is given, going back is running it again, with what it was given, as far as an earlier point.

mod breakpoints;
mod expression;
mod follower;
mod guard;
mod launch;
mod past;
mod questions;
mod relay;
mod session;
mod shown;
mod wire;

use std::sync::mpsc::{Sender, channel};

use gsw_engine::debug::Replayed;
use gsw_engine::run::Finished;
use gsw_service::Exit;
use serde_json::Value;

use crate::report;
use follower::Stopped;
use relay::{Listening, Relay};
use session::Session;
use wire::{Input, Output};

enum Heard {
    Request(Value),
    /// A run has come to where it is to stop.
    Stopped(Box<Stopped>),
    Ended(Box<Finished>),
    /// A replay has come to its end without stopping; which one.
    Replayed(u64, Replayed),
    /// A run of another process, which is followed, has come further; which wait for it has ended.
    Further(u64),
    /// A line of the run.
    Said(String),
    /// The client has gone; why, when it did not take leave.
    Gone(Option<String>),
}

/// Serves an editor until it goes.
pub fn dap() -> Exit {
    let (sender, heard) = channel();
    let output = Output::default();
    let reading = sender.clone();
    let reader = std::thread::Builder::new()
        .name("dap-input".to_owned())
        .spawn(move || read(&reading));
    if let Err(error) = reader {
        return report::failure(&format!("cannot start a thread: {error}"));
    }
    let mut session = Session::new(output, sender);
    let mut heard = heard.into_iter();
    while let Some(it) = heard.next() {
        if let Heard::Request(request) = &it
            && let Some(relay) = Relay::wanted(request)
        {
            match relay {
                Ok(relay) => return pass_on(relay, heard),
                Err(why) => session.refuse(request, format!("`launch`: {why}")),
            }
            continue;
        }
        if let Heard::Gone(why) = it {
            session.end();
            return why.map_or(Exit::Done, |why| report::failure(&why));
        }
        if session.take(it) == session::Next::End {
            break;
        }
    }
    session.end();
    Exit::Done
}

/// Has another debugger do what the client asks from now on.
fn pass_on(mut relay: Relay, heard: impl Iterator<Item = Heard>) -> Exit {
    for it in heard {
        let listening = match it {
            Heard::Request(request) => relay.send(&request),
            Heard::Gone(_) => Listening::NoMore,
            // Nothing runs here.
            Heard::Stopped(_)
            | Heard::Ended(_)
            | Heard::Replayed(..)
            | Heard::Further(_)
            | Heard::Said(_) => Listening::Still,
        };
        if listening == Listening::NoMore {
            break;
        }
    }
    relay.end()
}

fn read(to: &Sender<Heard>) {
    let mut input = Input::standard();
    loop {
        let (heard, is_last) = match input.message() {
            Ok(Some(message)) => (Heard::Request(message), false),
            Ok(None) => (Heard::Gone(None), true),
            Err(why) => (Heard::Gone(Some(why)), true),
        };
        if to.send(heard).is_err() || is_last {
            return;
        }
    }
}
