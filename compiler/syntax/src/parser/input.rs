//! What the grammar reads and what it is made of: the token stream, the parser's state and the smallest productions.

use std::sync::Arc;

use chumsky::extra;
use chumsky::input::{Checkpoint, Cursor, MapExtra, Stream};
use chumsky::inspector::Inspector;
use chumsky::prelude::{Boxed, IterParser, Parser, custom};
use chumsky::recursive::{Indirect, Recursive};
use gsw_source::{Name, Span};

use crate::ast;
use crate::lexer::Lexed;
use crate::parser::depth;
use crate::parser::error::{Expected, ParseError};
use crate::token::{Token, TokenKind, Value, Word};

/// The tokens of one item, with spans relative to it.
pub(crate) type Tokens = Stream<std::vec::IntoIter<Token>>;

/// The error and state types of every production.
pub(crate) type Extra = extra::Full<ParseError, State, ()>;

pub(crate) type Rule<T> = Boxed<'static, 'static, Tokens, T, Extra>;

/// A production that others refer to before it is finished.
pub(crate) type Declared<T> = Recursive<Indirect<'static, 'static, Tokens, T, Extra>>;

/// What a mapping function sees of the parse.
pub(crate) type Context<'parse> = MapExtra<'static, 'parse, Tokens, Extra>;

pub(crate) struct ItemSource {
    /// The text of the file.
    pub(crate) text: Arc<str>,
    /// What the lexer found in it.
    pub(crate) lexed: Arc<Lexed>,
    /// Where the item starts in the file.
    pub(crate) start: u32,
    /// The item's tokens, with spans relative to `start`.
    pub(crate) tokens: Vec<Token>,
}

/// The state of one parse: its source, and how deep it is.
pub(crate) struct State {
    source: ItemSource,
    depth: u32,
    deepest: u32,
    links: u32,
}

impl State {
    pub(crate) fn new(source: ItemSource) -> Self {
        Self {
            source,
            depth: 0,
            deepest: 0,
            links: 0,
        }
    }

    /// The tokens of the item.
    pub(crate) fn tokens(&self) -> &[Token] {
        &self.source.tokens
    }

    /// The token at `index`, if there is one.
    pub(crate) fn token(&self, index: usize) -> Option<Token> {
        self.source.tokens.get(index).copied()
    }

    /// The kind of the token at `index`.
    pub(crate) fn kind(&self, index: usize) -> Option<TokenKind> {
        self.token(index).map(|token| token.kind)
    }

    /// The word at `index`; `Other` for everything that is no contextual word.
    pub(crate) fn word(&self, index: usize) -> Word {
        self.token(index).map_or(Word::Other, |token| token.word)
    }

    /// The kind of the token after the bracket pair that opens at `index`.
    pub(crate) fn kind_after_bracket(&self, index: usize) -> Option<TokenKind> {
        let token = self.token(index).filter(|token| token.is_matched())?;
        self.kind(index + token.value as usize + 1)
    }

    /// The source text of a span.
    pub(crate) fn text(&self, span: Span) -> &str {
        let start = (self.source.start + span.start) as usize;
        let end = (self.source.start + span.end) as usize;
        &self.source.text[start..end]
    }

    /// The identifier that a token is.
    pub(crate) fn identifier(&self, token: Token) -> ast::Identifier {
        ast::Identifier {
            name: Name::new(self.text(token.span)),
            span: token.span,
        }
    }

    /// Whether the identifier at `index` starts with a capital letter.
    pub(crate) fn is_capitalised(&self, index: usize) -> bool {
        self.token(index)
            .filter(|token| token.kind == TokenKind::Identifier)
            .is_some_and(|token| is_capitalised(self.text(token.span)))
    }

    /// What the literal token stands for.
    pub(crate) fn value(&self, token: Token) -> Option<&Value> {
        self.source.lexed.values.get(token.value as usize)
    }

    /// The text of a string token.
    pub(crate) fn string(&self, token: Token) -> Name {
        match self.value(token) {
            Some(Value::Text(text)) => text.clone(),
            Some(Value::Int(_) | Value::Float(_) | Value::Duration(_)) | None => Name::default(),
        }
    }

