//! Runtime calls of programs that are compiled for their tests.

use gsw_abi::builtin::{self, BuiltinError};
use gsw_abi::types::TypeId;
use gsw_tree::class::Class;
use serde_json::Value;

use crate::codec;
use crate::export::guard::calls;
use crate::operation::{MockedCall, Request};
use crate::run::script::Script;
use crate::run::{MocksInTests, Run, words};
use crate::step::Step;
use crate::value::{error, string};

calls! {
    /// A mock replaces an item: the item's number, closure, list.
    plain mock_set(run, item, closure, given) {
        run.mocks.set(item, closure, given) as u64
    }

    /// The closure of the item's mock of this index, or 0: the item's number, index.
    plain mock_at(run, item, index) {
        let closure = run.mocks.closure(item, index as usize).unwrap_or(0);
        if closure != 0 {
            run.heap.retain(closure);
        }
        closure
    }

    plain mock_turn(run, item, index) {
        run.mocks.turn(item, index as usize)
    }

    plain mock_given(run, item, index, given) {
        run.mocks.keep_given(&mut run.heap, item, index as usize, given);
        0
    }

    /// Before a mock answers: result type, how the item may be repeated, its name, the arguments.
    waiting mock_called(run, result, repeat, name, arguments) {
        let item = words::take_string(&mut run.heap, name);
        let input = codec::encode_redacted(&run.heap, builtin::JSON, arguments);
        run.heap.release(arguments);
        let call = Box::new(MockedCall { item, input, class: class_of(repeat) });
        let request = Request::Mocked { call };
        match run.mocks.calls() {
            MocksInTests::Inside => {
                if request.may_act() {
                    run.progress.note_act(run.scheduler.current_node());
                }
                Step::Done(0)
            }
            MocksInTests::Performed => run.perform_for(request, TypeId(result as u32)),
        }
    }

    plain mock_count(run, item, index) {
        run.mocks.answered(item, index as usize)
    }

    object mock_arguments(run, item, index) {
        let given = run.mocks.given(item, index as usize);
        run.heap.retain(given);
        given
    }

    plain mock_agent(run, agent, turns) {
        let agent = agent as u32;
        let name = run.loaded.program.agents.get(agent as usize);
        let name = name.map_or_else(String::new, |it| it.name.clone());
        let tree = codec::json_to_tree(turns).unwrap_or_default();
        run.heap.release(turns);
        run.mocks.add_script(agent, Script::new(name, &tree));
        0
    }

    /// Keeps a `json` that is compared with what was accepted before.
    plain snapshot(run, value) {
        let text = codec::encode_redacted(&run.heap, builtin::JSON, value);
        run.heap.release(value);
        run.mocks.take_snapshot(text);
        0
    }

    /// Raises, unless the call may reach a model or a script: the prompt's number, name, arguments, agent, index.
    raising prompt_unmocked(run, item, name, arguments, agent, prompt) {
        if run.models.reaches_models() || is_scripted(run, agent, prompt) {
            run.heap.release(name);
            run.heap.release(arguments);
            return Ok(0);
        }
        Err(unanswered(run, item, name, arguments))
    }

    /// Raises because a test calls what only a mock can answer: the item's number, its name, the arguments.
    raising unmocked(run, item, name, arguments) {
        Err(unanswered(run, item, name, arguments))
    }
}

/// How an item may be repeated, by the number that the compiler writes for it: that of a row of [`Class`].
fn class_of(repeat: u64) -> Class {
    match repeat {
        0 => Class::Pure,
        1 => Class::Reads,
        2 => Class::Idempotent,
        _ => Class::Once,
    }
}

/// Whether the agent of a prompt's call, by the call's own word for it and else by the prompt's declaration, has a script.
fn is_scripted(run: &Run, agent: u64, prompt: u64) -> bool {
    let given = (agent != 0).then(|| codec::json_to_tree(agent).unwrap_or_default());
    let given = given.as_ref().and_then(Value::as_u64);
    let given = given.and_then(|it| u32::try_from(it).ok());
    let declared = run.loaded.program.prompts.get(prompt as usize);
    let agent = given.or_else(|| declared.and_then(|it| it.agent));
    agent.is_some_and(|it| run.mocks.has_script(it))
}

/// The error of a call that nothing answers; the words are taken over.
fn unanswered(run: &mut Run, item: u64, name: u64, arguments: u64) -> u64 {
    let given = codec::encode_redacted(&run.heap, builtin::JSON, arguments);
    let answered = match run.mocks.count(item) {
        0 => "but no `mock` answers".to_owned(),
        1 => "and its `mock` does not match".to_owned(),
        count => format!("and none of its {count} mocks matches"),
    };
    let message = format!(
        "`{}` is called with {given}, {answered}",
        string::text(name)
    );
    run.heap.release(name);
    run.heap.release(arguments);
    run.mocks.report_unmocked(&message);
    let message = string::new(&mut run.heap, &message);
    error::new(&mut run.heap, BuiltinError::AssertionFailed, &[message])
}
