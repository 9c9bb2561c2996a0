//! The engine from inside, where words are only what it made itself: values against models that are known to be right, and runs of
//! compiled code that was written by hand.

mod run;
mod values;
