//! Where in an answer something stands, while it is being read.

use std::borrow::Cow;

use gsw_notation::issue::Issue;
use gsw_notation::path::{self, Step};

/// A place in a value; each knows the one around it, so that going down costs nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'p> {
    around: Option<&'p Place<'p>>,
    step: At<'p>,
    /// Whether what stands here is hidden from observers.
    is_hidden: bool,
}

#[derive(Clone, Copy, Debug)]
enum At<'p> {
    Root,
    Key(&'p str),
    Index(usize),
}

impl<'p> Place<'p> {
    /// The answer itself.
    pub const ROOT: Place<'static> = Place {
        around: None,
        step: At::Root,
        is_hidden: false,
    };

    pub fn key(&'p self, key: &'p str) -> Self {
        self.down(At::Key(key))
    }

    pub fn index(&'p self, index: usize) -> Self {
        self.down(At::Index(index))
    }

    /// The same place, of which observers see nothing but that it is there.
    pub fn hidden(self) -> Self {
        Self {
            is_hidden: true,
            ..self
        }
    }

    fn down(&'p self, step: At<'p>) -> Self {
        Self {
            around: Some(self),
            step,
            is_hidden: false,
        }
    }

    /// Whether it lies in something hidden.
    pub fn is_hidden(&self) -> bool {
        self.is_hidden || self.around.is_some_and(Place::is_hidden)
    }

    /// What is wrong here; of what is hidden nothing is told but that it is wrong.
    pub fn issue(&self, expected: String, found: String) -> Issue {
        let found = match self.is_hidden() {
            true => "a hidden value".into(),
            false => found,
        };
        Issue::new(path::text(&self.steps()), expected, found)
    }

    /// The steps to it; no further than to what is hidden, whose keys may be secrets as well.
    pub fn steps(&self) -> Vec<Step<'static>> {
        let mut steps = Vec::new();
        let mut place = Some(self);
        while let Some(it) = place {
            if it.is_hidden {
                steps.clear();
            }
            match it.step {
                At::Root => {}
                At::Key(key) => steps.push(Step::Key(Cow::Owned(key.to_owned()))),
                At::Index(index) => steps.push(Step::Index(index)),
            }
            place = it.around;
        }
        steps.reverse();
        steps
    }
}
