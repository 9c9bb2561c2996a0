//! `textDocument/signatureHelp`: the parameters of the call around the cursor, and which of them is being written.

use gsw_names::types::Type;
use gsw_names::{
    Definition, Parameter, display_parameter, display_type, item_signature, item_text,
    resolve_member, resolve_name, source_text,
};
use gsw_source::{Database, Db, File, ItemId, ItemKind, Span};
use gsw_syntax::ast::{
    Child, Expression, ExpressionKind, Identifier, PatternField, PatternKind, StatementKind,
};
use gsw_syntax::{Token, TokenKind, Word, item_ast, lex};

use crate::brackets::pairs;
use crate::cursor::{item_at, nodes_at};
use crate::expression_type::expression_type;
use crate::hover::describe;
use crate::parameters::{Called, Receiver, called, parameters_of};
use crate::speculation::with_marker;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignatureHelp {
    /// The head with its parameters, result, errors and effects.
    pub label: String,
    /// Each parameter as it is written in the label.
    pub parameters: Vec<String>,
    pub docs: Option<String>,
    /// The parameter that is being written; `None` past the last one.
    pub active: Option<u32>,
}

/// The call around byte `offset` of `file`.
pub fn signature_help(db: &mut Database, file: File, offset: u32) -> Option<SignatureHelp> {
    with_marker(db, file, offset, |db, at| of_call(db, file, at))
}

fn of_call(db: &dyn Db, file: File, offset: u32) -> Option<SignatureHelp> {
    in_tree(db, file, offset).or_else(|| in_mock(db, file, offset))
}

/// The brackets of what a test mocks, as long as nothing follows them that they are a statement with.
fn in_mock(db: &dyn Db, file: File, offset: u32) -> Option<SignatureHelp> {
    let text = file.text(db);
    let tokens = lex(text).tokens;
    let count = tokens.partition_point(|it| it.span.start < offset);
    let (mut depth, mut commas, mut open) = (0usize, 0usize, None);
    for (index, token) in tokens.iter().enumerate().take(count).rev() {
        if token.kind.is_closer() {
            depth += 1;
        } else if token.kind.is_opener() && depth == 0 {
            open = Some(index);
            break;
        } else if token.kind.is_opener() {
            depth -= 1;
        } else if token.kind == TokenKind::Comma && depth == 0 {
            commas += 1;
        }
    }
    let open = open.filter(|it| tokens[*it].kind == TokenKind::ParenOpen)?;
    let before = |back: usize| open.checked_sub(back).map(|it| tokens[it]);
    let word = |it: Token| text.get(it.span.start as usize..it.span.end as usize);
    let name = before(1)?;
    let definition = if before(2)?.word == Word::Mock {
        resolve_name(db, file, word(name)?)?
    } else if before(2)?.kind == TokenKind::Dot && before(4)?.word == Word::Mock {
        match resolve_name(db, file, word(before(3)?)?)? {
            Definition::Module(module) => resolve_member(db, module, word(name)?, file)?,
            Definition::Item(_) | Definition::Variant { .. } => return None,
        }
    } else {
        return None;
    };
    let Definition::Item(item) = definition else {
        return None;
    };
    let receiver = Receiver::Argument;
    let mut help = shown(db, Called::Item { item, receiver }, &[], 0);
    help.active = u32::try_from(commas)
        .ok()
        .filter(|_| commas < help.parameters.len());
    Some(help)
}

fn in_tree(db: &dyn Db, file: File, offset: u32) -> Option<SignatureHelp> {
    let (item, inside) = item_at(db, file, offset)?;
    let tree = item_ast(db, item)?;
    let nodes = nodes_at(&tree, inside);
    nodes.iter().rev().find_map(|node| {
        let call = written(db, item, *node)?;
        // The brackets themselves are no place in them.
        let is_inside = call.brackets.start < inside && inside < call.brackets.end;
        if !is_inside {
            return None;
        }
        match called(db, item, call.callee) {
            Some(target) => Some(shown(db, target, &call.arguments, inside)),
            None => of_value(db, item, &call, inside),
        }
    })
}

/// What is written like a call: a call, what a test mocks, a pattern with the parts of a variant or error.
struct Written<'tree> {
    /// What stands before the brackets.
    callee: Span,
    brackets: Span,
    arguments: Vec<Part<'tree>>,
}

/// One argument, or the pattern for one.
struct Part<'tree> {
    name: Option<&'tree Identifier>,
    value: Span,
}

fn written<'tree>(db: &dyn Db, item: ItemId, node: Child<'tree>) -> Option<Written<'tree>> {
    match node {
        Child::Expression(it) => {
            let ExpressionKind::Call {
                callee,
                arguments,
                arguments_span,
            } = &it.kind
            else {
                return None;
            };
            let parts = arguments.iter().map(|it| Part {
                name: it.name.as_ref(),
                value: it.value.span,
            });
            Some(Written {
                callee: asked(db, item, callee),
                brackets: *arguments_span,
                arguments: parts.collect(),
            })
        }
        Child::Statement(it) => {
            let StatementKind::Mock {
                target, arguments, ..
            } = &it.kind
            else {
                return None;
            };
            of_patterns(db, item, target, arguments)
        }
        Child::Pattern(it) => {
            let PatternKind::Variant { path, fields, .. } = &it.kind else {
                return None;
            };
            of_patterns(db, item, path, fields.as_deref()?)
        }
        Child::Type(_) | Child::Name(_) => None,
    }
}

