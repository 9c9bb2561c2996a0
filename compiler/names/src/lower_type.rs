//! From types as written to types: names resolved, aliases without a check expanded, literal unions in normal form.

mod union;

use std::sync::Arc;

use gsw_abi::types::ErrorClass;
use gsw_source::{
    Applicability, Code, Db, Diagnostic, File, ItemId, ItemKind, Name, Place, Span, Suggestion,
    nearest,
};
use gsw_syntax::ast;

use crate::alias::alias_target;
use crate::built_in::{CAPITALISED, SIMPLE, built_in_types};
use crate::declared_type::is_plain_enum;
use crate::error_class::{MODEL_ERROR, error_class, error_name, model_errors};
use crate::errors;
use crate::foreign;
use crate::generics::generics_of;
use crate::held::{is_too_large, was_reported};
use crate::import::{is_reported, with_import};
use crate::partial::partial;
use crate::scope::{
    Definition, is_private, member_names, module_scope, resolve_error, resolve_member,
    resolve_name, seems_declared, visible_names,
};
use crate::source_text::source_text;
use crate::substitute::substitute;
use crate::types::{Effect, EffectSet, ErrorSet, FunctionType, Latent, Type, parts};

/// The type that `ty`, written in `item` of `file` where `generics` are type parameters, stands for.
///
/// What is wrong goes to `sink` and becomes [`Type::Invalid`].
pub fn lower_type(
    db: &dyn Db,
    file: File,
    generics: &[Name],
    ty: &ast::TypeExpression,
    sink: &mut Vec<Diagnostic>,
    item: ItemId,
) -> Type {
    let mut lowering = Lowering {
        db,
        file,
        generics,
        sink,
        item,
    };
    let lowered = lowering.lower(ty);
    if is_too_large(&lowered) && was_reported(&lowered) {
        return Type::Invalid;
    }
    if is_too_large(&lowered) {
        let place = lowering.place(ty.span);
        return lowering.report(errors::type_too_large(place));
    }
    lowered
}

/// The set of errors that a `!` lists.
pub fn lower_throws(
    db: &dyn Db,
    file: File,
    listed: &[ast::TypeExpression],
    sink: &mut Vec<Diagnostic>,
    item: ItemId,
) -> ErrorSet {
    Lowering {
        db,
        file,
        generics: &[],
        sink,
        item,
    }
    .throws(listed)
}

struct Lowering<'a> {
    db: &'a dyn Db,
    file: File,
    generics: &'a [Name],
    sink: &'a mut Vec<Diagnostic>,
    item: ItemId,
}

