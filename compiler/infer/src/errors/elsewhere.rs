//! Wording of reports about what other languages and frameworks have, and what is written here instead.

use gsw_source::{Code, Diagnostic, Edit, Name, Place};

use super::with_article;

/// The quotient of two ints where a float is wanted.
pub fn quotient_of_ints(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("`a / b` of two ints is the quotient without the fractional part: `a.to_float() / b.to_float()`, or `1.0 / 2.0`")
}

/// `note or "none"` of an optional.
pub fn or_of_optional(mut diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.notes.clear();
    diagnostic
        .note("`or` joins bools; the default value for `none` comes after `??`: `note ?? \"none\"`")
}

/// The call of what has no result type, or a `return` with a value in it; `end` is right after its parameters.
pub fn states_no_result(
    diagnostic: Diagnostic,
    name: &str,
    wanted: &str,
    end: Option<Place>,
) -> Diagnostic {
    let diagnostic = diagnostic.note(format!(
        "`{name}` has no result type; add it after the parameters: `-> {wanted}`"
    ));
    match end {
        Some(end) => diagnostic.offer(format!("write `-> {wanted}`"), end, format!(" -> {wanted}")),
        None => diagnostic,
    }
}

/// Tasks that are added up.
pub fn sum_of_tasks(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("the values of tasks are waited for first: `(await tasks).sum()`")
}

/// A text where an error is wanted; the places are right before and after it.
pub fn failed_with_text(diagnostic: Diagnostic, (start, end): (Place, Place)) -> Diagnostic {
    diagnostic
        .note("an error with a text is `Failed(\"…\")`")
        .fix_around("make it a `Failed`", (start, "Failed("), (end, ")"))
}

/// `spawn detached f(x) == y`
pub fn takes_all(report: Diagnostic) -> Diagnostic {
    report.note("`spawn` applies to everything to its right: compare its value in parentheses, `(spawn detached f(x)) == id`")
}

/// Two maps where an operator joins lists and texts.
pub fn merged_maps(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("two maps are joined with `a.merge(b)`, where the keys of `b` win")
}

/// A setting among the arguments of a prompt.
pub fn setting_as_argument(diagnostic: Diagnostic, callee: &str, name: &str) -> Diagnostic {
    diagnostic.note(format!(
        "settings of a call come after it: `{callee}(…) with {{ {name}: … }}`"
    ))
}

/// A module where one of its functions is meant.
pub fn has_members(diagnostic: Diagnostic, module: &str, members: &[Name]) -> Diagnostic {
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
    report.note("`xs.sort_by(x => x.name)` sorts by a key, and `.reverse()` reverses the order")
}

/// What takes a function of each element, where a method that takes none is given one.
pub fn of_each(method: &str) -> Option<&'static str> {
    Some(match method {
        "sum" => "`xs.sum_by(x => x.count)` adds up what a function gives for each",
        "max" => "`xs.max_by(x => x.count)` compares what a function gives for each",
        "min" => "`xs.min_by(x => x.count)` compares what a function gives for each",
        "first" => "`xs.find(x => x > 3)` is the first that a condition holds for, or `none`",
        "last" => {
            "`xs.reverse().find(x => x > 3)` is the last that a condition holds for, or `none`"
        }
        "len" => "`xs.count(x => x > 3)` is how many a condition holds for",
        _ => return None,
    })
}

/// `count` without a condition.
pub fn counts_all(report: Diagnostic) -> Diagnostic {
    report.note("`xs.len()` is how many there are, and `xs.count(x => x > 3)` how many a condition holds for")
}

/// `any` without a condition.
pub fn has_any(report: Diagnostic) -> Diagnostic {
    report.note("`not xs.is_empty()` is whether there are any, and `xs.any(x => x)` whether one of several `bool` is true")
}

/// A method that was declared without its receiver.
pub fn lacks_self(report: Diagnostic, of: &str, name: &str, declared: Place) -> Diagnostic {
    report
        .label(declared, format!("`{name}` is declared here, without `self`"))
        .note(format!(
            "a method takes `self` first: `fn {of}.{name}(self)`; this one is called as `{of}.{name}(…)`"
        ))
}

