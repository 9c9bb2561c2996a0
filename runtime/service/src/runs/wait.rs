//! `runs wait ID`: waits until a run has ended, whichever process runs it; this one does when no other does.

use std::sync::Arc;
use std::time::Duration;

use gsw_driver::durable::store::RunStore;
use gsw_driver::engine::Engine;
use gsw_driver::engine::standing::How;
use gsw_engine::load::Loaded;
use gsw_journal::list::{Carried, Info};

use crate::arguments::BuiltinOptions;
use crate::builds::{Build, become_it};
use crate::execute::begin::Task;
use crate::execute::{carry, note_delivered};
use crate::exit::Exit;
use crate::report::{Next, report};
use crate::runs::{quiet_engine, refuse};
use crate::store::Origin;

/// How often to check whether a run of another process has ended.
const PERIOD: Duration = Duration::from_millis(200);

/// Waits for a run, and ends as it would have.
pub(crate) fn wait(
    loaded: Loaded,
    id: &str,
    options: &BuiltinOptions,
    store: Arc<RunStore>,
    origin: &Origin,
) -> Exit {
    let info = match while_carried(&store, id) {
        Ok(info) => info,
        Err(why) => return refuse(options.form, &why),
    };
    if info.status.is_final() {
        let engine = quiet_engine(loaded, &store);
        return ended(&engine, &info, options, &store, origin);
    }
    let mut options = options.clone();
    // The caller wants the end, and not a report of what is waited for.
    options.idle = options.idle.or(Some(Duration::MAX));
    carry(
        loaded,
        Task::Await { id: info.id },
        &options,
        Some(store),
        origin,
    )
}

/// The run when no other process runs it any more.
pub(crate) fn while_carried(store: &RunStore, id: &str) -> Result<Info, String> {
    let store = store.existing().map_err(|it| it.to_string())?;
    loop {
        let info = store.find(id).map_err(|it| it.to_string())?;
        match info.carried {
            Carried::No => return Ok(info),
            Carried::Yes => std::thread::sleep(PERIOD),
        }
    }
}

/// Reports how a run has ended, as if it had ended here. The next call of the program need not report it once more.
pub(crate) fn ended(
    engine: &Engine,
    info: &Info,
    options: &BuiltinOptions,
    store: &Arc<RunStore>,
    origin: &Origin,
) -> Exit {
    if let Build::There(program) = Build::of(engine, info) {
        let why = become_it(&program, &["wait", &info.id], options, store.path());
        return refuse(options.form, &why);
    }
    let standing = match engine.look_at(&info.id) {
        Ok(standing) => standing,
        Err(why) => return refuse(options.form, &why.to_string()),
    };
    let workflow = engine.workflow(&info.workflow);
    let result = workflow.map_or(gsw_abi::builtin::JSON, |it| {
        engine.program().workflows[it].result
    });
    let next = Next::new(origin, options, &info.id).kept_in(Some(store), &info.id);
    match standing.how {
        How::Ended(ended) => {
            let exit = report(&ended, options, options.form, result, &next);
            note_delivered(store, &info.id, &ended, exit);
            exit
        }
        How::Open => refuse(
            options.form,
            "the run has ended, but its outcome is not recorded",
        ),
        How::Diverged(why) => refuse(options.form, &why),
    }
}
