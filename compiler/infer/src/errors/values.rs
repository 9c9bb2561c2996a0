//! Wording of reports about the types of values.

use gsw_source::{Code, Diagnostic, Place};

use super::with_article;

/// A value of one type where another is wanted.
pub fn mismatch(place: Place, wanted: &str, found: &str) -> Diagnostic {
    Diagnostic::error(
        Code::TYPE_MISMATCH,
        place,
        format!("expected `{wanted}`, found `{found}`"),
    )
}

/// `{}` where a block stands, in whose place `text` does.
pub fn empty_map(diagnostic: Diagnostic, braces: Place, text: &str) -> Diagnostic {
    diagnostic
        .note("here a `{` begins a block; an empty map is written `({})`")
        .fix("write `({})`", braces, text)
}

/// The literal whose parts are to have one type.
#[derive(Clone, Copy)]
pub enum PartsOf {
    List,
    /// The values of a map.
    Map,
    Keys,
}

/// Parts of several types in a literal.
pub fn parts_of_one_type(diagnostic: Diagnostic, of: PartsOf) -> Diagnostic {
    match of {
        PartsOf::List => diagnostic.note(
            "the elements of a list have one type; for JSON, add a type annotation: `let xs: [json] = […]`, and a tuple `(a, b)` holds several",
        ),
        PartsOf::Map => diagnostic.note(
            "the values of a map have one type; for JSON, add a type annotation: `let m: json = { … }`, and a record has a type for each field",
        ),
        PartsOf::Keys => diagnostic.note("the keys of a map have one type"),
    }
}

/// What stands at the branch that later ones are compared with.
pub fn first_branch(ty: &str) -> String {
    format!("this gives `{ty}`")
}

/// A block whose end gives nothing.
pub fn no_value(place: Place, wanted: &str) -> Diagnostic {
    Diagnostic::error(
        Code::TYPE_MISMATCH,
        place,
        format!("expected `{wanted}`, but this block ends without a value"),
    )
    .note("a block's value is its last expression")
}

/// An `if` without `else` whose value is wanted.
pub fn no_else(place: Place, wanted: &str) -> Diagnostic {
    Diagnostic::error(
        Code::TYPE_MISMATCH,
        place,
        format!("expected `{wanted}`, but this `if` has no `else`"),
    )
    .note("without `else` it gives no value; put the value for the other case in `else { … }`")
}

/// An `if` without `else` whose value gets a name.
pub fn named_without_else(place: Place) -> Diagnostic {
    Diagnostic::error(
        Code::TYPE_MISMATCH,
        place,
        "this `if` has no `else`, so it gives no value",
    )
    .note("put the value for the other case, which may be `none`, in `else { … }`")
}

/// An int literal where a float is wanted; `end` is right after it.
pub fn write_as_float(diagnostic: Diagnostic, end: Place) -> Diagnostic {
    diagnostic
        .note("an int literal is never a float")
        .fix("write it as a float", end, ".0")
}

/// How an expression must be written to take a method call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    Whole,
    /// In parentheses: it holds an operator.
    Loose,
}

/// An int where a float is wanted; the places are right before and after it.
pub fn convert_to_float(
    diagnostic: Diagnostic,
    operand: Operand,
    around: (Place, Place),
) -> Diagnostic {
    let note = "`int` and `float` do not mix; `.to_float()` converts";
    with_method(diagnostic.note(note), operand, around, ".to_float()")
}

/// A float where an int is wanted; the places are right before and after it.
pub fn convert_to_int(
    diagnostic: Diagnostic,
    operand: Operand,
    around: (Place, Place),
) -> Diagnostic {
    let note = "`int` and `float` do not mix; `.to_int()` truncates";
    // What is after the point would be gone.
    with_method(diagnostic.note(note), operand, around, ".to_int()").offered()
}

