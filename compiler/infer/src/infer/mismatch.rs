//! Why a value is not of the type that is wanted, and what would make it one.

use gsw_names::types::{Type, parts};
use gsw_names::{KnownItem, Variance, parameters_end, type_variances};
use gsw_source::{Diagnostic, ItemId, Name, Place, Span, Suggestion};

use crate::errors::elsewhere;
use crate::errors::habits;
use crate::errors::literals;
use crate::errors::values as errors;
use crate::hir::{BinaryOperator, Callee, ExpressionId, ExpressionKind};
use crate::infer::hir_builder::HirBuilder;
use crate::infer::lookup;
use crate::infer::narrowing;
use crate::infer::table::Table;

/// A literal among strings that is none of those that are wanted.
struct Outside {
    text: Name,
    span: Span,
    /// What was most likely meant.
    meant: Option<Suggestion>,
}

/// The report that an expression is not of type `target`.
pub(super) fn mismatch(hir: &HirBuilder, id: ExpressionId, target: &Type) -> Diagnostic {
    let span = hir.span(id);
    let place = hir.place(span);
    let actual = hir.ty(id);
    let (found, wanted) = (hir.show(&actual), hir.show(target));
    let is_none = matches!(hir.arena.get(id).kind, ExpressionKind::None);
    let found = if is_none { "none".to_owned() } else { found };
    let diagnostic = errors::mismatch(place, &wanted, &found);
    if let Some(note) = why_not_below(hir, &actual, target) {
        return diagnostic.note(note);
    }
    let around = (hir.place_before(span), hir.place_after(span));
    if let Some(answered) = habit(hir, diagnostic.clone(), id, target) {
        return answered;
    }
    if let Some(method) = numbers_inside(hir, &actual, target) {
        return errors::convert_numbers(diagnostic, operand_form(hir, id), around, &method);
    }
    match (hir.table.operand(&actual), hir.table.operand(target)) {
        // The order matters: the most particular advice first. A rule for `_` at one side comes after all that name both.
        (Type::Int, Type::Float) => float_wanted(hir, diagnostic, id),
        (Type::Int | Type::Float, Type::Duration) => errors::write_duration(diagnostic),
        (Type::Float, Type::Int) => {
            errors::convert_to_int(diagnostic, operand_form(hir, id), around)
        }
        // No fix: a conversion would be the leak.
        (Type::Secret, Type::String | Type::Json) => errors::secret_stays(diagnostic),
        (Type::String, _) if hir.table.wanted_literals(target).is_some() => {
            why_no_union(hir, diagnostic, &actual, target)
        }
        (Type::List(_), Type::List(_))
        | (Type::Map(..), Type::Map(..))
        | (Type::Tuple(_), Type::Tuple(_)) => why_no_parts(hir, diagnostic, id, target),
        (Type::Tuple(_), Type::List(_)) if is_parallel(hir, id) => {
            elsewhere::parallel_gives_tuple(diagnostic)
        }
        (Type::Json, _) => decoded(hir, diagnostic, &wanted, span),
        (Type::Optional(from), Type::Optional(to)) if would_convert(hir, &from, &to) => {
            convert_each(hir, diagnostic, id, ".map(x => x)")
        }
        (Type::Optional(_), _) if is_none => errors::none_needs_optional(diagnostic, &wanted),
        (Type::Optional(_), _) => of_optional(hir, diagnostic, id, target),
        (Type::String, Type::Function(_)) => habits::function_for_text(diagnostic),
        (Type::Task(_), _) => await_first(hir, diagnostic, id),
        (Type::Function(_), _) if constructor_name(hir, id).is_some() => {
            errors::lacks_payload(diagnostic, &constructor_name(hir, id).unwrap_or_default())
        }
        (Type::Record(item, _), _)
            if KnownItem::Response.is(hir.db, item) && !matches!(target, Type::Record(..)) =>
        {
            errors::value_of_response(diagnostic, hir.place_after(span))
        }
        (Type::Unit, Type::Map(..) | Type::Json) if is_empty_block(hir, span) => {
            errors::empty_map(diagnostic, place, empty_map_for(hir, span))
        }
        (Type::Unit, _) if let Some(called) = called_without_result(hir, id) => {
            lacks_result(hir, diagnostic, called, target)
        }
        (_, Type::Json) => errors::without_json_form(diagnostic, &found),
        // These have no text, so interpolation would be wrong advice below.
        (Type::Unit | Type::Function(_) | Type::Agent, _) => diagnostic,
        (found, Type::String) => interpolated(hir, diagnostic, id, &found),
        _ => diagnostic,
    }
}

