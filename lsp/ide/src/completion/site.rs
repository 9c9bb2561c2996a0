//! What stands around the cursor: the tree says it where it can, the tokens where the tree has a hole.

use gsw_abi::setting::Setting;
use gsw_names::types::Type;
use gsw_names::{Definition, Parameter, resolve_member, resolve_name};
use gsw_source::{Db, File, ItemId, ItemKind, Span};
use gsw_syntax::ast::{self, Child, ExpressionKind, Item, ItemBody, TypeExpressionKind};
use gsw_syntax::{LineStart, Token, TokenKind, Word, item_ast, lex};

use super::expected::{Expected, Taken, expected, parameters_left};
use super::owner::{SettingOwner, setting_owner};
use super::tokens::{Line, Tokens};
use super::{Cursor, preceding};
use crate::cursor::{item_at, nodes_at};
use crate::expression_type::expression_type;
use crate::scope::visible_at;
use crate::speculation::MARKER;

pub enum Site {
    Nothing,
    /// Between declarations.
    Declaration,
    /// Where only some words may stand, as after the head of a step.
    Words(Vec<&'static str>),
    /// After `@`.
    Attribute,
    ImportPath {
        written: String,
    },
    /// In the braces of an import.
    ImportName {
        module: File,
        taken: Vec<gsw_source::Name>,
    },
    /// After the dot of a value.
    Member {
        item: ItemId,
        base: Span,
    },
    ModuleMember {
        module: File,
    },
    /// After the dot of an enum's name.
    VariantOf {
        owner: ItemId,
    },
    /// After the dot of an MCP server's name.
    ToolOf {
        server: ItemId,
        /// The item and the place in it where the server is a value with methods of its own.
        value: Option<(ItemId, Span)>,
    },
    /// After the dot of a prompt's name.
    OfPrompt,
    /// Where only names of one kind may stand, as agents after `by`.
    Only(ItemKind),
    /// After `mcp name =`.
    Transports,
    /// Where a handler of a hook begins.
    Handler,
    /// Where the name of an argument stands before its colon.
    ArgumentName {
        parameters: Vec<Parameter>,
    },
    /// Where what a test mocks is named.
    Mocked,
    /// In the braces of a record, literal or pattern.
    RecordField {
        fields: ItemId,
        taken: Vec<gsw_source::Name>,
    },
    Type {
        item: ItemId,
        errors: ErrorsOnly,
    },
    /// Before the dot of a type of another module.
    ModuleOfType {
        errors: ErrorsOnly,
    },
    Pattern {
        /// Of what is matched, where it is known.
        ty: Option<Type>,
        /// The variants and errors that other arms take.
        taken: Taken,
        /// The errors that what is caught raises.
        raised: Vec<ItemId>,
    },
    Setting {
        owner: SettingOwner,
        /// Those that stand there already.
        taken: Vec<String>,
    },
    /// In the string that is the value of a setting.
    SettingText {
        /// `None` where no setting has the name that is written, as for a part of one.
        setting: Option<Setting>,
        /// The byte of the file at which its text begins.
        start: u32,
    },
    /// In a string that is one of some.
    Literal {
        texts: Vec<gsw_source::Name>,
        /// The byte of the file at which its text begins.
        start: u32,
    },
    SettingValue {
        /// As in `SettingText`.
        setting: Option<Setting>,
    },
    Expression(Place),
}

/// Whether a list of errors is being written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ErrorsOnly {
    Yes,
    No,
}

/// Where an expression is written.
pub struct Place {
    pub item: ItemId,
    /// The byte of the cursor in the item.
    pub inside: u32,
    pub expected: Expected,
    pub starts: Starts,
    pub within: Within,
}

/// What may begin at a place beside an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Starts {
    Statement,
    /// What a name is bound to.
    Bound,
    /// What `if` and `while` ask.
    Condition,
    /// After `spawn`.
    Task,
    Operand,
}

/// Whether a place has names of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Within {
    Code,
    /// After `where`: the value is `it`, and what it is a field of `self`.
    Check,
}

