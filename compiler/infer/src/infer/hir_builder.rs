//! The typed body of a declaration while it is built: expressions, locals, types, and what is found out about them.
//!
//! Knows no syntax and no names in scope. Conversions, joins and capabilities are decided from here on alone: see [`coerce`](crate::infer::coerce),
//! [`capability`](crate::infer::capability) and [`adapter`](crate::infer::adapter).

use gsw_names::display_type;
use gsw_names::errors::type_too_large;
use gsw_names::types::Type;
use gsw_source::{Db, Diagnostic, ItemId, Name, Place, Span};

use crate::hir::{
    Coercion, ExpressionId, ExpressionKind, LocalId, LocalKind, Statement, StatementKind,
};
use crate::infer::arena::Arena;
use crate::infer::findings::Findings;
use crate::infer::locals::Locals;
use crate::infer::postponed::Postponed;
use crate::infer::table::{Blame, Table};
use crate::item_bodies::Reference;

/// What is known of a body, however it is written.
pub(super) struct HirBuilder<'db> {
    pub(super) db: &'db dyn Db,
    pub(super) item: ItemId,
    pub(super) table: Table<'db>,
    pub(super) arena: Arena,
    pub(super) locals: Locals,
    pub(super) findings: Findings,
    pub(super) postponed: Postponed,
}

impl<'db> HirBuilder<'db> {
    pub(super) fn new(db: &'db dyn Db, item: ItemId) -> Self {
        Self {
            db,
            item,
            table: Table::new(db),
            arena: Arena::default(),
            locals: Locals::default(),
            findings: Findings::default(),
            postponed: Postponed::default(),
        }
    }

    pub(super) fn push(&mut self, kind: ExpressionKind, ty: Type, span: Span) -> ExpressionId {
        let ty = self.bounded(ty, span);
        self.arena.push(kind, ty, span)
    }

    /// The type, or an invalid one when it is too large to be used, which is reported.
    pub(super) fn bounded(&mut self, ty: Type, span: Span) -> Type {
        if !self.table.is_too_large(&ty) {
            return ty;
        }
        if !self.findings.has_error() {
            self.report(type_too_large(self.place(span)));
        }
        Type::Invalid
    }

    /// An expression that was reported.
    pub(super) fn invalid(&mut self, span: Span) -> ExpressionId {
        self.push(ExpressionKind::Invalid, Type::Invalid, span)
    }

    /// The head of an expression's type as far as known.
    pub(super) fn ty(&self, id: ExpressionId) -> Type {
        self.table.resolve(&self.arena.get(id).ty)
    }

    pub(super) fn span(&self, id: ExpressionId) -> Span {
        self.arena.get(id).span
    }

    /// A span of this item as a place.
    pub(super) fn place(&self, span: Span) -> Place {
        Place::Item {
            item: self.item,
            span,
        }
    }

    /// The place right after `span`.
    pub(super) fn place_after(&self, span: Span) -> Place {
        self.place(Span::new(span.end, span.end))
    }

    /// The place right before `span`.
    pub(super) fn place_before(&self, span: Span) -> Place {
        self.place(Span::new(span.start, span.start))
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.findings.report(diagnostic);
    }

    /// Notes what the name at `span` means.
    pub(super) fn refer(&mut self, span: Span, reference: Reference) {
        self.findings.refer(span, reference);
    }

    /// A type as source text, with what is known by now.
    pub(super) fn show(&self, ty: &Type) -> String {
        display_type(self.db, &self.table.zonk(ty))
    }

    /// A new type variable that may stay unknown without a report.
    pub(super) fn fresh(&mut self) -> Type {
        self.table.fresh(Blame::Suppressed)
    }

    /// Fresh types for the type parameters of a declaration.
    pub(super) fn fresh_arguments(&mut self, count: usize) -> Vec<Type> {
        (0..count).map(|_| self.fresh()).collect()
    }

    /// A local that the compiler needs and no name reaches.
    pub(super) fn hidden_local(&mut self, ty: Type, span: Span) -> LocalId {
        self.locals.add(Name::default(), ty, LocalKind::Let, span)
    }

    /// The value of a local.
    pub(super) fn local_value(&mut self, id: LocalId, span: Span) -> ExpressionId {
        // All reads of locals come through here, so no rule can forget a capture.
        self.locals.touch(id);
        let ty = self.locals.local(id).ty.clone();
        self.push(ExpressionKind::Local(id), ty, span)
    }

    /// `first`, which has no value, and then the value.
    pub(super) fn after(&mut self, first: ExpressionId, value: ExpressionId) -> ExpressionId {
        let (ty, span) = (self.ty(value), self.span(first));
        let statement = Statement {
            kind: StatementKind::Expression(first),
            span,
        };
        let kind = ExpressionKind::Block {
            statements: vec![statement],
            tail: Some(value),
        };
        self.push(kind, ty, span)
    }

    /// The expression as one of type `()`, its value dropped.
    pub(super) fn without_value(&mut self, id: ExpressionId) -> ExpressionId {
        let ty = self.ty(id);
        if ty == Type::Unit {
            return id;
        }
        // A statement of type `Never` would make a block of type `()` whose end is unreachable; the conversion keeps that visible.
        if ty == Type::Never {
            return self.converted(id, Coercion::FromNever, &Type::Unit);
        }
        let span = self.span(id);
        let statement = Statement {
            kind: StatementKind::Expression(id),
            span,
        };
        // A block without a tail is how the language itself drops a value, so later stages know the form.
        let kind = ExpressionKind::Block {
            statements: vec![statement],
            tail: None,
        };
        self.push(kind, Type::Unit, span)
    }
}
