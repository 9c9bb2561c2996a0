//! The style of declared names, and names declared twice.

use std::collections::hash_map::Entry;

use gsw_abi::builtin::BuiltinError;
use gsw_source::{Db, Diagnostic, File, ItemId, Name, Place, Span};
use gsw_syntax::ast::{self, Identifier, ItemBody, TypeExpressionKind};
use gsw_syntax::{TokenKind, file_item_ids};
use rustc_hash::FxHashMap;

use crate::errors;
use crate::import::imports;
use crate::lower_type::is_type_name;
use crate::module::is_std;
use crate::scope::{import_name, is_importable, resolve_name};
use crate::tree::{declared_name, item_head};

/// What is wrong with the names that `file` declares.
pub fn name_diagnostics(db: &dyn Db, file: File) -> Vec<Diagnostic> {
    let mut found = repeats(db, file);
    for item in file_item_ids(db, file).iter().copied() {
        let Some(ast) = item_head(db, item) else {
            continue;
        };
        let parts = parts(&ast.body);
        let own = declared_name(&ast);
        let is_free = |name: &Identifier, style, better: &str| {
            // Fields and parameters hide what the file declares, or are after a dot.
            let is_of_file =
                own.is_some_and(|it| it.span == name.span) || style != NamingStyle::Snake;
            !parts.iter().any(|it| it.name.name == better)
                && TokenKind::keyword(better).is_none()
                && !(is_of_file && resolve_name(db, file, better).is_some())
        };
        let own = own.map(|it| (it, style_of(&ast.body)));
        let others = parts.iter().filter_map(|it| Some((it.name, it.style?)));
        for (name, style) in own.into_iter().chain(others) {
            found.extend(check_name(item, name, style, &is_free));
        }
        found.extend(hidden_error(db, item, &ast));
    }
    found
}

/// An error by whose name a built-in one cannot be caught any more.
fn hidden_error(db: &dyn Db, item: ItemId, ast: &ast::Item) -> Option<Diagnostic> {
    let name = declared_name(ast)?;
    let is_error = matches!(ast.body, ItemBody::Error(_));
    let is_built_in = BuiltinError::named(&name.name).is_some() && !is_std(db, item.file(db));
    (is_error && is_built_in).then(|| {
        let place = Place::Item {
            item,
            span: name.span,
        };
        errors::hides_error(place, &name.name)
    })
}

/// How a name is to be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NamingStyle {
    Snake,
    Pascal,
    Upper,
}

impl NamingStyle {
    /// Its name, written in itself.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Snake => "snake_case",
            Self::Pascal => "PascalCase",
            Self::Upper => "UPPER_SNAKE",
        }
    }

    fn admits(self, name: &str) -> bool {
        match self {
            Self::Snake => !name.chars().any(char::is_uppercase),
            Self::Pascal => is_capitalised(name) && !name.contains('_'),
            Self::Upper => is_capitalised(name) && !name.chars().any(char::is_lowercase),
        }
    }

    fn apply(self, name: &str) -> String {
        let words = words(name);
        match self {
            Self::Snake => words.join("_").to_lowercase(),
            Self::Upper => words.join("_").to_uppercase(),
            Self::Pascal => words.iter().map(|word| capitalise(word)).collect(),
        }
    }
}

/// Whether a name can become another one, which nothing else has.
type IsFree<'a> = dyn Fn(&Identifier, NamingStyle, &str) -> bool + 'a;

/// A name that a declaration has besides its own, and the style that it is to have.
struct Part<'a> {
    name: &'a Identifier,
    /// `None` for a lone type in a payload, which is reported as such and not as a name in the wrong style.
    style: Option<NamingStyle>,
}

/// The names beside each other in a declaration; none of them can become another.
fn parts(body: &ItemBody) -> Vec<Part<'_>> {
    match body {
        ItemBody::Record(it) => {
            // What is read as a field without a type is reported as such.
            let fields = it.fields.iter();
            let fields = fields.filter(|it| it.ty.kind != TypeExpressionKind::Invalid);
            fields
                .map(|it| part(&it.name, NamingStyle::Snake))
                .collect()
        }
        ItemBody::Error(it) => payload(&it.fields).collect(),
        ItemBody::Enum(it) => {
            let variants = it.variants.iter();
            variants
                .flat_map(|it| {
                    let own = part(&it.name, NamingStyle::Pascal);
                    std::iter::once(own).chain(payload(&it.fields))
                })
                .collect()
        }
        ItemBody::Function(_)
        | ItemBody::Prompt { .. }
        | ItemBody::Workflow { .. }
        | ItemBody::Tool { .. }
        | ItemBody::Human { .. }
        | ItemBody::External { .. } => {
            let signature = body.signature().into_iter();
            signature.flat_map(head).collect()
        }
        ItemBody::Import(_)
        | ItemBody::Alias { .. }
        | ItemBody::Const(_)
        | ItemBody::Agent { .. }
        | ItemBody::Mcp { .. }
        | ItemBody::Hook { .. }
        | ItemBody::Skill { .. }
        | ItemBody::Test { .. }
        | ItemBody::Permissions { .. }
        | ItemBody::Invalid => Vec::new(),
    }
}

const fn part(name: &Identifier, style: NamingStyle) -> Part<'_> {
    Part {
        name,
        style: Some(style),
    }
}

fn payload(fields: &[ast::Parameter]) -> impl Iterator<Item = Part<'_>> {
    fields.iter().map(|it| {
        let is_name = it.ty.is_some() || !is_type_name(&it.name.name);
        Part {
            name: &it.name,
            style: is_name.then_some(NamingStyle::Snake),
        }
    })
}

