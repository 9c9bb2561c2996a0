//! Source text for the labels of a picture.

use gsw_infer::hir::{Arm, Body, ExpressionId, ExpressionKind, Modifiers, Part};
use gsw_source::{Db, ItemId, Place, Span};
use gsw_syntax::locate;

/// A label has at most so many characters; a guess at what is still read at a glance.
const LONGEST: usize = 44;

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
    match &body.expression(id).kind {
        ExpressionKind::String(text) => shortened(text),
        ExpressionKind::Interpolation(parts) => {
            let parts = parts.iter().map(|it| match it {
                Part::Text(text) => text.to_string(),
                Part::Expression(id) => format!("${{{}}}", expression(db, body, *id)),
            });
            shortened(&parts.collect::<String>())
        }
        _ => expression(db, body, id),
    }
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
    let text = |id| expression(db, body, id);
    let mut marks = Vec::new();
    if let Some(budget) = &modifiers.budget {
        let parts = [
            ("usd", budget.usd),
            ("tokens", budget.tokens),
            ("calls", budget.calls),
            ("time", budget.time),
        ];
        let parts = parts.map(|(name, id)| id.map(|id| format!("{name}: {}", text(id))));
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        marks.push(format!("budget {}", parts.join(", ")));
    }
    if let Some(reflect) = &modifiers.reflect {
        let with = reflect.with.map(|it| format!(" with {}", text(it)));
        marks.push(format!(
            "reflect {}{}",
            text(reflect.count),
            with.unwrap_or_default()
        ));
    }
    if let Some(retry) = &modifiers.retry {
        let backoff = retry.backoff.map(|it| format!(" backoff {}", text(it)));
        let max = retry.max.map(|it| format!(" max {}", text(it)));
        let (backoff, max) = (backoff.unwrap_or_default(), max.unwrap_or_default());
        marks.push(format!("retry {}{backoff}{max}", text(retry.count)));
    }
    marks.extend(modifiers.timeout.map(|it| format!("timeout {}", text(it))));
    marks
}
