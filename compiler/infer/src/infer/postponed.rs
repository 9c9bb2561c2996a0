//! Questions that inference could not answer where they came up, kept until more is known.

use gsw_names::types::Type;
use gsw_source::{Name, Span};

use crate::item_bodies::Requirement;

#[derive(Default)]
pub(super) struct Postponed {
    // Types as they were when the question came up: their variables are looked up again when it is answered.
    requirements: Vec<(Requirement, Type, Span)>,
    text_patterns: Vec<(Name, Type, Span)>,
}

impl Postponed {
    /// An operand whose type was unknown when an operator met it.
    pub(super) fn add_requirement(&mut self, requirement: Requirement, ty: Type, span: Span) {
        self.requirements.push((requirement, ty, span));
    }

    pub(super) fn take_requirements(&mut self) -> Vec<(Requirement, Type, Span)> {
        std::mem::take(&mut self.requirements)
    }

    /// A literal pattern on a string that may yet be a literal of a union.
    pub(super) fn add_text_pattern(&mut self, text: Name, ty: Type, span: Span) {
        self.text_patterns.push((text, ty, span));
    }

    pub(super) fn take_text_patterns(&mut self) -> Vec<(Name, Type, Span)> {
        std::mem::take(&mut self.text_patterns)
    }
}
