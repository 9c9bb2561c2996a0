//! What has arrived of an answer that is on its way: as much of its end as a row of a terminal shows.

use std::sync::Arc;

use gsw_tree::event::ArrivingCall;

/// How many characters of the end are kept.
const SHOWN: usize = 160;

/// The end of an answer, or of the arguments of a call, that is arriving.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Arriving {
    /// Its last characters; empty where it may not be shown.
    pub end: String,
    /// How many bytes have arrived in all.
    pub bytes: u64,
    /// The call of a tool that the model is about to make.
    pub call: Option<ArrivingCall>,
}

impl Arriving {
    /// Takes what has arrived since the last one.
    pub(crate) fn take(
        &mut self,
        text: Option<&Arc<str>>,
        bytes: u64,
        call: Option<&ArrivingCall>,
    ) {
        // Another call, or an answer that begins anew.
        if self.call.as_ref() != call || bytes < self.bytes {
            self.end.clear();
        }
        self.call = call.cloned();
        self.bytes = bytes;
        let Some(text) = text else {
            return;
        };
        self.end.push_str(text);
        let surplus = self.end.chars().count().saturating_sub(SHOWN);
        if let Some((at, _)) = self.end.char_indices().nth(surplus) {
            self.end.drain(..at);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gsw_tree::event::ArrivingCall;

    use super::{Arriving, SHOWN};

    #[test]
    fn the_end_is_kept_and_what_begins_anew_replaces_it() {
        let mut arriving = Arriving::default();
        let text: Arc<str> = "ä".repeat(SHOWN).into();
        arriving.take(Some(&text), 320, None);
        arriving.take(Some(&"ende".into()), 324, None);
        assert_eq!(arriving.end.chars().count(), SHOWN);
        assert!(arriving.end.ends_with("äende"), "{arriving:?}");
        arriving.take(Some(&"neu".into()), 3, None);
        assert_eq!((arriving.end.as_str(), arriving.bytes), ("neu", 3));
        let call = ArrivingCall {
            number: 0,
            tool: "look".into(),
        };
        arriving.take(Some(&"{".into()), 4, Some(&call));
        assert_eq!((arriving.end.as_str(), arriving.call), ("{", Some(call)));
    }
}
