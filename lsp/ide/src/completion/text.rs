//! Strings: what one that is begun may say, as the value of a setting or as one of the texts of a type.

use gsw_abi::setting::Setting;
use gsw_names::types::Type;
use gsw_syntax::ast::{Child, ExpressionKind, PatternKind};
use gsw_syntax::{TokenKind, item_ast};

use super::Cursor;
use super::expected::{expected, matched};
use super::owner::setting_owner;
use super::site::Site;
use super::tokens::Tokens;
use crate::cursor::{item_at, nodes_at};

/// What the string around the marker may say.
pub fn in_string(cursor: &Cursor<'_>, tokens: &Tokens<'_>) -> Site {
    let line = tokens.line_before();
    let colon = line
        .iter()
        .rposition(|&it| tokens.tokens[it].kind == TokenKind::Colon);
    let name = colon.and_then(|it| line.get(it.checked_sub(1)?));
    let openers = tokens.openers();
    let mut around = openers.iter().rev();
    let owner = around.find_map(|&it| setting_owner(cursor, tokens, it));
    match (name, owner) {
        (Some(&name), Some(_)) => Site::SettingText {
            setting: Setting::named(tokens.text(name)),
            // After the quotation mark.
            start: tokens.tokens[tokens.at].span.start + 1,
        },
        (Some(_) | None, Some(_) | None) => literal(cursor, tokens).unwrap_or(Site::Nothing),
    }
}

/// One of the texts of the type that is wanted.
fn literal(cursor: &Cursor<'_>, tokens: &Tokens<'_>) -> Option<Site> {
    let (item, inside) = item_at(cursor.db, cursor.file, cursor.offset)?;
    let tree = item_ast(cursor.db, item)?;
    let nodes = nodes_at(&tree, inside);
    let wanted = match nodes.last()? {
        Child::Expression(it) if matches!(it.kind, ExpressionKind::Literal(_)) => {
            expected(cursor, item, &tree, &nodes).ty
        }
        Child::Pattern(it) if matches!(it.kind, PatternKind::Literal(_)) => {
            matched(cursor, item, &nodes)
        }
        Child::Expression(_)
        | Child::Pattern(_)
        | Child::Statement(_)
        | Child::Type(_)
        | Child::Name(_) => None,
    };
    let mut wanted = wanted?;
    if let Type::Optional(inside) = &wanted {
        wanted = Type::clone(inside);
    }
    let Type::Literals(texts) = wanted else {
        return None;
    };
    Some(Site::Literal {
        texts: texts.to_vec(),
        start: tokens.tokens[tokens.at].span.start + 1,
    })
}
