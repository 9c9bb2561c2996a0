//! `idempotent by`: a second call of a tool with the same key in the same run gives the first result, also while the first is
//! still on its way.

use gsw_abi::program::{Repeat, ToolBody};
use gsw_abi::types::TypeId;
use serde_json::Value;

use crate::arguments::Arguments;
use crate::codec;
use crate::heap::Heap;
use crate::node::{NodeId, Status};
use crate::run::tool_key::{Earlier, Next, ToolKey};
use crate::run::{Run, deadlock, raise};
use crate::step::Step;
use crate::wait::Wait;

/// Before a call with this key: the result of an earlier one in a tuple of one, or `none`, and then the call is on its way.
pub(crate) fn begin_keyed_call(
    run: &mut Run,
    key: ToolKey,
    given: Arguments,
    result: TypeId,
) -> Step {
    let current = run.scheduler.current();
    let owner = match run.tool_keys.begin(&key, current) {
        Earlier::None => {
            run.tool_keys.note(key, given);
            return Step::Done(0);
        }
        Earlier::Kept => {
            let node = run.scheduler.current_node();
            warn_of_others(run, node, &key, &given);
            return run.tool_keys.kept(&mut run.heap, &key, result).into();
        }
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
        given,
        result,
    })
}

/// A key that is given again with other arguments is most often one that was to depend on them.
fn warn_of_others(run: &mut Run, node: NodeId, key: &ToolKey, given: &Arguments) {
    if let Some(differing) = run.tool_keys.differing(key, given) {
        let message = format!(
            "`{}` was called with the key {:?} before, and there {differing} had a different value: the call returns the earlier result",
            name_of(run, key.tool),
            key.key
        );
        run.progress.warn(node, message);
    }
}

/// What a call is given; takes the word over.
pub(crate) fn take_arguments(heap: &mut Heap, arguments: u64) -> Arguments {
    let tree = codec::json_to_tree(arguments).unwrap_or(Value::Null);
    heap.release(arguments);
    tree.as_object().map(Arguments::of).unwrap_or_default()
}

fn name_of(run: &Run, tool: u64) -> &str {
    let tools = &run.loaded.program.tools;
    let tool = usize::try_from(tool).ok().and_then(|it| tools.get(it));
    tool.map_or("", |it| &it.name)
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

/// A node ends: the tasks that wait for its call get its result, or the next in line makes the call itself.
pub(crate) fn close_keyed_call(run: &mut Run, node: NodeId, status: Status) {
    match run.tool_keys.close(node, status) {
        Next::Give(key, waiting) => {
            for id in waiting {
                if let Wait::Keyed { given, result, .. } = run.scheduler.take_wait(id) {
                    // Only now is it known that the call gets that result.
                    let waits_in = run.scheduler.task(id).node;
                    warn_of_others(run, waits_in, &key, &given);
                    let kept = run.tool_keys.kept(&mut run.heap, &key, result);
                    run.scheduler.wake(id, kept);
                }
            }
        }
        // A failed call has no result to share. One of the waiting tasks tries, and the others wait for that one.
        Next::CallAgain(next) => {
            if let Wait::Keyed { key, given, .. } = run.scheduler.take_wait(next) {
                run.tool_keys.note(*key, given);
            }
            run.scheduler.set_wait(next, Wait::Nothing);
            run.scheduler.wake(next, Ok(0));
        }
        Next::Nothing => {}
    }
}