/// An optional, list or map of numbers of one kind where those of the other are wanted; the places are right before and after it.
pub fn convert_numbers(
    diagnostic: Diagnostic,
    operand: Operand,
    around: (Place, Place),
    method: &str,
) -> Diagnostic {
    let note = format!("`int` and `float` do not mix; `{method}` converts what is inside");
    with_method(diagnostic.note(note), operand, around, method).offered()
}

/// A list or map that exists, where its elements would have to be converted; the places are right before and after it.
pub fn convert_each(
    diagnostic: Diagnostic,
    operand: Operand,
    start: Place,
    end: Place,
    method: &str,
) -> Diagnostic {
    let note = format!(
        "only the elements of a literal are converted implicitly; `{method}` converts each of these"
    );
    with_method(diagnostic.note(note), operand, (start, end), method)
}

/// What gives values and takes them relates to nothing but its own type.
pub fn takes_and_gives(holder: &str, found: &str, wanted: &str) -> String {
    format!(
        "a `{holder}` both accepts and returns its contents, so their type must be exactly `{wanted}`, not `{found}`"
    )
}

/// What only takes values relates the other way round; without a holder it is a function.
pub fn only_takes(holder: Option<&str>, found: &str, wanted: &str) -> String {
    let holder = holder.map_or_else(|| "function".to_owned(), |it| format!("`{it}`"));
    format!("a {holder} that takes `{found}` cannot be given every `{wanted}`")
}

fn with_method(
    diagnostic: Diagnostic,
    operand: Operand,
    (start, end): (Place, Place),
    method: &str,
) -> Diagnostic {
    let title = format!("convert it with `{method}`");
    match operand {
        Operand::Whole => diagnostic.fix(title, end, method),
        Operand::Loose => diagnostic.fix_around(title, (start, "("), (end, &format!("){method}"))),
    }
}

/// A secret where a string is wanted.
pub fn secret_stays(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note(SECRET)
}

/// What may be done with a secret.
pub const SECRET: &str = "a secret is never compared, shown or written as text or JSON; pass it on as a header, in `env`, or to a parameter of type `secret`";

/// A variant or error without the payload that it has.
pub fn lacks_payload(diagnostic: Diagnostic, name: &str) -> Diagnostic {
    diagnostic.note(format!(
        "`{name}` has a payload: construct it with `{name}(…)`"
    ))
}

/// An answer with its details where the answer is wanted; `end` is right after it.
pub fn value_of_response(diagnostic: Diagnostic, end: Place) -> Diagnostic {
    diagnostic
        .note("`.detail(…)` gives a `Response`, whose field `value` is the answer")
        .fix("take its `value`", end, ".value")
}

/// A value that cannot be written as JSON where `json` is wanted.
pub fn without_json_form(diagnostic: Diagnostic, found: &str) -> Diagnostic {
    diagnostic.note(format!("`{found}` has no JSON form"))
}

/// A list that is to be ordered by nothing.
pub fn order_by_part(diagnostic: Diagnostic, function: &str) -> Diagnostic {
    let by = match function {
        "sort_desc" => "sort_by_desc(it => …)".to_owned(),
        name => format!("{name}_by(it => …)"),
    };
    diagnostic.note(format!("`{by}` orders by a part of each element"))
}

pub fn items_of_queues(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note(
        "an item must be recordable, so it holds no function, task, session or queue; and it is not optional, because `none` marks the end of a queue",
    )
}

/// A string whose characters are to be run over.
pub fn characters(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("`.chars()` gives the characters of a string")
}

pub fn range_to(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("`0..n` is the range of the ints below `n`")
}

/// A value of a program's own type after `fail`.
pub fn declared_errors(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("an error is declared with `error Name(field: type)`; for a plain message, use the built-in `Failed(message)`")
}

/// A conversion that a method does; `span` is the conversion, `text` the value.
pub fn method_converts(
    diagnostic: Diagnostic,
    place: Place,
    text: &str,
    method: &str,
) -> Diagnostic {
    diagnostic.fix(
        format!("write `{method}`"),
        place,
        format!("{text}{method}"),
    )
}

