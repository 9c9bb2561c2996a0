//! What a test's runs find outside: the same for the same seed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gsw_engine::answers::{Found, KeptAnswer};
use gsw_engine::load::Loaded;
use gsw_engine::media::Media;
use gsw_engine::operation::{DetachedStart, Failure, Outcome, Request};
use gsw_engine::run::RunResult;

use crate::call::Call;
use crate::carrier::arriving::no_piece;
use crate::compile;
use crate::engine::runs::identity::{Given, given, unfit};
use crate::permissions::Permissions;
use crate::scripted::{Answer, Around, Driver, Entry};
use crate::tape::{Played, Tape};

/// Where the random numbers of programs begin.
const SEED: u64 = 0x2545_F491_4F6C_DD1D;

/// The most detached runs of a test of which each was started by the one before: each is carried inside of that.
const DEEPEST: usize = 50;

/// The outside of a test.
pub(crate) struct World {
    loaded: Arc<Loaded>,
    permissions: Permissions,
    around: Around,
    answer: Option<Answer>,
    /// One operation in this many fails.
    fail_every: Option<u64>,
    performed: u64,
    random: u64,
    detached: Arc<Mutex<Detached>>,
    /// How many detached runs this one is inside of.
    depth: usize,
}

/// The detached runs of a test, those that they have started among them.
#[derive(Default)]
struct Detached {
    /// Those that have ids.
    named: BTreeMap<String, Given>,
    /// Why they would never all have ended.
    endless: Option<String>,
}

impl World {
    pub(crate) fn new(
        loaded: &Arc<Loaded>,
        around: Around,
        answer: Option<Answer>,
        fail_every: Option<u64>,
    ) -> Self {
        Self {
            loaded: Arc::clone(loaded),
            permissions: Permissions::of(&loaded.program),
            around,
            answer,
            fail_every,
            performed: 0,
            random: SEED,
            detached: Arc::default(),
            depth: 0,
        }
    }

    /// The outside of a run that this one detaches.
    pub(crate) fn inside_of(self, outer: &Self) -> Self {
        Self {
            detached: Arc::clone(&outer.detached),
            depth: outer.depth + 1,
            ..self
        }
    }

    /// What comes in the place of a model's answer; `None` for what no tape has a say in.
    pub(crate) fn played(&self, request: &Request) -> Option<Played> {
        if let (Request::Model { request, .. }, Tape::Plays(player)) =
            (request, &self.around.receivers.tape)
        {
            return Some(player.play(request));
        }
        None
    }

    /// The outcome of a request at this time.
    pub(crate) fn outcome(&mut self, request: &Request, now: i64) -> Outcome {
        self.performed += 1;
        let is_sleep = matches!(request, Request::Sleep { .. });
        let must_fail = self
            .fail_every
            .is_some_and(|every| self.performed.is_multiple_of(every));
        // Time always passes.
        if must_fail && !is_sleep {
            return Outcome::Failed(Failure::Other {
                message: "the test says so".into(),
            });
        }
        let known = self.answer.as_mut().and_then(|answer| answer(request));
        known.unwrap_or_else(|| self.own_outcome(request, now))
    }

    /// The outcome of a request that was performed before, in a life of its run that ended then.
    pub(crate) fn outcome_again(&mut self, request: &Request, now: i64) -> Outcome {
        let performed = self.performed;
        let outcome = self.outcome(request, now);
        self.performed = performed;
        outcome
    }

