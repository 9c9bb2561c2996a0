//! Forms of other languages at whose sign another sentence of these tables would mislead: tried before all others.

use super::declarations::is_parameter;
use super::{Edit, Sign, sign};
use crate::parser::error::Expected;
use crate::parser::error::sight::Sight;
use crate::token::{LineStart, Token, TokenKind as Kind, Word};

/// In the order in which they are tried.
pub(super) const FORMS: &[Sign] = &[
    sign(
        &[Kind::Colon],
        |it| {
            let is_bound = it.expects(Expected::END_OF_STATEMENT) && it.begins_statement(1);
            is_bound && !it.precedes(Kind::Equal) && it.precedes_on_line(Kind::Equal)
        },
        "a value is bound with `let`, a variable declared with `var`, and the type comes after the name: `let x: int = 1`",
        Edit::None,
    ),
    sign(
        &[Kind::ParenOpen, Kind::BraceOpen, Kind::BracketOpen],
        |it| is_parameter(it) && it.is_in_parentheses(),
        "a parameter is one name with its type, and its value is destructured in the body: `let (a, b) = pair`",
        Edit::None,
    ),
    sign(
        &[Kind::ParenOpen],
        |it| it.expects(Expected::NAME) && it.index == 1 && it.before(1).is_some_and(is_of_call),
        "what is declared has a name, by which it is called: `fn total(n: int) -> int { … }`, `external payment(order: string) -> bool`",
        Edit::None,
    ),
    sign(
        &[Kind::BraceOpen],
        |it| it.expects(Expected::END_OF_STATEMENT) && it.called_word() == Some(Word::Undo),
        "what takes something back goes in braces alone, where it sees the variables around it: `undo { refund(order) }`",
        Edit::None,
    ),
    sign(
        &[Kind::BraceOpen],
        |it| {
            let is_modifier = it.before(3).is_some_and(|it| it.word.modifier().is_some());
            is_modifier && it.follows(2, Kind::Minus) && it.expects(Expected::END_OF_STATEMENT)
        },
        "a modifier is followed by a number that is not negative: `retry 3 { … }`",
        Edit::None,
    ),
    sign(
        &[Kind::Arrow],
        |it| it.is_in_call_of_script(),
        "a scripted model calls the tool itself; what it gives instead is said beside it: `mock find(_) -> value`",
        Edit::None,
    ),
    sign(
        &[Kind::Dot],
        |it| it.follows(2, Kind::At) && it.expects(Expected::DECLARATION),
        "a tool is declared with `tool`, and an agent lists it: `tool search(query: string) -> string reads { … }`, then `tools: [search]`",
        Edit::None,
    ),
    sign(
        &[Kind::Equal],
        |it| {
            it.tokens.first().is_some_and(|it| it.word == Word::Prompt)
                && it.expects_token(Kind::BraceOpen)
        },
        "what a model is asked goes in braces, and the type of its answer before them: `prompt greet(name: string) -> string by helper { user \"Greet ${name}\" }`",
        Edit::None,
    ),
];

/// Whether a word declares what is called.
fn is_of_call(token: Token) -> bool {
    let is_called = matches!(
        token.word,
        Word::External | Word::Human | Word::Prompt | Word::Tool
    );
    is_called || matches!(token.kind, Kind::Fn | Kind::Workflow)
}

impl Sight<'_> {
    /// Whether the token this many places before is a name that begins a statement.
    fn begins_statement(&self, count: usize) -> bool {
        let begins = self.before(count).is_some_and(|it| {
            let is_name = it.kind == Kind::Identifier;
            is_name && it.line_start != LineStart::Inside
        });
        let is_after = [Kind::BraceOpen, Kind::Newline, Kind::Semicolon]
            .iter()
            .any(|kind| self.follows(count + 1, *kind));
        self.follows(count, Kind::Identifier) && (begins || is_after)
    }

    /// Whether the line up to the token is `call name(…)`.
    pub(in crate::parser::error) fn is_in_call_of_script(&self) -> bool {
        let before = &self.tokens[..self.index];
        let line = before
            .iter()
            .rposition(|it| it.line_start != LineStart::Inside);
        let line = &before[line.unwrap_or(0)..];
        let mut pairs = line.windows(2);
        pairs.any(|it| it[0].word == Word::Call && it[1].kind == Kind::Identifier)
    }

    /// Whether the innermost bracket is a parenthesis.
    fn is_in_parentheses(&self) -> bool {
        let opener = self.opener(self.index);
        opener.is_some_and(|it| self.tokens[it].kind == Kind::ParenOpen)
    }

    /// The word that reads as a function which is called right before the token.
    fn called_word(&self) -> Option<Word> {
        let closer = self.index.checked_sub(1)?;
        let opener = self
            .opener(closer)
            .filter(|_| self.follows(1, Kind::ParenClose))?;
        Some(self.tokens.get(opener.checked_sub(1)?)?.word)
    }
}
