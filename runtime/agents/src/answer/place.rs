//! A place in an answer, while it is being read.

use std::borrow::Cow;

use gsw_notation::issue::Issue;
use gsw_notation::path::{self, Step};

/// A place in a value; each knows the one around it, so that going down costs nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'p> {
    around: Option<&'p Place<'p>>,
    step: At<'p>,
    /// Its place in the value that is made of the answer.
    in_value: InValue<'p>,
    /// Whether what is here is hidden from observers.
    is_hidden: bool,
}

#[derive(Clone, Copy, Debug)]
enum At<'p> {
    Root,
    Key(&'p str),
    Index(usize),
}

/// What a step is in the value that is made of the answer.
#[derive(Clone, Copy, Debug)]
enum InValue<'p> {
    Same,
    /// The text around the value is not part of it.
    Nothing,
    Key(&'p str),
}

impl<'p> Place<'p> {
    pub const ROOT: Place<'static> = Place {
        around: None,
        step: At::Root,
        in_value: InValue::Same,
        is_hidden: false,
    };

    pub fn key(&'p self, key: &'p str) -> Self {
        self.down(At::Key(key))
    }

    pub fn index(&'p self, index: usize) -> Self {
        self.down(At::Index(index))
    }

    /// Makes the place hidden: observers see only that it exists.
    pub fn hidden(self) -> Self {
        Self {
            is_hidden: true,
            ..self
        }
    }

    /// Marks the last step as one that the value does not have.
    pub fn of_answer(self) -> Self {
        let in_value = InValue::Nothing;
        Self { in_value, ..self }
    }

    /// Puts the place at this key in the value.
    pub fn in_value_at(self, key: &'p str) -> Self {
        let in_value = InValue::Key(key);
        Self { in_value, ..self }
    }

    fn down(&'p self, step: At<'p>) -> Self {
        Self {
            around: Some(self),
            step,
            in_value: InValue::Same,
            is_hidden: false,
        }
    }

    /// Whether it is inside something hidden.
    pub fn is_hidden(&self) -> bool {
        self.is_hidden || self.around.is_some_and(Place::is_hidden)
    }

    /// What is wrong here; of what is hidden it reports only that it is wrong.
    pub fn issue(&self, expected: String, found: String) -> Issue {
        let found = match self.is_hidden() {
            true => "a hidden value".into(),
            false => found,
        };
        Issue::new(path::text(&self.steps()), expected, found)
    }

    /// The steps to it in the value that is made of the answer. What is hidden is no text for anybody here.
    pub fn in_value(&self) -> Vec<Step<'static>> {
        let places = std::iter::successors(Some(self), |it| it.around);
        let mut steps: Vec<Step<'static>> = places.filter_map(Self::last_in_value).collect();
        steps.reverse();
        steps
    }

    fn last_in_value(&self) -> Option<Step<'static>> {
        match (self.in_value, self.step) {
            (InValue::Key(key), _) | (InValue::Same, At::Key(key)) => {
                Some(Step::Key(Cow::Owned(key.to_owned())))
            }
            (InValue::Same, At::Index(index)) => Some(Step::Index(index)),
            (InValue::Same, At::Root) | (InValue::Nothing, _) => None,
        }
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
