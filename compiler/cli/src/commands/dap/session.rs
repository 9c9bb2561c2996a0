//! The requests of an editor, one after the other, and its events; for the live run, or for a replay of it.

mod following;
mod requests;

use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};

use gsw_driver::pauses::Pauses;
use gsw_engine::debug::{Recording, Replayed};
use gsw_engine::run::{Finished, RunResult};
use serde_json::{Value, json};

use super::Heard;
use super::breakpoints::{Breakpoints, Stops, Why};
use super::follower::{Because, Follower, How, Mode, Step, Stopped, Wanted};
use super::launch::{KeptRun, Launch, Live, Program};
use super::past::Replays;
use super::shown::Shown;
use super::wire::Output;
use following::Following;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    Request,
    End,
}

/// A debugging session: runs of a program, and the editor that inspects them.
pub struct Session {
    output: Output,
    heard: Sender<Heard>,
    launch: Launch,
    program: Option<Program>,
    breakpoints: Arc<Mutex<Breakpoints>>,
    live: Option<Live>,
    /// A replay that is shown instead of the live run.
    past: Option<Arc<Follower>>,
    /// The main run as far as it has come.
    recording: Option<Recording>,
    /// Where the live run is paused, while a replay is shown.
    present: Option<Stopped>,
    /// How many points the main run had, when it has ended.
    ended_at: Option<u64>,
    /// Where the run that is shown is paused.
    stopped: Option<Stopped>,
    shown: Shown,
    /// The runs that the client has heard of; the main one first.
    runs: Vec<Arc<str>>,
    replays: u64,
    /// The stored run that is shown.
    kept: Option<KeptRun>,
    /// A run of another process that is followed.
    following: Option<Following>,
    /// How the run has ended, as the exit code of its program.
    code: i32,
}

/// No point has this number.
const NEVER: u64 = u64::MAX;

impl Session {
    pub fn new(output: Output, heard: Sender<Heard>) -> Self {
        Self {
            output,
            heard,
            launch: Launch::default(),
            program: None,
            breakpoints: Arc::default(),
            live: None,
            past: None,
            recording: None,
            present: None,
            ended_at: None,
            stopped: None,
            shown: Shown::default(),
            runs: Vec::new(),
            replays: 0,
            kept: None,
            following: None,
            code: 0,
        }
    }

    pub fn take(&mut self, heard: Heard) -> Next {
        match heard {
            Heard::Request(request) => return self.request(&request),
            Heard::Stopped(at) => self.has_stopped(*at),
            Heard::Ended(finished) => self.has_ended(&finished),
            Heard::Replayed(id, how) => self.has_replayed(id, how),
            Heard::Further(wait) => self.has_come_further(wait),
            Heard::Said(line) => self.say("console", &line),
            Heard::Gone(_) => return Next::End,
        }
        Next::Request
    }

    /// Answers a request that cannot be done.
    pub fn refuse(&self, request: &Value, why: String) {
        self.output.respond(request, Err(why));
    }

    /// Ends what still runs; nothing of it is waited for.
    pub fn end(&mut self) {
        self.leave_past();
        if let Some(live) = self.live.take() {
            live.canceller.stop();
            live.follower.go(Mode::GiveUp);
            live.engine.stop_all();
            live.engine.abandon();
            live.engine.close();
        }
    }

    fn say(&self, category: &str, text: &str) {
        let body = json!({ "category": category, "output": format!("{text}\n") });
        self.output.event("output", body);
    }

    /// The follower of the run that is shown.
    fn current(&self) -> Option<&Arc<Follower>> {
        let live = self.live.as_ref().map(|it| &it.follower);
        self.past.as_ref().or(live)
    }

