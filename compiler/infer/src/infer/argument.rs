//! Arguments: which parameter each one is for, and what flows between them and the type arguments.

use std::sync::Arc;

use gsw_abi::setting::{Origin, Setting};
use gsw_names::types::{FunctionType, Type};
use gsw_names::{Parameter, Presence, substitute};
use gsw_source::{Name, Span, meant};
use gsw_syntax::{SIMPLE_TYPES, ast};

use crate::errors::calls as errors;
use crate::errors::elsewhere;
use crate::errors::habits;
use crate::hir::ExpressionId;
use crate::infer::context::Context;
use crate::infer::expected::Expected;
use crate::infer::hir_builder::HirBuilder;
use crate::item_bodies::Reference;

/// What is written between a call's parentheses.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) arguments: &'a [ast::Argument],
    pub(super) arguments_span: Span,
    pub(super) span: Span,
}

/// What a call's arguments are for.
#[derive(Clone, Copy)]
pub(super) struct Formal<'a> {
    pub(super) parameters: &'a [Parameter],
    /// How many of the first parameters already have a value: a method's receiver.
    pub(super) taken: usize,
    /// What stands for the type parameters in the parameters' types.
    pub(super) substitution: &'a [Type],
    pub(super) callee: &'a str,
    /// Its name where it is a function of the library: how other languages call theirs is known of those alone.
    pub(super) of_library: Option<&'a str>,
    pub(super) settings: Settings,
}

/// Whether settings may follow a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Settings {
    After,
    Nowhere,
}

impl Formal<'_> {
    fn takes_function(&self, parameter: Option<u32>) -> bool {
        let parameter = parameter.and_then(|it| self.parameters.get(it as usize));
        parameter.is_some_and(|it| matches!(it.ty, Type::Function(_)))
    }
}

/// The arguments by parameter, in the order of evaluation.
pub(super) fn infer_arguments(
    cx: &mut Context,
    formal: Formal,
    call: Call,
) -> Vec<(u32, ExpressionId)> {
    if let Some(first) = parameters_apart(formal, call)
        && cx.scopes.find(first).is_none()
    {
        // Its names are the parameters, which are none where there are no parentheses.
        too_many(
            &mut cx.hir,
            formal,
            call.arguments.len() + formal.taken,
            call,
        );
        return Vec::new();
    }
    let slots = assign_arguments(&mut cx.hir, formal, call);
    let mut values: Vec<Option<ExpressionId>> = vec![None; slots.len()];
    // A lambda learns its parameters' types from the other arguments, so it waits for them; a string may be one of the
    // literals that a function takes which is given by its name.
    let named = slots
        .iter()
        .any(|slot| Wait::of(slot.value) == Wait::Nothing && formal.takes_function(slot.parameter));
    // Three passes instead of an order by dependencies: what an argument waits for is decided by its form alone, so the same
    // call is always inferred in the same order, which a newcomer can predict.
    for wait in [Wait::Nothing, Wait::Names, Wait::Others] {
        for (slot, value) in slots.iter().zip(&mut values) {
            let own = match Wait::of(slot.value) {
                Wait::Names if !named => Wait::Nothing,
                own @ (Wait::Nothing | Wait::Names | Wait::Others) => own,
            };
            if own == wait {
                *value = Some(infer_argument(cx, formal, slot));
            }
        }
    }
    let values = slots.iter().zip(values);
    values
        // Back to the order of the source: it is the order of evaluation, whatever order inference took.
        .filter_map(|(slot, value)| Some((slot.parameter?, value?)))
        .collect()
}

fn infer_argument(cx: &mut Context, formal: Formal, slot: &Slot) -> ExpressionId {
    let parameter = slot
        .parameter
        .and_then(|it| formal.parameters.get(it as usize));
    match parameter {
        Some(parameter) => {
            let ty = substitute(&parameter.ty, formal.substitution);
            if ty == Type::Invalid {
                // What is wrong with the parameter was reported where it is declared.
                return lost_argument(cx, slot.value);
            }
            cx.expression(slot.value, &Expected::Type(ty))
        }
        None => lost_argument(cx, slot.value),
    }
}

