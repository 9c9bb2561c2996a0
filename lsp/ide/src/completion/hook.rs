//! Hooks: the handlers that one can have, and what they decide.

use gsw_abi::hook::Moment;
use gsw_names::{handler_form, item_signature, type_declaration};
use gsw_source::{Db, ItemId};

use super::item::{Completion, CompletionKind, of_variant};

/// Each handler with the parameters that it gets.
pub fn handlers(db: &dyn Db) -> Vec<Completion> {
    let handler = |it: Moment| {
        let declared = &item_signature(db, handler_form(db, it)?)
            .signature
            .parameters;
        // The last one is what the handler has returned.
        let (_, given) = declared.split_last()?;
        let given: Vec<&str> = given.iter().map(|it| it.name.as_str()).collect();
        let head = format!("{}({})", it.name(), given.join(", "));
        let completion = Completion::new(it.name(), CompletionKind::Snippet, 0);
        Some(
            completion
                .snippet(format!("{head} {{\n  $0\n}}"))
                .detail(head),
        )
    };
    Moment::ALL.into_iter().filter_map(handler).collect()
}

/// What a handler that decides a value of this enum may say, in the words of hooks: `deny("$0")`.
pub fn decisions(db: &dyn Db, decided: ItemId) -> Vec<Completion> {
    let variants = type_declaration(db, decided).declaration.variants();
    let positions = 0..u32::try_from(variants.len()).unwrap_or(0);
    let mut found: Vec<Completion> = positions
        .filter_map(|it| of_variant(db, decided, it, 0))
        .collect();
    for it in &mut found {
        let word = it.label.to_lowercase();
        it.insert = match it.insert.text().contains('(') {
            true => {
                Completion::new(word.as_str(), it.kind, it.rank)
                    .call()
                    .insert
            }
            false => super::Insert::Plain(word.clone()),
        };
        it.label = word;
    }
    found
}