/// A start value given to `reduce`.
pub fn folds_from(report: Diagnostic) -> Diagnostic {
    report.note("`xs.fold(0, (sum, x) => sum + x)` begins with a value")
}

/// A type that cannot be the key of a map.
pub fn keys_are(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("keys are `string`, `int` or an enum without payloads")
}

/// A condition where elements are grouped: they fall into two.
pub fn partitioned(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("`let (those, others) = xs.partition(x => x > 0)` splits by a condition")
}

/// Models in brackets; `open` and `close` are these.
pub fn first_of_models(place: Place, brackets: Option<(Place, Place)>) -> Diagnostic {
    let message = "`model` names one model";
    let diagnostic = Diagnostic::error(Code::WRONG_SETTING, place, message)
        .note("to list fallback models, write `first_of(\"a\", \"b\")`");
    let Some((open, close)) = brackets else {
        return diagnostic;
    };
    let edit = |place, text: &str| Edit {
        place,
        text: text.to_owned(),
    };
    let edits = vec![edit(open, "first_of("), edit(close, ")")];
    diagnostic.fix_parts("write `first_of(…)`", edits)
}

/// A workflow where tools are listed.
pub fn spawned_by_model(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("a workflow is started by a tool that calls it, or by a model itself: `spawns: [name]`, with `introspect.request_spawn_workflow` in `tools`")
}

/// A text where an error is matched.
pub fn fails_with_text(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("an error with that message is `Failed(\"…\")`")
}

/// Something else than a bool where a condition is expected.
pub fn condition(diagnostic: Diagnostic, test: &str) -> Diagnostic {
    diagnostic.note(format!("a condition is a bool: `{test}`"))
}

/// A loop where a list is wanted.
pub fn mapped(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("a `for` gives no value: `xs.map(x => …)` makes a list, as `parallel for` does")
}

/// An error as a value where something else is wanted.
pub fn raised(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("an error is raised with `fail`, not returned: `fail Empty(name)`")
}

/// A variant in quotes.
pub fn variant_in_quotes(diagnostic: Diagnostic, place: Place, name: &str) -> Diagnostic {
    diagnostic
        .note(format!("a variant is written without quotes: `{name}`"))
        .fix(format!("write `{name}`"), place, name)
}

/// A text where a variant is wanted.
pub fn variant_of_text(diagnostic: Diagnostic, ty: &str) -> Diagnostic {
    diagnostic.note(format!("`text as {ty}` is the variant of that name"))
}

/// A method of what a list holds.
pub fn of_elements(diagnostic: Diagnostic, name: &str) -> Diagnostic {
    diagnostic.note(format!(
        "`{name}` is a method of its elements: `xs.map(x => x.{name}())`; of a list that may be `none` it is `?.map(…)`"
    ))
}

/// The elements of a `json`.
pub fn listed_json(diagnostic: Diagnostic, name: &str) -> Diagnostic {
    diagnostic.note(format!(
        "`.items()` gives the elements of a `json` array: `j.items().{name}(…)`"
    ))
}

/// Texts that are to be added up.
pub fn joined_texts(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("strings are joined with `xs.join(\"\")`")
}

/// A lambda of one parameter where two are given.
pub fn two_parameters(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("a lambda with two parameters is written `(a, b) => a + b`")
}

/// A lambda of two parameters where one is given.
pub fn one_parameter(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note(
        "to get elements with their index, use `enumerate`: `xs.enumerate().map((i, x) => …)`",
    )
}

/// Two elements given to what sorts by a key.
pub fn compares_keys(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("it takes a function from an element to its sort key: `xs.sort_by(x => x.name)`, and `sort_by_desc` reverses the order")
}

/// What is written instead of a parameter that functions of other languages have.
pub fn instead_of_argument(callee: &str, name: &str) -> Option<&'static str> {
    match (callee, name) {
        ("sort" | "sorted", "reverse" | "descending" | "desc") => {
            Some("`xs.sort_desc()` sorts from the largest to the smallest")
        }
        ("sort_by", "reverse" | "descending" | "desc") => {
            Some("`xs.sort_by_desc(x => …)` sorts from the largest to the smallest")
        }
        ("sort", "key" | "by") => Some("`xs.sort_by(x => …)` sorts by what the function gives"),
        ("post" | "put" | "patch" | "request", "json" | "data" | "payload" | "content") => {
            Some("the request body is `body`: a text, bytes, or any value with a JSON form")
        }
        _ => None,
    }
}

