//! Files of events: whole ones, damaged ones, and what is made of them.

#![allow(missing_docs, reason = "a test binary has no users")]

mod damage;
mod queries;
mod story;