/// What a call calls: of `ask.detail(…)` and `ask.stream(…)` the prompt.
fn asked(db: &dyn Db, item: ItemId, callee: &Expression) -> Span {
    if let ExpressionKind::Field { base, .. } = &callee.kind
        && called(db, item, callee.span).is_none()
        && let Some(Called::Item { item, .. }) = called(db, item, base.span)
        && item.kind(db) == ItemKind::Prompt
    {
        return base.span;
    }
    callee.span
}

/// A path with patterns in brackets after it.
fn of_patterns<'tree>(
    db: &dyn Db,
    item: ItemId,
    path: &[Identifier],
    fields: &'tree [PatternField],
) -> Option<Written<'tree>> {
    let callee = Span::new(path.first()?.span.start, path.last()?.span.end);
    let pairs = pairs(item_text(db, item));
    let (open, close) = pairs.into_iter().find(|it| it.0.start >= callee.end)?;
    let parts = fields.iter().map(|it| Part {
        name: it.name.as_ref(),
        value: it.pattern.span,
    });
    (open.start == callee.end).then(|| Written {
        callee,
        brackets: Span::new(open.start, close.end),
        arguments: parts.collect(),
    })
}

/// A call of a value: its type has no names.
fn of_value(db: &dyn Db, item: ItemId, call: &Written<'_>, inside: u32) -> Option<SignatureHelp> {
    let Type::Function(function) = expression_type(db, item, call.callee)? else {
        return None;
    };
    let types = function.parameters.iter();
    let parameters: Vec<String> = types.map(|it| display_type(db, it)).collect();
    let name = source_text(db, item, call.callee);
    let result = display_type(db, &function.result);
    let active = written_at(&call.arguments, inside);
    let active = active.filter(|it| *it < parameters.len());
    Some(SignatureHelp {
        label: format!("{name}({}) -> {result}", parameters.join(", ")),
        parameters,
        docs: None,
        active: active.and_then(|it| u32::try_from(it).ok()),
    })
}

/// Which argument is being written.
fn written_at(arguments: &[Part<'_>], inside: u32) -> Option<usize> {
    arguments.iter().position(|it| {
        let start = it.name.map_or(it.value.start, |it| it.span.start);
        start <= inside && inside <= it.value.end
    })
}

fn shown(db: &dyn Db, target: Called, arguments: &[Part<'_>], inside: u32) -> SignatureHelp {
    let declared = parameters_of(db, &target);
    let parameters: Vec<String> = declared
        .iter()
        .map(|it| {
            let default = match it.default {
                gsw_names::Presence::Present => " = …",
                gsw_names::Presence::Absent => "",
            };
            format!("{}: {}{default}", it.name, display_parameter(db, it))
        })
        .collect();
    let (name, result) = match target {
        Called::Item { item, .. } if item.kind(db) != ItemKind::Error => {
            let ty = &item_signature(db, item).signature.result;
            (
                item.name(db).to_string(),
                format!(" -> {}", display_type(db, ty)),
            )
        }
        Called::Item { item, .. } => (item.name(db).to_string(), String::new()),
        Called::Variant { item, variant } => {
            let name = crate::symbol::Symbol::Variant { item, variant };
            let name = crate::symbol::declared_text(db, name).unwrap_or_default();
            (format!("{}.{name}", item.name(db)), String::new())
        }
    };
    let active = written_at(arguments, inside);
    let active = active.and_then(|index| {
        let position = match &arguments[index].name {
            Some(name) => declared.iter().position(|it| it.name == name.name)?,
            None => unnamed(&declared, arguments, index),
        };
        (position < declared.len()).then(|| u32::try_from(position).ok())?
    });
    SignatureHelp {
        label: format!("{name}({}){result}", parameters.join(", ")),
        parameters,
        docs: describe(db, target.symbol()).and_then(|(_, docs)| docs),
        active,
    }
}

/// The parameter that an argument without a name is for: by its place, or after named ones the first that nothing is given for.
fn unnamed(declared: &[Parameter], arguments: &[Part<'_>], index: usize) -> usize {
    let before = &arguments[..index];
    if before.iter().all(|it| it.name.is_none()) {
        return index;
    }
    let by_place = before.iter().filter(|it| it.name.is_none()).count();
    let is_named = |it: &Parameter| {
        let mut names = arguments.iter().filter_map(|it| it.name);
        names.any(|name| name.name == it.name)
    };
    let mut left = declared.iter().skip(by_place);
    let first = left.position(|it| !is_named(it));
    by_place + first.unwrap_or(declared.len())
}