/// Whether a parameter of another language is one of ours by another name.
pub fn argument_by_another_name(callee: &str, name: &str) -> Option<&'static str> {
    match (callee, name) {
        ("post" | "put" | "patch", "json") => Some("body"),
        _ => None,
    }
}

/// `(limit: 4)` after what a `parallel for` goes through.
pub fn limit_in_parentheses(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("`limit` is a word of `parallel for`, without parentheses: `parallel for x in xs limit 4 { … }`")
}

/// `Point(x, y)`, where `Point` is a record.
pub fn record_by_parentheses(diagnostic: Diagnostic, name: &str, fields: &[Name]) -> Diagnostic {
    let names: Vec<&str> = fields.iter().take(3).map(Name::as_str).collect();
    let rest = match fields.len() > names.len() {
        true => ", ..",
        false => "",
    };
    diagnostic.note(format!(
        "a record is destructured by the names of its fields: `{name} {{ {}{rest} }}`",
        names.join(", ")
    ))
}

/// A text where a list of texts is wanted.
pub fn one_text_for_several(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("a list has brackets, also one of a single text: `[\"ls\", \"-l\"]`; a string is not split automatically, `s.words()` splits it")
}

/// `xs += 2`
pub fn one_for_several(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("a list has brackets, also one of a single value: `[x]`")
}

/// `Order.parse(text)`, where a type reads JSON.
pub fn read_as(diagnostic: Diagnostic, name: &str) -> Diagnostic {
    diagnostic.note(format!(
        "decode JSON into a type with `as`: `json.parse(text) as {name}`, and an existing `json` with `j as {name}`"
    ))
}

/// `xs.fold((total, x) => …, 0)`
pub fn fold_in_other_order(place: Place) -> Diagnostic {
    Diagnostic::error(
        Code::TYPE_MISMATCH,
        place,
        "`fold` takes the value that it begins with before the function",
    )
    .note("`xs.fold(0, (total, x) => total + x)`")
}

/// Something else than a tool where tools are listed.
pub fn wrapped_in_tool(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("to offer a function to a model, declare a tool that calls it: `tool page(url: string) -> string reads { http.get(url).ok().body }`; prompts and agents are listed by their names")
}

/// What other frameworks call a setting of an agent.
const ELSEWHERE: &[(&str, &str)] = &[
    (
        "agent",
        "the agent of a prompt stands in its head, `prompt ask(question: string) -> string by helper { … }`, and that of one call behind it, `ask(\"…\") by helper`",
    ),
    (
        "api_key",
        "keys come from the environment, such as `ANTHROPIC_API_KEY`",
    ),
    (
        "base_url",
        "the address comes from the environment, such as `OPENAI_BASE_URL`",
    ),
    (
        "cache_control",
        "`cache: true` keeps whole answers; what a provider caches of a prompt needs no setting",
    ),
    ("effort", THINKING),
    ("fallback", FALLBACK),
    ("fallback_model", FALLBACK),
    ("fallback_models", FALLBACK),
    ("fallbacks", FALLBACK),
    ("frequency_penalty", NO_SAMPLING),
    ("guardrails", CHECKED),
    ("input_guardrails", CHECKED),
    ("output_guardrails", CHECKED),
    (
        "handoffs",
        "an agent in `tools: [researcher]` offers its prompts to the model",
    ),
    ("history", CONVERSATION),
    ("instructions", "the system prompt goes in `system`"),
    (
        "knowledge",
        "put background knowledge in the texts, `system` and `user`; what the model looks up itself needs a tool",
    ),
    ("max_attempts", RETRIED),
    ("max_iterations", TURNS),
    ("max_retries", RETRIED),
    ("max_steps", TURNS),
    (
        "mcp_servers",
        "a server stands among the tools: `mcp git = stdio(\"uvx\", [\"mcp-server-git\"])`, then `tools: [git]`",
    ),
    ("memory", CONVERSATION),
    (
        "name",
        "a declaration has its name behind its keyword: `agent helper { … }`",
    ),
    ("on_token", STREAMED),
    ("output", RESULT),
    ("output_schema", RESULT),
    ("output_type", RESULT),
    (
        "permissions",
        "permissions are a declaration of their own: `permissions { net: [\"api.example.org\"] }`",
    ),
    (
        "parallel_tool_calls",
        "the tool calls of a turn run in parallel where their repeat classes allow it; there is no setting for that",
    ),
    ("presence_penalty", NO_SAMPLING),
    (
        "prompt",
        "a prompt is declared by itself: `prompt ask(question: string) -> string by helper { user \"${question}\" }`",
    ),
    (
        "provider",
        "the name of a model begins with its provider: `model: \"openai/gpt-5\"`",
    ),
    ("reasoning", THINKING),
    ("reasoning_effort", THINKING),
    ("response_format", RESULT),
    ("seed", NO_SAMPLING),
    ("stream", STREAMED),
    ("thread", CONVERSATION),
    (
        "tool_choice",
        "a model chooses among the tools that it is offered; to force a call, call the tool in the program and pass its result to the prompt",
    ),
    ("top_k", NO_SAMPLING),
    ("top_p", NO_SAMPLING),
    ("user", "a text is written without a colon: `user \"…\"`"),
    (
        "assistant",
        "a text is written without a colon: `assistant \"…\"`",
    ),
    (
        "verbose",
        "progress is shown on standard error unless `--quiet` is given; `--events FILE` writes down all of it",
    ),
];
const STREAMED: &str =
    "a call streams: `let s = ask.stream(…)`, then `for part in s { … }` and `s.result()`";
