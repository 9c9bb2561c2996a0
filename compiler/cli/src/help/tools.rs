//! The help of the commands that editors, shells and coding agents use.

use super::{EXAMPLES, Page, SUCCESS, WRONG};

pub const MCP: Page = Page {
    heading: EXAMPLES,
    examples: &[
        (
            "gswc mcp add git uvx mcp-server-git",
            "write `git.gsw`, which declares the server and its tools",
        ),
        ("gswc mcp list git.gsw", "the servers and tools of a file"),
        ("gswc mcp lock git.gsw", "accept what has changed"),
    ],
    notes: &[
        "Coding agents start `gswc mcp` without a command: it serves the compiler to them – check, describe, hover, format, fix, test, search – on standard input and output.",
    ],
    exit_codes: &[SUCCESS, WRONG, ("2", "invalid usage")],
};

pub const DESCRIBE: Page = Page {
    heading: EXAMPLES,
    examples: &[
        ("gswc describe main", "a workflow of the project"),
        ("gswc describe fs.read", "a function of the library"),
        (
            "gswc describe find_bugs review.gsw --format json",
            "a prompt of a file, as JSON",
        ),
    ],
    notes: &["`gswc prompt NAME -- …` shows the exact request that a call of a prompt would send."],
    exit_codes: &[
        SUCCESS,
        ("1", "the program cannot be read"),
        ("2", "there is no such declaration"),
    ],
};

pub const EXPLAIN: Page = Page {
    heading: EXAMPLES,
    examples: &[
        (
            "gswc explain",
            "list everything that can be explained, each with a summary",
        ),
        (
            "gswc explain unknown-name",
            "a code of a diagnostic, with examples",
        ),
        (
            "gswc explain 'error[unknown-name]'",
            "the same, as printed in a diagnostic",
        ),
        ("gswc explain BudgetExceeded", "an error of a run"),
        ("gswc explain retry", "a word of the language"),
    ],
    notes: &[],
    exit_codes: &[SUCCESS, ("2", "there is nothing with that name")],
};

pub const COMPLETIONS: Page = Page {
    heading: EXAMPLES,
    examples: &[
        (
            "gswc completions bash > ~/.local/share/bash-completion/completions/gswc",
            "",
        ),
        (
            "gswc completions zsh > ~/.zfunc/_gswc",
            "with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc",
        ),
        (
            "gswc completions fish > ~/.config/fish/completions/gswc.fish",
            "",
        ),
    ],
    notes: &[],
    exit_codes: &[SUCCESS, ("2", "no such shell")],
};

pub const MAN: Page = Page {
    heading: EXAMPLES,
    examples: &[(
        "gswc man ~/.local/share/man/man1",
        "`man gswc` and `man gswc-build` find them there",
    )],
    notes: &[],
    exit_codes: &[SUCCESS, ("1", "the folder cannot be written")],
};

pub const LSP: Page = Page {
    heading: EXAMPLES,
    examples: &[("gswc lsp", "what an editor starts as its language server")],
    notes: &[
        "Editors start this command: configure `gswc lsp` as the language server for `.gsw` files.",
    ],
    exit_codes: &[
        ("0", "the editor closed the connection"),
        ("70", "the connection failed"),
    ],
};

pub const DAP: Page = Page {
    heading: EXAMPLES,
    examples: &[("gswc dap", "what an editor starts as its debug adapter")],
    notes: &[
        "Editors start this command: configure `gswc dap` as the debug adapter for `.gsw` files. `gswc doc` has the page on debugging.",
    ],
    exit_codes: &[
        ("0", "the editor has left"),
        ("1", "the editor does not speak the protocol"),
    ],
};
