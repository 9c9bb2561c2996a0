//! Wording of what is where it is not allowed, and of what crosses what it may not.

use gsw_abi::permission::Permission;
use gsw_source::{Code, Diagnostic, Place};

use crate::manifest::PermissionSource;

/// `break` or `continue` without a loop to leave; `wall` is what is between it and one further out.
pub fn outside_loop(place: Place, word: &str, wall: Option<&str>) -> Diagnostic {
    let message = match wall {
        Some(wall) => format!("`{word}` cannot leave {wall}"),
        None => format!("`{word}` is outside of any loop"),
    };
    let diagnostic = Diagnostic::error(Code::OUTSIDE_LOOP, place, message);
    match wall {
        Some("a lambda") => diagnostic.note(
            "a lambda is called for each element: `return value` ends one call, `xs.take_while(…)` and `xs.find(…)` stop early, and a loop is `for x in xs { … }`",
        ),
        Some(_) | None => diagnostic,
    }
}

/// `return` where it may not leave what is around it.
pub fn cannot_leave(place: Place, word: &str, wall: &str) -> Diagnostic {
    Diagnostic::error(
        Code::CANNOT_LEAVE,
        place,
        format!("`{word}` cannot leave {wall}"),
    )
    .note("let the block end with its value, and decide after it")
}

/// A statement outside of the only place for it.
pub fn misplaced_statement(place: Place, what: &str, home: &str) -> Diagnostic {
    Diagnostic::error(
        Code::MISPLACED_STATEMENT,
        place,
        format!("{what} is allowed only in {home}"),
    )
}

/// A mock outside of a test.
pub fn misplaced_mock(place: Place, what: &str) -> Diagnostic {
    misplaced_statement(place, what, "a test, or a function that only tests call")
}

/// A function that sets mocks, used where no test runs.
pub fn mocks_outside_test(place: Place, name: &str) -> Diagnostic {
    let message = format!(
        "`{name}` sets mocks, so only a test may use it, or a function that sets mocks itself"
    );
    Diagnostic::error(Code::MISPLACED_STATEMENT, place, message)
}

/// What is written instead of a `state` elsewhere.
pub const STATE_OR_VARIABLE: &str = "what changes while a body runs is a `var`; a `state` of a workflow is also shown while it runs";

/// What is wrong with an earlier name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FormerNameProblem {
    Empty,
    /// It is the present name.
    Own,
    /// Something else of that kind has it today.
    Present,
    /// Two claim it.
    Twice,
}

/// An earlier name that identifies nothing.
pub fn wrong_former_name(place: Place, was: &str, problem: FormerNameProblem) -> Diagnostic {
    let message = match problem {
        FormerNameProblem::Empty => "an earlier name cannot be empty".to_owned(),
        FormerNameProblem::Own => format!("`{was}` is the name that it has"),
        FormerNameProblem::Present => format!("`{was}` is the name of another one"),
        FormerNameProblem::Twice => format!("another one says that it was `{was}`, too"),
    };
    Diagnostic::error(Code::WRONG_FORMER_NAME, place, message)
        .note("runs that began before the change know it by its earlier name, which must be unique")
}

/// A captured variable that could be part of a cycle of values.
pub fn captured_cycle(place: Place, name: &str, what: &str) -> Diagnostic {
    let message = format!("`{name}` is captured by a closure and holds {what}");
    Diagnostic::error(Code::CAPTURED_CYCLE, place, message)
        .note("a captured `var` holds plain data only: pass the value as an argument, or bind it with `let`; declare a recursive function with `fn`")
}

/// The closure that captures a variable.
pub fn captured_by(diagnostic: Diagnostic, closure: Place) -> Diagnostic {
    diagnostic.label(closure, "this closure captures it")
}

/// A value that cannot be recorded where values are.
pub fn not_recordable(place: Place, what: &str, boundary: &str) -> Diagnostic {
    let message = format!("{boundary} cannot hold {what}");
    Diagnostic::error(Code::NOT_RECORDABLE, place, message)
        .note("what crosses here is recorded, so that a run can be inspected and resumed; only data can be recorded")
}

/// An image or document inside of another value that a prompt or a person is given.
pub fn media_inside(place: Place, boundary: &str) -> Diagnostic {
    let message = format!("{boundary} cannot hold an image or a document inside another value");
    Diagnostic::error(Code::NO_JSON_FORM, place, message)
        .note("an image or document goes into the text by itself, as an optional or as a list; give it a parameter of its own")
}

/// An image or document as an answer.
pub fn media_answer(place: Place, word: &str) -> Diagnostic {
    let message = format!("the answer of {word} cannot hold an image or a document");
    Diagnostic::error(Code::NO_JSON_FORM, place, message)
        .note("an answer is text that is checked against its type")
}

/// A call of a `once` tool in code that may run again; `word` is what makes it run again, `way` the function that calls it.
pub fn repeats_once_effect(place: Place, tool: &str, way: Option<&str>, word: &str) -> Diagnostic {
    let way = way.map_or(String::new(), |it| format!(", which `{it}` calls,"));
    let message = format!("`{tool}`{way} may run only once, and `{word}` may run it again");
    Diagnostic::error(Code::REPEATS_ONCE_EFFECT, place, message)
        .note("give the tool an idempotency key with `idempotent by`, or move the call out")
}

/// How it is known how a tool may be repeated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Said {
    Written,
    Inferred,
}