/// The report of a `json` where something typed is wanted; before `??` one that is not there is meant to give the default.
fn decoded(hir: &HirBuilder, diagnostic: Diagnostic, wanted: &str, span: Span) -> Diagnostic {
    let behind = Span::new(span.end, span.end + 4);
    let text = gsw_names::source_text(hir.db, hir.item, behind);
    let end = hir.place_after(span);
    match text.trim_start().starts_with("??") {
        true => errors::decode_json_or_default(diagnostic, wanted, end),
        false => errors::decode_json(diagnostic, wanted, end),
    }
}

fn is_parallel(hir: &HirBuilder, id: ExpressionId) -> bool {
    matches!(hir.arena.get(id).kind, ExpressionKind::Parallel { .. })
}

/// The report that `id`, an int, is no float.
pub(super) fn float_wanted(
    hir: &HirBuilder,
    diagnostic: Diagnostic,
    id: ExpressionId,
) -> Diagnostic {
    let span = hir.span(id);
    let (before, after) = (hir.place_before(span), hir.place_after(span));
    if matches!(hir.arena.get(id).kind, ExpressionKind::Int(_)) {
        errors::write_as_float(diagnostic, after)
    } else if is_quotient(hir, id) {
        elsewhere::quotient_of_ints(diagnostic)
    } else {
        errors::convert_to_float(diagnostic, operand_form(hir, id), (before, after))
    }
}

/// The call that makes the numbers in an optional, list or map those that are wanted.
fn numbers_inside(hir: &HirBuilder, actual: &Type, target: &Type) -> Option<String> {
    let (actual, target) = (hir.table.operand(actual), hir.table.operand(target));
    let (method, from, to) = match (&actual, &target) {
        (Type::Optional(from), Type::Optional(to)) | (Type::List(from), Type::List(to)) => {
            ("map", from, to)
        }
        (Type::Map(key, from), Type::Map(wanted_key, to))
            if hir.table.operand(key) == hir.table.operand(wanted_key) =>
        {
            ("map_values", from, to)
        }
        // Everything else holds no numbers that one method would convert.
        _ => return None,
    };
    let inner = match (hir.table.operand(from), hir.table.operand(to)) {
        (Type::Int, Type::Float) => "x.to_float()".to_owned(),
        (Type::Float, Type::Int) => "x.to_int()".to_owned(),
        _ => format!("x{}", numbers_inside(hir, from, to)?),
    };
    Some(format!(".{method}(x => {inner})"))
}

/// An optional where its inside is wanted.
fn of_optional(
    hir: &HirBuilder,
    diagnostic: Diagnostic,
    id: ExpressionId,
    target: &Type,
) -> Diagnostic {
    if let Some(value) = narrowing::bare_condition(hir, id, target) {
        return habits::optional_condition(diagnostic, hir.place(hir.span(id)), &value);
    }
    match narrowing::tested_value(hir, id) {
        Some(value) => habits::comparison_narrows_nothing(diagnostic, &value),
        None => errors::may_be_none(diagnostic),
    }
}

/// A task where its value is wanted.
fn await_first(hir: &HirBuilder, diagnostic: Diagnostic, id: ExpressionId) -> Diagnostic {
    let start = hir.place_before(hir.span(id));
    if matches!(hir.arena.get(id).kind, ExpressionKind::Spawn(_)) {
        elsewhere::await_or_gather(diagnostic, start)
    } else {
        elsewhere::await_it(diagnostic, start)
    }
}

