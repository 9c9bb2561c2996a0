//! The outcomes of a run that is not in the store yet, in a compact encoding: most of them are never recorded.
//!
//! A run that draws a million numbers and needs no file must not pay for one. So what costs next to nothing to perform is kept
//! as its differences from what came before, some fifteen bytes each; identities and digests are made when a file is.

use gsw_abi::site::{NodePath, Site};
use gsw_engine::operation::{Operation, OperationId, Outcome, Request};
use gsw_engine::run::Interruption;
use gsw_journal::record::{Blob, Payload, Record};
use serde::{Deserialize, Serialize};

use crate::durable::asked::{Asked, Needs};
use crate::durable::noted::Noted;

/// What a record in memory costs besides its texts.
const RECORD: usize = 256;
/// What an entry takes at most: eight numbers of ten bytes, and the text of a UUID.
const ENTRY: usize = 128;

/// What a run asks for most, and what is cheap enough to do that keeping it must cost next to nothing.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(super) enum Common {
    Sleep(i64),
    Now,
    Random,
    RandomInt { low: i64, high: i64 },
    Uuid,
}

/// What a run that is not in the store yet waits for.
pub(super) enum Waiting {
    /// It needs a process until it has come.
    Common {
        site: Site,
        asks: Common,
    },
    Other(Box<Operation>),
}

/// The completions of a run, in order.
#[derive(Default)]
pub(super) struct Trail {
    /// Entries, one after the other.
    bytes: Vec<u8>,
    last: Last,
    /// What no entry can hold.
    others: Vec<Other>,
    /// About how many bytes these take.
    weight: usize,
}

/// What an entry says by its difference.
#[derive(Clone, Copy, Default)]
struct Last {
    id: u64,
    now: i64,
    path: NodePath,
}

#[derive(Serialize, Deserialize)]
enum Entry<'a> {
    Common {
        id: i64,
        now: i64,
        /// The new path, if it differs.
        path: Option<NodePath>,
        occurrence: u32,
        asks: Common,
        #[serde(borrow)]
        came: Came<'a>,
    },
    /// The next of the others.
    Other,
}

/// An outcome of what is common.
#[derive(Clone, Copy, Serialize, Deserialize)]
enum Came<'a> {
    Done,
    Time(i64),
    Float(f64),
    Int(i64),
    /// A UUID.
    Text(&'a str),
}

enum Other {
    Outcome {
        id: OperationId,
        of: Waiting,
        now: i64,
        outcome: Outcome,
    },
    Cancel {
        now: i64,
        reason: String,
    },
    Interrupt(Interruption),
}

impl Common {
    fn of(request: &Request) -> Option<Self> {
        Some(match *request {
            // A run that waits for long is found by it.
            Request::Sleep { nanoseconds } if Needs::of(request) == Needs::Process => {
                Self::Sleep(nanoseconds)
            }
            Request::Now => Self::Now,
            Request::Random => Self::Random,
            Request::RandomInt { low, high } => Self::RandomInt { low, high },
            Request::Uuid => Self::Uuid,
            Request::Sleep { .. }
            | Request::FsRead { .. }
            | Request::FsReadBytes { .. }
            | Request::FsWrite { .. }
            | Request::FsWriteBytes { .. }
            | Request::FsAppend { .. }
            | Request::FsExists { .. }
            | Request::FsList { .. }
            | Request::FsGlob { .. }
            | Request::FsRemove { .. }
            | Request::FsMakeDir { .. }
            | Request::EnvGet { .. }
            | Request::MediaUrl { .. }
            | Request::Model { .. }
            | Request::Piece { .. }
            | Request::Scripted { .. }
            | Request::Mocked { .. }
            | Request::LookUp { .. }
            | Request::Keep { .. }
            | Request::StartRun { .. }
            | Request::Exec { .. }
            | Request::Http { .. }
            | Request::Mcp { .. }
            | Request::Compile { .. }
            | Request::OtherRun { .. }
            | Request::Host { .. }
            | Request::Human { .. }
            | Request::External { .. } => return None,
        })
    }

    fn request(self) -> Request {
        match self {
            Self::Sleep(nanoseconds) => Request::Sleep { nanoseconds },
            Self::Now => Request::Now,
            Self::Random => Request::Random,
            Self::RandomInt { low, high } => Request::RandomInt { low, high },
            Self::Uuid => Request::Uuid,
        }
    }
}

impl Waiting {
    pub(super) fn of(operation: &Operation) -> Self {
        let site = operation.site;
        match Common::of(&operation.request) {
            Some(asks) => Self::Common { site, asks },
            None => Self::Other(Box::new(operation.clone())),
        }
    }