    fn own_outcome(&mut self, request: &Request, now: i64) -> Outcome {
        match request {
            Request::Sleep { .. } => Outcome::Done,
            Request::Piece { .. } => no_piece(),
            Request::Scripted { outcome } => Outcome::Model(outcome.clone()),
            Request::Mocked { .. } => Outcome::Done,
            Request::Now => Outcome::Time(now),
            Request::Random => {
                Outcome::Float((drawn(&mut self.random) >> 11) as f64 / (1_u64 << 53) as f64)
            }
            Request::RandomInt { low, .. } => Outcome::Int(*low),
            Request::StartRun { start } => self.detach(start),
            Request::Uuid => {
                Outcome::Text(format!("00000000-0000-4000-8000-{:012x}", self.performed))
            }
            Request::EnvGet { .. } => Outcome::OptionalText(None),
            Request::LookUp { what, .. } => Outcome::Found(match &self.around.receivers.answers {
                Some(answers) => answers.look_up(what, &call()),
                None => Found::Miss,
            }),
            Request::Keep { answer } => {
                let answers = self.around.receivers.answers.as_ref();
                let answer = KeptAnswer::clone(answer);
                let gave_way = answers.map(|it| it.keep(answer, &call()));
                Outcome::GaveWay(gave_way.unwrap_or_default())
            }
            Request::Compile { written } => {
                compile::compiled(self.loaded.plans.as_deref(), written)
            }
            Request::MediaUrl { media } => self.permissions.admit_media(Media::clone(media)),
            Request::Human { question } => Outcome::Failed(Failure::Declined {
                reason: format!("a test has nobody to ask: mock `{}`", question.human),
            }),
            Request::External { external } => Outcome::Failed(Failure::Declined {
                reason: format!("a test has no outside: mock `{}`", external.name),
            }),
            Request::OtherRun { run, .. } => Outcome::Failed(Failure::Other {
                message: format!("a test knows no run `{run}`: mock what asks for it"),
            }),
            Request::Mcp { request } => Outcome::Failed(Failure::Mcp {
                server: request.server(),
                message: "a test has no servers: mock what calls it".into(),
            }),
            Request::Host { tool, .. } => Outcome::Failed(Failure::Tool {
                tool: tool.clone(),
                message: "a test has no host: mock the tool".into(),
            }),
            Request::FsRead { .. }
            | Request::FsReadBytes { .. }
            | Request::FsWrite { .. }
            | Request::FsWriteBytes { .. }
            | Request::FsAppend { .. }
            | Request::FsExists { .. }
            | Request::FsList { .. }
            | Request::FsGlob { .. }
            | Request::FsRemove { .. }
            | Request::FsMakeDir { .. }
            | Request::Model { .. }
            | Request::Exec { .. }
            | Request::Http { .. } => self.permissions.perform_admitted(request),
        }
    }

    fn detached(&self) -> MutexGuard<'_, Detached> {
        // Nothing that can panic runs while the lock is held.
        self.detached.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The outside that runs begin with.
    pub(crate) fn around(&self) -> &Around {
        &self.around
    }

    /// Runs a detached run to its end, in its own time; one of an id once.
    fn detach(&mut self, start: &DetachedStart) -> Outcome {
        if self.depth == DEEPEST {
            let why = format!(
                "{DEEPEST} detached runs have started one another, and a test ends when all have: mock `{}`",
                start.workflow
            );
            self.detached().endless = Some(why.clone());
            return Outcome::Failed(Failure::Other { message: why });
        }
        if let Some(id) = &start.id {
            let wanted = Given::to(start);
            if let Some(refused) = unfit(id) {
                return refused;
            }
            let named = &mut self.detached().named;
            match named.get(id) {
                Some(earlier) => return given(id, &wanted, Some(earlier)),
                None => named.insert(id.clone(), wanted),
            };
        }
        let entry = Entry::Detached(Box::new(start.clone()));
        let id = match &start.id {
            Some(id) => id.clone(),
            None => format!("detached-{}", self.performed),
        };
        let driver = Driver::detached(&id, &self.loaded, self);
        let report = driver.carry(&entry);
        if let Some(message) = self.detached().endless.clone() {
            return Outcome::Failed(Failure::Other { message });
        }
        let trouble = match report.map(|it| it.finished) {
            None => Some("it does not end".to_owned()),
            Some(finished) => match (finished.fault, finished.result) {
                (Some(message), _) | (None, RunResult::Internal(message)) => Some(message),
                (
                    None,
                    RunResult::Value(_)
                    | RunResult::Raised(_)
                    | RunResult::Cancelled
                    | RunResult::InvalidInput(_)
                    | RunResult::Left(_),
                ) => None,
            },
        };
        match trouble {
            Some(message) => Outcome::Failed(Failure::Other {
                message: format!("the detached run of `{}`: {message}", start.workflow),
            }),
            None => Outcome::Text(id),
        }
    }
}

/// The caller under which tests look up answers.
fn call() -> Call {
    Call {
        run: "scripted".into(),
        ..Call::alone()
    }
}

/// The next word of a test's random numbers (xorshift64*).
pub(crate) fn drawn(state: &mut u64) -> u64 {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    state.wrapping_mul(0x2545_F491_4F6C_DD1D)
}
