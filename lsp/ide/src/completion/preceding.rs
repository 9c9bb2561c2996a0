//! What the word before the cursor, or the bracket around it, asks for.

use gsw_abi::permission::Permission;
use gsw_abi::setting::Setting;
use gsw_names::{Definition, resolve_name};
use gsw_source::ItemKind;
use gsw_syntax::{LineStart, Token, TokenKind, Word};

use super::Cursor;
use super::owner::{SettingOwner, setting_owner};
use super::site::Site;
use super::tokens::Tokens;

/// What a word right before the marker asks for.
pub fn after_word(cursor: &Cursor<'_>, tokens: &Tokens<'_>) -> Option<Site> {
    let before = |back: usize| {
        let at = tokens.at.checked_sub(back)?;
        Some(tokens.tokens[at])
    };
    let previous = before(1)?;
    if previous.word == Word::Mock && begins_mock(tokens) {
        return Some(Site::Mocked);
    }
    if previous.word == Word::Agent && before(2).is_some_and(|it| it.word == Word::Mock) {
        return Some(Site::Only(ItemKind::Agent));
    }
    if previous.word == Word::By {
        return after_by(tokens);
    }
    if previous.word == Word::Idempotent && is_in_head_of(tokens, Word::Tool) {
        return Some(Site::Words(vec!["by"]));
    }
    if previous.word == Word::Parallel && before(2).is_none_or(|it| it.kind != TokenKind::Dot) {
        return Some(Site::Words(vec!["for"]));
    }
    if previous.kind == TokenKind::Equal && before(3).is_some_and(|it| it.word == Word::Mcp) {
        return Some(Site::Transports);
    }
    if previous.kind == TokenKind::Dot && before(3).is_some_and(|it| it.word == Word::Mock) {
        return after_name(cursor, tokens);
    }
    None
}

/// After the dot of a name that is no value: what its module, enum or server has.
pub fn after_name(cursor: &Cursor<'_>, tokens: &Tokens<'_>) -> Option<Site> {
    let name = tokens.at.checked_sub(2)?;
    let before = name.checked_sub(1).map(|it| tokens.tokens[it].kind);
    if matches!(before, Some(TokenKind::Dot | TokenKind::QuestionDot)) {
        return None;
    }
    match resolve_name(cursor.db, cursor.file, tokens.text(name))? {
        Definition::Module(module) => Some(Site::ModuleMember { module }),
        Definition::Item(server) if server.kind(cursor.db) == ItemKind::Mcp => Some(Site::ToolOf {
            server,
            value: None,
        }),
        Definition::Item(owner) if owner.kind(cursor.db) == ItemKind::Enum => {
            Some(Site::VariantOf { owner })
        }
        Definition::Item(_) | Definition::Variant { .. } => None,
    }
}

/// Whether the `mock` before the marker begins one, and is no name.
fn begins_mock(tokens: &Tokens<'_>) -> bool {
    let Some(at) = tokens.at.checked_sub(1) else {
        return false;
    };
    let before = at.checked_sub(1).map(|it| tokens.tokens[it].kind);
    tokens.tokens[at].line_start != LineStart::Inside
        || matches!(before, Some(TokenKind::BraceOpen | TokenKind::Equal))
}

/// An agent, or of a tool the server that has it. The key of an `idempotent` tool is an expression, and an `external` names its kind by a
/// text.
fn after_by(tokens: &Tokens<'_>) -> Option<Site> {
    let is_key = tokens
        .at
        .checked_sub(2)
        .is_some_and(|it| tokens.tokens[it].word == Word::Idempotent);
    if is_key || is_in_head_of(tokens, Word::External) {
        return None;
    }
    Some(Site::Only(match is_in_head_of(tokens, Word::Tool) {
        true => ItemKind::Mcp,
        false => ItemKind::Agent,
    }))
}

/// Whether the marker stands in the head of a declaration that this word begins.
fn is_in_head_of(tokens: &Tokens<'_>, word: Word) -> bool {
    let mut before = (0..tokens.at).rev();
    let first = before.find(|it| tokens.tokens[*it].line_start == LineStart::Margin);
    let is_private = |it: usize| tokens.tokens[it].kind == TokenKind::Private;
    let first = first.map(|it| it + usize::from(is_private(it)));
    tokens.depth() == 0 && first.is_some_and(|it| tokens.tokens[it].word == word)
}

/// In brackets that have names of their own: the bounds of a budget, the script of an agent, what is permitted of one kind.
pub fn in_brackets_of(tokens: &Tokens<'_>, bracket: usize) -> Option<Site> {
    let before = |back: usize| Some(tokens.tokens[bracket.checked_sub(back)?]);
    let previous = tokens.previous()?;
    let kind = tokens.tokens[bracket].kind;
    if kind == TokenKind::ParenOpen && before(1)?.word == Word::Budget {
        let is_name = matches!(previous.kind, TokenKind::ParenOpen | TokenKind::Comma);
        let owner = SettingOwner::Budget;
        let taken = tokens.named_in(bracket);
        return is_name.then_some(Site::Setting { owner, taken });
    }
    if kind != TokenKind::BraceOpen {
        return None;
    }
    if before(2).is_some_and(|it| it.word == Word::Hook) && tokens.starts_statement() {
        return Some(Site::Handler);
    }
    if before(2).is_some_and(|it| it.word == Word::Agent)
        && before(3).is_some_and(|it| it.word == Word::Mock)
    {
        return in_script(tokens);
    }
    let is_permission = before(1)?.word == Word::Permissions && previous.kind == TokenKind::Dot;
    let kind = tokens.text(tokens.at.checked_sub(2)?);
    let rest = |it: &'static str| it.strip_prefix(kind)?.strip_prefix('.');
    let names = Permission::names().into_iter().filter_map(rest);
    is_permission.then(|| Site::Words(names.collect()))
}

/// In the script of an agent: what begins a turn, what may be called.
fn in_script(tokens: &Tokens<'_>) -> Option<Site> {
    let previous = tokens.previous()?;
    if tokens.starts_statement() {
        return Some(Site::Words(vec!["call", "answer", "fail"]));
    }
    if previous.kind == TokenKind::Comma {
        return Some(Site::Words(vec!["call"]));
    }
    let setting = Some(Setting::Tools);
    (previous.word == Word::Call).then_some(Site::SettingValue { setting })
}

/// In the list that is the value of a setting: `tools: [<|>]`.
pub fn listed(cursor: &Cursor<'_>, tokens: &Tokens<'_>, bracket: usize) -> Option<Site> {
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
