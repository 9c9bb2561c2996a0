//! Wording of what is written as other languages have it: tests of optionals, calls, patterns, outcomes and settings.

use gsw_source::{Code, Diagnostic, Place};

/// An optional that a condition tests, and that is used as if it were no optional any more.
pub fn comparison_narrows_nothing(mut diagnostic: Diagnostic, value: &str) -> Diagnostic {
    let name = last_name(value);
    diagnostic.notes.clear();
    diagnostic.fixes.clear();
    diagnostic.note(format!(
        "a check does not narrow the type: `if let {name} = {value} {{ … }}` unwraps it, and `let {name} = {value} else {{ return }}` returns if it is `none`"
    ))
}

/// An optional as a condition, at this place.
pub fn optional_condition(mut diagnostic: Diagnostic, place: Place, value: &str) -> Diagnostic {
    let name = last_name(value);
    let text = format!("let {name} = {value}");
    diagnostic.notes.clear();
    let diagnostic = diagnostic.note(format!(
        "to test whether there is a value, write `if {text} {{ … }}`, where `{name}` is the value, or `{value} != none`"
    ));
    match name == value {
        true => diagnostic.fix(format!("write `{text}`"), place, text),
        false => diagnostic,
    }
}

fn last_name(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// `??` after an element that exists or raises; `whole` is the element, and `get` the call that returns an optional.
pub fn element_or_default(diagnostic: Diagnostic, whole: Place, get: &str) -> Diagnostic {
    diagnostic
        .note(format!(
            "a missing element raises an error; `{get}` gives an optional"
        ))
        .fix(format!("write `{get}`"), whole, get)
}

/// `??` after a call that raises an error, which has this name.
pub fn caught_default(diagnostic: Diagnostic, error: &str, default: &str) -> Diagnostic {
    diagnostic.note(format!(
        "a failure raises an error; catch it: `… catch {error}(..) => {default}`"
    ))
}

/// The arms of an outcome over a plain value.
pub fn raises_instead(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("a call returns its value; catch its errors after it: `f(x) catch { Timeout(..) => …, e => … }`")
}

/// A pattern over what a `json` holds.
pub fn patterns_of_json(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("test the contents of a `json` by type: `match j as? int { 5 => …, none => … }`, and `if let text = j as? string { … }`")
}

/// A variant in the form of a record, in a pattern; `braces` are what parentheses take the place of.
pub fn taken_apart_by_call(diagnostic: Diagnostic, braces: Place, call: String) -> Diagnostic {
    diagnostic
        .note("the fields of a variant go in parentheses")
        .fix("write parentheses", braces, call)
}

/// Two names with `|` between them in a list's pattern.
pub fn first_and_rest(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("the first element and the rest are `[first, ..rest]`")
}

/// Fields of what stands for several errors.
pub fn family_has_no_fields(place: Place) -> Diagnostic {
    super::patterns::too_many_fields(place, "ModelError", 0, 1)
        .note("it stands for every error of a model; a name alone binds the whole error: `catch e => e.message()`")
}

/// A function where its value is wanted; `end` is right after it.
pub fn call_it(diagnostic: Diagnostic, name: &str, end: Place) -> Diagnostic {
    diagnostic
        .note(format!("`{name}` is a function: `{name}()` calls it"))
        .fix("call it", end, "()")
}

/// A method of a function that is to be called.
pub fn is_called(diagnostic: Diagnostic, name: &str) -> Diagnostic {
    diagnostic.note(format!("`{name}` is a function: `{name}()` calls it"))
}

/// A variant with a payload that is compared.
pub fn compared_variant(diagnostic: Diagnostic, name: &str) -> Diagnostic {
    diagnostic.note(format!(
        "`{name}` has a payload: test for the variant with `if let {name}(..) = x {{ … }}` or `match`"
    ))
}

/// An assignment that is all of a lambda, whose sign is at `sign`.
pub fn compared_in_lambda(diagnostic: Diagnostic, sign: Place) -> Diagnostic {
    diagnostic
        .note("values are compared with `==`")
        .fix("write `==`", sign, "==")
}

/// A text where a function is wanted.
pub fn function_for_text(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("a function is wanted, as of a lambda: `xs.sort_by(x => x.name)`")
}

/// A time and a text.
pub fn time_and_text(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("a text becomes a time by `time.parse(\"2026-01-31T00:00:00Z\")`, or with a pattern: `time.parse(text, \"%Y-%m-%d %H:%M\")`")
}

/// A function where what it gives is meant.
pub fn gives_other_side(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("this is a function that makes one: call it with its arguments, or, if it is a variant, test for it with `match` or `if let Box(..) = x { … }`")
}

/// A text that is compared with a number.
pub fn text_and_number(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("compare a string with a string, `x == \"1\"`, and the number in it with a number, `x.parse_int() == 1`")
}

/// One of several texts after `or`; `whole` is the condition, and `instead` what is meant.
pub fn one_of_texts(mut diagnostic: Diagnostic, instead: Option<(Place, String)>) -> Diagnostic {
    diagnostic.notes.clear();
    let diagnostic = diagnostic.note(
        "each side of `or` is a condition of its own: `s == \"a\" or s == \"b\"`, or `s in [\"a\", \"b\"]`",
    );
    match instead {
        Some((place, text)) => diagnostic.fix(format!("write `{text}`"), place, text),
        None => diagnostic,
    }
}

/// A method as a value; `lambda` is what does the same.
pub fn method_as_value(diagnostic: Diagnostic, place: Place, lambda: &str) -> Diagnostic {
    diagnostic
        .note("to pass a method, wrap it in a lambda")
        .fix(format!("write `{lambda}`"), place, lambda)
}

/// An assignment to a parameter.
pub fn assigned_parameter(diagnostic: Diagnostic, name: &str) -> Diagnostic {
    diagnostic.note(format!(
        "`var {name} = {name}` at the beginning of the body makes a variable of it"
    ))
}

/// An assignment to a constant.
pub fn assigned_constant(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("a constant never changes: use a `var` in a body, or a `state` of a workflow")
}

/// A range where one number is wanted.
pub fn bounds_apart(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note(
        "a range is a list; a slice takes two numbers, and its end is exclusive: `s.slice(1, 3)`",
    )
}

/// `split` without what it splits at.
pub fn split_at_blanks(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("`s.words()` splits at white space, `s.lines()` at the ends of lines")
}

/// `split` with a limit.
pub fn split_once(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("`s.split_once(\",\")` splits at the first one, and gives two parts or `none`")
}

/// `random` with two bounds.
pub fn random_between(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("`random.int(1, 6)` of `std/random` is one of 1 to 6")
}

/// Optionals that are added up.
pub fn sum_of_optionals(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("`xs.filter_map(x => x).sum()` skips the `none` values")
}

/// A number given to what returns the seconds of a duration.
pub fn duration_of_number(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic
        .note("a duration is written with its unit, `5s`, and for a number `n` it is `1s * n`")
}

/// `fail e catch …`; the places are right before `fail` and after the error.
pub fn fail_takes_all(diagnostic: &mut Diagnostic, start: Place, end: Place) {
    let mut report = diagnostic.clone();
    report.notes.clear();
    report.fixes.clear();
    report.labels.clear();
    *diagnostic = report
        .note("`fail` applies to everything to its right, including the `catch`: put it in parentheses")
        .fix_around("put it in parentheses", (start, "("), (end, ")"));
}

/// Several outcomes of a mock in brackets.
pub fn several_outcomes(diagnostic: &mut Diagnostic) {
    say(
        diagnostic,
        "list successive values with `then`: `mock ask(_) -> \"a\" then \"b\"`",
    );
}

/// How long an answer is kept, as a text.
pub fn kept_for(diagnostic: &mut Diagnostic) {
    say(
        diagnostic,
        "`cache: true` keeps an answer, and `cache: { ttl: 10m }` for that long",
    );
}

/// Something else than a number of tokens for `thinking`.
pub fn thinking_tokens(diagnostic: &mut Diagnostic) {
    say(
        diagnostic,
        "set the thinking budget as a number of tokens: `thinking: 4096`",
    );
}

/// Models of `first_of` in brackets.
pub fn models_side_by_side(diagnostic: &mut Diagnostic) {
    say(
        diagnostic,
        "separate the models with commas, without brackets: `first_of(\"a\", \"b\")`",
    );
}

/// Replaces what is advised.
fn say(diagnostic: &mut Diagnostic, sentence: &str) {
    diagnostic.notes.clear();
    diagnostic.fixes.clear();
    diagnostic.notes.push(sentence.to_owned());
}

/// A duration in quotes.
pub fn duration_in_quotes(diagnostic: Diagnostic, place: Place, text: &str) -> Diagnostic {
    diagnostic
        .note("a duration has no quotes")
        .fix(format!("write `{text}`"), place, text)
}

/// `xs.map(x, i => x)`, which may be a lambda of two parameters.
pub fn parameters_in_parentheses(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("a lambda of two parameters has them in parentheses: `(i, x) => …`; for elements with their index, use `xs.enumerate()`")
}

/// A number in quotes.
pub fn number_in_quotes(diagnostic: Diagnostic, place: Place, text: &str) -> Diagnostic {
    diagnostic
        .note("a number has no quotes")
        .fix(format!("write `{text}`"), place, text)
}

/// A text where a number is wanted.
pub fn number_of_text(diagnostic: Diagnostic, method: &str) -> Diagnostic {
    diagnostic.note(format!(
        "text is converted with `.{method}()`, which gives `none` if it is not a number"
    ))
}

/// A text where a conversation is wanted.
pub fn begins_conversation(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("a conversation is a value: `let chat = session(helper)`, then `ask(\"…\") with { session: chat }`")
}

/// A text where an image or a document is wanted; `module` has both ways to make one.
pub fn made_of_file(diagnostic: Diagnostic, module: &str) -> Diagnostic {
    diagnostic.note(format!(
        "`{module}.file(path)` of `std/{module}` reads one, and `{module}.url(address)` names one"
    ))
}

/// A stream where its answer is wanted; `end` is right after it.
pub fn result_of_stream(diagnostic: Diagnostic, end: Place) -> Diagnostic {
    diagnostic
        .note("`.result()` waits for the whole answer of a stream, and `for part in s { … }` for its parts")
        .fix("wait for the answer", end, ".result()")
        .offered()
}

/// Something else than a decision at the end of a hook.
pub fn decides(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note(
        "a hook returns a decision: `allow`, `deny(\"why\")`, `ask(\"question\")` or `change(input)`",
    )
}

/// What a declaration gives, where the word of hooks of its name is meant, whose other form is `form`.
pub fn hides_word(diagnostic: Diagnostic, what: &str, name: &str, form: &str) -> Diagnostic {
    diagnostic.note(format!(
        "the {what} `{name}` of this program shadows the hook decision of that name; the decision is written `{form}`"
    ))
}

/// Outcomes where values are wanted.
pub fn settled(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("with `errors settle` each is a `Result`, which `match` takes apart; without it the values themselves are given, and an error is raised")
}

/// A function that is spawned without being called.
pub fn spawned_call(place: Place, name: &str) -> Diagnostic {
    Diagnostic::error(
        Code::NOT_RECORDABLE,
        place,
        "the result of a task cannot hold a function",
    )
    .note(format!("`spawn` is followed by a call: `spawn {name}()`"))
}

/// The parts that a setting has.
pub fn parts_are(diagnostic: Diagnostic, known: &[&str]) -> Diagnostic {
    let names: Vec<String> = known.iter().map(|it| format!("`{it}`")).collect();
    diagnostic.note(format!("its parts are {}", names.join(", ")))
}

/// A tool in quotes; `name` is the text in them.
pub fn tool_in_quotes(diagnostic: Diagnostic, place: Place, name: &str) -> Diagnostic {
    let diagnostic =
        diagnostic.note("tools are listed by their names, without quotes: `tools: [search]`");
    match name.chars().all(|it| it.is_alphanumeric() || it == '_') {
        true => diagnostic.offer(format!("write `{name}`"), place, name),
        false => diagnostic,
    }
}

/// A tool that is called where tools are listed.
pub fn tool_is_listed(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("a tool is listed by its name, `tools: [search]`, and the model calls it")
}

/// One tool without brackets; the places are right before and after it.
pub fn tools_in_brackets(diagnostic: Diagnostic, (start, end): (Place, Place)) -> Diagnostic {
    diagnostic
        .note("a list has brackets, also one of a single tool: `tools: [search]`")
        .fix_around("put it in brackets", (start, "["), (end, "]"))
}

/// A call of a function value with fewer arguments than it has parameters.
pub fn too_few_for_value(place: Place, wanted: usize, found: usize) -> Diagnostic {
    let word = if wanted == 1 { "argument" } else { "arguments" };
    Diagnostic::error(
        Code::MISSING_ARGUMENT,
        place,
        format!("this function takes {wanted} {word}, found {found}"),
    )
    .note("a function value needs all of its arguments: default values apply only to calls by name")
}

/// A lambda in the place of a check; `body` is what it says of `it`.
pub fn check_is_condition(diagnostic: &mut Diagnostic, place: Place, body: Option<&str>) {
    let mut report = diagnostic.clone();
    report.notes.clear();
    report.fixes.clear();
    let report = report.note("a check is a condition on `it`: `where it >= 0`");
    *diagnostic = match body {
        Some(body) => report.fix(format!("write `{body}`"), place, body),
        None => report,
    };
}

/// What belongs to the answer and not to its value.
pub fn of_detail(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("`ask.detail(…)` gives the answer with its `usage`, and the value as `value`")
}

/// `spawn detached w() catch …`; the places are right before `spawn` and after the call.
pub fn detached_caught(diagnostic: Diagnostic, (start, end): (Place, Place)) -> Diagnostic {
    diagnostic
        .note("`spawn detached` applies to everything to its right, including the `catch`: put it in parentheses")
        .fix_around("put it in parentheses", (start, "("), (end, ")"))
}

/// A permission that is no list of what is permitted.
pub fn everything_permitted(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note(
        "list what is permitted: `net: [\"api.example.org\"]`, or `net: [\"*\"]` for everything",
    )
}

/// A string where a union of literals or `none` is wanted.
pub fn asked_as(diagnostic: Diagnostic, wanted: &str) -> Diagnostic {
    diagnostic.note(format!(
        "`… as? {wanted}` checks at run time and gives `none` if it does not match"
    ))
}

/// A setting of other frameworks among the arguments of a prompt.
pub fn streams_by_call(diagnostic: Diagnostic, callee: &str) -> Diagnostic {
    diagnostic.note(format!(
        "stream the parts of an answer with `{callee}.stream(…)`: `for part in s {{ … }}`"
    ))
}

/// A set where its elements are wanted.
pub fn elements_of_set(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("`.to_list()` gives the elements of a set: `for x in s.to_list() { … }`")
}

/// `x in s` of a set.
pub fn asked_of_set(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("to test whether a set has an element, write `s.has(x)`")
}

/// A map where a set is wanted.
pub fn made_of_list(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("create a set from a list: `set.of([1, 2])`, an empty one `set.of([])`")
}

/// `sim/default` without quotes; `text` is what stands there.
pub fn model_in_quotes(place: Place, text: &str) -> Diagnostic {
    let message = "the name of a model is a string in quotes";
    Diagnostic::error(Code::WRONG_SETTING, place, message).fix(
        format!("write `{text:?}`"),
        place,
        format!("{text:?}"),
    )
}