/// A string where a union of literals is wanted.
pub fn checked_as(diagnostic: Diagnostic, wanted: &str) -> Diagnostic {
    diagnostic.note(format!("`… as {wanted}` checks it at run time"))
}

/// A `json` where something typed is wanted.
pub fn decode_json(diagnostic: Diagnostic, wanted: &str, end: Place) -> Diagnostic {
    diagnostic.fix(
        format!("decode it with `as {wanted}`"),
        end,
        format!(" as {wanted}"),
    )
}

/// A `json` before `??` where something typed is wanted: what is not there, or another value, gives the default.
pub fn decode_json_or_default(diagnostic: Diagnostic, wanted: &str, end: Place) -> Diagnostic {
    diagnostic
        .note(format!("`as? {wanted}` gives `none` for another value, and `j.get(\"name\")` for a field that is not there; `as` and `j.name` raise `DecodeError`"))
        .offer(
            format!("decode it with `as? {wanted}`"),
            end,
            format!(" as? {wanted}"),
        )
}

/// An operator between two values of which nothing is known.
pub fn decode_both(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("decode the parts of a `json` first: `(j.x as int) + (j.y as int)`, or all of it: `j as Point`")
}

/// `none` where the type does not allow it.
pub fn none_needs_optional(diagnostic: Diagnostic, wanted: &str) -> Diagnostic {
    diagnostic.note(format!(
        "a value that may be `none` has the type `{wanted}?`"
    ))
}

/// An optional where its inside is wanted.
pub fn may_be_none(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note(
        "it may be `none`: give a default value with `??`, or unwrap it with `match` or `if let`",
    )
}

/// An optional to the right of an operator that takes it before the `??` after it does; the places are those of parentheses.
pub fn default_is_looser(
    diagnostic: Diagnostic,
    operator: &str,
    start: Place,
    end: Place,
) -> Diagnostic {
    let note = format!(
        "`{operator}` binds more tightly than `??`: put the optional and its default in parentheses"
    );
    diagnostic
        .note(note)
        .fix_around("put them in parentheses", (start, "("), (end, ")"))
}

/// A number where a duration is wanted.
pub fn write_duration(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("a duration has a unit: `5s`, `250ms`; for a number `n`, write `1s * n`")
}

/// A `Result` where what is in it is wanted.
pub fn outcome_first(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("a `Result` is unwrapped by `match r { Ok(value) => …, Err(error) => … }`; functions raise errors without one")
}

/// A duration and a float.
pub fn whole_durations(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("a duration is counted in whole parts: `1h * 3 / 2`, `90m`")
}

/// A value where a string is wanted; the places are right before and after it.
pub fn interpolate(diagnostic: Diagnostic, text: TextOf, around: (Place, Place)) -> Diagnostic {
    let note = "nothing is converted to a string implicitly: interpolate it, `\"${…}\"`";
    let diagnostic =
        diagnostic
            .note(note)
            .fix_around("interpolate it", (around.0, "\"${"), (around.1, "}\""));
    match text {
        TextOf::Plain => diagnostic,
        TextOf::Json => diagnostic.offered(),
    }
}

/// What the text of a value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextOf {
    /// A number, a truth value, a time: its text is the value.
    Plain,
    /// Its JSON, which is rarely what is wanted where a text is.
    Json,
}

/// A pair of a map's key and value where a string is wanted.
pub fn pairs_of_map(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("a `for` over a map gives pairs: `for (key, value) in m { … }`; `m.keys()` are the keys alone")
}

/// A branch beside one that gives JSON: what is written there is made JSON only where that is wanted.
pub fn branches_of_json(diagnostic: Diagnostic, ty: &str) -> Diagnostic {
    diagnostic.note(format!(
        "add a type annotation, which applies to each branch: `let x: {ty} = if … {{ … }} else {{ … }}`"
    ))
}

/// A type that nothing determines.
pub fn cannot_infer(place: Place, what: &str) -> Diagnostic {
    Diagnostic::error(
        Code::CANNOT_INFER_TYPE,
        place,
        format!("cannot infer the type of {what}"),
    )
    .note("write it: `name: type`")
}

