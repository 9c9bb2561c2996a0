//! Expressions as lists.

use crate::ast::{
    Argument, Block, CatchForm, Conversion, Expression, ExpressionKind, FieldInit, LambdaParameter,
    Literal, MatchArm, Modifier, ModifierKind, Setting, SettingValue, StringPart,
};
use crate::dump::pattern::pattern;
use crate::dump::statement::block;
use crate::dump::type_expression::type_expression;
use crate::dump::{Node, optional, path, quoted, word};

pub(super) fn literal(it: &Literal) -> Node {
    match it {
        Literal::Int(Some(value)) => word(&value.to_string()),
        Literal::Int(None) => word("too-large"),
        Literal::Float(bits) => word(&format!("{:?}", f64::from_bits(*bits))),
        Literal::Bool(value) => word(&value.to_string()),
        Literal::None => word("none"),
        Literal::Duration(nanoseconds) => word(&format!("{nanoseconds}ns")),
        Literal::String(text) => quoted(text),
    }
}

#[expect(
    clippy::too_many_lines,
    reason = "one line a form: rustc names what a new form must join"
)]
pub(super) fn expression(it: &Expression) -> Node {
    use ExpressionKind as Kind;
    match &it.kind {
        Kind::Literal(value) => literal(value),
        Kind::Interpolation(parts) => {
            let part = |part: &StringPart| match part {
                StringPart::Text(text) => quoted(text),
                StringPart::Expression(inner) => expression(inner),
            };
            Node::list("interpolation", parts.iter().map(part))
        }
        Kind::Name(name) => word(name),
        Kind::Unit => word("()"),
        Kind::Field { base, name, chain } => {
            Node::list(chain.symbol(), [expression(base), word(&name.name)])
        }
        Kind::TupleField { base, index, .. } => {
            Node::list(".", [expression(base), word(&index.to_string())])
        }
        Kind::AllOf(inner) => many(".*", [&**inner]),
        Kind::Index { base, index } => many("index", [&**base, index]),
        Kind::Call {
            callee,
            arguments: inner,
            arguments_span: _,
        } => with_nodes("call", callee, arguments(inner)),
        Kind::Record {
            path: names,
            fields,
            base,
        } => record(path(names), fields, base.as_deref()),
        Kind::List(elements) => many("list", elements),
        Kind::Map(entries) => {
            let entry = |entry: &crate::ast::MapEntry| {
                Node::List(vec![expression(&entry.key), expression(&entry.value)])
            };
            Node::list("map", entries.iter().map(entry))
        }
        Kind::Tuple(elements) => many("tuple", elements),
        Kind::Parenthesized(inner) => many("parens", [&**inner]),
        Kind::Range {
            start,
            end,
            range_end,
        } => many(range_end.symbol(), [&**start, end]),
        Kind::Lambda { parameters, body } => lambda(parameters, body),
        Kind::Unary { operator, operand } => many(operator.symbol(), [&**operand]),
        Kind::Binary {
            operator,
            operator_span: _,
            left,
            right,
        } => many(operator.symbol(), [&**left, right]),
        Kind::As { value, ty, form } => {
            let head = match form {
                Conversion::Raising => "as",
                Conversion::Optional => "as?",
            };
            Node::list(head, [expression(value), type_expression(ty)])
        }
        Kind::Catch { value, arms, form } => {
            let head = match form {
                CatchForm::Braced => "catch",
                CatchForm::Bare => "catch-one",
            };
            with_nodes(head, value, arms.iter().map(arm))
        }
        Kind::Match { value, arms } => with_nodes("match", value, arms.iter().map(arm)),
        Kind::If {
            condition,
            then,
            otherwise,
        } => {
            let otherwise = otherwise.as_deref().map(expression);
            let parts = std::iter::once(block(then)).chain(otherwise);
            with_nodes("if", condition, parts)
        }
        Kind::Let {
            pattern: bound,
            value,
        } => Node::list("let", [pattern(bound), expression(value)]),
        Kind::Do(body) => block(body),
        Kind::For {
            pattern: bound,
            iterable,
            body,
        } => Node::list("for", [pattern(bound), expression(iterable), block(body)]),
        Kind::While { condition, body } => with_nodes("while", condition, [block(body)]),
        Kind::Return(None) => word("return"),
        Kind::Return(Some(inner)) => many("return", [&**inner]),
        Kind::Break => word("break"),
        Kind::Continue => word("continue"),
        Kind::Fail(inner) => many("fail", [&**inner]),
        Kind::Emit(inner) => many("emit", [&**inner]),
        Kind::Text { role, text } => many(role.text(), [&**text]),
        Kind::Spawn(inner) => many("spawn", [&**inner]),
        Kind::SpawnDetached(inner) => many("spawn-detached", [&**inner]),
        Kind::Await(inner) => many("await", [&**inner]),
        Kind::Race { tasks, errors } => {
            let errors = errors
                .iter()
                .map(|it| Node::list("errors", [word(&it.name)]));
            with_nodes("race", tasks, errors)
        }
        Kind::ParallelFor {
            pattern: bound,
            iterable,
            modifiers: inner,
            body,
        } => {
            let head = [pattern(bound), expression(iterable)].into_iter();
            Node::list("parallel-for", head.chain(with_body(inner, body)))
        }
        Kind::Parallel {
            branches,
            branches_span: _,
            errors,
        } => {
            let errors = errors
                .iter()
                .map(|it| Node::list("errors", [word(&it.name)]));
            Node::list("parallel", branches.iter().map(expression).chain(errors))
        }
        Kind::Step {
            was,
            name,
            modifiers: inner,
            body,
        } => {
            let was = optional("was", was.as_deref().map(expression));
            with_nodes("step", name, was.into_iter().chain(with_body(inner, body)))
        }
        Kind::Undo {
            modifiers: inner,
            body,
        } => Node::list("undo", with_body(inner, body)),
        Kind::Modified {
            modifiers: inner,
            body,
        } => Node::list("modified", with_body(inner, body)),
        Kind::Reflect {
            call,
            max,
            until,
            by,
        } => {
            let max = optional("max", max.as_deref().map(expression));
            let until = optional("until", until.as_deref().map(expression));
            let by = optional("by", by.as_deref().map(expression));
            with_nodes("reflect", call, [max, until, by].into_iter().flatten())
        }
        Kind::Revise(inner) => many("revise", [&**inner]),
        Kind::By { call, agent } => many("by", [&**call, agent]),
        Kind::With {
            call,
            settings: inner,
        } => with_nodes("with", call, settings(inner)),
        Kind::Invalid => word("invalid"),
    }
}

