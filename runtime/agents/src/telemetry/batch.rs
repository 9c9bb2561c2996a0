//! Spans on their way to a collector: sent in batches, tried again when that may help, dropped oldest first when there is no room.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use opentelemetry_proto::tonic::trace::v1::Span;

use crate::telemetry::Sent;
use crate::telemetry::send::{Answer, Sender};
use crate::telemetry::settings::Settings;

/// How many spans are sent at once; the standard's own figure.
const BATCH: usize = 512;
/// How many spans may wait. A guess: some ten megabytes.
const MOST_WAITING: usize = 16_384;
/// How long a collector that cannot take anything is left alone at first, and at most.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

pub struct Batches {
    sender: Sender,
    waiting: VecDeque<Span>,
    /// Until when nothing is sent, and how long that pause is.
    pause: Option<(Instant, Duration)>,
}

impl Batches {
    pub const fn new(settings: Settings) -> Self {
        Self {
            sender: Sender::new(settings),
            waiting: VecDeque::new(),
            pause: None,
        }
    }

    /// Adds spans. Those that find no room take the place of the oldest, which are lost.
    pub fn add(&mut self, spans: Vec<Span>) {
        self.waiting.extend(spans);
        let surplus = self.waiting.len().saturating_sub(MOST_WAITING);
        self.waiting.drain(..surplus);
    }

    /// Whether there is enough to be sent.
    pub fn is_full(&self) -> bool {
        self.waiting.len() >= BATCH && !self.is_pausing()
    }

    fn is_pausing(&self) -> bool {
        self.pause.is_some_and(|(until, _)| Instant::now() < until)
    }

    /// Sends what waits, unless the collector is left alone at the moment.
    pub fn send(&mut self, mut report: impl FnMut(Sent)) {
        while !self.waiting.is_empty() && !self.is_pausing() {
            self.send_batch(&mut report);
        }
    }

    /// Sends what waits, each batch once.
    pub fn send_last(&mut self, mut report: impl FnMut(Sent)) {
        self.pause = None;
        self.send(&mut report);
        if !self.waiting.is_empty() {
            self.waiting.clear();
        }
    }

    fn send_batch(&mut self, report: &mut impl FnMut(Sent)) {
        let count = self.waiting.len().min(BATCH);
        let batch: Vec<Span> = self.waiting.drain(..count).collect();
        let (batch, answer) = self.sender.send(batch);
        match answer {
            Answer::Taken { rejected, why } => {
                self.pause = None;
                let taken = (batch.len() as u64).saturating_sub(rejected);
                report(Sent { taken, why });
            }
            Answer::Refused(why) => {
                self.pause = None;
                report(Sent {
                    taken: 0,
                    why: Some(why),
                });
            }
            Answer::Later { why, after } => {
                for span in batch.into_iter().rev() {
                    self.waiting.push_front(span);
                }
                let next = self
                    .pause
                    .map_or(FIRST_PAUSE, |it| (it.1 * 2).min(LONGEST_PAUSE));
                let wait = after.unwrap_or(next).min(LONGEST_PAUSE);
                self.pause = Some((Instant::now() + wait, next));
                report(Sent {
                    taken: 0,
                    why: Some(why),
                });
            }
        }
    }
}
