//! Whether a task in a local may be left to the end of its node on some path.
//!
//! ```text
//! let late = spawn store()
//! if hurry { return }                     // here nobody has awaited it, so the end of the node raises what it raises
//! await late catch Failed(_) => none
//! ```
//!
//! A path that an error ends does not count: the node cancels its tasks then. Whatever does more with a local than leave it alone
//! takes what is in it, so a task that is given away is taken to be awaited.

use gsw_infer::hir::{
    Arm, BinaryOperator, Body, ExpressionId, ExpressionKind as Kind, LocalId, Statement,
    StatementKind,
};
use gsw_infer::{Child, children};

/// What a `return` does to the tasks of the block that it leaves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaving {
    /// The node ends as at its end.
    Awaits,
    /// It leaves a step or a block with modifiers.
    Cancels,
}

/// Whether what these locals hold may be unowned when the rest of their block is left.
pub(super) fn may_be_left(
    body: &Body,
    locals: &[LocalId],
    rest: (&[Statement], Option<ExpressionId>),
    leaving: Leaving,
    raises: &dyn Fn(ExpressionId) -> bool,
) -> bool {
    let mut paths = Paths {
        body,
        locals,
        leaving,
        raises,
        loops: 0,
        has_left: false,
        has_broken: false,
        has_raised: false,
    };
    let taken = paths.block(rest.0, rest.1, Taken::No);
    taken == Taken::No || paths.has_left
}

/// Whether the content of the locals was taken; `Yes` where a path ends as well.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taken {
    Yes,
    No,
}

impl Taken {
    /// On every one of two ways.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Yes, Self::Yes) => Self::Yes,
            (Self::No, _) | (_, Self::No) => Self::No,
        }
    }
}

struct Paths<'a> {
    body: &'a Body,
    locals: &'a [LocalId],
    leaving: Leaving,
    /// Whether an expression may raise an error.
    raises: &'a dyn Fn(ExpressionId) -> bool,
    /// How many loops of the rest are open.
    loops: u32,
    /// Whether some path has left the block before anybody took it; or the innermost loop; or raised an error.
    has_left: bool,
    has_broken: bool,
    has_raised: bool,
}

