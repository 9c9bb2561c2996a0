//! What a run has cost so far, as its records say: the answers of models, at the prices that the run was begun with.

use gsw_engine::operation::Outcome;
use gsw_journal::record::Record;
use gsw_journal::store::Store;

use crate::durable::history::beginning_of;
use crate::durable::noted::Noted;
use crate::engine::resuming::NotResumed;

/// The sum of what budgets count.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Cost {
    Usd(f64),
    /// Dollars, without the answers of models that have no price or did not say what they used.
    AtLeast(f64),
}

impl Cost {
    /// The dollars that are known.
    #[must_use]
    pub const fn usd(self) -> f64 {
        match self {
            Self::Usd(usd) | Self::AtLeast(usd) => usd,
        }
    }
}

/// What a run has cost so far.
///
/// # Errors
/// When there is no such run, or it is damaged or sealed and cannot be read.
pub fn cost_of(store: &Store, id: &str) -> Result<Cost, NotResumed> {
    let records = store.records(id)?;
    let (mut usd, mut prices, mut is_whole) = (0.0, None, true);
    for record in &records {
        let Record::Outcome { outcome, .. } = record else {
            continue;
        };
        let Some(noted) = Noted::decode(&store.bytes(id, outcome.clone())?) else {
            continue;
        };
        let Some(model) = noted.what.strip_prefix("model ").map(str::to_owned) else {
            continue;
        };
        let Some(Outcome::Model(answer)) = noted.outcome() else {
            continue;
        };
        if prices.is_none() {
            prices = Some(beginning_of(store, id, &records)?.start.settings.prices);
        }
        let usage = answer.as_ref().as_ref().ok().map(|it| &it.usage);
        let Some(usage) = usage else {
            // No cost is known of a request that failed.
            continue;
        };
        let cost = usage
            .as_ref()
            .and_then(|it| prices.as_ref()?.cost(&model, it));
        match cost {
            Some(cost) => usd += cost,
            None => is_whole = false,
        }
    }
    Ok(match is_whole {
        true => Cost::Usd(usd),
        false => Cost::AtLeast(usd),
    })
}
