//! The message of a panic.

use std::any::Any;

/// The message of a panic that was caught.
#[must_use]
pub fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("the runtime panicked").to_owned()
}
