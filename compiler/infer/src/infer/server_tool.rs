//! `tool name(…) -> T by server`: a tool that an MCP server has, as the call that it is.

use gsw_names::Presence;
use gsw_names::types::Type;
use gsw_source::{Name, Span};
use gsw_syntax::ast::{self, ExpressionKind};

use crate::hir::{self, Coercion};
use crate::infer::expected::Expected;
use crate::infer::hir_builder::HirBuilder;
use crate::infer::item_body::ItemInference;
use crate::infer::lookup;

/// The method of `Server` that such a tool calls.
const METHOD: &str = "locked";

impl ItemInference<'_> {
    /// The body that a tool of a server has: `server.locked(name, arguments, optional, digest) as T`.
    pub(super) fn tool_of_server(&mut self, signature: &ast::Signature, by: &ast::Expression) {
        let head = lookup::signature(self.db, self.item);
        if head.server.is_none() {
            return self.without_body(signature);
        }
        let at = Written(by.span);
        let arguments = head.parameters.iter().map(|it| ast::MapEntry {
            key: at.text(&it.wire),
            value: at.expression(ExpressionKind::Name(it.name.clone())),
        });
        let optional = head
            .parameters
            .iter()
            .filter(|it| it.default == Presence::Present);
        let optional = optional.map(|it| at.text(&it.wire)).collect();
        let mut given = vec![
            at.text(
                head.locked
                    .as_ref()
                    .map_or(self.item.name(self.db), |it| &it.name),
            ),
            at.expression(ExpressionKind::Map(arguments.collect())),
            at.expression(ExpressionKind::List(optional)),
        ];
        given.extend(head.locked.as_ref().map(|it| at.text(&it.digest)));
        let call = at.method(by.clone(), given);
        let result = head.result.clone();
        self.main_of(signature, |cx| {
            if result == Type::Unit {
                let id = cx.expression(&call, &Expected::Dropped);
                leave_out_what_is_missing(&mut cx.hir);
                return cx.hir.without_value(id);
            }
            let typed = match &signature.result {
                Some(ty) if result != Type::Json => at.conversion(call, ty),
                Some(_) | None => call,
            };
            let id = cx.expression(&typed, &Expected::Type(result));
            leave_out_what_is_missing(&mut cx.hir);
            id
        });
    }
}

/// Servers describe what may be missing, and refuse a `null` there. Nothing but the arguments becomes `json` in such a body.
fn leave_out_what_is_missing(hir: &mut HirBuilder) {
    for expression in hir.arena.iter_mut() {
        if let hir::ExpressionKind::Coerce { coercion, .. } = &mut expression.kind
            && *coercion == Coercion::ToJson
        {
            *coercion = Coercion::ToArgument;
        }
    }
}

/// Makes expressions that are written nowhere; what is wrong in them is reported at one place.
struct Written(Span);

impl Written {
    const fn expression(&self, kind: ExpressionKind) -> ast::Expression {
        ast::Expression { kind, span: self.0 }
    }

    fn text(&self, text: &Name) -> ast::Expression {
        self.expression(ExpressionKind::Literal(ast::Literal::String(text.clone())))
    }

    fn method(
        &self,
        receiver: ast::Expression,
        arguments: Vec<ast::Expression>,
    ) -> ast::Expression {
        let name = ast::Identifier {
            name: Name::new_static(METHOD),
            span: self.0,
        };
        let callee = self.expression(ExpressionKind::Field {
            base: Box::new(receiver),
            name,
            chain: ast::Chain::Plain,
        });
        let arguments = arguments
            .into_iter()
            .map(|value| ast::Argument { name: None, value });
        self.expression(ExpressionKind::Call {
            callee: Box::new(callee),
            arguments: arguments.collect(),
            arguments_span: self.0,
        })
    }

    fn conversion(&self, value: ast::Expression, ty: &ast::TypeExpression) -> ast::Expression {
        self.expression(ExpressionKind::As {
            value: Box::new(value),
            ty: Box::new(ty.clone()),
            form: ast::Conversion::Raising,
        })
    }
}
