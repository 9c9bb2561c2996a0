//! Drives a run by the real carrier with a clock, an order of threads and performers that are drawn from a seed.
//!
//! At each step one thing happens, chosen by the seed: a turn runs, an operation ends, time passes until something is due, the
//! run is cancelled or stopped. Operations end in any order, fail, panic while they are begun or performed, end with what
//! their request cannot have, are lost, or end long after they were given up. Whatever happens, the run must end, once, and
//! leave nothing behind.

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gsw_engine::answers::Found;
use gsw_engine::answers::WhenBusy;
use gsw_engine::load::Loaded;
use gsw_engine::operation::{Failure, Outcome, Request};
use gsw_engine::run::Finished;

use crate::call::Call;
use crate::carrier::Carrier;
use crate::clock::Clock;
use crate::driver::Driver;
use crate::perform::{Handle, Outlet, Perform};
use crate::scripted::{Answer, Around, Entry, World, drawn};
use crate::threads::{Jobs, Threads};
use crate::timer::{Timer, Waker};
use crate::turn_threads::TurnThreads;
use crate::work::Completion;

/// A run that needs more steps than this hangs.
const MOST_STEPS: u64 = 2_000_000;

/// What may happen to a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Weather {
    /// Operations end well, in any order.
    Fair,
    /// They fail, panic, are lost and come late as well.
    Foul,
    /// All of these, and the run is cancelled at some point, and possibly stopped.
    Cancelled,
}

/// How a simulated run went.
#[derive(Debug)]
pub struct Simulated {
    pub finished: Box<Finished>,
    /// How many steps it took.
    pub steps: u64,
}

/// Why a simulation is not as it should be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wrong {
    /// Nothing can happen any more, and the run has not ended.
    Hangs,
    /// It was still running after the most turns a simulation takes.
    NoEnd,
    /// Its end was reported more than once.
    EndsTwice,
    /// The thread that simulated it panicked.
    Panics,
}

/// Simulates one run, on a thread with a stack as deep as turns need.
///
/// # Errors
/// When the driver is at fault.
pub fn simulate(
    loaded: &Arc<Loaded>,
    around: &Around,
    entry: Entry,
    answer: Option<Answer>,
    seed: u64,
    weather: Weather,
) -> Result<Simulated, Wrong> {
    let (loaded, around) = (Arc::clone(loaded), around.clone());
    // On the threads that real turns use, so that deep recursion ends as it does there.
    let simulated = TurnThreads::shared().wait_for(move || {
        let simulation = Simulation::new(&loaded, &around, answer, seed, weather);
        simulation.carry(entry)
    });
    simulated.unwrap_or(Err(Wrong::Panics))
}

struct Simulation {
    carrier: Arc<Carrier>,
    timer: Arc<Timer>,
    now: Arc<AtomicI64>,
    jobs: Jobs,
    stage: Arc<Stage>,
    world: World,
    ends: Receiver<Box<Finished>>,
    random: u64,
    weather: Weather,
    /// Steps until the run is cancelled, and then until it is stopped.
    to_cancel: Option<u64>,
    to_stop: Option<u64>,
}

/// What is performed, as the simulation sees it.
struct Stage {
    begun: Mutex<Vec<Begun>>,
    random: Mutex<u64>,
    weather: Weather,
}

struct Begun {
    request: Request,
    completion: Completion,
}

impl Perform for Stage {
    fn perform(&self, request: Request, _call: Call, outlet: Outlet) -> Handle {
        let chance = {
            let mut random = self.random.lock().unwrap_or_else(PoisonError::into_inner);
            drawn(&mut random) % 64
        };
        // The performer may be at fault, from the first line on.
        assert!(
            self.weather == Weather::Fair || chance > 0,
            "the simulation says so"
        );
        self.begun().push(Begun {
            request,
            completion: outlet.completion,
        });
        Handle::None
    }
}

