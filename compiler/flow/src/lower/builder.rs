//! The function that a body becomes: where its variables live, and the types of its expressions.
//!
//! Three layers, each of which knows less: the `Builder` evaluates expressions of a body; the `Emitter` writes operations whose
//! operands are there; the `Code` holds locals and blocks. As in rustc's contexts, each dereferences to the next, so that a
//! construct calls `self.expression(…)`, `self.runtime(…)` and `self.block()` alike.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use gsw_abi::program::Colour;
use gsw_abi::types::TypeId;
use gsw_infer::hir::{Body, ExpressionId};
use gsw_names::types::Type;

use crate::instance::BodyInstance;
use crate::ir::Function;
use crate::lower::Lowering;
use crate::lower::defer::{Deferral, Returned};
use crate::lower::emitter::Emitter;
use crate::lower::variable::Variables;
use crate::lower::witness::Witness;

/// Evaluates the expressions of one body. Each family of forms has its file; what they share is here and in `expression`.
pub(crate) struct Builder<'l, 'v> {
    out: Emitter<'l, 'v>,
    /// The body that is evaluated.
    pub body: Arc<Body>,
    pub colour: Colour,
    /// Where the source's variables live.
    pub variables: Variables,
    /// What is known of those of the open regions that are a `defer`.
    pub deferrals: Vec<Deferral>,
    /// What the `return`s that leave a `defer` give, once there is one.
    pub returned: Option<Returned>,
    /// The parts of the condition of an `assert` that are kept to be shown, while one is written.
    pub witnesses: Option<Vec<Witness>>,
}

impl<'l, 'v> Deref for Builder<'l, 'v> {
    type Target = Emitter<'l, 'v>;

    fn deref(&self) -> &Emitter<'l, 'v> {
        &self.out
    }
}

impl<'l, 'v> DerefMut for Builder<'l, 'v> {
    fn deref_mut(&mut self) -> &mut Emitter<'l, 'v> {
        &mut self.out
    }
}

impl<'l, 'v> Builder<'l, 'v> {
    pub fn new(
        program: &'l mut Lowering<'v>,
        body: Arc<Body>,
        owner: BodyInstance,
        colour: Colour,
    ) -> Self {
        let span = body.expression(body.root).span;
        Self {
            out: Emitter::new(program, owner, span),
            body,
            colour,
            variables: Variables::default(),
            deferrals: Vec::new(),
            returned: None,
            witnesses: None,
        }
    }

    pub fn finish(self) -> Function {
        self.out.finish(self.colour)
    }

    /// The concrete type of an expression.
    pub fn type_of(&self, id: ExpressionId) -> Type {
        self.concrete(&self.body.expression(id).ty)
    }

    /// The table entry of an expression's type.
    pub fn type_id_of(&mut self, id: ExpressionId) -> TypeId {
        let ty = self.type_of(id);
        self.type_id(&ty)
    }
}
