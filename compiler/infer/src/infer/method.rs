//! What follows the dot of a value: fields, methods, and `?.`.

use gsw_names::errors::Kind;
use gsw_names::types::Type;
use gsw_names::{
    Definition, KnownItem, Parameter, Presence, foreign, implicit_module, is_private, method,
    method_names, partial_field, resolve_member, shown_module, substitute,
};
use gsw_source::{Diagnostic, ItemId, Name, Place, Span, Suggestion, meant};
use gsw_syntax::ast;

use crate::errors::{calls, elsewhere, habits, records, values};
use crate::hir::{Coercion, ExpressionId, ExpressionKind};
use crate::infer::argument::{self, Call};
use crate::infer::call;
use crate::infer::collection;
use crate::infer::context::Context;
use crate::infer::expected::Expected;
use crate::infer::hir_builder::HirBuilder;
use crate::infer::lookup;
use crate::infer::name;
use crate::infer::names::reference;
use crate::infer::narrowing;
use crate::infer::near_method;
use crate::infer::record;
use crate::infer::unify::Relation;

pub(super) fn infer_field(
    cx: &mut Context,
    base: &ast::Expression,
    name: &ast::Identifier,
    span: Span,
    hint: Option<&Type>,
) -> ExpressionId {
    // Declarations before values: a module is no value, and a local of its name has been excluded by `path`.
    let scope = cx.names().path(base);
    if let Some(Definition::Module(module)) = scope {
        return match cx.names().member(module, name) {
            Some(found) => name::definition_value(&mut cx.hir, found, &name.name, span, hint),
            None => cx.hir.invalid(span),
        };
    }
    if let Some(Definition::Item(item)) = scope
        && let Some(item) = lookup::enum_of(cx.db, item)
    {
        let Some(variant) = lookup::variant_named(cx.db, item, &name.name) else {
            cx.names().unknown_variant(item, name);
            return cx.hir.invalid(span);
        };
        let definition = Definition::Variant { item, variant };
        cx.hir.refer(name.span, reference(definition));
        return name::variant_value(&mut cx.hir, item, variant, span, hint);
    }
    if let Some(report) = method_as_value(cx, scope, base, name, span) {
        cx.hir.report(report);
        return cx.hir.invalid(span);
    }
    let base = cx.expression(base, &Expected::Anything);
    value_field(&mut cx.hir, base, name, span)
}

/// A report of a method after the name of its type, which is no value: `xs.map(string.upper)`.
fn method_as_value(
    cx: &Context,
    scope: Option<Definition>,
    base: &ast::Expression,
    name: &ast::Identifier,
    span: Span,
) -> Option<Diagnostic> {
    let ast::ExpressionKind::Name(owner) = &base.kind else {
        return None;
    };
    let item = match scope {
        Some(Definition::Item(item)) => {
            let scope = gsw_names::module_scope(cx.db, item.file(cx.db));
            let method = format!("{}.{}", item.name(cx.db), name.name);
            scope.items.get(method.as_str()).copied()
        }
        Some(Definition::Variant { .. } | Definition::Module(_)) => None,
        None => {
            let is_unknown = cx.scopes.find(owner).is_none()
                && gsw_names::resolve_name(cx.db, cx.file, owner).is_none();
            let ty = gsw_names::simple_type(owner).filter(|_| is_unknown);
            ty.and_then(|ty| method(cx.db, &ty, &name.name))
        }
    };
    let lambda = lambda_of(cx, item?, &format!("{owner}.{}", name.name), &name.name);
    let place = cx.hir.place(span);
    let what = format!("the method `{owner}.{}`", name.name);
    let report = records::not_a_value(place, &what);
    Some(habits::method_as_value(report, place, &lambda))
}