/// A `retry` in the head of a tool that may not be repeated.
pub fn retries_once_tool(place: Place, tool: &str, said: Said) -> Diagnostic {
    let message = format!("`{tool}` may run only once, and its own `retry` would run it again");
    let report = Diagnostic::error(Code::REPEATS_ONCE_EFFECT, place, message)
        .note("add an idempotency key: `idempotent by` and a value that is unique per call");
    match said {
        Said::Written => report,
        Said::Inferred => report.note(
            "it is `once` because of what it does; `reads` before `retry` says that it only reads",
        ),
    }
}

/// Beside the declaration of a tool that may not be repeated.
pub fn declared_once() -> &'static str {
    "this tool has effects outside the program, or is declared `once`"
}

/// `mock` of something that reaches nothing outside of the program.
pub fn not_mockable(place: Place, name: &str) -> Diagnostic {
    Diagnostic::error(
        Code::NOT_CALLABLE,
        place,
        format!("`{name}` cannot be mocked"),
    )
    .note("prompts, tools, humans, externals, workflows and effects of the library can be mocked")
}

/// A call that needs a permission which the program does not give itself.
pub fn not_permitted(
    place: Place,
    permission: Permission,
    source: PermissionSource,
    entry: Option<&str>,
) -> Diagnostic {
    let list = match source {
        PermissionSource::Block => "`permissions`",
        PermissionSource::Project => "`[permissions]` of `gsw.toml`",
    };
    let message = format!("this needs the permission `{permission}`, which {list} does not list");
    let entry = entry.unwrap_or("…");
    let note = match source {
        PermissionSource::Block => {
            format!("to permit it, add `{permission}: [{entry:?}]` to the `permissions` block")
        }
        PermissionSource::Project => {
            format!(
                "to permit it, add `{permission} = [{entry:?}]` under `[permissions]` in `gsw.toml`"
            )
        }
    };
    Diagnostic::error(Code::NOT_PERMITTED, place, message)
        .note("anything that a list of permissions does not name is denied")
        .note(note)
}

/// What a call needs that a permission does not list.
pub struct Wanted<'a> {
    pub permission: Permission,
    /// What the list would have to hold.
    pub entry: &'a str,
    /// What the call names.
    pub target: &'a str,
}

/// A call on something that a permission does not list.
pub fn target_not_permitted(
    place: Place,
    wanted: &Wanted<'_>,
    source: PermissionSource,
    listed: &[String],
) -> Diagnostic {
    let Wanted {
        permission,
        entry,
        target,
    } = wanted;
    let message = format!("the permission `{permission}` does not cover `{target}`");
    let listed: Vec<String> = listed.iter().map(|it| format!("`{it}`")).collect();
    let note = if listed.is_empty() {
        "it lists nothing".to_string()
    } else {
        format!("it lists {}", listed.join(", "))
    };
    let home = match source {
        PermissionSource::Block => "of the `permissions` block",
        PermissionSource::Project => "under `[permissions]` in `gsw.toml`",
    };
    Diagnostic::error(Code::NOT_PERMITTED, place, message)
        .note(note)
        .note(format!(
            "to permit it, add `{entry:?}` to `{permission}` {home}"
        ))
}

/// An entry of a `permissions` block that can never cover anything.
pub fn unmatchable_entry(
    place: Place,
    permission: Permission,
    entry: &str,
    meant: &str,
) -> Diagnostic {
    let message = format!("`{entry}` covers nothing of `{permission}`");
    Diagnostic::error(Code::WRONG_SETTING, place, message)
        .note(match permission {
            Permission::Net => {
                "an entry is a host: `api.example.org`, `api.example.org:8443`, `*.example.org`"
            }
            Permission::FsRead | Permission::FsWrite => {
                "an entry is a file, or a folder with all that is in it"
            }
            Permission::Exec => "an entry is the name of a program, whatever its arguments",
            Permission::Env => "an entry is the name of a variable",
        })
        .fix(format!("write `{meant}`"), place, format!("{meant:?}"))
}

/// An entry of a `permissions` block that the project's `gsw.toml` does not grant.
pub fn beyond_project(
    place: Place,
    permission: Permission,
    entry: &str,
    granted: &[String],
) -> Diagnostic {
    let granted: Vec<String> = granted.iter().map(|it| format!("`{it}`")).collect();
    let note = if granted.is_empty() {
        format!("`[permissions]` of `gsw.toml` grants no `{permission}`")
    } else {
        format!(
            "`[permissions]` of `gsw.toml` grants `{permission}` of {}",
            granted.join(", ")
        )
    };
    Diagnostic::error(
        Code::NOT_PERMITTED,
        place,
        format!("the project does not permit `{permission}` of `{entry}`"),
    )
    .note(note)
    .note("this block can only narrow what the project permits")
}

/// A value that is known and that a `where` does not admit; `ty` is the type with the `where`.
pub fn broken_check(place: Place, ty: &str, check: &str) -> Diagnostic {
    let message = format!("this value does not fit `{ty}`: `{check}` does not hold");
    Diagnostic::error(Code::BROKEN_CHECK, place, message)
}

/// A setting or modifier whose value is known and makes no sense.
pub fn senseless_setting(place: Place, name: &str, wanted: &str) -> Diagnostic {
    let message = format!("`{name}` needs {wanted}");
    Diagnostic::error(Code::WRONG_SETTING, place, message)
}

/// A `secret` where everything is shown to a model or person. `what` is the sort of place, such as a parameter of a
/// prompt.
pub fn secret_exposed(place: Place, what: &str) -> Diagnostic {
    Diagnostic::error(
        Code::SECRET_EXPOSED,
        place,
        format!("{what} cannot hold a `secret`"),
    )
    .note(gsw_infer::errors::values::SECRET)
}
