//! `retry` of steps, workflows and blocks: whether a failed body is tried again, and when.

use gsw_abi::builtin::{BuiltinError, DURATION};
use gsw_abi::types::ErrorClass;

use crate::event::EventKind;
use crate::node::NodeId;
use crate::operation::Request;
use crate::run::Run;
use crate::step::Step;
use crate::value::{error, optional};

impl Run {
    /// Waits before another attempt, or raises the error again. Takes the error over.
    pub(crate) fn retry(
        &mut self,
        raised: u64,
        made: u64,
        further: i64,
        (backoff, most): (i64, i64),
    ) -> Step {
        // Fewer than none are none.
        if made > further.max(0).unsigned_abs() || !self.may_try_again(raised) {
            return Step::Raised(raised);
        }
        if let Some(error) = self.interruption() {
            self.heap.release(raised);
            return Step::Raised(error);
        }
        let doublings = made.saturating_sub(1).min(62) as u32;
        let ceiling = backoff
            .max(0)
            .saturating_mul(1_i64 << doublings)
            .min(most.max(0));
        // Full jitter: anything up to the ceiling.
        let jitter = (self.next_random() * ceiling as f64) as i64;
        let asked = self.retry_after(raised);
        let nanoseconds = asked.map_or(jitter, |asked| asked.max(jitter));
        let message = error::message(&self.heap, raised);
        let name = error::name(&self.heap, raised).to_owned();
        let analysis = match asked {
            Some(_) => "the provider said when to come again".to_owned(),
            None => format!("`{name}` may pass; attempt {made} of {further} more"),
        };
        let node = self.current_node();
        let step = std::sync::Arc::clone(self.tree.name(node));
        let attempt = u32::try_from(made).unwrap_or(u32::MAX);
        self.tell(
            node,
            EventKind::StepRetry {
                step,
                attempt,
                error: format!("{name}: {message}"),
                analysis,
                delay: nanoseconds,
            },
        );
        self.heap.release(raised);
        self.perform(Request::Sleep { nanoseconds })
    }

    /// Whether the body of the current node, which raised this, may be tried again.
    pub(crate) fn may_try_again(&self, raised: u64) -> bool {
        let node = self.tree.node(self.current_node());
        !node.has_begun_once && self.may_be_repeated(raised)
    }

    /// A model has begun a tool call under this node that must not be repeated: nothing around it is tried again.
    pub(crate) fn note_once(&mut self, node: NodeId) {
        let mut next = node;
        while next != NodeId::NONE {
            let it = self.tree.node_mut(next);
            if std::mem::replace(&mut it.has_begun_once, true) {
                return;
            }
            next = it.parent;
        }
    }

    /// Whether an error is one after which a body may be tried again.
    pub(crate) fn may_be_repeated(&self, raised: u64) -> bool {
        !matches!(
            error::class(&self.heap, raised),
            ErrorClass::Fault | ErrorClass::Unwind
        ) && !matches!(
            error::kind(raised),
            Some(BuiltinError::Unauthorized | BuiltinError::QuotaExceeded)
        )
    }

    /// How long the provider asks to wait, in nanoseconds.
    fn retry_after(&self, raised: u64) -> Option<i64> {
        if error::kind(raised) != Some(BuiltinError::RateLimited) {
            return None;
        }
        match error::field(raised, 0) {
            0 => None,
            wait => Some(optional::inside(&self.heap, DURATION, wait) as i64),
        }
    }

    /// A number from 0 to below 1, the same for the same seed (xorshift64*).
    fn next_random(&mut self) -> f64 {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        let bits = self.random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11;
        bits as f64 / (1_u64 << 53) as f64
    }
}
