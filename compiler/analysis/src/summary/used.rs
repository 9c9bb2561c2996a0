//! Which locals are used: whether their content ever comes to more than being in others that are not used.
//!
//! ```text
//! let late = spawn store()      // used by nobody: `kept` holds it, and nobody asks for `kept`
//! let kept = [late]
//! print(kept.len())             // nor does who counts tasks wait for one
//! ```
//!
//! A task in a local that is not used is not awaited, so the end of its node raises what it raises (`body`). Parts of values
//! are not distinguished and the order of statements is ignored: code that awaits one of two tasks in a list is taken to await
//! both. What is given to a function, returned, captured or assigned to a state is used: it may be awaited there.

use gsw_infer::hir::{
    Body, Callee, Change, Expression, ExpressionId, ExpressionKind, ListRest, LocalId, LocalKind,
    Pattern, PatternKind, PlacePart, Statement, StatementKind,
};
use gsw_infer::{Child, children, visit_patterns};
use gsw_names::is_std;
use gsw_names::types::Type;
use gsw_source::Db;

use super::facts::can_carry_effects;

/// What happens to a value.
#[derive(Clone)]
enum Goes {
    /// Anything may be done with it.
    Used,
    Into(Vec<LocalId>),
    Nowhere,
}

/// Says of each local of `body` whether it is used.
pub(super) fn used(db: &dyn Db, body: &Body) -> Vec<bool> {
    let mut flow = Flow {
        db,
        body,
        used: vec![false; body.locals.len()],
        into: Vec::new(),
        left: vec![(body.root, Goes::Used)],
    };
    while let Some((id, goes)) = flow.left.pop() {
        flow.expression(body.expression(id), goes);
    }
    let Flow { mut used, into, .. } = flow;
    // Each round uses one more local or is the last.
    loop {
        let reached: Vec<LocalId> = into
            .iter()
            .filter(|(from, to)| is(&used, *to) && !is(&used, *from))
            .map(|(from, _)| *from)
            .collect();
        if reached.is_empty() {
            return used;
        }
        for LocalId(index) in reached {
            used[index as usize] = true;
        }
    }
}

fn is(used: &[bool], LocalId(index): LocalId) -> bool {
    used.get(index as usize) == Some(&true)
}

struct Flow<'a> {
    db: &'a dyn Db,
    body: &'a Body,
    used: Vec<bool>,
    /// The value of the first becomes one of the second, or a part of it.
    into: Vec<(LocalId, LocalId)>,
    left: Vec<(ExpressionId, Goes)>,
}

impl<'a> Flow<'a> {
    fn expression(&mut self, expression: &'a Expression, goes: Goes) {
        use ExpressionKind as Kind;
        let kind = &expression.kind;
        if let Kind::Local(local) = kind {
            return self.read(*local, &goes);
        }
        if let Kind::Block { statements, tail } = kind {
            statements.iter().for_each(|it| self.statement(it));
            self.left.extend(tail.map(|it| (it, goes)));
            return;
        }
        if let Kind::For {
            pattern,
            iterable,
            body,
        } = kind
        {
            self.left
                .push((*iterable, self.iterated(*iterable, pattern)));
            self.left.push((*body, Goes::Nowhere));
            return;
        }
        let parts = parts(kind);
        let only_looks = self.only_looks(expression);
        for child in children(kind) {
            self.left.push(match child {
                Child::Inline(it) if parts.contains(&it) => (it, goes.clone()),
                Child::Inline(it) if only_looks || is_dropped(kind, it) => (it, Goes::Nowhere),
                Child::Inline(it) => (it, Goes::Used),
                // Its value is its caller's.
                Child::Closure(it, _) => (it.body, Goes::Used),
            });
        }
    }

    /// Where a loop over this brings it.
    fn iterated(&self, iterable: ExpressionId, pattern: &Pattern) -> Goes {
        // A loop over anything else takes from it by itself.
        let ty = &self.body.expression(iterable).ty;
        match matches!(ty, Type::List(_) | Type::Map(..)) {
            true => Goes::Into(bound(pattern)),
            false => Goes::Used,
        }
    }

    fn read(&mut self, LocalId(index): LocalId, goes: &Goes) {
        match goes {
            Goes::Used => {
                if let Some(used) = self.used.get_mut(index as usize) {
                    *used = true;
                }
            }
            Goes::Into(locals) => {
                let into = locals.iter().map(|it| (LocalId(index), *it));
                self.into.extend(into);
            }
            Goes::Nowhere => {}
        }
    }

    fn statement(&mut self, statement: &'a Statement) {
        let inside = match &statement.kind {
            StatementKind::Let { pattern, value } => vec![(*value, Goes::Into(bound(pattern)))],
            StatementKind::Var { local, value } => vec![(*value, Goes::Into(vec![*local]))],
            StatementKind::Assign {
                local,
                path,
                change,
                value,
            } => {
                let goes = match self.body.local(*local).kind {
                    LocalKind::State => Goes::Used,
                    LocalKind::Parameter | LocalKind::Let | LocalKind::Var => {
                        Goes::Into(vec![*local])
                    }
                };
                let keys = path.iter().filter_map(|it| match it.part {
                    PlacePart::Field(_) => None,
                    PlacePart::Element(key) => Some((key, Goes::Used)),
                });
                let mut inside: Vec<_> = keys.collect();
                if let Change::Converted { new, .. } = change {
                    inside.push((*new, goes.clone()));
                }
                inside.push((*value, goes));
                inside
            }
            StatementKind::Expression(value) | StatementKind::Defer(value) => {
                vec![(*value, Goes::Nowhere)]
            }
            StatementKind::Assert {
                condition, message, ..
            } => {
                let all = [*condition].into_iter().chain(*message);
                all.map(|it| (it, Goes::Used)).collect()
            }
            StatementKind::AssertFails { value, .. } | StatementKind::AssertSnapshot { value } => {
                vec![(*value, Goes::Used)]
            }
            StatementKind::Mock { outcome, .. } => vec![(outcome.body, Goes::Used)],
            StatementKind::MockAgent { agent: _, script } => {
                let inside = script.iter().flat_map(|it| it.expressions());
                inside.map(|it| (it, Goes::Used)).collect()
            }
        };
        self.left.extend(inside);
    }

