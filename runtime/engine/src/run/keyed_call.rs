//! `idempotent by`: a second call of a tool with the same key in the same run gives the first result, also while the first is
//! still on its way.

use gsw_abi::program::{Repeat, ToolBody};
use gsw_abi::types::TypeId;

use crate::node::{NodeId, Status};
use crate::run::tool_key::{Earlier, Next, ToolKey};
use crate::run::{Run, deadlock, raise};
use crate::step::Step;
use crate::wait::Wait;

/// Before a call with this key: the result of an earlier one in a tuple of one, or `none`, and then the call is on its way.
pub(crate) fn begin_keyed_call(run: &mut Run, key: ToolKey, result: TypeId) -> Step {
    let current = run.scheduler.current();
    let owner = match run.tool_keys.begin(&key, current) {
        Earlier::Kept => return run.tool_keys.kept(&mut run.heap, &key, result).into(),
        Earlier::None => return Step::Done(0),
        Earlier::Busy(owner) => owner,
    };
    if let Some(error) = run.interruption() {
        return Step::Raised(error);
    }
    // `owner` may be the task itself, whose call has called the tool again; a wait for itself is no chain that the graph finds.
    let cycle = if owner == current {
        let ToolKey { tool: _, key } = &key;
        let message = format!("deadlock: the call with the key `{key}` waits for itself");
        Some(raise::failed(&mut run.heap, &message))
    } else {
        deadlock::cycle_error(run, owner)
    };
    if let Some(error) = cycle {
        return Step::Raised(error);
    }
    run.tool_keys.wait(key.clone(), current);
    run.scheduler.wait_for(Wait::Keyed {
        key: Box::new(key),
        result,
    })
}

/// Before a call without a key. Whatever way a `once` tool was reached, nothing around it is tried again: the compiler does not see
/// all that leads to one.
pub(crate) fn begin_once_call(run: &mut Run, tool: u64) {
    let tool = usize::try_from(tool)
        .ok()
        .and_then(|it| run.loaded.program.tools.get(it));
    let is_once = tool.is_some_and(|it| it.repeat == Repeat::Once && it.body == ToolBody::Program);
    if is_once {
        let node = run.scheduler.current_node();
        run.progress.forbid_repeats(node);
    }
}

/// A node ends: those who wait for its call get its result, or the next in line makes the call itself.
pub(crate) fn close_keyed_call(run: &mut Run, node: NodeId, status: Status) {
    match run.tool_keys.close(node, status) {
        Next::Give(key, waiting) => {
            for id in waiting {
                if let Wait::Keyed { result, .. } = run.scheduler.take_wait(id) {
                    let kept = run.tool_keys.kept(&mut run.heap, &key, result);
                    run.scheduler.wake(id, kept);
                }
            }
        }
        // A failed call has no result to share. One of those who waited tries, and the others go on waiting for that one.
        Next::CallAgain(next) => {
            run.scheduler.set_wait(next, Wait::Nothing);
            run.scheduler.wake(next, Ok(0));
        }
        Next::Nothing => {}
    }
}
