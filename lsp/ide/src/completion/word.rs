//! Words of the language, where each of them may stand.

use gsw_names::{PUBLIC_ATTRIBUTES, Presence};
use gsw_syntax::{ModifierName, TokenKind, Word};

use super::item::{Completion, CompletionKind};
use super::tokens::Line;

fn snippet(label: &str, text: &str) -> Completion {
    Completion::new(label, CompletionKind::Snippet, 5).snippet(text)
}

fn keyword(label: &str) -> Completion {
    Completion::new(label, CompletionKind::Keyword, 5)
}

pub fn words(them: &[&str]) -> Vec<Completion> {
    them.iter()
        .map(|it| Completion::new(*it, CompletionKind::Keyword, 0).insert(format!("{it} ")))
        .collect()
}

/// What may stand after `@`.
pub fn attributes() -> Vec<Completion> {
    let all = PUBLIC_ATTRIBUTES.iter();
    let offered = all.map(|(name, arguments)| match arguments {
        Presence::Present => snippet(name, &format!("{name}(\"$0\")")),
        Presence::Absent => keyword(name),
    });
    offered.collect()
}

pub fn declarations() -> Vec<Completion> {
    vec![
        snippet("import", "import $0"),
        snippet("fn", "fn ${1:name}($2) -> ${3:int} {\n  $0\n}"),
        snippet("type", "type ${1:Name} {\n  $0\n}"),
        snippet("enum", "enum ${1:Name} { $0 }"),
        snippet("error", "error ${1:Name}(${2:message})"),
        snippet("const", "const ${1:NAME}: ${2:int} = $0"),
        snippet(
            "agent",
            "agent ${1:name} {\n  model: \"$2\"\n  system: \"$0\"\n}",
        ),
        snippet(
            "prompt",
            "prompt ${1:name}($2) -> ${3:string} by ${4:agent} {\n  user \"$0\"\n}",
        ),
        snippet(
            "workflow",
            "workflow ${1:main}($2) -> ${3:string} {\n  $0\n}",
        ),
        snippet("tool", "tool ${1:name}($2) -> ${3:string} {\n  $0\n}"),
        snippet(
            "human",
            "human ${1:name}($2) -> ${3:bool} timeout ${4:24h} {\n  user \"$0\"\n}",
        ),
        snippet(
            "external",
            "external ${1:name}($2) -> ${3:string} by \"$4\" timeout ${5:2d}",
        ),
        snippet("hook", "hook ${1:name} {\n  $0\n}"),
        snippet("mcp", "mcp ${1:name} = $0"),
        snippet("test", "test \"$1\" {\n  $0\n}"),
        snippet("permissions", "permissions {\n  $0\n}"),
        keyword("private"),
    ]
}

pub fn expressions() -> Vec<Completion> {
    let mut found: Vec<Completion> = ["true", "false", "none", "not", "await"]
        .map(keyword)
        .into();
    found.extend([
        snippet("if", "if $1 { $2 } else { $0 }"),
        snippet("match", "match $1 {\n  $0\n}"),
        snippet("do", "do { $0 }"),
        snippet("spawn", "spawn $0"),
        snippet("race", "race [$0]"),
        snippet("fail", "fail $0"),
        snippet("step", "step \"$1\" { $0 }"),
        snippet("parallel for", "parallel for ${1:x} in ${2:xs} { $0 }"),
        snippet("parallel", "parallel ($0)"),
        snippet("timeout", "timeout ${1:30s} { $0 }"),
        snippet("retry", "retry ${1:3} { $0 }"),
        snippet("reflect", "reflect $1 max ${2:3} until ($0)"),
        snippet("budget", "budget($1) { $0 }"),
        snippet("revise", "revise $0"),
    ]);
    found
}

/// What a text may depend on.
pub fn choices() -> Vec<Completion> {
    vec![
        snippet("if", "if $1 { $0 }"),
        snippet("match", "match $1 {\n  $0\n}"),
    ]
}

