//! The call of an operation: what a performer knows of it besides its request.

use std::sync::Arc;

use gsw_abi::site::{NodePath, Site};
use gsw_engine::operation::{CallPart, Operation, OperationId, Rights};
use gsw_tree::class::Class;

/// On whose behalf an operation is performed.
#[derive(Clone, Debug)]
pub struct Call {
    /// The id of the run.
    pub run: Arc<str>,
    pub operation: OperationId,
    /// Where in the program; the same in every life of the run.
    pub site: Site,
    /// How it may be repeated.
    pub class: Class,
    /// From 1: how often it has been begun, in all lives of the run.
    pub attempt: u32,
    /// When it was begun, in nanoseconds since 1970.
    pub begun: i64,
    /// When the outcome is not needed any more, in nanoseconds since 1970.
    pub due: Option<i64>,
    /// What it may do at most, of a program that a model has written.
    pub within: Option<Arc<Rights>>,
    /// Takes what comes before the outcome.
    pub parts: PartSink,
}

/// Takes parts of an outcome while it is on its way.
#[derive(Clone, Default)]
pub struct PartSink(Option<Arc<dyn Fn(Part) + Send + Sync>>);

/// A part of an outcome.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// More text of a model.
    Text(String),
    /// More of a call of a tool that a model is about to make.
    Call(CallPart),
    /// Another attempt begins: what came so far does not count.
    Restart,
}

impl PartSink {
    /// Hands all parts to `sink`.
    pub fn new(sink: impl Fn(Part) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(sink)))
    }

    /// Whether anything receives them.
    #[must_use]
    pub fn is_heard(&self) -> bool {
        self.0.is_some()
    }

    pub fn send(&self, part: Part) {
        if let Some(sink) = &self.0 {
            sink(part);
        }
    }
}

impl std::fmt::Debug for PartSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PartSink")
            .field("is_heard", &self.is_heard())
            .finish()
    }
}

impl Call {
    /// For an operation of a run in its first life.
    #[must_use]
    pub fn of(run: &Arc<str>, operation: &Operation) -> Self {
        Self {
            run: Arc::clone(run),
            operation: operation.id,
            site: operation.site,
            class: operation.class,
            attempt: 1,
            begun: 0,
            due: operation.due,
            within: operation.within.clone(),
            parts: PartSink::default(),
        }
    }

    /// For the use of a performer by itself, without a run.
    #[must_use]
    pub fn alone() -> Self {
        Self {
            run: "".into(),
            operation: OperationId(0),
            site: Site {
                path: NodePath::ROOT,
                occurrence: 0,
            },
            class: Class::Idempotent,
            attempt: 1,
            begun: 0,
            due: None,
            within: None,
            parts: PartSink::default(),
        }
    }

    /// Shows the outside that two requests are one: 32 hex digits, equal in every life of the run.
    #[must_use]
    pub fn idempotency_key(&self) -> String {
        self.site.key(&self.run)
    }
}