    pub(super) fn needs(&self) -> Needs {
        match self {
            Self::Common { .. } => Needs::Process,
            Self::Other(operation) => Needs::of(&operation.request),
        }
    }

    pub(super) fn asked(self, id: OperationId) -> Asked {
        match self {
            Self::Common { site, asks } => Asked::at(id, site, &asks.request()),
            Self::Other(operation) => Asked::of(&operation),
        }
    }
}

impl<'a> Came<'a> {
    fn of(outcome: &'a Outcome) -> Option<Self> {
        Some(match outcome {
            Outcome::Done => Self::Done,
            Outcome::Time(time) => Self::Time(*time),
            Outcome::Float(float) => Self::Float(*float),
            Outcome::Int(int) => Self::Int(*int),
            Outcome::Text(text) if text.len() <= ENTRY / 3 => Self::Text(text),
            Outcome::Text(_)
            | Outcome::Earlier { .. }
            | Outcome::Found(_)
            | Outcome::GaveWay(_)
            | Outcome::Bool(_)
            | Outcome::Json(_)
            | Outcome::OptionalText(_)
            | Outcome::Bytes(_)
            | Outcome::Texts(_)
            | Outcome::Media(_)
            | Outcome::Host { .. }
            | Outcome::Server(_)
            | Outcome::Piece(_)
            | Outcome::Model(_)
            | Outcome::Exec(_)
            | Outcome::Http(_)
            | Outcome::Human(_)
            | Outcome::Failed(_) => return None,
        })
    }

    fn outcome(self) -> Outcome {
        match self {
            Self::Done => Outcome::Done,
            Self::Time(time) => Outcome::Time(time),
            Self::Float(float) => Outcome::Float(float),
            Self::Int(int) => Outcome::Int(int),
            Self::Text(text) => Outcome::Text(text.to_owned()),
        }
    }
}

impl Trail {
    pub(super) fn outcome(&mut self, id: OperationId, of: Waiting, outcome: &Outcome, now: i64) {
        if let (Waiting::Common { site, asks }, Some(came)) = (&of, Came::of(outcome)) {
            let last = std::mem::replace(
                &mut self.last,
                Last {
                    id: id.0,
                    now,
                    path: site.path,
                },
            );
            return self.enter(&Entry::Common {
                id: id.0.wrapping_sub(last.id).cast_signed(),
                now: now.wrapping_sub(last.now),
                path: Some(site.path).filter(|it| *it != last.path),
                occurrence: site.occurrence,
                asks: *asks,
                came,
            });
        }
        let outcome = outcome.clone();
        self.other(Other::Outcome {
            id,
            of,
            now,
            outcome,
        });
    }

    pub(super) fn cancel(&mut self, now: i64, reason: String) {
        self.other(Other::Cancel { now, reason });
    }

    pub(super) fn interrupt(&mut self, it: Interruption) {
        self.other(Other::Interrupt(it));
    }

    /// About how many bytes it takes.
    pub(super) fn weight(&self) -> usize {
        self.bytes.len() + self.weight
    }

    fn other(&mut self, other: Other) {
        self.weight += other.weight();
        self.others.push(other);
        self.enter(&Entry::Other);
    }

    fn enter(&mut self, entry: &Entry<'_>) {
        let mut room = [0; ENTRY];
        let entry = postcard::to_slice(entry, &mut room).expect("there is room for the longest");
        self.bytes.extend_from_slice(entry);
    }

    /// What is recorded of it, in order.
    pub(super) fn records(self) -> impl Iterator<Item = (Record, Option<Blob>)> {
        let (bytes, mut others) = (self.bytes, self.others.into_iter());
        let (mut at, mut last) = (0, Last::default());
        std::iter::from_fn(move || {
            if at == bytes.len() {
                return None;
            }
            let (entry, rest) =
                postcard::take_from_bytes(&bytes[at..]).expect("it was written by `enter`");
            at = bytes.len() - rest.len();
            match entry {
                Entry::Common {
                    id,
                    now,
                    path,
                    occurrence,
                    asks,
                    came,
                } => {
                    last = Last {
                        id: last.id.wrapping_add_signed(id),
                        now: last.now.wrapping_add(now),
                        path: path.unwrap_or(last.path),
                    };
                    let path = last.path;
                    let site = Site { path, occurrence };
                    let asked = Asked::at(OperationId(last.id), site, &asks.request());
                    Some(outcome_record(asked, &came.outcome(), last.now))
                }
                Entry::Other => others.next().map(Other::record),
            }
        })
    }
}

