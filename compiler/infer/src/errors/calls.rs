//! Wording of reports about calls and their arguments.

use gsw_abi::judge::{Fact, FactForm};
use gsw_abi::setting::{Form, Listed, Setting};
use gsw_source::{Code, Diagnostic, Name, Place, Suggestion, did_you_mean};
use gsw_syntax::ast::{ModifierKind, TextRole};

/// An argument's name that no parameter has.
pub fn unknown_argument(
    place: Place,
    name: &str,
    callee: &str,
    suggestion: Option<&Suggestion>,
) -> Diagnostic {
    did_you_mean(
        Diagnostic::error(
            Code::UNKNOWN_ARGUMENT,
            place,
            format!("{callee} has no parameter `{name}`"),
        ),
        suggestion,
    )
}

/// A bound of a budget without its name.
pub fn unnamed_bound(place: Place) -> Diagnostic {
    let message = "a bound of a budget is named: `budget(usd: 0.5)`";
    Diagnostic::error(Code::UNKNOWN_ARGUMENT, place, message)
}

/// A parameter that got no value.
pub fn missing_argument(place: Place, names: &[&str], callee: &str) -> Diagnostic {
    let list: Vec<String> = names.iter().map(|it| format!("`{it}`")).collect();
    let word = if names.len() == 1 {
        "argument"
    } else {
        "arguments"
    };
    Diagnostic::error(
        Code::MISSING_ARGUMENT,
        place,
        format!("{callee} is missing the {word} {}", list.join(", ")),
    )
}

/// The parameters of what is called, with their types.
pub fn with_signature(diagnostic: Diagnostic, parameters: &[String]) -> Diagnostic {
    diagnostic.note(format!("it takes `({})`", parameters.join(", ")))
}

/// An optional parameter that was left out.
pub fn needs_default(diagnostic: Diagnostic, name: &str, ty: &str) -> Diagnostic {
    diagnostic.note(format!(
        "only an argument with a default value may be omitted: declare `{name}: {ty} = none`, or give `none`"
    ))
}

/// More positional arguments than parameters.
pub fn too_many_arguments(place: Place, callee: &str, most: usize, found: usize) -> Diagnostic {
    let word = if most == 1 { "argument" } else { "arguments" };
    Diagnostic::error(
        Code::TOO_MANY_ARGUMENTS,
        place,
        format!("{callee} takes {most} {word}, found {found}"),
    )
}

/// Digits that `round` is asked to keep.
pub fn rounds_to_whole(report: Diagnostic) -> Diagnostic {
    report.note("to round to two decimal places, write `(x * 100.0).round() / 100.0`, or `x.fixed(2)` for a string")
}

/// A default value given to `get`.
pub fn gives_optional(report: Diagnostic) -> Diagnostic {
    report.note("it gives an optional: `m.get(key) ?? default`")
}

/// A variable with the name of a module that is known everywhere.
pub fn hides_module(report: Diagnostic, module: &str) -> Diagnostic {
    report.note(format!(
        "the variable `{module}` hides the module `{module}`; give it another name"
    ))
}

/// The receiver of a method that others of its kind have.
pub fn of_other_receiver(report: Diagnostic, name: &str, receiver: &str) -> Diagnostic {
    report.note(format!("`{name}` is a method of `{receiver}`"))
}

/// A parameter that got two values.
pub fn duplicate_argument(place: Place, name: &str) -> Diagnostic {
    Diagnostic::error(
        Code::DUPLICATE_ARGUMENT,
        place,
        format!("the parameter `{name}` already has a value"),
    )
}

/// A positional argument after a named one.
pub fn positional_after_named(place: Place) -> Diagnostic {
    Diagnostic::error(
        Code::MISPLACED_ARGUMENT,
        place,
        "a positional argument cannot follow a named one",
    )
    .note("name it as well, or move it before the named arguments")
}

/// A named argument in the call of a function value.
pub fn names_of_value(place: Place) -> Diagnostic {
    Diagnostic::error(
        Code::UNKNOWN_ARGUMENT,
        place,
        "the parameters of a function value have no names",
    )
}

/// A call of what is no function.
pub fn not_callable(place: Place, what: &str) -> Diagnostic {
    Diagnostic::error(
        Code::NOT_CALLABLE,
        place,
        format!("{what} cannot be called"),
    )
}

