//! What `--help` says behind the arguments of each command: how it is used, and how it ends.

/// Of `gswc` itself.
pub const GSWC: &str = "\
Start here:
  gswc new letters && cd letters    make a project
  gswc test                         run its tests, offline
  gswc run -- --message \"Thanks!\"   run it, with made-up answers until gsw.toml names a real model
  gswc build && ./letters --help    write it as one native file

In a folder with a gsw.toml no command needs a file. `gswc COMMAND --help` has examples.

Exit codes: 0 done, 1 something is wrong with the program or it failed, 2 wrong usage, 70 a fault of ours.";

/// Of `gswc new`.
pub const NEW: &str = "\
Examples:
  gswc new letters          a folder with gsw.toml, main.gsw, README.md and .gitignore
  gswc new work/letters     the same in a folder that is made if it is missing

Exit codes: 0 made, 1 the folder is there already or cannot be made, 2 wrong usage.";

/// Of `gswc check`.
pub const CHECK: &str = "\
Examples:
  gswc check                          the project of this folder
  gswc check review.gsw               one program, and what it imports
  gswc check --signatures             what every function raises and does, as it was inferred
  gswc check --format json            one JSON object a line, for editors and scripts

`gswc explain CODE` says more about a report.

Exit codes: 0 no errors (warnings do not count unless gsw.toml denies them), 1 errors, 2 wrong usage.";

/// Of `gswc build`.
pub const BUILD: &str = "\
Examples:
  gswc build                          the project of this folder, named after it
  gswc build review.gsw -o review     one program
  ./review --help                     what the program takes
  ./review manifest                   what it says of itself: schemas, errors, effects, models, permissions

Exit codes: 0 written, 1 the program has errors or the file cannot be written, 2 wrong usage.";

/// Of `gswc trace`.
pub const TRACE: &str = "\
Examples:
  gswc run -- --events run.jsonl                        write the events of a run
  gswc trace run.jsonl                                  its tree, and its counts
  gswc trace run.jsonl --logs                           its log, sorted by time
  gswc trace run.jsonl --node 'main > review a.rs'      one node with everything in it
  gswc trace run.jsonl --kind prompt --longer 2s        some of its nodes
  gswc trace before.jsonl --diff after.jsonl            what differs between two runs
  gswc trace run.jsonl --html run.html                  a page for a browser

What is missing from a file that was cut or damaged is said on standard error, and the rest is shown.

Exit codes: 0 shown, 1 the file cannot be read, holds no events or not that node, 2 wrong usage.";

/// Of `gswc run`.
pub const RUN: &str = "\
Examples:
  gswc run -- --message \"Thanks!\"            the project of this folder, workflow `main`
  gswc run review.gsw -- --dir src           one program
  gswc run triage -- --limit 3               another workflow of the project
  gswc run --model sim/default               offline, with made-up answers
  gswc run -- --help                         what the program takes
  gswc run -- --events events.jsonl --json   what happened, as JSON lines; an error as JSON

The result is one line of JSON on standard output; logs and progress go to standard error. ANTHROPIC_API_KEY or
OPENAI_API_KEY hold the key of a real model; GSW_MODEL replaces every agent's model.

Exit codes: 0 done, 1 the program does not compile or its workflow raised an error, 2 wrong usage, 3 permission denied,
4 image refused, 70 a fault of ours, 130 cancelled.";

/// Of `gswc test`.
pub const TEST: &str = "\
Examples:
  gswc test                           every test of the project of this folder
  gswc test review.gsw                the tests of one file
  gswc test --filter refund           those whose name contains `refund`
  gswc test --format junit > out.xml  for continuous integration

Tests run at once, with virtual time and without models: a call of a model, a person or the network that is not
mocked fails the test.

Exit codes: 0 all passed, 1 one failed or does not compile, 2 wrong usage.";

/// Of `gswc fmt`.
pub const FMT: &str = "\
Examples:
  gswc fmt                            writes every file of the project of this folder in the one style
  gswc fmt main.gsw lib.gsw           these two
  gswc fmt --check                    lists those that have another, and changes nothing
  gswc fmt - < main.gsw               from standard input to standard output

There are no options of style. A file with mistakes of syntax stays as it is.

Exit codes: 0 done, 1 `--check` found a file or one has mistakes, 2 wrong usage.";

/// Of `gswc doc`.
pub const DOC: &str = "\
Examples:
  gswc doc                            of the project of this folder, into `doc`
  gswc doc review.gsw -o pages        of one program
  gswc doc -o library                 outside of a project: the library

Open index.html: the pages need no server and load nothing from elsewhere.

Exit codes: 0 written, 1 the program has errors or the folder holds something else, 2 wrong usage.";

/// Of `gswc graph`.
pub const GRAPH: &str = "\
Examples:
  gswc graph -o graph.svg             the project of this folder as a picture
  gswc graph review.gsw > review.mmd  one program as Mermaid
  gswc graph review.gsw main          one workflow, and those that it calls

Exit codes: 0 drawn, 1 the program has errors, 2 wrong usage or no such workflow.";

/// Of `gswc schema`.
pub const SCHEMA: &str = "\
Examples:
  gswc schema                         every type and workflow of the project of this folder
  gswc schema review.gsw Bug          one type, as a model is shown it
  gswc schema main                    input and output of a workflow

Exit codes: 0 printed, 1 the program has errors, 2 wrong usage or no such name.";

/// Of `gswc explain`.
pub const EXPLAIN: &str = "\
Examples:
  gswc explain                        every code, with the sentence it begins with
  gswc explain unknown-name           one page, with examples
  gswc explain 'error[unknown-name]'  as it stands in a report

Exit codes: 0 printed, 2 no such code.";

/// Of `gswc completions`.
pub const COMPLETIONS: &str = "\
Examples:
  gswc completions bash > ~/.local/share/bash-completion/completions/gswc
  gswc completions zsh > ~/.zfunc/_gswc       with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc
  gswc completions fish > ~/.config/fish/completions/gswc.fish

Exit codes: 0 printed, 2 no such shell.";

/// Of `gswc lsp`.
pub const LSP: &str = "\
An editor starts this by itself: tell it that `gswc lsp` is the language server of `.gsw` files.

Exit codes: 0 the editor said goodbye, 70 the connection failed.";