    /// The doc comment before the token at `index`.
    pub(crate) fn docs(&self, index: usize) -> Option<String> {
        if self.source.lexed.docs.is_empty() {
            return None;
        }
        let start = self.token(index)?.span.start + self.source.start;
        self.source
            .lexed
            .docs
            .get(&start)
            .map(|docs| docs.text.clone())
    }

    /// The bytes of the tokens `start..end`; empty at `start` when there are none.
    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        if start < end && end <= self.source.tokens.len() {
            return self.source.tokens[start]
                .span
                .to(self.source.tokens[end - 1].span);
        }
        let position = match self.token(start) {
            Some(token) => token.span.start,
            None => self.source.tokens.last().map_or(0, |token| token.span.end),
        };
        Span::new(position, position)
    }

    /// The index of the token at `span`.
    pub(crate) fn index_of(&self, span: Span) -> usize {
        self.source
            .tokens
            .partition_point(|token| token.span.start < span.start)
    }

    /// Goes one level deeper and returns the depth reached.
    pub(crate) fn enter(&mut self) -> u32 {
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        self.depth
    }

    pub(crate) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Counts a link of a chain such as `a + b + c`, which nests without brackets.
    pub(crate) fn count_link(&mut self) {
        self.links += 1;
    }

    /// Whether the tree might be deeper than allowed, so that its depth has to be measured.
    pub(crate) fn may_be_deep(&self) -> bool {
        self.deepest.saturating_add(self.links) > depth::DEEPEST_TREE / 4
    }

    /// The item when nothing could be made of it.
    pub(crate) fn invalid_item(&self) -> ast::Item {
        ast::Item {
            docs: self.docs(0),
            attributes: Vec::new(),
            visibility: ast::Visibility::Public,
            body: ast::ItemBody::Invalid,
            span: Span::new(0, self.span(0, self.tokens().len()).end),
        }
    }
}

impl Inspector<'static, Tokens> for State {
    type Checkpoint = u32;

    fn on_token(&mut self, _: &Token) {}

    fn on_save<'parse>(&self, _: &Cursor<'static, 'parse, Tokens>) -> u32 {
        self.depth
    }

    fn on_rewind<'parse>(&mut self, marker: &Checkpoint<'static, 'parse, Tokens, u32>) {
        self.depth = *marker.inspector();
    }
}

/// Whether a name is a type, variant or constant by its first letter.
pub(crate) fn is_capitalised(name: &str) -> bool {
    name.trim_start_matches('_')
        .starts_with(|first: char| first.is_ascii_uppercase())
}

/// A dotted name or a path without the blanks and comments between its parts.
pub(crate) fn without_comments(text: &str) -> String {
    let lines = text.lines();
    let code = lines.map(|it| it.split_once("//").map_or(it, |it| it.0));
    code.flat_map(str::split_whitespace).collect()
}

/// The bytes of what was just parsed.
pub(crate) fn span_of(context: &mut Context<'_>) -> Span {
    let range = context.span();
    context.state().span(range.start, range.end)
}

/// The index of the first token of what was just parsed.
pub(crate) fn start_of(context: &mut Context<'_>) -> usize {
    context.span().start
}

/// A token that `accept` takes.
fn token_where(
    accept: impl Fn(Token) -> bool + Copy + 'static,
    expected: Expected,
) -> impl Parser<'static, Tokens, Token, Extra> + Clone {
    custom::<_, Tokens, _, Extra>(move |input| {
        let index = *input.cursor().inner();
        match input.next() {
            Some(token) if accept(token) => Ok(token),
            Some(_) | None => Err(ParseError::unexpected(index, expected)),
        }
    })
}

/// A token of that kind.
pub(crate) fn token(kind: TokenKind) -> impl Parser<'static, Tokens, Token, Extra> + Clone {
    token_where(move |token| token.kind == kind, Expected::token(kind))
}