/// A method that the type does not have.
pub fn unknown_method(
    place: Place,
    name: &str,
    ty: &str,
    suggestion: Option<&Suggestion>,
) -> Diagnostic {
    did_you_mean(
        Diagnostic::error(
            Code::UNKNOWN_METHOD,
            place,
            format!("`{ty}` has no method `{name}`"),
        ),
        suggestion,
    )
}

/// The existing methods, where none resembles the one that is named.
pub fn has_methods(diagnostic: Diagnostic, names: &[Name]) -> Diagnostic {
    let mut names: Vec<String> = names.iter().map(|it| format!("`{it}`")).collect();
    names.sort();
    match names.is_empty() {
        true => diagnostic,
        false => diagnostic.note(format!("its methods are {}", names.join(", "))),
    }
}

/// A method that is called as a function.
pub fn method_as_function(diagnostic: Diagnostic, name: &str) -> Diagnostic {
    diagnostic.note(format!("it is a method: `x.{name}(…)`"))
}

/// A method of what a task gives.
pub fn of_awaited(diagnostic: Diagnostic, name: &str) -> Diagnostic {
    diagnostic.note(format!(
        "await the task to get its value: `(await t).{name}(…)`"
    ))
}

/// A method of the inside of an optional; `dot` is right before the dot.
pub fn through_optional(diagnostic: Diagnostic, name: &str, dot: Place) -> Diagnostic {
    diagnostic
        .note(format!(
            "the value may be `none`: `?.{name}` is evaluated only when there is a value, and gives an optional"
        ))
        .fix(format!("write `?.{name}`"), dot, "?")
}

/// A field that is called; `parentheses` are what goes away, when they are empty.
pub fn field_as_method(
    diagnostic: Diagnostic,
    name: &str,
    parentheses: Option<Place>,
) -> Diagnostic {
    let diagnostic = diagnostic.note(format!("`{name}` is a field"));
    match parentheses {
        Some(place) => diagnostic.fix("remove the parentheses", place, ""),
        None => diagnostic,
    }
}

/// A method of a `json` whose type is not given.
pub fn typed_json(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("decode it first: `(j.field as string).upper()`")
}

/// `p(x).stream()` of a prompt.
pub fn before_arguments(diagnostic: Diagnostic, name: &str) -> Diagnostic {
    diagnostic.note(format!(
        "of a prompt `{name}` stands before the arguments: `p.{name}(x)`"
    ))
}

/// A list that is to be changed; `instead` replaces the call where it is a statement.
pub fn joined_lists(diagnostic: Diagnostic, instead: Option<(Place, String)>) -> Diagnostic {
    let diagnostic = diagnostic
        .note("values never change: `xs + [x]` is a new list, and a `var` takes `xs += [x]`");
    match instead {
        Some((place, text)) => diagnostic.fix(format!("write `{text}`"), place, text),
        None => diagnostic,
    }
}

/// What follows the dot of a function.
pub fn of_function(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("a function or prompt is called by its name, `p(x)`, with settings behind it, `p(x) with { cache: false }`; a prompt has `.detail(…)` and `.stream(…)`")
}

/// The name of a lambda inside of it.
pub fn lambda_calls_itself(diagnostic: Diagnostic, name: &str) -> Diagnostic {
    diagnostic.note(format!(
        "a lambda cannot call itself by name; declare a function: `fn {name}(…) -> T {{ … }}`"
    ))
}

/// A lambda with another number of parameters than wanted.
pub fn lambda_arity(place: Place, wanted: usize, found: usize) -> Diagnostic {
    let word = if wanted == 1 {
        "parameter"
    } else {
        "parameters"
    };
    Diagnostic::error(
        Code::WRONG_PARAMETER_COUNT,
        place,
        format!("expected a function of {wanted} {word}, found one of {found}"),
    )
}

/// `by`, `with`, `revise`, `reflect` on what is no prompt call.
pub fn not_a_prompt(place: Place, word: &str) -> Diagnostic {
    Diagnostic::error(
        Code::NOT_A_PROMPT,
        place,
        format!("`{word}` needs the call of a prompt"),
    )
}