/// Something is done to a value whose type is not known yet at this point.
pub fn cannot_infer_here(place: Place, name: &str) -> Diagnostic {
    Diagnostic::error(
        Code::CANNOT_INFER_TYPE,
        place,
        format!("the type of this is not known here, so `{name}` cannot be looked up"),
    )
    .note("add a type annotation to the parameter or variable that it comes from")
}

/// The variable that holds values of a type which is not known yet.
pub fn annotate_holder(diagnostic: Diagnostic, name: Place, local: &str, ty: &str) -> Diagnostic {
    let label = format!("`{local}` is `{ty}` so far: write its type after the name");
    diagnostic.label(name, label)
}

/// An operator on types that it does not take.
pub fn wrong_operands(place: Place, operator: &str, left: &str, right: &str) -> Diagnostic {
    Diagnostic::error(
        Code::WRONG_OPERANDS,
        place,
        format!("`{operator}` does not take `{left}` and `{right}`"),
    )
}

/// A prefix operator on a type that it does not take.
pub fn wrong_operand(place: Place, operator: &str, found: &str) -> Diagnostic {
    Diagnostic::error(
        Code::WRONG_OPERANDS,
        place,
        format!("`{operator}` does not take `{found}`"),
    )
}

/// An operator needs something that a type cannot do.
pub fn not_able(place: Place, ty: &str, ability: &str) -> Diagnostic {
    Diagnostic::error(
        Code::WRONG_OPERANDS,
        place,
        format!("values of type `{ty}` cannot be {ability}"),
    )
}

/// A value without a JSON form where one is needed.
pub fn no_json_form(place: Place, ty: &str) -> Diagnostic {
    Diagnostic::error(
        Code::NO_JSON_FORM,
        place,
        format!("`{ty}` has no JSON form"),
    )
}

/// A type argument that cannot do what the function's body needs.
pub fn unmet_requirement(
    place: Place,
    function: &str,
    parameter: &str,
    ty: &str,
    ability: &str,
) -> Diagnostic {
    Diagnostic::error(
        Code::UNMET_REQUIREMENT,
        place,
        format!("`{function}` needs a `{parameter}` that can be {ability}, and `{ty}` cannot"),
    )
}

/// `?.` or `??` on what is always there.
pub fn not_optional(place: Place, operator: &str, ty: &str) -> Diagnostic {
    Diagnostic::error(
        Code::NOT_OPTIONAL,
        place,
        format!(
            "`{operator}` needs an optional, and this is {}, which is never `none`",
            with_article(ty)
        ),
    )
}

/// `[ ]` on what has no elements.
pub fn not_indexable(place: Place, ty: &str) -> Diagnostic {
    Diagnostic::error(
        Code::NOT_INDEXABLE,
        place,
        format!("`{ty}` cannot be indexed; lists, maps and `json` can"),
    )
}

/// `for` over what has no elements.
pub fn not_iterable(place: Place, ty: &str) -> Diagnostic {
    Diagnostic::error(
        Code::NOT_ITERABLE,
        place,
        format!(
            "cannot iterate over `{ty}`; lists, maps, ranges, streams and queues can be iterated over"
        ),
    )
}

/// A `json` where its elements are wanted.
pub fn elements_of_json(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic
        .note("`.items()` gives the elements of a `json` array, `.entries()` those of an object")
}

/// `as` between types without such a conversion.
pub fn invalid_conversion(place: Place, from: &str, to: &str) -> Diagnostic {
    Diagnostic::error(
        Code::INVALID_CONVERSION,
        place,
        format!("`{from}` cannot become `{to}` with `as`"),
    )
    .note("`as` decodes a `json` and checks a string against a union of literals or the names of an enum without payloads")
}

/// A string that is to be something else.
pub fn parse_number(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic
        .note("text is converted with `.parse_int()`, `.parse_float()` and `time.parse(text)`, and JSON with `json.parse(text) as …`")
}

