//! Calls: what is called, and the types that follow from it.

use std::sync::Arc;

use gsw_names::errors::{Kind, instead_on};
use gsw_names::types::{FunctionType, Type};
use gsw_names::{
    Definition, Parameter, foreign, handler_word, item_signature, member_names, substitute,
};
use gsw_source::{Diagnostic, ItemId, ItemKind, Span};
use gsw_syntax::{ast, is_damaged};

use crate::errors::elsewhere;
use crate::errors::{calls as errors, habits, records, values};
use crate::hir::{Callee, ExpressionId, ExpressionKind, PromptMode};
use crate::infer::argument::{self, Call, Formal};
use crate::infer::context::Context;
use crate::infer::expected::Expected;
use crate::infer::lookup;
use crate::infer::method::{self, refuse_private};
use crate::infer::name::{self, kind_text};
use crate::infer::names::reference;
use crate::infer::prompt;
use crate::infer::range;
use crate::infer::record;

pub(super) fn infer_call(
    cx: &mut Context,
    callee: &ast::Expression,
    call: Call,
    hint: Option<&Type>,
) -> ExpressionId {
    if let ast::ExpressionKind::Parenthesized(inner) = &callee.kind {
        return infer_call(cx, inner, call, hint);
    }
    // A local hides a declaration of its name also where it is called, so the scope is asked first.
    if let ast::ExpressionKind::Name(name) = &callee.kind
        && cx.scopes.find(name).is_none()
    {
        return match cx.names().resolve_called(name, callee.span, hint) {
            Some(Definition::Item(item)) if let Some(word) = hidden_word(cx, item, hint) => {
                let given = cx.hir.show(&lookup::signature(cx.db, item).result);
                let place = cx.hir.place(callee.span);
                let report = values::mismatch(place, &word.decision, &given);
                let what = kind_text(item.kind(cx.db));
                cx.hir
                    .report(habits::hides_word(report, what, name, &word.form));
                lost_call(cx, call)
            }
            Some(definition) => call_definition(cx, definition, name, callee.span, call, hint),
            None => lost_call(cx, call),
        };
    }
    if let ast::ExpressionKind::Field { base, name, chain } = &callee.kind {
        return match chain {
            ast::Chain::Plain => call_member(cx, base, name, call, hint),
            ast::Chain::Optional => method::chain(cx, base, call.span, |cx, inside| {
                method::method_call(cx, inside, name, call, None)
            }),
        };
    }
    let callee = cx.expression(callee, &Expected::Anything);
    call_value(cx, callee, call)
}

/// A word of hooks in its other form, `Ask(…)`, with the name of the enum that it is of.
struct HiddenWord {
    decision: String,
    form: String,
}

/// The word of hooks that is wanted, where a declaration of its name comes before it and gives something else.
fn hidden_word(cx: &Context, item: ItemId, hint: Option<&Type>) -> Option<HiddenWord> {
    if cx.hir.item.kind(cx.db) != ItemKind::Hook {
        return None;
    }
    let (wanted, _) = cx.hir.table.wanted_enum(hint?)?;
    let word = handler_word(cx.db, item.name(cx.db), Some(wanted))?;
    let Definition::Variant { item: of, variant } = word else {
        return None;
    };
    let is_wanted = |ty: &Type| matches!(ty, Type::Enum(it, _) if *it == wanted);
    let result = &lookup::signature(cx.db, item).result;
    let is_given = is_wanted(result) || matches!(result, Type::Optional(inner) if is_wanted(inner));
    if of != wanted || is_given || !item.kind(cx.db).is_callable() {
        return None;
    }
    let variant = &lookup::variants(cx.db, wanted)[variant as usize];
    let arguments = match variant.fields.is_empty() {
        true => "",
        false => "(…)",
    };
    Some(HiddenWord {
        decision: wanted.name(cx.db).to_string(),
        form: format!("{}{arguments}", variant.name),
    })
}