/// `spawn detached` of what is no workflow.
pub fn not_a_workflow(place: Place) -> Diagnostic {
    Diagnostic::error(
        Code::NOT_A_WORKFLOW,
        place,
        "`spawn detached` needs the call of a workflow",
    )
}

/// An unknown setting.
pub fn unknown_setting(place: Place, name: &str, suggestion: Option<&Suggestion>) -> Diagnostic {
    did_you_mean(
        Diagnostic::error(
            Code::UNKNOWN_SETTING,
            place,
            format!("there is no setting `{name}`"),
        ),
        suggestion,
    )
}

/// A setting of a `human`: nothing of it reaches a person.
pub fn setting_of_question(place: Place, name: &str) -> Diagnostic {
    let message = format!("a `human` takes no setting `{name}`");
    let report = Diagnostic::error(Code::UNKNOWN_SETTING, place, message);
    if name == "timeout" {
        return report.note(
            "the timeout of a question goes in the head: `human approve(plan: string) -> bool timeout 24h { … }`",
        );
    }
    report.note("settings are for models; a person only gets the texts")
}

/// A name in a `permissions` block that is no permission.
pub fn permissions_are(report: Diagnostic, names: &[&str]) -> Diagnostic {
    let names = names.join("`, `");
    report.note(format!(
        "a program is permitted `{names}`; a `secret` is an environment variable, so list it under `env`"
    ))
}

/// A setting that a detached run does not have.
pub fn unknown_run_setting(place: Place, name: &str) -> Diagnostic {
    unknown_setting(place, name, None)
        .note("a detached run has one setting: `with { id: \"nightly-2026-11-22\" }`")
}

/// A setting or modifier that is written twice.
pub fn duplicate_setting(place: Place, name: &str) -> Diagnostic {
    Diagnostic::error(
        Code::DUPLICATE_SETTING,
        place,
        format!("`{name}` is already given"),
    )
}

const fn with_article(role: TextRole) -> &'static str {
    match role {
        TextRole::System => "a `system`",
        TextRole::User => "a `user`",
        TextRole::Assistant => "an `assistant`",
    }
}

/// A text of a prompt where none is allowed.
pub fn misplaced_text(place: Place, role: TextRole) -> Diagnostic {
    Diagnostic::error(
        Code::MISPLACED_STATEMENT,
        place,
        format!(
            "{} text is allowed only in the body of a prompt itself",
            with_article(role)
        ),
    )
    .note("a fragment of a prompt is a function that returns a `string`: `user \"${greeting(name)}\"`")
}

/// `return e` in the body of a prompt.
pub fn returned_from_prompt(place: Place, found: &str) -> Diagnostic {
    Diagnostic::error(
        Code::TYPE_MISMATCH,
        place,
        format!("expected nothing after `return`, found `{found}`"),
    )
    .note("the body of a prompt assembles its texts, and `return` ends it; the value of a call is the answer")
}

/// A call of the word before a text, which is no function.
pub fn text_needs_literal(report: Diagnostic, role: TextRole) -> Diagnostic {
    let word = role.text();
    report.note(format!(
        "in the body of a prompt a text is a statement: `{word} (text)` on a line of its own"
    ))
}

/// A text for a model in a question to a person.
pub fn text_for_person(place: Place, role: TextRole) -> Diagnostic {
    Diagnostic::error(
        Code::MISPLACED_STATEMENT,
        place,
        format!(
            "{} text is allowed only in a prompt: a person is asked with `user` texts",
            with_article(role)
        ),
    )
}

/// How a prompt has what a step has by modifiers.
pub fn modifier_as_setting() -> &'static str {
    "a prompt has settings in its body: `retry: 3`, `reflect: 2`, `budget: { usd: 0.5 }`"
}

/// A setting whose value is not of the form it needs.
pub fn wrong_setting(place: Place, name: &str, wanted: &str) -> Diagnostic {
    Diagnostic::error(
        Code::WRONG_SETTING,
        place,
        format!("`{name}` needs {wanted}"),
    )
}

/// What a `race` cannot do with errors.
pub fn wrong_race_policy(place: Place) -> Diagnostic {
    wrong_setting(place, "errors", "`first` or `merge`").note(
        "a `race` gives one value: with `first`, an error that comes first is raised; with `merge`, errors count only when all have failed",
    )
}