    /// The point of the main run that a replay stops at anyhow.
    fn until(&self) -> u64 {
        // What is followed continues from where it is, as far as it comes.
        if self.past.is_none() || self.may_come_further() {
            return NEVER;
        }
        if let Some(present) = &self.present {
            return present.point;
        }
        let end = self.ended_at.filter(|_| self.stands_at_end());
        let at = self.stopped.as_ref().map(|it| it.point);
        // At the end there is nothing more to stop for.
        end.filter(|end| at.is_none_or(|it| it < *end))
            .unwrap_or(NEVER)
    }

    /// Whether the run is paused at its end instead of being gone.
    fn stands_at_end(&self) -> bool {
        self.launch.stop_on_end || self.launch.run.is_some()
    }

    /// Leaves the replay.
    fn leave_past(&mut self) {
        if let Some(past) = self.past.take() {
            past.go(Mode::GiveUp);
        }
    }

    /// Nothing is paused any more that the client could look at, and the numbers that it has stand for nothing.
    fn leave_stop(&mut self) {
        self.stopped = None;
        self.shown = Shown::default();
    }

    fn has_stopped(&mut self, at: Stopped) {
        let is_live = self
            .live
            .as_ref()
            .is_some_and(|it| it.follower.id() == at.by);
        let is_past = self.past.as_ref().is_some_and(|it| it.id() == at.by);
        if is_live {
            if let Some(live) = &self.live {
                self.recording = live.follower.recording();
            }
            self.present = Some(at.clone());
        } else if !is_past {
            // A replay that was left.
            return;
        }
        if is_past
            && at.because == Because::Present
            && let Some(present) = self.present.clone()
        {
            self.leave_past();
            self.stand(present, &Because::Present);
            return;
        }
        let because = at.because.clone();
        self.stand(at, &because);
    }

    /// Reports to the client where the run that is shown is paused.
    fn stand(&mut self, at: Stopped, because: &Because) {
        let (reason, description) = match because {
            Because::Entry => ("entry", None),
            Because::Step => ("step", None),
            Because::Pause => ("pause", None),
            Because::Breakpoint(Why::Line) => ("breakpoint", None),
            Because::Breakpoint(Why::Unclear(what)) => ("breakpoint", Some(what.clone())),
            Because::Breakpoint(Why::Name(what)) => ("function breakpoint", Some(what.clone())),
            Because::Breakpoint(Why::Raised(what)) | Because::Uncaught(what) => {
                ("exception", Some(what.clone()))
            }
            Because::Present if self.past.is_some() && !self.may_come_further() => {
                ("pause", Some("the end of the run".to_owned()))
            }
            Because::Present => ("pause", Some("where the run is".to_owned())),
        };
        self.shown = Shown::default();
        let thread = self.thread(&at.run, at.task);
        let mut body = json!({
            "reason": reason,
            "threadId": thread,
            "allThreadsStopped": true,
        });
        if let Some(description) = description {
            body["description"] = json!(description);
            body["text"] = json!(description);
        }
        self.stopped = Some(at);
        self.output.event("stopped", body);
    }

    /// The number of a task for the client.
    fn thread(&mut self, run: &Arc<str>, task: u32) -> u64 {
        let known = self.runs.iter().position(|it| it == run);
        let index = known.unwrap_or_else(|| {
            self.runs.push(Arc::clone(run));
            self.runs.len() - 1
        });
        ((index as u64) << 32) + u64::from(task) + 1
    }

    fn has_ended(&mut self, finished: &Finished) {
        let Some(live) = &self.live else { return };
        self.recording = live.follower.recording();
        let last = live.follower.last();
        self.present = None;
        self.leave_stop();
        self.ended_at = Some(last);
        self.say_result(&finished.result);
        if let Some(stop) = self.last_look(&finished.result, last)
            && self.go_to(stop.0, stop.1).is_ok()
        {
            return;
        }
        self.is_over();
    }