const CHECKED: &str = "check inputs and outputs with hooks: `hooks: [guard]`, `hook guard { before_prompt(session, text) { … } }`; check an answer with `where` in its type";
const RETRIED: &str = "set the number of retries with `retry: 3`";
const CONVERSATION: &str = "a conversation is a value: `let chat = session(helper)`, then `ask(\"…\") with { session: chat }`";
const FALLBACK: &str = "fallback models are a list: `model: first_of(\"anthropic/claude-sonnet-5-5\", \"openai/gpt-5\")`";
const NO_SAMPLING: &str =
    "`temperature` is the only sampling setting, and not all models support it";
const THINKING: &str = "set the thinking budget as a number of tokens: `thinking: 4096`";
const TURNS: &str = "turns of tool use are bounded by `max_turns: 10`";
const RESULT: &str = "the output type of a model is the result type of a prompt: `prompt find(text: string) -> [Person] by helper { … }`";

/// What is written here instead of a setting of another framework.
pub fn setting_elsewhere(name: &str) -> Option<&'static str> {
    // `maxSteps` is `max_steps` in other languages.
    let mut snake = String::with_capacity(name.len() + 2);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    let found = ELSEWHERE.iter().find(|it| it.0 == snake);
    found.map(|it| it.1)
}

/// A comparison with `none` whose result is always the same.
pub fn never_none(place: Place, ty: &str) -> Diagnostic {
    Diagnostic::warning(
        Code::NOT_OPTIONAL,
        place,
        format!("this is {}, which is never `none`", with_article(ty)),
    )
    .note("the comparison always gives the same result; a value that may be missing has an optional type: `int?`")
}

/// No value where JSON is wanted.
pub fn null_is_none(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("the `null` of JSON is written `none`")
}

/// Something that may be `none` on one side of `<`.
pub fn absent_operand(place: Place) -> Diagnostic {
    let message = "this may be `none`, which is ordered before every value";
    Diagnostic::warning(Code::ABSENT_OPERAND, place, message).note(
        "give a default value, `(age ?? 0) < 18`, or unwrap it first: `if let age = age { … }`",
    )
}

/// `await` before a call; `word` is what goes away.
pub fn calls_wait(report: Diagnostic, word: Place) -> Diagnostic {
    report
        .note(
            "a call already waits for its result; `await` is for tasks, which `spawn` has started",
        )
        .fix("leave out `await`", word, "")
}