/// Checks an argument that matches no parameter, for its own mistakes.
pub(super) fn lost_argument(cx: &mut Context, value: &ast::Expression) -> ExpressionId {
    // `isinstance(x, int)`: that a type is no value says nothing new where what it is given to is unknown.
    if let ast::ExpressionKind::Name(name) = &value.kind
        && SIMPLE_TYPES.contains(&name.as_str())
        && cx.scopes.find(name).is_none()
    {
        return cx.hir.invalid(value.span);
    }
    // Parameters of unknown type in a lambda would each be reported as a type that cannot be inferred, though the reason is the
    // call, which was reported.
    let expected = if let ast::ExpressionKind::Lambda { parameters, .. } = &value.kind {
        Expected::Hint(unknown_function(parameters.len()))
    } else {
        Expected::Anything
    };
    cx.expression(value, &expected)
}

/// The type of a lambda where nothing is known of its parameters and nothing more is to be reported.
fn unknown_function(parameters: usize) -> Type {
    Type::Function(Arc::new(FunctionType {
        parameters: vec![Type::Invalid; parameters],
        result: Type::Invalid,
        latent: None,
    }))
}

/// Whether a call has more arguments than there are parameters left.
pub(super) fn has_surplus(formal: Formal, call: Call) -> bool {
    let named = call.arguments.iter().position(|it| it.name.is_some());
    named.unwrap_or(call.arguments.len()) + formal.taken > formal.parameters.len()
}

/// Finds each argument's parameter; what has none was reported.
fn assign_arguments<'a>(hir: &mut HirBuilder, formal: Formal, call: Call<'a>) -> Vec<Slot<'a>> {
    let count = formal.parameters.len();
    let mut given = vec![false; count];
    // The receiver of a method is the first parameter and counts as given, so naming it as well is a duplicate.
    given[..formal.taken.min(count)].fill(true);
    let mut next = formal.taken;
    let mut named = false;
    let mut slots = Vec::with_capacity(call.arguments.len());
    let mut surplus = false;
    for argument in call.arguments {
        let value = &argument.value;
        let parameter = match &argument.name {
            Some(name) => {
                named = true;
                named_parameter(hir, formal, name, &mut given)
            }
            None if named => {
                let place = hir.place(value.span);
                hir.report(errors::positional_after_named(place));
                None
            }
            None => {
                next += 1;
                // Surplus arguments are still inferred, without a parameter, so that mistakes inside of them are reported too.
                surplus |= next > count;
                given.get_mut(next - 1).map(|it| {
                    *it = true;
                    next - 1
                })
            }
        };
        let parameter = parameter.and_then(|it| u32::try_from(it).ok());
        slots.push(Slot { parameter, value });
    }
    if surplus {
        too_many(hir, formal, next, call);
        // It is unknown which of them is too many, so none is held to a parameter.
        slots.iter_mut().for_each(|it| it.parameter = None);
    }
    missing(hir, formal, &given, &slots, call.arguments_span);
    if is_of_other_form(formal, call) {
        slots.iter_mut().for_each(|it| it.parameter = None);
    }
    slots
}

