//! Runtime calls of programs that are compiled for a debugger.

use gsw_abi::types::TypeId;

use crate::export::guard::calls;

calls! {
    /// A function begins: its index and where it is declared.
    plain debug_enter(run, function, span) {
        run.debug_enter(function as u32, span as u32);
        0
    }

    /// A name in scope: type, name, value.
    plain debug_variable(run, ty, name, word) {
        run.debug_show(TypeId(ty as u32), name, word);
        0
    }

    /// A statement begins.
    plain debug_statement(run, span) {
        run.debug_statement(span as u32);
        0
    }

    /// The function that began last in the task ends.
    plain debug_leave(run) {
        run.debug_leave();
        0
    }
}
