//! Values that no pattern covers, as the source text of a pattern that would.

use gsw_names::type_declaration;
use gsw_names::types::Type;
use gsw_source::{Db, ItemId, Name};

use super::constructor::Constructor;

/// A value, or all values of a type.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Witness {
    ty: Type,
    constructor: Option<Constructor>,
    parts: Vec<Witness>,
}

impl Witness {
    pub(super) fn any(ty: &Type) -> Self {
        Self {
            ty: ty.clone(),
            constructor: None,
            parts: Vec::new(),
        }
    }

    /// What `constructor` makes of `parts`.
    pub(super) fn made(ty: &Type, constructor: Constructor, parts: Vec<Self>) -> Self {
        Self {
            ty: ty.clone(),
            constructor: Some(constructor),
            parts,
        }
    }

    fn is_any(&self, db: &dyn Db) -> bool {
        witness_text(db, self) == "_"
    }
}

/// `witness` as source text: `B(_)`, `[_, ..]`, `none`, `_`.
pub(super) fn witness_text(db: &dyn Db, witness: &Witness) -> String {
    let parts = || {
        witness
            .parts
            .iter()
            .map(|it| witness_text(db, it))
            .collect::<Vec<_>>()
    };
    match &witness.constructor {
        None | Some(Constructor::Other | Constructor::Float(_)) => "_".into(),
        Some(Constructor::Single) => single_text(db, witness),
        Some(Constructor::Variant(item, variant)) => {
            called(&variant_name(db, *item, *variant), &parts())
        }
        Some(Constructor::Error(item)) => called(item.name(db), &parts()),
        Some(Constructor::None) => "none".into(),
        // A value present is written without a wrapper, as in a pattern.
        Some(Constructor::Some) => parts().pop().unwrap_or_else(|| "_".into()),
        Some(Constructor::Bool(value)) => value.to_string(),
        Some(Constructor::Range(start, end)) => range_text(&witness.ty, *start, *end),
        Some(Constructor::Text(text)) => format!("{text:?}"),
        Some(Constructor::Length(_)) => format!("[{}]", parts().join(", ")),
        Some(Constructor::AtLeast(before, _)) => {
            let mut parts = parts();
            parts.insert((*before).min(parts.len()), "..".into());
            format!("[{}]", parts.join(", "))
        }
    }
}

fn range_text(ty: &Type, start: i64, end: i64) -> String {
    // `_` is what a person would write for the ints beyond the last case; durations have no ranges in the grammar.
    let is_edge = start == i64::MIN || end == i64::MAX;
    if is_edge || *ty == Type::Duration {
        "_".into()
    } else if start == end {
        start.to_string()
    } else {
        format!("{start}..={end}")
    }
}

/// A record names only the fields that matter.
fn single_text(db: &dyn Db, witness: &Witness) -> String {
    let Type::Record(item, _) = &witness.ty else {
        let parts: Vec<String> = witness
            .parts
            .iter()
            .map(|it| witness_text(db, it))
            .collect();
        return format!("({})", parts.join(", "));
    };
    let fields = type_declaration(db, *item).declaration.fields();
    let named = fields
        .iter()
        .zip(&witness.parts)
        .filter(|(_, part)| !part.is_any(db));
    let mut shown: Vec<String> = named
        .map(|(field, part)| format!("{}: {}", field.name, witness_text(db, part)))
        .collect();
    if shown.is_empty() {
        return "_".into();
    }
    if shown.len() < fields.len() {
        shown.push("..".into());
    }
    format!("{} {{ {} }}", item.name(db), shown.join(", "))
}

fn called(name: &Name, parts: &[String]) -> String {
    if parts.is_empty() {
        return name.to_string();
    }
    format!("{name}({})", parts.join(", "))
}

fn variant_name(db: &dyn Db, item: ItemId, variant: u32) -> Name {
    let variants = type_declaration(db, item).declaration.variants();
    let variant = variants.get(variant as usize);
    variant.map_or_else(|| Name::new_static("_"), |it| it.name.clone())
}
