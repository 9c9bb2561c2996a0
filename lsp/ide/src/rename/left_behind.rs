//! Texts that are called like what is renamed: keys of JSON like a field, texts like a variant, inputs like a parameter of a workflow. A
//! rename leaves them as they are, since it is unknown what they mean, and the user is told of them.

use gsw_infer::hir::{Body, Expression, ExpressionId, ExpressionKind, PatternKind};
use gsw_infer::{infer_item, visit_patterns};
use gsw_names::types::Type;
use gsw_names::{item_signature, type_declaration};
use gsw_source::{Db, File, ItemId, ItemKind, Location, Name, Span};
use gsw_syntax::file_item_ids;

use crate::cursor::{Cursor, cursor, in_file};
use crate::meaning::files_with_words;
use crate::name_in_text::starts_by_name;
use crate::symbol::{Symbol, occurrences};

/// What a rename leaves behind, most likely.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftBehind {
    pub of: NamedInTexts,
    /// At least one.
    pub places: Vec<Location>,
}

/// What texts name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NamedInTexts {
    Field,
    Variant,
    /// Of a workflow.
    Parameter,
}

/// The texts of the project with the name of what is named at `offset`; `None` where there are none, or where it is called otherwise in JSON.
#[must_use]
pub fn left_behind(db: &dyn Db, file: File, offset: u32) -> Option<LeftBehind> {
    let cursor = cursor(db, file, offset)?;
    let (of, owner, name) = named_in_texts(db, cursor)?;
    let mut places = Vec::new();
    for file in files_with_words(db, &[&name]) {
        let is_used = match of {
            NamedInTexts::Field | NamedInTexts::Variant => uses_type(db, file, owner),
            NamedInTexts::Parameter => starts_workflows(db, file),
        };
        let is_field = of == NamedInTexts::Field;
        for item in file_item_ids(db, file).iter().copied() {
            for body in &infer_item(db, item).bodies {
                let mut spans = Vec::new();
                if is_field {
                    spans.extend(keys(body, &name));
                }
                if is_used {
                    spans.extend(texts(body, &name));
                }
                spans.sort_unstable();
                // A key is told with what it is read from.
                spans.dedup_by(|inner, outer| outer.holds(*inner));
                places.extend(spans.into_iter().map(|span| Location {
                    file,
                    span: in_file(db, item, span),
                }));
            }
        }
    }
    (!places.is_empty()).then_some(LeftBehind { of, places })
}

/// What stands in JSON or an input by its name in the program, with the declaration that it is part of.
fn named_in_texts(db: &dyn Db, cursor: Cursor) -> Option<(NamedInTexts, ItemId, Name)> {
    let same = |name: &Name, wire: &Name| (name == wire).then(|| name.clone());
    match cursor.symbol {
        Symbol::Field {
            item,
            variant,
            field,
        } => {
            let declared = &type_declaration(db, item).declaration;
            let it = declared.fields_of(variant).get(field as usize)?;
            Some((NamedInTexts::Field, item, same(&it.name, &it.wire)?))
        }
        Symbol::Variant { item, variant } => {
            let declared = &type_declaration(db, item).declaration;
            let it = declared.variants().get(variant as usize)?;
            Some((NamedInTexts::Variant, item, same(&it.name, &it.wire)?))
        }
        Symbol::Local { item, declared } if item.kind(db) == ItemKind::Workflow => {
            let parameters = &item_signature(db, item).signature.parameters;
            let it = parameters.iter().find(|it| it.span == declared)?;
            Some((NamedInTexts::Parameter, item, same(&it.name, &it.wire)?))
        }
        Symbol::Local { .. } | Symbol::Item(_) | Symbol::Module(_) => None,
    }
}

/// Whether a file names a type, or a part of it.
fn uses_type(db: &dyn Db, file: File, owner: ItemId) -> bool {
    file_item_ids(db, file).iter().any(|item| {
        let mut all = occurrences(db, *item).into_iter();
        all.any(|it| match it.symbol {
            Symbol::Item(item) | Symbol::Variant { item, .. } | Symbol::Field { item, .. } => {
                item == owner
            }
            Symbol::Local { .. } | Symbol::Module(_) => false,
        })
    })
}

/// Whether a file starts workflows by their names.
fn starts_workflows(db: &dyn Db, file: File) -> bool {
    let mut items = file_item_ids(db, file).iter();
    items.any(|item| {
        let mut bodies = infer_item(db, *item).bodies.iter();
        bodies.any(|it| starts_by_name(db, it))
    })
}

/// The texts that are `name`, in values and in patterns.
fn texts(body: &Body, name: &str) -> Vec<Span> {
    let mut found = Vec::new();
    for it in &body.expressions {
        if matches!(&it.kind, ExpressionKind::String(text) if text == name) {
            found.push(it.span);
        }
        if let ExpressionKind::Match { arms, .. } = &it.kind {
            for arm in arms {
                visit_patterns(&arm.pattern, &mut |it| {
                    if matches!(&it.kind, PatternKind::String(text) if text == name) {
                        found.push(it.span);
                    }
                });
            }
        }
    }
    found
}

/// Where a body has `name` as a key of JSON.
fn keys(body: &Body, name: &str) -> Vec<Span> {
    let all = body.expressions.iter();
    let found = all.filter(|it| names_key(body, it, name));
    found.map(|it| it.span).collect()
}

/// `j.name`, `j["name"]`, `j.get("name")`, and a text with `"name":` in it.
fn names_key(body: &Body, it: &Expression, key: &str) -> bool {
    let is_json = |id: ExpressionId| body.expression(id).ty == Type::Json;
    let is_key = |id: ExpressionId| matches!(&body.expression(id).kind, ExpressionKind::String(text) if text == key);
    if let ExpressionKind::JsonField { name, .. } = &it.kind {
        return name == key;
    }
    if let ExpressionKind::Index { base, index } = &it.kind {
        return is_json(*base) && is_key(*index);
    }
    if let ExpressionKind::Call { arguments, .. } = &it.kind {
        let has = |is: &dyn Fn(ExpressionId) -> bool| arguments.iter().any(|(_, it)| is(*it));
        return has(&is_json) && has(&is_key);
    }
    if let ExpressionKind::String(text) = &it.kind {
        let quoted = format!("\"{key}\"");
        let mut places = text.match_indices(&quoted);
        return places.any(|(at, _)| {
            let rest = text.get(at + quoted.len()..).unwrap_or_default();
            rest.trim_start().starts_with(':')
        });
    }
    false
}