/// `await` of a task that may be missing; the fix takes the word away and adds a call at the end.
pub fn absent_task(report: Diagnostic, fix: Option<(Place, Place)>) -> Diagnostic {
    let report = report.note(
        "the task may be `none`: `t.map(t => await t)` gives `none` then, and `if let t = t { await t }` waits if there is one",
    );
    let Some((word, end)) = fix else {
        return report;
    };
    report.fix_around(
        "wait if there is a task",
        (word, ""),
        (end, ".map(t => await t)"),
    )
}

/// `await` or `race` of a list in which tasks may be missing.
pub fn absent_tasks(report: Diagnostic) -> Diagnostic {
    report.note("`ts.filter_map(t => t)` skips the `none` values")
}

/// `await` before `parallel`; `word` is what goes away.
pub fn parallel_waits(report: Diagnostic, word: Place) -> Diagnostic {
    report
        .note("`parallel` waits for everything and gives the values")
        .fix("leave out `await`", word, "")
}

/// `await` before `race`; `word` is what goes away.
pub fn race_waits(report: Diagnostic, word: Place) -> Diagnostic {
    report
        .note("`race` waits for the first of its tasks and gives the value")
        .fix("leave out `await`", word, "")
}

/// `await` before `spawn detached`; `word` is what goes away.
pub fn detached_gives_id(report: Diagnostic, word: Place) -> Diagnostic {
    report
        .note("a detached run outlives this one: `spawn detached` gives its id, by which `std/runs` finds it")
        .fix("leave out `await`", word, "")
}

/// A task where its value is wanted; `start` is right before it.
pub fn await_it(diagnostic: Diagnostic, start: Place) -> Diagnostic {
    diagnostic.fix("wait for the task", start, "await ")
}

/// Adds the fix for a task that is started here: waiting for each at once may be meant, or for all of them afterwards.
pub fn await_or_gather(diagnostic: Diagnostic, start: Place) -> Diagnostic {
    await_it(diagnostic, start)
        .note("tasks that are started one by one are awaited together: `await xs.map(x => spawn f(x))`")
        .offered()
}

/// A function whose first parameter takes the receiver that it follows as a method; `call` is what is written, and `instead` the
/// call of the function. `owner` is its type, where that may have methods of the program.
pub fn function_of_receiver(
    report: Diagnostic,
    (name, owner): (&str, Option<&str>),
    call: Place,
    instead: String,
) -> Diagnostic {
    report
        .note(match owner {
            Some(owner) => format!(
                "`{name}` is a function that takes it: a method is declared as `fn {owner}.{name}(self)`"
            ),
            None => format!("`{name}` is a function that takes it, not a method"),
        })
        .fix(format!("write `{instead}`"), call, instead)
}

/// An error that is bound by a name in the parentheses of its fields; `fields` are the names of these.
pub fn error_in_parentheses(mut report: Diagnostic, error: &str, fields: &[&str]) -> Diagnostic {
    // The advice about patterns that leave something out leads elsewhere.
    report.notes.clear();
    report.note(format!(
        "parentheses bind the fields, `{error}({})`; a name alone binds any error, `e => …`, and its text is `e.message()`",
        fields.join(", ")
    ))
}

/// A name that a field has which the pattern around it could have taken; `end` is right after that pattern.
pub fn untaken_field(
    report: Diagnostic,
    name: &str,
    owner: &str,
    end: Place,
    fields: &str,
) -> Diagnostic {
    report
        .note(format!(
            "`{owner}` has a field `{name}`, which its pattern binds in parentheses: `{owner}{fields} => …`"
        ))
        .fix(format!("write `{owner}{fields}`"), end, fields)
}

/// The agent of a call among its arguments.
pub fn agent_as_argument(report: Diagnostic, callee: &str) -> Diagnostic {
    report.note(format!(
        "the agent of a call comes after it: `{callee}(…) by helper`"
    ))
}

/// Parallel calls where a list is wanted.
pub fn parallel_gives_tuple(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic
        .note("`parallel (f(), g())` gives a tuple, and `parallel for x in xs { f(x) }` a list")
}

/// A variant with its module in place of its enum.
pub fn with_enum(report: Diagnostic, place: Place, owner: &str, name: &str) -> Diagnostic {
    report
        .note(format!("`{name}` is a variant of `{owner}`"))
        .fix(
            format!("write `{owner}.{name}`"),
            place,
            format!("{owner}.{name}"),
        )
}