fn head(signature: &ast::Signature) -> impl Iterator<Item = Part<'_>> {
    let generics = signature.generics.iter();
    let generics = generics.map(|it| part(it, NamingStyle::Pascal));
    let parameters = signature.parameters.iter().map(|it| &it.name);
    generics.chain(parameters.map(|it| part(it, NamingStyle::Snake)))
}

/// The style of the name of a declaration.
const fn style_of(body: &ItemBody) -> NamingStyle {
    match body {
        ItemBody::Record(_) | ItemBody::Alias { .. } | ItemBody::Enum(_) | ItemBody::Error(_) => {
            NamingStyle::Pascal
        }
        ItemBody::Const(_) => NamingStyle::Upper,
        ItemBody::Import(_)
        | ItemBody::Function(_)
        | ItemBody::Agent { .. }
        | ItemBody::Prompt { .. }
        | ItemBody::Workflow { .. }
        | ItemBody::Tool { .. }
        | ItemBody::Mcp { .. }
        | ItemBody::Hook { .. }
        | ItemBody::Human { .. }
        | ItemBody::External { .. }
        | ItemBody::Skill { .. }
        | ItemBody::Test { .. }
        | ItemBody::Permissions { .. }
        | ItemBody::Invalid => NamingStyle::Snake,
    }
}

/// A local whose name is unusual. Its first letter is small, else it would be no local.
pub fn local_name(item: ItemId, name: &str, span: Span) -> Option<Diagnostic> {
    if is_capitalised(name) || NamingStyle::Snake.admits(name) {
        return None;
    }
    let place = Place::Item { item, span };
    let better = NamingStyle::Snake.apply(name);
    Some(errors::unusual_local(place, name, &better))
}

/// The case of the first letter decides how a name is looked up, so it is an error; the rest is a warning.
fn check_name(
    item: ItemId,
    name: &Identifier,
    style: NamingStyle,
    is_free: &IsFree<'_>,
) -> Option<Diagnostic> {
    if name.name.is_empty() || style.admits(&name.name) {
        return None;
    }
    let place = Place::Item {
        item,
        span: name.span,
    };
    let better = style.apply(&name.name);
    let better = Some(better.as_str()).filter(|it| is_free(name, style, it));
    if is_capitalised(&name.name) == (style == NamingStyle::Snake) {
        return Some(errors::wrong_case(place, &name.name, style.name(), better));
    }
    Some(errors::unusual_name(
        place,
        &name.name,
        style.name(),
        better,
    ))
}

fn repeats(db: &dyn Db, file: File) -> Vec<Diagnostic> {
    let mut seen: FxHashMap<Name, Place> = FxHashMap::default();
    let mut found = Vec::new();
    let mut add = |name: &Name, place: Place| match seen.entry(name.clone()) {
        Entry::Occupied(first) => found.push(errors::duplicate_definition(
            place,
            *first.get(),
            "the name",
            name,
        )),
        Entry::Vacant(free) => {
            free.insert(place);
        }
    };
    for (item, import) in imports(db, file) {
        for imported in import.names.iter().flatten() {
            let local = imported.alias.as_ref().unwrap_or(&imported.name);
            add(
                &local.name,
                Place::Item {
                    item,
                    span: local.span,
                },
            );
        }
        if import.names.is_none() {
            add(
                &import_name(&import),
                Place::Item {
                    item,
                    span: import.path_span,
                },
            );
        }
    }
    for item in file_item_ids(db, file)
        .iter()
        .copied()
        .filter(|it| is_importable(db, *it))
    {
        let tree = item_head(db, item);
        if let Some(name) = tree.as_deref().and_then(declared_name) {
            add(
                item.name(db),
                Place::Item {
                    item,
                    span: name.span,
                },
            );
        }
    }
    found.extend(repeated_tests(db, file));
    found
}

/// Tests with one name, which would share what is kept of them.
fn repeated_tests(db: &dyn Db, file: File) -> Vec<Diagnostic> {
    let mut seen: FxHashMap<Name, Place> = FxHashMap::default();
    let mut found = Vec::new();
    for item in file_item_ids(db, file).iter().copied() {
        let Some(head) = item_head(db, item) else {
            continue;
        };
        let ItemBody::Test {
            name, name_span, ..
        } = &head.body
        else {
            continue;
        };
        let place = Place::Item {
            item,
            span: *name_span,
        };
        match seen.entry(name.clone()) {
            Entry::Occupied(first) => {
                found.push(errors::repeated_test(place, *first.get(), name));
            }
            Entry::Vacant(free) => {
                free.insert(place);
            }
        }
    }
    found
}

fn is_capitalised(name: &str) -> bool {
    let first = name.trim_start_matches('_').chars().next();
    first.is_some_and(char::is_uppercase)
}

/// Cuts at underscores and before a capital that follows a small letter.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for letter in name.chars() {
        if letter == '_' || (was_small && letter.is_uppercase()) {
            words.push(String::new());
        }
        if letter != '_' {
            words
                .last_mut()
                .expect("words starts with one word")
                .push(letter);
        }
        was_small = letter.is_lowercase() || letter.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
}

fn capitalise(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|it| it.to_uppercase().to_string());
    first.unwrap_or_default() + &letters.as_str().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::NamingStyle;

    #[test]
    fn names_are_put_into_style() {
        assert_eq!(NamingStyle::Snake.apply("findBugs"), "find_bugs");
        assert_eq!(NamingStyle::Pascal.apply("bug_report"), "BugReport");
        assert_eq!(NamingStyle::Upper.apply("maxFiles"), "MAX_FILES");
    }

    #[test]
    fn one_letter_type_parameters_are_fine() {
        assert!(NamingStyle::Pascal.admits("T"));
        assert!(NamingStyle::Upper.admits("PI"));
        assert!(NamingStyle::Snake.admits("_x2"));
    }
}