pub fn slice_instead(place: Place) -> Diagnostic {
    Diagnostic::error(Code::NOT_INDEXABLE, place, "a range cannot be an index")
        .note("to take a part, use `.slice(from, to)`, `.take(n)` or `.drop(n)`")
}

/// A tuple between brackets' left.
pub fn parts_by_number(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("the parts of a tuple are `t.0`, `t.1`, and `let (a, b) = t` destructures it")
}

/// A string between brackets' left.
pub fn part_of_text(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic
        .note("use `.slice(from, to)` for a part of a text, and `.chars()` for its characters")
}

/// `"a" * 3`
pub fn repeat_text(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("repeat a text with `.repeat(n)`")
}

/// `[0] * 3`
pub fn repeat_list(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("a list of equal elements is made from a range: `(0..n).map(_ => 0)`")
}

/// `"%d" % n`
pub fn interpolate_instead(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("put values into text with `\"${…}\"`")
}

/// `await` or `race` of what is no task.
pub fn not_awaitable(place: Place, word: &str, ty: &str) -> Diagnostic {
    Diagnostic::error(
        Code::NOT_AWAITABLE,
        place,
        format!("`{word}` needs tasks, found `{ty}`"),
    )
}

/// A race of a tuple.
pub fn race_takes_list(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("the tasks of a race stand in a list: `race [t1, t2]`")
}

/// `await` of what is done at once.
pub fn spawned_first(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("`spawn` starts an expression as a task")
}

/// `await` of a stream.
pub fn whole_stream(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("`s.result()` waits for the whole answer of a stream")
}

/// A field that is assigned, of what does not change.
pub fn assigned_field(diagnostic: Diagnostic, record: &str, field: &str) -> Diagnostic {
    diagnostic.note(format!(
        "`Name {{ {field}: …, ..{record} }}`, with the type's name, makes another record"
    ))
}

/// An element of a list or map that is assigned, of what does not change.
pub fn assigned_element(diagnostic: Diagnostic, whole: &str) -> Diagnostic {
    diagnostic.note(format!(
        "`{whole}.insert(key, value)` makes another map, and `{whole}.set(index, value)` another list"
    ))
}

/// Something else that is assigned.
pub fn assigned_value(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("values never change; make a new one and assign that to the variable")
}

/// A part of a `json` that is assigned.
pub fn assigned_json(place: Place, whole: &str) -> Diagnostic {
    Diagnostic::error(
        Code::NOT_ASSIGNABLE,
        place,
        "cannot assign to a part of a `json`".to_owned(),
    )
    .note(format!(
        "`{whole} as T` decodes it into a record, whose parts can be assigned; or keep a `{{string: json}}`"
    ))
}

/// A place after `?.` that is assigned.
pub fn assigned_maybe_none(place: Place) -> Diagnostic {
    Diagnostic::error(
        Code::NOT_ASSIGNABLE,
        place,
        "cannot assign after `?.`, where the value may be `none`".to_owned(),
    )
    .note("unwrap the optional with `if let`, change it in a `var`, and assign the whole")
}

/// An assignment to what is not a variable.
pub fn not_assignable(place: Place, what: &str) -> Diagnostic {
    Diagnostic::error(
        Code::NOT_ASSIGNABLE,
        place,
        format!("cannot assign to {what}; only a `var` or `state` may be assigned"),
    )
}

/// `??` after what is always there.
pub fn needless_fallback(place: Place, ty: &str) -> Diagnostic {
    Diagnostic::warning(
        Code::NOT_OPTIONAL,
        place,
        format!(
            "this is {}, which is never `none`, so the value after `??` is never used",
            with_article(ty)
        ),
    )
}

/// A text after `fail`; the places are right before and after it.
pub fn fail_with_text(diagnostic: Diagnostic, start: Place, end: Place) -> Diagnostic {
    diagnostic
        .note("for a plain message, use the built-in error `Failed(message)`")
        .fix_around("use `Failed`", (start, "Failed("), (end, ")"))
}