/// What is to be completed at the cursor.
pub fn site(cursor: &Cursor<'_>) -> Site {
    let text = cursor.file.text(cursor.db);
    let tokens = lex(text).tokens;
    let Some(at) = tokens
        .iter()
        .position(|it| it.span.touches(cursor.offset) && holds(text, *it))
    else {
        // In a comment.
        return Site::Nothing;
    };
    let tokens = Tokens {
        text,
        tokens: &tokens,
        at,
    };
    if matches!(
        tokens.tokens[at].kind,
        TokenKind::String | TokenKind::StringText
    ) {
        return super::text::in_string(cursor, &tokens);
    }
    if let Some(site) = by_tokens(cursor, &tokens) {
        return site;
    }
    let Some((item, inside)) = item_at(cursor.db, cursor.file, cursor.offset) else {
        return Site::Declaration;
    };
    let Some(tree) = item_ast(cursor.db, item) else {
        return Site::Nothing;
    };
    if item.kind(cursor.db) == ItemKind::Invalid && tokens.starts_line() && tokens.depth() == 0 {
        return Site::Declaration;
    }
    by_tree(cursor, item, &tree, inside, &tokens)
}

fn holds(text: &str, token: Token) -> bool {
    let span = token.span.start as usize..token.span.end as usize;
    text.get(span).is_some_and(|it| it.contains(MARKER))
}

fn after_operand(tokens: &Tokens<'_>) -> Option<Site> {
    super::after::operand(tokens).map(Site::Words)
}

/// What only tokens tell: words that follow a head, and what stands in the braces of settings.
fn by_tokens(cursor: &Cursor<'_>, tokens: &Tokens<'_>) -> Option<Site> {
    let previous = tokens.previous();
    if previous.is_none() {
        return Some(Site::Declaration);
    }
    if previous.is_some_and(|it| it.kind == TokenKind::At) {
        return Some(Site::Attribute);
    }
    let is_at_margin = tokens.tokens[tokens.at].line_start == LineStart::Margin;
    if is_at_margin && tokens.depth() == 0 && !tokens.is_continued() {
        return Some(Site::Declaration);
    }
    if let Some(site) = preceding::after_word(cursor, tokens) {
        return Some(site);
    }
    let by_neighbours =
        super::after::errors(tokens).or_else(|| super::after::in_declaration(tokens));
    if let Some(words) = by_neighbours {
        return Some(Site::Words(words));
    }
    if let Some(words) = super::word::after_head(&Line::new(tokens)) {
        return Some(Site::Words(words));
    }
    let openers = tokens.openers();
    let Some(&brace) = openers.last() else {
        let is_declaration = tokens.starts_line() && !tokens.is_continued();
        return is_declaration
            .then_some(Site::Declaration)
            .or_else(|| after_operand(tokens));
    };
    if let Some(site) = preceding::in_brackets_of(tokens, brace) {
        return Some(site);
    }
    if tokens.tokens[brace].kind == TokenKind::BracketOpen {
        return preceding::listed(cursor, tokens, brace).or_else(|| after_operand(tokens));
    }
    let Some(owner) = setting_owner(cursor, tokens, brace) else {
        return after_operand(tokens);
    };
    let is_name = tokens.starts_line()
        || super::after::is_after_setting(tokens)
        || previous.is_some_and(|it| matches!(it.kind, TokenKind::BraceOpen | TokenKind::Comma));
    if is_name {
        let taken = tokens.named_in(brace);
        return Some(Site::Setting { owner, taken });
    }
    let line = tokens.line_before();
    let colon = line
        .iter()
        .rposition(|&it| tokens.tokens[it].kind == TokenKind::Colon)?;
    let name = line.get(colon.checked_sub(1)?)?;
    let is_value = colon + 1 == line.len();
    let setting = Setting::named(tokens.text(*name));
    // What a call sets is computed where it is made.
    let is_computed = owner == SettingOwner::Call && super::setting::takes_expression(setting);
    (is_value && !is_computed).then_some(Site::SettingValue { setting })
}