impl Lowering<'_> {
    fn lower(&mut self, ty: &ast::TypeExpression) -> Type {
        match &ty.kind {
            ast::TypeExpressionKind::Named { path, arguments } => {
                self.named(path, arguments, ty.span)
            }
            ast::TypeExpressionKind::Optional(inside) => self.lower(inside).optional(),
            ast::TypeExpressionKind::List(inside) => self.lower(inside).list(),
            ast::TypeExpressionKind::Map { key, value } => self.map(key, value),
            ast::TypeExpressionKind::Unit => Type::Unit,
            ast::TypeExpressionKind::Tuple(them) => {
                Type::Tuple(them.iter().map(|it| self.lower(it)).collect())
            }
            ast::TypeExpressionKind::Literal(text) => Type::Literals(Arc::new([text.clone()])),
            ast::TypeExpressionKind::Union(members) => self.union(members),
            ast::TypeExpressionKind::Function(function) => self.function(function),
            ast::TypeExpressionKind::Invalid => Type::Invalid,
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) -> Type {
        self.sink.push(diagnostic);
        Type::Invalid
    }

    fn place(&self, span: Span) -> Place {
        Place::Item {
            item: self.item,
            span,
        }
    }

    fn named(
        &mut self,
        path: &[ast::Identifier],
        arguments: &[ast::TypeExpression],
        span: Span,
    ) -> Type {
        let first = self.sink.len();
        let lowered: Vec<Type> = arguments.iter().map(|it| self.lower(it)).collect();
        // What is wrong with an argument that is one too many goes with it: `Result<int, Failed>`.
        let told = self.sink.split_off(first);
        let reported = self.sink.len();
        let ty = self.applied(path, lowered, span);
        self.write_as_here(path, arguments, span);
        if !self.sink[reported..]
            .iter()
            .any(|it| it.code == Code::TYPE_ARGUMENT_COUNT)
        {
            self.sink.extend(told);
        }
        ty
    }

    /// Adds to the report of a type of another language how it is written here with its arguments.
    fn write_as_here(
        &mut self,
        path: &[ast::Identifier],
        arguments: &[ast::TypeExpression],
        span: Span,
    ) {
        let ([name], Some(report)) = (path, self.sink.last()) else {
            return;
        };
        if report.code != Code::UNKNOWN_TYPE || report.place != self.place(name.span) {
            return;
        }
        let text = |it: &ast::TypeExpression| source_text(self.db, self.item, it.span);
        let arguments: Vec<Name> = arguments.iter().map(text).collect();
        let whole = self.place(span);
        if let Some(text) = foreign::applied_type(&name.name, &arguments)
            && let Some(report) = self.sink.pop()
        {
            let title = format!("write `{text}`");
            self.sink.push(report.fix(title, whole, text));
        }
    }

    /// The type of a name with these arguments.
    fn applied(&mut self, path: &[ast::Identifier], lowered: Vec<Type>, span: Span) -> Type {
        let [name] = path else {
            return self.qualified(path, lowered, span);
        };
        let text = name.name.as_str();
        if let Some(index) = self.generics.iter().position(|it| it == text) {
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            return self.with_arity(text, 0, lowered, span, |_| {
                Type::Parameter(index, name.name.clone())
            });
        }
        if let Some((_, simple)) = SIMPLE.iter().find(|(it, _)| *it == text) {
            return self.with_arity(text, 0, lowered, span, |_| simple.clone());
        }
        let scope = module_scope(self.db, self.file);
        let is_own = scope.items.contains_key(text) || scope.imports.contains_key(text);
        if let Some((_, arity)) = CAPITALISED.iter().find(|(it, _)| !is_own && *it == text) {
            let db = self.db;
            return self.with_arity(text, *arity, lowered, span, |it| capitalised(db, text, it));
        }
        match resolve_name(self.db, self.file, text) {
            Some(definition) => self.defined(definition, text, lowered, span),
            None if is_reported(self.db, self.file, text) => Type::Invalid,
            None => {
                let place = self.place(name.span);
                let report = errors::unknown_type(place, text, None);
                if let Some(report) = with_import(self.db, self.file, text, &report) {
                    return self.report(report);
                }
                let shape = foreign::type_shape(text);
                let suggestion = match shape {
                    Some(_) => None,
                    None => self.suggestion(text),
                };
                let report = errors::unknown_type(place, text, suggestion.as_ref());
                if is_letter(text) && suggestion.is_none() {
                    let is_told = self.sink.iter().any(|it| it.message == report.message);
                    return match is_told {
                        true => Type::Invalid,
                        false => self.report(errors::undeclared_parameter(report)),
                    };
                }
                self.report(match shape {
                    Some(shape) => errors::written_as(report, shape),
                    None => report,
                })
            }
        }
    }

    fn suggestion(&self, text: &str) -> Option<Suggestion> {
        let mut candidates: Vec<Name> = self.generics.to_vec();
        candidates.extend(built_in_types().map(|(name, _)| Name::new_static(name)));
        let is_type = |it: &Name| {
            let found = resolve_name(self.db, self.file, it);
            matches!(found, Some(Definition::Item(item)) if item.kind(self.db).is_type())
        };
        candidates.extend(
            visible_names(self.db, self.file)
                .into_iter()
                .filter(is_type),
        );
        match foreign::type_name(text) {
            Some(ours) => Some(ours),
            None => nearest(text, &candidates),
        }
    }

    fn qualified(&mut self, path: &[ast::Identifier], arguments: Vec<Type>, span: Span) -> Type {
        let [module, name] = path else {
            let place = self.place(span);
            return self.report(errors::unknown_type(place, &path_text(path), None));
        };
        let Some(Definition::Module(target)) = resolve_name(self.db, self.file, &module.name)
        else {
            if is_reported(self.db, self.file, &module.name) {
                return Type::Invalid;
            }
            let place = self.place(module.span);
            return self.report(errors::unknown_module_name(place, &module.name));
        };
        match resolve_member(self.db, target, &name.name, self.file) {
            Some(definition) => self.defined(definition, &name.name, arguments, span),
            None if seems_declared(self.db, target, &name.name) => Type::Invalid,
            None => {
                let hidden = module_scope(self.db, target).items.get(&name.name);
                let is_hidden = hidden.is_some_and(|it| is_private(self.db, *it));
                let place = self.place(name.span);
                let suggestion = nearest(&name.name, &member_names(self.db, target));
                self.report(if is_hidden {
                    errors::private_name(place, &name.name, &module.name)
                } else {
                    errors::unknown_member(place, &name.name, &module.name, suggestion.as_ref())
                })
            }
        }
    }

    fn defined(
        &mut self,
        definition: Definition,
        name: &str,
        arguments: Vec<Type>,
        span: Span,
    ) -> Type {
        let item = match definition {
            Definition::Item(item) if item.kind(self.db).is_type() => item,
            Definition::Variant { item, .. } => {
                let place = self.place(span);
                return self.report(errors::variant_as_type(place, name, item.name(self.db)));
            }
            Definition::Item(item) if item.kind(self.db) == ItemKind::Error => {
                let place = self.place(span);
                return self.report(errors::error_as_type(place, name));
            }
            Definition::Item(_) | Definition::Module(_) => {
                let place = self.place(span);
                return self.report(errors::not_a_type(place, name));
            }
        };
        let arity = generics_of(self.db, item).len();
        let db = self.db;
        let ty = self.with_arity(name, arity, arguments, span, |them| match item.kind(db) {
            ItemKind::Record => Type::Record(item, them.into()),
            ItemKind::Enum => Type::Enum(item, them.into()),
            ItemKind::Import
            | ItemKind::Function
            | ItemKind::Alias
            | ItemKind::Error
            | ItemKind::Const
            | ItemKind::Agent
            | ItemKind::Prompt
            | ItemKind::Workflow
            | ItemKind::Tool
            | ItemKind::Mcp
            | ItemKind::Hook
            | ItemKind::Human
            | ItemKind::External
            | ItemKind::Skill
            | ItemKind::Test
            | ItemKind::Permissions
            | ItemKind::Invalid => expand_alias(db, item, them),
        });
        // Of a declaration of its own it is known what it asks of its arguments; what an alias stands for is all that is left of
        // it. What is too large is not walked to its end, and is reported where it is.
        let is_expanded = arity > 0 && item.kind(db) == ItemKind::Alias && !is_too_large(&ty);
        match is_expanded.then(|| impossible_key(db, &ty)).flatten() {
            Some(key) => {
                let text = crate::display::display_type(db, &key);
                let place = self.place(span);
                self.report(errors::map_key_type(place, &text))
            }
            None => ty,
        }
    }

    /// The type that `make` gives for the arguments, or a report when their number is wrong.
    fn with_arity(
        &mut self,
        name: &str,
        arity: usize,
        arguments: Vec<Type>,
        span: Span,
        make: impl FnOnce(Vec<Type>) -> Type,
    ) -> Type {
        if arguments.len() == arity {
            return make(arguments);
        }
        let place = self.place(span);
        self.report(errors::type_argument_count(
            place,
            name,
            arity,
            arguments.len(),
        ))
    }

    fn map(&mut self, key: &ast::TypeExpression, value: &ast::TypeExpression) -> Type {
        if let Some((name, span)) = self.field_of_record(key) {
            let place = self.place(span);
            let report = errors::unknown_type(place, &name, None);
            return self.report(errors::record_instead(report, &name));
        }
        let lowered = self.lower(key);
        let value = self.lower(value);
        if is_key(self.db, &lowered) {
            return Type::Map(Arc::new(lowered), Arc::new(value));
        }
        let place = self.place(key.span);
        let text = crate::display::display_type(self.db, &lowered);
        self.report(errors::map_key_type(place, &text))
    }

    /// The name where the type of a map's keys should be, when it is one that no type has.
    fn field_of_record(&self, key: &ast::TypeExpression) -> Option<(Name, Span)> {
        let name = plain_name(key)?;
        let is_certain = |it: Suggestion| it.applicability == Applicability::Certain;
        let is_known = SIMPLE.iter().any(|(it, _)| *it == name.name)
            || foreign::type_name(&name.name).is_some_and(is_certain)
            || foreign::type_shape(&name.name).is_some()
            || resolve_name(self.db, self.file, &name.name).is_some();
        let is_field = name.name.starts_with(|it: char| it.is_lowercase());
        (is_field && !is_known).then(|| (name.name.clone(), name.span))
    }

    fn function(&mut self, function: &ast::FunctionType) -> Type {
        let parameters = function
            .parameters
            .iter()
            .map(|it| self.lower(it))
            .collect();
        let result = function
            .result
            .as_ref()
            .map_or(Type::Unit, |it| self.lower(it));
        let throws = function.throws.as_ref().map(|listed| self.throws(listed));
        let uses = function.uses.as_ref().map(|names| self.effects(names));
        // A type that lists only the errors says nothing about effects, so any are allowed, and the other way round.
        let any = ErrorSet {
            open: true,
            ..ErrorSet::default()
        };
        let latent = match (throws, uses) {
            (None, None) => None,
            (errors, effects) => Some(Latent {
                errors: errors.unwrap_or(any),
                effects: effects.unwrap_or(EffectSet::ALL),
            }),
        };
        Type::Function(Arc::new(FunctionType {
            parameters,
            result,
            latent,
        }))
    }

    fn effects(&mut self, names: &[ast::Identifier]) -> EffectSet {
        let mut set = EffectSet::default();
        for name in names {
            match Effect::named(&name.name) {
                Some(effect) => set = set.with(effect),
                None => {
                    let place = self.place(name.span);
                    self.report(errors::unknown_effect(place, &name.name));
                }
            }
        }
        set
    }

    fn throws(&mut self, listed: &[ast::TypeExpression]) -> ErrorSet {
        let mut set = ErrorSet::default();
        for entry in listed {
            match &entry.kind {
                ast::TypeExpressionKind::Named { path, .. } => {
                    self.thrown(path, entry.span, &mut set)
                }
                ast::TypeExpressionKind::Union(members) => set.extend(&self.throws(members)),
                ast::TypeExpressionKind::Invalid => set.open = true,
                ast::TypeExpressionKind::Optional(_)
                | ast::TypeExpressionKind::List(_)
                | ast::TypeExpressionKind::Map { .. }
                | ast::TypeExpressionKind::Unit
                | ast::TypeExpressionKind::Tuple(_)
                | ast::TypeExpressionKind::Literal(_)
                | ast::TypeExpressionKind::Function(_) => {
                    let place = self.place(entry.span);
                    self.report(errors::not_an_error(place, "this type"));
                }
            }
        }
        set
    }

    fn thrown(&mut self, path: &[ast::Identifier], span: Span, set: &mut ErrorSet) {
        let place = self.place(span);
        let found = match path {
            [name] => resolve_error(self.db, self.file, &name.name),
            [module, name] => match resolve_name(self.db, self.file, &module.name) {
                Some(Definition::Module(file)) => {
                    resolve_member(self.db, file, &name.name, self.file)
                }
                Some(Definition::Item(_) | Definition::Variant { .. }) | None => None,
            },
            _ => None,
        };
        let text = path_text(path);
        match found {
            Some(Definition::Item(item)) if item.kind(self.db) == ItemKind::Error => {
                if error_class(self.db, item) == ErrorClass::Fault {
                    self.report(errors::fault_in_signature(place, &text));
                } else {
                    set.kinds.insert(error_name(self.db, item));
                }
            }
            _ if text == MODEL_ERROR => set.extend(&model_errors(self.db)),
            _ if text == "Error" => set.open = true,
            Some(_) => {
                set.open = true;
                self.report(errors::not_an_error(place, &format!("`{text}`")));
            }
            None if is_reported(self.db, self.file, &text) => set.open = true,
            None => {
                set.open = true;
                let suggestion = crate::scope::suggest(self.db, self.file, &text, &[]);
                self.report(errors::unknown_error(place, &text, suggestion.as_ref()));
            }
        }
    }
}

