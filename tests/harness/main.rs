//! The one test binary for everything that goes through the whole pipeline. See `tests/README.md`.

#![allow(missing_docs, reason = "a test binary has no users")]

mod bad_input;
mod breakout;
mod browser;
mod codes;
mod collector;
mod conformance;
mod damage;
mod differential;
mod editor;
mod event_form;
mod events;
mod examples;
mod formatting;
mod grammar;
mod graph;
mod guide;
mod in_process;
mod incremental;
mod introspection;
mod left_behind;
mod library;
mod library_index;
mod literate;
mod modifiers;
mod page;
mod perturb;
mod process;
mod program;
mod project;
mod reference;
mod reports;
mod requirements;
mod shrink;
mod site;
mod soup;
mod telemetry;
mod terminal;
mod testing;
mod tidy;
mod tools;
mod trace;
mod tree;
mod webdriver;
mod wire;
