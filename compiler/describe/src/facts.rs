//! Declarations as plain text: heads with default values, and what a call raises.

use gsw_analysis::item_summary;
use gsw_names::types::{ErrorSet, Type};
use gsw_names::{
    MODEL_ERROR, Parameter, Presence, TypeDeclarationKind, display_type, item_signature,
    model_errors, type_declaration, written_check, written_parts,
};
use gsw_source::{Db, ItemId, ItemKind, Name, file_line_index};
use gsw_syntax::{item_ast, item_offset};

/// The names of errors, all those of models by their common one.
#[must_use]
pub fn error_names(db: &dyn Db, errors: &ErrorSet) -> Vec<Name> {
    let model = model_errors(db).kinds;
    let is_whole = model.is_subset(&errors.kinds);
    let kinds = errors.kinds.iter();
    let kinds = kinds.filter(|it| !is_whole || !model.contains(it));
    let mut names: Vec<Name> = kinds.map(|it| it.name.clone()).collect();
    if is_whole {
        names.push(Name::new_static(MODEL_ERROR));
    }
    if errors.open {
        names.push(Name::new_static("Error"));
    }
    names.sort_unstable();
    names
}

/// What calling a declaration raises.
#[must_use]
pub fn raises(db: &dyn Db, item: ItemId) -> Vec<Name> {
    error_names(db, &item_summary(db, item).item.errors)
}

/// What follows the name of a declaration: parameters with default values, result and errors, or the fields or variants.
#[must_use]
pub fn tail(db: &dyn Db, item: ItemId) -> String {
    match item.kind(db) {
        ItemKind::Function
        | ItemKind::Prompt
        | ItemKind::Workflow
        | ItemKind::Tool
        | ItemKind::Human
        | ItemKind::External => callable(db, item, 0),
        ItemKind::Const => {
            let ty = &item_signature(db, item).signature.result;
            format!(": {}", display_type(db, ty))
        }
        ItemKind::Record | ItemKind::Enum | ItemKind::Error | ItemKind::Alias => parts(db, item),
        ItemKind::Import
        | ItemKind::Agent
        | ItemKind::Mcp
        | ItemKind::Hook
        | ItemKind::Skill
        | ItemKind::Test
        | ItemKind::Permissions
        | ItemKind::Invalid => String::new(),
    }
}

/// `(path: string, width: int = 1) -> string ! IoError`, without the first `skipped` parameters.
#[must_use]
pub fn callable(db: &dyn Db, item: ItemId, skipped: usize) -> String {
    let signature = &item_signature(db, item).signature;
    let parameters = parameters(db, item, 0, &signature.parameters);
    let parameters = parameters.get(skipped..).unwrap_or_default().join(", ");
    let parameters = match signature.property {
        Presence::Present => String::new(),
        Presence::Absent => format!("({parameters})"),
    };
    let result = if signature.result == Type::Unit {
        String::new()
    } else {
        format!(" -> {}", display_type(db, &signature.result))
    };
    let raises = match raises(db, item).join(" | ") {
        names if names.is_empty() => String::new(),
        names => format!(" ! {names}"),
    };
    format!("{parameters}{result}{raises}")
}

/// How the library begins the names of fields that are no business of programs.
pub(crate) const HIDDEN: &str = "private_";

/// Fields or parameters as they are written, with their default values and what they check.
fn parameters(db: &dyn Db, item: ItemId, variant: usize, them: &[Parameter]) -> Vec<String> {
    let mut written = written_parts(db, item, variant).into_iter();
    let shown = them.iter().filter_map(|it| {
        let written = written.next().unwrap_or_default();
        match it.name.as_str() {
            "self" => Some("self".to_owned()),
            name if name.starts_with(HIDDEN) => None,
            name => {
                let ty = display_type(db, &it.ty);
                Some(format!("{name}: {ty}{written}"))
            }
        }
    });
    shown.collect()
}

/// The fields of a record or error, the variants of an enum, the target of an alias.
fn parts(db: &dyn Db, item: ItemId) -> String {
    let declaration = &type_declaration(db, item).declaration;
    let generics = match declaration.generics.is_empty() {
        true => String::new(),
        false => format!("<{}>", declaration.generics.join(", ")),
    };
    let in_parentheses = |parts: &[String]| match parts.is_empty() {
        true => String::new(),
        false => format!("({})", parts.join(", ")),
    };
    let body = match &declaration.kind {
        TypeDeclarationKind::Record(fields) if item.kind(db) == ItemKind::Error => {
            in_parentheses(&parameters(db, item, 0, fields))
        }
        TypeDeclarationKind::Record(fields) => match parameters(db, item, 0, fields).join(", ") {
            none if none.is_empty() => String::new(),
            fields => format!(" {{ {fields} }}"),
        },
        TypeDeclarationKind::Enum(variants) => {
            let variants = variants.iter().enumerate().map(|(index, it)| {
                let fields = parameters(db, item, index, &it.fields);
                format!("{}{}", it.name, in_parentheses(&fields))
            });
            format!(" {{ {} }}", variants.collect::<Vec<_>>().join(", "))
        }
        TypeDeclarationKind::Alias { target, .. } => {
            let target = display_type(db, target);
            match written_check(db, item) {
                Some(check) => format!(" = {target} where {check}"),
                None => format!(" = {target}"),
            }
        }
    };
    format!("{generics}{body}")
}

/// The documentation of a declaration: its text without the examples, and the examples.
#[must_use]
pub fn docs_and_examples(db: &dyn Db, item: ItemId) -> (String, Vec<String>) {
    let docs = item_ast(db, item).and_then(|it| it.docs.clone());
    let docs = docs.unwrap_or_default();
    let (mut text, mut examples) = (Vec::new(), Vec::new());
    let mut lines = docs.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            let inside = lines.by_ref().take_while(|it| !it.starts_with("```"));
            examples.push(inside.collect::<Vec<_>>().join("\n"));
        } else {
            text.push(line);
        }
    }
    (text.join("\n").trim().to_owned(), examples)
}

/// The line at which a declaration begins, from 1, its docs left out.
pub(crate) fn declared_line(db: &dyn Db, item: ItemId) -> u32 {
    let file = item.file(db);
    let text = file.text(db);
    let mut offset = item_offset(db, item);
    let rest = text.get(offset as usize..).unwrap_or_default();
    for line in rest.split_inclusive('\n') {
        let is_before = line.trim_start().starts_with("///") || line.trim_start().starts_with('@');
        if !is_before {
            break;
        }
        offset += line.len() as u32;
    }
    file_line_index(db, file).position(text, offset).line
}
