//! The seam to models.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use gsw_engine::model::{ModelAnswer, ModelFailure, ModelRequest};

use crate::call::Call;

/// A future that can be sent between threads.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Performs requests to models; one per process, shared by its runs.
pub trait Models: Send + Sync {
    /// Sends one request. The run decides whether a failure is followed by another, by what it says of `again`. The call's
    /// parts get streamed text as it comes.
    fn ask(
        &self,
        request: Arc<ModelRequest>,
        call: &Call,
    ) -> Pending<'_, Result<ModelAnswer, ModelFailure>>;
}
