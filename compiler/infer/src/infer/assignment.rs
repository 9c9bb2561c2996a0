//! Assignments to variables and to their parts.
//!
//! The place on the left is inferred like a value that is read, `order.lines[2].qty`, so that everything wrong in it is reported
//! as it is anywhere else; then what was inferred is taken apart into the variable and the steps that lead from it to the part.

use gsw_names::types::Type;
use gsw_names::{Definition, source_text};
use gsw_source::Span;
use gsw_syntax::ast;

use crate::errors::values as errors;
use crate::hir::{
    ArithmeticOperator, Change, ExpressionId, ExpressionKind, LocalId, LocalKind, PlacePart,
    PlaceStep, StatementKind,
};
use crate::infer::context::{Context, Expected};
use crate::infer::operator::Operation;
use crate::item_bodies::Reference;

/// What an assignment changes.
struct Target {
    local: LocalId,
    /// From the variable to the part; empty for the whole variable.
    path: Vec<PlaceStep>,
    /// The type of what changes.
    ty: Type,
    span: Span,
}

/// Why a place that can be read cannot be assigned.
enum Refusal {
    /// What was inferred is wrong, which has been reported.
    Reported,
    /// It is in a `json`.
    Json,
    /// It is reached through `?.`.
    MayBeNone,
    /// It is no part of a variable.
    NoPart,
}

