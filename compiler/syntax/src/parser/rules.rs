//! Handles of the productions that refer to each other.

use chumsky::recursive::Recursive;

use crate::ast;
use crate::parser::expression::CatchArms;
use crate::parser::input::{Declared, Rule};

/// How much of the expression grammar may be used at a place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Full,
    /// In a head, where `{` opens the body: no map and no record literal.
    Head,
    /// In a guard, which ends at `=>`: no lambda.
    Guard,
}

/// Handles of the productions that others use before they are finished.
#[derive(Clone)]
pub(crate) struct Rules {
    full: Declared<ast::Expression>,
    head: Declared<ast::Expression>,
    guard: Declared<ast::Expression>,
    full_catch: Declared<CatchArms>,
    head_catch: Declared<CatchArms>,
    guard_catch: Declared<CatchArms>,
    /// Expressions that start with a keyword or contextual word, the same in every mode.
    pub(crate) keyword_expression: Declared<ast::Expression>,
    pub(crate) if_expression: Declared<ast::Expression>,
    /// A name, literal or parenthesis with fields, indices and calls, but without call modifiers.
    pub(crate) simple_operand: Declared<ast::Expression>,
    /// Any operand with fields, indices and calls, and call modifiers after the calls.
    pub(crate) call: Declared<ast::Expression>,
    pub(crate) block: Declared<ast::Block>,
    pub(crate) arms: Declared<Vec<ast::MatchArm>>,
    pub(crate) arguments: Declared<Vec<ast::Argument>>,
    pub(crate) settings: Declared<Vec<ast::Setting>>,
    /// A pattern, in which `|` may join alternatives.
    pub(crate) pattern: Declared<ast::Pattern>,
    /// A type without `|` at its outermost level.
    pub(crate) optional_type: Declared<ast::TypeExpression>,
    pub(crate) conversion_type: Declared<ast::TypeExpression>,
    /// A type, in which `|` may join literals.
    pub(crate) type_expression: Declared<ast::TypeExpression>,
}

impl Rules {
    /// Handles of which none is defined.
    pub(crate) fn declare() -> Self {
        Self {
            full: Recursive::declare(),
            head: Recursive::declare(),
            guard: Recursive::declare(),
            full_catch: Recursive::declare(),
            head_catch: Recursive::declare(),
            guard_catch: Recursive::declare(),
            keyword_expression: Recursive::declare(),
            if_expression: Recursive::declare(),
            simple_operand: Recursive::declare(),
            call: Recursive::declare(),
            block: Recursive::declare(),
            arms: Recursive::declare(),
            arguments: Recursive::declare(),
            settings: Recursive::declare(),
            pattern: Recursive::declare(),
            optional_type: Recursive::declare(),
            conversion_type: Recursive::declare(),
            type_expression: Recursive::declare(),
        }
    }

    /// Defines the expression production of a mode.
    pub(crate) fn define_expression(&mut self, mode: Mode, production: Rule<ast::Expression>) {
        match mode {
            Mode::Full => self.full.define(production),
            Mode::Head => self.head.define(production),
            Mode::Guard => self.guard.define(production),
        }
    }

    /// The expression production of a mode.
    pub(crate) fn expression(&self, mode: Mode) -> Declared<ast::Expression> {
        match mode {
            Mode::Full => self.full.clone(),
            Mode::Head => self.head.clone(),
            Mode::Guard => self.guard.clone(),
        }
    }

    /// Defines the production of a `catch` in a mode.
    pub(crate) fn define_catch(&mut self, mode: Mode, production: Rule<CatchArms>) {
        match mode {
            Mode::Full => self.full_catch.define(production),
            Mode::Head => self.head_catch.define(production),
            Mode::Guard => self.guard_catch.define(production),
        }
    }

    /// The production of a `catch` in a mode.
    pub(crate) fn catch(&self, mode: Mode) -> Declared<CatchArms> {
        match mode {
            Mode::Full => self.full_catch.clone(),
            Mode::Head => self.head_catch.clone(),
            Mode::Guard => self.guard_catch.clone(),
        }
    }

    /// An expression wherever nothing is forbidden.
    pub(crate) fn any_expression(&self) -> Declared<ast::Expression> {
        self.full.clone()
    }
}
