//! Source text for the labels of a picture.

use gsw_infer::hir::{
    Arm, Body, Budget, ErrorPolicy, ExpressionId, ExpressionKind, Modifiers, Part, Reflect, Retry,
};
use gsw_source::{Db, ItemId, Place, Span};
use gsw_syntax::item_ast;
use gsw_syntax::locate;

/// A label has at most this many characters; a guess at what is still read at a glance.
const LONGEST: usize = 44;

/// The policy of a `parallel`, where it is not the default.
pub const fn policy(policy: ErrorPolicy) -> Option<&'static str> {
    match policy {
        ErrorPolicy::First => None,
        ErrorPolicy::Settle => Some("errors settle"),
        ErrorPolicy::Merge => Some("errors merge"),
    }
}

/// The source text of bytes of an item on one line, cut when it is long.
pub(super) fn source(db: &dyn Db, item: ItemId, span: Span) -> String {
    let place = Place::Item { item, span };
    let (file, span) = locate(db, place);
    let text = file.text(db);
    let slice = text.get(span.start as usize..span.end as usize);
    shortened(slice.unwrap_or_default())
}

/// The text on one line, cut when it is long.
pub(super) fn shortened(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    if line.chars().count() <= LONGEST {
        return line;
    }
    let start: String = line.chars().take(LONGEST - 1).collect();
    format!("{}…", start.trim_end())
}

/// The source text of an expression.
pub(super) fn expression(db: &dyn Db, body: &Body, id: ExpressionId) -> String {
    source(db, body.item, body.expression(id).span)
}

/// A string as it reads: a text without its quotes, with `${…}` in it as written.
pub(super) fn name(db: &dyn Db, body: &Body, id: ExpressionId) -> String {
    let kind = &body.expression(id).kind;
    if let ExpressionKind::String(text) = kind {
        return shortened(text);
    }
    let ExpressionKind::Interpolation(parts) = kind else {
        return expression(db, body, id);
    };
    let parts = parts.iter().map(|it| match it {
        Part::Text(text) => text.to_string(),
        Part::Expression(id) => format!("${{{}}}", expression(db, body, *id)),
    });
    shortened(&parts.collect::<String>())
}

/// When an arm is taken.
pub(super) fn arm(db: &dyn Db, body: &Body, arm: &Arm) -> String {
    let pattern = source(db, body.item, arm.pattern.span);
    match arm.guard {
        Some(guard) => shortened(&format!("{pattern} if {}", expression(db, body, guard))),
        None => pattern,
    }
}

/// The modifiers as in source, from the outside in.
pub(super) fn marks(db: &dyn Db, body: &Body, modifiers: &Modifiers) -> Vec<String> {
    let Modifiers {
        budget,
        reflect,
        retry,
        timeout,
    } = modifiers;
    let text = |id| expression(db, body, id);
    let after = |word: &str, id: Option<ExpressionId>| {
        id.map_or_else(String::new, |id| format!(" {word} {}", text(id)))
    };
    let mut marks = Vec::new();
    if let Some(Budget {
        usd,
        tokens,
        calls,
        time,
    }) = budget
    {
        let limits: Vec<String> = [
            ("usd", usd),
            ("tokens", tokens),
            ("calls", calls),
            ("time", time),
        ]
        .into_iter()
        .filter_map(|(name, id)| id.map(|id| format!("{name}: {}", text(id))))
        .collect();
        marks.push(format!("budget {}", limits.join(", ")));
    }
    if let Some(Reflect { count, with }) = reflect {
        let with = after("with", *with);
        marks.push(format!("reflect {}{with}", text(*count)));
    }
    if let Some(Retry {
        count,
        backoff,
        max,
    }) = retry
    {
        let (backoff, max) = (after("backoff", *backoff), after("max", *max));
        marks.push(format!("retry {}{backoff}{max}", text(*count)));
    }
    marks.extend(timeout.map(|it| format!("timeout {}", text(it))));
    marks
}

/// The modifiers in the head of what can be called, as in source.
pub(crate) fn head_marks(db: &dyn Db, item: ItemId) -> Vec<String> {
    let ast = item_ast(db, item);
    let Some(signature) = ast.as_deref().and_then(|it| it.body.signature()) else {
        return Vec::new();
    };
    signature
        .modifiers
        .iter()
        .map(|it| source(db, item, it.span))
        .collect()
}