pub fn wanted_form(form: Form) -> &'static str {
    match form {
        Form::Text => "a value of type `string`",
        Form::Texts => "a list of strings",
        Form::Count { .. } => "a value of type `int`",
        Form::Number => "a value of type `float`",
        Form::Duration => "a value of type `duration`",
        Form::Model => "the name of a model, or `first_of(…)`",
        Form::Cache => "`true` or `false`",
        Form::Budget => "`{ usd: …, tokens: …, calls: …, time: … }`",
        Form::Tools => "a list of tools",
        Form::Names(Listed::Skills) => "a list of folders: `[\"./skills/notes\"]`",
        Form::Names(Listed::Hooks | Listed::Workflows) => "a list of names",
        Form::Environment => "names with strings or secrets: `{ \"CI\": \"1\" }`",
        Form::Answer => "`\"lenient\"`, `\"exact\"` or `\"keep_valid\"`",
        Form::Session => "a session",
    }
}

/// A judge of a failed body with a parameter that no fact fits.
pub fn wrong_judge(place: Place) -> Diagnostic {
    let wanted = "parameters that take facts about a failure";
    let parameter = |it: &Fact| {
        let ty = match it.form() {
            FactForm::Text => "string",
            FactForm::Number => "int",
            FactForm::List => "[string]",
        };
        format!("`{}: {ty}`", it.name())
    };
    let facts: Vec<String> = Fact::ALL.iter().map(parameter).collect();
    wrong_setting(place, "reflect … with", wanted).note(format!(
        "the facts are {}: a parameter takes the fact with its name, or else the next unused one",
        facts.join(", ")
    ))
}

/// A modifier where it has no meaning.
pub fn misplaced_modifier(place: Place, modifier: &ModifierKind) -> Diagnostic {
    let name = modifier.name().text();
    let message = format!("`{name}` is not allowed here");
    let note = match modifier {
        ModifierKind::Limit(_) | ModifierKind::Errors(_) => {
            format!("`{name}` belongs to `parallel for`")
        }
        ModifierKind::Timeout(_) => {
            format!(
                "`{name}` belongs to workflows, tools, steps, humans and blocks: `{name} 3s {{ … }}`"
            )
        }
        ModifierKind::Retry { .. } => {
            format!("`{name}` belongs to workflows, tools, steps and blocks: `{name} 3 {{ … }}`")
        }
        ModifierKind::Reflect { .. } => {
            format!("`{name}` belongs to workflows, steps and blocks: `{name} 3 {{ … }}`")
        }
        ModifierKind::Budget(_) => {
            format!("`{name}` belongs to workflows, steps and blocks: `{name}(calls: 3) {{ … }}`")
        }
    };
    Diagnostic::error(Code::MISPLACED_MODIFIER, place, message).note(note)
}

/// What distinguishes two tools of one name.
pub enum Renaming {
    /// `as` and this name at this place.
    As(Place, String),
    /// Another name after an existing `as`.
    OtherAlias,
    /// Tools listed one by one, not by their modules.
    OneByOne,
}

/// A tool that gives a model an image or a document inside another value.
pub fn media_result(place: Place, tool: &str) -> Diagnostic {
    let message = format!(
        "`{tool}` gives an image or a document inside another value, and a model would get it as text"
    );
    Diagnostic::error(Code::NO_JSON_FORM, place, message).note(
        "a model sees what a tool gives as an `image` or a `document`, as an optional or as a list of them",
    )
}

/// Two tools that a model would know by one name.
pub fn duplicate_tool(
    (place, other): (Place, Place),
    name: &str,
    renaming: Renaming,
) -> Diagnostic {
    let message = format!("another tool is offered as `{name}` already");
    let diagnostic = Diagnostic::error(Code::DUPLICATE_TOOL, place, message)
        .label(other, format!("the other `{name}`"));
    match renaming {
        Renaming::As(place, alias) => diagnostic
            .note("a tool may have another name for the model, after `as`")
            .offer(format!("offer it as `{alias}`"), place, format!(" as {alias}")),
        Renaming::OtherAlias => diagnostic.note("give one of them another name after its `as`"),
        Renaming::OneByOne => diagnostic.note(
            "list the tools of one module by their names, this one with another name for the model after `as`",
        ),
    }
}

