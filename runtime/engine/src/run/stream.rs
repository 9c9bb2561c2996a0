//! Streams: a task that runs a prompt, whose answer the program uses while it arrives.
//!
//! **Idea.** A stream is a task with one thing more: the loop that iterates over it is given parts of the answer before there
//! is a value. The text of an answer comes into the run only when the program waits for a part: then the run asks for what has
//! arrived since it last did (`Request::Piece`), an operation like any other, with an outcome that is recorded. So a run that
//! is replayed sees the same parts, nobody who asks for the whole answer alone pays for parts, and a program that is slow gets
//! fewer and larger ones.
//!
//! **Invariants.**
//! - A part is only ever added to (`growth`), until another attempt or turn of the model takes the place of what has come, or
//!   what has come turns out to be a draft; then `restarts` is one more.
//! - The last part is the whole answer, checked; after it comes the end. Where the prompt raises, its error comes instead.
//! - At most one piece is asked for at a time, and none without a waiter.
//! - Answers that are made up, scripted or kept are not waited for: what is made up or scripted is cut the same way each time,
//!   what is kept or mocked is one part.

mod growth;
pub(crate) mod reading;

use std::collections::VecDeque;

use gsw_abi::builtin::BuiltinError;
use gsw_abi::call::NodeKind;
use gsw_abi::layout::Frame;
use gsw_abi::types::{Type, TypeId};
use rustc_hash::FxHashMap;

use crate::compare;
use crate::event::{ArrivingCall, EventKind};
use crate::heap::Heap;
use crate::node::NodeId;
use crate::operation::{CallPart, OperationId, Outcome, Piece, Request};
use crate::run::operations::Purpose;
use crate::run::{Run, handles};
use crate::task::{Ending, NewTask, Role, State, TaskId};
use crate::value::{error, optional, string};
use crate::wait::Wait;

use growth::Growth;

/// A made-up or scripted answer is cut into this many pieces at most.
const MOST_PIECES: usize = 64;

/// The streams of a run, by their tasks.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    streams: FxHashMap<TaskId, Stream>,
}

#[derive(Debug, Default)]
struct Stream {
    /// The tasks that wait for a part, in order of arrival.
    readers: VecDeque<TaskId>,
    arriving: Option<Arriving>,
    /// What has come of a made-up answer and is not yet taken.
    pieces: VecDeque<String>,
    /// `None` before the first part is asked for.
    growth: Option<Growth>,
    restarts: u64,
    end: End,
}

/// An answer on its way.
#[derive(Debug)]
struct Arriving {
    answer: Answering,
    /// How many bytes of it have been taken.
    taken: u64,
    /// How many of them are its text.
    text: u64,
    /// How many of them are the arguments of each call in it.
    calls: FxHashMap<u32, u64>,
    /// The piece that is asked for.
    asked: Option<OperationId>,
}

/// The request whose answer is arriving.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answering {
    /// The request to the model.
    pub request: OperationId,
    /// The node of the prompt.
    pub node: NodeId,
    pub shown: Shown,
    /// Of the arguments of calls in it.
    pub shown_calls: Shown,
}

/// Whether observers may see a text while it arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shown {
    Text,
    /// It may hold what is hidden from them, which cannot be known before it is whole.
    Length,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum End {
    #[default]
    Open,
    /// Who asked for the result has the answer or the error. A loop may still be given parts.
    Known,
    /// The last part has been given.
    Given,
}

/// Starts a stream on a frame of its prompt's function, as a value of the type `ty`.
pub(crate) fn start(run: &mut Run, ty: TypeId, frame: *mut Frame) -> u64 {
    let Type::Stream(result) = *run.loaded.types.get(ty) else {
        unreachable!("a stream is of a stream type");
    };
    let owner = run.scheduler.current_node();
    let id = run.start_task(NewTask {
        frame,
        owner,
        kind: NodeKind::Task,
        name: "stream",
        index: None,
        input: None,
        role: Role::Spawned,
        result,
    });
    run.scheduler.task_mut(id).has_handle = true;
    run.streams.streams.insert(id, Stream::default());
    handles::handle_of(&mut run.heap, ty, id)
}