    /// Whether it is a call that cannot await what it is given: of the library, without a function that could, and its result
    /// holds no task.
    fn only_looks(&self, call: &Expression) -> bool {
        let ExpressionKind::Call {
            callee: Callee::Item { item, .. },
            arguments,
        } = &call.kind
        else {
            return false;
        };
        let is_taken = |ty: &Type| matches!(ty, Type::Function(_) | Type::Task(_) | Type::Queue(_));
        let mut given = arguments
            .iter()
            .map(|(_, it)| &self.body.expression(*it).ty);
        is_std(self.db, item.file(self.db))
            && !given.any(is_taken)
            && !can_carry_effects(self.db, &call.ty)
    }
}

/// Whether the value of this child is dropped: the body of a loop.
fn is_dropped(kind: &ExpressionKind, child: ExpressionId) -> bool {
    matches!(kind, ExpressionKind::While { body, .. } if *body == child)
}

/// The children that the value of an expression consists of, or is one of, or is a part of.
#[expect(
    clippy::too_many_lines,
    reason = "one line a form: rustc names what a new form must join"
)]
fn parts(kind: &ExpressionKind) -> Vec<ExpressionId> {
    use ExpressionKind as Kind;
    match kind {
        Kind::List(parts) | Kind::Tuple(parts) => parts.clone(),
        Kind::Map(entries) => entries.iter().map(|(_, it)| *it).collect(),
        Kind::Record { fields, base, .. } => {
            let fields = fields.iter().map(|(_, it)| *it);
            fields.chain(*base).collect()
        }
        Kind::Variant { fields, .. } | Kind::ErrorValue { fields, .. } => {
            fields.iter().map(|(_, it)| *it).collect()
        }
        Kind::Coerce { value: it, .. }
        | Kind::Field { base: it, .. }
        | Kind::TupleField { base: it, .. }
        | Kind::Index { base: it, .. }
        | Kind::Chain { body: it, .. }
        | Kind::Step { body: it, .. }
        | Kind::Modified { body: it, .. } => vec![*it],
        Kind::Otherwise { value, fallback } => vec![*value, *fallback],
        Kind::Binary { left, right, .. } => vec![*left, *right],
        Kind::If {
            then, otherwise, ..
        } => [*then].into_iter().chain(*otherwise).collect(),
        Kind::Match { arms, .. } => arms.iter().map(|it| it.body).collect(),
        Kind::Catch { value, arms } => {
            let arms = arms.iter().map(|it| it.body);
            arms.chain([*value]).collect()
        }
        Kind::Int(_)
        | Kind::Float(_)
        | Kind::Bool(_)
        | Kind::None
        | Kind::Unit
        | Kind::Duration(_)
        | Kind::String(_)
        | Kind::Local(_)
        | Kind::Constant(_)
        | Kind::FunctionValue { .. }
        | Kind::ConstructorValue { .. }
        | Kind::Lambda(_)
        | Kind::JsonField { .. }
        | Kind::Interpolation(_)
        | Kind::Unary { .. }
        | Kind::In { .. }
        | Kind::Range { .. }
        | Kind::As(_)
        | Kind::Matches { .. }
        | Kind::Block { .. }
        | Kind::For { .. }
        | Kind::While { .. }
        | Kind::Return(_)
        | Kind::Break
        | Kind::Continue
        | Kind::Fail(_)
        | Kind::Emit(_)
        | Kind::Call { .. }
        | Kind::PromptCall { .. }
        | Kind::PromptText { .. }
        | Kind::OfferedTool { .. }
        | Kind::Spawn(_)
        | Kind::Undo(_)
        | Kind::SpawnDetached { .. }
        | Kind::Await(_)
        | Kind::Race { .. }
        | Kind::ParallelFor { .. }
        | Kind::Parallel { .. }
        | Kind::Invalid => Vec::new(),
    }
}

/// The names that a pattern binds.
pub(super) fn bound(pattern: &Pattern) -> Vec<LocalId> {
    let mut found = Vec::new();
    visit_patterns(pattern, &mut |it| match &it.kind {
        PatternKind::Binding(local) => found.push(*local),
        PatternKind::List { rest, .. } => {
            if let Some(ListRest::Bound(local)) = rest {
                found.push(*local);
            }
        }
        PatternKind::Wildcard
        | PatternKind::Int(_)
        | PatternKind::Float(_)
        | PatternKind::Bool(_)
        | PatternKind::String(_)
        | PatternKind::Constant(_)
        | PatternKind::None
        | PatternKind::Some(_)
        | PatternKind::Range { .. }
        | PatternKind::Variant { .. }
        | PatternKind::Error { .. }
        | PatternKind::ModelError
        | PatternKind::Record { .. }
        | PatternKind::Tuple(_)
        | PatternKind::Or(_)
        | PatternKind::Invalid => {}
    });
    found
}
