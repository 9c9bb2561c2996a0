//! Whose settings stand in the braces around the cursor.

use gsw_abi::setting::{Form, Setting};
use gsw_source::ItemKind;
use gsw_syntax::{LineStart, TokenKind, Word};

use super::Cursor;
use super::tokens::Tokens;
use crate::cursor::item_at;

/// In whose braces a setting is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SettingOwner {
    Agent,
    Prompt,
    Human,
    /// The settings after `with` of a call.
    Call,
    Cache,
    Budget,
    Permissions,
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
