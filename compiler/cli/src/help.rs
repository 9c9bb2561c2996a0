//! What `--help` prints after the arguments of each command: examples, notes and exit codes, as wide as the terminal.

mod tools;

use gsw_service::columns::Columns;

pub use tools::{COMPLETIONS, DAP, DESCRIBE, EXPLAIN, LSP, MAN, MCP};

/// The lower half of a command's help.
pub struct Page {
    /// The heading above the examples.
    heading: &'static str,
    /// What to type, and what it does.
    examples: &'static [(&'static str, &'static str)],
    notes: &'static [&'static str],
    /// By number, with what each means.
    exit_codes: &'static [(&'static str, &'static str)],
}

/// The page laid out for the terminal.
pub fn text(page: &Page) -> String {
    let columns = Columns::of_terminal();
    let rows = |rows: &[(&str, &str)]| {
        let rows = rows.iter().map(|it| (it.0.to_owned(), it.1.to_owned()));
        columns.rows(&rows.collect::<Vec<_>>())
    };
    let mut parts = Vec::new();
    if !page.examples.is_empty() {
        parts.push(format!("{}\n{}", page.heading, rows(page.examples)));
    }
    parts.extend(page.notes.iter().map(|it| columns.paragraphs(it)));
    parts.push(format!("Exit codes:\n{}", rows(page.exit_codes)));
    parts.join("\n").trim_end().to_owned()
}

const EXAMPLES: &str = "Examples:";
const USAGE: (&str, &str) = ("2", "invalid usage");
const SUCCESS: (&str, &str) = ("0", "success");
const WRONG: (&str, &str) = ("1", "the program has errors");

pub const GSWC: Page = Page {
    heading: "Start here:",
    examples: &[
        ("gswc new letters", "create a project; then `cd letters`"),
        ("gswc test", "run its tests, offline"),
        (
            "gswc run -- --message \"Thanks!\"",
            "run it, with simulated answers until gsw.toml names a real model",
        ),
        (
            "gswc build",
            "build one native executable; then `./letters --help`",
        ),
        (
            "gswc explain retry",
            "explain a word of the language, an error or a code",
        ),
        (
            "gswc doc --language",
            "print the whole language on one page",
        ),
    ],
    notes: &[
        "In a folder with a gsw.toml, FILE may be omitted. `gswc COMMAND --help` shows examples.",
    ],
    exit_codes: &[
        SUCCESS,
        ("1", "the program has errors or failed"),
        USAGE,
        ("70", "internal error"),
    ],
};

pub const NEW: Page = Page {
    heading: EXAMPLES,
    examples: &[
        (
            "gswc new letters",
            "a folder with gsw.toml, main.gsw, README.md, AGENTS.md and .gitignore",
        ),
        (
            "gswc new work/letters",
            "the same, creating the parent folder if it is missing",
        ),
        ("gswc new .", "as `gswc init`: in the current folder"),
    ],
    notes: &[
        "AGENTS.md teaches the language to a coding agent. Files that exist are never overwritten.",
    ],
    exit_codes: &[
        ("0", "created"),
        ("1", "the folder exists or cannot be created"),
        USAGE,
    ],
};

pub const INIT: Page = Page {
    heading: EXAMPLES,
    examples: &[
        ("gswc init", "make the current folder a project"),
        ("gswc init letters", "make another folder a project"),
    ],
    notes: &["Files that exist are left as they are; the missing ones are added."],
    exit_codes: &[
        ("0", "created"),
        ("1", "the folder is a project already, or cannot be written"),
        USAGE,
    ],
};

pub const CHECK: Page = Page {
    heading: EXAMPLES,
    examples: &[
        ("gswc check", "the project in the current folder"),
        ("gswc check review.gsw", "one program and its imports"),
        ("gswc check --watch", "again whenever a file changes"),
        (
            "gswc check --signatures",
            "inferred errors and effects of every function",
        ),
        (
            "gswc check --format json",
            "one JSON object per line, for editors and scripts",
        ),
    ],
    notes: &["`gswc explain CODE` explains a diagnostic; `gswc fix` applies the suggested fixes."],
    exit_codes: &[
        (
            "0",
            "no errors (warnings count only if gsw.toml denies them)",
        ),
        ("1", "errors"),
        USAGE,
    ],
};

pub const FIX: Page = Page {
    heading: EXAMPLES,
    examples: &[
        ("gswc fix", "the project in the current folder"),
        ("gswc fix review.gsw", "one program and its imports"),
        (
            "gswc fix --check",
            "list what would be fixed; change nothing",
        ),
    ],
    notes: &[
        "A fix is applied only where the diagnostic has exactly one, and one that is certain: what may change the meaning of the program or what others see of it is shown, `if that is meant`, and offered in editors. Warnings are fixed when no errors are left. Fixes are applied until none is left; what remains is reported.",
    ],
    exit_codes: &[
        ("0", "no errors are left"),
        (
            "1",
            "errors are left, or with `--check` there is something to fix",
        ),
        USAGE,
    ],
};

