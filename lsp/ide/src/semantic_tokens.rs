//! `textDocument/semanticTokens`: what each word of a file is, for editors that colour by meaning.

use std::collections::HashMap;

use gsw_analysis::{Waits, item_summary};
use gsw_infer::hir::LocalKind;
use gsw_names::is_std;
use gsw_source::{Db, File, ItemId, ItemKind, Span};
use gsw_syntax::ast::{Child, ExpressionKind, ItemBody, StatementKind, TypeExpressionKind};
use gsw_syntax::{Token, TokenKind, Word, file_item_ids, item_ast, lex, parse_file};

use crate::cursor::{in_file, visit_nodes};
use crate::expression_type::local;
use crate::symbol::{Occurrence, Role, Symbol, occurrences};

/// A word, number, string or comment on one line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SemanticToken {
    /// In the file.
    pub span: Span,
    pub kind: SemanticKind,
    pub modifiers: Modifiers,
}

/// What a token is. The order is that of the legend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SemanticKind {
    Namespace,
    Type,
    Enum,
    EnumMember,
    TypeParameter,
    /// An agent.
    Class,
    Function,
    Method,
    Parameter,
    Variable,
    Property,
    Keyword,
    Comment,
    String,
    Number,
}

impl SemanticKind {
    pub const ALL: [Self; 15] = [
        Self::Namespace,
        Self::Type,
        Self::Enum,
        Self::EnumMember,
        Self::TypeParameter,
        Self::Class,
        Self::Function,
        Self::Method,
        Self::Parameter,
        Self::Variable,
        Self::Property,
        Self::Keyword,
        Self::Comment,
        Self::String,
        Self::Number,
    ];

    /// As the protocol names it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Namespace => "namespace",
            Self::Type => "type",
            Self::Enum => "enum",
            Self::EnumMember => "enumMember",
            Self::TypeParameter => "typeParameter",
            Self::Class => "class",
            Self::Function => "function",
            Self::Method => "method",
            Self::Parameter => "parameter",
            Self::Variable => "variable",
            Self::Property => "property",
            Self::Keyword => "keyword",
            Self::Comment => "comment",
            Self::String => "string",
            Self::Number => "number",
        }
    }
}

/// A set of [`Modifiers::NAMES`], one bit each, in their order.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Modifiers(pub u32);

impl Modifiers {
    /// As the protocol names them. `async` is what can wait.
    pub const NAMES: [&str; 4] = ["declaration", "readonly", "defaultLibrary", "async"];
    const DECLARATION: Self = Self(1);
    const READONLY: Self = Self(2);
    const LIBRARY: Self = Self(4);
    const WAITS: Self = Self(8);

    const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The tokens of `file` that touch `range`, all when there is none, in order.
#[must_use]
pub fn semantic_tokens(db: &dyn Db, file: File, range: Option<Span>) -> Vec<SemanticToken> {
    let text = file.text(db);
    let wanted =
        |span: Span| range.is_none_or(|it| it.touches(span.start) || span.touches(it.start));
    let named = names(db, file, &wanted);
    let tokens = lex(text).tokens;
    let mut found = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        if !wanted(token.span) {
            continue;
        }
        let own = named.get(&token.span.start).copied();
        let kind = own.or_else(|| {
            let before = index.checked_sub(1).and_then(|it| tokens.get(it));
            let kind = of_token(before, *token, tokens.get(index + 1))?;
            Some((kind, Modifiers::default()))
        });
        if let Some((kind, modifiers)) = kind {
            by_line(text, token.span, kind, modifiers, &mut found);
        }
    }
    for comment in &parse_file(db, file).comments {
        if wanted(comment.span) {
            let kind = SemanticKind::Comment;
            by_line(text, comment.span, kind, Modifiers::default(), &mut found);
        }
    }
    found.sort_by_key(|it| it.span);
    found
}

