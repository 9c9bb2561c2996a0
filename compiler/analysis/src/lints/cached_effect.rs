//! Kept answers of models that may act: where an answer is kept, what was done for it is not done again.

use gsw_abi::setting::Setting as Known;
use gsw_names::{item_signature, listed_tools, settings_of};
use gsw_source::{Db, Diagnostic, ItemId, Place, Span};
use gsw_syntax::ast::{Expression, ExpressionKind, Literal, SettingValue};
use gsw_syntax::item_ast;

use crate::errors;
use crate::rules::{RepeatClass, repeat_class};

pub(super) fn check(db: &dyn Db, item: ItemId, found: &mut Vec<Diagnostic>) {
    let agent = item_signature(db, item).signature.agent;
    let own = cache_of(db, item);
    // A prompt that sets neither is the business of its agent.
    let (span, tools) = match (own, tools_of(db, item)) {
        (Some(cache), Some(tools)) => (cache.kept, tools.listed),
        (Some(cache), None) => (
            cache.kept,
            agent
                .and_then(|it| tools_of(db, it))
                .map_or(Vec::new(), |it| it.listed),
        ),
        (None, Some(tools)) => {
            let kept = agent.and_then(|it| cache_of(db, it)).and_then(|it| it.kept);
            (kept.map(|_| tools.span), tools.listed)
        }
        (None, None) => return,
    };
    let acts = |it: &&ItemId| match repeat_class(db, **it) {
        RepeatClass::Once | RepeatClass::Idempotent => true,
        RepeatClass::Pure | RepeatClass::Reads => false,
    };
    if let Some((span, tool)) = span.zip(tools.iter().find(acts)) {
        let place = Place::Item { item, span };
        found.push(errors::cached_effect(place, tool.name(db)));
    }
}

/// The setting `cache` of an agent or a prompt.
struct Cache {
    /// Its span; `None` where it disables the cache.
    kept: Option<Span>,
}

fn cache_of(db: &dyn Db, item: ItemId) -> Option<Cache> {
    let tree = item_ast(db, item)?;
    let name = Known::Cache.name();
    let setting = settings_of(&tree.body)
        .into_iter()
        .find(|it| it.name.name == name)?;
    let is_off = matches!(
        &setting.value,
        SettingValue::Expression(Expression {
            kind: ExpressionKind::Literal(Literal::Bool(false)),
            ..
        })
    );
    let kept = (!is_off).then_some(setting.name.span);
    Some(Cache { kept })
}

/// The setting `tools` of an agent or a prompt.
struct Tools {
    span: Span,
    listed: Vec<ItemId>,
}

fn tools_of(db: &dyn Db, item: ItemId) -> Option<Tools> {
    let tree = item_ast(db, item)?;
    let name = Known::Tools.name();
    let setting = settings_of(&tree.body)
        .into_iter()
        .find(|it| it.name.name == name)?;
    Some(Tools {
        span: setting.name.span,
        listed: listed_tools(db, item),
    })
}