/// Where the answer of a stream continues, as a value of the optional type `result`; borrows the stream.
pub(crate) fn open(run: &mut Run, result: TypeId, stream: u64) -> Result<u64, u64> {
    let stream = run.streams.streams.get(&handles::task_of(stream));
    let growth = stream
        .filter(|it| it.end == End::Open)
        .and_then(|it| it.growth.as_ref());
    match growth.and_then(Growth::open) {
        Some(path) => {
            let path = string::admitted(&mut run.heap, &path)?;
            Ok(optional::some(&mut run.heap, result, path))
        }
        None => Ok(0),
    }
}

/// How often the parts of a stream have started over; borrows the stream.
pub(crate) fn restarts(run: &Run, stream: u64) -> u64 {
    let stream = run.streams.streams.get(&handles::task_of(stream));
    stream.map_or(0, |it| it.restarts)
}

/// A task waits for a part no more; `wait`, which was taken from it, is given up.
pub(crate) fn leave(run: &mut Run, task: TaskId, handle: u64) {
    if let Some(stream) = run.streams.streams.get_mut(&handles::task_of(handle)) {
        stream.readers.retain(|it| *it != task);
    }
    run.heap.release(handle);
}

impl Streams {
    /// The program has the answer of a stream, or its error, otherwise than as its last part: nothing more comes.
    pub(crate) fn answer_is_known(&mut self, id: TaskId) {
        if let Some(stream) = self.streams.get_mut(&id)
            && stream.end == End::Open
        {
            stream.end = End::Known;
        }
    }

    /// The stream of a task is given up with it.
    pub(crate) fn forget(&mut self, heap: &mut Heap, id: TaskId) {
        if let Some(growth) = self.streams.remove(&id).and_then(|it| it.growth) {
            growth.release(heap);
        }
    }

    /// Releases all partial values.
    pub(crate) fn release(&mut self, heap: &mut Heap) {
        for growth in self.streams.drain().filter_map(|it| it.1.growth) {
            growth.release(heap);
        }
    }
}

/// What the prompt of a stream says of its answer.
impl Run {
    /// The answer to a request begins to arrive.
    pub(crate) fn answer_arrives(&mut self, id: TaskId, answer: Answering) {
        if let Some(stream) = self.streams.streams.get_mut(&id) {
            stream.arriving = Some(Arriving::new(answer));
        }
        self.ask_for_piece(id);
    }

    /// The answer has arrived, or will not: parts of it that were not asked for are ignored.
    pub(crate) fn answer_is_over(&mut self, id: TaskId) {
        let stream = self.streams.streams.get_mut(&id);
        let arriving = stream.and_then(|it| it.arriving.take());
        if let Some(asked) = arriving.and_then(|it| it.asked) {
            self.operations.abandon(asked);
        }
    }

    /// An answer that no task has waited for is cut into pieces, the same each time.
    pub(crate) fn answer_in_pieces(&mut self, id: TaskId, node: NodeId, shown: Shown, text: &str) {
        if !self.streams.streams.contains_key(&id) {
            return;
        }
        let pieces: VecDeque<String> = pieces(text).map(str::to_owned).collect();
        let mut bytes = 0;
        for piece in &pieces {
            bytes += piece.len() as u64;
            self.report_piece(node, shown, piece, bytes, None);
        }
        self.begin_anew(id);
        if let Some(stream) = self.streams.streams.get_mut(&id) {
            stream.pieces = pieces;
        }
        self.serve_readers(id);
    }

    /// What was asked for of an answer has come.
    pub(super) fn take_piece(&mut self, id: TaskId, outcome: Outcome) {
        let Some(stream) = self.streams.streams.get_mut(&id) else {
            return;
        };
        let Some(arriving) = &mut stream.arriving else {
            return;
        };
        arriving.asked = None;
        let Outcome::Piece(piece) = outcome else {
            // Nothing comes before the whole answer, which still does.
            stream.arriving = None;
            return;
        };
        let arrived = match piece {
            Piece::More(arrived) => arrived,
            Piece::Anew(arrived) => {
                *arriving = Arriving::new(arriving.answer);
                arrived
            }
        };
        let begins = arriving.text == 0 && !arrived.text.is_empty();
        arriving.taken += arrived.bytes();
        arriving.text += arrived.text.len() as u64;
        let (answer, bytes) = (arriving.answer, arriving.text);
        for part in arrived.calls {
            self.take_part_of_call(id, part);
        }
        if !arrived.text.is_empty() {
            self.report_piece(answer.node, answer.shown, &arrived.text, bytes, None);
        }
        if begins {
            self.begin_anew(id);
        }
        self.feed(id, &arrived.text);
        self.serve_readers(id);
        self.ask_for_piece(id);
    }

