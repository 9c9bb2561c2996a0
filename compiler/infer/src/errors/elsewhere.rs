//! Wording of reports about what other languages and frameworks have, and what is written here instead.

use gsw_source::{Code, Diagnostic, Name, Place};

/// The quotient of two ints where a float is wanted.
pub fn quotient_of_ints(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("`a / b` of two ints is the quotient without what is behind the point: `a.to_float() / b.to_float()`, or `1.0 / 2.0`")
}

/// The call of what states no result.
pub fn states_no_result(diagnostic: Diagnostic, name: &str, wanted: &str) -> Diagnostic {
    diagnostic.note(format!(
        "`{name}` states no result; its type stands behind the parameters: `-> {wanted}`"
    ))
}

/// A text where an error is wanted; the places are right before and after it.
pub fn failed_with_text(mut diagnostic: Diagnostic, (start, end): (Place, Place)) -> Diagnostic {
    diagnostic = diagnostic.note("an error with a text is `Failed(\"…\")`");
    let edit = |place, text: &str| gsw_source::Edit {
        place,
        text: text.to_owned(),
    };
    diagnostic.fixes.push(gsw_source::Fix {
        title: "make it a `Failed`".to_owned(),
        edits: vec![edit(start, "Failed("), edit(end, ")")],
        mention: gsw_source::Mention::Shown,
    });
    diagnostic
}

/// Two maps where an operator joins lists and texts.
pub fn merged_maps(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("two maps are joined with `a.merge(b)`, where the keys of `b` win")
}

/// A setting among the arguments of a prompt.
pub fn setting_as_argument(diagnostic: Diagnostic, callee: &str, name: &str) -> Diagnostic {
    diagnostic.note(format!(
        "settings of a call stand behind it: `{callee}(…) with {{ {name}: … }}`"
    ))
}

/// A module that is called like a function of its.
pub fn members_are_called(diagnostic: Diagnostic, module: &str, members: &[Name]) -> Diagnostic {
    let names: Vec<String> = members
        .iter()
        .filter(|it| it.starts_with(char::is_lowercase))
        .take(4)
        .map(|it| format!("`{module}.{it}`"))
        .collect();
    match names.is_empty() {
        true => diagnostic,
        false => diagnostic.note(format!("it has {}", names.join(", "))),
    }
}

/// A comparison given to `sort`.
pub fn sorts_by_key(report: Diagnostic) -> Diagnostic {
    report.note("`xs.sort_by(x => x.name)` sorts by what is compared, and `.reverse()` turns the order round")
}

/// A start value given to `reduce`.
pub fn folds_from(report: Diagnostic) -> Diagnostic {
    report.note("`xs.fold(0, (sum, x) => sum + x)` begins with a value")
}

/// Something else than a tool where tools are listed.
pub fn wrapped_in_tool(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("a function is offered by a tool that calls it: `tool page(url: string) -> string reads { http.get(url).ok().body }`; prompts and agents are listed by their names")
}

/// What other frameworks call a setting of an agent.
const ELSEWHERE: &[(&str, &str)] = &[
    (
        "api_key",
        "keys come from the environment, such as `ANTHROPIC_API_KEY`",
    ),
    (
        "base_url",
        "the address comes from the environment, such as `OPENAI_BASE_URL`",
    ),
    (
        "handoffs",
        "an agent in `tools: [researcher]` offers its prompts to the model",
    ),
    ("history", CONVERSATION),
    (
        "instructions",
        "what a model is told always stands in `system`",
    ),
    ("memory", CONVERSATION),
    (
        "name",
        "a declaration has its name behind its keyword: `agent helper { … }`",
    ),
    ("output_schema", RESULT),
    ("output_type", RESULT),
    (
        "prompt",
        "a prompt is declared by itself: `prompt ask(question: string) -> string by helper { user \"${question}\" }`",
    ),
    ("response_format", RESULT),
    ("user", "a text stands without a colon: `user \"…\"`"),
    (
        "assistant",
        "a text stands without a colon: `assistant \"…\"`",
    ),
];
const CONVERSATION: &str = "a conversation is a value: `let chat = session(helper)`, then `ask(\"…\") with { session: chat }`";
const RESULT: &str = "what a model answers is the result type of a prompt: `prompt find(text: string) -> [Person] by helper { … }`";

/// What is written here instead of a setting of another framework.
pub fn setting_elsewhere(name: &str) -> Option<&'static str> {
    let found = ELSEWHERE.iter().find(|it| it.0 == name);
    found.map(|it| it.1)
}

/// A comparison with `none` that is always the same.
pub fn never_none(place: Place, ty: &str) -> Diagnostic {
    Diagnostic::warning(
        Code::NOT_OPTIONAL,
        place,
        format!("this is a `{ty}`, which is never `none`"),
    )
    .note("the comparison always gives the same; a type of what may be missing is optional: `int?`")
}