/// What begins a statement and no expression.
pub fn statements() -> Vec<Completion> {
    let mut found: Vec<Completion> = ["break", "continue"].map(keyword).into();
    found.extend([
        snippet("let", "let $1 = $0"),
        snippet("var", "var $1 = $0"),
        snippet("state", "state ${1:name}: ${2:int} = $0"),
        snippet("for", "for ${1:x} in ${2:xs} {\n  $0\n}"),
        snippet("while", "while $1 {\n  $0\n}"),
        snippet("return", "return $0"),
        snippet("defer", "defer { $0 }"),
        snippet("undo", "undo { $0 }"),
        snippet("emit", "emit $0"),
    ]);
    found
}

/// What begins a statement of a test.
pub fn in_tests() -> Vec<Completion> {
    vec![
        snippet("assert", "assert $0"),
        snippet("mock", "mock $1 -> $0"),
        snippet("mock agent", "mock agent $1 {\n  $0\n}"),
    ]
}

/// `let calls = mock …`
pub fn counted_mock() -> Completion {
    snippet("mock", "mock $1 -> $0")
}

/// `if let …`
pub fn bound_condition() -> Completion {
    snippet("let", "let $1 = $0")
}

/// `spawn detached …`
pub fn detached() -> Completion {
    keyword("detached").insert("detached ")
}

/// The texts of a prompt.
pub fn prompt_texts() -> Vec<Completion> {
    let text = |word: &str| {
        let completion = Completion::new(word, CompletionKind::Snippet, 0);
        completion.snippet(format!("{word} \"$0\""))
    };
    vec![
        text("user"),
        text("system"),
        text("assistant"),
        Completion::new("example", CompletionKind::Snippet, 0).snippet("example ($1) -> $0"),
    ]
}

/// The words that may follow when the line is a head that is complete so far; `None` when it is none, or its last part is still open.
pub fn after_head(line: &Line) -> Option<Vec<&'static str>> {
    let (last, _) = line.kinds.last()?;
    let (first, first_word) = *line.kinds.first()?;
    if !ends_part(*last) {
        return None;
    }
    if is_loop_without_values(line) {
        return Some(vec!["in"]);
    }
    let after_retry = retry_tail(line);
    let position = |word: Word| line.kinds.iter().position(|(_, it)| *it == word);
    if let Some(at) = position(Word::Step)
        && matches!(
            line.kinds.get(at + 1),
            Some((TokenKind::String | TokenKind::StringClose, _))
        )
        && !after_word_that_asks(line)
    {
        return Some([after_retry, modifiers()].concat());
    }
    if begins_region(line) && !after_word_that_asks(line) {
        return Some([after_retry, modifiers()].concat());
    }
    if let Some(at) = position(Word::Parallel)
        && line
            .kinds
            .get(at + 1)
            .is_some_and(|(it, _)| *it == TokenKind::For)
        && line.kinds.iter().any(|(it, _)| *it == TokenKind::In)
        && !after_word_that_asks(line)
        && *last != TokenKind::In
    {
        return Some(vec!["limit", "errors"]);
    }
    let has_parameters = line
        .kinds
        .iter()
        .any(|(it, _)| *it == TokenKind::ParenClose);
    if !has_parameters {
        return None;
    }
    if after_word_that_asks(line) || *last == TokenKind::Identifier && ends_in_open_part(line) {
        return None;
    }
    match (first, first_word) {
        (TokenKind::Workflow, _) => Some([after_retry, modifiers()].concat()),
        (_, Word::Prompt) => Some(vec!["by"]),
        (_, Word::Tool) => Some([after_retry, after_head_of_tool()].concat()),
        (_, Word::Human) => Some(vec!["timeout"]),
        (_, Word::External) => Some(vec!["by", "timeout"]),
        _ => None,
    }
}

