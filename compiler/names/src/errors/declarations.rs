//! Wording of what is wrong with declarations.

use gsw_source::{Code, Diagnostic, Place, Suggestion};

use crate::attribute::AttributeTarget;

/// The second declaration of a name. `what` is the sort of thing, such as `field`.
pub fn duplicate_definition(place: Place, first: Place, what: &str, name: &str) -> Diagnostic {
    let message = format!("{what} `{name}` is declared twice");
    Diagnostic::error(Code::DUPLICATE_DEFINITION, place, message)
        .label(first, "first declared here")
}

/// A test with the name of another in its file.
pub fn repeated_test(place: Place, first: Place, name: &str) -> Diagnostic {
    duplicate_definition(place, first, "the test", name)
        .note("a test is found by its name, and so are its snapshots and its cassette")
}

/// A parameter without a type.
pub fn missing_type(place: Place, name: &str) -> Diagnostic {
    let message = format!("`{name}` needs a type");
    Diagnostic::error(Code::MISSING_TYPE, place, message)
        .note("types are inferred inside bodies and written on declarations")
}

/// A constant with a part of which nothing says the type.
pub fn type_of_nothing(mut diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.notes.clear();
    diagnostic.note("nothing says what an empty list or map would hold, or what is absent where `none` stands: write the type, `const NAMES: [string] = []`")
}

/// A constant that is a lambda.
pub fn function_instead(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("a function is declared: `fn name(n: int) -> int { n + 1 }`")
}

/// A type in the payload of a variant or error, without the name of the field.
/// `name` is made up.
pub fn payload_without_name(place: Place, name: &str, ty: &str) -> Diagnostic {
    let message = "a payload field has a name before its type";
    Diagnostic::error(Code::MISSING_TYPE, place, message).offer(
        format!("write `{name}: {ty}`"),
        place,
        format!("{name}: {ty}"),
    )
}

/// A field or variant that has the name of another in JSON.
pub fn duplicate_wire_name(place: Place, first: Place, name: &str, wire: &str) -> Diagnostic {
    let message = format!("`{name}` is called `{wire}` in JSON, and so is another");
    Diagnostic::error(Code::DUPLICATE_DEFINITION, place, message)
        .label(first, "the other")
        .note("decoding could not tell them apart; give one of them another `@alias`")
}

/// An error with the name of a built-in one.
pub fn hides_error(place: Place, name: &str) -> Diagnostic {
    let message = format!("this hides the built-in error `{name}`");
    Diagnostic::warning(Code::HIDES_BUILTIN, place, message).note(format!(
        "`catch {{ {name} => … }}` does not catch the built-in one in this file: give yours a name of its own"
    ))
}

/// A payload field that has the name under which JSON says which variant it is.
pub fn payload_called_kind(place: Place) -> Diagnostic {
    let message = "in JSON `kind` is the name of the variant or error itself";
    Diagnostic::error(Code::DUPLICATE_DEFINITION, place, message)
        .note("rename the field, or give it another name in JSON: `@alias(\"sort\") kind`")
}

/// `self` in a function that is no method.
pub fn self_outside_method(place: Place) -> Diagnostic {
    let message = "`self` is the receiver of a method, and this is not a method";
    Diagnostic::error(Code::MISSING_TYPE, place, message)
        .note("write `fn Type.name(self)` for a method of `Type`")
}

/// `fn Type.name` outside the module of `Type`.
pub fn method_of_foreign_type(place: Place, name: &str) -> Diagnostic {
    let message = format!("this module declares no type `{name}`");
    Diagnostic::error(Code::UNKNOWN_TYPE, place, message)
        .note("a method is declared in the module of its type; elsewhere write a function that takes the value")
}

/// A method of another name for a type: it is not found after a value's dot.
pub fn method_of_alias(place: Place, name: &str, target: &str) -> Diagnostic {
    let message = format!("`{name}` is another name for `{target}`, and has no methods of its own");
    Diagnostic::error(Code::NOT_A_TYPE, place, message)
        .note("write a function that takes the value, or make it a type of its own: a record, an enum, or one with a check (`where`)")
}