/// What is recorded of an interruption.
pub(super) fn interrupt_record(it: Interruption) -> Record {
    Record::Interrupt {
        now: it.cancellation.now,
        reason: it.cancellation.reason,
        before: it.before.0,
    }
}

impl Other {
    fn record(self) -> (Record, Option<Blob>) {
        match self {
            Self::Outcome {
                id,
                of,
                now,
                outcome,
            } => outcome_record(of.asked(id), &outcome, now),
            Self::Cancel { now, reason } => (Record::Cancel { now, reason }, None),
            Self::Interrupt(it) => (interrupt_record(it), None),
        }
    }

    /// About how many bytes it takes.
    fn weight(&self) -> usize {
        match self {
            Self::Outcome {
                outcome: Outcome::Text(text),
                ..
            } => RECORD + text.len(),
            Self::Outcome {
                outcome: Outcome::Bytes(bytes),
                ..
            } => RECORD + bytes.len(),
            Self::Outcome {
                outcome: Outcome::Texts(texts),
                ..
            } => RECORD + texts.iter().map(String::len).sum::<usize>(),
            Self::Outcome { .. } | Self::Cancel { .. } | Self::Interrupt(_) => RECORD,
        }
    }
}

pub(super) fn outcome_record(asked: Asked, outcome: &Outcome, now: i64) -> (Record, Option<Blob>) {
    let of = asked.of;
    let (outcome, blob) = Payload::of(Noted::encode(asked.what, outcome));
    (Record::Outcome { of, now, outcome }, blob)
}

#[cfg(test)]
mod tests {
    use gsw_abi::call::NodeKind;
    use gsw_abi::site::{NodePath, Site};
    use gsw_engine::operation::{Failure, Operation, OperationId, Outcome, Passing, Request};
    use gsw_journal::record::Record;
    use gsw_tree::class::Class;
    use gsw_tree::node::NodeId;

    use super::{Asked, Trail, Waiting, outcome_record};

    fn operation(id: u64, path: NodePath, request: Request) -> Operation {
        Operation {
            id: OperationId(id),
            node: NodeId(0),
            site: Site {
                path,
                occurrence: u32::MAX,
            },
            class: Class::Reads,
            due: None,
            within: None,
            passing: Passing::Always,
            request,
        }
    }

    /// Whatever the order of numbers and times, the same is written as if each had been written at once.
    #[test]
    fn what_was_kept_is_written_as_it_was_brought() {
        let step = NodePath::ROOT.child(NodeKind::Step, "a", 0);
        let path = || Request::FsRead { path: "a".into() };
        let failed = || Outcome::Failed(Failure::Stopped);
        let longest = Request::RandomInt {
            low: i64::MIN,
            high: i64::MAX,
        };
        let day = 86_400_000_000_000;
        let brought = [
            (u64::MAX, step, Request::Random, Outcome::Float(-0.0), 5),
            (0, step, longest.clone(), Outcome::Int(i64::MIN), i64::MIN),
            (1, step, longest, Outcome::Text("u".repeat(42)), i64::MAX),
            (2, NodePath::ROOT, Request::Now, Outcome::Time(7), 7),
            (3, step, path(), Outcome::Text("text".into()), 6),
            (4, step, Request::Uuid, Outcome::Text("u".repeat(500)), 6),
            (5, step, Request::Random, failed(), i64::MIN),
            (6, step, Request::Sleep { nanoseconds: 1 }, Outcome::Done, 0),
            (
                7,
                step,
                Request::Sleep { nanoseconds: day },
                Outcome::Done,
                day,
            ),
        ];
        let mut trail = Trail::default();
        let mut expected = Vec::new();
        for (id, path, request, outcome, now) in brought {
            let operation = operation(id, path, request);
            let of = Waiting::of(&operation);
            trail.outcome(operation.id, of, &outcome, now);
            expected.push(outcome_record(Asked::of(&operation), &outcome, now));
        }
        trail.cancel(8, "enough".into());
        let reason = "enough".into();
        expected.push((Record::Cancel { now: 8, reason }, None));
        assert_eq!(trail.records().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_number_that_is_drawn_takes_few_bytes() {
        let mut trail = Trail::default();
        let begun = 1_700_000_000_000_000_000;
        for id in 0..1_000 {
            let of = Waiting::of(&operation(id, NodePath::ROOT, Request::Random));
            let now = begun + 800 * id.cast_signed();
            trail.outcome(OperationId(id), of, &Outcome::Float(0.1), now);
        }
        assert!(trail.weight() < 24 * 1_000, "{}", trail.weight());
    }
}
