//! `(r.lo, r.hi) = (1, 2)` where a `where` looks at both: it is asked when all parts have changed, and not in between.
//!
//! A copy of the variable is changed twice, the first time without checks and the second time with them, and takes the
//! variable's place at the end. So each check sees the whole, and where one fails the variable is what it was:
//!
//! ```gsw
//! var r = R { lo: 1, hi: 2 }
//! (r.lo, r.hi) = (5, 6)   // `hi: int where it >= self.lo` does not see `lo: 5, hi: 2`
//! ```

use gsw_names::Presence;
use gsw_names::types::Type;
use gsw_source::{Name, Span};

use crate::hir::{
    Change, ExpressionId, LocalId, LocalKind, Pattern, PatternKind, PlacePart, PlaceStep,
    Statement, StatementKind,
};
use crate::infer::assignment::Target;
use crate::infer::hir_builder::HirBuilder;
use crate::infer::lookup;

/// Assigns to each place its part of the value, which is in a hidden local.
pub(super) fn assign_all(
    hir: &mut HirBuilder,
    mut assigned: Vec<(Target, LocalId)>,
    span: Span,
    out: &mut Vec<Statement>,
) {
    while !assigned.is_empty() {
        let local = assigned[0].0.local;
        let (of_local, others): (Vec<_>, Vec<_>) =
            assigned.into_iter().partition(|it| it.0.local == local);
        let is_checked = of_local.iter().any(|(it, _)| may_break(hir, it));
        if of_local.len() > 1 && is_checked {
            assigned = others;
            change_together(hir, local, of_local, span, out);
            continue;
        }
        // In the order in which they are written.
        let mut rest = of_local.into_iter().chain(others).collect::<Vec<_>>();
        rest.sort_by_key(|it| it.1.0);
        let (target, part) = rest.remove(0);
        hir.locals.touch(target.local);
        let value = hir.local_value(part, target.span);
        let kind = target.assignment(Change::Set, value);
        out.push(Statement { kind, span });
        assigned = rest;
    }
}

/// Whether a check may read more than the part that changes.
fn may_break(hir: &HirBuilder, target: &Target) -> bool {
    let whole = hir.locals.local(target.local).ty.clone();
    let inside = target.path.iter().map(|it| it.ty.clone());
    let mut holders: Vec<Type> = std::iter::once(whole).chain(inside).collect();
    // The part itself is checked by its own type.
    holders.pop();
    holders.iter().any(|it| {
        let ty = hir.table.resolve(it);
        if let Type::Record(item, _) = &ty {
            let fields = lookup::fields(hir.db, *item);
            return fields.iter().any(|it| it.check == Presence::Present);
        }
        matches!(ty, Type::Checked(..))
    })
}

fn change_together(
    hir: &mut HirBuilder,
    local: LocalId,
    mut assigned: Vec<(Target, LocalId)>,
    span: Span,
    out: &mut Vec<Statement>,
) {
    // Positions and keys once, and before the copy is made: they may wait.
    for (target, _) in &mut assigned {
        for step in &mut target.path {
            keep_key(hir, step, out);
        }
    }
    let ty = hir.locals.local(local).ty.clone();
    let value = hir.local_value(local, span);
    let copy = hir.locals.add(Name::default(), ty, LocalKind::Var, span);
    hir.locals.assign_parts(copy);
    let kind = StatementKind::Var { local: copy, value };
    out.push(Statement { kind, span });
    for change in [Change::SetUnchecked, Change::Set] {
        for (target, part) in &assigned {
            let value = hir.local_value(*part, target.span);
            let kind = StatementKind::Assign {
                local: copy,
                path: read_again(hir, &target.path),
                change,
                value,
            };
            out.push(Statement { kind, span });
        }
    }
    hir.locals.touch(local);
    let kind = StatementKind::Assign {
        local,
        path: Vec::new(),
        change: Change::Set,
        value: hir.local_value(copy, span),
    };
    out.push(Statement { kind, span });
}

/// Puts a position or key into a hidden local.
fn keep_key(hir: &mut HirBuilder, step: &mut PlaceStep, out: &mut Vec<Statement>) {
    let PlacePart::Element(key) = step.part else {
        return;
    };
    let (ty, span) = (hir.ty(key), hir.span(key));
    let kept = hir.hidden_local(ty.clone(), span);
    let pattern = Pattern {
        kind: PatternKind::Binding(kept),
        ty,
        span,
    };
    let kind = StatementKind::Let {
        pattern,
        value: key,
    };
    out.push(Statement { kind, span });
    step.part = PlacePart::Element(hir.local_value(kept, span));
}

/// A copy of the path with reads of its own: an expression belongs to one parent.
fn read_again(hir: &mut HirBuilder, path: &[PlaceStep]) -> Vec<PlaceStep> {
    let again = |hir: &mut HirBuilder, key: ExpressionId| {
        let (kind, ty) = (hir.arena.get(key).kind.clone(), hir.ty(key));
        let span = hir.span(key);
        hir.push(kind, ty, span)
    };
    path.iter()
        .map(|step| PlaceStep {
            part: match step.part {
                PlacePart::Field(index) => PlacePart::Field(index),
                PlacePart::Element(key) => PlacePart::Element(again(hir, key)),
            },
            ty: step.ty.clone(),
        })
        .collect()
}