fn by_tree(
    cursor: &Cursor<'_>,
    item: ItemId,
    tree: &Item,
    inside: u32,
    tokens: &Tokens<'_>,
) -> Site {
    if let ItemBody::Import(import) = &tree.body {
        return in_import(cursor, import, inside);
    }
    let nodes = nodes_at(tree, inside);
    let errors = match in_throws(tree, inside) {
        true => ErrorsOnly::Yes,
        false => ErrorsOnly::No,
    };
    for node in nodes.iter().rev() {
        let site = match node {
            Child::Type(ty) => in_type(cursor, item, ty, errors),
            Child::Pattern(it) => super::pattern::in_pattern(cursor, item, it, &nodes),
            Child::Expression(it) => in_expression(cursor, item, it, tree, inside).or_else(|| {
                let is_name =
                    matches!(&it.kind, ExpressionKind::Name(name) if name.contains(MARKER));
                is_name.then(|| {
                    Site::Expression(Place {
                        item,
                        inside,
                        expected: expected(cursor, item, tree, &nodes),
                        starts: starts(tokens),
                        within: within(tokens),
                    })
                })
            }),
            Child::Statement(_) | Child::Name(_) => None,
        };
        if let Some(site) = site {
            return site;
        }
    }
    in_hole(cursor, item, inside, tokens)
}

/// Where the tree has a hole: most likely an expression that is only begun.
fn in_hole(cursor: &Cursor<'_>, item: ItemId, inside: u32, tokens: &Tokens<'_>) -> Site {
    if tokens.is_after_dot() {
        return preceding::after_name(cursor, tokens).unwrap_or(Site::Nothing);
    }
    if tokens.depth() == 0 {
        return Site::Nothing;
    }
    if super::after::is_type(tokens) {
        let errors = ErrorsOnly::No;
        return Site::Type { item, errors };
    }
    Site::Expression(Place {
        item,
        inside,
        expected: Expected::default(),
        starts: starts(tokens),
        within: within(tokens),
    })
}

/// What may begin at the marker.
fn starts(tokens: &Tokens<'_>) -> Starts {
    if tokens.starts_statement() {
        return Starts::Statement;
    }
    match tokens.previous().map(|it| it.kind) {
        Some(TokenKind::Equal) => Starts::Bound,
        Some(TokenKind::If | TokenKind::While | TokenKind::And) => Starts::Condition,
        Some(TokenKind::Spawn) => Starts::Task,
        Some(_) | None => Starts::Operand,
    }
}

/// Whether the marker stands after a `where` that no comma has ended.
fn within(tokens: &Tokens<'_>) -> Within {
    let line = tokens.line_before();
    let mut back = line.iter().rev().map(|&it| tokens.tokens[it]);
    let last = back.find(|it| it.word == Word::Where || it.kind == TokenKind::Comma);
    match last {
        Some(it) if it.word == Word::Where => Within::Check,
        Some(_) | None => Within::Code,
    }
}

fn in_import(cursor: &Cursor<'_>, import: &ast::Import, inside: u32) -> Site {
    if import.path_span.touches(inside) {
        let written = import.path.as_str();
        let end = written.find(MARKER).unwrap_or(written.len());
        return Site::ImportPath {
            written: written[..end].to_owned(),
        };
    }
    let names = import.names.iter().flatten();
    let taken = names.map(|it| it.name.name.clone());
    match gsw_names::module_file(cursor.db, cursor.file, &import.path) {
        Some(module) => Site::ImportName {
            module,
            taken: taken.collect(),
        },
        None => Site::Nothing,
    }
}

fn in_throws(tree: &Item, inside: u32) -> bool {
    let signature = tree.body.signature();
    let mut throws = signature
        .into_iter()
        .flat_map(|it| it.throws.iter().flatten());
    throws.any(|it| it.span.touches(inside))
}

fn in_type(
    cursor: &Cursor<'_>,
    item: ItemId,
    ty: &ast::TypeExpression,
    errors: ErrorsOnly,
) -> Option<Site> {
    let TypeExpressionKind::Named { path, .. } = &ty.kind else {
        return None;
    };
    match path.as_slice() {
        [name] if name.name.contains(MARKER) => Some(Site::Type { item, errors }),
        [module, _] if module.name.contains(MARKER) => Some(Site::ModuleOfType { errors }),
        [module, name] if name.name.contains(MARKER) => {
            match resolve_name(cursor.db, cursor.file, &module.name)? {
                Definition::Module(module) => Some(Site::ModuleMember { module }),
                Definition::Item(_) | Definition::Variant { .. } => Some(Site::Nothing),
            }
        }
        _ => None,
    }
}