impl Paths<'_> {
    fn block(
        &mut self,
        statements: &[Statement],
        tail: Option<ExpressionId>,
        before: Taken,
    ) -> Taken {
        let after = statements
            .iter()
            .fold(before, |taken, it| self.statement(it, taken));
        self.each(tail, after)
    }

    fn statement(&mut self, statement: &Statement, before: Taken) -> Taken {
        let inside = match &statement.kind {
            StatementKind::Let { value, .. }
            | StatementKind::Var { value, .. }
            | StatementKind::Assign { value, .. }
            | StatementKind::Expression(value)
            | StatementKind::Defer(value)
            | StatementKind::AssertFails { value, .. }
            | StatementKind::AssertSnapshot { value } => vec![*value],
            StatementKind::Assert {
                condition, message, ..
            } => [*condition].into_iter().chain(*message).collect(),
            StatementKind::Mock { .. } | StatementKind::MockAgent { .. } => Vec::new(),
        };
        self.each(inside, before)
    }

    /// Visits expressions that are evaluated one after the other.
    fn each(&mut self, inside: impl IntoIterator<Item = ExpressionId>, before: Taken) -> Taken {
        inside
            .into_iter()
            .fold(before, |taken, it| self.expression(it, taken))
    }

    fn expression(&mut self, id: ExpressionId, before: Taken) -> Taken {
        if before == Taken::Yes {
            return before;
        }
        let kind = &self.body.expression(id).kind;
        if let Kind::Local(local) = kind {
            return match self.locals.contains(local) {
                true => Taken::Yes,
                false => before,
            };
        }
        if let Some(after) = self.branching(kind, before) {
            return after;
        }
        let after = children(kind)
            .into_iter()
            .fold(before, |taken, child| match child {
                Child::Inline(it) => self.expression(it, taken),
                // It may run at any time.
                Child::Closure(lambda, _)
                    if lambda.captures.iter().any(|it| self.locals.contains(it)) =>
                {
                    Taken::Yes
                }
                Child::Closure(..) => taken,
            });
        self.has_raised |= after == Taken::No && (self.raises)(id);
        after
    }

    /// What an expression does that does not evaluate all of its parts one after the other.
    fn branching(&mut self, kind: &Kind, before: Taken) -> Option<Taken> {
        if let Kind::Block { statements, tail } = kind {
            return Some(self.block(statements, *tail, before));
        }
        if let Kind::If {
            condition,
            then,
            otherwise,
        } = kind
        {
            let decided = self.expression(*condition, before);
            let then = self.expression(*then, decided);
            return Some(then.and(self.each(*otherwise, decided)));
        }
        if let Kind::Match { value, arms } = kind {
            let decided = self.expression(*value, before);
            return Some(self.arms(arms, decided));
        }
        if let Kind::Catch { value, arms } = kind {
            return Some(self.catch(*value, arms, before));
        }
        if let Kind::Binary {
            operator: BinaryOperator::And | BinaryOperator::Or,
            left: first,
            right: second,
        }
        | Kind::Otherwise {
            value: first,
            fallback: second,
        }
        | Kind::Chain {
            base: first,
            body: second,
            ..
        } = kind
        {
            let after = self.expression(*first, before);
            self.expression(*second, after);
            return Some(after);
        }
        self.looping(kind, before)
            .or_else(|| self.ending(kind, before))
    }

    fn looping(&mut self, kind: &Kind, before: Taken) -> Option<Taken> {
        if let Kind::For { iterable, body, .. } = kind {
            let after = self.expression(*iterable, before);
            self.turn(*body, after);
            return Some(after);
        }
        let Kind::While { condition, body } = kind else {
            return None;
        };
        let after = self.expression(*condition, before);
        let broken = self.turn(*body, after);
        // An endless loop is left by `break` alone.
        let is_endless = matches!(self.body.expression(*condition).kind, Kind::Bool(true));
        Some(match is_endless && !broken {
            true => Taken::Yes,
            false => after,
        })
    }

    /// An expression that ends its path.
    fn ending(&mut self, kind: &Kind, before: Taken) -> Option<Taken> {
        if let Kind::Return(value) = kind {
            let after = self.each(*value, before);
            self.has_left |= after == Taken::No && self.leaving == Leaving::Awaits;
        } else if let Kind::Fail(value) = kind {
            self.has_raised |= self.expression(*value, before) == Taken::No;
        } else if matches!(kind, Kind::Break | Kind::Continue) {
            match self.loops {
                0 => self.has_left |= self.leaving == Leaving::Awaits,
                _ => self.has_broken |= matches!(kind, Kind::Break),
            }
        } else {
            return None;
        }
        Some(Taken::Yes)
    }

    fn arms(&mut self, arms: &[Arm], before: Taken) -> Taken {
        arms.iter().fold(Taken::Yes, |all, arm| {
            let decided = self.each(arm.guard, before);
            all.and(self.expression(arm.body, decided))
        })
    }

    fn catch(&mut self, value: ExpressionId, arms: &[Arm], before: Taken) -> Taken {
        let outside = std::mem::take(&mut self.has_raised);
        let after = self.expression(value, before);
        // An error comes to the arms from where it was raised, which is most often the `await` itself.
        let raised = match self.has_raised {
            true => Taken::No,
            false => Taken::Yes,
        };
        self.has_raised |= outside;
        after.and(self.arms(arms, raised))
    }

    /// A turn of a loop; whether a `break` left it.
    fn turn(&mut self, body: ExpressionId, before: Taken) -> bool {
        let outside = std::mem::take(&mut self.has_broken);
        self.loops += 1;
        self.expression(body, before);
        self.loops -= 1;
        std::mem::replace(&mut self.has_broken, outside)
    }
}