/// `base.name(arguments)`: a function of a module or type, else a method of a value.
fn call_member(
    cx: &mut Context,
    base: &ast::Expression,
    name: &ast::Identifier,
    call: Call,
    hint: Option<&Type>,
) -> ExpressionId {
    // `a.b(…)` may be a function of a module, a variant, a static call of a method or a method of a value. A path of
    // declarations wins; only what is no path is evaluated as a receiver.
    let scope = cx.names().path(base);
    if let Some(scope) = scope
        && let Some(id) = call_in(cx, scope, name, call, hint)
    {
        return id;
    }
    if let Some(Definition::Item(item)) = scope
        && item.kind(cx.db).is_type()
        && foreign::is_reading(&name.name)
    {
        let name = item.name(cx.db);
        let report = records::not_a_value(cx.hir.place(base.span), &format!("the type `{name}`"));
        cx.hir.report(elsewhere::read_as(report, name));
        return lost_call(cx, call);
    }
    let receiver = cx.expression(base, &Expected::Anything);
    method::method_call(cx, receiver, name, call, hint)
}

/// A call of `scope.name`; `None` when the name belongs to a value.
fn call_in(
    cx: &mut Context,
    scope: Definition,
    name: &ast::Identifier,
    call: Call,
    hint: Option<&Type>,
) -> Option<ExpressionId> {
    match scope {
        Definition::Module(module) => Some(match cx.names().member(module, name) {
            Some(found) => call_definition(cx, found, &name.name, name.span, call, hint),
            None => lost_call(cx, call),
        }),
        Definition::Item(item) => match item.kind(cx.db) {
            ItemKind::Record | ItemKind::Enum | ItemKind::Alias => {
                call_in_type(cx, item, name, call, hint)
            }
            ItemKind::Prompt => match name.name.as_str() {
                "detail" => Some(prompt::prompt_call(cx, item, call, PromptMode::Detail)),
                "stream" => Some(prompt::prompt_call(cx, item, call, PromptMode::Stream)),
                _ => None,
            },
            ItemKind::Mcp => {
                let tool = Definition::Item(gsw_names::server_tool(cx.db, item, &name.name)?);
                let found = call_definition(cx, tool, &name.name, name.span, call, hint);
                Some(found)
            }
            ItemKind::Import
            | ItemKind::Function
            | ItemKind::Error
            | ItemKind::Const
            | ItemKind::Agent
            | ItemKind::Workflow
            | ItemKind::Tool
            | ItemKind::Hook
            | ItemKind::Human
            | ItemKind::External
            | ItemKind::Skill
            | ItemKind::Test
            | ItemKind::Permissions
            | ItemKind::Invalid => None,
        },
        Definition::Variant { .. } => None,
    }
}

/// `Type.name(…)`: a variant, or a method with its receiver as the first argument.
fn call_in_type(
    cx: &mut Context,
    item: ItemId,
    name: &ast::Identifier,
    call: Call,
    hint: Option<&Type>,
) -> Option<ExpressionId> {
    let scope = gsw_names::module_scope(cx.db, item.file(cx.db));
    // Methods are items of the module under the name `Type.method`, so `Type.method(receiver)` is one look-up in its scope.
    let method = format!("{}.{}", item.name(cx.db), name.name);
    if let Some(&method) = scope.items.get(method.as_str()) {
        refuse_private(&mut cx.hir, method, name);
        let definition = Definition::Item(method);
        return Some(call_definition(
            cx, definition, &name.name, name.span, call, hint,
        ));
    }
    let item = lookup::enum_of(cx.db, item)?;
    Some(call_in_enum(cx, item, name, call, hint))
}

fn call_in_enum(
    cx: &mut Context,
    item: ItemId,
    name: &ast::Identifier,
    call: Call,
    hint: Option<&Type>,
) -> ExpressionId {
    if let Some(variant) = lookup::variant_named(cx.db, item, &name.name) {
        let definition = Definition::Variant { item, variant };
        return call_definition(cx, definition, &name.name, name.span, call, hint);
    }
    let plain = lookup::variants(cx.db, item)
        .iter()
        .all(|it| it.fields.is_empty());
    if name.name == "values" && plain && call.arguments.is_empty() {
        let ty = Type::Enum(item, Arc::from([])).list();
        let kind = ExpressionKind::Call {
            callee: Callee::EnumValues(item),
            arguments: Vec::new(),
        };
        return cx.hir.push(kind, ty, call.span);
    }
    cx.names().unknown_variant(item, name);
    lost_call(cx, call)
}