/// A name after `as` that providers do not take.
pub fn unsendable_alias(place: Place, name: &str) -> Diagnostic {
    let wanted = "names of at most 64 ASCII letters, digits and `_` after `as`";
    wrong_setting(place, Setting::Tools.name(), wanted)
        .note(format!("the model would know the tool as `{name}`"))
}

/// An agent in a list of tools that no prompt is asked by.
pub fn agent_without_prompts(place: Place, agent: &str) -> Diagnostic {
    Diagnostic::error(
        Code::WRONG_SETTING,
        place,
        format!(
            "no prompt of its module is `by {agent}`, so it offers nothing that a model could call"
        ),
    )
    .note("an agent in `tools` stands for its prompts; those of other modules are listed by name")
}

/// An MCP server in `tools` whose tools are not declared.
pub fn server_without_tools(place: Place, server: &str) -> Diagnostic {
    Diagnostic::error(
        Code::WRONG_SETTING,
        place,
        format!("no tool of its module is `by {server}`, so it offers nothing that a model could call"),
    )
    .note("a server in `tools` stands for the tools that are declared of it; `gswc mcp lock` writes them")
}

/// A tool that is not declared of an MCP server.
pub fn no_tool_of_server(
    place: Place,
    server: &str,
    name: &str,
    suggestion: Option<&Suggestion>,
) -> Diagnostic {
    let message = format!("no tool `{name}` is declared `by {server}`");
    let report = Diagnostic::error(Code::UNKNOWN_NAME, place, message)
        .note("`gswc mcp lock` declares the tools that a server has");
    match suggestion {
        Some(near) => {
            let name = near.as_str();
            let report = report.fix(format!("did you mean `{name}`?"), place, name);
            report.decided_by(near.applicability)
        }
        None => report,
    }
}

/// One name for several tools.
pub fn alias_of_several(place: Place, listed: &str, count: usize) -> Diagnostic {
    Diagnostic::error(
        Code::WRONG_SETTING,
        place,
        format!("`{listed}` stands for {count} prompts, which cannot have one name"),
    )
    .note("list the prompts, each with its own `as`")
}

/// A declaration in a list of another kind of declarations.
/// `why` says what is wrong with the folder, or the file in it.
pub fn bad_skill(place: Place, path: &str, why: &str) -> Diagnostic {
    let message = format!("`{path}` is not a skill");
    Diagnostic::error(Code::BAD_SKILL, place, message)
        .note(why)
        .note("a skill is a folder with a `SKILL.md`; its path begins at this file")
}

/// What another program would hold against skills that are taken, and why others in their folder are not: in one report, since a
/// place has one of a code. Nothing where there is neither.
pub fn skill_form(place: Place, taken: &[String], left_out: &[String]) -> Option<Diagnostic> {
    let warning = |message: &str| Diagnostic::warning(Code::SKILL_FORM, place, message);
    let (report, others) = match (left_out, taken) {
        ([], []) => return None,
        ([], [first, others @ ..]) => (warning(first), others),
        (left_out, taken) => {
            let report = warning("some skills of the folder cannot be read and are skipped");
            (left_out.iter().fold(report, |it, why| it.note(why)), taken)
        }
    };
    let report = others.iter().fold(report, |it, other| it.note(other));
    Some(report.note(match left_out {
        [] => "it is used anyway; other programs that read skills may reject it",
        [..] => "the others are used",
    }))
}

/// Two skills of one name in a list.
pub fn same_skill(place: Place, name: &str) -> Diagnostic {
    let message = format!("a skill `{name}` is already in the list");
    Diagnostic::error(Code::BAD_SKILL, place, message).note("a model chooses a skill by its name")
}

pub fn not_listable(place: Place, setting: &str, what: &str) -> Diagnostic {
    Diagnostic::error(
        Code::WRONG_SETTING,
        place,
        format!("{what} cannot be listed in `{setting}`"),
    )
}

/// A call by which a generic function asks for another instance of itself, with a larger type.
pub fn ever_larger(place: Place, name: &str) -> Diagnostic {
    let message = format!("`{name}` is instantiated with ever larger types");
    Diagnostic::error(Code::INSTANCE_TOO_DEEP, place, message)
        .note("each call instantiates it with a more deeply nested type")
}