/// A lambda that calls a method with all that it needs: one without `self` by `path`.
fn lambda_of(cx: &Context, item: ItemId, path: &str, name: &str) -> String {
    let parameters = &lookup::signature(cx.db, item).parameters;
    let needed = |it: &&Parameter| it.default == Presence::Absent;
    let count = parameters.iter().filter(needed).count();
    let names: Vec<&str> = ["x", "y", "z", "a", "b", "c"]
        .into_iter()
        .take(count)
        .collect();
    let head = match names.as_slice() {
        [one] => (*one).to_owned(),
        others => format!("({})", others.join(", ")),
    };
    // In its own type a method has `self`; that of a built-in type takes it under another name.
    let is_own = item.name(cx.db).contains('.');
    let takes_self = !is_own || parameters.first().is_some_and(|it| it.name == "self");
    match (takes_self, names.split_first()) {
        (true, Some((receiver, rest))) => {
            format!("{head} => {receiver}.{name}({})", rest.join(", "))
        }
        (true, None) | (false, _) => format!("{head} => {path}({})", names.join(", ")),
    }
}

pub(super) fn infer_chained_field(
    cx: &mut Context,
    base: &ast::Expression,
    name: &ast::Identifier,
    span: Span,
) -> ExpressionId {
    chain(cx, base, span, |cx, inside| match name.name.parse() {
        // After `?.` the parser gives a tuple's position as a name.
        Ok(index) => collection::tuple_part(&mut cx.hir, inside, index, name.span, span),
        Err(_) => value_field(&mut cx.hir, inside, name, span),
    })
}

