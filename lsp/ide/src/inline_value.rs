//! `textDocument/inlineValue`: the variables that a debugger shows beside the lines of a frame that is stopped.

use gsw_source::{Db, File, Name, Span};

use crate::cursor::{in_file, item_at};
use crate::symbol::{Symbol, occurrences};

/// A variable where it is named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InlineValue {
    /// The name, in the file.
    pub span: Span,
    pub name: Name,
}

/// The variables that are named in `range`, in what is stopped at `stopped` and not after it.
#[must_use]
pub fn inline_value(db: &dyn Db, file: File, range: Span, stopped: u32) -> Vec<InlineValue> {
    let Some((item, _)) = item_at(db, file, stopped) else {
        return Vec::new();
    };
    let tree = gsw_syntax::item_ast(db, item);
    let is_type = |declared: Span| {
        let own = tree.as_ref().map(|it| it.body.generics());
        own.is_some_and(|it| it.iter().any(|name| name.span == declared))
    };
    let mut found: Vec<InlineValue> = Vec::new();
    for it in occurrences(db, item) {
        let Symbol::Local { item: of, declared } = it.symbol else {
            continue;
        };
        let span = in_file(db, item, it.span);
        let is_shown = of == item && range.holds(span);
        if is_shown && span.start <= stopped && !is_type(declared) {
            let name = gsw_names::source_text(db, item, it.span);
            found.push(InlineValue { span, name });
        }
    }
    found
}
