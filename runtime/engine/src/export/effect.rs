//! Runtime calls that ask the outside for time, randomness and the environment.

use gsw_abi::builtin::{BuiltinError, SECRET};

use crate::export::guard::calls;
use crate::operation::Request;
use crate::run::words;
use crate::secret::{self, Template};
use crate::step::Step;
use crate::value::{error, string};

calls! {
    waiting time_now(run) {
        run.perform(Request::Now)
    }

    /// `sleep(d)`; a negative duration ends at once.
    waiting sleep(run, nanoseconds) {
        run.perform(Request::Sleep { nanoseconds: (nanoseconds as i64).max(0) })
    }

    waiting random_float(run) {
        run.perform(Request::Random)
    }

    /// `random.int(a, b)`, both included.
    waiting random_int(run, low, high) {
        let (low, high) = (low as i64, high as i64);
        if low > high {
            let text = format!("there is no int from {low} to {high}");
            let error = error::with_text(&mut run.heap, BuiltinError::AssertionFailed, &text);
            return Step::Raised(error);
        }
        run.perform(Request::RandomInt { low, high })
    }

    waiting uuid(run) {
        run.perform(Request::Uuid)
    }

    waiting env_get(run, name) {
        let name = words::take_string(&mut run.heap, name);
        let own = run.environments.around(run.tree(), run.scheduler.current_node());
        let Some((_, value)) = own.iter().find(|it| it.0 == name) else {
            return run.perform(Request::EnvGet { name });
        };
        match value.plain_text() {
            // A `string?` is the string itself.
            Some(text) => Step::Done(string::new(&mut run.heap, &text)),
            None => {
                let what = format!("the variable `{name}` of the agent is a secret: only programs get it");
                Step::Raised(error::with_text(&mut run.heap, BuiltinError::PermissionDenied, &what))
            },
        }
    }

    /// `secret("NAME")`: the name; its value is looked up where it is used.
    text secret_named(run, name) {
        let text = words::take_string(&mut run.heap, name);
        string::new_of(&mut run.heap, SECRET, Template::named(&text).text())
    }

    /// `a + b` where one is a secret.
    text secret_join(run, a, b) {
        secret::join(&mut run.heap, a, b)
    }
}
