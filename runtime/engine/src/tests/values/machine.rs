//! A run without a program, whose runtime calls are called through its table as compiled code does.

use std::sync::Arc;

use gsw_abi::builtin;
use gsw_abi::call::Table as Calls;
use gsw_abi::layout::{Context, Outcome};
use gsw_abi::program::Program;
use gsw_abi::types::TypeId;
use serde_json::Value;

use crate::codec::checker::NoFunctions;
use crate::codec::{self, decode};
use crate::heap::Heap;
use crate::load::Loaded;
use crate::port::Deaf;
use crate::run::{BEHAVIOUR, Run, RunSettings, Start};
use crate::tests::values::table::Table;
use crate::value::{error, string};

/// A run; when it is dropped, all its objects must be gone.
pub struct Machine {
    run: Box<Run>,
}

/// Calls a row of the table: `call!(machine, string_len(s))`.
macro_rules! call {
    ($machine:expr, $row:ident($($argument:expr),*)) => {{
        let context = $machine.context();
        let row = $machine.calls().$row;
        $(let _: u64 = $argument;)*
        // SAFETY: the context is the front of a live run, and the words fit the row.
        unsafe { row(context, $($argument),*) }
    }};
}
pub(crate) use call;

impl Machine {
    pub fn new() -> Self {
        Self::with(Table::new())
    }

    pub fn with(table: Table) -> Self {
        let program = Program::empty("test", table.0);
        let loaded = Loaded::from_parts(program, Vec::new()).expect("nothing can be missing");
        let start = Start {
            id: "test".into(),
            now: 0,
            seed: 1,
            settings: RunSettings::default(),
            parent: None,
            behaviour: BEHAVIOUR,
        };
        Self {
            run: Run::new(Arc::new(loaded), None, start, Box::new(Deaf)),
        }
    }

    pub fn context(&mut self) -> *mut Context {
        self.run.context()
    }

    pub fn calls(&mut self) -> &'static Calls {
        // SAFETY: a run's table is a static of the engine.
        unsafe { &*(*self.context()).table }
    }

    pub fn heap(&mut self) -> &mut Heap {
        &mut self.run.heap
    }

    /// A new string.
    pub fn text(&mut self, text: &str) -> u64 {
        string::new(self.heap(), text)
    }

    /// A new value from its JSON.
    pub fn value(&mut self, ty: TypeId, tree: &Value) -> u64 {
        decode::decode(&mut NoFunctions(self.heap()), ty, tree).expect("it fits")
    }

    /// The JSON of a value, which is released.
    pub fn take(&mut self, ty: TypeId, given: impl Given) -> String {
        let word = given.word();
        let text = codec::encode(self.heap(), ty, word);
        self.heap().release_typed(ty, word);
        text
    }

    /// The text of a string, which is released.
    pub fn take_text(&mut self, given: impl Given) -> String {
        let word = given.word();
        let text = string::text(word).to_owned();
        self.heap().release(word);
        text
    }

    /// What a raising call gave: the JSON of its value, or its error's message.
    pub fn outcome(&mut self, ty: TypeId, outcome: Outcome) -> Result<String, String> {
        if outcome.error == 0 {
            return Ok(self.take(ty, outcome.value));
        }
        let heap = self.heap();
        let text = format!(
            "{}: {}",
            error::name(heap, outcome.error),
            error::message(heap, outcome.error)
        );
        heap.release(outcome.error);
        Err(text)
    }

    /// What a raising call gave as JSON of an int.
    pub fn int(&mut self, outcome: Outcome) -> Result<String, String> {
        self.outcome(builtin::INT, outcome)
    }
}

/// What a call gave that does not raise.
pub trait Given {
    fn word(self) -> u64;
}

impl Given for u64 {
    fn word(self) -> u64 {
        self
    }
}

impl Given for Outcome {
    fn word(self) -> u64 {
        assert_eq!(self.error, 0, "the call raises");
        self.value
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert_eq!(self.run.heap.take_internal(), None);
            assert_eq!(self.run.heap.live(), 0, "objects are left");
        }
    }
}
