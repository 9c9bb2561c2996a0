//! Wording of reports about tests: their heads, and scripts of models.

use gsw_source::{Code, Diagnostic, Place};

/// `mock agent` of what is no agent.
pub fn not_an_agent(place: Place, what: &str) -> Diagnostic {
    Diagnostic::error(
        Code::NOT_AN_AGENT,
        place,
        format!("`{what}` is not an agent"),
    )
    .note("`mock agent` is followed by the name of an `agent` declaration")
}

/// `call` in the script of an agent with what is no tool.
pub fn not_a_tool(place: Place, what: &str) -> Diagnostic {
    Diagnostic::error(
        Code::NOT_A_TOOL,
        place,
        format!("`call` is followed by the call of a tool, found `{what}`"),
    )
    .note("a scripted model calls what its agent lists in `tools`: `call read_file(\"a.txt\")`")
}

/// `call` in the script of an agent with an agent that it lists, which gives these tools.
pub fn not_its_prompt(place: Place, agent: &str, prompts: &[String]) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        Code::NOT_A_TOOL,
        place,
        format!("`call` is followed by the call of a tool, and `{agent}` is an agent"),
    );
    match prompts {
        [] => diagnostic.note("an agent in `tools` stands for its prompts, and this one has none"),
        [first, ..] => {
            let all: Vec<String> = prompts.iter().map(|it| format!("`{it}`")).collect();
            let all = all.join(", ");
            diagnostic.note(format!(
                "an agent in `tools` stands for its prompts, here {all}: `call {first}(…)`"
            ))
        }
    }
}

/// `fail` in the script of an agent with what no request to a model ends with.
pub fn not_a_failure(place: Place, what: &str) -> Diagnostic {
    Diagnostic::error(
        Code::TYPE_MISMATCH,
        place,
        format!("expected a model error after `fail`, found `{what}`"),
    )
    .note(
        "a scripted model fails with one of `RateLimited(none)`, `Overloaded`, `Unauthorized`, `QuotaExceeded`, `Refused`, `ContextTooLong`, `MaxTokens` and `ProviderError`; an `answer` that does not fit gives `InvalidResponse`",
    )
}

/// A clause in the head of a test with a value that means nothing.
pub fn wrong_test_head(place: Place, clause: TestClause) -> Diagnostic {
    let message = match clause {
        TestClause::Pass => "`pass` takes the share of the runs that must pass, from 0.0 to 1.0",
        TestClause::Repeat => "`repeat` takes the number of runs of each row, from 1 to 10000",
        TestClause::Cassette => {
            "`cassette` takes the path of a file in quotes, without `${ }`, relative to the file of the test"
        }
    };
    Diagnostic::error(Code::WRONG_TEST_HEAD, place, message)
}

/// The clauses in the head of a test that have a value.
#[derive(Clone, Copy)]
pub enum TestClause {
    Pass,
    Repeat,
    Cassette,
}

/// `assert(a, "why")`; `better` is the text in the parentheses.
pub fn assert_as_call(place: Place, better: &str) -> Diagnostic {
    let message =
        "`assert` is not a function: it takes one condition and, after a comma, a message";
    Diagnostic::error(Code::TYPE_MISMATCH, place, message)
        .note("`assert a == b, \"why\"`")
        .fix("leave out the parentheses", place, format!(" {better}"))
}
