//! Runtime calls on the run's tree, its log, its events and its state.

use std::sync::Arc;

use gsw_abi::call::NodeKind;
use gsw_abi::types::TypeId;

use crate::event::{EventKind, JsonText, Level, TrustVerdict, Untrusted};
use crate::export::guard::calls;
use crate::node::{NewNode, NodeId, Status};
use crate::run::states::NewState;
use crate::run::{Run, keyed_call, reflection_log, undo, words};
use crate::value::string;

calls! {
    /// Enters a node, which becomes the current one: kind, name, input or 0.
    plain node_enter(run, kind, name, input) {
        let name = words::take_string(&mut run.heap, name);
        let input = words::take_json(&mut run.heap, input);
        u64::from(enter_here(run, NodeKind::numbered(kind), &name, input).0)
    }

    /// What the step that is about to begin was called before.
    plain node_was(run, name) {
        let name = words::take_string(&mut run.heap, name);
        run.progress.was(name);
        0
    }

    /// Waits for the tasks of the current node; raises the first error of a task that was not awaited.
    waiting node_join(run) {
        run.join()
    }

    /// Cancels the tasks of the current node and waits until they have ended.
    waiting node_abort(run) {
        run.abort()
    }

    /// Leaves the current node as completed, with its output or 0.
    plain node_complete(run, output) {
        let node = run.scheduler.current_node();
        keyed_call::close_keyed_call(run, node, Status::Completed);
        let output = words::take_json(&mut run.heap, output);
        go_to_parent(run);
        if run.progress.tree().node(node).kind == NodeKind::Workflow {
            undo::hand_over(run, node);
        }
        run.leave_node(node, Status::Completed, output);
        0
    }

    /// Leaves the current node as failed or cancelled, as the error says.
    plain node_fail(run, error) {
        let node = run.scheduler.current_node();
        keyed_call::close_keyed_call(run, node, Status::Failed);
        go_to_parent(run);
        run.fail_node(node, error);
        0
    }

    /// A program vouches for a value, for this reason.
    plain trust_noted(run, why) {
        let reason = words::take_string(&mut run.heap, why);
        let node = run.scheduler.current_node();
        let noted = Untrusted {
            tool: None,
            arguments: Vec::new(),
            verdict: TrustVerdict::Trusted,
            reason,
        };
        run.progress.emit(node, EventKind::Untrusted(Box::new(noted)));
        0
    }

    /// `log.…`: level, message, data or 0.
    plain log(run, level, message, data) {
        let message = words::take_string(&mut run.heap, message);
        let data = words::take_json(&mut run.heap, data).map(JsonText::from);
        if run.heap.is_cut() {
            return 0;
        }
        let node = run.scheduler.current_node();
        run.progress.log(node, Level::of(level), message.into(), data);
        0
    }

    plain emit(run, value) {
        let value = words::take_json(&mut run.heap, value).unwrap_or_else(|| "null".into()).into();
        if run.heap.is_cut() {
            return 0;
        }
        let node = run.scheduler.current_node();
        run.progress.emit(node, EventKind::Emit { value });
        0
    }

    /// A `state` variable begins: its type, its name, its cell.
    plain state_begin(run, ty, name, cell) {
        let new = NewState {
            node: run.scheduler.current_node(),
            ty: TypeId(ty as u32),
            name: string::text(name),
            cell,
        };
        run.states.begin(&mut run.heap, &mut run.progress, new);
        0
    }

    /// The `state` variable in a cell has another value.
    plain state_set(run, cell) {
        if run.heap.is_cut() {
            return 0;
        }
        run.states.change(&run.heap, &mut run.progress, cell);
        0
    }

    /// The `state` variable in a cell has more at its end.
    plain state_append(run, cell) {
        if run.heap.is_cut() {
            return 0;
        }
        run.states.extend(&run.heap, &mut run.progress, cell);
        0
    }

    /// The first value of a `state` variable: its type, name, value.
    raising state_revised(run, ty, name, value) {
        Ok(reflection_log::revised_state(run, TypeId(ty as u32), string::text(name), value))
    }
}

/// Enters a node below the current one. A tool that a model called, and a workflow that it asked for, finds its node there.
fn enter_here(run: &mut Run, kind: NodeKind, name: &str, input: Option<Arc<str>>) -> NodeId {
    let parent = run.scheduler.current_node();
    // Attempts and the like have no names of their own; a step has what was written, also when that is nothing.
    let name = if name.is_empty() && kind != NodeKind::Step {
        kind.name()
    } else {
        name
    };
    if kind == NodeKind::Tool && is_expected(run, parent) {
        run.progress.set_input(parent, input);
        run.tool_keys.open(run.scheduler.current(), parent);
        return parent;
    }
    if kind == NodeKind::Workflow && run.introspection.takes_up(parent) {
        run.progress.set_input(parent, input);
        return parent;
    }
    let node = run.enter_node(NewNode {
        parent,
        kind,
        name,
        index: None,
        status: Status::Running,
        input,
    });
    run.scheduler.go_to(node);
    match kind {
        NodeKind::Tool => run.tool_keys.open(run.scheduler.current(), node),
        NodeKind::Human | NodeKind::External => run.pause_budget_clocks(),
        NodeKind::Workflow
        | NodeKind::Step
        | NodeKind::Attempt
        | NodeKind::Task
        | NodeKind::Parallel
        | NodeKind::Iteration
        | NodeKind::Prompt
        | NodeKind::Reflection
        | NodeKind::Region
        | NodeKind::Hook
        | NodeKind::Undo => {}
    }
    node
}

/// Whether a node was made for the tool that is about to begin.
fn is_expected(run: &Run, node: NodeId) -> bool {
    let task = run.scheduler.task(run.scheduler.current());
    let it = run.progress.tree().node(node);
    task.base == node && it.kind == NodeKind::Tool && it.input.is_none()
}

/// The current task leaves its node, but never the one that it is itself.
fn go_to_parent(run: &mut Run) {
    let kind = run.progress.tree().node(run.scheduler.current_node()).kind;
    if matches!(kind, NodeKind::Human | NodeKind::External) {
        run.resume_budget_clocks();
    }
    let task = run.scheduler.task(run.scheduler.current());
    if task.node != task.base {
        let parent = run.progress.tree().node(task.node).parent;
        run.scheduler.go_to(parent);
    }
}