    /// Reports what a run has come to.
    fn say_result(&mut self, result: &RunResult) {
        match result {
            RunResult::Value(json) => self.say("stdout", json),
            RunResult::Raised(error) => {
                self.say("stderr", gsw_service::error_text(error).trim_end())
            }
            RunResult::InvalidInput(issues) => {
                self.say("stderr", gsw_service::issues_text(issues).trim_end());
            }
            RunResult::Cancelled => self.say("stderr", "cancelled"),
            RunResult::Left(why) => self.say("stderr", &why.to_string()),
            RunResult::Internal(why) => self.say("stderr", &format!("Internal: {why}")),
        }
        self.code = match result {
            RunResult::Value(_) => 0,
            RunResult::Raised(_)
            | RunResult::InvalidInput(_)
            | RunResult::Cancelled
            | RunResult::Left(_)
            | RunResult::Internal(_) => 1,
        };
    }

    /// Where a run that has ended is shown once more: where the uncaught error arose, else at its end.
    fn last_look(&self, result: &RunResult, last: u64) -> Option<(u64, Because)> {
        let stops = {
            let breakpoints = self.breakpoints();
            (breakpoints.uncaught, breakpoints.raised)
        };
        if let (RunResult::Raised(error), (Stops::Yes, Stops::No)) = (result, stops) {
            let wanted = Wanted::Error {
                name: error.error.clone(),
                message: error.message.clone(),
            };
            if let Some(found) = self.replays()?.scan(NEVER, wanted).ok()? {
                return Some((found, Because::Uncaught(error.message.clone())));
            }
        }
        (self.launch.stop_on_end && last > 0).then_some((last, Because::Present))
    }

    fn is_over(&self) {
        self.output
            .event("exited", json!({ "exitCode": self.code }));
        self.output.event("terminated", json!({}));
    }

    fn has_replayed(&mut self, id: u64, how: Replayed) {
        let Some(past) = self.past.take_if(|it| it.id() == id) else {
            return;
        };
        self.leave_stop();
        if let Replayed::NotAtAll(why) = how {
            self.say("stderr", &why);
        }
        match self.present.clone() {
            // It ended before it reached the run's point, which is only possible if the run has got outcomes meanwhile.
            Some(present) => self.stand(present, &Because::Present),
            // It was to pause, and its end came first.
            None if past.is_to_pause() && self.stand_at_end().is_some() => {}
            None if self.waits_for_more() => {}
            None => self.is_over(),
        }
    }