/// The report with what is written here, where other languages accept the text as it is.
fn habit(
    hir: &HirBuilder,
    diagnostic: Diagnostic,
    id: ExpressionId,
    target: &Type,
) -> Option<Diagnostic> {
    let (span, kind) = (hir.span(id), &hir.arena.get(id).kind);
    let types = (hir.table.operand(&hir.ty(id)), hir.table.operand(target));
    Some(match types {
        (Type::String, Type::Error) => {
            let around = (hir.place_before(span), hir.place_after(span));
            elsewhere::failed_with_text(diagnostic, around)
        }
        (Type::Error, _) if matches!(kind, ExpressionKind::ErrorValue { .. }) => {
            elsewhere::raised(diagnostic)
        }
        (Type::Unit, Type::Json) if !is_empty_block(hir, span) => {
            elsewhere::null_is_none(diagnostic)
        }
        (Type::List(_), Type::Int) if matches!(kind, ExpressionKind::Range { .. }) => {
            habits::bounds_apart(diagnostic)
        }
        (Type::Map(..) | Type::List(_), target) if lookup::is_set(hir.db, &target) => {
            habits::made_of_list(diagnostic)
        }
        (Type::Int, Type::Bool) => elsewhere::condition(diagnostic, "n != 0"),
        (Type::String | Type::List(_) | Type::Map(..), Type::Bool) => {
            elsewhere::condition(diagnostic, "not xs.is_empty()")
        }
        (Type::Function(_), _) if let Some(name) = uncalled(hir, id, target) => {
            habits::call_it(diagnostic, &name, hir.place_after(span))
        }
        (Type::Unit, Type::List(_)) if matches!(kind, ExpressionKind::For { .. }) => {
            elsewhere::mapped(diagnostic)
        }
        (Type::String, Type::List(of)) if hir.table.operand(&of) == Type::String => {
            elsewhere::one_text_for_several(diagnostic)
        }
        (found, Type::List(of)) if hir.table.operand(&of) == found => {
            elsewhere::one_for_several(diagnostic)
        }
        (Type::String, Type::Enum(item, _)) => of_text(hir, diagnostic, id, item),
        (Type::String, Type::Duration) => {
            let ExpressionKind::String(text) = kind else {
                return None;
            };
            gsw_notation::duration::literal(text)
                .is_ok()
                .then(|| habits::duration_in_quotes(diagnostic, hir.place(span), text))?
        }
        (Type::String, Type::Int) => number_of_text(hir, diagnostic, id, "parse_int")?,
        (Type::String, Type::Float) => number_of_text(hir, diagnostic, id, "parse_float")?,
        (Type::String, Type::Session) => habits::begins_conversation(diagnostic),
        (Type::String, Type::Image) => habits::made_of_file(diagnostic, "image"),
        (Type::String, Type::Document) => habits::made_of_file(diagnostic, "document"),
        (Type::Stream(_), _) => habits::result_of_stream(diagnostic, hir.place_after(span)),
        (Type::Bool | Type::Function(_), Type::Enum(item, _)) if is_decision(hir, item) => {
            habits::decides(diagnostic)
        }
        (Type::List(from), Type::List(_)) if holds_results(hir, &from) => {
            habits::settled(diagnostic)
        }
        _ => return None,
    })
}

/// A text where a number is wanted, which `method` makes of it; `None` for one that is written and no number.
fn number_of_text(
    hir: &HirBuilder,
    diagnostic: Diagnostic,
    id: ExpressionId,
    method: &str,
) -> Option<Diagnostic> {
    let ExpressionKind::String(text) = &hir.arena.get(id).kind else {
        return Some(habits::number_of_text(diagnostic, method));
    };
    let is_number = text.parse::<f64>().is_ok_and(f64::is_finite);
    let is_whole = text.parse::<i64>().is_ok();
    (is_number && is_whole == (method == "parse_int"))
        .then(|| habits::number_in_quotes(diagnostic, hir.place(hir.span(id)), text))
}

fn is_decision(hir: &HirBuilder, item: gsw_source::ItemId) -> bool {
    item.name(hir.db) == "Decision" && gsw_names::is_std(hir.db, item.file(hir.db))
}

fn holds_results(hir: &HirBuilder, element: &Type) -> bool {
    let element = hir.table.operand(element);
    matches!(element, Type::Enum(item, _) if KnownItem::Result.is(hir.db, item))
}