pub const BUILD: Page = Page {
    heading: EXAMPLES,
    examples: &[
        (
            "gswc build",
            "the project in the current folder, under its name",
        ),
        ("gswc build review.gsw -o review", "one program"),
        ("./review --help", "the program's parameters"),
        (
            "./review manifest",
            "its schemas, errors, effects, models and permissions",
        ),
    ],
    notes: &[],
    exit_codes: &[
        SUCCESS,
        ("1", "the program has errors or the file cannot be written"),
        USAGE,
    ],
};

pub const TRACE: Page = Page {
    heading: EXAMPLES,
    examples: &[
        (
            "gswc run -- --events run.jsonl",
            "record the events of a run",
        ),
        ("gswc trace run.jsonl", "its tree and statistics"),
        ("gswc trace run.jsonl --logs", "its log, in order of time"),
        (
            "gswc trace run.jsonl --node 'main > review a.rs'",
            "one node in full",
        ),
        (
            "gswc trace run.jsonl --kind prompt --longer 2s",
            "matching nodes",
        ),
        (
            "gswc trace before.jsonl --diff after.jsonl",
            "the differences between two runs",
        ),
        ("gswc trace run.jsonl --html run.html", "a web page"),
    ],
    notes: &[
        "Gaps in a truncated or damaged file are reported on standard error; the rest is shown.",
    ],
    exit_codes: &[
        SUCCESS,
        (
            "1",
            "the file cannot be read, has no events or no such node",
        ),
        USAGE,
    ],
};

pub const RUN: Page = Page {
    heading: EXAMPLES,
    examples: &[
        (
            "gswc run -- --message \"Thanks!\"",
            "the project in the current folder, workflow `main`",
        ),
        ("gswc run review.gsw -- --dir src", "one program"),
        (
            "gswc run triage -- --limit 3",
            "another workflow of the project",
        ),
        (
            "gswc run --model sim/default",
            "offline, with simulated answers",
        ),
        (
            "gswc run --watch -- --limit 3",
            "again whenever a file changes",
        ),
        ("gswc run -- --help", "the program's parameters"),
        (
            "gswc run -- --raw",
            "print a result that is a string without quotes",
        ),
        (
            "gswc run -- --events events.jsonl --json",
            "record events as JSON lines; print an error as JSON",
        ),
    ],
    notes: &[
        "The result is one line of JSON on standard output; logs and progress go to standard error. ANTHROPIC_API_KEY or OPENAI_API_KEY hold the key of a real model; GSW_MODEL overrides every agent's model.",
    ],
    exit_codes: &[
        SUCCESS,
        (
            "1",
            "the program does not compile or its workflow raised an error",
        ),
        USAGE,
        ("3", "permission denied"),
        ("4", "image refused"),
        ("70", "internal error"),
        ("130", "cancelled"),
    ],
};

pub const TEST: Page = Page {
    heading: EXAMPLES,
    examples: &[
        (
            "gswc test",
            "all tests of the project in the current folder",
        ),
        ("gswc test review.gsw", "the tests of one file"),
        (
            "gswc test --filter refund",
            "the tests whose name contains `refund`",
        ),
        ("gswc test --only \"a refund\"", "the test of that name"),
        ("gswc test --watch", "again whenever a file changes"),
        (
            "gswc test --format junit > out.xml",
            "for continuous integration",
        ),
        ("gswc test --accept", "keep what `assert snapshot(…)` finds"),
        (
            "gswc test --record",
            "ask models for the cassettes of tests, and keep their answers",
        ),
        (
            "gswc test --crash",
            "also kill each test at every record that it writes, and resume it",
        ),
        (
            "gswc test --from newest >> flow.gsw",
            "a test of what happened in the run that was begun last",
        ),
        (
            "gswc test --live --model a/x,b/y",
            "ask these models where nothing is mocked, and compare them",
        ),
    ],
    notes: &[
        "Tests run in parallel, with virtual time and without models: a call to a model, a person or the network that is not mocked fails the test. With --live and --record, models are asked over the network, which costs money.",
    ],
    exit_codes: &[
        ("0", "all passed"),
        ("1", "a test failed or does not compile"),
        (
            "2",
            "invalid usage, or no test has the text of --filter or the name of --only",
        ),
    ],
};

pub const FMT: Page = Page {
    heading: EXAMPLES,
    examples: &[
        (
            "gswc fmt",
            "format every file of the project in the current folder",
        ),
        ("gswc fmt main.gsw lib.gsw", "format two files"),
        (
            "gswc fmt --check",
            "list the files that are not formatted; change nothing",
        ),
        (
            "gswc fmt - < main.gsw",
            "format standard input to standard output",
        ),
    ],
    notes: &["There are no style options. A file with syntax errors is left unchanged."],
    exit_codes: &[
        SUCCESS,
        (
            "1",
            "`--check` found unformatted files, or a file has errors",
        ),
        USAGE,
    ],
};

