//! Compiles the programs that models write, on threads of their own: compiling takes long and never waits.

use std::sync::{Arc, OnceLock};

use gsw_engine::load::plans::Plans;
use gsw_engine::operation::{Failure, Outcome, Written};
use serde_json::json;

use crate::perform::Handle;
use crate::pool::Pool;
use crate::work::{Completion, Job, Work};

/// The most texts that are compiled at once; more wait. A guess.
const AT_ONCE: usize = 2;

pub(crate) fn compile(
    plans: Option<Arc<Plans>>,
    written: Box<Written>,
    completion: Completion,
) -> Handle {
    static THREADS: OnceLock<Pool> = OnceLock::new();
    let threads = THREADS.get_or_init(|| Pool::new("gsw-plans", AT_ONCE));
    let work = Work::default();
    let perform = move |_: &Work| compiled(plans.as_deref(), &written);
    threads.run(Job::new(work.clone(), perform, completion));
    Handle::Files(work)
}

/// What the compiler says of a text: the image that it has become, or what is wrong with it.
pub(crate) fn compiled(plans: Option<&Plans>, written: &Written) -> Outcome {
    let Some(plans) = plans else {
        return Outcome::Failed(Failure::Other {
            message: "this program has no compiler".into(),
        });
    };
    let said = match plans.load(&written.source, &written.permissions) {
        Ok(loaded) => json!({ "image": &*loaded.image, "diagnostics": null }),
        Err(wrong) => json!({ "image": null, "diagnostics": wrong }),
    };
    Outcome::Json(said.to_string())
}
