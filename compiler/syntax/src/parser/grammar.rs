//! Builds the grammar: every production, in terms of the handles of the others.

use chumsky::prelude::Parser;

use crate::ast;
use crate::parser::input::{Rule, nested};
use crate::parser::rules::{Mode, Rules};
use crate::parser::{expression, item, operand, pattern, setting, statement, type_expression};

pub(crate) struct Grammar {
    /// One item, up to its end.
    pub(crate) item: Rule<ast::Item>,
}

impl Grammar {
    pub(crate) fn new() -> Self {
        let mut rules = Rules::declare();
        let known = rules.clone();
        for mode in [Mode::Full, Mode::Head, Mode::Guard] {
            let production = nested(expression::expression(&known, mode)).boxed();
            rules.define_expression(mode, production);
            rules.define_catch(mode, expression::catch(&known, mode));
        }
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