/// Adds a token line by line: most editors take none that goes over a line's end.
fn by_line(
    text: &str,
    span: Span,
    kind: SemanticKind,
    modifiers: Modifiers,
    found: &mut Vec<SemanticToken>,
) {
    let whole = text
        .get(span.start as usize..span.end as usize)
        .unwrap_or_default();
    let mut start = span.start;
    for line in whole.split_inclusive('\n') {
        let length = u32::try_from(line.trim_end_matches(['\r', '\n']).len()).unwrap_or(0);
        if length > 0 {
            let span = Span::new(start, start + length);
            found.push(SemanticToken {
                span,
                kind,
                modifiers,
            });
        }
        start += u32::try_from(line.len()).unwrap_or(0);
    }
}

/// What a token is by itself, between those beside it.
fn of_token(before: Option<&Token>, token: Token, next: Option<&Token>) -> Option<SemanticKind> {
    let is_word = token.kind.is_keyword() || token.kind == TokenKind::Identifier;
    // Of a part and of a setting or argument any word may be the name.
    let is_part = matches!(
        before.map(|it| it.kind),
        Some(TokenKind::Dot | TokenKind::QuestionDot)
    );
    let is_named = next.is_some_and(|it| it.kind == TokenKind::Colon);
    if is_word && (is_part || is_named) {
        return Some(SemanticKind::Property);
    }
    if token.kind.is_keyword() {
        return Some(SemanticKind::Keyword);
    }
    if matches!(
        token.kind,
        TokenKind::Int | TokenKind::Float | TokenKind::Duration
    ) {
        return Some(SemanticKind::Number);
    }
    if matches!(
        token.kind,
        TokenKind::String | TokenKind::StringOpen | TokenKind::StringText | TokenKind::StringClose
    ) {
        return Some(SemanticKind::String);
    }
    let is_attribute = before.is_some_and(|it| it.kind == TokenKind::At);
    let is_word = token.kind == TokenKind::Identifier && token.word != Word::Other;
    (is_word && !is_attribute).then_some(SemanticKind::Keyword)
}

type Named = HashMap<u32, (SemanticKind, Modifiers)>;

/// The names that mean something, by where they start in the file.
fn names(db: &dyn Db, file: File, wanted: &dyn Fn(Span) -> bool) -> Named {
    let mut named = HashMap::new();
    for item in file_item_ids(db, file).iter().copied() {
        let Some(tree) = item_ast(db, item) else {
            continue;
        };
        if !wanted(in_file(db, item, tree.span)) {
            continue;
        }
        visit_nodes(&tree, |node| {
            if let Some((span, kind)) = written_name(node) {
                let start = in_file(db, item, span).start;
                named.insert(start, kind);
            }
        });
        if let ItemBody::Hook { handlers, .. } = &tree.body {
            for handler in handlers {
                let start = in_file(db, item, handler.name.span).start;
                named.insert(start, (SemanticKind::Method, Modifiers::DECLARATION));
                for parameter in &handler.parameters {
                    let start = in_file(db, item, parameter.name.span).start;
                    named.insert(start, (SemanticKind::Parameter, Modifiers::READONLY));
                }
            }
        }
        if let ItemBody::Import(it) = &tree.body {
            path_names(db, in_file(db, item, it.path_span), file, &mut named);
        }
        for it in occurrences(db, item) {
            // Each part of an import's path has its colour.
            if matches!(it.symbol, Symbol::Module(_)) && item.kind(db) == ItemKind::Import {
                continue;
            }
            let start = in_file(db, item, it.span).start;
            named.insert(start, of_occurrence(db, it));
        }
    }
    named
}

/// A name as it is written, which need not mean anything; what it means is said by its occurrence.
fn written_name(node: Child<'_>) -> Option<(Span, (SemanticKind, Modifiers))> {
    match node {
        Child::Type(ty) => {
            let TypeExpressionKind::Named { path, .. } = &ty.kind else {
                return None;
            };
            Some((path.last()?.span, (SemanticKind::Type, Modifiers::LIBRARY)))
        }
        Child::Expression(it) if matches!(it.kind, ExpressionKind::Name(_)) => {
            Some((it.span, (SemanticKind::Variable, Modifiers::default())))
        }
        Child::Statement(it) => {
            let StatementKind::Mock { target, .. } = &it.kind else {
                return None;
            };
            Some((
                target.first()?.span,
                (SemanticKind::Function, Modifiers::default()),
            ))
        }
        Child::Expression(_) | Child::Pattern(_) | Child::Name(_) => None,
    }
}