/// A method of an error.
pub fn method_of_error(place: Place, name: &str) -> Diagnostic {
    let message = format!("`{name}` is an error, and errors have no methods of their own");
    Diagnostic::error(Code::NOT_A_TYPE, place, message)
        .note("a value that was raised is an `Error`, whichever it is: write a function that takes it and matches, `match e { … }`")
}

/// Something after `by` that is no agent. `what` is in back-quotes where it is source text.
pub fn not_an_agent(place: Place, what: &str) -> Diagnostic {
    Diagnostic::error(Code::NOT_AN_AGENT, place, format!("{what} is not an agent"))
        .note("`by` is followed by the name of an `agent` declaration; a prompt without one is asked of a value of type `Agent` by a session: `vote(x) with { session: session(v) }`")
}

/// A tool whose `by` names no MCP server.
pub fn not_a_server(place: Place, what: &str) -> Diagnostic {
    Diagnostic::error(
        Code::NOT_A_SERVER,
        place,
        format!("{what} is not an MCP server"),
    )
    .note("`by` of a tool is followed by the name of an `mcp` declaration")
}

/// A workflow's parameter that would hide an option of every built program.
pub fn reserved_parameter(place: Place, name: &str) -> Diagnostic {
    let message = format!("a workflow cannot have a parameter `{name}`");
    Diagnostic::error(Code::RESERVED_NAME, place, message)
        .note(format!("`--{name}` is an option that every program has"))
}

/// An unknown attribute. `word` is the attribute's name without the `@`.
pub fn unknown_attribute(
    place: Place,
    word: Place,
    name: &str,
    known: &[&str],
    suggestion: Option<&Suggestion>,
) -> Diagnostic {
    let known: Vec<String> = known.iter().map(|it| format!("`@{it}`")).collect();
    let message = format!("there is no attribute `@{name}`");
    let diagnostic = Diagnostic::error(Code::UNKNOWN_ATTRIBUTE, place, message);
    if let Some(sentence) = super::instead_of_attribute(name) {
        return diagnostic.note(sentence);
    }
    match suggestion {
        Some(it) => {
            let name = it.as_str();
            diagnostic.suggest(&format!("@{name}"), word, name, it.applicability)
        }
        None => diagnostic.note(format!("the attributes are {}", known.join(", "))),
    }
}

/// `@was` before something whose name is no part of what a run remembers.
pub fn misplaced_was(place: Place) -> Diagnostic {
    let message =
        "`@was` belongs before a workflow, a prompt, a tool, a `human`, an `external` or a step";
    Diagnostic::error(Code::ATTRIBUTE_ARGUMENTS, place, message)
        .note("it keeps the identity of what happens in them, which their name is a part of")
}

/// An attribute with the wrong arguments.
pub fn attribute_arguments(place: Place, name: &str, expected: &str) -> Diagnostic {
    let message = format!("`@{name}` takes {expected}");
    Diagnostic::error(Code::ATTRIBUTE_ARGUMENTS, place, message)
}

/// `@alias` before something that has no name on the wire.
pub fn misplaced_attribute(place: Place, name: &str) -> Diagnostic {
    let message = format!("`@{name}` belongs before a field, a variant or a parameter");
    Diagnostic::error(Code::ATTRIBUTE_ARGUMENTS, place, message)
}

/// `@secret` where nothing is shown that it could hide.
pub fn misplaced_secret(place: Place, target: AttributeTarget) -> Diagnostic {
    let message =
        "`@secret` belongs before a field, or a parameter of a workflow, tool, prompt or human";
    let diagnostic = Diagnostic::error(Code::ATTRIBUTE_ARGUMENTS, place, message);
    match target {
        AttributeTarget::Parameter(_) => {
            diagnostic.note("events never show the arguments of a function")
        }
        AttributeTarget::Declaration | AttributeTarget::Variant | AttributeTarget::Field => {
            diagnostic.note(
                "it hides the value of that one field or parameter from all who observe a run",
            )
        }
    }
}

