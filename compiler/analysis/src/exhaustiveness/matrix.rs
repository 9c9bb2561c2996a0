//! The matrix algorithm: rows of patterns, one column per value, specialised by one constructor after the other.

use std::cell::Cell;

use gsw_names::types::Type;
use gsw_source::Db;
use rustc_hash::FxHashMap;

use super::constructor::{Constructor, covered_parts, field_types, split};
use super::pattern::Simple;
use super::witness::Witness;

/// How many specialisations are made before a matrix counts as covered: the problem is exponential at worst. A guess.
const FUEL: u32 = 50_000;

/// The algorithm with what it needs.
pub(super) struct Matrix<'a> {
    db: &'a dyn Db,
    fuel: Cell<u32>,
}

impl<'a> Matrix<'a> {
    pub(super) fn new(db: &'a dyn Db) -> Self {
        Self {
            db,
            fuel: Cell::new(FUEL),
        }
    }

    /// Whether `row` covers a value that none of `rows` does.
    pub(super) fn is_useful(&self, rows: &[Vec<Simple>], types: &[Type], row: &[Simple]) -> bool {
        let (Some((head, tail)), Some((ty, types))) = (row.split_first(), types.split_first())
        else {
            return rows.is_empty();
        };
        if !self.burn() {
            return true;
        }
        match head {
            Simple::Or(parts) => parts.iter().any(|part| {
                let alternative: Vec<Simple> = [part.clone()]
                    .into_iter()
                    .chain(tail.iter().cloned())
                    .collect();
                self.is_useful(rows, &with_head(ty, types), &alternative)
            }),
            Simple::Opaque => self.is_useful(&wildcard_rows(rows), types, tail),
            Simple::Wildcard if !has_constructor(rows) => {
                self.is_useful(&wildcard_rows(rows), types, tail)
            }
            Simple::Wildcard | Simple::Made(..) => {
                let constructors = match head {
                    Simple::Made(constructor, _) if constructor.is_exact() => {
                        vec![constructor.clone()]
                    }
                    Simple::Made(constructor, _) => {
                        let mut heads = heads(rows);
                        heads.push(constructor);
                        split(self.db, ty, &heads)
                    }
                    Simple::Wildcard | Simple::Or(_) | Simple::Opaque => {
                        split(self.db, ty, &heads(rows))
                    }
                };
                let groups = Groups::new(rows);
                constructors.iter().any(|constructor| {
                    let fields = field_types(self.db, constructor, ty);
                    let narrowed = specialise(row, constructor, fields.len());
                    if narrowed.is_empty() {
                        return false;
                    }
                    let inner = groups.specialised(constructor, fields.len());
                    let types: Vec<Type> =
                        fields.into_iter().chain(types.iter().cloned()).collect();
                    narrowed.iter().any(|it| self.is_useful(&inner, &types, it))
                })
            }
        }
    }

    /// At most `limit` rows of values that none of `rows` covers.
    pub(super) fn missing(
        &self,
        rows: &[Vec<Simple>],
        types: &[Type],
        limit: usize,
    ) -> Vec<Vec<Witness>> {
        let Some((ty, rest)) = types.split_first() else {
            return if rows.is_empty() {
                vec![Vec::new()]
            } else {
                Vec::new()
            };
        };
        if !self.burn() {
            return Vec::new();
        }
        if !has_constructor(rows) {
            let missing = self.missing(&wildcard_rows(rows), rest, limit);
            return missing
                .into_iter()
                .map(|it| prepend(Witness::any(ty), it))
                .collect();
        }
        let mut found = Vec::new();
        let groups = Groups::new(rows);
        for constructor in split(self.db, ty, &heads(rows)) {
            let fields = field_types(self.db, &constructor, ty);
            let arity = fields.len();
            let inner = groups.specialised(&constructor, arity);
            let types: Vec<Type> = fields.into_iter().chain(rest.iter().cloned()).collect();
            for mut row in self.missing(&inner, &types, limit - found.len()) {
                let tail = row.split_off(arity);
                found.push(prepend(Witness::made(ty, constructor.clone(), row), tail));
            }
            if found.len() >= limit {
                break;
            }
        }
        found
    }

