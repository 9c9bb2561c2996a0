//! Wording of warnings about code that compiles and is most likely not what was meant.

use gsw_infer::hir::BinaryOperator;
use gsw_source::{Code, Diagnostic, Edit, Name, Place};

/// The sort of a local.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unused {
    Variable,
    /// A variable beside one of its name with a `_` before it.
    Beside,
    /// Of a function, whose callers may name it, or of a lambda, whose judge may take it by its name.
    Parameter,
    /// A parameter of a workflow, which is an option of the command line.
    Option,
}

/// A local that nothing reads.
pub fn unused_local(place: Place, sort: Unused, name: &str) -> Diagnostic {
    let what = match sort {
        Unused::Variable | Unused::Beside => "variable",
        Unused::Parameter | Unused::Option => "parameter",
    };
    let message = format!("{what} `{name}` is never used");
    let diagnostic = Diagnostic::warning(Code::UNUSED_VARIABLE, place, message);
    let meant = "start its name with `_` if that is intended";
    let (title, better) = (format!("rename it to `_{name}`"), format!("_{name}"));
    match sort {
        Unused::Variable => diagnostic.note(meant).fix(title, place, better),
        Unused::Beside => diagnostic.note("`let _ = …` drops a value on purpose"),
        Unused::Parameter => diagnostic.note(meant).offer(title, place, better),
        Unused::Option => diagnostic.note(format!(
            "it is the option `--{name}` of the program: `let _ = {name}` keeps one that does nothing"
        )),
    }
}

/// What a local that nothing reads is most likely meant for.
pub enum UnusedMeant {
    /// A value for the variable of this name outside; `word` is the `let` that goes away.
    Assignment { outer: Place, word: Option<Place> },
    /// The variant of an enum.
    Variant { text: String },
    /// One of the texts of a union.
    Text { text: Name },
    /// To be equal to the variable of this name outside.
    Value { outer: Place },
    /// A `json` of a type.
    Type,
}

/// A local that nothing reads, and that looks as if it were something else.
pub fn misused_local(place: Place, name: &str, meant: UnusedMeant) -> Diagnostic {
    let message = format!("variable `{name}` is never used");
    let diagnostic = Diagnostic::warning(Code::UNUSED_VARIABLE, place, message);
    match meant {
        UnusedMeant::Assignment { outer, word } => {
            let diagnostic = diagnostic
                .label(outer, format!("another `{name}`"))
                .note(format!(
                    "`let` makes a new variable: one that is a `var` gets a value by `{name} = …`"
                ));
            match word {
                Some(word) => diagnostic.offer("leave out `let`", word, ""),
                None => diagnostic,
            }
        }
        UnusedMeant::Variant { text } => diagnostic
            .note("a name that starts with a lowercase letter binds any value; variants start with an uppercase letter")
            .offer(format!("write `{text}`"), place, text),
        UnusedMeant::Value { outer } => diagnostic
            .label(outer, format!("another `{name}`"))
            .note(format!(
                "a name in a pattern binds any value; one that equals another is told by a guard: `x if x == {name} => …`"
            )),
        UnusedMeant::Type => diagnostic.note(format!(
            "a name in a pattern binds any value; what a `json` holds is told by `if let x = j as? {name} {{ … }}`"
        )),
        UnusedMeant::Text { text } => {
            let text = format!("{:?}", text.as_str());
            diagnostic
                .note("a name in a pattern binds any value; a text stands in quotes")
                .offer(format!("write `{text}`"), place, text)
        }
    }
}

/// A task that is not awaited by its name.
pub fn unused_task(place: Place, name: &str) -> Diagnostic {
    let message = format!("the task `{name}` is never awaited");
    Diagnostic::warning(Code::UNUSED_VARIABLE, place, message)
        .note(format!(
            "`await {name}` waits and gives its value; the end of the block around it waits as well, and raises what it raises"
        ))
        .offer(format!("rename it to `_{name}`"), place, format!("_{name}"))
}

/// A field that a pattern binds by its name and nothing reads.
pub fn unused_field(place: Place, name: &str) -> Diagnostic {
    let message = format!("variable `{name}` is never used");
    Diagnostic::warning(Code::UNUSED_VARIABLE, place, message)
        .note(format!("`{name}: _` ignores the field on purpose"))
        .fix(format!("write `{name}: _`"), place, format!("{name}: _"))
}

