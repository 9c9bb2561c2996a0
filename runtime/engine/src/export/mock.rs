//! Runtime calls of programs that are compiled for their tests.

use gsw_abi::builtin::{self, BuiltinError};

use crate::codec;
use crate::export::guard::calls;
use crate::value::{error, string};

calls! {
    /// A mock stands in for an item: the item's number, closure.
    plain mock_set(run, item, closure) {
        run.mocks.set(item, closure);
        0
    }

    /// The closure of the item's mock of this index, or 0: the item's number, index.
    plain mock_at(run, item, index) {
        let closure = run.mocks.closure(item, index as usize).unwrap_or(0);
        if closure != 0 {
            run.heap.retain(closure);
        }
        closure
    }

    /// Raises because a test calls what only a mock can answer: the item's number, its name, the arguments.
    raising unmocked(run, item, name, arguments) {
        let given = codec::encode_redacted(&run.heap, builtin::JSON, arguments);
        let answered = match run.mocks.count(item) {
            0 => "but no `mock` answers".to_owned(),
            1 => "and its `mock` does not match".to_owned(),
            count => format!("and none of its {count} mocks matches"),
        };
        let message = format!("`{}` is called with {given}, {answered}", string::text(name));
        run.heap.release(name);
        run.heap.release(arguments);
        run.mocks.report_unmocked(&message);
        let message = string::new(&mut run.heap, &message);
        Err(error::new(&mut run.heap, BuiltinError::AssertionFailed, &[message]))
    }
}
