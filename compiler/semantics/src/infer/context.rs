//! What inference of one body carries along: the table, locals, scopes, and what was found.

use gsw_source::{Db, Diagnostic, File, ItemId, Name, Place, Span};

use crate::display::display_type;
use crate::hir::{
    BodyPart, Captured, Expression, ExpressionId, ExpressionKind, Local, LocalId, LocalKind,
};
use crate::infer::pattern::PatternNames;
use crate::infer::table::{Blame, Table};
use crate::model::{GenericUse, Reference, Requirement};
use crate::types::Type;

/// What the surroundings want of an expression.
#[derive(Clone, Debug)]
pub(super) enum Expected {
    /// Nothing is known.
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
    pub(super) table: Table,
    pub(super) locals: Vec<Local>,
    pub(super) expressions: Vec<Expression>,
    /// Names in scope, innermost last.
    pub(super) scope: Vec<(Name, LocalId)>,
    /// The body, then the closures that enclose the place of work.
    pub(super) frames: Vec<Frame>,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) references: Vec<(Span, Reference)>,
    pub(super) generic_uses: Vec<GenericUse>,
    /// What the body asks of its own type parameters.
    pub(super) requirements: Vec<(u32, Requirement, Span)>,
    /// Operands whose type was unknown when an operator met them; looked at again at the end.
    pub(super) pending: Vec<(Requirement, Type, Span)>,
    /// Literal patterns on strings that may yet be literals of a union; looked at again at the end.
    pub(super) text_patterns: Vec<(Name, Type, Span)>,
    /// The loops around the place of work, innermost last.
    pub(super) loops: Vec<Loop>,
    /// What the pattern at work has bound so far.
    pub(super) pattern_names: PatternNames,
    /// The `let` words of bound locals, to be mended to `var`.
    pub(super) let_words: Vec<(LocalId, Span)>,
    /// Where a pattern names a field and binds it by that name.
    pub(super) short_fields: Vec<Span>,
}

/// Whether a loop can be left by `break`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Loop {
    /// No `break` was met in it so far.
    Endless,
    /// It has one.
    Left,
}

/// A body or a closure in it.
pub(super) struct Frame {
    /// Locals from this one on belong to the frame or to frames in it.
    pub(super) first_local: u32,
    /// What `return` must give; `None` where nothing is known of it.
    pub(super) result: Option<Type>,
    /// What the frame takes from outside, in order of first use.
    pub(super) captures: Vec<LocalId>,
    /// Each `return e` whose type is still open, with its `e`.
    pub(super) returned: Vec<(ExpressionId, ExpressionId)>,
}

impl Context<'_> {
    /// Adds an expression.
    pub(super) fn push(&mut self, kind: ExpressionKind, ty: Type, span: Span) -> ExpressionId {
        let id = ExpressionId(u32::try_from(self.expressions.len()).unwrap_or(u32::MAX));
        self.expressions.push(Expression { kind, ty, span });
        id
    }

    /// An expression that was reported.
    pub(super) fn invalid(&mut self, span: Span) -> ExpressionId {
        self.push(ExpressionKind::Invalid, Type::Invalid, span)
    }

    /// The head of an expression's type as far as known.
    pub(super) fn ty(&self, id: ExpressionId) -> Type {
        self.table.resolve(&self.expressions[id.0 as usize].ty)
    }

    /// Where an expression stands.
    pub(super) fn span(&self, id: ExpressionId) -> Span {
        self.expressions[id.0 as usize].span
    }

    /// A span of this item as a place.
    pub(super) fn place(&self, span: Span) -> Place {
        Place::Item {
            item: self.item,
            span,
        }
    }

    /// Keeps a diagnostic.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// A type as source text, with what is known by now.
    pub(super) fn show(&self, ty: &Type) -> String {
        display_type(self.db, &self.table.zonk(ty))
    }

    /// A new type variable that may stay unknown without a report.
    pub(super) fn fresh(&mut self) -> Type {
        self.table.fresh(Blame::Suppressed)
    }

    /// Adds a local without putting its name in scope.
    pub(super) fn local(&mut self, name: Name, ty: Type, kind: LocalKind, span: Span) -> LocalId {
        let id = LocalId(u32::try_from(self.locals.len()).unwrap_or(u32::MAX));
        self.locals.push(Local {
            name,
            ty,
            kind,
            span,
            captured: Captured::No,
        });
        id
    }

    /// A local that the compiler needs and no name reaches.
    pub(super) fn hidden_local(&mut self, ty: Type, span: Span) -> LocalId {
        self.local(Name::default(), ty, LocalKind::Let, span)
    }

    /// Adds a local and puts its name in scope.
    pub(super) fn declare(
        &mut self,
        name: &Name,
        ty: Type,
        kind: LocalKind,
        span: Span,
    ) -> LocalId {
        let id = self.local(name.clone(), ty, kind, span);
        self.scope.push((name.clone(), id));
        self.refer(
            span,
            Reference::Local {
                part: self.part,
                local: id,
            },
        );
        id
    }

    /// The innermost local of that name.
    pub(super) fn find_local(&self, name: &str) -> Option<LocalId> {
        self.scope
            .iter()
            .rev()
            .find(|(it, _)| it == name)
            .map(|(_, id)| *id)
    }

    /// Notes the use of a local: closures between it and here capture it.
    pub(super) fn touch_local(&mut self, id: LocalId) {
        for frame in self.frames.iter_mut().rev() {
            if id.0 >= frame.first_local {
                break;
            }
            if !frame.captures.contains(&id) {
                frame.captures.push(id);
            }
            self.locals[id.0 as usize].captured = Captured::Yes;
        }
    }

    /// The value of a local.
    pub(super) fn local_value(&mut self, id: LocalId, span: Span) -> ExpressionId {
        self.touch_local(id);
        let ty = self.locals[id.0 as usize].ty.clone();
        self.push(ExpressionKind::Local(id), ty, span)
    }

    /// Notes what the name at `span` means.
    pub(super) fn refer(&mut self, span: Span, reference: Reference) {
        self.references.push((span, reference));
    }

    /// Runs `work` and forgets the names it declared.
    pub(super) fn scoped<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> R {
        let names = self.scope.len();
        let result = work(self);
        self.scope.truncate(names);
        result
    }

    /// Opens a closure; locals declared from now on are its own.
    pub(super) fn open_frame(&mut self, result: Option<Type>) {
        let first_local = u32::try_from(self.locals.len()).unwrap_or(u32::MAX);
        self.frames.push(Frame {
            first_local,
            result,
            captures: Vec::new(),
            returned: Vec::new(),
        });
    }

    /// Closes the innermost closure.
    pub(super) fn close_frame(&mut self) -> Frame {
        self.frames
            .pop()
            .expect("every frame that is closed was opened")
    }
}
