//! What stands around the cursor: the tree says it where it can, the tokens where the tree has a hole.

use gsw_abi::setting::{Form, Setting};
use gsw_names::types::Type;
use gsw_names::{Definition, resolve_member, resolve_name};
use gsw_source::{Db, File, ItemId, ItemKind, Span};
use gsw_syntax::ast::{self, Child, ExpressionKind, Item, ItemBody, TypeExpressionKind};
use gsw_syntax::{LineStart, Token, TokenKind, Word, item_ast, lex};

use super::Cursor;
use super::expected::{Expected, expected};
use super::tokens::{Line, Tokens};
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
    /// Where an agent is named: after `by`.
    Agents,
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
    Pattern {
        /// Of what is matched, where it is known.
        ty: Option<Type>,
        /// The names of variants and errors that other arms take.
        taken: Vec<gsw_source::Name>,
        /// The errors that what is caught raises.
        raised: Vec<ItemId>,
    },
    Setting {
        owner: SettingOwner,
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

/// In whose braces a setting is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SettingOwner {
    Agent,
    Prompt,
    Human,
    /// After `with`.
    Call,
    Cache,
    Budget,
    Permissions,
}

/// Where an expression is written.
pub struct Place {
    pub item: ItemId,
    /// The byte of the cursor in the item.
    pub inside: u32,
    pub expected: Expected,
    /// Whether a statement may begin here.
    pub starts_statement: bool,
    pub within: Within,
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
    if let Some(site) = after_word(cursor, tokens) {
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
        return (tokens.starts_line() && !tokens.is_continued()).then_some(Site::Declaration);
    };
    if let Some(site) = in_brackets_of(tokens, brace) {
        return Some(site);
    }
    if tokens.tokens[brace].kind == TokenKind::BracketOpen {
        return listed(cursor, tokens, brace).or_else(|| after_operand(tokens));
    }
    let Some(owner) = setting_owner(cursor, tokens, brace) else {
        return after_operand(tokens);
    };
    let is_name = tokens.starts_line()
        || super::after::is_after_setting(tokens)
        || previous.is_some_and(|it| matches!(it.kind, TokenKind::BraceOpen | TokenKind::Comma));
    if is_name {
        return Some(Site::Setting { owner });
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

/// What a word right before the marker asks for.
fn after_word(cursor: &Cursor<'_>, tokens: &Tokens<'_>) -> Option<Site> {
    let before = |back: usize| {
        let at = tokens.at.checked_sub(back)?;
        Some(tokens.tokens[at])
    };
    let previous = before(1)?;
    let is_agents = if previous.word == Word::By {
        // The key of an `idempotent` tool is an expression, and an `external` names its kind by a text.
        let line = tokens.line_before();
        let first = line.first().map(|&it| tokens.tokens[it].word);
        before(2).is_none_or(|it| it.word != Word::Idempotent) && first != Some(Word::External)
    } else {
        previous.word == Word::Agent && before(2).is_some_and(|it| it.word == Word::Mock)
    };
    if is_agents {
        return Some(Site::Agents);
    }
    if previous.kind == TokenKind::Dot && before(3).is_some_and(|it| it.word == Word::Mock) {
        let module = tokens.text(tokens.at.checked_sub(2)?);
        return match resolve_name(cursor.db, cursor.file, module)? {
            Definition::Module(module) => Some(Site::ModuleMember { module }),
            Definition::Item(_) | Definition::Variant { .. } => None,
        };
    }
    let begins = previous.line_start != LineStart::Inside
        || before(2).is_some_and(|it| matches!(it.kind, TokenKind::BraceOpen | TokenKind::Equal));
    (previous.word == Word::Mock && begins).then_some(Site::Mocked)
}

/// In brackets that have names of their own: the bounds of a budget, the script of an agent, what is permitted of one kind.
fn in_brackets_of(tokens: &Tokens<'_>, bracket: usize) -> Option<Site> {
    let before = |back: usize| Some(tokens.tokens[bracket.checked_sub(back)?]);
    let previous = tokens.previous()?;
    let kind = tokens.tokens[bracket].kind;
    if kind == TokenKind::ParenOpen && before(1)?.word == Word::Budget {
        let is_name = matches!(previous.kind, TokenKind::ParenOpen | TokenKind::Comma);
        let owner = SettingOwner::Budget;
        return is_name.then_some(Site::Setting { owner });
    }
    if kind != TokenKind::BraceOpen {
        return None;
    }
    if before(2).is_some_and(|it| it.word == Word::Agent)
        && before(3).is_some_and(|it| it.word == Word::Mock)
        && tokens.starts_statement()
    {
        return Some(Site::Words(vec!["call", "answer"]));
    }
    let is_permission = before(1)?.word == Word::Permissions && previous.kind == TokenKind::Dot;
    let kind = tokens.text(tokens.at.checked_sub(2)?);
    let rest = |it: &&'static str| it.strip_prefix(kind)?.strip_prefix('.');
    let names = gsw_project::PERMISSIONS.iter().filter_map(rest);
    is_permission.then(|| Site::Words(names.collect()))
}

/// In the list that is the value of a setting: `tools: [<|>]`.
fn listed(cursor: &Cursor<'_>, tokens: &Tokens<'_>, bracket: usize) -> Option<Site> {
    let begins = |it: Token| matches!(it.kind, TokenKind::BracketOpen | TokenKind::Comma);
    let colon = bracket.checked_sub(1)?;
    let is_value = tokens.tokens[colon].kind == TokenKind::Colon;
    if !is_value || !tokens.previous().is_some_and(begins) {
        return None;
    }
    let brace = *tokens.openers().iter().rev().nth(1)?;
    setting_owner(cursor, tokens, brace)?;
    let setting = Setting::named(tokens.text(colon.checked_sub(1)?));
    Some(Site::SettingValue { setting })
}

/// Whose settings stand in the braces that `brace` opens.
pub(super) fn setting_owner(
    cursor: &Cursor<'_>,
    tokens: &Tokens<'_>,
    brace: usize,
) -> Option<SettingOwner> {
    if tokens.tokens[brace].kind != TokenKind::BraceOpen {
        return None;
    }
    let before = brace.checked_sub(1)?;
    if tokens.tokens[before].word == Word::With {
        return Some(SettingOwner::Call);
    }
    if tokens.tokens[before].word == Word::Permissions {
        return Some(SettingOwner::Permissions);
    }
    let is_value = tokens.tokens[before].kind == TokenKind::Colon;
    let name = is_value.then(|| before.checked_sub(1)).flatten();
    match name
        .and_then(|it| Setting::named(tokens.text(it)))
        .map(Setting::form)
    {
        Some(Form::Cache) => return Some(SettingOwner::Cache),
        Some(Form::Budget) => return Some(SettingOwner::Budget),
        Some(
            Form::Text
            | Form::Texts
            | Form::Count { .. }
            | Form::Number
            | Form::Duration
            | Form::Model
            | Form::Tools
            | Form::Names(_)
            | Form::Environment
            | Form::Answer
            | Form::Session,
        )
        | None => {}
    }
    let outermost = tokens.openers().first() == Some(&brace);
    let (item, _) = item_at(cursor.db, cursor.file, cursor.offset)?;
    let mut kind = item.kind(cursor.db);
    if kind == ItemKind::Invalid {
        kind = declared_kind(tokens, brace)?;
    }
    let owners = [
        (ItemKind::Agent, SettingOwner::Agent),
        (ItemKind::Prompt, SettingOwner::Prompt),
        (ItemKind::Human, SettingOwner::Human),
    ];
    let own = owners.into_iter().find(|(it, _)| *it == kind && outermost);
    own.map(|(_, owner)| owner)
}

/// The kind of declaration that a word at the margin before `brace` begins, where its tree is a hole.
fn declared_kind(tokens: &Tokens<'_>, brace: usize) -> Option<ItemKind> {
    let first = (0..brace)
        .rev()
        .find(|it| tokens.tokens[*it].line_start == LineStart::Margin)?;
    let kinds = [
        (Word::Agent, ItemKind::Agent),
        (Word::Prompt, ItemKind::Prompt),
        (Word::Human, ItemKind::Human),
    ];
    let word = tokens.tokens[first].word;
    let own = kinds.into_iter().find(|(it, _)| *it == word);
    own.map(|(_, kind)| kind)
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
                        starts_statement: tokens.starts_statement(),
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
    // A hole of the tree: most likely an expression that is only begun.
    let is_in_body = tokens.depth() > 0;
    match is_in_body {
        true => Site::Expression(Place {
            item,
            inside,
            expected: Expected::default(),
            starts_statement: tokens.starts_statement(),
            within: within(tokens),
        }),
        false => Site::Nothing,
    }
}

/// Whether the marker stands behind a `where` that no comma has ended.
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
    let ExpressionKind::Record { path, fields, .. } = &it.kind else {
        return None;
    };
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
    let (first, rest) = path.split_first()?;
    let mut definition = resolve_name(cursor.db, cursor.file, &first.name)?;
    if let (Definition::Module(module), [name]) = (definition, rest) {
        definition = resolve_member(cursor.db, module, &name.name, cursor.file)?;
    }
    match definition {
        Definition::Item(item) => Some(item),
        Definition::Variant { .. } | Definition::Module(_) => None,
    }
}
