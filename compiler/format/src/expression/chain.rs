//! Chains of fields, calls and indices.

use gsw_source::Span;
use gsw_syntax::ast::{Argument, Chain, Expression, ExpressionKind, Identifier, Setting};

use crate::document::{Document, concat, group, nest, nothing, text};
use crate::printer::Printer;

/// What a chain applies to the expression before it.
struct Link<'tree> {
    base: &'tree Expression,
    kind: LinkKind<'tree>,
    end: u32,
}

enum LinkKind<'tree> {
    Field(&'tree Identifier, Chain),
    TupleField(u32),
    AllOf,
    Index(&'tree Expression),
    Call(&'tree [Argument], Span),
    By(&'tree Expression),
    With(&'tree [Setting]),
}

impl<'tree> Link<'tree> {
    /// The last link of a chain; `None` when the expression is no chain.
    #[expect(
        clippy::too_many_lines,
        reason = "one line a form: rustc names what a new form must join"
    )]
    fn last_of(it: &'tree Expression) -> Option<Self> {
        use ExpressionKind as Kind;
        let (base, kind) = match &it.kind {
            Kind::Field { base, name, chain } => (base, LinkKind::Field(name, *chain)),
            Kind::TupleField {
                base,
                index,
                index_span: _,
            } => (base, LinkKind::TupleField(*index)),
            Kind::AllOf(base) => (base, LinkKind::AllOf),
            Kind::Index { base, index } => (base, LinkKind::Index(index)),
            Kind::Call {
                callee,
                arguments,
                arguments_span,
            } => (callee, LinkKind::Call(arguments, *arguments_span)),
            Kind::By { call, agent } => (call, LinkKind::By(agent)),
            Kind::With { call, settings } => (call, LinkKind::With(settings)),
            Kind::Literal(_)
            | Kind::Interpolation(_)
            | Kind::Name(_)
            | Kind::Record { .. }
            | Kind::List(_)
            | Kind::Map(_)
            | Kind::Unit
            | Kind::Tuple(_)
            | Kind::Parenthesized(_)
            | Kind::Range { .. }
            | Kind::Lambda { .. }
            | Kind::Unary { .. }
            | Kind::Binary { .. }
            | Kind::As { .. }
            | Kind::Catch { .. }
            | Kind::If { .. }
            | Kind::Let { .. }
            | Kind::Match { .. }
            | Kind::Do(_)
            | Kind::For { .. }
            | Kind::While { .. }
            | Kind::Return(_)
            | Kind::Break
            | Kind::Continue
            | Kind::Fail(_)
            | Kind::Emit(_)
            | Kind::Text { .. }
            | Kind::Spawn(_)
            | Kind::Undo { .. }
            | Kind::SpawnDetached(_)
            | Kind::Await(_)
            | Kind::Race { .. }
            | Kind::ParallelFor { .. }
            | Kind::Parallel { .. }
            | Kind::Step { .. }
            | Kind::Modified { .. }
            | Kind::Reflect { .. }
            | Kind::Revise(_)
            | Kind::Invalid => return None,
        };
        Some(Self {
            base,
            kind,
            end: it.span.end,
        })
    }
}

impl Printer<'_, '_> {
    /// A chain; one with several method calls may be broken before each of them.
    pub(crate) fn chain(&mut self, it: &Expression) -> Document {
        let mut links = Vec::new();
        let mut base = it;
        while let Some(link) = Link::last_of(base) {
            base = link.base;
            links.push(link);
        }
        links.reverse();
        let is_method = |index: usize| {
            matches!(links[index].kind, LinkKind::Field(..))
                && links
                    .get(index + 1)
                    .is_some_and(|next| matches!(next.kind, LinkKind::Call(..)))
        };
        let methods = (0..links.len()).filter(|index| is_method(*index)).count();
        let ends = std::iter::once(base.span.end).chain(links.iter().map(|it| it.end));
        let ends: Vec<u32> = ends.collect();
        let commented = links.iter().zip(&ends);
        let commented: Vec<bool> = commented
            .map(|(link, end)| self.has_comment_before(link, *end))
            .collect();
        let has_comment = commented.contains(&true);
        let is_short = matches!(base.kind, ExpressionKind::Name(_)) && !has_comment;
        let mut document = vec![self.expression(base)];
        let mut is_moved_in = false;
        for (index, link) in links.iter().enumerate() {
            let may_break = commented[index]
                || (methods > 1 || has_comment) && is_method(index) && (index > 0 || !is_short);
            is_moved_in |= may_break;
            let before = if may_break {
                self.break_before(link, ends[index])
            } else {
                nothing()
            };
            let link = concat([before, self.link(link)]);
            document.push(if is_moved_in { nest(link) } else { link });
        }
        group(concat(document))
    }

    /// Whether a comment is between what ends at `end` and the link after it.
    fn has_comment_before(&self, link: &Link<'_>, end: u32) -> bool {
        let LinkKind::Field(name, _) = link.kind else {
            return false;
        };
        let gap = Span::new(end, name.span.start.max(end));
        self.comments.are_in(gap.shifted(self.offset))
    }

    /// A place to break between what ends at `end` and the link after it, with the comments that are there.
    fn break_before(&mut self, link: &Link<'_>, end: u32) -> Document {
        let LinkKind::Field(name, _) = link.kind else {
            return nothing();
        };
        let comments = self.between(end, name.span.start);
        comments.unwrap_or(Document::SoftLine)
    }

    fn link(&mut self, link: &Link<'_>) -> Document {
        match link.kind {
            LinkKind::Field(name, chain) => text(format!("{}{}", chain.symbol(), name.name)),
            LinkKind::TupleField(index) => text(format!(".{index}")),
            LinkKind::AllOf => text(".*"),
            LinkKind::Index(index) => concat([text("["), self.expression(index), text("]")]),
            LinkKind::Call(arguments, span) => self.arguments(arguments, span),
            LinkKind::By(agent) => concat([text(" by "), self.expression(agent)]),
            LinkKind::With(settings) => {
                let braces = self.braces(link.base.span.end, link.end);
                concat([text(" with "), self.settings(settings, braces)])
            }
        }
    }
}