/// `@host` and a body, or neither.
pub fn host_tool(place: Place, problem: HostToolProblem) -> Diagnostic {
    let message = match problem {
        HostToolProblem::NotATool => "only a tool can be implemented by the host",
        HostToolProblem::HasBody => "a tool of the host has no body here",
        HostToolProblem::HasServer => "a tool of an MCP server has no body here",
        HostToolProblem::HasKey => "only an `idempotent` tool has a key",
        HostToolProblem::NoBody => "this tool has no body",
    };
    let diagnostic = Diagnostic::error(Code::HOST_TOOL, place, message);
    if problem == HostToolProblem::HasKey {
        return diagnostic.note("`idempotent by id` may be repeated with the same `id`; what is `once` is never repeated");
    }
    diagnostic.note(
        "a tool has a body, or names the MCP server that has it (`by docs`), or is marked `@host` and implemented by the Rust program that embeds this one",
    )
}

/// Two tools of the host that it could not distinguish.
pub fn shared_host_tool(place: Place, name: &str, other: Place) -> Diagnostic {
    let message = format!("another tool of the host is called `{name}`");
    Diagnostic::error(Code::HOST_TOOL, place, message)
        .label(other, format!("the other `{name}`"))
        .note("the embedding Rust program knows its tools by their names, so each needs a name of its own")
}

/// What is wrong about a tool of the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HostToolProblem {
    NotATool,
    HasBody,
    /// A body here, and `by` a server that has it.
    HasServer,
    /// What follows `by` is one of its parameters.
    HasKey,
    /// No body, and no `@host` that says where it is.
    NoBody,
}

/// `@resource` that is no address of the workflow after it.
pub fn resource(place: Place, problem: ResourceProblem) -> Diagnostic {
    let message = match problem {
        ResourceProblem::NotAWorkflow => "`@resource` belongs before a workflow".into(),
        ResourceProblem::NotAnAddress => {
            "`@resource` takes an address such as `shop://orders/{id}`".into()
        }
        ResourceProblem::NotAParameter(gap) => {
            format!("the workflow has no parameter `{gap}: string` for `{{{gap}}}`")
        }
        ResourceProblem::NotInTheAddress(parameter) => {
            format!("the address has no `{{{parameter}}}` for the parameter `{parameter}`")
        }
    };
    Diagnostic::error(Code::ATTRIBUTE_ARGUMENTS, place, message)
        .note("a client that reads an address fills in its placeholders, each with a string")
}

/// What is wrong about `@resource`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResourceProblem<'a> {
    NotAWorkflow,
    NotAnAddress,
    /// A gap that no parameter of type `string` is for, or a second one of the same name.
    NotAParameter(&'a str),
    /// A parameter that must be given and has no gap.
    NotInTheAddress(&'a str),
}

/// A name whose first letter has the wrong case for what it names; `better` unless that is taken.
pub fn wrong_case(place: Place, name: &str, style: &str, better: Option<&str>) -> Diagnostic {
    let message = format!("`{name}` must be written in `{style}`");
    let diagnostic = Diagnostic::error(Code::NAMING_STYLE, place, message)
        .note("a capitalised name is a type, a variant or a constant; everything else starts with a lower-case letter");
    renamed(diagnostic, place, better)
}

/// A local in an unusual style; all its uses would have to change with it.
pub fn unusual_local(place: Place, name: &str, better: &str) -> Diagnostic {
    let message = format!("`{name}` is usually written `{better}`");
    Diagnostic::warning(Code::NAMING_STYLE, place, message)
}

/// A name in another style than everybody's; `better` unless that is taken.
pub fn unusual_name(place: Place, name: &str, style: &str, better: Option<&str>) -> Diagnostic {
    let message = format!("`{name}` is usually written in `{style}`");
    let diagnostic = Diagnostic::warning(Code::NAMING_STYLE, place, message);
    renamed(diagnostic, place, better)
}

/// A declared name is seen by other modules, in JSON, by models or on the command line, so its author decides.
fn renamed(diagnostic: Diagnostic, place: Place, better: Option<&str>) -> Diagnostic {
    match better {
        Some(better) => diagnostic.offer(format!("rename it to `{better}`"), place, better),
        None => diagnostic,
    }
}

/// A program that is run without the host that has one of its tools.
pub fn needs_host(place: Place, tool: &str) -> Diagnostic {
    let message =
        format!("the tool `{tool}` is implemented by a host program, and there is none here");
    Diagnostic::error(Code::NEEDS_HOST, place, message).note(
        "embed the program in a Rust program that implements the tool; or, to run it by itself, give the tool a body",
    )
}