fn many<'tree>(head: &str, elements: impl IntoIterator<Item = &'tree Expression>) -> Node {
    Node::list(head, elements.into_iter().map(expression))
}

/// A list that starts with an expression.
fn with_nodes(head: &str, first: &Expression, rest: impl IntoIterator<Item = Node>) -> Node {
    Node::list(head, std::iter::once(expression(first)).chain(rest))
}

fn with_body(inner: &[Modifier], body: &Block) -> impl Iterator<Item = Node> {
    modifiers(inner).into_iter().chain([block(body)])
}

fn record(path: Node, fields: &[FieldInit], base: Option<&Expression>) -> Node {
    let fields = fields.iter().map(|field| {
        let value = field.value.as_ref().map(expression);
        Node::list(&format!("{}:", field.name.name), value)
    });
    let base = optional("..", base.map(expression));
    Node::list("record", std::iter::once(path).chain(fields).chain(base))
}

fn lambda(parameters: &[LambdaParameter], body: &Expression) -> Node {
    let parameter = |parameter: &LambdaParameter| match &parameter.ty {
        Some(ty) => Node::List(vec![pattern(&parameter.pattern), type_expression(ty)]),
        None => pattern(&parameter.pattern),
    };
    let parameters = Node::List(parameters.iter().map(parameter).collect());
    Node::list("=>", [parameters, expression(body)])
}

fn arm(it: &MatchArm) -> Node {
    let guard = optional("if", it.guard.as_ref().map(expression));
    let parts = std::iter::once(pattern(&it.pattern)).chain(guard);
    Node::List(parts.chain([expression(&it.body)]).collect())
}

pub(super) fn arguments(arguments: &[Argument]) -> Vec<Node> {
    let argument = |argument: &Argument| match &argument.name {
        Some(name) => Node::list(&format!("{}:", name.name), [expression(&argument.value)]),
        None => expression(&argument.value),
    };
    arguments.iter().map(argument).collect()
}

pub(super) fn settings(settings: &[Setting]) -> Vec<Node> {
    settings.iter().map(setting).collect()
}

pub(super) fn setting(it: &Setting) -> Node {
    let name = format!("{}:", it.name.name);
    match &it.value {
        SettingValue::Expression(value) => Node::list(&name, [expression(value)]),
        SettingValue::Settings {
            settings: inner, ..
        } => Node::list(&name, settings(inner)),
    }
}

pub(super) fn modifiers(modifiers: &[Modifier]) -> Vec<Node> {
    modifiers.iter().map(modifier).collect()
}

fn modifier(it: &Modifier) -> Node {
    let name = it.kind.name().text();
    match &it.kind {
        ModifierKind::Timeout(value) | ModifierKind::Limit(value) => many(name, [value]),
        ModifierKind::Retry {
            count,
            backoff,
            max,
        } => {
            let backoff = optional("backoff", backoff.as_ref().map(expression));
            let max = optional("max", max.as_ref().map(expression));
            with_nodes(name, count, backoff.into_iter().chain(max))
        }
        ModifierKind::Reflect { count, with } => {
            with_nodes(name, count, optional("with", with.as_ref().map(expression)))
        }
        ModifierKind::Budget(inner) => Node::list(name, arguments(inner)),
        ModifierKind::Errors(policy) => Node::list(name, [word(&policy.name)]),
    }
}
