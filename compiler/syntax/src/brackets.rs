//! Pairs brackets and cuts the tokens of a file into items, so that one unclosed bracket spoils one item.

mod left_open;

use std::ops::Range;

use rustc_hash::FxHashSet;

use self::left_open::left_open;
use crate::layout::{continues_after, continues_before};
use crate::token::{LineStart, Token, TokenKind, Word};

/// How deeply brackets may nest.
pub const DEEPEST_NESTING: usize = 256;

/// The shape of a file's tokens.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Brackets {
    /// For each token the index of its partner; its own index when it has none.
    pub partners: Vec<usize>,
    /// The indices of the tokens that start an item, in order; the first is 0 unless there are no tokens.
    pub cuts: Vec<usize>,
    /// Opening brackets that nest too deeply, at most one for an item.
    pub too_deep: Vec<usize>,
}

/// Finds partners and cuts, in a second pass where a map or a function type that is not closed has taken the bracket of what is around it.
#[must_use]
pub fn pair_brackets(tokens: &[Token]) -> Brackets {
    let brackets = pair(tokens, &FxHashSet::default());
    let left_open = left_open(tokens, &brackets);
    if left_open.is_empty() {
        return brackets;
    }
    pair(tokens, &left_open)
}

fn pair(tokens: &[Token], left_open: &FxHashSet<usize>) -> Brackets {
    let mut scan = Scan {
        tokens,
        left_open,
        result: Brackets {
            partners: (0..tokens.len()).collect(),
            ..Brackets::default()
        },
        open: Vec::new(),
        item: ItemState::Prefix,
        prefix: 0..0,
    };
    for index in 0..tokens.len() {
        scan.token(index);
    }
    scan.result
}

/// What the tokens since the last cut are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ItemState {
    /// Only attributes and `private`.
    Prefix,
    Declaration,
    Invalid,
}

struct Scan<'tokens> {
    tokens: &'tokens [Token],
    /// Brackets that are known to have no partner.
    left_open: &'tokens FxHashSet<usize>,
    result: Brackets,
    open: Vec<usize>,
    item: ItemState,
    /// The attributes and `private` that were passed over last, so that many below one another are passed over once.
    prefix: Range<usize>,
}

impl Scan<'_> {
    fn token(&mut self, index: usize) {
        let token = self.tokens[index];
        self.cut(index);
        if token.kind.is_opener() && !self.left_open.contains(&index) {
            self.open.push(index);
            let is_first_of_item = self.result.too_deep.last() < self.result.cuts.last();
            if self.open.len() > DEEPEST_NESTING && is_first_of_item {
                self.result.too_deep.push(index);
            }
        } else if token.kind.is_closer() {
            self.close(index);
        }
    }

    fn close(&mut self, index: usize) {
        let kind = self.tokens[index].kind;
        // Looking no further than brackets may nest keeps the search short in texts that are nothing but brackets.
        let first = self.open.len().saturating_sub(DEEPEST_NESTING);
        let mut nearest = (first..self.open.len()).rev();
        let partner = nearest.find(|depth| {
            let open = self.tokens[self.open[*depth]].kind;
            // A bracket inside `${ }` never pairs with one outside.
            open.closer() == Some(kind) || open == TokenKind::InterpolationOpen
        });
        let Some(depth) = partner else { return };
        let open = self.open[depth];
        if self.tokens[open].kind.closer() == Some(kind) {
            self.open.truncate(depth);
            self.result.partners[open] = index;
            self.result.partners[index] = open;
        }
    }

    /// Starts a new item at `index` if one starts there.
    fn cut(&mut self, index: usize) {
        let token = self.tokens[index];
        let is_line_start = token.line_start != LineStart::Inside;
        let follows_semicolon = index > 0 && self.tokens[index - 1].kind == TokenKind::Semicolon;
        if index > 0 && !is_line_start && !follows_semicolon {
            if self.open.is_empty() && self.item == ItemState::Prefix {
                self.continue_prefix(index);
            }
            return;
        }
        let starts = starts_declaration(self.tokens, index);
        if !self.open.is_empty() {
            let is_at_margin = token.line_start == LineStart::Margin;
            if is_at_margin && (starts || self.declares_after_prefix(index)) {
                self.open.clear();
                let item = if starts {
                    ItemState::Declaration
                } else {
                    ItemState::Prefix
                };
                self.start(index, item);
            }
            return;
        }
        if index > 0 && self.item == ItemState::Prefix {
            self.continue_prefix(index);
            return;
        }
        if starts {
            self.start(index, ItemState::Declaration);
        } else if matches!(token.kind, TokenKind::At | TokenKind::Private) {
            self.start(index, ItemState::Prefix);
        } else if index == 0 || self.is_stray(index) {
            self.start(index, ItemState::Invalid);
        }
    }

    fn start(&mut self, index: usize, item: ItemState) {
        self.result.cuts.push(index);
        self.item = item;
    }

    /// Decides whether the tokens after attributes and `private` are a declaration.
    fn continue_prefix(&mut self, index: usize) {
        let before = self.tokens[index - 1].kind;
        let follows_private = before == TokenKind::Private;
        // The name of an attribute begins nothing: `@tool` above a declaration.
        if before != TokenKind::At && starts_declaration(self.tokens, index) {
            self.item = ItemState::Declaration;
        } else if follows_private && self.tokens[index].kind == TokenKind::Identifier {
            // What follows is not waited for any more.
            self.item = ItemState::Invalid;
        }
    }

    /// Whether attributes or `private` start at `index`, and a declaration after them.
    fn declares_after_prefix(&mut self, index: usize) -> bool {
        if !matches!(self.tokens[index].kind, TokenKind::At | TokenKind::Private) {
            return false;
        }
        if !self.prefix.contains(&index) {
            self.prefix = index..after_prefix(self.tokens, index);
        }
        let first = self.prefix.end;
        first < self.tokens.len() && starts_declaration(self.tokens, first)
    }

    /// Whether the token is at the margin, belongs to no declaration and continues none.
    fn is_stray(&self, index: usize) -> bool {
        let token = self.tokens[index];
        token.line_start == LineStart::Margin
            && (self.item == ItemState::Declaration || self.begins_next(index))
            && token.kind != TokenKind::BraceOpen
            && !token.kind.is_closer()
            && !is_header_word(token.word)
            && !continues_before(token.kind)
            && !continues_after(self.tokens[index - 1].kind)
    }

    /// Whether two words on a line behind the braces of what could not be read begin the next that cannot.
    fn begins_next(&self, index: usize) -> bool {
        let next = self.tokens.get(index + 1);
        let are_words = self.tokens[index].kind == TokenKind::Identifier
            && next.is_some_and(|it| it.is_word() && it.line_start == LineStart::Inside);
        are_words && self.tokens[index - 1].kind == TokenKind::BraceClose
    }
}

