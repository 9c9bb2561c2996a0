//! What the rules of inference share: the body as far as it is built, and the names that source may use at this place.
//!
//! What a function can touch is its first parameter, and each takes the least that it needs:
//!
//! | parameter | what it reads and changes |
//! |---|---|
//! | `&Table`, `&mut Table` | types and what their variables are bound to |
//! | `&HirBuilder`, `&mut HirBuilder` | these, the expressions and locals made so far, and what is reported; no name is looked up |
//! | [`Names`] | what names mean, and reports of those that mean nothing; no expression is made and no type bound |
//! | `&mut Context` | all of it: a rule that infers parts of the syntax |
//!
//! Rules are functions in the module of their form. What rules of any form need of the others is a method of [`Context`]: an expression, a
//! block, a pattern, a written type. So `expression` knows the modules of all forms, and few of these know each other.

use gsw_names::types::Type;
use gsw_source::{Db, File, Name, Span};

use crate::hir::{BodyPart, LocalId, LocalKind};
use crate::infer::hir_builder::HirBuilder;
use crate::infer::names::Names;
use crate::infer::pattern_names::PatternNames;
use crate::infer::scopes::Scopes;
use crate::item_bodies::Reference;

/// The state of one body's inference.
pub(super) struct Context<'db> {
    pub(super) db: &'db dyn Db,
    pub(super) file: File,
    pub(super) part: BodyPart,
    /// Names of the enclosing declaration's type parameters.
    pub(super) generics: &'db [Name],
    pub(super) hir: HirBuilder<'db>,
    pub(super) scopes: Scopes,
    /// Where the texts of a conversation are gathered, in the body of one.
    pub(super) said: Option<LocalId>,
    /// What the current pattern has bound so far.
    pub(super) pattern_names: PatternNames,
}

impl<'db> Context<'db> {
    /// The names that can be written here.
    pub(super) fn names(&mut self) -> Names<'_, 'db> {
        Names {
            db: self.db,
            file: self.file,
            item: self.hir.item,
            scopes: &self.scopes,
            table: &self.hir.table,
            findings: &mut self.hir.findings,
        }
    }

    /// Adds a local and puts its name in scope.
    pub(super) fn declare(
        &mut self,
        name: &Name,
        ty: Type,
        kind: LocalKind,
        span: Span,
    ) -> LocalId {
        let id = self.hir.locals.add(name.clone(), ty, kind, span);
        self.scopes.name(name.clone(), id);
        let local = Reference::Local {
            part: self.part,
            local: id,
        };
        self.hir.refer(span, local);
        id
    }

    /// Runs `work` and takes the names that it declared out of scope.
    pub(super) fn scoped<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> R {
        let mark = self.scopes.mark();
        let result = work(self);
        self.scopes.leave(mark);
        result
    }
}
