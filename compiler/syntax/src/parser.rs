//! The grammar: from the tokens of one item to its syntax tree.

mod depth;
pub(crate) mod error;
mod expression;
mod grammar;
mod input;
mod item;
mod line;
mod literal;
mod modifier;
mod node;
mod operand;
mod pattern;
mod recovery;
mod rules;
mod setting;
mod signature;
mod statement;
mod type_expression;

pub(crate) use error::{Expected, is_word_of_declaration, word_instead};
pub use error::{ParseError, Reason, SIMPLE_TYPES, reserved_word};

use std::sync::Arc;

use chumsky::Parser;
use chumsky::input::Stream;

use crate::ast;
use crate::lexer::Lexed;
use crate::parser::grammar::Grammar;
use crate::parser::input::{ItemSource, State};
use crate::token::Token;

/// What parsing an item gives.
#[derive(Clone, Debug)]
pub struct ParsedItem {
    /// The tree; `ItemBody::Invalid` when nothing could be made of it.
    pub item: ast::Item,
    /// What was wrong, in the order in which it was found.
    pub errors: Vec<ParseError>,
}

/// Parses the tokens of one item, whose spans count from `start`.
#[must_use]
pub fn parse_item(
    text: &Arc<str>,
    lexed: &Arc<Lexed>,
    tokens: Vec<Token>,
    start: u32,
) -> ParsedItem {
    let source = ItemSource {
        text: Arc::clone(text),
        lexed: Arc::clone(lexed),
        start,
        tokens,
    };
    if depth::estimate(&source.tokens) > depth::PLAIN_STACK {
        return depth::with_large_stack(move || parse(source));
    }
    parse(source)
}

thread_local! {
    /// Building the grammar costs far more than parsing an item, so each thread builds it once.
    static GRAMMAR: Grammar = Grammar::new();
}

fn parse(source: ItemSource) -> ParsedItem {
    let mut state = State::new(source);
    let input = Stream::from_iter(state.tokens().to_vec());
    let (item, mut errors) = GRAMMAR
        .with(|grammar| grammar.item.parse_with_state(input, &mut state))
        .into_output_errors();
    let mut item = item.unwrap_or_else(|| state.invalid_item());
    if state.may_be_deep() {
        errors.extend(depth::limit(&mut item));
    }
    ParsedItem { item, errors }
}
