//! Tests: their heads, and the rows that they are run for.

use std::sync::Arc;

use gsw_names::types::Type;
use gsw_source::{Name, Place, Span};
use gsw_syntax::ast;

use crate::errors::testing::{self as errors, TestClause};
use crate::errors::values;
use crate::hir::{BodyPart, ExpressionKind, LocalId, Statement, StatementKind};
use crate::infer::control;
use crate::infer::expected::Expected;
use crate::infer::item_body::{ItemInference, declare_hidden};
use crate::infer::open_type::OpenType;
use crate::infer::pattern;

/// The most runs of a row; a guess, far above what anybody pays for.
const MOST_RUNS: i128 = 10_000;

impl ItemInference<'_> {
    /// Reports what in the head of a test means nothing.
    pub(super) fn test_head(
        &mut self,
        pass: Option<&ast::Expression>,
        repeat: Option<&ast::Expression>,
        cassette: Option<&ast::Expression>,
    ) {
        let is_wrong = |value: &&ast::Expression, clause| match clause {
            TestClause::Pass => pass_share(value).is_none(),
            TestClause::Repeat => repeat_count(value).is_none(),
            TestClause::Cassette => cassette_file(value).is_none(),
        };
        for (value, clause) in [
            (pass, TestClause::Pass),
            (repeat, TestClause::Repeat),
            (cassette, TestClause::Cassette),
        ] {
            if let Some(value) = value.filter(|it| is_wrong(it, clause)) {
                let place = self.at(value.span);
                self.found
                    .diagnostics
                    .push(errors::wrong_test_head(place, clause));
            }
        }
    }

    fn at(&self, span: Span) -> Place {
        Place::Item {
            item: self.item,
            span,
        }
    }

    /// The body of a test, and the list of its rows.
    pub(super) fn test(&mut self, rows: Option<&ast::TestRows>, body: &ast::Block) {
        let Some(ast::TestRows { pattern, rows }) = rows else {
            return self.part(BodyPart::Main, &[], Type::Unit, |cx| {
                let id = cx.block(body, &Expected::Dropped);
                cx.hir.without_value(id)
            });
        };
        let before = self.found.clone();
        let (row, open) = self.rows(rows, None);
        self.body_of_row(pattern, body, &open);
        // Which union a literal of the rows is one of, the body says.
        let wanted = self.type_of_row();
        if wanted != row {
            self.found = before;
            self.rows(rows, Some(&wanted));
            self.body_of_row(pattern, body, &OpenType::known(wanted));
        }
    }

    /// The body of a test with rows of that type.
    fn body_of_row(&mut self, pattern: &ast::Pattern, body: &ast::Block, row: &OpenType) {
        let span = pattern.span;
        self.part_with(BodyPart::Main, &[], 1, Type::Unit, |cx| {
            let row = cx.hir.table.adopted(row);
            let parameter = LocalId(0);
            let start = Span::new(span.start, span.start);
            declare_hidden(cx, &Name::default(), row.clone(), start);
            let value = cx.hir.local_value(parameter, span);
            let pattern = cx.pattern(pattern, &row, pattern::Place::Binding);
            let bound = StatementKind::Let { pattern, value };
            let inner = cx.block(body, &Expected::Dropped);
            let inner = cx.hir.without_value(inner);
            let statements = vec![
                Statement { kind: bound, span },
                Statement {
                    kind: StatementKind::Expression(inner),
                    span: body.span,
                },
            ];
            let block = ExpressionKind::Block {
                statements,
                tail: None,
            };
            cx.hir.push(block, Type::Unit, body.span)
        });
    }

    /// The type of the row in the body that was inferred last.
    fn type_of_row(&self) -> Type {
        let parameter = self.found.bodies.last().and_then(|it| it.locals.first());
        parameter.map_or(Type::Invalid, |it| it.ty.clone())
    }

    /// The type of a row in the list that was inferred last, whose body has the type of the list as its result.
    fn type_of_rows(&mut self) -> Type {
        let Some(body) = self.found.bodies.last_mut() else {
            return Type::Invalid;
        };
        let body = Arc::make_mut(body);
        body.result = body.expression(body.root).ty.clone();
        let Type::List(row) = &body.result else {
            return Type::Invalid;
        };
        Type::clone(row)
    }

    /// The list of rows, of type `wanted` where that is known. Returns the type of a row, and what of it is open still.
    fn rows(&mut self, rows: &ast::Expression, wanted: Option<&Type>) -> (Type, OpenType) {
        let mut open = None;
        self.part(BodyPart::Rows, &[], Type::Invalid, |cx| {
            let expected =
                wanted.map_or(Expected::Anything, |it| Expected::Type(it.clone().list()));
            let list = cx.expression(rows, &expected);
            let hir = &mut cx.hir;
            // What is no list is reported as a `for` reports it; a map has no order that a report could count on.
            let element = control::element(hir, list);
            if let Type::Map(..) = hir.table.unchecked(&hir.ty(list)) {
                let (place, text) = (hir.place(rows.span), hir.show(&hir.ty(list)));
                hir.report(values::not_iterable(place, &text));
                return hir.invalid(rows.span);
            }
            if element == Type::Invalid {
                return list;
            }
            open = hir.table.opened(&element);
            hir.coerce(list, &element.list())
        });
        let row = self.type_of_rows();
        let open = open.unwrap_or_else(|| OpenType::known(row.clone()));
        (row, open)
    }
}

/// The share after `pass`, when it is one.
pub fn pass_share(value: &ast::Expression) -> Option<f64> {
    let ast::ExpressionKind::Literal(literal) = &value.kind else {
        return None;
    };
    let share = match literal {
        ast::Literal::Float(bits) => f64::from_bits(*bits),
        // A larger number is no share, however it is rounded.
        ast::Literal::Int(share) => f64::from(u8::try_from((*share)?).ok()?),
        ast::Literal::Bool(_)
        | ast::Literal::None
        | ast::Literal::Duration(_)
        | ast::Literal::String(_) => return None,
    };
    (0.0..=1.0).contains(&share).then_some(share)
}

/// The number after `repeat`, when there can be this many runs.
pub fn repeat_count(value: &ast::Expression) -> Option<u32> {
    let ast::ExpressionKind::Literal(ast::Literal::Int(Some(count))) = &value.kind else {
        return None;
    };
    let count = (1..=MOST_RUNS).contains(count).then_some(*count)?;
    u32::try_from(count).ok()
}

/// The path after `cassette`, when it is one that can be known before the test runs.
pub fn cassette_file(value: &ast::Expression) -> Option<String> {
    let ast::ExpressionKind::Literal(ast::Literal::String(path)) = &value.kind else {
        return None;
    };
    let is_path = !path.trim().is_empty() && !path.contains('\0') && !path.ends_with('/');
    is_path.then(|| path.to_string())
}
