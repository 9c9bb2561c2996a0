//! Runtime calls of programs that are compiled for their tests.

use gsw_abi::builtin::BuiltinError;

use crate::export::guard::calls;
use crate::value::{error, string};

calls! {
    /// A mock stands in for an item: the item's number, closure.
    plain mock_set(run, item, closure) {
        run.mocks.entry(item).or_default().push(closure);
        0
    }

    /// The closure of the item's mock of this index, or 0: the item's number, index.
    plain mock_at(run, item, index) {
        let closure = run.mocks.get(&item).and_then(|it| it.get(index as usize)).copied();
        let closure = closure.unwrap_or(0);
        if closure != 0 {
            run.heap.retain(closure);
        }
        closure
    }

    /// Raises because a test calls what only a mock can answer: its name.
    raising unmocked(run, name) {
        let message = format!("`{}` is called, but no `mock` answers", string::text(name));
        run.heap.release(name);
        run.unmocked.get_or_insert_with(|| message.clone());
        let message = string::new(&mut run.heap, &message);
        Err(error::new(&mut run.heap, BuiltinError::AssertionFailed, &[message]))
    }
}
