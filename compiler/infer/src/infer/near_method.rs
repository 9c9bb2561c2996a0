//! What a method or field that a value does not have may be instead: a function, a form of a call, a method of what is inside.

use gsw_names::types::Type;
use gsw_names::{Definition, method, substitute};
use gsw_source::{Diagnostic, ItemId, ItemKind, Span};
use gsw_syntax::ast;

use crate::errors::{calls, elsewhere, habits, records};
use crate::infer::hir_builder::HirBuilder;
use crate::infer::lookup;
use crate::infer::narrowing;

/// Whether a text is the name of an `fn`.
fn is_function_name(hir: &HirBuilder, text: &str) -> bool {
    let found = gsw_names::resolve_callable(hir.db, hir.item.file(hir.db), text);
    matches!(found, Some(Definition::Item(item)) if item.kind(hir.db) == ItemKind::Function)
}

/// What is meant by a method of a function, whose text is `receiver`.
pub(super) fn of_function(hir: &HirBuilder, report: Diagnostic, receiver: &str) -> Diagnostic {
    match gsw_names::library_module(hir.db, hir.item.file(hir.db), receiver) {
        // A function of the prelude has the name of a module, as `random` has.
        Some(start) => gsw_names::errors::import_module(report, receiver, start),
        None if is_function_name(hir, receiver) => habits::is_called(report, receiver),
        None => calls::of_function(report),
    }
}

/// Reports a method of what is inside of an optional that a condition tests; whether it is one.
pub(super) fn is_tested(
    hir: &mut HirBuilder,
    ty: &Type,
    name: &ast::Identifier,
    whole: Span,
) -> bool {
    let Type::Optional(inner) = hir.table.zonk(ty) else {
        return false;
    };
    let receiver = Span::new(whole.start, name.span.start.saturating_sub(1));
    let value = narrowing::tested(hir, receiver);
    let Some(value) = value.filter(|_| method(hir.db, &inner, &name.name).is_some()) else {
        return false;
    };
    if hir.findings.tell_tested(value.clone()) {
        let (place, text) = (hir.place(name.span), hir.show(ty));
        let report = calls::unknown_method(place, &name.name, &text, None);
        hir.report(habits::comparison_narrows_nothing(report, &value));
    }
    true
}

/// Whether the file declares a function of this name with a `self` of no type, which was reported there.
fn is_misdeclared(hir: &HirBuilder, name: &str) -> bool {
    let items = gsw_syntax::file_item_ids(hir.db, hir.item.file(hir.db)).iter();
    let mut named = items.copied().filter(|it| {
        let is_function = it.kind(hir.db) == ItemKind::Function;
        is_function && it.name(hir.db).rsplit('.').next() == Some(name)
    });
    named.any(|it| {
        let first = lookup::signature(hir.db, it).parameters.first();
        first.is_some_and(|it| it.name == "self" && it.ty == Type::Invalid)
    })
}

/// Reports a method that is a function in scope; whether it is one.
pub(super) fn is_function(
    hir: &mut HirBuilder,
    ty: &Type,
    name: &ast::Identifier,
    whole: Span,
) -> bool {
    if is_misdeclared(hir, &name.name) {
        return true;
    }
    let zonked = hir.table.zonk(ty);
    let plain = hir.table.unchecked(&zonked);
    if function_taking(hir, &zonked, name).is_none() {
        return false;
    }
    let text = hir.show(ty);
    let receiver = receiver_text(hir, name, whole);
    let arguments = Span::new(name.span.end, whole.end);
    let instead = function_call(hir, &name.name, &receiver, arguments);
    let is_own = matches!(plain, Type::Record(..) | Type::Enum(..));
    let owner = is_own.then_some(text.as_str());
    let report = calls::unknown_method(hir.place(name.span), &name.name, &text, None);
    let of = (name.name.as_str(), owner);
    let report = elsewhere::function_of_receiver(report, of, hir.place(whole), instead);
    hir.report(report);
    true
}

/// What is written for a field of an enum.
pub(super) fn field_of_enum(
    hir: &HirBuilder,
    report: Diagnostic,
    item: ItemId,
    name: &str,
) -> Diagnostic {
    match lookup::is_plain_enum(hir.db, item) {
        true => records::plain_enum(report, item.name(hir.db)),
        false => records::field_of_variant(report, name),
    }
}

/// The function in scope of a method's name whose first parameter takes the receiver.
fn function_taking(hir: &mut HirBuilder, ty: &Type, name: &ast::Identifier) -> Option<ItemId> {
    let found = gsw_names::resolve_callable(hir.db, hir.item.file(hir.db), &name.name);
    let item = match found {
        Some(Definition::Item(item)) => item,
        Some(Definition::Module(_) | Definition::Variant { .. }) | None => return None,
    };
    let signature = lookup::signature(hir.db, item);
    let first = signature.parameters.first()?.ty.clone();
    let is_generic = matches!(first, Type::Parameter(..));
    let arguments = hir.fresh_arguments(signature.generics.len());
    let wanted = substitute(&first, &arguments);
    // In its own body the name is rather that of what it is made of.
    let is_other = item != hir.item;
    let is_taken = is_other && !is_generic && hir.table.relate(ty, &wanted).is_some();
    is_taken.then_some(item)
}

/// The call of a function with a receiver before what is given to a method.
fn function_call(hir: &HirBuilder, name: &str, receiver: &str, arguments: Span) -> String {
    let written = gsw_names::source_text(hir.db, hir.item, arguments);
    let inside = written.trim().trim_start_matches('(').trim_start();
    match inside.starts_with(')') {
        true => format!("{name}({receiver}{inside}"),
        false => format!("{name}({receiver}, {inside}"),
    }
}

/// The text before the dot of a call of a method.
pub(super) fn receiver_text(hir: &HirBuilder, name: &ast::Identifier, whole: Span) -> String {
    let span = Span::new(whole.start, name.span.start.saturating_sub(1));
    gsw_names::source_text(hir.db, hir.item, span).into()
}

/// Whether a method is asked of the value of a prompt that is a form of its call.
pub(super) fn is_form_of_call(name: &str, receiver: &str) -> bool {
    matches!(name, "stream" | "detail") && receiver.ends_with(')')
}

/// Whether what a list holds has a method of this name.
pub(super) fn is_of_elements(hir: &HirBuilder, ty: &Type, name: &ast::Identifier) -> bool {
    let Type::List(inner) = ty else {
        return false;
    };
    **inner != Type::Invalid && method(hir.db, inner, &name.name).is_some()
}

/// Whether lists have a method of this name, and texts have none.
pub(super) fn is_of_lists(hir: &HirBuilder, name: &str) -> bool {
    method(hir.db, &Type::Json.list(), name).is_some()
        && method(hir.db, &Type::String, name).is_none()
}

/// Whether a field is asked of what a prompt gives that its answer with details has.
pub(super) fn is_of_detail(hir: &HirBuilder, base: Span, name: &str) -> bool {
    let written = gsw_names::source_text(hir.db, hir.item, base);
    let callee = written.split('(').next().unwrap_or_default();
    let found = gsw_names::resolve_callable(hir.db, hir.item.file(hir.db), callee);
    let is_prompt =
        matches!(found, Some(Definition::Item(item)) if item.kind(hir.db) == ItemKind::Prompt);
    is_prompt
        && matches!(
            name,
            "usage" | "tokens" | "cost" | "model" | "text" | "content" | "value"
        )
}