    /// Notifies observers; what the program uses is the answer after the call.
    fn take_part_of_call(&mut self, id: TaskId, part: CallPart) {
        let stream = self.streams.streams.get_mut(&id);
        let Some(arriving) = stream.and_then(|it| it.arriving.as_mut()) else {
            return;
        };
        let bytes = arriving.calls.entry(part.call).or_default();
        *bytes += part.text.len() as u64;
        let (bytes, answer) = (*bytes, arriving.answer);
        let call = ArrivingCall {
            number: part.call,
            tool: part.tool.into(),
        };
        self.report_piece(
            answer.node,
            answer.shown_calls,
            &part.text,
            bytes,
            Some(call),
        );
    }

    /// The task of a stream has ended: a task that waits for a part is given the last one, or its error.
    pub(super) fn stream_ended(&mut self, id: TaskId) {
        if self.streams.streams.contains_key(&id) {
            self.answer_is_over(id);
            self.serve_readers(id);
        }
    }

    /// Parts are wanted, as values of the optional type `result`.
    fn prepare_parts(&mut self, id: TaskId, result: TypeId) {
        let types = self.heap.types().clone();
        let answer = self.scheduler.task(id).result;
        if let Some(stream) = self.streams.streams.get_mut(&id)
            && stream.growth.is_none()
        {
            let Type::Optional(ty) = *types.get(types.base(result)) else {
                unreachable!("a part may be missing");
            };
            stream.growth = Some(Growth::new(&types, answer, ty));
        }
    }

    /// The next part as a value of the optional type `result`, if there is one or there will be none.
    fn next_part(&mut self, id: TaskId, result: TypeId) -> Option<Result<u64, u64>> {
        loop {
            let stream = self.streams.streams.get_mut(&id)?;
            let growth = stream.growth.as_mut()?;
            if let Some(part) = growth.take_new(&self.heap) {
                // To a loop after `result()`.
                stream.end = End::Open;
                return Some(Ok(optional::some(&mut self.heap, result, part)));
            }
            let Some(piece) = stream.pieces.pop_front() else {
                break;
            };
            self.feed(id, &piece);
        }
        let task = self.scheduler.task(id);
        if task.state != State::Ended {
            return None;
        }
        Some(match task.ending {
            Some(Ending::Value(word)) => Ok(self.last_part(id, result, word)),
            Some(Ending::Error(raised)) => {
                self.streams.answer_is_known(id);
                // It need not be raised at the end of the node.
                self.scheduler.task_mut(id).is_observed = true;
                if self.scheduler.task(id).is_listed {
                    self.scheduler.unlist(id);
                }
                self.heap.retain(raised);
                Err(raised)
            }
            Some(Ending::Cancelled) | None => {
                Err(error::new(&mut self.heap, BuiltinError::Cancelled, &[0]))
            }
        })
    }

    /// The whole answer as a part, unless the last one has all of it; `none` after that.
    fn last_part(&mut self, id: TaskId, result: TypeId, word: u64) -> u64 {
        let answer = self.scheduler.task(id).result;
        let Some(stream) = self.streams.streams.get_mut(&id) else {
            return 0;
        };
        if std::mem::replace(&mut stream.end, End::Given) == End::Given {
            return 0;
        }
        let Some(growth) = stream.growth.take() else {
            return 0;
        };
        let (ty, before) = (growth.ty(), growth.word());
        let whole = growth::whole(self, answer, ty, word);
        let heap = &self.heap;
        let is_known = whole.is_some_and(|it| before != 0 && compare::equal(heap, ty, before, it));
        let refines = before == 0 || whole.is_some_and(|it| growth::refines(heap, ty, before, it));
        let contradicts = !refines;
        // For a task that asks again after the end.
        let anew = growth.anew(&self.loaded.types);
        growth.release(&mut self.heap);
        if let Some(stream) = self.streams.streams.get_mut(&id) {
            stream.restarts += u64::from(contradicts);
            stream.growth = Some(anew);
        }
        let Some(whole) = whole else {
            return 0;
        };
        if is_known {
            self.heap.release_typed(ty, whole);
            return 0;
        }
        optional::some(&mut self.heap, result, whole)
    }

