//! Writes a test for a prompt, with a mock in the place of the model.

use gsw_names::types::Type;
use gsw_names::{KnownItem, Presence, TypeDeclarationKind, item_signature, type_declaration};
use gsw_source::{Db, ItemKind};

use super::place::Place;
use super::{ActionKind, CodeAction};

/// So deep at most a made-up value nests.
const DEEPEST: u32 = 4;

pub fn prompt_test(place: &Place<'_>) -> Option<CodeAction> {
    let db = place.db;
    if place.item.kind(db) != ItemKind::Prompt {
        return None;
    }
    let signature = &item_signature(db, place.item).signature;
    let name = place.item.name(db);
    let answer = sample(db, &signature.result, 0)?;
    let given = signature
        .parameters
        .iter()
        .filter(|it| it.default == Presence::Absent);
    let arguments: Option<Vec<String>> = given
        .map(|it| Some(format!("{}: {}", it.name, sample(db, &it.ty, 0)?)))
        .collect();
    let blanks = vec!["_"; signature.parameters.len()].join(", ");
    let text = format!(
        "\n\ntest \"{name}\" {{\n  mock {name}({blanks}) -> {answer}\n  assert {name}({}) == {answer}\n}}",
        arguments?.join(", ")
    );
    Some(CodeAction {
        title: format!("write a test for `{name}`, its model mocked"),
        kind: ActionKind::Rewrite,
        edits: vec![place.insert(place.tree.span.end, text)],
        fixes: None,
    })
}

/// An expression of a type; `None` when there is no simple one.
#[expect(
    clippy::too_many_lines,
    reason = "one line a form: rustc names what a new type must join"
)]
fn sample(db: &dyn Db, ty: &Type, depth: u32) -> Option<String> {
    if depth > DEEPEST {
        return None;
    }
    let deeper = |ty: &Type| sample(db, ty, depth + 1);
    Some(match ty {
        Type::Unit => "()".into(),
        Type::Bool => "true".into(),
        Type::Int => "1".into(),
        Type::Float => "0.5".into(),
        Type::String => "\"text\"".into(),
        Type::Duration => "1s".into(),
        Type::Json => "{ \"key\": 1 }".into(),
        Type::Literals(names) => format!("{:?}", names.first()?),
        Type::Optional(_) => "none".into(),
        Type::List(inside) => format!("[{}]", deeper(inside)?),
        Type::Map(key, value) if **key == Type::String => {
            format!("{{ \"key\": {} }}", deeper(value)?)
        }
        Type::Map(..) => "{}".into(),
        Type::Tuple(parts) => {
            let parts: Option<Vec<String>> = parts.iter().map(deeper).collect();
            format!("({})", parts?.join(", "))
        }
        Type::Record(item, parts) if KnownItem::Set.is(db, *item) => {
            format!("set.of([{}])", deeper(parts.first()?)?)
        }
        Type::Record(item, _) => {
            let TypeDeclarationKind::Record(fields) = &type_declaration(db, *item).declaration.kind
            else {
                return None;
            };
            let needed = fields
                .iter()
                .filter(|it| it.default == Presence::Absent && !matches!(it.ty, Type::Optional(_)));
            let fields: Option<Vec<String>> = needed
                .map(|it| Some(format!("{}: {}", it.name, deeper(&it.ty)?)))
                .collect();
            match fields?.join(", ") {
                none if none.is_empty() => format!("{} {{}}", item.name(db)),
                some => format!("{} {{ {some} }}", item.name(db)),
            }
        }
        Type::Enum(item, _) => {
            let TypeDeclarationKind::Enum(variants) = &type_declaration(db, *item).declaration.kind
            else {
                return None;
            };
            let plain = variants.iter().find(|it| it.fields.is_empty());
            let variant = plain.or_else(|| variants.first())?;
            let payload: Option<Vec<String>> =
                variant.fields.iter().map(|it| deeper(&it.ty)).collect();
            match payload?.join(", ") {
                none if none.is_empty() => format!("{}.{}", item.name(db), variant.name),
                some => format!("{}.{}({some})", item.name(db), variant.name),
            }
        }
        // Whether a value passes its check, nobody here knows.
        Type::Checked(..)
        | Type::Bytes
        | Type::Time
        | Type::Secret
        | Type::Image
        | Type::Document
        | Type::Session
        | Type::Error
        | Type::Agent
        | Type::Never
        | Type::Function(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Partial(_)
        | Type::Parameter(..)
        | Type::Variable(_)
        | Type::Text(_)
        | Type::Invalid => return None,
    })
}