/// A `var` that is assigned but never read.
pub fn unread_variable(place: Place, name: &str) -> Diagnostic {
    Diagnostic::warning(
        Code::UNUSED_VARIABLE,
        place,
        format!("variable `{name}` is assigned but never read"),
    )
    .note("read it or leave it out; start its name with `_` if that is intended")
}

/// A text that is the same in all calls, after what differs from call to call.
pub fn uncached_text(place: Place, bytes: usize) -> Diagnostic {
    let message =
        format!("{bytes} bytes of fixed text follow, which the provider's cache never matches");
    Diagnostic::warning(Code::UNCACHED_TEXT, place, message)
        .note("providers cache the beginning of requests: put what differs from call to call last")
}

/// What the author of an expression that is not used most likely had in mind.
pub enum Meant {
    /// To subtract it from what ends at `end`; `operator` is the minus before it.
    Subtraction {
        end: Place,
        operator: Place,
    },
    Fail(Place),
    Call(Place),
    Await(Place),
    /// To leave the function with it.
    Return {
        start: Place,
        meant: String,
    },
    /// To decide in a hook, which goes on without it.
    Decide {
        start: Place,
        meant: String,
    },
    /// To change the variable `name`, whose method it is.
    Assign {
        start: Place,
        name: String,
    },
    /// To say what a declaration is for.
    Document,
    Unknown,
}

/// An expression statement whose value is all that it gives.
pub fn unused_value(place: Place, meant: Meant) -> Diagnostic {
    let message = "this value is not used, and computing it has no effect";
    let diagnostic = Diagnostic::warning(Code::UNUSED_VALUE, place, message);
    match meant {
        Meant::Subtraction { end, operator } => {
            let mut diagnostic = diagnostic
                .note("a line that begins with `-` is a new statement: to subtract, end the line above with `-`")
                .offer("move the `-` to the line above", operator, "");
            if let Some(fix) = diagnostic.fixes.last_mut() {
                let text = " -".to_owned();
                fix.edits.push(Edit { place: end, text });
            }
            diagnostic
        }
        Meant::Fail(start) => diagnostic
            .note("an error is raised with `fail`")
            .offer("raise it", start, "fail "),
        Meant::Call(end) => diagnostic
            .note("a function is called with parentheses")
            .offer("call it", end, "()"),
        Meant::Await(start) => diagnostic
            .note("wait for a task with `await`")
            .offer("wait for it", start, "await "),
        Meant::Return { start, meant } => diagnostic
            .note(format!(
                "only the last line of a function is its result: `return {meant}` leaves it here"
            ))
            .offer("return it", start, "return "),
        Meant::Decide { start, meant } => {
            let message = "this decision is dropped, and the hook goes on";
            Diagnostic::error(Code::UNUSED_VALUE, place, message)
                .note(format!(
                    "a hook decides by the value of its body: `return {meant}` decides here"
                ))
                .fix("return it", start, "return ")
        }
        Meant::Assign { start, name } => diagnostic
            .note(format!(
                "a method returns a new value and changes nothing: `{name} = …` changes `{name}`"
            ))
            .offer("assign it", start, format!("{name} = ")),
        Meant::Document => diagnostic.note(
            "documentation stands above what it is about, in lines that begin with `///`: a model reads that of a tool",
        ),
        Meant::Unknown => diagnostic.note(
            "functions never change their arguments: use the result, or write `let _ = …` to ignore it",
        ),
    }
}

/// The value that the body of `name` ends with and does not give.
/// `end` is right after its parameters.
pub fn dropped_result(place: Place, name: &str, ty: &str, end: Option<Place>) -> Diagnostic {
    let message = format!("this value is dropped: `{name}` has no result type");
    let diagnostic = Diagnostic::warning(Code::UNUSED_VALUE, place, message).note(format!(
        "`-> {ty}` behind its parameters gives it; `let _ = …` drops it on purpose"
    ));
    match end {
        Some(end) => diagnostic.offer(format!("write `-> {ty}`"), end, format!(" -> {ty}")),
        None => diagnostic,
    }
}

/// A variable that a task reads, and writes after it has waited.
pub fn lost_update(place: Place, name: &str) -> Diagnostic {
    let message = format!("assignments of other tasks to `{name}` in the meantime are lost");
    Diagnostic::warning(Code::LOST_UPDATE, place, message).note(format!(
        "it is read here, before the wait: `{name} += …` reads it after the wait, and so does a line after `let value = …`"
    ))
}

