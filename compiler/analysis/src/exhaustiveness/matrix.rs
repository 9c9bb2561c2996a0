//! Which values a list of patterns leaves out, by splitting one column after the other at its constructors.
//!
//! A *column* is a place in the value that is matched: the value itself, or a part of what a constructor makes in another
//! column. A *row* is a pattern as its *cells*: the columns that it looks into, each with the pattern there; what it leaves
//! open has no cell. So a row without cells covers everything that is left, and a wide tuple of wildcards costs nothing.
//!
//! ```text
//! match (a, b) { (A, _) => …  (_, B) => … }        rows {0.0: A} and {0.1: B}; after 0.0 = A the first row has no cells left
//! ```
//!
//! `find_missing` splits at the column that most rows look into, follows each constructor with the rows that admit it, and
//! remembers which lists of rows leave nothing out: whether a column was split already is no part of the question, only what the
//! rows still ask is. Whether patterns cover everything is co-NP-complete all the same, so the steps are counted, and a `match`
//! that exhausts them gets a report that there is no answer. After Luc Maranget's "Warnings for pattern matching".

use gsw_names::types::Type;
use gsw_source::Db;
use rustc_hash::{FxHashMap, FxHashSet};

use super::constructor::{Constructor, field_type, field_types, gap, split};
use super::pattern::Simple;
use super::witness::Witness;

/// How many rows are copied before a question counts as too complex. A guess: some tenths of a second.
const MOST_STEPS: u32 = 2_000_000;

/// There were too many steps to find out.
pub(super) struct TooComplex;

/// A place in the value that is matched, by number.
type Column = u32;

/// The value itself.
const WHOLE: Column = 0;

/// The pattern of a row in one column.
#[derive(Clone, Copy)]
struct Cell<'p> {
    column: Column,
    pattern: &'p Simple,
}

/// What a pattern looks into.
type Row<'p> = Vec<Cell<'p>>;

/// A constructor for each of some columns.
type Decided = Vec<(Column, Constructor)>;

/// The columns of a value, what is known of them, and the steps that are left.
pub(super) struct Matrix<'p> {
    db: &'p dyn Db,
    /// The type of each column.
    types: Vec<Type>,
    /// The column of each field of each constructor in each column.
    parts: FxHashMap<(Column, Constructor, u32), Column>,
    /// Rows by the columns and addresses of their cells, which are numbered as they appear.
    rows: FxHashMap<Vec<(Column, *const Simple)>, u32>,
    /// Lists of rows, by their numbers, that leave nothing out.
    covering: FxHashSet<Vec<u32>>,
    /// How many steps may still be taken.
    steps: u32,
}

impl<'p> Matrix<'p> {
    /// For values of this type.
    pub(super) fn new(db: &'p dyn Db, ty: &Type) -> Self {
        Self {
            db,
            types: vec![ty.clone()],
            parts: FxHashMap::default(),
            rows: FxHashMap::default(),
            covering: FxHashSet::default(),
            steps: MOST_STEPS,
        }
    }

    /// Whether `pattern` covers a value that none of `above` does.
    pub(super) fn is_useful(
        &mut self,
        above: impl Iterator<Item = &'p Simple>,
        pattern: &'p Simple,
    ) -> Result<bool, TooComplex> {
        let rows: Vec<Row> = above.map(whole_row).collect();
        self.spend(rows.len())?;
        self.adds(rows, whole_row(pattern))
    }

    /// At most `limit` values that none of `patterns` covers; not of none at all.
    pub(super) fn missing(
        &mut self,
        patterns: impl Iterator<Item = &'p Simple>,
        limit: usize,
    ) -> Result<Vec<Witness>, TooComplex> {
        let rows = patterns.map(whole_row).collect();
        let mut found = Vec::new();
        self.find_missing(rows, &mut Decided::new(), limit, &mut found)?;
        let known = found.into_iter().map(|it| it.into_iter().collect());
        let known: Vec<FxHashMap<Column, Constructor>> = known.collect();
        Ok(known.iter().map(|it| self.witness(WHOLE, it)).collect())
    }

