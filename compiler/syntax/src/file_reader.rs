//! A file parsed item by item.

use std::sync::Arc;

use gsw_source::{Db, Diagnostic, File, Span};

use crate::ast::{Item, ItemBody, Visibility};
use crate::foreign_head::replace;
use crate::last_parse::{ItemPlace, LastParse};
use crate::layout::{ItemTokens, Layout, lay_out};
use crate::lexer::{Lexed, lex};
use crate::misspelt::correct;
use crate::parsed_file::FileItem;
use crate::parser::{ParseError, parse_item};
use crate::parser_report::Report;
use crate::token::Token;
use crate::trivia::Comment;

/// A file whose items are parsed when they are asked for. The trees of a large file take many times its size, so code that
/// looks at each item only once reads them here and drops each before the next.
pub struct FileReader {
    file: File,
    text: Arc<str>,
    lexed: Arc<Lexed>,
    layout: Layout,
}

/// An item that was just parsed.
pub struct ReadItem {
    /// Its tree, the tokens that it was made of, and its place.
    pub(crate) parsed: ParsedTokens,
    /// What is wrong with its syntax.
    pub diagnostics: Vec<Diagnostic>,
}

impl ReadItem {
    /// Its tree, with spans relative to `offset`.
    #[must_use]
    pub fn item(&self) -> &Item {
        &self.parsed.item
    }

    /// Whether its tree has all of its text. A mistake may be left to a later report, and is none of `diagnostics` then.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let ParsedTokens {
            errors, too_deep, ..
        } = &self.parsed;
        self.diagnostics.is_empty() && errors.is_empty() && too_deep.is_none()
    }

    /// Its first byte in the file.
    #[must_use]
    pub fn offset(&self) -> u32 {
        self.parsed.offset
    }
}

impl FileReader {
    /// Cuts the text of `file` into tokens.
    pub fn new(db: &dyn Db, file: File) -> Self {
        let text = Arc::clone(file.text(db));
        let lexed = Arc::new(lex(&text));
        let layout = lay_out(&lexed.tokens);
        Self {
            file,
            text,
            lexed,
            layout,
        }
    }

    /// The text of the file.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Every comment in order, with spans in the file.
    #[must_use]
    pub fn comments(&self) -> &[Comment] {
        &self.lexed.comments
    }

    #[must_use]
    pub fn module_docs(&self) -> Option<&String> {
        self.lexed.module_docs.as_ref()
    }

    /// How many items it has.
    #[must_use]
    pub fn count(&self) -> usize {
        self.layout.items.len()
    }

    /// What is wrong with its tokens.
    #[must_use]
    pub fn lexical_diagnostics(&self) -> Vec<Diagnostic> {
        self.report().lexical()
    }

    /// Its items in order, each parsed when it is asked for.
    pub fn items(&self) -> impl Iterator<Item = ReadItem> {
        let report = self.report();
        (0..self.count()).map(move |index| self.read(&report, index))
    }

    /// Its items in order, those that are as `last` has them without being parsed again.
    pub(crate) fn items_since<'last>(
        &self,
        last: Option<&'last LastParse>,
    ) -> impl Iterator<Item = (ItemPlace, MaybeRead<'last>)> {
        let report = self.report();
        let unchanged = last.map(|it| it.unchanged_in(&self.text));
        (0..self.count()).map(move |index| {
            let place = self.place(index);
            let known = unchanged.as_ref().and_then(|it| it.find(place));
            let item = match known {
                Some(known) => MaybeRead::Known(known),
                None => MaybeRead::Read(Box::new(self.read(&report, index))),
            };
            (place, item)
        })
    }

    /// The text of the file, as queries share it.
    pub(crate) fn shared_text(&self) -> Arc<str> {
        Arc::clone(&self.text)
    }

    fn place(&self, index: usize) -> ItemPlace {
        let tokens = &self.layout.tokens[self.layout.items[index].range.clone()];
        let first = tokens[0].span.start;
        let start = self.lexed.docs.get(&first).map_or(first, |docs| docs.start);
        ItemPlace::new(start, tokens)
    }

    fn read(&self, report: &Report<'_>, index: usize) -> ReadItem {
        let Layout { tokens, items } = &self.layout;
        let item = &items[index];
        let parsed = ItemText::new(&self.text, &self.lexed, tokens, item).parse();
        let next = items
            .get(index + 1)
            .map(|next| tokens[next.range.start].span);
        let before = index.checked_sub(1).and_then(|it| items.get(it));
        let before = before.map_or(&[][..], |it| &tokens[it.range.clone()]);
        let diagnostics = match report.ends_body(before, &tokens[item.range.clone()]) {
            true => Vec::new(),
            false => report.item(&parsed, next),
        };
        ReadItem {
            parsed,
            diagnostics,
        }
    }

    fn report(&self) -> Report<'_> {
        Report::new(self.file, &self.text, &self.lexed.errors)
    }
}