impl Stage {
    fn begun(&self) -> MutexGuard<'_, Vec<Begun>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Clone, Copy)]
enum Step {
    Turn(usize),
    End(usize),
    Time(u64),
}

impl Simulation {
    fn new(
        loaded: &Arc<Loaded>,
        around: &Around,
        answer: Option<Answer>,
        seed: u64,
        weather: Weather,
    ) -> Self {
        let mut random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let now = Arc::new(AtomicI64::new(0));
        let clock = Clock::Virtual(Arc::clone(&now));
        let timer = Timer::new(clock.clone(), Waker::Caller);
        let jobs = Jobs::default();
        let stage = Arc::new(Stage {
            begun: Mutex::default(),
            random: Mutex::new(drawn(&mut random) | 1),
            weather,
        });
        let driver = Driver {
            clock,
            timer: Arc::clone(&timer),
            threads: Threads::Taken(jobs.clone()),
            performers: Box::new(Shared(Arc::clone(&stage))),
            active: AtomicUsize::new(0),
            idle: None,
        };
        let (sender, ends) = channel();
        let on_end = Box::new(move |finished| drop(sender.send(finished)));
        let carrier = Carrier::new(around.run(loaded), Arc::new(driver), None, on_end);
        let (to_cancel, to_stop) = match weather {
            Weather::Fair | Weather::Foul => (None, None),
            Weather::Cancelled => {
                let to_stop = drawn(&mut random) % 40;
                (
                    Some(drawn(&mut random) % 60),
                    (to_stop < 20).then_some(to_stop),
                )
            }
        };
        Self {
            carrier,
            timer,
            now,
            jobs,
            stage,
            world: World::new(loaded, around.clone(), answer, None),
            ends,
            random,
            weather,
            to_cancel,
            to_stop,
        }
    }

    fn carry(mut self, entry: Entry) -> Result<Simulated, Wrong> {
        self.carrier.enter(entry);
        for steps in 1..=MOST_STEPS {
            self.interfere();
            match self.choose() {
                Some(step) => self.take(step),
                None => return self.ended(steps),
            }
        }
        Err(Wrong::NoEnd)
    }

    fn ended(&self, steps: u64) -> Result<Simulated, Wrong> {
        let finished = self.ends.try_recv().map_err(|_| Wrong::Hangs)?;
        match self.ends.try_recv() {
            Ok(_) => Err(Wrong::EndsTwice),
            Err(_) => Ok(Simulated { finished, steps }),
        }
    }

    fn interfere(&mut self) {
        if let Some(left) = &mut self.to_cancel {
            *left = left.saturating_sub(1);
            if *left == 0 {
                self.to_cancel = None;
                self.carrier.cancel("the simulation says so");
            }
        } else if let Some(left) = &mut self.to_stop {
            *left = left.saturating_sub(1);
            if *left == 0 {
                self.to_stop = None;
                self.carrier.stop();
            }
        }
    }

    fn choose(&mut self) -> Option<Step> {
        let (turns, begun) = (self.jobs.len(), self.stage.begun().len());
        let due = self.timer.first();
        // Each with the same chance: orders that never occur on a real machine come up as often as the usual ones.
        let choices = turns + begun + usize::from(due.is_some());
        let place = (drawn(&mut self.random) as usize).checked_rem(choices)?;
        if place < turns {
            return Some(Step::Turn(place));
        }
        match due {
            Some(due) if place == turns + begun => Some(Step::Time(due)),
            _ => Some(Step::End(place - turns)),
        }
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Turn(place) => {
                if let Some(job) = self.jobs.take(place) {
                    job();
                }
            }
            Step::Time(due) => {
                let due = i64::try_from(due).unwrap_or(i64::MAX);
                self.now.fetch_max(due, Ordering::SeqCst);
                self.timer.wake_due();
            }
            Step::End(place) => {
                let begun = self.stage.begun().swap_remove(place);
                self.end(begun);
            }
        }
    }

    fn end(&mut self, begun: Begun) {
        // Some time passes over everything.
        let passed = (drawn(&mut self.random) % 5_000_000).cast_signed();
        let now = self.now.fetch_add(passed, Ordering::SeqCst);
        let Begun {
            request,
            completion,
        } = begun;
        let chance = match self.weather {
            Weather::Fair => u64::MAX,
            Weather::Foul | Weather::Cancelled => drawn(&mut self.random) % 32,
        };
        let outcome = match chance {
            // It is lost: its performer forgets it.
            0 => return drop(completion),
            1 => Outcome::GaveWay(vec!["the wrong kind".into()]),
            2 | 3 => Outcome::Failed(Failure::Other {
                message: "the simulation says so".into(),
            }),
            _ => self.world.outcome(&request, now),
        };
        let waits = matches!(
            request,
            Request::LookUp {
                when_busy: WhenBusy::Wait,
                ..
            }
        );
        if waits && outcome == Outcome::Found(Found::Busy) {
            self.stage.begun().push(Begun {
                request,
                completion,
            });
            return;
        }
        completion.deliver(outcome);
    }
}

/// The stage, which the simulation inspects from outside.
struct Shared(Arc<Stage>);

impl Perform for Shared {
    fn perform(&self, request: Request, call: Call, outlet: Outlet) -> Handle {
        self.0.perform(request, call, outlet)
    }
}