fn named_parameter(
    hir: &mut HirBuilder,
    formal: Formal,
    name: &ast::Identifier,
    given: &mut [bool],
) -> Option<usize> {
    let place = hir.place(name.span);
    let Some(index) = formal.parameters.iter().position(|it| it.name == name.name) else {
        let rest = formal
            .parameters
            .iter()
            .zip(&*given)
            .filter(|(_, given)| !**given);
        let names: Vec<Name> = rest.map(|(it, _)| it.name.clone()).collect();
        let suggestion = meant(&name.name, &names);
        let suggestion = suggestion.as_ref();
        let report = errors::unknown_argument(place, &name.name, formal.callee, suggestion);
        if formal.settings == Settings::After
            && Setting::names_at(Origin::Call).contains(&name.name.as_str())
        {
            let callee = formal.callee.trim_matches('`');
            hir.report(elsewhere::setting_as_argument(report, callee, &name.name));
            return None;
        }
        let callee = formal.callee.trim_matches('`');
        if formal.settings == Settings::After && name.name == "stream" {
            hir.report(habits::streams_by_call(report, callee));
            return None;
        }
        if formal.settings == Settings::After && name.name == "by" {
            hir.report(elsewhere::agent_as_argument(report, callee));
            return None;
        }
        if let Some(ours) = formal.of_library
            && let Some(sentence) = elsewhere::instead_of_argument(ours, &name.name)
        {
            let report = report.note(sentence);
            hir.report(
                match elsewhere::argument_by_another_name(ours, &name.name) {
                    Some(ours) => report.fix(format!("write `{ours}`"), place, ours),
                    None => report,
                },
            );
            return None;
        }
        let list: Vec<String> = formal
            .parameters
            .iter()
            .map(|it| format!("`{}`", it.name))
            .collect();
        hir.report(match list.is_empty() {
            true => report,
            false => report.note(format!("its parameters are {}", list.join(", "))),
        });
        return None;
    };
    if std::mem::replace(&mut given[index], true) {
        hir.report(errors::duplicate_argument(place, &name.name));
        return None;
    }
    Some(index)
}

fn too_many(hir: &mut HirBuilder, formal: Formal, found: usize, call: Call) {
    let most = formal.parameters.len() - formal.taken.min(formal.parameters.len());
    let first = call
        .arguments
        .iter()
        .filter(|it| it.name.is_none())
        .nth(most);
    let place = hir.place(first.map_or(call.arguments_span, |it| it.value.span));
    let found = found - formal.taken;
    let mut report = errors::too_many_arguments(place, formal.callee, most, found);
    if parameters_apart(formal, call).is_some() {
        report = habits::parameters_in_parentheses(report);
    }
    hir.report(match formal.of_library {
        Some("round") => errors::rounds_to_whole(report),
        Some("get") => errors::gives_optional(report),
        Some("sort") => elsewhere::sorts_by_key(report),
        Some("reduce") => elsewhere::folds_from(report),
        Some("split") => habits::split_once(report),
        Some("random") => habits::random_between(report),
        Some(name) => match elsewhere::of_each(name) {
            Some(sentence) => report.note(sentence),
            None => report,
        },
        None => report,
    });
}

/// The first parameter of a lambda whose two parameters have no parentheses, `xs.map(x, i => …)`, so that it is an argument of its
/// own.
fn parameters_apart<'a>(formal: Formal, call: Call<'a>) -> Option<&'a Name> {
    let [first, last] = call.arguments else {
        return None;
    };
    let ast::ExpressionKind::Name(name) = &first.value.kind else {
        return None;
    };
    let ast::ExpressionKind::Lambda { parameters, .. } = &last.value.kind else {
        return None;
    };
    let is_apart = parameters.len() == 1 && formal.parameters.len() == formal.taken + 1;
    (is_apart && first.name.is_none() && last.name.is_none()).then_some(name)
}

/// Whether the one argument of a function that takes two is of the form that other languages want: what is missing is reported,
/// and the argument is not compared with a parameter.
fn is_of_other_form(formal: Formal, call: Call) -> bool {
    let [only] = call.arguments else {
        return false;
    };
    formal.of_library == Some("fold") && Wait::of(&only.value) == Wait::Others
}

