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
use crate::infer::context::{Context, Expected};

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

impl Context<'_> {
    /// The body of a prompt with these entries; examples and settings are bodies of their own.
    pub(super) fn conversation(&mut self, entries: &[PromptEntry]) -> ExpressionId {
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
        let value = self.push(nothing, conversation_type(), span);
        let said = self
            .scopes
            .add(Name::default(), conversation_type(), LocalKind::Var, span);
        let kind = StatementKind::Var { local: said, value };
        let mut statements = vec![Statement { kind, span }];
        self.said = Some(said);
        for entry in entries {
            match entry {
                PromptEntry::Text { role, text, span } => {
                    let kind = StatementKind::Expression(self.said_text(*role, text, *span));
                    statements.push(Statement { kind, span: *span });
                }
                PromptEntry::Statement(it) => {
                    self.statement(it, &mut statements);
                }
                PromptEntry::Example { .. } | PromptEntry::Setting(_) => {}
            }
        }
        let tail = Some(self.local_value(said, span));
        let kind = ExpressionKind::Block { statements, tail };
        self.push(kind, conversation_type(), span)
    }

    /// The list that a text here is added to: texts belong to the body itself, not to a closure in it.
    fn said_here(&self) -> Option<LocalId> {
        self.said.filter(|_| !self.scopes.is_in_closure())
    }

    /// `user "…"`
    pub(super) fn said_text(
        &mut self,
        role: TextRole,
        text: &ast::Expression,
        span: Span,
    ) -> ExpressionId {
        let value = match role {
            TextRole::User => self.user_text(text),
            TextRole::System | TextRole::Assistant => {
                self.expression(text, &Expected::Type(Type::String))
            }
        };
        let Some(said) = self.said_here() else {
            let place = self.place(span);
            self.report(calls::misplaced_text(place, role));
            return self.invalid(span);
        };
        self.refuse_speaker(role, span);
        let word = i64::try_from(speaker(role).word()).unwrap_or_default();
        let who = self.push(ExpressionKind::Int(word), Type::Int, span);
        let one = self.push(ExpressionKind::Tuple(vec![who, value]), said_type(), span);
        let list = self.push(ExpressionKind::List(vec![one]), conversation_type(), span);
        self.scopes.touch(said);
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
        self.push(kind, Type::Unit, span)
    }

    /// A person is asked one question, which only `user` says.
    pub(super) fn refuse_speaker(&mut self, role: TextRole, span: Span) {
        if role != TextRole::User && self.item.kind(self.db) == ItemKind::Human {
            let place = self.place(span);
            self.report(calls::text_for_person(place, role));
        }
    }

    /// `return` in the body of a conversation: what has been said so far is all.
    pub(super) fn return_from_conversation(
        &mut self,
        value: Option<&ast::Expression>,
        span: Span,
    ) -> Option<ExpressionId> {
        let said = self.said_here()?;
        let mut statements = Vec::new();
        if let Some(value) = value {
            let id = self.expression(value, &Expected::Anything);
            let ty = self.ty(id);
            if !matches!(ty, Type::Unit | Type::Never | Type::Invalid) {
                let (place, found) = (self.place(value.span), self.show(&ty));
                self.report(calls::returned_from_prompt(place, &found));
            }
            let kind = StatementKind::Expression(id);
            statements.push(Statement {
                kind,
                span: value.span,
            });
        }
        let tail = Some(self.local_value(said, span));
        let kind = ExpressionKind::Block { statements, tail };
        let value = self.push(kind, conversation_type(), span);
        let kind = ExpressionKind::Return(Some(value));
        Some(self.push(kind, Type::Never, span))
    }
}
