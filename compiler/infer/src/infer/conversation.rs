//! Bodies of prompts that hold more than one `system` and one `user` text, written out as what they mean: each text that is reached
//! is added to a list, and the list is what the body gives.

use gsw_abi::speaker::Speaker;
use gsw_names::types::Type;
use gsw_source::{ItemKind, Name, Span};
use gsw_syntax::ast::{self, PromptEntry, TextRole};

use crate::errors::calls;
use crate::hir::{
    BinaryOperator, Change, ExpressionId, ExpressionKind, LocalId, LocalKind, Statement,
    StatementKind, conversation_type, said_type,
};
use crate::infer::context::Context;
use crate::infer::expected::Expected;
use crate::infer::hir_builder::HirBuilder;
use crate::infer::literal;
use crate::infer::statement::infer_statement;

/// Whether a body is more than a `system` and a `user` text, whose order means nothing.
pub(super) fn is_conversation(entries: &[PromptEntry]) -> bool {
    let mut seen: Vec<TextRole> = Vec::new();
    entries.iter().any(|it| match it {
        PromptEntry::Statement(_) => true,
        PromptEntry::Text { role, .. } => {
            let is_second = seen.contains(role);
            seen.push(*role);
            is_second || *role == TextRole::Assistant
        }
        PromptEntry::Example { .. } | PromptEntry::Setting(_) => false,
    })
}

const fn speaker(role: TextRole) -> Speaker {
    match role {
        TextRole::System => Speaker::System,
        TextRole::User => Speaker::User,
        TextRole::Assistant => Speaker::Assistant,
    }
}

/// The body of a prompt with these entries; examples and settings are bodies of their own.
pub(super) fn infer_conversation(cx: &mut Context, entries: &[PromptEntry]) -> ExpressionId {
    let span = entries
        .iter()
        .filter_map(|it| match it {
            PromptEntry::Statement(it) => Some(it.span),
            PromptEntry::Text { span, .. } => Some(*span),
            PromptEntry::Example { .. } | PromptEntry::Setting(_) => None,
        })
        .reduce(Span::to)
        .unwrap_or_default();
    let nothing = ExpressionKind::List(Vec::new());
    let value = cx.hir.push(nothing, conversation_type(), span);
    let ty = conversation_type();
    let said = cx.hir.locals.add(Name::default(), ty, LocalKind::Var, span);
    let kind = StatementKind::Var { local: said, value };
    let mut statements = vec![Statement { kind, span }];
    cx.said = Some(said);
    for entry in entries {
        match entry {
            PromptEntry::Text { role, text, span } => {
                let kind = StatementKind::Expression(infer_text(cx, *role, text, *span));
                statements.push(Statement { kind, span: *span });
            }
            PromptEntry::Statement(it) => {
                infer_statement(cx, it, &mut statements);
            }
            PromptEntry::Example { .. } | PromptEntry::Setting(_) => {}
        }
    }
    let tail = Some(cx.hir.local_value(said, span));
    let kind = ExpressionKind::Block { statements, tail };
    cx.hir.push(kind, conversation_type(), span)
}

/// The list that a text here is added to: texts belong to the body itself, not to a closure in it.
fn said_here(cx: &Context) -> Option<LocalId> {
    cx.said.filter(|_| !cx.hir.locals.is_in_closure())
}

/// `user "…"`
pub(super) fn infer_text(
    cx: &mut Context,
    role: TextRole,
    text: &ast::Expression,
    span: Span,
) -> ExpressionId {
    let value = match role {
        TextRole::User => literal::user_text(cx, text),
        TextRole::System | TextRole::Assistant => {
            cx.expression(text, &Expected::Type(Type::String))
        }
    };
    let said = said_here(cx);
    let hir = &mut cx.hir;
    let Some(said) = said else {
        let place = hir.place(span);
        hir.report(calls::misplaced_text(place, role));
        return hir.invalid(span);
    };
    refuse_speaker(hir, role, span);
    let word = i64::try_from(speaker(role).word()).unwrap_or_default();
    let who = hir.push(ExpressionKind::Int(word), Type::Int, span);
    let one = hir.push(ExpressionKind::Tuple(vec![who, value]), said_type(), span);
    let list = hir.push(ExpressionKind::List(vec![one]), conversation_type(), span);
    hir.locals.touch(said);
    let kind = StatementKind::Assign {
        local: said,
        path: Vec::new(),
        change: Change::Operator(BinaryOperator::Add),
        value: list,
    };
    let kind = ExpressionKind::Block {
        statements: vec![Statement { kind, span }],
        tail: None,
    };
    hir.push(kind, Type::Unit, span)
}

/// A person is asked one question, which only `user` says.
pub(super) fn refuse_speaker(hir: &mut HirBuilder, role: TextRole, span: Span) {
    if role != TextRole::User && hir.item.kind(hir.db) == ItemKind::Human {
        let place = hir.place(span);
        hir.report(calls::text_for_person(place, role));
    }
}

/// `return` in the body of a conversation: the messages so far are all.
pub(super) fn infer_return(
    cx: &mut Context,
    value: Option<&ast::Expression>,
    span: Span,
) -> Option<ExpressionId> {
    let said = said_here(cx)?;
    let mut statements = Vec::new();
    if let Some(value) = value {
        let id = cx.expression(value, &Expected::Anything);
        let ty = cx.hir.ty(id);
        if !matches!(ty, Type::Unit | Type::Never | Type::Invalid) {
            let (place, found) = (cx.hir.place(value.span), cx.hir.show(&ty));
            cx.hir.report(calls::returned_from_prompt(place, &found));
        }
        let kind = StatementKind::Expression(id);
        statements.push(Statement {
            kind,
            span: value.span,
        });
    }
    let tail = Some(cx.hir.local_value(said, span));
    let kind = ExpressionKind::Block { statements, tail };
    let value = cx.hir.push(kind, conversation_type(), span);
    let kind = ExpressionKind::Return(Some(value));
    Some(cx.hir.push(kind, Type::Never, span))
}
