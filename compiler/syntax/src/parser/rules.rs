//! The productions that refer to each other, and the order in which they are built.

use chumsky::prelude::Parser;
use chumsky::recursive::Recursive;

use crate::ast;
use crate::parser::input::{Declared, Rule, nested};
use crate::parser::{expression, item, operand, pattern, setting, statement, type_expression};

/// How much of the expression grammar may be used at a place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// All of it.
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
    /// Expressions that start with a keyword or contextual word, the same in every mode.
    pub(crate) keyword_expression: Declared<ast::Expression>,
    /// `if …`
    pub(crate) if_expression: Declared<ast::Expression>,
    /// A name, literal or parenthesis with fields, indices and calls, but without call modifiers.
    pub(crate) simple_operand: Declared<ast::Expression>,
    /// Any operand with fields, indices and calls, and call modifiers behind the calls.
    pub(crate) call: Declared<ast::Expression>,
    /// `{ statements }`
    pub(crate) block: Declared<ast::Block>,
    /// `{ arms }`
    pub(crate) arms: Declared<Vec<ast::MatchArm>>,
    /// `(arguments)`
    pub(crate) arguments: Declared<Vec<ast::Argument>>,
    /// `{ settings }`
    pub(crate) settings: Declared<Vec<ast::Setting>>,
    /// A pattern, with `|`.
    pub(crate) pattern: Declared<ast::Pattern>,
    /// A type without `|`.
    pub(crate) optional_type: Declared<ast::TypeExpression>,
    /// A type behind `as`.
    pub(crate) conversion_type: Declared<ast::TypeExpression>,
    /// A type, with `|`.
    pub(crate) type_expression: Declared<ast::TypeExpression>,
}

impl Rules {
    /// The expression production of a mode.
    pub(crate) fn expression(&self, mode: Mode) -> Declared<ast::Expression> {
        match mode {
            Mode::Full => self.full.clone(),
            Mode::Head => self.head.clone(),
            Mode::Guard => self.guard.clone(),
        }
    }

    /// An expression wherever nothing is forbidden.
    pub(crate) fn any_expression(&self) -> Declared<ast::Expression> {
        self.full.clone()
    }
}

/// The finished grammar.
pub(crate) struct Grammar {
    /// One item, up to its end.
    pub(crate) item: Rule<ast::Item>,
}

impl Grammar {
    /// Builds every production.
    pub(crate) fn new() -> Self {
        let mut rules = Rules {
            full: Recursive::declare(),
            head: Recursive::declare(),
            guard: Recursive::declare(),
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
        };
        let known = rules.clone();
        rules
            .full
            .define(nested(expression::expression(&known, Mode::Full)));
        rules
            .head
            .define(nested(expression::expression(&known, Mode::Head)));
        rules
            .guard
            .define(nested(expression::expression(&known, Mode::Guard)));
        rules
            .keyword_expression
            .define(operand::keyword_expression(&known));
        rules
            .if_expression
            .define(nested(operand::if_expression(&known)));
        rules
            .simple_operand
            .define(nested(operand::simple_operand(&known)));
        rules
            .call
            .define(nested(operand::chain(&known, Mode::Head)));
        rules.block.define(nested(statement::block(&known)));
        rules.arms.define(operand::arms(&known));
        rules.arguments.define(operand::arguments(&known));
        rules.settings.define(nested(setting::settings(&known)));
        rules.pattern.define(nested(pattern::pattern(&known)));
        rules
            .optional_type
            .define(type_expression::optional_type(&known));
        rules
            .conversion_type
            .define(type_expression::conversion_type(&known));
        rules
            .type_expression
            .define(nested(type_expression::type_expression(&known)));
        Self {
            item: item::item(&known).boxed(),
        }
    }
}
