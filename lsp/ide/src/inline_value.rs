//! `textDocument/inlineValue`: the variables that a debugger shows beside the lines of a frame that is stopped.

use gsw_source::{Db, File, Name, Span};

use crate::cursor::{in_file, item_at};
use crate::scope::visible_at;
use crate::symbol::{Symbol, occurrences};

/// A variable where it is named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InlineValue {
    /// The name, in the file.
    pub span: Span,
    pub name: Name,
}

/// The variables that are named in `range`, in what is stopped at `stopped` and not after it, and known there: another one of the same name
/// has another value.
#[must_use]
pub fn inline_value(db: &dyn Db, file: File, range: Span, stopped: u32) -> Vec<InlineValue> {
    let Some((item, inside)) = item_at(db, file, stopped) else {
        return Vec::new();
    };
    let Some(tree) = gsw_syntax::item_ast(db, item) else {
        return Vec::new();
    };
    let visible = visible_at(&tree, inside);
    let is_known = |declared: Span| {
        let is_type = tree.body.generics().iter().any(|it| it.span == declared);
        !is_type && visible.iter().any(|it| it.declared == declared)
    };
    let mut found: Vec<InlineValue> = Vec::new();
    for it in occurrences(db, item) {
        let Symbol::Local { item: of, declared } = it.symbol else {
            continue;
        };
        let span = in_file(db, item, it.span);
        let is_shown = of == item && range.holds(span);
        if is_shown && span.start <= stopped && is_known(declared) {
            let name = gsw_names::source_text(db, item, it.span);
            found.push(InlineValue { span, name });
        }
    }
    found
}