/// A value where a text is wanted.
fn interpolated(
    hir: &HirBuilder,
    diagnostic: Diagnostic,
    id: ExpressionId,
    found: &Type,
) -> Diagnostic {
    let (span, kind) = (hir.span(id), &hir.arena.get(id).kind);
    let around = (hir.place_before(span), hir.place_after(span));
    // What is written as a number would rather be written in quotes.
    let text = match matches!(kind, ExpressionKind::Int(_) | ExpressionKind::Float(_)) {
        true => errors::TextOf::Json,
        false => text_of(found),
    };
    let diagnostic = errors::interpolate(diagnostic, text, around);
    let is_pair = matches!(found, Type::Tuple(parts) if parts.len() == 2);
    match is_pair && matches!(kind, ExpressionKind::Local(_)) {
        true => errors::pairs_of_map(diagnostic),
        false => diagnostic,
    }
}

/// A text where a variant is wanted.
pub(super) fn of_text(
    hir: &HirBuilder,
    diagnostic: Diagnostic,
    id: ExpressionId,
    item: gsw_source::ItemId,
) -> Diagnostic {
    let named = if let ExpressionKind::String(text) = &hir.arena.get(id).kind {
        let mut variants = lookup::variants(hir.db, item).iter();
        variants.find(|it| it.name == *text && it.fields.is_empty())
    } else {
        None
    };
    let place = hir.place(hir.span(id));
    match named {
        Some(it) => elsewhere::variant_in_quotes(diagnostic, place, &it.name),
        None if gsw_names::is_plain_enum(hir.db, item) => {
            elsewhere::variant_of_text(diagnostic, item.name(hir.db))
        }
        None => diagnostic,
    }
}

/// What interpolation makes of a value.
pub(super) const fn text_of(ty: &Type) -> errors::TextOf {
    let is_plain = matches!(
        ty,
        Type::Bool | Type::Int | Type::Float | Type::Duration | Type::Time | Type::String
    );
    match is_plain {
        true => errors::TextOf::Plain,
        false => errors::TextOf::Json,
    }
}

/// Whether an int is one divided by another, whose rest a conversion would not bring back.
pub(super) fn is_quotient(hir: &HirBuilder, id: ExpressionId) -> bool {
    matches!(
        hir.arena.get(id).kind,
        ExpressionKind::Binary {
            operator: BinaryOperator::Divide,
            ..
        }
    )
}

/// What is called, where its author has written no result.
pub(super) fn called_without_result(hir: &HirBuilder, id: ExpressionId) -> Option<ItemId> {
    let (ExpressionKind::Call {
        callee: Callee::Item { item, .. },
        ..
    }
    | ExpressionKind::PromptCall { item, .. }) = &hir.arena.get(id).kind
    else {
        return None;
    };
    (!gsw_names::is_std(hir.db, item.file(hir.db))).then_some(*item)
}

/// The report of a value that an item does not give, since its author has written no result.
pub(super) fn lacks_result(
    hir: &HirBuilder,
    diagnostic: Diagnostic,
    item: ItemId,
    wanted: &Type,
) -> Diagnostic {
    let wanted = hir.show(wanted);
    // What is not known yet has no name that could be written, and other files are not mended from here.
    let is_known = !wanted.contains('_');
    let is_own = item.file(hir.db) == hir.item.file(hir.db);
    let end = parameters_end(hir.db, item).filter(|_| is_known && is_own);
    let wanted = match is_known {
        true => wanted,
        false => "…".to_owned(),
    };
    let end = end.map(|at| Place::Item {
        item,
        span: Span::new(at, at),
    });
    elsewhere::states_no_result(diagnostic, item.name(hir.db), &wanted, end)
}

/// Whether nothing is between two braces.
pub(super) fn is_empty_block(hir: &HirBuilder, span: Span) -> bool {
    let written = gsw_names::source_text(hir.db, hir.item, span);
    written
        .strip_prefix('{')
        .and_then(|it| it.strip_suffix('}'))
        .is_some_and(|it| it.trim().is_empty())
}

/// What gives an empty map where this empty block stands: after `=>` a value may stand in its place, elsewhere only in it.
pub(super) fn empty_map_for(hir: &HirBuilder, block: Span) -> &'static str {
    let before = Span::new(0, block.start);
    let before = gsw_names::source_text(hir.db, hir.item, before);
    match before.trim_end().ends_with("=>") {
        true => "({})",
        false => "{ ({}) }",
    }
}