/// `base?.…`: `link` is done to the inside.
pub(super) fn chain(
    cx: &mut Context,
    base: &ast::Expression,
    span: Span,
    link: impl FnOnce(&mut Context, ExpressionId) -> ExpressionId,
) -> ExpressionId {
    let base = cx.expression(base, &Expected::Anything);
    let ty = cx.hir.ty(base);
    let base_span = cx.hir.span(base);
    let inner = match &ty {
        Type::Optional(inner) => (**inner).clone(),
        Type::Invalid => Type::Invalid,
        Type::Variable(_) => return collection::unknown_receiver(&mut cx.hir, base, "?.", span),
        other @ (Type::Unit
        | Type::Bool
        | Type::Int
        | Type::Float
        | Type::String
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
        | Type::Literals(_)
        | Type::List(_)
        | Type::Map(..)
        | Type::Tuple(_)
        | Type::Record(..)
        | Type::Enum(..)
        | Type::Checked(..)
        | Type::Function(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Partial(_)
        | Type::Parameter(..)
        | Type::Text(_)) => {
            let (place, text) = (cx.hir.place(base_span), cx.hir.show(other));
            cx.hir.report(values::not_optional(place, "?.", &text));
            other.clone()
        }
    };
    // The inside gets a name, since the rest of the chain is inferred like any other expression and refers to it.
    let local = cx.hir.hidden_local(inner, base_span);
    let inside = cx.hir.local_value(local, base_span);
    let body = link(cx, inside);
    let ty = cx.hir.ty(body).optional();
    cx.hir
        .push(ExpressionKind::Chain { base, local, body }, ty, span)
}

/// A field of a value.
pub(super) fn value_field(
    hir: &mut HirBuilder,
    base: ExpressionId,
    name: &ast::Identifier,
    span: Span,
) -> ExpressionId {
    let ty = hir.ty(base);
    let plain = hir.table.unchecked(&ty);
    if plain == Type::Invalid {
        return hir.invalid(span);
    }
    if let Type::Variable(_) = plain {
        return collection::unknown_receiver(hir, base, &name.name, span);
    }
    if plain == Type::Json {
        let kind = ExpressionKind::JsonField {
            base,
            name: name.name.clone(),
        };
        return hir.push(kind, Type::Json, span);
    }
    let Some((item, index, field)) = field_of(hir, &plain, &name.name) else {
        let owner = hir.span(base);
        unknown_field(hir, &ty, &plain, name, owner);
        return hir.invalid(span);
    };
    argument::refer_field(hir, name.span, item, 0, index);
    hir.push(ExpressionKind::Field { base, index }, field, span)
}

/// The field of that name of a record, or of what has come of one so far.
fn field_of(hir: &HirBuilder, ty: &Type, name: &str) -> Option<(ItemId, u32, Type)> {
    if let Type::Partial(inner) = ty {
        let (item, index, field) = field_of(hir, &hir.table.unchecked(inner), name)?;
        let field = partial_field(hir.db, hir.table.unchecked(&field));
        return Some((item, index, field));
    }
    let Type::Record(item, arguments) = ty else {
        return None;
    };
    let fields = lookup::fields(hir.db, *item);
    let index = fields.iter().position(|it| it.name == name)?;
    let field = substitute(&fields[index].ty, arguments);
    Some((*item, u32::try_from(index).ok()?, field))
}

fn unknown_field(
    hir: &mut HirBuilder,
    ty: &Type,
    plain: &Type,
    name: &ast::Identifier,
    base: Span,
) {
    if record::is_of_damaged(hir, plain) {
        return;
    }
    let place = hir.place(name.span);
    let names = if let Type::Record(item, _) = plain {
        lookup::offered_fields(hir.db, *item)
    } else {
        Vec::new()
    };
    let suggestion = meant(&name.name, &names);
    let text = hir.show(ty);
    let mut report = records::unknown_field(place, &name.name, &text, suggestion.as_ref());
    if method(hir.db, &hir.table.zonk(ty), &name.name).is_some() {
        report = records::method_as_field(report, &name.name, hir.place_after(name.span));
    } else if suggestion.is_none() && matches!(plain, Type::Record(..)) {
        report = match names.is_empty() {
            true => calls::has_methods(report, &method_names(hir.db, &hir.table.zonk(ty))),
            false => records::has_fields(report, &names),
        };
    }
    let has_field = |inner: &Type| field_of(hir, &hir.table.unchecked(inner), &name.name).is_some();
    let tested = narrowing::tested(hir, base);
    let is_inside = matches!(plain, Type::Optional(inner) if has_field(inner));
    if let Some(value) = tested.filter(|_| is_inside) {
        if hir.findings.tell_tested(value.clone()) {
            hir.report(habits::comparison_narrows_nothing(report, &value));
        }
        return;
    }
    report = if let Type::Optional(inner) = plain
        && has_field(inner)
    {
        let before = Span::new(name.span.start.saturating_sub(1), name.span.start);
        records::field_of_optional(report, &name.name, hir.place_before(before))
    } else if let Type::List(inner) = plain
        && has_field(inner)
    {
        records::field_of_elements(report, &name.name)
    } else if *plain == Type::Error {
        records::field_of_error(report)
    } else if let Type::Enum(item, _) = plain {
        near_method::field_of_enum(hir, report, *item, &name.name)
    } else if near_method::is_of_detail(hir, base, &name.name) {
        habits::of_detail(report)
    } else {
        instead_of_field(hir, report, ty, &name.name)
    };
    if let Type::Map(key, _) = plain
        && hir.table.operand(key) == Type::String
        && report.notes.is_empty()
    {
        let dot = Span::new(name.span.start.saturating_sub(1), name.span.end);
        report = records::entry_of_map(report, &name.name, hir.place(dot));
    }
    hir.report(report);
}

/// The method that is meant by a field of another language.
fn instead_of_field(
    hir: &mut HirBuilder,
    report: Diagnostic,
    ty: &Type,
    name: &Name,
) -> Diagnostic {
    let names = method_names(hir.db, &hir.table.zonk(ty));
    match foreign::method(name, &names) {
        Some(ours) => records::method_for_field(report, ours.as_str()),
        None => match instead(hir, ty, name) {
            Some(sentence) => report.note(sentence),
            None => report,
        },
    }
}

pub(super) fn method_call(
    cx: &mut Context,
    receiver: ExpressionId,
    name: &ast::Identifier,
    call: Call,
    hint: Option<&Type>,
) -> ExpressionId {
    let ty = cx.hir.ty(receiver);
    let plain = cx.hir.table.unchecked(&ty);
    if plain == Type::Invalid {
        return call::lost_call(cx, call);
    }
    if let Type::Variable(_) = plain {
        collection::unknown_receiver(&mut cx.hir, receiver, &name.name, call.span);
        return call::lost_call(cx, call);
    }
    if let Some((item, index, field)) = field_of(&cx.hir, &plain, &name.name)
        // A field that holds a function is called like a method. It comes before methods, so that a
        // method which is added to the library changes no program.
        && matches!(cx.hir.table.unchecked(&field), Type::Function(_))
    {
        argument::refer_field(&mut cx.hir, name.span, item, 0, index);
        let span = cx.hir.span(receiver).to(name.span);
        let kind = ExpressionKind::Field {
            base: receiver,
            index,
        };
        let callee = cx.hir.push(kind, field, span);
        return call::call_value(cx, callee, call);
    }
    let found = method(cx.db, &cx.hir.table.zonk(&ty), &name.name);
    if let Some(item) = found
        && let Some(receiver) = as_receiver(&mut cx.hir, receiver, item)
    {
        cx.hir
            .refer(name.span, crate::item_bodies::Reference::Item(item));
        refuse_private(&mut cx.hir, item, name);
        if let Type::Stream(answer) = plain
            && call.arguments.is_empty()
            && KnownItem::StreamResult.is(cx.db, item)
        {
            // What it raises follows from the prompt, as with a task.
            let answer = (*answer).clone();
            return cx
                .hir
                .push(ExpressionKind::Await(receiver), answer, call.span);
        }
        return call::call_item(cx, item, Some(receiver), name.span, call, hint);
    }
    if found.is_none()
        && field_of(&cx.hir, &plain, &name.name).is_none()
        && near_method::is_function(&mut cx.hir, &ty, name, call.span)
    {
        return call::lost_call(cx, call);
    }
    if !near_method::is_tested(&mut cx.hir, &ty, name, call.span) {
        let written = Written {
            name,
            whole: call.span,
            arguments: call.arguments.len(),
        };
        if !record::is_of_damaged(&cx.hir, &ty) {
            unknown_method(&mut cx.hir, &ty, &written, found);
        }
    }
    call::lost_call(cx, call)
}

/// Reports a function of a type that is private to another file.
pub(super) fn refuse_private(hir: &mut HirBuilder, item: ItemId, name: &ast::Identifier) {
    if item.file(hir.db) != hir.item.file(hir.db) && is_private(hir.db, item) {
        let module = shown_module(hir.db, item.file(hir.db));
        let place = hir.place(name.span);
        hir.report(gsw_names::errors::private_name(place, &name.name, &module));
    }
}

/// The receiver as the method's first parameter takes it; `None` when it does not.
fn as_receiver(hir: &mut HirBuilder, receiver: ExpressionId, item: ItemId) -> Option<ExpressionId> {
    let signature = lookup::signature(hir.db, item);
    let wanted = signature.parameters.first()?.ty.clone();
    // Variables for this test alone. `call_item` makes those of the call, to which the receiver is then coerced.
    let arguments = hir.fresh_arguments(signature.generics.len());
    let wanted = substitute(&wanted, &arguments);
    let actual = hir.ty(receiver);
    match hir.table.relate(&actual, &wanted)? {
        Relation::Same => Some(receiver),
        Relation::Widen => Some(hir.converted(receiver, Coercion::Widen, &wanted)),
    }
}

/// `xs += [x]` where `xs.push(x)` is at the beginning of a statement and `xs` is a variable.
fn added(hir: &HirBuilder, name: &ast::Identifier, whole: Span) -> Option<String> {
    let text = |start: u32, end: u32| {
        let text = gsw_names::source_text(hir.db, hir.item, Span::new(start, end));
        text.as_str().to_owned()
    };
    let before = text(0, whole.start);
    let line = before.rsplit(['\n', '{', ';']).next()?;
    let list = text(whole.start, name.span.start.saturating_sub(1));
    let given = text(name.span.end, whole.end);
    let given = given.strip_prefix('(')?.strip_suffix(')')?;
    let root = list.split(['.', '[']).next()?;
    let is_variable = ["var", "state"]
        .iter()
        .any(|it| before.contains(&format!("{it} {root}")));
    let is_short = line.trim().is_empty() && !list.contains('\n') && !given.contains('\n');
    (is_variable && is_short && !given.is_empty()).then(|| format!("{list} += [{given}]"))
}

/// The module that a variable hides, when that has a function of this name: `log.info(…)` after `let log = …`.
fn hidden_module(hir: &HirBuilder, name: &ast::Identifier, whole: Span) -> Option<Name> {
    let receiver = Span::new(whole.start, name.span.start.saturating_sub(1));
    let written = gsw_names::source_text(hir.db, hir.item, receiver);
    let module = implicit_module(hir.db, &written)?;
    resolve_member(hir.db, module, &name.name, hir.item.file(hir.db))?;
    Some(written)
}

/// A call of an unknown method.
struct Written<'a> {
    name: &'a ast::Identifier,
    whole: Span,
    /// How many arguments it is given.
    arguments: usize,
}

