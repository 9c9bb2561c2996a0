//! Programs that a model writes: which prompts let it, and what happens to a text.
//!
//! Two calls of compiled code make one request. The first has the text checked, which is an operation, since it takes a
//! compiler's time and the outside may not have one. The second judges the request as a whole and runs the program. The outcome
//! names the image, so that a run that is replayed notices when its compiler makes something else of the text.

use gsw_abi::program::WRITTEN;
use gsw_abi::types::TypeId;
use serde_json::{Value, json};

use super::{Refusal, asking_prompt, refusal, report, unfit, unpacked};
use crate::node::NodeId;
use crate::operation::{Request, Written};
use crate::run::Run;
use crate::run::plans::{self, Admitted};
use crate::step::Step;
use crate::wait::Wait;

/// A model's request to run what it has written.
#[derive(Debug)]
pub(crate) struct WrittenRequest {
    pub source: String,
    /// The image that the compiler has made of it; empty where it has not.
    pub image: String,
    /// What is wrong with it; empty where nothing is.
    pub diagnostics: String,
    pub description: String,
    /// The parameters of its `main` by name.
    pub input: Value,
}

/// Has a text checked, if the model that asks may write any. Returns the record `Checked`.
pub(crate) fn check_written(run: &mut Run, result: TypeId, source: String) -> Step {
    let prompt = asking_prompt(run.progress.tree(), run.scheduler.current_node());
    if prompt.is_none_or(|it| may_write(run, it).is_err()) {
        // What follows says why.
        let nothing = json!({ "image": null, "diagnostics": null });
        return plans::record(run, result, &nothing).into();
    }
    run.front.expect_to_lead();
    let written = Box::new(written(run, source));
    run.perform_for(Request::Compile { written }, result)
}

/// Runs a written program, if that is allowed. Returns the record `Ran`.
pub(crate) fn run_written(run: &mut Run, result: TypeId, request: WrittenRequest) -> Step {
    if let Some(error) = run.interruption() {
        return Step::Raised(error);
    }
    let prompt = asking_prompt(run.progress.tree(), run.scheduler.current_node());
    let judged = match prompt {
        Some(prompt) => judge(run, prompt, &request).map(|it| (prompt, it)),
        None => Err(refusal(
            "not_allowed",
            "only a model may have a program run that it has written".into(),
        )),
    };
    let refused = judged.as_ref().err();
    report(
        run,
        prompt,
        plans::NAME.to_owned(),
        request.description,
        refused,
    );
    match judged {
        Err(it) => {
            let refusal = json!({ "code": it.code, "message": it.message, "path": it.path });
            let ran = json!({ "node": -1, "refusal": refusal, "result": null, "failure": null });
            plans::record(run, result, &ran).into()
        }
        Ok((prompt, admitted)) => begin(run, result, prompt, admitted),
    }
}

fn begin(run: &mut Run, result: TypeId, prompt: NodeId, admitted: Admitted) -> Step {
    // A program that no person has read may do anything, so the prompt is neither kept nor asked again.
    run.progress.forbid_repeats(prompt);
    let (plan, node) = run.begin_plan(prompt, admitted);
    run.introspection
        .note_started(run.progress.tree(), prompt, node);
    run.scheduler.wait_for(Wait::Plan { plan, result })
}

fn written(run: &Run, source: String) -> Written {
    Written {
        source,
        permissions: plans::permissions_within(&run.loaded.program),
    }
}

/// Whether the model of a prompt may have a program run.
fn may_write(run: &Run, prompt: NodeId) -> Result<(), Refusal> {
    let grant = run.introspection.grants.get(&prompt);
    if !grant.is_some_and(|it| it.allowed.iter().any(|it| it == WRITTEN)) {
        let message = "no program that you write is run here".into();
        return Err(refusal("not_allowed", message));
    }
    if run.loaded.plans.is_none() {
        let message = "this program has no compiler, so nothing that you write can be run: it is there with `gswc run`, and after `gswc build --with-compiler`";
        return Err(refusal("not_allowed", message.into()));
    }
    Ok(())
}

fn judge(run: &mut Run, prompt: NodeId, request: &WrittenRequest) -> Result<Admitted, Refusal> {
    may_write(run, prompt)?;
    if !request.diagnostics.is_empty() {
        return Err(refusal("does_not_check", request.diagnostics.clone()));
    }
    run.introspection
        .check_limits(run.progress.tree(), prompt)?;
    let written = written(run, request.source.clone());
    let Some(plans) = run.loaded.plans.clone() else {
        unreachable!("`may_write` has looked for it");
    };
    let loaded = plans
        .load(&written.source, &written.permissions)
        .map_err(|wrong| refusal("does_not_check", wrong))?;
    if *loaded.image != *request.image {
        let message = "the compiler makes something else of the program than it did when it was checked, so it is not run";
        return Err(refusal("does_not_check", message.into()));
    }
    if let Some(wrong) = plans::foreign_model(&run.loaded.program, &loaded.program) {
        return Err(refusal("does_not_check", wrong));
    }
    let input = unpacked(&request.input).into_owned();
    let admitted = run.admit_plan(&loaded, written, &input);
    admitted.map_err(|issues| unfit(&issues))
}
