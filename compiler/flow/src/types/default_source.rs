//! Default values as source text, for the help of programs, and as JSON, for schemas.

use gsw_evaluator::constant_default;
use gsw_infer::hir::{Body, BodyPart, ExpressionId, ExpressionKind};
use gsw_names::types::Type;
use gsw_names::{Parameter, Presence, source_text};
use gsw_source::ItemId;

use crate::lower::Lowering;

/// A longer text is not shown: help has a line for it at most.
const LONGEST: usize = 80;

/// Constants that are only other constants' names are followed so far.
const MOST_CONSTANTS: usize = 16;

impl Lowering<'_> {
    /// The default of one of an item's parameters or fields, as a line of source text. A constant that is only named is shown
    /// by its own value, because a user who runs a program cannot look its name up.
    pub fn default_source(
        &self,
        item: ItemId,
        part: BodyPart,
        declared: &Parameter,
    ) -> Option<String> {
        if declared.secret == Presence::Present {
            return None;
        }
        let (mut item, mut part) = (item, part);
        for _ in 0..MOST_CONSTANTS {
            let body = self.view.body(item, part)?;
            let root = body.expression(unconverted(&body));
            if let ExpressionKind::Constant(constant) = root.kind {
                (item, part) = (constant, BodyPart::Main);
                continue;
            }
            let text = source_text(self.view.db(), item, root.span);
            let is_line = !text.is_empty() && text.len() <= LONGEST && !text.contains('\n');
            return is_line.then(|| text.to_string());
        }
        None
    }

    /// The default of one of an item's parameters or fields, where it is the same in every call.
    pub fn default_json(
        &self,
        item: ItemId,
        part: BodyPart,
        (declared, arguments): (&Parameter, &[Type]),
    ) -> Option<String> {
        if declared.secret == Presence::Present || declared.ty == Type::Secret {
            return None;
        }
        constant_default(self.view.db(), item, part, arguments)
    }
}

/// The value as it is written: without the conversions that the checker has added.
fn unconverted(body: &Body) -> ExpressionId {
    let mut id = body.root;
    while let ExpressionKind::Coerce { value, .. } = &body.expression(id).kind {
        id = *value;
    }
    id
}
