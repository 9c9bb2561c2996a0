//! Mocks that never answer: of those of one declaration the first that matches does, and its last answer repeats.

use gsw_infer::hir::{Body, ExpressionKind, Pattern, StatementKind};
use gsw_names::types::Type;
use gsw_source::{Db, Diagnostic, ItemId, ItemKind, Place, Span};
use rustc_hash::FxHashMap;

use super::constructor::Constructor;
use super::matrix::Matrix;
use super::pattern::{Simple, simplify};
use crate::errors;

/// A mock in a test or a function for tests.
struct Mock<'b> {
    span: Span,
    /// The block that it is in: it holds from here to the end of that.
    block: Span,
    patterns: &'b [Pattern],
}

/// Warns of mocks that those before them leave nothing to.
pub(super) fn unreachable_mocks(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
    if !matches!(body.item.kind(db), ItemKind::Test | ItemKind::Function) {
        return;
    }
    for mut mocks in mocks(body).into_iter().filter(|it| it.len() > 1) {
        // As they are written, whatever block each of them is in.
        mocks.sort_by_key(|it| it.span.start);
        look_at(db, body, &mocks, found);
    }
}

/// The mocks of a test, those of one declaration together.
fn mocks(body: &Body) -> Vec<Vec<Mock<'_>>> {
    let mut found: Vec<Vec<Mock<'_>>> = Vec::new();
    let mut places: FxHashMap<ItemId, usize> = FxHashMap::default();
    for expression in &body.expressions {
        let ExpressionKind::Block { statements, .. } = &expression.kind else {
            continue;
        };
        for statement in statements {
            if let StatementKind::Mock { item, patterns, .. } = &statement.kind {
                let mock = Mock {
                    span: statement.span,
                    block: expression.span,
                    patterns,
                };
                let place = *places.entry(*item).or_insert(found.len());
                match found.get_mut(place) {
                    Some(mocks) => mocks.push(mock),
                    None => found.push(vec![mock]),
                }
            }
        }
    }
    found
}

fn look_at(db: &dyn Db, body: &Body, mocks: &[Mock<'_>], found: &mut Vec<Diagnostic>) {
    let rows = mocks.iter().map(|it| row(db, it.patterns));
    // Those before an invalid pattern, which has been reported.
    let rows: Vec<Simple> = rows.map_while(|it| it).collect();
    let ty = type_of(mocks[0].patterns);
    let mut matrix = Matrix::new(db, &ty);
    for (index, (mock, row)) in mocks.iter().zip(&rows).enumerate() {
        // A mock in a block that has ended, or was not entered, may not have been made.
        let earlier = mocks[..index].iter().zip(&rows);
        let earlier = earlier
            .filter(|(it, _)| it.span.end <= mock.span.start && it.block.end >= mock.span.end);
        let earlier: Vec<&Simple> = earlier.map(|it| it.1).collect();
        if !earlier.is_empty() && !matrix.is_useful(earlier.into_iter(), row).unwrap_or(true) {
            let place = Place::Item {
                item: body.item,
                span: mock.span,
            };
            found.push(errors::unreachable_mock(place));
        }
    }
}

/// The type of all arguments at once.
fn type_of(patterns: &[Pattern]) -> Type {
    match patterns {
        [only] => only.ty.clone(),
        several => Type::Tuple(several.iter().map(|it| it.ty.clone()).collect()),
    }
}

fn row(db: &dyn Db, patterns: &[Pattern]) -> Option<Simple> {
    match patterns {
        [] => Some(Simple::Wildcard),
        [only] => simplify(db, only),
        several => {
            let parts: Option<Vec<Simple>> = several.iter().map(|it| simplify(db, it)).collect();
            Some(Simple::Made(Constructor::Single, parts?))
        }
    }
}