/// The words of an import's path.
fn path_names(db: &dyn Db, path: Span, file: File, named: &mut Named) {
    let text = file.text(db);
    let Some(path_text) = text.get(path.start as usize..path.end as usize) else {
        return;
    };
    for token in lex(path_text).tokens {
        if token.kind.is_keyword() || token.kind == TokenKind::Identifier {
            let kind = (SemanticKind::Namespace, Modifiers::default());
            named.insert(path.start + token.span.start, kind);
        }
    }
}

fn of_occurrence(db: &dyn Db, it: Occurrence) -> (SemanticKind, Modifiers) {
    let mut modifiers = match it.role {
        Role::Declaration => Modifiers::DECLARATION,
        Role::Use => Modifiers::default(),
    };
    let kind = match it.symbol {
        Symbol::Local { item, declared } => {
            let (kind, own) = of_local(db, item, declared);
            modifiers = modifiers.with(own);
            kind
        }
        Symbol::Item(item) => {
            let (kind, own) = of_item(db, item);
            modifiers = modifiers.with(own);
            kind
        }
        Symbol::Variant { item, .. } => {
            modifiers = modifiers.with(library(db, item));
            SemanticKind::EnumMember
        }
        Symbol::Field { .. } => SemanticKind::Property,
        Symbol::Module(_) => SemanticKind::Namespace,
    };
    (kind, modifiers)
}

fn library(db: &dyn Db, item: ItemId) -> Modifiers {
    match is_std(db, item.file(db)) {
        true => Modifiers::LIBRARY,
        false => Modifiers::default(),
    }
}

fn of_local(db: &dyn Db, item: ItemId, declared: Span) -> (SemanticKind, Modifiers) {
    let is_generic = item_ast(db, item)
        .is_some_and(|tree| tree.body.generics().iter().any(|it| it.span == declared));
    if is_generic {
        return (SemanticKind::TypeParameter, Modifiers::default());
    }
    match local(db, item, declared).map(|it| it.kind) {
        Some(LocalKind::Let) => (SemanticKind::Variable, Modifiers::READONLY),
        Some(LocalKind::Var | LocalKind::State) => (SemanticKind::Variable, Modifiers::default()),
        // Without a body of its own, as of an `external`.
        Some(LocalKind::Parameter) | None => (SemanticKind::Parameter, Modifiers::READONLY),
    }
}

fn of_item(db: &dyn Db, item: ItemId) -> (SemanticKind, Modifiers) {
    let own = library(db, item);
    let kind = match item.kind(db) {
        ItemKind::Record | ItemKind::Alias | ItemKind::Error => SemanticKind::Type,
        ItemKind::Enum => SemanticKind::Enum,
        ItemKind::Const => return (SemanticKind::Variable, own.with(Modifiers::READONLY)),
        ItemKind::Agent | ItemKind::Mcp | ItemKind::Hook | ItemKind::Skill => SemanticKind::Class,
        ItemKind::Function
        | ItemKind::Prompt
        | ItemKind::Workflow
        | ItemKind::Tool
        | ItemKind::Human
        | ItemKind::External => {
            let waits = match item_summary(db, item).item.waits {
                Waits::Always => Modifiers::WAITS,
                Waits::Never | Waits::WithArguments => Modifiers::default(),
            };
            let kind = match item.name(db).contains('.') {
                true => SemanticKind::Method,
                false => SemanticKind::Function,
            };
            return (kind, own.with(waits));
        }
        ItemKind::Import | ItemKind::Test | ItemKind::Permissions | ItemKind::Invalid => {
            SemanticKind::Namespace
        }
    };
    (kind, own)
}
