//! The engine from inside, where words are only what it made itself: values against models that are known to be right.

mod values;