    /// Hands parts to the tasks that wait for them, as long as there are any.
    fn serve_readers(&mut self, id: TaskId) {
        loop {
            let stream = self.streams.streams.get(&id);
            let Some(&reader) = stream.and_then(|it| it.readers.front()) else {
                return;
            };
            let Wait::Part { result, .. } = *self.scheduler.wait(reader) else {
                unreachable!("a reader waits for a part");
            };
            let Some(part) = self.next_part(id, result) else {
                return;
            };
            let Wait::Part { stream: handle, .. } = self.scheduler.take_wait(reader) else {
                unreachable!("it was waiting for a part");
            };
            if let Some(stream) = self.streams.streams.get_mut(&id) {
                stream.readers.pop_front();
            }
            self.scheduler.wake(reader, part);
            self.heap.release(handle);
        }
    }

    /// Adds a piece to what has come.
    fn feed(&mut self, id: TaskId, piece: &str) {
        // Taken out, because values are decoded by the run.
        let stream = self.streams.streams.get_mut(&id);
        let Some(mut growth) = stream.and_then(|it| it.growth.take()) else {
            return;
        };
        let before = growth.restarts();
        growth.feed(self, piece);
        match self.streams.streams.get_mut(&id) {
            Some(stream) => {
                stream.restarts += growth.restarts() - before;
                stream.growth = Some(growth);
            }
            None => growth.release(&mut self.heap),
        }
    }

    /// Another attempt, or another turn of the model, takes the place of what has come.
    fn begin_anew(&mut self, id: TaskId) {
        let Some(stream) = self.streams.streams.get_mut(&id) else {
            return;
        };
        let Some(growth) = stream.growth.take() else {
            return;
        };
        stream.growth = Some(growth.anew(&self.loaded.types));
        stream.restarts += u64::from(growth.word() != 0);
        growth.release(&mut self.heap);
    }

    /// Asks for what has arrived of the answer, if a task waits for it.
    fn ask_for_piece(&mut self, id: TaskId) {
        let Some(stream) = self.streams.streams.get_mut(&id) else {
            return;
        };
        let has_readers = !stream.readers.is_empty();
        let Some(arriving) = &mut stream.arriving else {
            return;
        };
        if !has_readers || arriving.asked.is_some() {
            return;
        }
        let request = Request::Piece {
            of: arriving.answer.request,
            taken: arriving.taken,
        };
        // At the node of the task and not of the prompt: how many pieces there are is to change no identity there.
        let node = self.scheduler.task(id).base;
        let asked = self.request_at(Purpose::Stream(id), node, None, request);
        if let Some(arriving) = self
            .streams
            .streams
            .get_mut(&id)
            .and_then(|it| it.arriving.as_mut())
        {
            arriving.asked = Some(asked);
        }
    }

    fn report_piece(
        &mut self,
        node: NodeId,
        shown: Shown,
        text: &str,
        bytes: u64,
        call: Option<ArrivingCall>,
    ) {
        let text = (shown == Shown::Text).then(|| text.into());
        self.progress
            .emit(node, EventKind::StreamDelta { text, bytes, call });
    }
}

impl Arriving {
    fn new(answer: Answering) -> Self {
        Self {
            answer,
            taken: 0,
            text: 0,
            calls: FxHashMap::default(),
            asked: None,
        }
    }
}

/// A text cut after words and commas, into a bounded number of pieces.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let least = text.len().div_ceil(MOST_PIECES).max(1);
    let mut rest = text;
    std::iter::from_fn(move || {
        let bytes = rest.as_bytes();
        bytes.first()?;
        let ends = |at: &usize| {
            let before = bytes[at - 1];
            (before.is_ascii_whitespace() || before == b',') && !bytes[*at].is_ascii_whitespace()
        };
        let end = (least..rest.len()).find(ends).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}