/// A token of that kind, called something else in errors.
pub(crate) fn token_as(
    kind: TokenKind,
    expected: Expected,
) -> impl Parser<'static, Tokens, Token, Extra> + Clone {
    token_where(move |token| token.kind == kind, expected)
}

/// A token of one of several kinds.
pub(crate) fn token_among(
    accept: fn(TokenKind) -> bool,
    expected: Expected,
) -> impl Parser<'static, Tokens, Token, Extra> + Clone {
    token_where(move |token| accept(token.kind), expected)
}

/// What `meaning` makes of the kind of a token.
pub(crate) fn token_that<T: 'static>(
    meaning: fn(TokenKind) -> Option<T>,
    expected: Expected,
) -> Rule<T> {
    custom::<_, Tokens, _, Extra>(move |input| {
        let index = *input.cursor().inner();
        input
            .next()
            .and_then(|token| meaning(token.kind))
            .ok_or(ParseError::unexpected(index, expected))
    })
    .boxed()
}

/// What `meaning` makes of a token.
pub(crate) fn token_meaning<T: 'static>(
    meaning: fn(Token) -> Option<T>,
    expected: Expected,
) -> Rule<T> {
    custom::<_, Tokens, _, Extra>(move |input| {
        let index = *input.cursor().inner();
        input
            .next()
            .and_then(meaning)
            .ok_or(ParseError::unexpected(index, expected))
    })
    .boxed()
}

pub(crate) fn word(
    word: Word,
    expected: Expected,
) -> impl Parser<'static, Tokens, Token, Extra> + Clone {
    token_where(move |token| token.word == word, expected)
}

pub(crate) fn identifier() -> Rule<ast::Identifier> {
    token_as(TokenKind::Identifier, Expected::NAME)
        .map_with(|token, context: &mut Context<'_>| context.state().identifier(token))
        .boxed()
}

/// An identifier or a reserved word, where both can only be names.
pub(crate) fn any_word() -> Rule<ast::Identifier> {
    token_where(Token::is_word, Expected::NAME)
        .map_with(|token, context: &mut Context<'_>| context.state().identifier(token))
        .boxed()
}

/// Nothing, where `accept` holds of the tokens from here on.
pub(crate) fn looking_at(
    accept: impl Fn(&State, usize) -> bool + Copy + 'static,
    expected: Expected,
) -> impl Parser<'static, Tokens, (), Extra> + Clone {
    custom::<_, Tokens, _, Extra>(move |input| {
        let index = *input.cursor().inner();
        if accept(input.state(), index) {
            Ok(())
        } else {
            Err(ParseError::unexpected(index, expected))
        }
    })
}

/// `inner`, one level deeper; an error where the tree would become too deep.
pub(crate) fn nested<T: 'static>(
    inner: impl Parser<'static, Tokens, T, Extra> + Clone + 'static,
) -> impl Parser<'static, Tokens, T, Extra> + Clone {
    let enter = custom::<_, Tokens, _, Extra>(|input| {
        let index = *input.cursor().inner();
        if input.state().enter() > depth::DEEPEST_TREE {
            return Err(ParseError::too_deep(index));
        }
        Ok(())
    });
    let leave = custom::<_, Tokens, _, Extra>(|input| {
        input.state().leave();
        Ok(())
    });
    enter.ignore_then(inner).then_ignore(leave)
}

pub(crate) fn between<T: 'static>(
    open: TokenKind,
    inner: impl Parser<'static, Tokens, T, Extra> + Clone + 'static,
    close: TokenKind,
) -> impl Parser<'static, Tokens, T, Extra> + Clone {
    token(open).ignore_then(inner).then_ignore(token(close))
}

/// `inner`, separated by commas, with one more allowed at the end.
pub(crate) fn commas<T: 'static>(
    inner: impl Parser<'static, Tokens, T, Extra> + Clone + 'static,
) -> impl Parser<'static, Tokens, Vec<T>, Extra> + Clone {
    inner
        .separated_by(token(TokenKind::Comma))
        .allow_trailing()
        .collect()
}