/// A call of a declaration or variant.
pub(super) fn call_definition(
    cx: &mut Context,
    definition: Definition,
    name: &str,
    name_span: Span,
    call: Call,
    hint: Option<&Type>,
) -> ExpressionId {
    cx.hir.refer(name_span, reference(definition));
    match definition {
        Definition::Variant { item, variant } => call_variant(cx, item, variant, call, hint),
        Definition::Module(module) => {
            let report =
                errors::not_callable(cx.hir.place(name_span), &format!("the module `{name}`"));
            let members = member_names(cx.db, module);
            cx.hir
                .report(elsewhere::has_members(report, name, &members));
            lost_call(cx, call)
        }
        Definition::Item(item) => match item.kind(cx.db) {
            ItemKind::Function
            | ItemKind::Tool
            | ItemKind::Workflow
            | ItemKind::Human
            | ItemKind::External => call_item(cx, item, None, name_span, call, hint),
            ItemKind::Prompt => prompt::prompt_call(cx, item, call, PromptMode::Value),
            ItemKind::Error => call_error(cx, item, call),
            ItemKind::Const => {
                let callee = name::definition_value(&mut cx.hir, definition, name, name_span, None);
                call_value(cx, callee, call)
            }
            ItemKind::Record => {
                let place = cx.hir.place(name_span);
                let what = format!("the type `{name}`");
                let report = errors::not_callable(place, &what);
                let report = record::how_made(&cx.hir, item, report, name);
                cx.hir.report(report);
                lost_call(cx, call)
            }
            ItemKind::Agent => {
                let report =
                    errors::not_callable(cx.hir.place(name_span), &format!("the agent `{name}`"));
                let sentence = instead_on(Kind::Agent, name);
                cx.hir
                    .report(sentence.into_iter().fold(report, Diagnostic::note));
                lost_call(cx, call)
            }
            ItemKind::Enum if lookup::is_plain_enum(cx.db, item) => {
                let place = cx.hir.place(name_span);
                let report = errors::not_callable(place, &format!("the enum `{name}`"));
                cx.hir.report(records::enum_as_value(report, name));
                lost_call(cx, call)
            }
            kind @ (ItemKind::Import
            | ItemKind::Alias
            | ItemKind::Enum
            | ItemKind::Mcp
            | ItemKind::Hook
            | ItemKind::Skill
            | ItemKind::Test
            | ItemKind::Permissions
            | ItemKind::Invalid) => {
                let what = format!("the {} `{name}`", kind_text(kind));
                uncallable(cx, &what, name_span, call)
            }
        },
    }
}