    fn burn(&self) -> bool {
        let left = self.fuel.get();
        self.fuel.set(left.saturating_sub(1));
        left > 0
    }
}

/// Rows by the constructor at their head, so that a `match` over many variants looks at each row once.
struct Groups<'rows> {
    exact: FxHashMap<&'rows Constructor, Vec<&'rows [Simple]>>,
    other: Vec<&'rows [Simple]>,
}

impl<'rows> Groups<'rows> {
    fn new(rows: &'rows [Vec<Simple>]) -> Self {
        let mut groups = Self {
            exact: FxHashMap::default(),
            other: Vec::new(),
        };
        for row in rows {
            match row.first() {
                Some(Simple::Made(constructor, _)) if constructor.is_exact() => {
                    groups.exact.entry(constructor).or_default().push(row);
                }
                _ => groups.other.push(row),
            }
        }
        groups
    }

    /// The rows for values that `constructor` makes; their order says nothing about what they cover.
    fn specialised(&self, constructor: &Constructor, arity: usize) -> Vec<Vec<Simple>> {
        let exact = self.exact.get(constructor).into_iter().flatten();
        exact
            .chain(&self.other)
            .flat_map(|row| specialise(row, constructor, arity))
            .collect()
    }
}

fn with_head(ty: &Type, types: &[Type]) -> Vec<Type> {
    [ty.clone()]
        .into_iter()
        .chain(types.iter().cloned())
        .collect()
}

fn prepend(first: Witness, rest: Vec<Witness>) -> Vec<Witness> {
    [first].into_iter().chain(rest).collect()
}

/// Constructors at the head of any row, also inside alternatives.
fn heads(rows: &[Vec<Simple>]) -> Vec<&Constructor> {
    let mut found = Vec::new();
    let mut waiting: Vec<&Simple> = rows.iter().filter_map(|row| row.first()).collect();
    while let Some(head) = waiting.pop() {
        match head {
            Simple::Made(constructor, _) => found.push(constructor),
            Simple::Or(parts) => waiting.extend(parts),
            Simple::Wildcard | Simple::Opaque => {}
        }
    }
    found
}

fn has_constructor(rows: &[Vec<Simple>]) -> bool {
    !heads(rows).is_empty()
}

/// The rows that cover every value of the first column, without it.
fn wildcard_rows(rows: &[Vec<Simple>]) -> Vec<Vec<Simple>> {
    let covers = |head: &Simple| match head {
        Simple::Wildcard => true,
        Simple::Or(parts) => parts.contains(&Simple::Wildcard),
        Simple::Made(..) | Simple::Opaque => false,
    };
    let covering = rows.iter().filter(|row| row.first().is_some_and(covers));
    covering.map(|row| row[1..].to_vec()).collect()
}

/// `row` for values that `constructor` makes: none when it covers none of them, several when it has alternatives.
fn specialise(row: &[Simple], constructor: &Constructor, arity: usize) -> Vec<Vec<Simple>> {
    let Some((head, tail)) = row.split_first() else {
        return Vec::new();
    };
    let joined = |parts: Vec<Simple>| {
        parts
            .into_iter()
            .chain(tail.iter().cloned())
            .collect::<Vec<_>>()
    };
    match head {
        Simple::Wildcard => vec![joined(vec![Simple::Wildcard; arity])],
        Simple::Opaque => Vec::new(),
        Simple::Made(made, parts) => covered_parts(made, parts, constructor)
            .map(|parts| vec![joined(parts)])
            .unwrap_or_default(),
        Simple::Or(alternatives) => alternatives
            .iter()
            .flat_map(|part| {
                let row: Vec<Simple> = [part.clone()]
                    .into_iter()
                    .chain(tail.iter().cloned())
                    .collect();
                specialise(&row, constructor, arity)
            })
            .collect(),
    }
}