/// Whether a word in the place of a field's name is most likely meant as its type. `time` and `image` make good names.
pub fn is_type_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_uppercase())
        || matches!(name, "bool" | "int" | "float" | "string")
}

/// The type of the language that has this name, which begins with a small letter.
#[must_use]
pub fn simple_type(name: &str) -> Option<Type> {
    let found = SIMPLE.iter().find(|it| it.0 == name);
    found.map(|it| it.1.clone())
}

/// The name that a type consists of.
fn plain_name(ty: &ast::TypeExpression) -> Option<&ast::Identifier> {
    let ast::TypeExpressionKind::Named { path, arguments } = &ty.kind else {
        return None;
    };
    match (&path[..], &arguments[..]) {
        ([name], []) => Some(name),
        _ => None,
    }
}

/// The type of keys, in a type, whose values cannot be keys.
fn impossible_key(db: &dyn Db, ty: &Type) -> Option<Type> {
    if let Type::Map(key, _) = ty
        && !is_key(db, key)
    {
        return Some((**key).clone());
    }
    parts(ty).iter().find_map(|it| impossible_key(db, it))
}

/// Whether values of this type may be keys of a map.
pub fn is_key(db: &dyn Db, ty: &Type) -> bool {
    match ty {
        Type::String | Type::Int | Type::Literals(_) | Type::Parameter(..) | Type::Invalid => true,
        Type::Variable(_) => true,
        Type::Enum(item, _) => is_plain_enum(db, *item),
        Type::Checked(item, arguments) => {
            is_key(db, &substitute(&alias_target(db, *item), arguments))
        }
        Type::Unit
        | Type::Bool
        | Type::Float
        | Type::Bytes
        | Type::Time
        | Type::Duration
        | Type::Json
        | Type::Secret
        | Type::Image
        | Type::Document
        | Type::Session
        | Type::Error
        | Type::Agent
        | Type::Never
        | Type::Optional(_)
        | Type::List(_)
        | Type::Map(..)
        | Type::Tuple(_)
        | Type::Record(..)
        | Type::Function(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Partial(_)
        | Type::Text(_) => false,
    }
}

fn capitalised(db: &dyn Db, name: &str, mut arguments: Vec<Type>) -> Type {
    let inside = Arc::new(arguments.pop().unwrap_or(Type::Invalid));
    match name {
        "Error" => Type::Error,
        "Agent" => Type::Agent,
        "Session" => Type::Session,
        "Task" => Type::Task(inside),
        "Stream" => Type::Stream(inside),
        "Queue" => Type::Queue(inside),
        _ => partial(db, Arc::unwrap_or_clone(inside)),
    }
}

fn expand_alias(db: &dyn Db, item: ItemId, arguments: Vec<Type>) -> Type {
    if crate::alias::has_check(db, item) {
        return Type::Checked(item, arguments.into());
    }
    substitute(&alias_target(db, item), &arguments)
}

fn path_text(path: &[ast::Identifier]) -> String {
    let names: Vec<&str> = path.iter().map(|it| it.name.as_str()).collect();
    names.join(".")
}

/// Whether a name is that of a type parameter by its form: `T`.
fn is_letter(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|it| it.is_ascii_uppercase()) && letters.next().is_none()
}