/// The index after the attributes and `private` that start at `index`.
pub(crate) fn after_prefix(tokens: &[Token], mut index: usize) -> usize {
    let kind = |index: usize| tokens.get(index).map(|token| token.kind);
    loop {
        if kind(index) == Some(TokenKind::Private) {
            index += 1;
        } else if kind(index) == Some(TokenKind::At) {
            index += 2;
            if kind(index) == Some(TokenKind::ParenOpen) {
                let rest = tokens[index..].iter();
                // One that is not closed ends before the next line at the margin.
                let inside = rest
                    .take_while(|it| it.kind != TokenKind::ParenClose)
                    .take_while(|it| it.line_start != LineStart::Margin);
                index += inside.count();
                if kind(index) == Some(TokenKind::ParenClose) {
                    index += 1;
                }
            }
        } else {
            return index;
        }
    }
}

/// The reserved words of declarations that a name follows.
const NAMED_BY_KEYWORD: [TokenKind; 6] = [
    TokenKind::Const,
    TokenKind::Enum,
    TokenKind::Error,
    TokenKind::Fn,
    TokenKind::Type,
    TokenKind::Workflow,
];

/// The other words of declarations that a name follows.
const NAMED_BY_WORD: [Word; 8] = [
    Word::Agent,
    Word::Prompt,
    Word::Tool,
    Word::Mcp,
    Word::Hook,
    Word::Human,
    Word::External,
    Word::Skill,
];

/// Whether a declaration's keyword is at `index`, with what must follow it.
#[must_use]
pub fn starts_declaration(tokens: &[Token], index: usize) -> bool {
    let token = tokens[index];
    let next = tokens.get(index + 1);
    let next_kind = next.map(|token| token.kind);
    if token.kind == TokenKind::Import {
        return !matches!(next_kind, Some(TokenKind::Colon | TokenKind::Equal));
    }
    if token.kind == TokenKind::Fn && next.is_some_and(|token| token.is_word()) {
        return true;
    }
    if NAMED_BY_KEYWORD.contains(&token.kind) {
        return next_kind == Some(TokenKind::Identifier)
            || next.is_none_or(|token| token.line_start != LineStart::Inside);
    }
    if NAMED_BY_WORD.contains(&token.word) {
        return next_kind == Some(TokenKind::Identifier);
    }
    let is_string = matches!(next_kind, Some(TokenKind::String | TokenKind::StringOpen));
    (token.word == Word::Test && is_string)
        || (token.word == Word::Permissions && next_kind == Some(TokenKind::BraceOpen))
}

/// Whether a line that starts with the word continues a declaration's header.
pub(crate) fn is_header_word(word: Word) -> bool {
    word.belongs_to_modifier()
        || matches!(
            word,
            Word::By
                | Word::With
                | Word::Where
                | Word::Until
                | Word::Uses
                | Word::Pure
                | Word::Reads
                | Word::Idempotent
                | Word::Once
                | Word::Cassette
                | Word::Pass
                | Word::Repeat
        )
}