/// An item of a file of which an earlier text was parsed.
pub(crate) enum MaybeRead<'last> {
    /// The edit has left it alone.
    Known(&'last FileItem),
    Read(Box<ReadItem>),
}

/// An item's parse with the tokens that it was made of.
pub(crate) struct ParsedTokens {
    pub(crate) item: Item,
    pub(crate) errors: Vec<ParseError>,
    /// With spans relative to `offset`.
    pub(crate) tokens: Vec<Token>,
    pub(crate) offset: u32,
    /// The bracket that nests too deeply, in the file.
    pub(crate) too_deep: Option<Span>,
}

/// The part of a file that is one item.
pub(crate) struct ItemText<'file> {
    text: &'file Arc<str>,
    lexed: &'file Arc<Lexed>,
    tokens: Vec<Token>,
    offset: u32,
    too_deep: Option<Span>,
}

impl<'file> ItemText<'file> {
    pub(crate) fn new(
        text: &'file Arc<str>,
        lexed: &'file Arc<Lexed>,
        tokens: &[Token],
        item: &ItemTokens,
    ) -> Self {
        let first = tokens[item.range.start].span.start;
        let offset = lexed.docs.get(&first).map_or(first, |docs| docs.start);
        let relative = |token: &Token| Token {
            span: Span::new(token.span.start - offset, token.span.end - offset),
            ..*token
        };
        Self {
            text,
            lexed,
            tokens: tokens[item.range.clone()].iter().map(relative).collect(),
            offset,
            too_deep: item.too_deep,
        }
    }

    pub(crate) fn parse(mut self) -> ParsedTokens {
        let (item, errors) = if self.too_deep.is_some() {
            (self.hole(), Vec::new())
        } else if let Some(meant) = self.parse_as_meant() {
            meant
        } else {
            let misspelt = correct(&mut self.tokens, &self.text[self.offset as usize..]);
            let parsed = parse_item(self.text, self.lexed, self.tokens.clone(), self.offset);
            let errors = misspelt.into_iter().chain(parsed.errors);
            (parsed.item, errors.collect())
        };
        ParsedTokens {
            item,
            errors,
            tokens: self.tokens,
            offset: self.offset,
            too_deep: self.too_deep,
        }
    }

    /// The item whose first words are of another language, where the rest is as it is written here: of another mistake the
    /// report of those words is enough.
    fn parse_as_meant(&self) -> Option<(Item, Vec<ParseError>)> {
        let head = replace(&self.tokens, &self.text[self.offset as usize..])?;
        let parsed = parse_item(self.text, self.lexed, head.tokens, self.offset);
        parsed
            .errors
            .is_empty()
            .then_some((parsed.item, head.errors))
    }

    fn hole(&self) -> Item {
        Item {
            docs: None,
            attributes: Vec::new(),
            visibility: Visibility::Public,
            body: ItemBody::Invalid,
            span: Span::new(0, self.tokens.last().map_or(0, |token| token.span.end)),
        }
    }
}
