//! `mock agent a { … }`: each `call` is typed like the call of its tool, and nothing is called.

use gsw_names::Definition;
use gsw_source::{ItemId, ItemKind, Span};
use gsw_syntax::ast;

use crate::errors::testing as errors;
use crate::hir::{ScriptCall, ScriptTurn, StatementKind};
use crate::infer::call::Call;
use crate::infer::context::{Context, Expected};

impl Context<'_> {
    /// `None` when the agent was reported.
    pub(super) fn mock_agent(
        &mut self,
        agent: &[ast::Identifier],
        script: &[ast::ScriptTurn],
    ) -> Option<StatementKind> {
        let item = match self.written_path(agent)? {
            Definition::Item(item) if item.kind(self.db) == ItemKind::Agent => item,
            Definition::Item(_) | Definition::Module(_) | Definition::Variant { .. } => {
                let names: Vec<&str> = agent.iter().map(|it| it.name.as_str()).collect();
                let span = agent.iter().map(|it| it.span).reduce(Span::to)?;
                let place = self.place(span);
                self.report(errors::not_an_agent(place, &names.join(".")));
                return None;
            }
        };
        let script = script.iter().map(|turn| match &turn.kind {
            ast::ScriptTurnKind::Calls(calls) => {
                ScriptTurn::Calls(calls.iter().filter_map(|it| self.script_call(it)).collect())
            }
            ast::ScriptTurnKind::Answer(value) => {
                let value = self.expression(value, &Expected::Anything);
                ScriptTurn::Answer(self.as_json(value))
            }
        });
        let script = script.collect();
        Some(StatementKind::MockAgent {
            agent: item,
            script,
        })
    }

    /// What stands after `call`; `None` when it was reported.
    fn script_call(&mut self, call: &ast::Expression) -> Option<ScriptCall> {
        let ast::ExpressionKind::Call {
            callee,
            arguments,
            arguments_span,
        } = &call.kind
        else {
            self.not_a_tool(call.span);
            return None;
        };
        let tool = self.called_tool(callee)?;
        let call = Call {
            arguments,
            arguments_span: *arguments_span,
            span: call.span,
        };
        let arguments = self.prompt_arguments(tool, call);
        let arguments = arguments.into_iter();
        let arguments = arguments.map(|(parameter, it)| (parameter, self.as_json(it)));
        let arguments = arguments.collect();
        Some(ScriptCall { tool, arguments })
    }

    fn called_tool(&mut self, callee: &ast::Expression) -> Option<ItemId> {
        if let ast::ExpressionKind::Name(name) = &callee.kind
            && self.scopes.find(name).is_none()
            && gsw_names::resolve_name(self.db, self.file, name).is_none()
        {
            self.unknown_name(name, callee.span);
            return None;
        }
        if let Some(Definition::Item(item)) = self.path(callee)
            && item.kind(self.db) == ItemKind::Tool
        {
            return Some(item);
        }
        self.not_a_tool(callee.span);
        None
    }

    fn not_a_tool(&mut self, span: Span) {
        let place = self.place(span);
        let text = gsw_names::source_text(self.db, self.item, span);
        self.report(errors::not_a_tool(place, &text));
    }
}