/// A call of a function, tool, workflow or question; a method's receiver is given.
pub(super) fn call_item(
    cx: &mut Context,
    item: ItemId,
    receiver: Option<ExpressionId>,
    name_span: Span,
    call: Call,
    hint: Option<&Type>,
) -> ExpressionId {
    if is_made_of_number(cx, item, call) {
        let place = cx.hir.place(call.arguments_span);
        let report = values::mismatch(place, "duration", "int");
        cx.hir.report(habits::duration_of_number(report));
        return lost_call(cx, call);
    }
    if is_fold_in_other_order(cx, item, call) {
        let place = cx.hir.place(call.arguments_span);
        cx.hir.report(elsewhere::fold_in_other_order(place));
        return lost_call(cx, call);
    }
    let signature = lookup::signature(cx.db, item);
    let given = call.arguments.len() + usize::from(receiver.is_some());
    if given > signature.parameters.len() && is_damaged(cx.db, item) {
        // The parameters that are missed are those that could not be read.
        return lost_call(cx, call);
    }
    let type_arguments = cx.hir.fresh_arguments(signature.generics.len());
    for index in &item_signature(cx.db, item).accumulated {
        if let Some(Type::Variable(variable)) = type_arguments.get(*index as usize) {
            cx.hir.table.accumulate(*variable);
        }
    }
    let mut arguments = Vec::with_capacity(call.arguments.len() + 1);
    if let (Some(receiver), Some(first)) = (receiver, signature.parameters.first()) {
        let ty = substitute(&first.ty, &type_arguments);
        arguments.push((0, cx.hir.coerce(receiver, &ty)));
    }
    let result = substitute(&signature.result, &type_arguments);
    // Before the arguments: in `let x: [int?] = xs.map(f)` what is wanted decides the type that the lambda is checked against.
    cx.hir.table.absorb_plain(&result, hint);
    if hint.is_some() {
        let open = said_by_closures(cx, &signature.parameters, &type_arguments);
        cx.hir.table.absorb_json(&result, hint, &open);
    }
    let name = item.name(cx.db);
    let formal = Formal {
        parameters: &signature.parameters,
        taken: arguments.len(),
        substitution: &type_arguments,
        callee: &format!("`{name}`"),
        of_library: gsw_names::is_std(cx.db, item.file(cx.db)).then_some(name),
        settings: argument::Settings::Nowhere,
    };
    arguments.extend(argument::infer_arguments(cx, formal, call));
    // What the declaration requires of its type arguments is checked outside of inference (`requirement`), since it depends on
    // its body.
    if argument::has_surplus(formal, call) {
        // It is unknown which of the arguments have the right types, and more likely another function is meant.
        return cx.hir.invalid(call.span);
    }
    name::note_use(&mut cx.hir, item, &type_arguments, name_span);
    let callee = Callee::Item {
        item,
        type_arguments,
    };
    let kind = ExpressionKind::Call { callee, arguments };
    let called = cx.hir.push(kind, result, call.span);
    range::without_list(&mut cx.hir, called)
}

/// `duration.seconds(5)`, which returns the seconds of a duration and makes none.
fn is_made_of_number(cx: &Context, item: ItemId, call: Call) -> bool {
    let [only] = call.arguments else {
        return false;
    };
    let is_number = matches!(
        only.value.kind,
        ast::ExpressionKind::Literal(ast::Literal::Int(_) | ast::Literal::Float(_))
    );
    let parameters = &lookup::signature(cx.db, item).parameters;
    let takes_duration = matches!(&parameters[..], [one] if one.ty == Type::Duration);
    let gives_number = lookup::signature(cx.db, item).result == Type::Float;
    is_number && takes_duration && gives_number && gsw_names::is_std(cx.db, item.file(cx.db))
}

/// `xs.fold((total, x) => …, 0)`: the function first, as in other languages.
fn is_fold_in_other_order(cx: &Context, item: ItemId, call: Call) -> bool {
    let is_lambda =
        |it: &ast::Argument| matches!(it.value.kind, ast::ExpressionKind::Lambda { .. });
    let [first, second] = call.arguments else {
        return false;
    };
    let is_other = is_lambda(first) && first.name.is_none() && !is_lambda(second);
    is_other && item.name(cx.db) == "fold" && gsw_names::is_std(cx.db, item.file(cx.db))
}

/// The type arguments that only the results of functions among the arguments say.
fn said_by_closures(cx: &Context, parameters: &[Parameter], arguments: &[Type]) -> Vec<Type> {
    let table = &cx.hir.table;
    let is_said = |variable| {
        parameters.iter().any(|it| {
            let ty = table.resolve(&substitute(&it.ty, arguments));
            let Type::Function(function) = &ty else {
                return table.occurs(variable, &ty);
            };
            let mut taken = function.parameters.iter();
            taken.any(|it| table.occurs(variable, it))
        })
    };
    let mut open = arguments.to_vec();
    open.retain(|it| table.unknown(it).is_some_and(|it| !is_said(it)));
    open
}