/// A name for a method is no more than an offer where that method takes another number of arguments.
fn fitting(hir: &HirBuilder, ty: &Type, given: usize, suggestion: Suggestion) -> Suggestion {
    let takes_them = method(hir.db, ty, suggestion.as_str()).is_none_or(|item| {
        let parameters = &lookup::signature(hir.db, item).parameters;
        let taken = parameters.get(1..).unwrap_or_default();
        let needed = taken.iter().filter(|it| it.default == Presence::Absent);
        (needed.count()..=taken.len()).contains(&given)
    });
    match takes_them {
        true => suggestion,
        false => suggestion.left_to_author(),
    }
}

/// `other` is the method of this name whose receiver is another type of the same kind.
fn unknown_method(
    hir: &mut HirBuilder,
    ty: &Type,
    &Written {
        name,
        whole,
        arguments,
    }: &Written<'_>,
    other: Option<ItemId>,
) {
    let zonked = hir.table.zonk(ty);
    let names = method_names(hir.db, &zonked);
    let ours = foreign::method(&name.name, &names);
    let instead = match ours {
        Some(_) => None,
        None => instead(hir, &zonked, &name.name),
    };
    let suggestion = ours.or_else(|| match instead {
        // What is known of the name is better than a guess by its spelling.
        Some(_) => None,
        None => meant(&name.name, &names),
    });
    let place = hir.place(name.span);
    let text = hir.show(ty);
    let plain = hir.table.unchecked(&zonked);
    let is_field = field_of(hir, &plain, &name.name).is_some();
    let suggestion = suggestion
        .filter(|_| !is_field && other.is_none())
        .map(|it| fitting(hir, &zonked, arguments, it));
    let report = calls::unknown_method(place, &name.name, &text, suggestion.as_ref());
    let is_adding = matches!(name.name.as_str(), "push" | "append" | "add");
    let receiver = near_method::receiver_text(hir, name, whole);
    let report = if near_method::is_form_of_call(&name.name, &receiver) {
        calls::before_arguments(report, &name.name)
    } else if is_field {
        let parentheses = Span::new(name.span.end, whole.end);
        let is_bare = gsw_names::source_text(hir.db, hir.item, parentheses) == "()";
        let removed = is_bare.then(|| hir.place(parentheses));
        calls::field_as_method(report, &name.name, removed)
    } else if let Type::Optional(inner) = &zonked
        && method(hir.db, inner, &name.name).is_some()
    {
        let before = Span::new(name.span.start.saturating_sub(1), name.span.start);
        calls::through_optional(report, &name.name, hir.place_before(before))
    } else if suggestion.is_none()
        && instead.is_none()
        && near_method::is_of_elements(hir, &zonked, name)
    {
        elsewhere::of_elements(report, &name.name)
    } else if zonked == Type::Json {
        match near_method::is_of_lists(hir, &name.name) {
            true => elsewhere::listed_json(report, &name.name),
            false => calls::typed_json(report),
        }
    } else if zonked == Type::Secret {
        values::secret_stays(report)
    } else if is_adding && matches!(zonked, Type::List(_)) {
        let instead = added(hir, name, whole).map(|it| (hir.place(whole), it));
        calls::joined_lists(report, instead)
    } else if let Type::Function(_) = zonked {
        near_method::of_function(hir, report, &receiver)
    } else if let Some(module) = hidden_module(hir, name, whole) {
        calls::hides_module(report, &module)
    } else {
        let report = instead.into_iter().fold(report, Diagnostic::note);
        of_other_receiver(hir, report, &plain, name, other)
    };
    hir.report(match report.notes.is_empty() {
        true => calls::has_methods(report, &names),
        false => report,
    });
}

