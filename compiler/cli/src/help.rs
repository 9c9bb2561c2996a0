//! What `--help` prints after the arguments of each command: examples and exit codes.

pub const GSWC: &str = "\
Start here:
  gswc new letters && cd letters    create a project
  gswc test                         run its tests, offline
  gswc run -- --message \"Thanks!\"   run it, with simulated answers until gsw.toml names a real model
  gswc build && ./letters --help    build one native executable

In a folder with a gsw.toml, FILE may be omitted. `gswc COMMAND --help` shows examples.

Exit codes: 0 success, 1 the program has errors or failed, 2 invalid usage, 70 internal error.";

pub const NEW: &str = "\
Examples:
  gswc new letters          a folder with gsw.toml, main.gsw, README.md and .gitignore
  gswc new work/letters     the same, creating the parent folder if it is missing

Exit codes: 0 created, 1 the folder exists or cannot be created, 2 invalid usage.";

pub const CHECK: &str = "\
Examples:
  gswc check                          the project in the current folder
  gswc check review.gsw               one program and its imports
  gswc check --signatures             inferred errors and effects of every function
  gswc check --format json            one JSON object per line, for editors and scripts

`gswc explain CODE` explains a diagnostic.

Exit codes: 0 no errors (warnings count only if gsw.toml denies them), 1 errors, 2 invalid usage.";

pub const BUILD: &str = "\
Examples:
  gswc build                          the project in the current folder, under its name
  gswc build review.gsw -o review     one program
  ./review --help                     the program's parameters
  ./review manifest                   its schemas, errors, effects, models and permissions

Exit codes: 0 success, 1 the program has errors or the file cannot be written, 2 invalid usage.";

pub const TRACE: &str = "\
Examples:
  gswc run -- --events run.jsonl                        record the events of a run
  gswc trace run.jsonl                                  its tree and statistics
  gswc trace run.jsonl --logs                           its log, in order of time
  gswc trace run.jsonl --node 'main > review a.rs'      one node in full
  gswc trace run.jsonl --kind prompt --longer 2s        matching nodes
  gswc trace before.jsonl --diff after.jsonl            the differences between two runs
  gswc trace run.jsonl --html run.html                  a web page

Gaps in a truncated or damaged file are reported on standard error; the rest is shown.

Exit codes: 0 success, 1 the file cannot be read, has no events or no such node, 2 invalid usage.";

pub const RUN: &str = "\
Examples:
  gswc run -- --message \"Thanks!\"            the project in the current folder, workflow `main`
  gswc run review.gsw -- --dir src           one program
  gswc run triage -- --limit 3               another workflow of the project
  gswc run --model sim/default               offline, with simulated answers
  gswc run -- --help                         the program's parameters
  gswc run -- --events events.jsonl --json   record events as JSON lines; print an error as JSON

The result is one line of JSON on standard output; logs and progress go to standard error. ANTHROPIC_API_KEY or
OPENAI_API_KEY hold the key of a real model; GSW_MODEL overrides every agent's model.

Exit codes: 0 success, 1 the program does not compile or its workflow raised an error, 2 invalid usage,
3 permission denied, 4 image refused, 70 internal error, 130 cancelled.";

pub const TEST: &str = "\
Examples:
  gswc test                           all tests of the project in the current folder
  gswc test review.gsw                the tests of one file
  gswc test --filter refund           the tests whose name contains `refund`
  gswc test --format junit > out.xml  for continuous integration
  gswc test --accept                  keep what `assert snapshot(…)` finds
  gswc test --live --model a/x,b/y    ask these models where nothing is mocked, and compare them

Tests run in parallel, with virtual time and without models: a call to a model, a person or the network that is
not mocked fails the test. With --live, models are asked over the network, which costs money.

Exit codes: 0 all passed, 1 a test failed or does not compile, 2 invalid usage or no test for the filter.";

pub const FMT: &str = "\
Examples:
  gswc fmt                            format every file of the project in the current folder
  gswc fmt main.gsw lib.gsw           format two files
  gswc fmt --check                    list the files that are not formatted; change nothing
  gswc fmt - < main.gsw               format standard input to standard output

There are no style options. A file with syntax errors is left unchanged.

Exit codes: 0 success, 1 `--check` found unformatted files, or a file has errors, 2 invalid usage.";

pub const DOC: &str = "\
Examples:
  gswc doc                            document the project in the current folder, in `doc`
  gswc doc review.gsw -o pages        document one program
  gswc doc -o library                 outside a project: the standard library

Open index.html: the pages need no server and load nothing from elsewhere.

Exit codes: 0 success, 1 the program has errors or the folder contains other files, 2 invalid usage.";

pub const GRAPH: &str = "\
Examples:
  gswc graph -o graph.svg             the project in the current folder, as SVG
  gswc graph review.gsw > review.mmd  one program, as Mermaid
  gswc graph review.gsw main          one workflow and those it calls

Exit codes: 0 success, 1 the program has errors, 2 invalid usage or no such workflow.";

pub const SCHEMA: &str = "\
Examples:
  gswc schema                         all types and workflows of the project in the current folder
  gswc schema review.gsw Bug          one type, as a model sees it
  gswc schema main                    the input and output of a workflow

Exit codes: 0 success, 1 the program has errors, 2 invalid usage or no such name.";

pub const EXPLAIN: &str = "\
Examples:
  gswc explain                        list all codes, each with a summary
  gswc explain unknown-name           explain one code, with examples
  gswc explain 'error[unknown-name]'  as printed in a diagnostic

Exit codes: 0 success, 2 no such code.";

pub const COMPLETIONS: &str = "\
Examples:
  gswc completions bash > ~/.local/share/bash-completion/completions/gswc
  gswc completions zsh > ~/.zfunc/_gswc       with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc
  gswc completions fish > ~/.config/fish/completions/gswc.fish

Exit codes: 0 success, 2 no such shell.";

pub const LSP: &str = "\
Editors start this command: configure `gswc lsp` as the language server for `.gsw` files.

Exit codes: 0 the editor closed the connection, 70 the connection failed.";