fn in_expression(
    cursor: &Cursor<'_>,
    item: ItemId,
    it: &ast::Expression,
    tree: &Item,
    inside: u32,
) -> Option<Site> {
    if let ExpressionKind::Field { base, name, .. } = &it.kind
        && name.name.contains(MARKER)
    {
        return Some(after_dot(cursor, item, base, tree, inside));
    }
    if let ExpressionKind::Call {
        callee, arguments, ..
    } = &it.kind
    {
        let parameters = parameters_left(cursor.db, item, callee, arguments)?;
        return Some(Site::ArgumentName { parameters });
    }
    let ExpressionKind::Record { path, fields, .. } = &it.kind else {
        return None;
    };
    if let [module, name] = path.as_slice()
        && name.name.contains(MARKER)
        && let Some(Definition::Module(module)) = resolve_name(cursor.db, cursor.file, &module.name)
    {
        return Some(Site::ModuleMember { module });
    }
    let is_marked = fields.iter().any(|it| it.name.name.contains(MARKER));
    let owner = record_named(cursor, path)?;
    let names = fields.iter().map(|it| it.name.name.clone());
    is_marked.then(|| Site::RecordField {
        fields: owner,
        taken: names.collect(),
    })
}

/// What stands before a dot: a module, an enum, or a value.
fn after_dot(
    cursor: &Cursor<'_>,
    item: ItemId,
    base: &ast::Expression,
    tree: &Item,
    inside: u32,
) -> Site {
    if let ExpressionKind::Parenthesized(value) = &base.kind {
        // The value has the type; the parentheses are nothing to the checker.
        return after_dot(cursor, item, value, tree, inside);
    }
    if let Some(definition) = path_of(cursor.db, cursor.file, base)
        && !is_local(tree, base, inside)
    {
        match definition {
            Definition::Module(module) => return Site::ModuleMember { module },
            Definition::Item(owner) if owner.kind(cursor.db) == ItemKind::Enum => {
                return Site::VariantOf { owner };
            }
            Definition::Item(server) if server.kind(cursor.db) == ItemKind::Mcp => {
                let is_value = expression_type(cursor.db, item, base.span).is_some();
                return Site::ToolOf {
                    server,
                    value: is_value.then_some((item, base.span)),
                };
            }
            Definition::Item(prompt) if prompt.kind(cursor.db) == ItemKind::Prompt => {
                return Site::OfPrompt;
            }
            Definition::Item(_) | Definition::Variant { .. } => {}
        }
    }
    match expression_type(cursor.db, item, base.span) {
        Some(_) => Site::Member {
            item,
            base: base.span,
        },
        None => Site::Nothing,
    }
}

fn is_local(tree: &Item, base: &ast::Expression, inside: u32) -> bool {
    let ExpressionKind::Name(name) = &base.kind else {
        return false;
    };
    visible_at(tree, inside).iter().any(|it| it.name == *name)
}

fn path_of(db: &dyn Db, file: File, base: &ast::Expression) -> Option<Definition> {
    if let ExpressionKind::Name(name) = &base.kind {
        return resolve_name(db, file, name);
    }
    let ExpressionKind::Field { base, name, .. } = &base.kind else {
        return None;
    };
    match path_of(db, file, base)? {
        Definition::Module(module) => resolve_member(db, module, &name.name, file),
        Definition::Item(_) | Definition::Variant { .. } => None,
    }
}

/// The record or error that a path of names means.
pub fn record_named(cursor: &Cursor<'_>, path: &[ast::Identifier]) -> Option<ItemId> {
    match named(cursor, path)? {
        Definition::Item(item) => Some(item),
        Definition::Variant { .. } | Definition::Module(_) => None,
    }
}

/// What a path of names means.
pub fn named(cursor: &Cursor<'_>, path: &[ast::Identifier]) -> Option<Definition> {
    let (first, rest) = path.split_first()?;
    let definition = resolve_name(cursor.db, cursor.file, &first.name)?;
    match (definition, rest) {
        (Definition::Module(module), [name]) => {
            resolve_member(cursor.db, module, &name.name, cursor.file)
        }
        (definition, _) => Some(definition),
    }
}