pub const DOC: Page = Page {
    heading: EXAMPLES,
    examples: &[
        (
            "gswc doc",
            "document the project in the current folder, in `doc`",
        ),
        ("gswc doc review.gsw -o pages", "document one program"),
        (
            "gswc doc -o library",
            "outside a project: the standard library",
        ),
        (
            "gswc doc --language",
            "print the language on one page, as Markdown",
        ),
    ],
    notes: &["Open index.html: the pages need no server and load nothing from elsewhere."],
    exit_codes: &[
        (
            "0",
            "success, also when the program has errors: they are reported",
        ),
        (
            "1",
            "the program cannot be read or the folder contains other files",
        ),
        USAGE,
    ],
};

pub const GRAPH: Page = Page {
    heading: EXAMPLES,
    examples: &[
        (
            "gswc graph -o graph.svg",
            "the project in the current folder, as SVG",
        ),
        (
            "gswc graph review.gsw > review.mmd",
            "one program, as Mermaid",
        ),
        (
            "gswc graph review.gsw main",
            "one workflow and those it calls",
        ),
    ],
    notes: &[],
    exit_codes: &[SUCCESS, WRONG, ("2", "invalid usage or no such workflow")],
};

pub const PROMPT: Page = Page {
    heading: EXAMPLES,
    examples: &[
        (
            "gswc prompt review.gsw find_bugs -- --code @lib.rs",
            "what would be sent to the model",
        ),
        (
            "gswc prompt review.gsw find_bugs --curl -- --code @lib.rs",
            "a command that sends it, without the key",
        ),
        (
            "gswc prompt find_bugs --model openai/gpt-5 -- --help",
            "the parameters of the prompt",
        ),
    ],
    notes: &[
        "Nothing is sent, and no key is needed. What a `with` at a call would add is not part of it.",
        "Tokens are about a quarter of the bytes; only the provider knows their number.",
    ],
    exit_codes: &[
        SUCCESS,
        WRONG,
        (
            "2",
            "invalid usage, no such prompt, or arguments that do not fit",
        ),
    ],
};

pub const CACHE: Page = Page {
    heading: EXAMPLES,
    examples: &[
        ("gswc cache stats", "of the project in the current folder"),
        (
            "gswc cache ls --prompt classify",
            "the answers of one prompt",
        ),
        (
            "gswc cache show 3f9a",
            "one answer, by the beginning of its key",
        ),
        (
            "gswc cache bust --model openai/gpt-5 --of review.gsw",
            "ask this model again, in a program of one file",
        ),
    ],
    notes: &[
        "Agents with `cache` keep answers. `--cache DIR` of a program, or GSW_CACHE, says where.",
    ],
    exit_codes: &[
        SUCCESS,
        (
            "1",
            "there is no cache or no such answer, or something is damaged",
        ),
        USAGE,
    ],
};

pub const COMPAT: Page = Page {
    heading: EXAMPLES,
    examples: &[
        (
            "gswc compat flow-1.2 main.gsw",
            "compare a built program with the source of the next version",
        ),
        (
            "gswc compat main.gsw --runs runs.db",
            "try every run of a store that has not ended",
        ),
    ],
    notes: &[
        "`same`: runs go on as if nothing had changed. `adds`: they go on, and ask for more after what they could have recorded. `changes`: those that have passed the place do not go on; this may be a false alarm, and `--runs` decides exactly.",
    ],
    exit_codes: &[
        ("0", "all runs go on"),
        (
            "1",
            "some do not, with `--runs`; without it, something changes",
        ),
        ("2", "invalid usage, or a version cannot be read"),
    ],
};

pub const RUNS: Page = Page {
    heading: EXAMPLES,
    examples: &[
        ("gswc runs --store runs.db", "list the runs of a store"),
        (
            "gswc runs show 3f9a --store runs.db",
            "one run, by the beginning of its id",
        ),
        (
            "gswc runs diff 3f9a 77c1 --store runs.db",
            "where two runs part",
        ),
        (
            "gswc runs verify --store runs.db",
            "check that everything is what was written",
        ),
        (
            "gswc runs export 3f9a run.jsonl --store runs.db",
            "a run as a file that shows whether it was changed",
        ),
        (
            "gswc runs check run.jsonl",
            "check such a file, without a store",
        ),
    ],
    notes: &[
        "The commands are those after `runs` of a program. Looking at runs needs no program; `resume`, `answer`, `settle`, `fork` and `cancel` start the program that began the run, whose path the store knows.",
    ],
    exit_codes: &[
        SUCCESS,
        ("1", "two runs differ, or something is damaged"),
        ("2", "invalid usage, or there is no such run or store"),
    ],
};

pub const SCHEMA: Page = Page {
    heading: EXAMPLES,
    examples: &[
        (
            "gswc schema",
            "all types and workflows of the project in the current folder",
        ),
        ("gswc schema review.gsw Bug", "one type, as a model sees it"),
        ("gswc schema main", "the input and output of a workflow"),
    ],
    notes: &[],
    exit_codes: &[SUCCESS, WRONG, ("2", "invalid usage or no such name")],
};
