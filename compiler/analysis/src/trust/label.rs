//! What is known of where a value comes from.

use std::collections::BTreeMap;

use gsw_source::Span;

/// Where a value comes from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Label {
    /// What of it comes from outside, the first that was found.
    pub foreign: Option<Source>,
    /// The parameters of the item around that it is made of.
    pub parameters: Parameters,
    /// The functions around that are kept, and so may be called with anything, of whose parameters it is made: by depth.
    pub handed: BTreeMap<u32, Span>,
}

/// Where an untrusted value comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Source {
    /// Where it comes into the item.
    pub span: Span,
    /// As in "what `get` gives".
    pub what: String,
}

/// A set of parameters; those beyond the last share its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Parameters(u64);

const LAST: u32 = 63;

impl Parameters {
    pub(super) fn one(index: u32) -> Self {
        Self(1 << index.min(LAST))
    }

    pub(super) fn contains(self, index: u32) -> bool {
        self.0 & Self::one(index).0 != 0
    }

    pub(super) fn indices(self) -> impl Iterator<Item = u32> {
        (0..=LAST).filter(move |it| self.contains(*it))
    }

    /// The index by which [`Self::indices`] has this parameter.
    pub(super) fn index(parameter: u32) -> u32 {
        parameter.min(LAST)
    }
}

impl Label {
    pub(super) fn foreign(span: Span, what: impl Into<String>) -> Self {
        Self {
            foreign: Some(Source {
                span,
                what: what.into(),
            }),
            ..Self::default()
        }
    }

    pub(super) fn parameter(index: u32) -> Self {
        Self {
            parameters: Parameters::one(index),
            ..Self::default()
        }
    }

    pub(super) fn handed(depth: u32, span: Span) -> Self {
        Self {
            handed: BTreeMap::from([(depth, span)]),
            ..Self::default()
        }
    }

    /// Adds the other. What was found first stays, so that what is known only grows.
    pub(super) fn join(&mut self, other: &Self) {
        if self.foreign.is_none() {
            self.foreign.clone_from(&other.foreign);
        }
        for (depth, span) in &other.handed {
            self.handed.entry(*depth).or_insert(*span);
        }
        self.parameters.0 |= other.parameters.0;
    }

    /// What a call gives whose arguments have these labels: a summary with them in the place of parameters. What comes from outside
    /// comes in here. The functions around are those of the caller.
    pub(super) fn called(&self, arguments: &[Self], span: Span, callee: &str) -> Self {
        let mut result = Self::default();
        for (index, argument) in (0..).zip(arguments) {
            if self.parameters.contains(index) {
                result.join(argument);
            }
        }
        if self.foreign.is_some() {
            result.join(&Self::foreign(span, format!("what `{callee}` gives")));
        }
        result
    }
}
