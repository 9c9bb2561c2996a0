//! Runtime calls on values of any type.

use gsw_abi::types::TypeId;

use crate::export::guard::calls;
use crate::value::string;
use crate::{codec, compare};

calls! {
    /// `==`
    plain value_equal(run, ty, a, b) {
        u64::from(compare::equal(&run.heap, TypeId(ty as u32), a, b))
    }

    /// -1, 0 or 1.
    plain value_compare(run, ty, a, b) {
        compare::compare(&run.heap, TypeId(ty as u32), a, b) as i64 as u64
    }

    /// `x.to_string()`
    plain value_to_string(run, ty, word) {
        let text = codec::to_text(&run.heap, TypeId(ty as u32), word);
        string::new(&mut run.heap, &text)
    }

    /// `x.to_json()`
    plain value_to_json(run, ty, word) {
        codec::to_json(&mut run.heap, TypeId(ty as u32), word)
    }
}
