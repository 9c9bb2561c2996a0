//! What stands in for items in a test.

use rustc_hash::FxHashMap;

use crate::heap::Heap;

/// The mocks of a run; only tests have any.
#[derive(Debug, Default)]
pub(crate) struct Mocks {
    /// Owned closures by the item's number, in the order in which they were set.
    closures: FxHashMap<u64, Vec<u64>>,
    /// What the test called first that only a mock can answer.
    unmocked: Option<String>,
}

impl Mocks {
    /// A closure stands in for an item from here on; it is taken over.
    pub(crate) fn set(&mut self, item: u64, closure: u64) {
        self.closures.entry(item).or_default().push(closure);
    }

    /// The closure of an item's mock of this index; borrowed.
    pub(crate) fn closure(&self, item: u64, index: usize) -> Option<u64> {
        self.closures.get(&item)?.get(index).copied()
    }

    /// How many mocks an item has.
    pub(crate) fn count(&self, item: u64) -> usize {
        self.closures.get(&item).map_or(0, Vec::len)
    }

    /// The test has called something that no mock answers. The first message counts.
    pub(crate) fn report_unmocked(&mut self, message: &str) {
        self.unmocked.get_or_insert_with(|| message.to_owned());
    }

    pub(crate) fn take_unmocked(&mut self) -> Option<String> {
        self.unmocked.take()
    }

    /// Gives the closures back: the run has ended.
    pub(crate) fn release(&mut self, heap: &mut Heap) {
        for closure in std::mem::take(&mut self.closures).into_values().flatten() {
            heap.release(closure);
        }
    }
}
