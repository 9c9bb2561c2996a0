//! `parallel`: one after the other, as long as that makes no difference.

use gsw_abi::builtin::BuiltinError;
use gsw_infer::hir::ErrorPolicy;
use gsw_names::types::Type;

use crate::machine::Machine;
use crate::stop::{Flow, Raised, Stop, raise, unsupported};
use crate::task::State;
use crate::value::{Closure, Value};

impl Machine<'_> {
    /// The results of pieces of work, in their order.
    pub fn parallel(
        &mut self,
        work: Vec<(Closure, Vec<Value>)>,
        policy: ErrorPolicy,
        ty: &Type,
    ) -> Flow<Vec<Value>> {
        let is_watched = self
            .ready
            .iter()
            .any(|it| matches!(&it.borrow().state, State::Ready(closure) if closure.shares()));
        if is_watched || self.sharing > 0 || self.ends_at_wait {
            return unsupported("`parallel` beside tasks that share variables");
        }
        let mut endings = Vec::new();
        let mut failed_late = false;
        for (closure, arguments) in work {
            let waits = self.waits;
            let ending = match self.shared(&closure, arguments) {
                Ok(value) => Ok(value),
                Err(Stop::Raise(raised)) => Err(raised),
                Err(other) => return Err(other),
            };
            if let Err(raised) = &ending
                && policy == ErrorPolicy::First
            {
                if failed_late {
                    return unsupported("two iterations failed");
                }
                if self.waits == waits {
                    return Err(Stop::Raise(raised.clone()));
                }
                failed_late = true;
            }
            endings.push(ending);
        }
        gathered(self, endings, policy, ty)
    }
}

fn gathered(
    machine: &mut Machine,
    endings: Vec<Result<Value, Raised>>,
    policy: ErrorPolicy,
    ty: &Type,
) -> Flow<Vec<Value>> {
    match policy {
        ErrorPolicy::First => endings
            .into_iter()
            .map(|it| it.map_err(Stop::Raise))
            .collect(),
        ErrorPolicy::Settle => {
            let outcome = if let Type::Tuple(parts) = ty {
                parts.first()
            } else if let Type::List(element) = ty {
                Some(&**element)
            } else {
                None
            };
            let Some(Type::Enum(result, _)) = outcome else {
                return unsupported("no list or tuple of results");
            };
            let settled = endings.into_iter().map(|it| match it {
                Ok(value) => Value::Variant(*result, 0, vec![value].into()),
                Err(raised) => Value::Variant(*result, 1, vec![raised.value()].into()),
            });
            Ok(settled.collect())
        }
        ErrorPolicy::Merge => {
            let is_error = |it: &Result<Value, Raised>| it.is_err();
            if endings.iter().any(is_error) {
                let errors = endings
                    .iter()
                    .filter_map(|it| it.as_ref().err())
                    .map(Raised::value)
                    .collect();
                return raise(machine.db, BuiltinError::Many, vec![Value::list(errors)]);
            }
            endings
                .into_iter()
                .map(|it| it.map_err(Stop::Raise))
                .collect()
        }
    }
}
