//! The newest run of each workflow of a program, as text, for an editor.

use std::collections::BTreeMap;
use std::path::Path;

use gsw_abi::option::BuiltinOption;
use gsw_driver::durable::cost::{Cost, cost_of};
use gsw_driver::durable::store::{Need, RunStore};
use gsw_notation::calendar::to_the_second;
use gsw_trace::measure::money;

use crate::runs::all;
use crate::{environment, store};

/// The status of the newest run of each workflow, when it began and what it cost, by the workflow. `store` is where the program's
/// `gsw.toml` keeps them, seen from its folder, in which an editor runs programs; a store that does not exist or cannot be read has none.
#[must_use]
pub fn newest_runs(program: &str, store: Option<(&str, &Path)>) -> BTreeMap<String, String> {
    let variable = BuiltinOption::Store.variable().and_then(environment::text);
    let folder = store.filter(|_| variable.is_none()).map(|(_, it)| it);
    let named = variable.or_else(|| store.map(|(name, _)| name.to_owned()));
    let Some(path) = store::path(program, named) else {
        return BTreeMap::new();
    };
    let path = folder.unwrap_or(Path::new("")).join(path);
    let store = RunStore::new(path, String::new(), Need::Asked);
    let newest = described(&store);
    store.close();
    newest
}

fn described(store: &RunStore) -> BTreeMap<String, String> {
    let mut newest = BTreeMap::new();
    // The newest come first.
    for run in all(store).unwrap_or_default().runs {
        newest.entry(run.workflow.clone()).or_insert_with(|| {
            let cost = store
                .existing()
                .ok()
                .and_then(|it| cost_of(&it, &run.id).ok());
            let cost = match cost {
                Some(Cost::Usd(usd)) => format!(", {}", money(usd)),
                Some(Cost::AtLeast(usd)) => format!(", at least {}", money(usd)),
                None => String::new(),
            };
            let begun = to_the_second(run.begun);
            format!("last run: {}, {begun}{cost}", run.shown_status().name())
        });
    }
    newest
}