/// Answers are kept of a model that may call `tool`, which acts.
pub fn cached_effect(place: Place, tool: &str) -> Diagnostic {
    let message = format!("with a cached answer `{tool}` is not called");
    Diagnostic::warning(Code::CACHED_EFFECT, place, message).note(
        "the same question is answered from the cache, also in the next process, and its tools are not called again: set `cache: false`, or do it after the answer",
    )
}

/// Statements after one that never ends normally; `rest` is all of the block after it.
pub fn unreachable_code(place: Place, cause: Place, rest: Place) -> Diagnostic {
    Diagnostic::warning(Code::UNREACHABLE_CODE, place, "this is never reached")
        .label(cause, "the block always leaves here")
        // Written text is not thrown away without its author.
        .offer("remove the code that is never reached", rest, "")
}

/// A name at the place of another field of a payload; `own` is the field that it binds.
pub fn swapped_fields(place: Place, name: &str, own: &str, fields: &[&str]) -> Diagnostic {
    let list: Vec<String> = fields.iter().map(|it| format!("`{it}`")).collect();
    let message = format!("`{name}` binds the field `{own}`");
    Diagnostic::warning(Code::SWAPPED_FIELDS, place, message).note(format!(
        "a payload is destructured by position, here {}; `{name}: {name}` takes a field by its name",
        list.join(", ")
    ))
}

/// A key that a map literal has already.
pub fn duplicate_key(place: Place, first: Place, key: &str) -> Diagnostic {
    let message = format!("the key `{key}` is already in this map");
    Diagnostic::warning(Code::DUPLICATE_KEY, place, message)
        .label(first, "the later value replaces this one")
}

/// A comment that is a number alone. `slashes` is how it begins.
pub fn accidental_comment(place: Place, slashes: Place, comment: &str) -> Diagnostic {
    let message = format!("`{comment}` is a comment, and nothing is divided");
    Diagnostic::warning(Code::ACCIDENTAL_COMMENT, place, message)
        .note("`/` of two ints gives an int, without the fractional part")
        .offer("divide with `/`", slashes, "/")
}

/// A doc comment after code; `taker` is what it documents, and `above` puts it above its own line.
pub fn trailing_doc(
    place: Place,
    taker: Option<Place>,
    above: Option<Vec<Edit>>,
    plain: Vec<Edit>,
) -> Diagnostic {
    let message = "`///` after code does not document its line";
    let diagnostic = Diagnostic::warning(Code::MISPLACED_DOC, place, message);
    let is_taken = taker.is_some();
    let diagnostic = match taker {
        Some(taker) => diagnostic.label(taker, "it documents this, which follows"),
        None => diagnostic,
    }
    .note("`///` stands above what it documents; any other comment begins with `//`");
    let is_of_line = above.is_some();
    let diagnostic = match above {
        Some(edits) => diagnostic
            .fix_parts("put it above its line", edits)
            .offered(),
        None => diagnostic,
    };
    let diagnostic = diagnostic.fix_parts("write `//`", plain);
    match is_taken || is_of_line {
        true => diagnostic.offered(),
        false => diagnostic,
    }
}

/// A doc comment before what has no documentation.
pub fn idle_doc(place: Place, plain: Vec<Edit>) -> Diagnostic {
    Diagnostic::warning(Code::MISPLACED_DOC, place, "this `///` documents nothing")
        .note("`///` stands right above a declaration, a parameter, a field or a variant; any other comment begins with `//`, and one of the whole file, at its top, with `//!`")
        .fix_parts("write `//`", plain)
}

/// How the name of a variable is written in a text that does not interpolate it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Marked {
    /// In braces, as Python and C# have it: `{name}`.
    Braces,
    /// In two pairs of braces, as templates have it, `{{ name }}`: this many bytes long.
    Doubled(usize),
    /// After a dollar, as shells and PHP have it: `$name`.
    Dollar,
}

/// A variable after a `$` in a text; `bare` is its name.
pub fn missing_braces(place: Place, bare: Place, name: &str) -> Diagnostic {
    let message = format!("`${name}` is not replaced by the value of `{name}`");
    Diagnostic::warning(Code::MISSING_DOLLAR, place, message)
        .note("interpolation is written `${…}`; in `r\"…\"` a `$` is literal")
        .offer("put braces around it", bare, format!("{{{name}}}"))
}

