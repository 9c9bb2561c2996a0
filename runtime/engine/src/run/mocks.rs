//! Mocks of a test run: of items, scripts of agents' models; and the snapshots that it takes.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::heap::Heap;
use crate::run::MocksInTests;
use crate::run::script::Script;
use crate::value::list;

/// The mocks of a run; only tests have any.
#[derive(Debug, Default)]
pub(crate) struct Mocks {
    /// By the item's number, in the order in which they were set.
    items: FxHashMap<u64, Vec<Mock>>,
    /// By the agent's index.
    scripts: BTreeMap<u32, Script>,
    /// What the test called first that nothing answers.
    unmocked: Option<Unanswered>,
    snapshots: Vec<String>,
    calls: MocksInTests,
}

/// A call that no mock answers.
#[derive(Debug)]
struct Unanswered {
    message: String,
    missing: Missing,
}

/// What would have answered it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Missing {
    Mock,
    Record,
}

/// A mock with what it has answered so far.
#[derive(Debug)]
struct Mock {
    /// Owned.
    closure: u64,
    /// How many calls it has answered.
    answered: u64,
    /// An owned list of what each was given; 0 when it is not asked for.
    given: u64,
}

impl Mocks {
    pub(crate) fn new(calls: MocksInTests) -> Self {
        Self {
            calls,
            ..Self::default()
        }
    }

    /// What a call is that a mock answers.
    pub(crate) const fn calls(&self) -> MocksInTests {
        self.calls
    }

    /// A closure stands in for an item from here on; it and the list are taken over. Returns the mock's index.
    pub(crate) fn set(&mut self, item: u64, closure: u64, given: u64) -> usize {
        let mocks = self.items.entry(item).or_default();
        mocks.push(Mock {
            closure,
            answered: 0,
            given,
        });
        mocks.len() - 1
    }

    fn mock(&self, item: u64, index: usize) -> Option<&Mock> {
        self.items.get(&item)?.get(index)
    }

    fn mock_mut(&mut self, item: u64, index: usize) -> Option<&mut Mock> {
        self.items.get_mut(&item)?.get_mut(index)
    }

    /// The closure of an item's mock of this index; borrowed.
    pub(crate) fn closure(&self, item: u64, index: usize) -> Option<u64> {
        self.mock(item, index).map(|it| it.closure)
    }

    /// The mock answers one more call. Returns how many it has answered before.
    pub(crate) fn turn(&mut self, item: u64, index: usize) -> u64 {
        let Some(mock) = self.mock_mut(item, index) else {
            return 0;
        };
        mock.answered += 1;
        mock.answered - 1
    }

    pub(crate) fn answered(&self, item: u64, index: usize) -> u64 {
        self.mock(item, index).map_or(0, |it| it.answered)
    }

    /// Keeps what a call was given, which is taken over.
    pub(crate) fn keep_given(&mut self, heap: &mut Heap, item: u64, index: usize, given: u64) {
        if let Some(mock) = self.mock_mut(item, index).filter(|it| it.given != 0) {
            mock.given = list::push(heap, mock.given, given);
        }
    }

    /// The list of what the calls were given; borrowed.
    pub(crate) fn given(&self, item: u64, index: usize) -> u64 {
        self.mock(item, index).map_or(0, |it| it.given)
    }

    /// How many mocks an item has.
    pub(crate) fn count(&self, item: u64) -> usize {
        self.items.get(&item).map_or(0, Vec::len)
    }

    /// What the agent's model does; a further script continues where the first one ends.
    pub(crate) fn add_script(&mut self, agent: u32, script: Script) {
        match self.scripts.get_mut(&agent) {
            Some(known) => known.append(script),
            None => {
                self.scripts.insert(agent, script);
            }
        }
    }

    pub(crate) fn has_script(&self, agent: u32) -> bool {
        self.scripts.contains_key(&agent)
    }

    pub(crate) fn script_mut(&mut self, agent: u32) -> Option<&mut Script> {
        self.scripts.get_mut(&agent)
    }

    pub(crate) fn take_snapshot(&mut self, text: String) {
        self.snapshots.push(text);
    }

    pub(crate) fn snapshots(&mut self) -> Vec<String> {
        std::mem::take(&mut self.snapshots)
    }

    /// The test has called something that nothing answers. The first message counts.
    pub(crate) fn report_unmocked(&mut self, message: &str) {
        self.report(message, Missing::Mock);
    }

    /// Like [`Self::report_unmocked`], where nothing was recorded.
    pub(crate) fn report_unrecorded(&mut self, message: &str) {
        self.report(message, Missing::Record);
    }

    fn report(&mut self, message: &str, missing: Missing) {
        self.unmocked.get_or_insert_with(|| Unanswered {
            message: message.to_owned(),
            missing,
        });
    }

    /// What the test called first that nothing answers.
    pub(crate) fn take_unmocked(&mut self) -> Option<String> {
        self.unmocked.take().map(|it| it.message)
    }

    /// Why a test fails that has ended well: it called what nothing answers and caught that, or a script was not used up.
    pub(crate) fn take_fault(&mut self) -> Option<String> {
        let unmocked = self.unmocked.take().map(|it| {
            let message = it.message;
            let why = match it.missing {
                Missing::Mock => "but a test must mock what it calls",
                Missing::Record => "but its result would not be that of the models",
            };
            format!("{message}\n  this was caught, {why}")
        });
        unmocked.or_else(|| self.scripts.values().find_map(Script::left_over))
    }

    /// Releases what it owns, because the run has ended.
    pub(crate) fn release(&mut self, heap: &mut Heap) {
        for mock in std::mem::take(&mut self.items).into_values().flatten() {
            heap.release(mock.closure);
            if mock.given != 0 {
                heap.release(mock.given);
            }
        }
    }
}
