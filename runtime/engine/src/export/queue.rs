//! Runtime calls on queues, of which semaphores and limiters are made.

use gsw_abi::call::QueuePurpose;
use gsw_abi::types::TypeId;

use crate::export::guard::calls;
use crate::run::queue;

calls! {
    /// An empty queue: its type, its limit, a [`QueuePurpose`].
    raising queue_new(run, ty, limit, purpose) {
        queue::make(run, TypeId(ty as u32), limit as i64, QueuePurpose::numbered(purpose))
    }

    waiting queue_push(run, queue, item) {
        queue::push(run, queue, item)
    }

    waiting queue_pop(run, result, queue) {
        queue::pop(run, TypeId(result as u32), queue)
    }

    plain queue_first_when_full(run, result, queue) {
        queue::first_when_full(run, TypeId(result as u32), queue)
    }

    plain queue_close(run, queue) {
        queue::close(run, queue);
        0
    }
}
