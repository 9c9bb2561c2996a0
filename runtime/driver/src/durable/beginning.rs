//! The first records of a run: what it was begun with, in a form that a later build reads.

use std::path::PathBuf;
use std::sync::Arc;

use gsw_engine::operation::DetachedStart;
use gsw_engine::prices::Prices;
use gsw_engine::run::Start;
use gsw_journal::record::{self, Blob, Hash, Payload, Record};
use gsw_notation::json::written;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version of the encoding of [`Beginning`].
const FORM: u32 = 1;

/// What a run was begun with.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Beginning {
    form: u32,
    /// Without its prices, which many runs share.
    pub(crate) start: Start,
    pub(crate) entered: Entered,
    /// The digest of the prices, as JSON.
    prices: Hash,
    /// How many of its first records were copied from the run that it was forked from.
    #[serde(default)]
    pub(crate) inherited: usize,
    /// Where relative paths began when the run did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) folder: Option<PathBuf>,
}

/// What a remembered run runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Entered {
    Workflow {
        /// By its name, since a later build may have it at another place.
        workflow: String,
        input: Map<String, Value>,
    },
    Detached(Box<DetachedStart>),
}

impl Entered {
    /// The name of the workflow.
    pub(crate) fn workflow(&self) -> &str {
        match self {
            Self::Workflow { workflow, .. } => workflow,
            Self::Detached(start) => &start.workflow,
        }
    }

    pub(crate) fn input(&self) -> &Map<String, Value> {
        match self {
            Self::Workflow { input, .. } => input,
            Self::Detached(start) => &start.input,
        }
    }
}

/// By which runs of the same program, workflow and input are found.
#[must_use]
pub(crate) fn input_digest(program: &str, input: &Map<String, Value>) -> Hash {
    // Sorted: the order of options on a command line means nothing.
    let sorted: std::collections::BTreeMap<_, _> = input.iter().collect();
    let mut bytes = serde_json::to_vec(&sorted).expect("a tree is JSON");
    // After what is JSON, so that no name makes one input look like another.
    bytes.extend_from_slice(program.as_bytes());
    record::digest(&bytes)
}

/// The first records of a run.
pub(crate) fn records(
    start: &Start,
    entered: &Entered,
    image: Hash,
    inherited: usize,
) -> Vec<(Record, Option<Blob>)> {
    let prices = serde_json::to_vec(&*start.settings.prices).expect("prices are JSON");
    let prices = Blob::of(prices);
    let mut start = start.clone();
    start.settings.prices = Arc::default();
    let beginning = Beginning {
        form: FORM,
        start,
        entered: entered.clone(),
        prices: prices.hash,
        inherited,
        folder: std::env::current_dir().ok(),
    };
    let bytes = serde_json::to_vec(&beginning).expect("a beginning is JSON");
    let (start, blob) = Payload::of(bytes);
    vec![
        (Record::Begin { start }, blob),
        (Record::Build { image }, Some(prices)),
    ]
}

/// Reads the payload of the first record; `prices` returns the bytes of a blob.
pub(crate) fn read(
    bytes: &[u8],
    blob: impl FnOnce(Hash) -> Result<Vec<u8>, String>,
) -> Result<Beginning, String> {
    let unreadable =
        |why: &str| format!("its beginning cannot be read by this version of Groundswell: {why}");
    // By way of our own tree: `serde_json` reads no input that nests as deep as ours may.
    let tree = String::from_utf8_lossy(bytes);
    let tree = written(&tree).map_err(|issue| unreadable(&issue.message))?;
    let read = serde_json::from_value(tree);
    let mut beginning: Beginning = read.map_err(|error| unreadable(&error.to_string()))?;
    if beginning.form != FORM {
        return Err(format!(
            "its beginning has the form {}, and this version of Groundswell reads {FORM}",
            beginning.form
        ));
    }
    let prices: Prices = serde_json::from_slice(&blob(beginning.prices)?)
        .map_err(|error| unreadable(&error.to_string()))?;
    beginning.start.settings.prices = Arc::new(prices);
    Ok(beginning)
}
