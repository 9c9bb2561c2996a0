//! Chains of fields, calls and indices.

use gsw_syntax::ast::{Chain, Expression, ExpressionKind};

use crate::document::{Document, concat, group, nest, nothing, text};
use crate::printer::Printer;

impl Printer<'_, '_> {
    /// A chain; one with several method calls may be broken before each of them.
    pub(crate) fn chain(&mut self, it: &Expression) -> Document {
        let mut links = Vec::new();
        let mut base = it;
        while let Some(inner) = base_of(base) {
            links.push(base);
            base = inner;
        }
        links.reverse();
        let is_method = |index: usize| {
            matches!(links[index].kind, ExpressionKind::Field { .. })
                && links
                    .get(index + 1)
                    .is_some_and(|next| matches!(next.kind, ExpressionKind::Call { .. }))
        };
        let methods = (0..links.len()).filter(|index| is_method(*index)).count();
        let has_comment = links.iter().any(|link| self.comment_before(link, base));
        let is_short = matches!(base.kind, ExpressionKind::Name(_)) && !has_comment;
        let mut document = vec![self.expression(base)];
        let mut is_moved_in = false;
        for (index, link) in links.iter().enumerate() {
            let may_break =
                (methods > 1 || has_comment) && is_method(index) && (index > 0 || !is_short);
            is_moved_in |= may_break;
            let before = if may_break {
                self.break_before(link)
            } else {
                nothing()
            };
            let link = concat([before, self.link(link)]);
            document.push(if is_moved_in { nest(link) } else { link });
        }
        group(concat(document))
    }

    /// Whether a comment that is not printed yet stands between the base of a chain and a link.
    fn comment_before(&self, link: &Expression, base: &Expression) -> bool {
        let ExpressionKind::Field { name, .. } = &link.kind else {
            return false;
        };
        let end = base.span.end + self.offset;
        let comment = self.comments.next_before(name.span.start + self.offset);
        comment.is_some_and(|start| start >= end)
    }

    /// A place to break before a link, with the comments that stand there.
    fn break_before(&mut self, link: &Expression) -> Document {
        let ExpressionKind::Field { name, .. } = &link.kind else {
            return nothing();
        };
        let comments = self.comments.before(name.span.start + self.offset);
        concat([Document::SoftLine, comments])
    }

    fn link(&mut self, link: &Expression) -> Document {
        match &link.kind {
            ExpressionKind::Field { name, chain, .. } => match chain {
                Chain::Plain => text(format!(".{}", name.name)),
                Chain::Optional => text(format!("?.{}", name.name)),
            },
            ExpressionKind::TupleField { index, .. } => text(format!(".{index}")),
            ExpressionKind::AllOf(_) => text(".*"),
            ExpressionKind::Index { index, .. } => {
                concat([text("["), self.expression(index), text("]")])
            }
            ExpressionKind::Call {
                arguments,
                arguments_span,
                ..
            } => self.arguments(arguments, *arguments_span),
            ExpressionKind::By { agent, .. } => concat([text(" by "), self.expression(agent)]),
            ExpressionKind::With { call, settings } => {
                let braces = self.braces(call.span.end, link.span.end);
                concat([text(" with "), self.settings(settings, braces)])
            }
            _ => nothing(),
        }
    }
}

/// What the last link of a chain is applied to.
fn base_of(it: &Expression) -> Option<&Expression> {
    match &it.kind {
        ExpressionKind::Field { base, .. }
        | ExpressionKind::TupleField { base, .. }
        | ExpressionKind::AllOf(base)
        | ExpressionKind::Index { base, .. }
        | ExpressionKind::Call { callee: base, .. }
        | ExpressionKind::By { call: base, .. }
        | ExpressionKind::With { call: base, .. } => Some(base),
        _ => None,
    }
}
