//! What the handlers of a hook are given and decide, as `std/hook` declares it.

use gsw_abi::hook::Moment;
use gsw_source::{Db, ItemId};

use crate::module::std_file;
use crate::scope::{Definition, module_scope};

/// The module that hooks are made of.
const HOOK: &str = "std/hook";

/// The function of the library that shows the form of a handler, see [`gsw_abi::hook`]; `None` only while the library itself is
/// broken.
pub fn handler_form(db: &dyn Db, moment: Moment) -> Option<ItemId> {
    let module = std_file(db, HOOK)?;
    module_scope(db, module).items.get(moment.name()).copied()
}

/// Whether an enum is what handlers decide by: each of its values is there to be given to who has asked.
pub fn is_decision(db: &dyn Db, item: ItemId) -> bool {
    let Some(module) = std_file(db, HOOK) else {
        return false;
    };
    let mut declared = module_scope(db, module).variants.values().flatten();
    declared.any(|it| it.0 == item)
}

/// What a word means in the handlers of hooks: `deny` is the variant `Deny` of what the handler decides, of the enum `wanted`
/// where several have one.
pub fn handler_word(db: &dyn Db, word: &str, wanted: Option<ItemId>) -> Option<Definition> {
    if !word.starts_with(|it: char| it.is_ascii_lowercase()) {
        return None;
    }
    let variants = &module_scope(db, std_file(db, HOOK)?).variants;
    let (_, named) = variants
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(word))?;
    let fitting = named.iter().find(|it| Some(it.0) == wanted);
    let &(item, variant) = fitting.or(named.first())?;
    Some(Definition::Variant { item, variant })
}
