//! How a call comes into its session: after those that were there before it.
//!
//! Apart from the sessions themselves, because waiting tasks are searched for cycles, and the waits know the sessions.

use crate::heap::retain;
use crate::run::{Run, deadlock, raise};
use crate::step::Step;
use crate::task::TaskId;
use crate::wait::Wait;

/// Waits until no other call runs in the session, and holds it for the call that follows. Borrows the session.
pub(crate) fn enter(run: &mut Run, word: u64) -> Step {
    let current = run.scheduler.current();
    let Some(holder) = run.sessions.holder(word) else {
        run.sessions.get_mut(word).holder = Some(current);
        return Step::Done(0);
    };
    if let Some(error) = run.interruption() {
        return Step::Raised(error);
    }
    if let Some(error) = around(run, holder).or_else(|| deadlock::cycle_error(run, holder)) {
        return Step::Raised(error);
    }
    run.sessions.get_mut(word).waiting.push_back(current);
    // Its own share: the session exists as long as a task waits for it.
    retain(word);
    run.scheduler.wait_for(Wait::Session { session: word })
}

/// The error of a tool that asks in the session of the prompt which called it: that would wait for itself.
fn around(run: &mut Run, holder: TaskId) -> Option<u64> {
    let prompt = run.scheduler.task(holder).node;
    let tree = run.progress.tree();
    let mut around = tree.lineage(run.scheduler.current_node());
    if !around.any(|it| it == prompt) || !matches!(run.scheduler.wait(holder), Wait::Prompt(_)) {
        return None;
    }
    let message = format!(
        "deadlock: what the prompt `{}` has called asks in the session of that prompt; fork the session before",
        tree.name(prompt)
    );
    Some(raise::failed(&mut run.heap, &message))
}