/// A variable in braces in a text; `dollar` is right before the brace.
pub fn missing_dollar(place: Place, dollar: Place, name: &str) -> Diagnostic {
    let message = format!("`{{{name}}}` is not replaced by the value of `{name}`");
    Diagnostic::warning(Code::MISSING_DOLLAR, place, message)
        .note("interpolation is written `${…}`; in `r\"…\"` braces are literal")
        .offer("write `$` before it", dollar, "$")
}

/// A variable in two pairs of braces in a text.
pub fn doubled_braces(place: Place, name: &str) -> Diagnostic {
    let message = format!("`{{{{ {name} }}}}` is not replaced by the value of `{name}`");
    Diagnostic::warning(Code::MISSING_DOLLAR, place, message)
        .note("interpolation is written `${…}`; in `r\"…\"` braces are literal")
        .offer(
            format!("write `${{{name}}}`"),
            place,
            format!("${{{name}}}"),
        )
}

/// An index of a list that is below zero.
pub fn negative_index(place: Place, list: &str, index: i64) -> Diagnostic {
    let message = format!("a list has no element at {index}, so this raises `OutOfRange`");
    let from_end = index.unsigned_abs();
    let diagnostic = Diagnostic::warning(Code::NEGATIVE_INDEX, place, message);
    match from_end {
        1 => diagnostic.note(format!(
            "use `{list}.last()`, which is `none` for an empty list"
        )),
        _ => diagnostic.note(format!(
            "to count from the end, write `{list}[{list}.len() - {from_end}]`"
        )),
    }
}

/// A use of what is marked `@deprecated`.
pub fn deprecated(place: Place, name: &str, why: &str) -> Diagnostic {
    let message = format!("`{name}` is deprecated: {why}");
    Diagnostic::warning(Code::DEPRECATED, place, message)
}

/// A setting that the agent's model does not take, and another name of the model under which it does.
pub fn unsupported_setting(
    place: Place,
    setting: &str,
    model: &str,
    other: Option<&str>,
) -> Diagnostic {
    let message = format!("`{model}` does not support `{setting}`, so it is not sent");
    let diagnostic = Diagnostic::warning(Code::UNSUPPORTED_SETTING, place, message);
    match other {
        Some(other) => diagnostic.note(format!(
            "`{other}`, the same model by another protocol, takes it"
        )),
        None if setting != "temperature" => diagnostic,
        None => diagnostic
            .note("reasoning models control sampling themselves, and have no settings for it"),
    }
}

/// `spawns` of a model that has no tool which starts anything.
pub fn idle_spawns(place: Place, tool: &str) -> Diagnostic {
    let message = "`spawns` has no effect: this model has no tool that starts what it lists";
    Diagnostic::warning(Code::UNSUPPORTED_SETTING, place, message)
        .note(format!("list `introspect.{tool}` in `tools`"))
}

/// A model whose provider is unknown.
pub fn unknown_model(
    place: Place,
    model: &str,
    providers: &[&str],
    suggestion: Option<&str>,
) -> Diagnostic {
    let message = match model.contains('/') {
        true => format!("`{model}` names an unknown provider"),
        false => format!("`{model}` names no provider"),
    };
    let known: Vec<String> = providers.iter().map(|it| format!("`{it}/…`")).collect();
    let diagnostic = Diagnostic::error(Code::UNKNOWN_MODEL, place, message).note(format!(
        "a model is written `provider/name`: {}; `openai/…` is for any server with that API, at `OPENAI_BASE_URL`",
        known.join(", ")
    ));
    match suggestion {
        Some(it) => diagnostic.offer(format!("write `{it}`"), place, format!("{it:?}")),
        None => diagnostic,
    }
}

/// A `while true` that asks models.
pub fn unbounded_calls(head: Place) -> Diagnostic {
    Diagnostic::warning(
        Code::UNBOUNDED_CALLS,
        head,
        "this loop asks models until one of them says that it is done, with no limit on the cost",
    )
    .note("`budget(calls: 20) { … }` around it, or `for turn in 0..20 { … }`, makes sure that it ends")
}

/// An import, or one of its names, that nothing uses.
/// `removed` is what goes away with it.
pub fn unused_import(place: Place, removed: Place, name: &str) -> Diagnostic {
    Diagnostic::warning(
        Code::UNUSED_IMPORT,
        place,
        format!("the import `{name}` is not used"),
    )
    .fix("remove it", removed, "")
}

