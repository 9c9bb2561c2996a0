//! How a loop over a stream gets the next part.
//!
//! Apart from the streams themselves, because waiting tasks are searched for cycles, and the waits know the streams.

use gsw_abi::types::TypeId;

use crate::run::{Run, deadlock, handles};
use crate::step::Step;
use crate::wait::Wait;

/// The next part of a stream, which is taken over, as a value of the optional type `result`; `none` after the last one.
pub(crate) fn next(run: &mut Run, result: TypeId, stream: u64) -> Step {
    let id = handles::task_of(stream);
    run.prepare_parts(id, result);
    if let Some(part) = run.next_part(id, result) {
        run.heap.release(stream);
        return part.into();
    }
    if let Some(error) = run
        .interruption()
        .or_else(|| deadlock::cycle_error(run, id))
    {
        run.heap.release(stream);
        return Step::Raised(error);
    }
    let current = run.scheduler.current();
    if let Some(stream) = run.streams.streams.get_mut(&id) {
        stream.readers.push_back(current);
    }
    run.ask_for_piece(id);
    run.scheduler.wait_for(Wait::Part { stream, result })
}