    fn breakpoints(&self) -> std::sync::MutexGuard<'_, Breakpoints> {
        let breakpoints = self.breakpoints.lock();
        // It is whole between any two statements of ours.
        breakpoints.unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn replays(&self) -> Option<Replays<'_>> {
        Some(Replays {
            program: self.program.as_ref()?,
            recording: self.recording.clone()?,
            breakpoints: Arc::clone(&self.breakpoints),
            heard: self.heard.clone(),
        })
    }

    /// Shows a replay of the run at an earlier point, instead of what is shown.
    fn go_to(&mut self, point: u64, because: Because) -> Result<(), String> {
        self.replay(Mode::To { point, because })
    }

    fn replay(&mut self, mode: Mode) -> Result<(), String> {
        self.replays += 1;
        let id = self.replays;
        let replays = self.replays().ok_or("there is no run to go back in")?;
        let follower = replays.begin(id, mode)?;
        self.leave_past();
        self.leave_stop();
        self.past = Some(follower);
        Ok(())
    }

    /// Whether there is a program whose run has not begun.
    fn is_launched_only(&self) -> bool {
        self.program.is_some() && self.live.is_none() && self.kept.is_none()
    }

    /// Begins what the client has launched, now that it has set where to stop.
    fn begin(&mut self) -> Result<(), String> {
        let program = self.program.as_ref().ok_or("nothing was launched")?;
        // A second run would do once more what the first one does.
        if !self.is_launched_only() {
            return Err("the run has begun already".to_owned());
        }
        if self.launch.run.is_some() {
            return self.begin_kept();
        }
        let pauses = Arc::<Pauses>::default();
        let mode = match self.launch.stop_on_entry {
            true => Mode::Entry,
            false => Mode::Go { until: NEVER },
        };
        let follower = Follower::new(
            0,
            mode,
            Arc::clone(&self.breakpoints),
            self.heard.clone(),
            Some(Arc::clone(&pauses)),
        );
        let live = self.launch.begin(program, follower, pauses, &self.heard)?;
        self.runs.push(Arc::clone(live.canceller.run()));
        self.live = Some(live);
        Ok(())
    }

    /// Starts on a stored run.
    fn begin_kept(&mut self) -> Result<(), String> {
        let recorded = self.remember()?;
        if self.launch.stop_on_entry {
            return self.replay(Mode::Entry);
        }
        if self.following.is_some() {
            return self.go_to(recorded, Because::Present);
        }
        self.replay(Mode::Go { until: recorded })
    }

    /// Reads the run that is kept as far as it has come, and returns the last point of it.
    fn remember(&mut self) -> Result<u64, String> {
        let program = self.program.as_ref().ok_or("nothing was launched")?;
        let mode = Mode::Scan {
            until: NEVER,
            wanted: Wanted::Nothing,
        };
        let breakpoints = Arc::clone(&self.breakpoints);
        let follower = Follower::new(0, mode, breakpoints, self.heard.clone(), None);
        let kept = self.launch.remember(program, Arc::clone(&follower))?;
        // `newest` is another one when the next one begins.
        self.launch.run = Some(kept.id.clone());
        self.kept = Some(kept);
        self.recording = follower.recording();
        let Some(recorded) = self.recording.as_ref().map(|_| follower.last()) else {
            return Err("the run has come to no statement".to_owned());
        };
        self.ended_at = Some(recorded);
        Ok(recorded)
    }

    /// Continues from where it is paused.
    fn go(&mut self, mode: Mode) -> Result<(), String> {
        if self.stopped.is_none() {
            return Err("the program is not paused".to_owned());
        }
        let follower = self.current().cloned().ok_or("nothing runs")?;
        if self.past.is_none() {
            self.present = None;
        }
        self.leave_stop();
        if let Some(following) = &mut self.following {
            following.wants(&mode);
        }
        follower.go(mode);
        Ok(())
    }

    fn step(&mut self, how: How) -> Result<(), String> {
        let at = self.stopped.clone().ok_or("the program is not paused")?;
        let until = self.until();
        let follower = self.current().ok_or("nothing runs")?;
        let known = follower.look(|run| {
            let threads = run.debug_threads().into_iter();
            threads.map(|it| it.task).collect()
        });
        let step = Step {
            how,
            run: at.run,
            task: at.task,
            depth: at.depth,
            known: known.unwrap_or_default(),
        };
        self.go(Mode::Step { step, until })
    }

    /// Goes back to what was of interest last.
    fn back(&mut self, what: Back) -> Result<(), String> {
        let at = self.stopped.clone().ok_or("the program is not paused")?;
        let follower = self.current().ok_or("nothing runs")?;
        if !follower.is_main(&at.run) {
            return Err("only the main run can go back".to_owned());
        }
        if self.recording.is_none() {
            self.recording = follower.recording();
        }
        // A run that waits is after its last point.
        let until = at.point + u64::from(at.because == Because::Pause);
        let wanted = match what {
            Back::Step => Wanted::Statement {
                task: at.task,
                depth: at.depth,
            },
            Back::Continue => Wanted::Breakpoint,
        };
        let replays = self.replays().ok_or("there is no run to go back in")?;
        match (replays.scan(until, wanted)?, what) {
            (Some(point), Back::Step) => self.go_to(point, Because::Step),
            (Some(point), Back::Continue) => self.go_to(point, Because::Breakpoint(Why::Line)),
            (None, Back::Step | Back::Continue) => self.replay(Mode::Entry),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Back {
    Step,
    Continue,
}