impl Context<'_> {
    /// `x = e`, `x.f[i] += e`
    pub(super) fn assign(
        &mut self,
        target: &ast::Expression,
        operator: ast::AssignOperator,
        value: &ast::Expression,
        span: Span,
    ) -> Option<StatementKind> {
        let Some(target) = self.assigned_target(target) else {
            // The target was reported; the value still has mistakes of its own to report.
            self.expression(value, &Expected::Anything);
            return None;
        };
        let operator = match operator {
            ast::AssignOperator::Set => {
                let value = self.expression(value, &Expected::Type(target.ty.clone()));
                // After the value, as it is evaluated: a closure in the value captures the variable first.
                self.scopes.touch(target.local);
                return Some(target.assignment(Change::Set, value));
            }
            ast::AssignOperator::Add => ArithmeticOperator::Add,
            ast::AssignOperator::Subtract => ArithmeticOperator::Subtract,
            ast::AssignOperator::Multiply => ArithmeticOperator::Multiply,
            ast::AssignOperator::Divide => ArithmeticOperator::Divide,
            ast::AssignOperator::Remainder => ArithmeticOperator::Remainder,
        };
        Some(self.update(target, operator, value, span))
    }

    /// `x += e`
    fn update(
        &mut self,
        target: Target,
        operator: ArithmeticOperator,
        value: &ast::Expression,
        span: Span,
    ) -> StatementKind {
        let ty = target.ty.clone();
        let is_sum = operator == ArithmeticOperator::Add;
        // A sum of literals is none of them, so a variable that is added to holds any string.
        if is_sum && let Type::Text(text) = self.table.resolve(&ty) {
            self.table.texts.reach_any(text);
        }
        // A list grows only by lists of its own type.
        let is_list = matches!(self.table.resolve(&ty), Type::List(_));
        let near = if is_list && is_sum && !self.table.is_open(&ty) {
            Expected::Type(ty.clone())
        } else {
            Expected::Hint(ty.clone())
        };
        let value = self.expression(value, &near);
        // A part is read once, into a hidden local: `xs[next()] += 1` must evaluate `next()` once, so the arithmetic cannot repeat
        // the path.
        let old = if target.path.is_empty() {
            target.local
        } else {
            self.scopes.touch(target.local);
            self.hidden_local(ty.clone(), target.span)
        };
        let left = self.local_value(old, target.span);
        let before = self.findings.reported();
        let operation = Operation {
            operator_span: target.span.to(span),
            left,
            right: value,
            span,
        };
        let whole = self.arithmetic(operator, operation);
        let place = self.place(target.span);
        if let Some(report) = self.findings.first_since(before) {
            report
                .fixes
                // A fix that wraps the left side (`${x}`, `x.to_float()`) would leave no place to assign to.
                .retain(|fix| fix.edits.iter().all(|it| !touches(it.place, place)));
        }
        let whole = self.coerce(whole, &ty);
        // `x += e` is one step where `x + e` needs no conversion; otherwise it is written out.
        if let Some(value) = self.added_to(left, whole) {
            return target.assignment(Change::Operator(operator.into()), value);
        }
        if target.path.is_empty() || self.findings.first_since(before).is_some() {
            return target.assignment(Change::Set, whole);
        }
        // A conversion of the sum (a check, `?`) cannot be part of an operator, so lowering gets old value, right side and result as
        // three expressions. They are inferred again over locals, since an expression belongs to one parent.
        let right = self.hidden_local(self.ty(value), self.span(value));
        let operation = Operation {
            left: self.local_value(old, target.span),
            right: self.local_value(right, self.span(value)),
            ..operation
        };
        let new = self.arithmetic(operator, operation);
        let new = self.coerce(new, &ty);
        target.assignment(Change::Converted { old, right, new }, value)
    }

    /// The right side of `whole`, when it is `left` with an operator and that.
    fn added_to(&self, left: ExpressionId, whole: ExpressionId) -> Option<ExpressionId> {
        let kind = &self.hir.get(self.below_widening(whole)).kind;
        let ExpressionKind::Binary {
            left: kept, right, ..
        } = kind
        else {
            return None;
        };
        (self.below_widening(*kept) == left).then_some(*right)
    }

    /// What an assignment means; what cannot be assigned is reported.
    fn assigned_target(&mut self, target: &ast::Expression) -> Option<Target> {
        if let ast::ExpressionKind::Name(name) = &target.kind {
            let local = self.assigned_local(name, target.span)?;
            let part = self.part;
            self.refer(target.span, Reference::Local { part, local });
            let local = self.changed_local(name, target, local)?;
            return Some(Target {
                local,
                path: Vec::new(),
                ty: self.scopes.local(local).ty.clone(),
                span: target.span,
            });
        }
        let root = root(target);
        let before = self.findings.reported();
        // The target is inferred as a value first, so an unknown field or an index of the wrong type is reported in the same words
        // as in any other expression.
        let read = self.expression(target, &Expected::Anything);
        if let Some(report) = self.findings.first_since(before) {
            // What mends a value that is read, such as `?.`, does not make a place of it.
            report.fixes.clear();
            return None;
        }
        let ast::ExpressionKind::Name(name) = &root.kind else {
            let place = self.place(target.span);
            self.report(errors::assigned_value(errors::not_assignable(
                place,
                "this expression",
            )));
            return None;
        };
        let local = self.assigned_local(name, target.span)?;
        let local = self.changed_local(name, target, local)?;
        let (path, first) = match self.steps(read) {
            Ok(steps) => steps,
            Err(refusal) => {
                self.refuse(&refusal, target, root);
                return None;
            }
        };
        // The variable is changed here, not read.
        // Otherwise walks over the body (captures, unused values) would see a read of the variable that never runs.
        self.hir.get_mut(first).kind = ExpressionKind::Unit;
        self.scopes.assign_parts(local);
        Some(Target {
            local,
            path,
            ty: self.ty(read),
            span: target.span,
        })
    }

    /// The local of a name that is assigned as a whole.
    fn assigned_local(&mut self, name: &gsw_source::Name, span: Span) -> Option<LocalId> {
        let local = self.scopes.find(name);
        if local.is_none() {
            match gsw_names::resolve_name(self.db, self.file, name) {
                Some(definition) => {
                    let kind = match definition {
                        Definition::Item(item) => crate::infer::name::kind_text(item.kind(self.db)),
                        Definition::Variant { .. } => "variant",
                        Definition::Module(_) => "module",
                    };
                    let what = format!("the {kind} `{name}`");
                    self.report(errors::not_assignable(self.place(span), &what));
                }
                None => self.unknown_name(name, span),
            }
        }
        local
    }

    /// The local, if it may change.
    fn changed_local(
        &mut self,
        name: &gsw_source::Name,
        target: &ast::Expression,
        local: LocalId,
    ) -> Option<LocalId> {
        let what = match self.scopes.local(local).kind {
            LocalKind::Var | LocalKind::State => return Some(local),
            LocalKind::Let => format!("`{name}`, which `let` binds once"),
            LocalKind::Parameter => format!("the parameter `{name}`"),
        };
        let mut report = errors::not_assignable(self.place(target.span), &what);
        if let Some(word) = self.scopes.let_word(local) {
            report = report.fix("declare it with `var`", self.place(word), "var");
        }
        let declared = self.place(self.scopes.local(local).span);
        report = report.label(declared, "bound here");
        let text = |of: &ast::Expression| source_text(self.db, self.item, of.span);
        self.report(
            if let ast::ExpressionKind::Field { base, name, .. } = &target.kind {
                errors::assigned_field(report, &text(base), &name.name)
            } else if let ast::ExpressionKind::Index { base, .. } = &target.kind {
                errors::assigned_element(report, &text(base))
            } else {
                report
            },
        );
        None
    }

    /// The steps from a variable to the part of it that `read` reads, and the expression that reads the variable.
    fn steps(&self, read: ExpressionId) -> Result<(Vec<PlaceStep>, ExpressionId), Refusal> {
        let mut path = Vec::new();
        let mut current = read;
        loop {
            let ty = self.ty(current);
            let kind = &self.hir.get(current).kind;
            let (base, part) = if let ExpressionKind::Local(_) = kind {
                // The walk goes from the part to the variable; lowering follows the path from the variable to the part.
                path.reverse();
                return Ok((path, current));
            } else if let ExpressionKind::Field { base, index }
            | ExpressionKind::TupleField { base, index } = kind
            {
                (*base, PlacePart::Field(*index))
            } else if let ExpressionKind::Index { base, index } = kind {
                (*base, PlacePart::Element(*index))
            } else if let ExpressionKind::JsonField { .. } = kind {
                return Err(Refusal::Json);
            } else if let ExpressionKind::Chain { .. } = kind {
                return Err(Refusal::MayBeNone);
            } else if let ExpressionKind::Invalid = kind {
                return Err(Refusal::Reported);
            } else {
                return Err(Refusal::NoPart);
            };
            let whole = self.table.unchecked(&self.ty(base));
            if whole == Type::Json {
                return Err(Refusal::Json);
            }
            // What has come of a value so far is not the program's.
            if matches!(whole, Type::Partial(_)) {
                return Err(Refusal::NoPart);
            }
            path.push(PlaceStep { part, ty });
            current = base;
        }
    }

    fn refuse(&mut self, refusal: &Refusal, target: &ast::Expression, root: &ast::Expression) {
        let place = self.place(target.span);
        let whole = source_text(self.db, self.item, root.span);
        self.report(match refusal {
            Refusal::Reported => return,
            Refusal::Json => errors::assigned_json(place, &whole),
            Refusal::MayBeNone => errors::assigned_maybe_none(place),
            Refusal::NoPart => {
                errors::assigned_value(errors::not_assignable(place, "this expression"))
            }
        });
    }
}

impl Target {
    fn assignment(self, change: Change, value: ExpressionId) -> StatementKind {
        StatementKind::Assign {
            local: self.local,
            path: self.path,
            change,
            value,
        }
    }
}

/// The expression that the parts of a place are parts of.
fn root(target: &ast::Expression) -> &ast::Expression {
    let mut root = target;
    while let ast::ExpressionKind::Field { base, .. }
    | ast::ExpressionKind::TupleField { base, .. }
    | ast::ExpressionKind::Index { base, .. } = &root.kind
    {
        root = base;
    }
    root
}

/// Whether an edit changes or stands at the edge of what is assigned to.
fn touches(edit: gsw_source::Place, target: gsw_source::Place) -> bool {
    let gsw_source::Place::Item { span: edit, .. } = edit else {
        return false;
    };
    let gsw_source::Place::Item { span: target, .. } = target else {
        return false;
    };
    edit.start <= target.end && edit.end >= target.start
}