/// Reports parameters without a value, unless a wrong argument was most likely meant for one of them.
fn missing(hir: &mut HirBuilder, formal: Formal, given: &[bool], slots: &[Slot], span: Span) {
    let mut parameters = formal.parameters.iter();
    if parameters.any(|it| it.ty == Type::Invalid) {
        // What could not be read of the declaration may have been a default value.
        return;
    }
    let names: Vec<&str> = formal
        .parameters
        .iter()
        .zip(given)
        .filter(|(it, given)| !**given && it.default == Presence::Absent)
        .map(|(it, _)| it.name.as_str())
        .collect();
    if !names.is_empty() && slots.iter().all(|it| it.parameter.is_some()) {
        let place = hir.place(span);
        let parameters: Vec<String> = formal.parameters[formal.taken..]
            .iter()
            .map(|it| {
                let default = match it.default {
                    Presence::Present => " = …",
                    Presence::Absent => "",
                };
                format!("{}: {}{default}", it.name, hir.show(&it.ty))
            })
            .collect();
        let report = errors::missing_argument(place, &names, formal.callee);
        let report = errors::with_signature(report, &parameters);
        let optional = formal.parameters.iter().find(|it| {
            let is_missing = names.contains(&it.name.as_str());
            is_missing && matches!(hir.table.resolve(&it.ty), Type::Optional(_))
        });
        let report = optional.into_iter().fold(report, |report, it| {
            errors::needs_default(report, &it.name, &hir.show(&it.ty))
        });
        hir.report(match formal.of_library {
            Some("split") => habits::split_at_blanks(report),
            Some("fold") => elsewhere::folds_from(report),
            Some("count") => elsewhere::counts_all(report),
            Some("any") => elsewhere::has_any(report),
            Some(_) | None => report,
        });
    }
}

/// The arguments of a call of a function value.
pub(super) fn value_arguments(
    cx: &mut Context,
    function: &FunctionType,
    call: Call,
) -> Vec<(u32, ExpressionId)> {
    let (wanted, found) = (function.parameters.len(), call.arguments.len());
    if found > wanted {
        let place = cx.hir.place(call.arguments[wanted].value.span);
        cx.hir.report(errors::too_many_arguments(
            place,
            "this function",
            wanted,
            found,
        ));
    } else if found < wanted {
        let place = cx.hir.place(call.arguments_span);
        cx.hir
            .report(habits::too_few_for_value(place, wanted, found));
    }
    let mut arguments = Vec::with_capacity(found);
    for (index, argument) in (0u32..).zip(call.arguments) {
        if let Some(name) = &argument.name {
            let place = cx.hir.place(name.span);
            cx.hir.report(errors::names_of_value(place));
        }
        let expected = match function.parameters.get(index as usize) {
            Some(ty) => Expected::Type(ty.clone()),
            None => Expected::Anything,
        };
        arguments.push((index, cx.expression(&argument.value, &expected)));
    }
    // Later stages index parameters by these positions, so what is surplus must not get there; it was reported.
    arguments.truncate(wanted);
    arguments
}

/// Notes that an argument's or field's name means this parameter of a declaration.
pub(super) fn refer_field(
    hir: &mut HirBuilder,
    span: Span,
    item: gsw_source::ItemId,
    variant: u32,
    field: u32,
) {
    hir.refer(
        span,
        Reference::Field {
            item,
            variant,
            field,
        },
    );
}

/// An argument and the parameter it is for; `None` when that was reported.
struct Slot<'a> {
    parameter: Option<u32>,
    value: &'a ast::Expression,
}

#[derive(Clone, Copy, PartialEq, Eq)]
/// Which other arguments one waits for.
enum Wait {
    Nothing,
    Names,
    Others,
}

impl Wait {
    fn of(value: &ast::Expression) -> Self {
        if let ast::ExpressionKind::Parenthesized(inner) = &value.kind {
            return Self::of(inner);
        }
        // Other forms may use what the parameter wants but can do without; the body of a lambda cannot be inferred while its
        // parameters are unknown.
        if let ast::ExpressionKind::Lambda { .. } = &value.kind {
            return Self::Others;
        }
        if let ast::ExpressionKind::Literal(ast::Literal::String(_)) = &value.kind {
            return Self::Names;
        }
        Self::Nothing
    }
}
