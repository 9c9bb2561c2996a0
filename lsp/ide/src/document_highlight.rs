//! `textDocument/documentHighlight`: the places of one file that name what the name at a place does, and which of them change it.

use gsw_source::{Db, File, ItemId, Span};
use gsw_syntax::ast::{Child, Expression, ExpressionKind, StatementKind};
use gsw_syntax::{file_item_ids, item_ast};

use crate::cursor::{cursor, in_file, visit_nodes};
use crate::symbol::{Role, occurrences};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Highlight {
    /// In the file.
    pub span: Span,
    pub access: Access,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    Read,
    /// The value is bound or assigned there.
    Write,
}

#[must_use]
pub fn document_highlight(db: &dyn Db, file: File, offset: u32) -> Vec<Highlight> {
    let Some(cursor) = cursor(db, file, offset) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for item in file_item_ids(db, file).iter().copied() {
        let mut named = occurrences(db, item);
        named.retain(|it| it.symbol == cursor.symbol);
        if named.is_empty() {
            continue;
        }
        let assigned = assigned(db, item);
        found.extend(named.iter().map(|it| {
            let is_written = it.role == Role::Declaration || assigned.contains(&it.span);
            Highlight {
                span: in_file(db, item, it.span),
                access: match is_written {
                    true => Access::Write,
                    false => Access::Read,
                },
            }
        }));
    }
    found
}

/// The names of variables that `item` assigns, where it does.
fn assigned(db: &dyn Db, item: ItemId) -> Vec<Span> {
    let mut found = Vec::new();
    if let Some(tree) = item_ast(db, item) {
        visit_nodes(&tree, |node| {
            if let Child::Statement(statement) = node
                && let StatementKind::Assign { target, .. } = &statement.kind
            {
                found.extend(roots(target).iter().map(|it| it.span));
            }
        });
    }
    found
}

/// The variables of which an assigned place is a part; of a tuple of places those of each.
pub fn roots(target: &Expression) -> Vec<&Expression> {
    if let ExpressionKind::Tuple(parts) = &target.kind {
        return parts.iter().flat_map(roots).collect();
    }
    vec![root(target)]
}

fn root(target: &Expression) -> &Expression {
    let mut place = target;
    while let ExpressionKind::Field { base, .. }
    | ExpressionKind::TupleField { base, .. }
    | ExpressionKind::Index { base, .. } = &place.kind
    {
        place = base;
    }
    place
}
