//! Runtime calls on values of any type.

use gsw_abi::types::TypeId;

use crate::export::guard::calls;
use crate::run::raise;
use crate::value::string;
use crate::{codec, compare};

calls! {
    plain value_equal(run, ty, a, b) {
        u64::from(compare::equal(&run.heap, TypeId(ty as u32), a, b))
    }

    /// -1, 0 or 1.
    plain value_compare(run, ty, a, b) {
        compare::compare(&run.heap, TypeId(ty as u32), a, b) as i64 as u64
    }

    text value_to_string(run, ty, word) {
        // What does not fit the run's memory is raised at the next poll.
        codec::text_string(&mut run.heap, TypeId(ty as u32), word).unwrap_or_else(|error| {
            // An unwinding is raised there as well, by the flag that is still set.
            if !raise::is_unwind(error) {
                run.heap.refuse();
            }
            run.heap.release(error);
            string::new(&mut run.heap, "")
        })
    }

    json value_to_json(run, ty, word) {
        codec::to_json(&mut run.heap, TypeId(ty as u32), word)
    }

    json value_to_argument(run, ty, word) {
        codec::to_argument(&mut run.heap, TypeId(ty as u32), word)
    }
}
