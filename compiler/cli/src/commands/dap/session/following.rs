//! Follows a run of another process: the part in the store is replayed here, and the rest is waited for. The run itself is
//! never paused.

use std::sync::Arc;

use super::Session;
use crate::commands::dap::Heard;
use crate::commands::dap::follower::{Because, Mode};

/// What is waited for of a run of another process.
#[derive(Debug, Default)]
pub struct Following {
    goal: Goal,
    /// How often it was waited for.
    waits: u64,
    /// Held while it is waited for.
    waiting: Option<Arc<()>>,
}

/// Where one wants to be when the run has come further.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Goal {
    #[default]
    Breakpoint,
    Statement,
}

impl Following {
    /// Notes how the client continues.
    pub fn wants(&mut self, mode: &Mode) {
        self.goal = match mode {
            Mode::Step { .. } => Goal::Statement,
            Mode::Go { .. }
            | Mode::Resume { .. }
            | Mode::Entry
            | Mode::To { .. }
            | Mode::Scan { .. }
            | Mode::GiveUp => Goal::Breakpoint,
        };
    }
}

impl Session {
    /// Whether the run that is followed has not ended, as far as is known.
    pub(super) fn may_come_further(&self) -> bool {
        let kept = self.kept.as_ref().filter(|_| self.following.is_some());
        kept.is_some_and(|it| it.result.is_none())
    }

    /// Waits until the run that is followed comes further; `false` when it cannot.
    pub(super) fn waits_for_more(&mut self) -> bool {
        let (Some(following), Some(kept), Some(program)) =
            (&mut self.following, &self.kept, &self.program)
        else {
            return false;
        };
        if let Some(result) = kept.result.clone() {
            self.say_result(&result);
            return false;
        }
        following.waits += 1;
        let (wait, heard) = (following.waits, self.heard.clone());
        let waiting = Arc::new(());
        let tell = move || {
            // The receiver ends when the client has gone.
            let _ = heard.send(Heard::Further(wait));
        };
        let watched = self
            .launch
            .watch(program, kept, Arc::downgrade(&waiting), tell);
        following.waiting = Some(waiting);
        if let Err(why) = &watched {
            self.say("stderr", why);
        }
        watched.is_ok()
    }

    /// Resumes a run that has come further.
    pub(super) fn has_come_further(&mut self, wait: u64) {
        let Some(following) = &mut self.following else {
            return;
        };
        // It may have been paused meanwhile.
        if following.waits != wait || following.waiting.take().is_none() {
            return;
        }
        let goal = following.goal;
        let from = self.ended_at.unwrap_or_default();
        let replayed = self.remember().and_then(|_| match goal {
            Goal::Breakpoint => self.replay(Mode::Resume { from }),
            Goal::Statement => self.go_to(from + 1, Because::Step),
        });
        if let Err(why) = replayed {
            self.say("stderr", &why);
            self.is_over();
        }
    }

    /// Shows where the run that is waited for is; `None` when none is.
    pub(super) fn pause_waiting(&mut self) -> Option<Result<(), String>> {
        self.following.as_mut()?.waiting.take()?;
        Some(self.go_to_end())
    }

    /// Shows how far the run that is followed has come; `None` when that is its end, or it cannot be shown.
    pub(super) fn stand_at_end(&mut self) -> Option<()> {
        self.may_come_further().then_some(())?;
        self.go_to_end().ok()
    }

    fn go_to_end(&mut self) -> Result<(), String> {
        let point = self.ended_at.unwrap_or_default();
        self.go_to(point, Because::Pause)
    }
}