/// Why a collection or tuple is not of another type of its form: what its parts would have to become.
fn why_no_parts(
    hir: &HirBuilder,
    diagnostic: Diagnostic,
    id: ExpressionId,
    target: &Type,
) -> Diagnostic {
    let actual = hir.ty(id);
    let forms = (hir.table.operand(&actual), hir.table.operand(target));
    if let (Type::List(from), Type::List(to)) = &forms
        && would_convert(hir, from, to)
    {
        convert_each(hir, diagnostic, id, ".map(x => x)")
    } else if let (Type::Map(key, from), Type::Map(wanted, to)) = &forms
        && hir.table.operand(key) == hir.table.operand(wanted)
        && would_convert(hir, from, to)
    {
        convert_each(hir, diagnostic, id, ".map_values(x => x)")
    } else {
        why_no_union(hir, diagnostic, &actual, target)
    }
}

/// Why a type is not below another of its form although their arguments are related: what takes values turns the direction.
fn why_not_below(hir: &HirBuilder, actual: &Type, target: &Type) -> Option<String> {
    let (actual, target) = (hir.table.resolve(actual), hir.table.resolve(target));
    if actual == target {
        return None;
    }
    let below = |(left, right): (&Type, &Type)| why_not_below(hir, left, right);
    let exact = |holder: &str, left: &Type, right: &Type| {
        are_related(hir, left, right)
            .then(|| errors::takes_and_gives(holder, &hir.show(left), &hir.show(right)))
    };
    let taken = |holder: Option<&str>, left: &Type, right: &Type| {
        are_related(hir, left, right)
            .then(|| errors::only_takes(holder, &hir.show(left), &hir.show(right)))
    };
    match (&actual, &target) {
        (Type::Queue(left), Type::Queue(right)) => exact("Queue", left, right),
        (Type::Function(left), Type::Function(right)) => {
            let mut parameters = left.parameters.iter().zip(right.parameters.iter());
            parameters
                .find_map(|(left, right)| taken(None, left, right))
                .or_else(|| below((&left.result, &right.result)))
        }
        (Type::Record(left, some), Type::Record(right, others))
        | (Type::Enum(left, some), Type::Enum(right, others))
        | (Type::Checked(left, some), Type::Checked(right, others))
            if left == right =>
        {
            let name = left.name(hir.db);
            let mut arguments = some.iter().zip(others.iter());
            let mut variances = type_variances(hir.db, *left).iter();
            arguments.find_map(|(left, right)| match variances.next()? {
                Variance::Covariant => below((left, right)),
                Variance::Contravariant => taken(Some(name), left, right),
                Variance::Invariant => exact(name, left, right),
            })
        }
        (Type::Optional(left), Type::Optional(right))
        | (Type::List(left), Type::List(right))
        | (Type::Task(left), Type::Task(right))
        | (Type::Map(_, left), Type::Map(_, right)) => below((left, right)),
        (Type::Tuple(left), Type::Tuple(right)) => left.iter().zip(right.iter()).find_map(below),
        // Types that hold no others, or that are of different forms, differ for other reasons.
        _ => None,
    }
}

/// Whether two types that are not the same would convert one way or the other.
fn are_related(hir: &HirBuilder, left: &Type, right: &Type) -> bool {
    let (left, right) = (hir.table.resolve(left), hir.table.resolve(right));
    left != right
        && (hir.table.operand(&left) == hir.table.operand(&right)
            || would_convert(hir, &left, &right)
            || would_convert(hir, &right, &left))
}

/// Whether an element of one type converts to another, where that is certain.
fn would_convert(hir: &HirBuilder, actual: &Type, target: &Type) -> bool {
    let (actual, target) = (hir.table.resolve(actual), hir.table.resolve(target));
    if target == Type::Json {
        return matches!(
            actual,
            Type::Bool | Type::Int | Type::Float | Type::String | Type::Duration
        );
    }
    let inner = if let Type::Optional(inner) = &target {
        Some((**inner).clone())
    } else if let Type::Checked(item, arguments) = &target {
        lookup::alias_target(hir.db, *item, arguments)
    } else {
        None
    };
    inner.is_some_and(|inner| actual == inner || would_convert(hir, &actual, &inner))
}