/// What is written instead of a method or field that people look for on a value of this type.
fn instead(hir: &HirBuilder, ty: &Type, name: &Name) -> Option<&'static str> {
    let ty = hir.table.unchecked(&hir.table.zonk(ty));
    let kind = if let Type::Map(..) = ty {
        Kind::Map
    } else if ty == Type::String {
        Kind::Text
    } else if matches!(ty, Type::Int | Type::Float) {
        Kind::Number
    } else if let Type::Record(item, _) = ty
        && KnownItem::Set.is(hir.db, item)
    {
        Kind::Set
    } else if let Type::Record(..) = ty {
        Kind::Record
    } else if let Type::Task(_) = ty {
        Kind::Task
    } else if ty == Type::Agent {
        Kind::Agent
    } else if ty == Type::Session {
        Kind::Session
    } else if let Type::Enum(item, _) = ty
        && KnownItem::Result.is(hir.db, item)
    {
        Kind::Outcome
    } else {
        return gsw_names::errors::instead_of_method(name);
    };
    gsw_names::errors::instead_on(kind, name)
}

/// A function of the type that takes no receiver.
fn lacks_self(hir: &HirBuilder, report: Diagnostic, method: ItemId, name: &str) -> Diagnostic {
    let of = method.name(hir.db).split('.').next().unwrap_or_default();
    let tree = gsw_names::item_head(hir.db, method);
    let span = tree.as_deref().and_then(gsw_names::declared_name);
    let declared = Place::Item {
        item: method,
        span: span.map_or(Span::default(), |it| it.span),
    };
    elsewhere::lacks_self(report, of, name, declared)
}

/// The receiver that a method of this name is for, where it is like the one that it follows.
fn of_other_receiver(
    hir: &HirBuilder,
    report: Diagnostic,
    plain: &Type,
    name: &ast::Identifier,
    other: Option<ItemId>,
) -> Diagnostic {
    if let Type::Task(inner) = plain
        && method(hir.db, &hir.table.zonk(inner), &name.name).is_some()
    {
        return calls::of_awaited(report, &name.name);
    }
    if let Some(method) = other.filter(|it| it.name(hir.db).contains('.')) {
        return lacks_self(hir, report, method, &name.name);
    }
    let signature = other.map(|it| lookup::signature(hir.db, it));
    let receiver = signature.and_then(|it| it.parameters.first());
    // What makes such values is in the same module and no method: `json.parse`.
    let is_alike = |it: &Type| std::mem::discriminant(it) == std::mem::discriminant(plain);
    match receiver.filter(|it| is_alike(&it.ty)) {
        Some(receiver) => calls::of_other_receiver(report, &name.name, &hir.show(&receiver.ty)),
        None => report,
    }
}
