//! What inference of one body carries along: the table, locals, scopes, and what was found.

use gsw_names::display_type;
use gsw_names::types::Type;
use gsw_source::{Db, Diagnostic, File, ItemId, Name, Place, Span};

use crate::hir::{BodyPart, ExpressionId, ExpressionKind, LocalId, LocalKind};
use crate::infer::findings::Findings;
use crate::infer::hir_builder::HirBuilder;
use crate::infer::pattern::PatternNames;
use crate::infer::postponed::Postponed;
use crate::infer::scopes::Scopes;
use crate::infer::table::{Blame, Table};
use crate::item_bodies::Reference;

/// What the surroundings want of an expression.
#[derive(Clone, Debug)]
pub(super) enum Expected {
    Anything,
    /// The value is dropped, so it may have any type.
    Dropped,
    /// Probably this type; the caller settles it.
    Hint(Type),
    /// This type and no other; conversions are put in.
    Type(Type),
}

impl Expected {
    /// The type that is wanted, when one is known.
    pub(super) fn hint(&self) -> Option<&Type> {
        match self {
            Self::Anything | Self::Dropped => None,
            Self::Hint(ty) | Self::Type(ty) => Some(ty),
        }
    }
}

/// The state of one body's inference.
pub(super) struct Context<'db> {
    pub(super) db: &'db dyn Db,
    pub(super) file: File,
    pub(super) item: ItemId,
    pub(super) part: BodyPart,
    /// Names of the enclosing declaration's type parameters.
    pub(super) generics: &'db [Name],
    pub(super) table: Table<'db>,
    pub(super) hir: HirBuilder,
    pub(super) scopes: Scopes,
    pub(super) findings: Findings,
    pub(super) postponed: Postponed,
    /// Where the texts of a conversation are gathered, in the body of one.
    pub(super) said: Option<LocalId>,
    /// What the pattern at work has bound so far.
    pub(super) pattern_names: PatternNames,
}

impl Context<'_> {
    pub(super) fn push(&mut self, kind: ExpressionKind, ty: Type, span: Span) -> ExpressionId {
        self.hir.push(kind, ty, span)
    }

    /// An expression that was reported.
    pub(super) fn invalid(&mut self, span: Span) -> ExpressionId {
        self.push(ExpressionKind::Invalid, Type::Invalid, span)
    }

    /// The head of an expression's type as far as known.
    pub(super) fn ty(&self, id: ExpressionId) -> Type {
        self.table.resolve(&self.hir.get(id).ty)
    }

    pub(super) fn span(&self, id: ExpressionId) -> Span {
        self.hir.get(id).span
    }

    /// A span of this item as a place.
    pub(super) fn place(&self, span: Span) -> Place {
        Place::Item {
            item: self.item,
            span,
        }
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.findings.report(diagnostic);
    }

    /// A type as source text, with what is known by now.
    pub(super) fn show(&self, ty: &Type) -> String {
        display_type(self.db, &self.table.zonk(ty))
    }

    /// A new type variable that may stay unknown without a report.
    pub(super) fn fresh(&mut self) -> Type {
        self.table.fresh(Blame::Suppressed)
    }

    /// A local that the compiler needs and no name reaches.
    pub(super) fn hidden_local(&mut self, ty: Type, span: Span) -> LocalId {
        self.scopes.add(Name::default(), ty, LocalKind::Let, span)
    }

    /// Adds a local and puts its name in scope.
    pub(super) fn declare(
        &mut self,
        name: &Name,
        ty: Type,
        kind: LocalKind,
        span: Span,
    ) -> LocalId {
        let id = self.scopes.add(name.clone(), ty, kind, span);
        self.scopes.name(name.clone(), id);
        self.refer(
            span,
            Reference::Local {
                part: self.part,
                local: id,
            },
        );
        id
    }

    /// The value of a local.
    pub(super) fn local_value(&mut self, id: LocalId, span: Span) -> ExpressionId {
        self.scopes.touch(id);
        let ty = self.scopes.local(id).ty.clone();
        self.push(ExpressionKind::Local(id), ty, span)
    }

    /// Notes what the name at `span` means.
    pub(super) fn refer(&mut self, span: Span, reference: Reference) {
        self.findings.refer(span, reference);
    }

    /// Runs `work` and takes the names that it declared out of scope.
    pub(super) fn scoped<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> R {
        let mark = self.scopes.mark();
        let result = work(self);
        self.scopes.leave(mark);
        result
    }
}