/// A private declaration that nothing mentions.
pub fn unused_private(place: Place, kind: &str, name: &str) -> Diagnostic {
    let message = format!("nothing uses the private {kind} `{name}`");
    Diagnostic::warning(Code::UNUSED_DECLARATION, place, message)
        .note("other modules cannot use it: remove it, or leave out `private`")
}

/// A `var` that nothing assigns; `word` is its keyword.
pub fn unchanged_variable(place: Place, word: Place, name: &str) -> Diagnostic {
    let message = format!("nothing changes the `var` `{name}`");
    Diagnostic::warning(Code::UNCHANGED_VARIABLE, place, message)
        .note(format!(
            "methods return a new value and change nothing: `{name} = …` changes it; use `let` if it never changes"
        ))
        .offer("write `let`", word, "let")
}

/// A range that holds nothing whatever happens.
pub fn empty_range(place: Place, upwards: &str) -> Diagnostic {
    Diagnostic::warning(
        Code::EMPTY_RANGE,
        place,
        "this range is empty: it ends before it begins",
    )
    .note(format!(
        "ranges count upwards; `({upwards}).reverse()` counts downwards"
    ))
}

/// An operator between a value and the same value.
pub fn same_operands(place: Place, operator: BinaryOperator) -> Diagnostic {
    let text = operator.symbol();
    Diagnostic::warning(
        Code::SAME_TWICE,
        place,
        format!("the same expression is on both sides of `{text}`"),
    )
    .note("one of them is probably a mistake")
}

/// A condition that an `if` above has already asked, which is at `first`.
pub fn same_condition(place: Place, first: Place) -> Diagnostic {
    Diagnostic::warning(
        Code::SAME_TWICE,
        place,
        "this condition is already tested above, so its branch never runs",
    )
    .label(first, "already tested here")
}

/// A variable, or a part of it, that gets the value it has.
pub fn own_value(place: Place) -> Diagnostic {
    Diagnostic::warning(
        Code::SAME_TWICE,
        place,
        "this assignment changes nothing: both sides are the same",
    )
}

/// A text that was to be a regular expression.
pub fn broken_pattern(place: Place, why: &str) -> Diagnostic {
    Diagnostic::warning(
        Code::BROKEN_PATTERN,
        place,
        format!("this is not a valid regular expression: {why}"),
    )
    .note("it fails whenever it runs; in a raw string, `r\"\\(\"`, a `\\` before a special character makes it literal")
}

/// `== -1` of a place that may be `none`.
pub fn absent_index(place: Place, operator: BinaryOperator) -> Diagnostic {
    let message = "an index is never negative: it is `none` if nothing is found";
    let instead = match operator == BinaryOperator::Equal {
        true => "== none",
        false => "!= none",
    };
    Diagnostic::warning(Code::ABSENT_OPERAND, place, message)
        .note(format!("to test whether there is one, write `{instead}`"))
        .fix("write `none`", place, "none")
}

/// What is wrong with an argument.
pub enum Senseless<'a> {
    FromEnd { method: &'a str },
    TooSmall { method: &'a str, least: i64 },
    Reversed,
    WithoutParts,
}

/// An argument of the library that is never meant.
pub fn senseless_argument(place: Place, what: &Senseless<'_>) -> Diagnostic {
    let (code, message, note) = match what {
        Senseless::FromEnd { method } => (
            Code::NEGATIVE_INDEX,
            format!("`{method}` counts from the beginning, so this is treated as 0"),
            "to count from the end, write `xs.slice(xs.len() - 2)`, and without the last two `xs.slice(0, xs.len() - 2)`".to_owned(),
        ),
        Senseless::TooSmall { method, least } => (
            Code::SENSELESS_ARGUMENT,
            format!("`{method}` takes no number below {least}"),
            match *method {
                "fixed" => "its argument is the number of digits after the point".to_owned(),
                "pow" => "a power of an int is an int: for a fraction, write `x.to_float().pow(-1.0)`".to_owned(),
                _ => "its argument is the number of elements of each list".to_owned(),
            },
        ),
        Senseless::Reversed => (
            Code::SENSELESS_ARGUMENT,
            "the lower bound is above the upper one".to_owned(),
            "the lower bound comes first".to_owned(),
        ),
        Senseless::WithoutParts => (
            Code::SENSELESS_ARGUMENT,
            "this format has no time fields, so every time gives the same text".to_owned(),
            "parts are written with `%`: `%Y-%m-%d %H:%M`".to_owned(),
        ),
    };
    Diagnostic::warning(code, place, message).note(note)
}