    /// Whether `row` covers something that `rows` leave out: follows what it looks into and then asks for what is missing there.
    fn adds(&mut self, rows: Vec<Row<'p>>, mut row: Row<'p>) -> Result<bool, TooComplex> {
        if rows.iter().any(Vec::is_empty) {
            return Ok(false);
        }
        // The row asks for nothing more, so it is useful if the rows that are left do not cover everything that is left.
        let Some(Cell { column, pattern }) = row.pop() else {
            let mut found = Vec::new();
            self.find_missing(rows, &mut Decided::new(), 1, &mut found)?;
            return Ok(!found.is_empty());
        };
        match pattern {
            Simple::Wildcard => self.adds(rows, row),
            Simple::Or(sides) => {
                for side in sides {
                    self.spend(rows.len())?;
                    let mut alternative = row.clone();
                    alternative.push(Cell {
                        column,
                        pattern: side,
                    });
                    if self.adds(rows.clone(), alternative)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            // A constant covers one unknown value: rows that look into the column may miss it, only those that leave it open cover it.
            Simple::Opaque => {
                let open = |it: &Row| it.iter().all(|cell| cell.column != column);
                self.adds(rows.into_iter().filter(open).collect(), row)
            }
            Simple::Made(made, parts) => {
                let groups = Groups::new(column, rows);
                let constructors = if made.is_exact() {
                    vec![made.clone()]
                } else {
                    let ty = &self.types[column as usize];
                    // A range or an open list is followed piece by piece, so that each row admits a piece as a whole or not at all.
                    split(self.db, ty, &groups.heads_and(made))
                };
                for constructor in constructors {
                    let mut narrowed = row.clone();
                    if !self.add_parts(&mut narrowed, column, (made, parts), &constructor) {
                        continue;
                    }
                    let inner = self.specialised(&groups, column, &constructor)?;
                    if self.adds(inner, narrowed)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    /// Adds to `found`, up to `limit`, what `rows` leave out of the values that are `decided`.
    fn find_missing(
        &mut self,
        rows: Vec<Row<'p>>,
        decided: &mut Decided,
        limit: usize,
        found: &mut Vec<Decided>,
    ) -> Result<(), TooComplex> {
        if rows.iter().any(Vec::is_empty) {
            return Ok(());
        }
        // No row is left, or none asks for anything; the latter has returned above.
        let Some(column) = busiest_column(&rows) else {
            found.push(decided.clone());
            return Ok(());
        };
        // The memory is on what the rows still ask, not on the path to here: different constructors often leave the same question,
        // and without this a `match` on a tuple of n enums takes exponential time even where it is plain.
        let key = self.numbers(&rows);
        if self.covering.contains(&key) {
            return Ok(());
        }
        let before = found.len();
        let groups = Groups::new(column, rows);
        for constructor in split(self.db, &self.types[column as usize], &groups.heads) {
            let inner = self.specialised(&groups, column, &constructor)?;
            decided.push((column, constructor));
            self.find_missing(inner, decided, limit, found)?;
            decided.pop();
            if found.len() >= limit {
                return Ok(());
            }
        }
        // Only complete coverage is remembered. A list that leaves something out is followed again, because each path to it is another
        // missing case to show.
        if found.len() == before {
            self.covering.insert(key);
        }
        Ok(())
    }

    /// The rows of `groups` for values that `constructor` makes in `column`; their order says nothing about what they cover.
    fn specialised(
        &mut self,
        groups: &Groups<'p>,
        column: Column,
        constructor: &Constructor,
    ) -> Result<Vec<Row<'p>>, TooComplex> {
        let mut rows = Vec::new();
        let exact = groups.exact.get(constructor).into_iter().flatten();
        for (pattern, rest) in exact.chain(&groups.wide) {
            let mut row = rest.clone();
            if self.add_parts(&mut row, column, *pattern, constructor) {
                let is_all = row.is_empty();
                rows.push(row);
                // A row without cells covers all that is left here, so the rows after it cannot matter.
                if is_all {
                    break;
                }
            }
        }
        rows.extend(groups.open.iter().cloned());
        self.spend(rows.len())?;
        Ok(rows)
    }

    fn spend(&mut self, rows: usize) -> Result<(), TooComplex> {
        let count = u32::try_from(rows).unwrap_or(u32::MAX).saturating_add(1);
        self.steps = self.steps.checked_sub(count).ok_or(TooComplex)?;
        Ok(())
    }

    /// Adds to `row` what a pattern asks of the parts of what `constructor` makes; whether the pattern covers that at all.
    fn add_parts(
        &mut self,
        row: &mut Row<'p>,
        column: Column,
        (made, parts): (&Constructor, &'p [Simple]),
        constructor: &Constructor,
    ) -> bool {
        let Some(gap) = gap(made, constructor) else {
            return false;
        };
        for (index, pattern) in parts.iter().enumerate() {
            if !pattern.is_open() {
                let column = self.part(column, constructor, gap.moved(index));
                row.push(Cell { column, pattern });
            }
        }
        true
    }

    /// The column of a field of what `constructor` makes in `column`.
    fn part(&mut self, column: Column, constructor: &Constructor, field: u32) -> Column {
        let key = (column, constructor.clone(), field);
        if let Some(&known) = self.parts.get(&key) {
            return known;
        }
        let ty = &self.types[column as usize];
        let ty = field_type(self.db, constructor, ty, field as usize);
        let new = u32::try_from(self.types.len()).unwrap_or(u32::MAX);
        self.types.push(ty);
        self.parts.insert(key, new);
        new
    }

    /// What `rows` ask, whatever their order and that of their cells.
    fn numbers(&mut self, rows: &[Row<'p>]) -> Vec<u32> {
        let mut numbers: Vec<u32> = Vec::new();
        for row in rows {
            let cells = row.iter();
            // By address: the patterns outlive the matrix and do not move, and comparing trees would cost more than it finds.
            let cells = cells.map(|it| (it.column, std::ptr::from_ref(it.pattern)));
            let mut cells: Vec<_> = cells.collect();
            cells.sort_unstable();
            let new = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
            numbers.push(*self.rows.entry(cells).or_insert(new));
        }
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// The value in `column` as far as it is decided.
    fn witness(&self, column: Column, decided: &FxHashMap<Column, Constructor>) -> Witness {
        let ty = &self.types[column as usize];
        let Some(constructor) = decided.get(&column) else {
            return Witness::any(ty);
        };
        let fields = (0u32..).zip(field_types(self.db, constructor, ty));
        let parts =
            fields.map(
                |(field, ty)| match self.parts.get(&(column, constructor.clone(), field)) {
                    // A part without a column was looked into by no row, so any value of it is missing.
                    Some(&part) => self.witness(part, decided),
                    None => Witness::any(&ty),
                },
            );
        Witness::made(ty, constructor.clone(), parts.collect())
    }
}

fn whole_row(pattern: &Simple) -> Row<'_> {
    let cell = Cell {
        column: WHOLE,
        pattern,
    };
    let is_open = pattern.is_open();
    (!is_open).then_some(cell).into_iter().collect()
}

/// The column that most rows look into, of several the first; `None` when there are no rows.
fn busiest_column(rows: &[Row]) -> Option<Column> {
    let mut counts: FxHashMap<Column, usize> = FxHashMap::default();
    for cell in rows.iter().flatten() {
        *counts.entry(cell.column).or_default() += 1;
    }
    let busiest = counts
        .into_iter()
        // Most rows first, as in Maranget's heuristics: it divides the rows best. Ties go to the first column, so that the cases shown
        // do not depend on the order of a hash map.
        .max_by_key(|(column, count)| (*count, std::cmp::Reverse(*column)));
    busiest.map(|(column, _)| column)
}

/// What a pattern is made by and of.
type Made<'p> = (&'p Constructor, &'p [Simple]);

/// Rows by their pattern in one column, without that column, so that a `match` over many variants visits each row once.
struct Groups<'p> {
    /// All constructors in the column, in the order of their first rows.
    heads: Vec<&'p Constructor>,
    /// Those that cover what this constructor makes and nothing else.
    exact: FxHashMap<&'p Constructor, Vec<(Made<'p>, Row<'p>)>>,
    /// Those that cover what several constructors make.
    wide: Vec<(Made<'p>, Row<'p>)>,
    /// Those that do not look into the column.
    open: Vec<Row<'p>>,
}

impl<'p> Groups<'p> {
    fn new(column: Column, rows: Vec<Row<'p>>) -> Self {
        let mut groups = Self {
            heads: Vec::new(),
            exact: FxHashMap::default(),
            wide: Vec::new(),
            open: Vec::new(),
        };
        for mut row in rows {
            match row.iter().position(|it| it.column == column) {
                Some(index) => {
                    let pattern = row.swap_remove(index).pattern;
                    groups.add(pattern, row);
                }
                None => groups.open.push(row),
            }
        }
        groups
    }

    fn add(&mut self, pattern: &'p Simple, row: Row<'p>) {
        match pattern {
            Simple::Wildcard => self.open.push(row),
            // Covers one value that is not known: nothing that could be counted on.
            Simple::Opaque => {}
            Simple::Or(sides) => {
                for side in sides {
                    self.add(side, row.clone());
                }
            }
            Simple::Made(constructor, parts) if constructor.is_exact() => {
                let group = self.exact.entry(constructor).or_default();
                if group.is_empty() {
                    self.heads.push(constructor);
                }
                group.push(((constructor, parts), row));
            }
            Simple::Made(constructor, parts) => {
                self.heads.push(constructor);
                self.wide.push(((constructor, parts), row));
            }
        }
    }

    fn heads_and(&self, more: &'p Constructor) -> Vec<&'p Constructor> {
        let more = std::iter::once(more);
        self.heads.iter().copied().chain(more).collect()
    }
}