fn call_variant(
    cx: &mut Context,
    item: ItemId,
    variant: u32,
    call: Call,
    hint: Option<&Type>,
) -> ExpressionId {
    let declared = &lookup::variants(cx.db, item)[variant as usize];
    if call.arguments.len() > declared.fields.len() && is_damaged(cx.db, item) {
        return lost_call(cx, call);
    }
    let type_arguments = cx.hir.fresh_arguments(lookup::arity(cx.db, item));
    let ty = Type::Enum(item, Arc::from(type_arguments.as_slice()));
    // The payload is converted to whatever the type arguments are, so here the hint cannot be wrong.
    cx.hir.table.absorb_all(&ty, hint);
    let formal = Formal {
        parameters: &declared.fields,
        taken: 0,
        substitution: &type_arguments,
        callee: &format!("`{}`", declared.name),
        of_library: None,
        settings: argument::Settings::Nowhere,
    };
    let fields = argument::infer_arguments(cx, formal, call);
    cx.hir.push(
        ExpressionKind::Variant {
            item,
            variant,
            fields,
        },
        ty,
        call.span,
    )
}

fn call_error(cx: &mut Context, item: ItemId, call: Call) -> ExpressionId {
    let parameters = lookup::fields(cx.db, item);
    if call.arguments.len() > parameters.len() && is_damaged(cx.db, item) {
        return lost_call(cx, call);
    }
    let formal = Formal {
        parameters,
        taken: 0,
        substitution: &[],
        callee: &format!("`{}`", item.name(cx.db)),
        of_library: None,
        settings: argument::Settings::Nowhere,
    };
    let fields = argument::infer_arguments(cx, formal, call);
    cx.hir.push(
        ExpressionKind::ErrorValue { item, fields },
        Type::Error,
        call.span,
    )
}

/// A call of a function value.
pub(super) fn call_value(cx: &mut Context, callee: ExpressionId, call: Call) -> ExpressionId {
    let ty = cx.hir.ty(callee);
    let function = match cx.hir.table.unchecked(&ty) {
        Type::Function(function) => function,
        Type::Variable(variable) => {
            // `f => f(1)`: the callee is a parameter whose type comes from its uses. The call is the first evidence of its shape.
            let parameters = cx.hir.fresh_arguments(call.arguments.len());
            let result = cx.hir.fresh();
            let function = Arc::new(FunctionType {
                parameters,
                result,
                latent: None,
            });
            cx.hir
                .table
                .bind(variable, &Type::Function(function.clone()));
            function
        }
        Type::Invalid => return lost_call(cx, call),
        Type::Unit
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
        | Type::Optional(_)
        | Type::List(_)
        | Type::Map(..)
        | Type::Tuple(_)
        | Type::Record(..)
        | Type::Enum(..)
        | Type::Checked(..)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Partial(_)
        | Type::Parameter(..)
        | Type::Text(_) => {
            let what = format!("a value of type `{}`", cx.hir.show(&ty));
            return uncallable(cx, &what, cx.hir.span(callee), call);
        }
    };
    let arguments = argument::value_arguments(cx, &function, call);
    let kind = ExpressionKind::Call {
        callee: Callee::Value(callee),
        arguments,
    };
    cx.hir.push(kind, function.result.clone(), call.span)
}

/// Checks the arguments of an invalid call, for their own mistakes.
pub(super) fn lost_call(cx: &mut Context, call: Call) -> ExpressionId {
    for argument in call.arguments {
        argument::lost_argument(cx, &argument.value);
    }
    cx.hir.invalid(call.span)
}

fn uncallable(cx: &mut Context, what: &str, span: Span, call: Call) -> ExpressionId {
    let place = cx.hir.place(span);
    let report = errors::not_callable(place, what);
    let mut names = call.arguments.iter().filter_map(|it| it.name.as_ref());
    cx.hir.report(match names.any(|it| it.name == "limit") {
        true => elsewhere::limit_in_parentheses(report),
        false => report,
    });
    lost_call(cx, call)
}