/// How a tool may be repeated, which server has it, and its modifiers.
fn after_head_of_tool() -> Vec<&'static str> {
    let others = ["pure", "reads", "idempotent by", "once", "by"];
    let modifiers = [ModifierName::Timeout, ModifierName::Retry].map(ModifierName::text);
    [others.as_slice(), &modifiers].concat()
}

/// The modifiers of a step and of a workflow.
fn modifiers() -> Vec<&'static str> {
    let fits = |it: &ModifierName| match it {
        ModifierName::Timeout
        | ModifierName::Retry
        | ModifierName::Reflect
        | ModifierName::Budget => true,
        // Of a `parallel for`.
        ModifierName::Limit | ModifierName::Errors => false,
    };
    let all = ModifierName::ALL.iter().copied();
    all.filter(fits).map(ModifierName::text).collect()
}

/// Whether the line begins a block with modifiers: `undo retry 3`, `let x = timeout 5s`.
fn begins_region(line: &Line) -> bool {
    let is_start = |word: Word| word == Word::Undo || word.modifier().is_some();
    let Some(at) = line.kinds.iter().position(|it| is_start(it.1)) else {
        return false;
    };
    let begins = match at.checked_sub(1) {
        Some(before) => line.kinds[before].0 == TokenKind::Equal,
        None => true,
    };
    let next = line.kinds.get(at + 1).map(|it| it.0);
    // A variable may have the name of a modifier.
    let is_name = matches!(
        next,
        Some(TokenKind::Dot | TokenKind::QuestionDot | TokenKind::Equal)
    );
    let is_region = match line.kinds[at].1.modifier() {
        Some(ModifierName::Limit | ModifierName::Errors) => false,
        Some(
            ModifierName::Timeout
            | ModifierName::Retry
            | ModifierName::Reflect
            | ModifierName::Budget,
        ) => next.is_some(),
        None => true,
    };
    begins && is_region && !is_name
}

/// Whether a part of a head may end with it: between these stands what ends an operand, and anything else waits for one.
fn ends_part(last: TokenKind) -> bool {
    matches!(
        last,
        TokenKind::String
            | TokenKind::StringClose
            | TokenKind::Int
            | TokenKind::Float
            | TokenKind::Duration
            | TokenKind::ParenClose
            | TokenKind::BracketClose
            | TokenKind::Question
            | TokenKind::Identifier
            | TokenKind::Underscore
    )
}

/// `for x <|>`
fn is_loop_without_values(line: &Line) -> bool {
    let mut kinds = line.kinds.iter().map(|it| it.0);
    let is_loop = kinds.any(|it| it == TokenKind::For);
    // What the loop takes apart stands between.
    is_loop && kinds.next().is_some() && !line.kinds.iter().any(|it| it.0 == TokenKind::In)
}

/// `backoff` and `max` after `retry 3`.
fn retry_tail(line: &Line) -> Vec<&'static str> {
    let words = line.kinds.iter().map(|(_, word)| *word);
    let mut words = words.rev();
    let last = words.find(|it| it.modifier().is_some() || matches!(it, Word::Backoff | Word::Max));
    match last {
        Some(Word::Retry) => vec!["backoff", "max"],
        Some(Word::Backoff) => vec!["max"],
        _ => Vec::new(),
    }
}

/// Whether the word before the marker wants an operand: `timeout <|>`.
fn after_word_that_asks(line: &Line) -> bool {
    line.kinds.last().is_some_and(|(kind, word)| {
        *kind == TokenKind::Identifier
            && (word.modifier().is_some()
                || matches!(
                    word,
                    Word::Backoff | Word::Max | Word::By | Word::With | Word::Until
                ))
    })
}

/// Whether the last name belongs to a type that is still being written, or is the name of the declaration itself.
fn ends_in_open_part(line: &Line) -> bool {
    !line.kinds.iter().any(|(it, _)| *it == TokenKind::Arrow)
}
