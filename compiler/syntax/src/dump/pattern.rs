//! Patterns as lists.

use crate::ast::{ListRest, Pattern, PatternField, PatternKind, Rest};
use crate::dump::expression::literal;
use crate::dump::{Node, path, word};

pub(super) fn pattern(it: &Pattern) -> Node {
    match &it.kind {
        PatternKind::Wildcard => word("_"),
        PatternKind::Binding(name) => word(&name.name),
        PatternKind::Literal(value) => literal(value),
        PatternKind::Range {
            start,
            end,
            range_end,
        } => Node::list(
            range_end.symbol(),
            [word(&start.to_string()), word(&end.to_string())],
        ),
        PatternKind::Variant {
            path: names,
            fields: None,
            ..
        } => path(names),
        PatternKind::Variant {
            path: names,
            fields: Some(inner),
            rest,
        } => Node::List(
            std::iter::once(path(names))
                .chain(fields(inner, *rest))
                .collect(),
        ),
        PatternKind::Record {
            path: names,
            fields: inner,
            rest,
        } => Node::list(
            "record",
            std::iter::once(path(names)).chain(fields(inner, *rest)),
        ),
        PatternKind::Tuple(members) => Node::list("tuple", members.iter().map(pattern)),
        PatternKind::List {
            before,
            rest,
            after,
        } => {
            let rest = match rest {
                ListRest::Complete => None,
                ListRest::Ignored => Some(word("..")),
                ListRest::Bound(name) => Some(word(&format!("..{}", name.name))),
            };
            let after = after.iter().map(pattern);
            Node::list("list", before.iter().map(pattern).chain(rest).chain(after))
        }
        PatternKind::Or(alternatives) => Node::list("or", alternatives.iter().map(pattern)),
        PatternKind::Invalid => word("invalid"),
    }
}

pub(super) fn fields(fields: &[PatternField], rest: Rest) -> Vec<Node> {
    let rest = (rest == Rest::Ignored).then(|| word(".."));
    let field = |field: &PatternField| match &field.name {
        Some(name) => Node::list(&format!("{}:", name.name), [pattern(&field.pattern)]),
        None => pattern(&field.pattern),
    };
    fields.iter().map(field).chain(rest).collect()
}
