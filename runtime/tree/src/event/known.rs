//! Which names of kinds of events there are.

use std::fmt::{Display, Formatter};

use serde::Deserialize;
use serde::de::Error;
use serde::de::value::MapDeserializer;

use super::EventKind;

impl EventKind {
    /// Whether an event can be of this kind, whatever else it has to hold.
    #[must_use]
    pub fn is_known(kind: &str) -> bool {
        let event = MapDeserializer::<_, Why>::new([("event", kind)].into_iter());
        // Alone the name is most often too little, but what is wrong is then another thing.
        !matches!(Self::deserialize(event), Err(Why::UnknownVariant))
    }
}

/// Why a kind cannot be read. The words of serde's errors are made for people: `unknown variant` is said of any enum.
#[derive(Debug)]
enum Why {
    UnknownVariant,
    Other,
}

impl Error for Why {
    fn custom<T: Display>(_: T) -> Self {
        Self::Other
    }

    fn unknown_variant(_: &str, _: &'static [&'static str]) -> Self {
        Self::UnknownVariant
    }
}

impl Display for Why {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str("it cannot be read")
    }
}

impl std::error::Error for Why {}

#[cfg(test)]
mod tests {
    use super::EventKind;

    #[test]
    fn a_kind_is_known_by_its_name_alone() {
        for known in ["log", "workflow_start", "status"] {
            assert!(EventKind::is_known(known), "{known}");
        }
        for unknown in ["", "danced", "Log"] {
            assert!(!EventKind::is_known(unknown), "{unknown}");
        }
    }
}
