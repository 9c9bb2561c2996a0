//! Runs as OpenTelemetry traces, sent over OTLP/HTTP to where the standard variables of the environment say.
//!
//! Without these variables nothing of it exists. With them an observer makes a span of each node, and whatever the collector
//! does, a run neither waits nor fails: what could not be delivered is counted.

mod attribute;
mod batch;
mod identity;
mod names;
mod plain;
mod send;
mod settings;
mod span;
mod spans;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gsw_tree::event::Event;
use gsw_tree::observe::attached::{Attached, HowEnded, Patience};
use gsw_tree::observe::{Delivery, Observer, Observers, Replay};

use crate::environment::Environment;
use crate::telemetry::batch::Batches;
use crate::telemetry::settings::Settings;
use crate::telemetry::spans::Spans;

/// How often spans are sent that do not fill a batch. A guess: soon enough for a person who watches a dashboard.
const PULSE: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub struct Telemetry {
    attached: Attached,
    report: Arc<Mutex<Report>>,
    collector: String,
}

/// What happened to the spans.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeliveryReport {
    pub collector: String,
    /// How many spans the collector did not take.
    pub lost: u64,
    /// How many events were lost before they became spans.
    pub unseen: u64,
    /// Why, as far as that is known.
    pub why: Option<String>,
}

/// What is known of the spans at a moment.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Report {
    /// How many spans were begun so far.
    made: u64,
    /// Spans that the collector took.
    delivered: u64,
    /// The first thing that went wrong.
    why: Option<String>,
}

impl Telemetry {
    /// Starts to export if the environment says where to; what is wrong with it comes back as a sentence.
    ///
    /// # Errors
    /// When the environment asks for something that cannot be done.
    pub fn start(
        environment: &Environment,
        observers: &Observers,
        program: &str,
    ) -> Result<Option<Self>, String> {
        let Some(settings) = Settings::read(environment, program)? else {
            return Ok(None);
        };
        let collector = settings.collector();
        let report: Arc<Mutex<Report>> = Arc::default();
        let exporter = Exporter {
            spans: Spans::new(&settings),
            batches: Batches::new(settings),
            report: Arc::clone(&report),
            sent: Instant::now(),
        };
        let attached = observers
            .attach(
                "telemetry",
                Replay::All,
                Delivery::Lossy,
                Box::new(exporter),
            )
            .map_err(|error| format!("no trace is exported: {error}"))?;
        Ok(Some(Self {
            attached,
            report,
            collector,
        }))
    }

    /// Waits a little until everything is sent; the observers were closed before.
    #[must_use]
    pub fn finish(self) -> DeliveryReport {
        let ended = self.attached.finish(Patience::USUAL);
        let report = lock(&self.report).clone();
        let is_late = ended.how == HowEnded::Busy && report.why.is_none();
        DeliveryReport {
            collector: self.collector,
            lost: report.made.saturating_sub(report.delivered),
            unseen: ended.lost,
            why: report
                .why
                .or_else(|| is_late.then(|| "it takes too long to answer".to_owned())),
        }
    }
}

struct Exporter {
    spans: Spans,
    batches: Batches,
    report: Arc<Mutex<Report>>,
    sent: Instant,
}

impl Observer for Exporter {
    fn event(&mut self, event: &Arc<Event>) {
        self.spans.apply(event);
        lock(&self.report).made = self.spans.made();
        self.batches.add(self.spans.take_ended());
        if self.batches.is_full() {
            self.send();
        }
    }

    fn past(&mut self, event: &Arc<Event>) {
        self.spans.apply(event);
        // Those that ended then were sent then.
        let sent = self.spans.take_ended().len() as u64;
        let mut report = lock(&self.report);
        report.made = self.spans.made();
        report.delivered += sent;
    }

    fn pause(&mut self) {
        if self.sent.elapsed() >= PULSE || self.batches.is_full() {
            self.send();
        }
    }

    fn pulse(&self) -> Option<Duration> {
        Some(PULSE)
    }

    fn end(&mut self) {
        self.spans.end_all();
        self.batches.add(self.spans.take_ended());
        let report = Arc::clone(&self.report);
        self.batches.send_last(|sent| note(&report, sent));
    }
}

impl Exporter {
    fn send(&mut self) {
        self.sent = Instant::now();
        let report = Arc::clone(&self.report);
        self.batches.send(|sent| note(&report, sent));
    }
}

/// What happened to a batch.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Sent {
    /// How many spans were taken.
    taken: u64,
    why: Option<String>,
}

fn note(report: &Mutex<Report>, sent: Sent) {
    let mut report = lock(report);
    report.delivered += sent.taken;
    report.why = report.why.take().or(sent.why);
}

fn lock(report: &Mutex<Report>) -> MutexGuard<'_, Report> {
    // A panic between two lines above leaves nothing half done.
    report.lock().unwrap_or_else(PoisonError::into_inner)
}