/// A collection whose elements must be converted one by one.
fn convert_each(
    hir: &HirBuilder,
    diagnostic: Diagnostic,
    id: ExpressionId,
    method: &str,
) -> Diagnostic {
    let kind = &hir.arena.get(id).kind;
    if matches!(kind, ExpressionKind::List(_) | ExpressionKind::Map(_)) {
        return diagnostic;
    }
    let (span, form) = (hir.span(id), operand_form(hir, id));
    let (before, after) = (hir.place_before(span), hir.place_after(span));
    errors::convert_each(diagnostic, form, before, after, method)
}

/// Shows the literals that make strings in `actual` none of those that `target` is made of; what only a run knows can
/// be checked there.
fn why_no_union(
    hir: &HirBuilder,
    diagnostic: Diagnostic,
    actual: &Type,
    target: &Type,
) -> Diagnostic {
    let mut outside = Vec::new();
    // At any depth: in `[[string]]` it is the one literal that a reader wants to see.
    literals_outside(&hir.table, actual, target, &mut outside);
    if outside.is_empty() {
        return match hir.table.wanted_literals(target) {
            Some(_) => {
                let target = hir.table.resolve(target);
                if let Type::Optional(inner) = &target {
                    habits::asked_as(diagnostic, &hir.show(inner))
                } else {
                    errors::checked_as(diagnostic, &hir.show(&target))
                }
            }
            None => diagnostic,
        };
    }
    // One change fixes nothing where several are needed.
    let is_only = outside.len() == 1;
    outside.iter().take(3).fold(diagnostic, |it, literal| {
        let place = hir.place(literal.span);
        let meant = literal.meant.as_ref().filter(|_| is_only);
        literals::literal_outside(it, place, &literal.text, meant)
    })
}

fn literals_outside(table: &Table, actual: &Type, target: &Type, found: &mut Vec<Outside>) {
    let (actual, target) = (table.unchecked(actual), table.unchecked(target));
    if let Type::Text(text) = &actual {
        let Some(names) = table.wanted_literals(&target) else {
            return;
        };
        // Remembered with their places, since the expression that is reported may only hold a variable.
        let written = table.texts.literals(*text).into_iter();
        let outside = written.filter(|(text, _)| !names.contains(text));
        found.extend(outside.map(|(text, span)| Outside {
            meant: gsw_source::nearest(&text, names.iter()),
            text,
            span,
        }));
    } else if !matches!(actual, Type::Function(_)) {
        let pairs = parts(&actual).into_iter().zip(parts(&target));
        pairs.for_each(|(actual, target)| literals_outside(table, &actual, &target, found));
    }
}

/// The variant or error that an expression names without its payload.
pub(super) fn constructor_name(hir: &HirBuilder, id: ExpressionId) -> Option<String> {
    let ExpressionKind::ConstructorValue { item, variant } = hir.arena.get(id).kind else {
        return None;
    };
    let variants = lookup::variants(hir.db, item);
    let variant = variants.get(variant as usize).map(|it| it.name.to_string());
    variant.or_else(|| Some(item.name(hir.db).to_string()))
}

/// The name of a function without parameters, whose value would be of type `target`.
pub(super) fn uncalled(hir: &HirBuilder, id: ExpressionId, target: &Type) -> Option<Name> {
    let Type::Function(function) = hir.table.operand(&hir.ty(id)) else {
        return None;
    };
    let ExpressionKind::FunctionValue { item, .. } = hir.arena.get(id).kind else {
        return None;
    };
    let given = hir.table.operand(&function.result);
    let is_meant = function.parameters.is_empty() && given == hir.table.operand(target);
    is_meant.then(|| item.name(hir.db).clone())
}

/// Whether a method call can be written right after an expression.
pub(super) fn operand_form(hir: &HirBuilder, id: ExpressionId) -> errors::Operand {
    let is_whole = matches!(
        hir.arena.get(id).kind,
        ExpressionKind::Local(_)
            | ExpressionKind::Constant(_)
            | ExpressionKind::Field { .. }
            | ExpressionKind::TupleField { .. }
            | ExpressionKind::JsonField { .. }
            | ExpressionKind::Index { .. }
            | ExpressionKind::Float(_)
            | ExpressionKind::Call { .. }
            | ExpressionKind::List(_)
            | ExpressionKind::Tuple(_)
    );
    if is_whole {
        errors::Operand::Whole
    } else {
        errors::Operand::Loose
    }
}
