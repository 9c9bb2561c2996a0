//! Expressions as lists.

use crate::ast::{
    Argument, BinaryOperator, Chain, Expression, ExpressionKind, Literal, MatchArm, Modifier,
    ModifierKind, RangeEnd, Setting, SettingValue, StringPart, UnaryOperator,
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

pub(super) fn expression(it: &Expression) -> Node {
    match &it.kind {
        ExpressionKind::Literal(value) => literal(value),
        ExpressionKind::Name(name) => word(name),
        ExpressionKind::Unit => word("()"),
        ExpressionKind::Break => word("break"),
        ExpressionKind::Continue => word("continue"),
        ExpressionKind::Invalid => word("invalid"),
        ExpressionKind::Return(None) => word("return"),
        ExpressionKind::AllOf(inner) => one(".*", inner),
        ExpressionKind::Parenthesized(inner) => one("parens", inner),
        ExpressionKind::Return(Some(inner)) => one("return", inner),
        ExpressionKind::Fail(inner) => one("fail", inner),
        ExpressionKind::Emit(inner) => one("emit", inner),
        ExpressionKind::Spawn(inner) => one("spawn", inner),
        ExpressionKind::SpawnDetached(inner) => one("spawn-detached", inner),
        ExpressionKind::Await(inner) => one("await", inner),
        ExpressionKind::Race(inner) => one("race", inner),
        ExpressionKind::Revise(inner) => one("revise", inner),
        ExpressionKind::List(elements) => many("list", elements),
        ExpressionKind::Tuple(elements) => many("tuple", elements),
        ExpressionKind::Parallel(elements) => many("parallel", elements),
        ExpressionKind::Do(body) => block(body),
        ExpressionKind::Interpolation(parts) => {
            let part = |part: &StringPart| match part {
                StringPart::Text(text) => quoted(text),
                StringPart::Expression(inner) => expression(inner),
            };
            Node::list("interpolation", parts.iter().map(part))
        }
        _ => operation(it),
    }
}

fn one(head: &str, inner: &Expression) -> Node {
    Node::list(head, [expression(inner)])
}

fn many(head: &str, elements: &[Expression]) -> Node {
    Node::list(head, elements.iter().map(expression))
}

fn operation(it: &Expression) -> Node {
    match &it.kind {
        ExpressionKind::Field { base, name, chain } => {
            let dot = match chain {
                Chain::Plain => ".",
                Chain::Optional => "?.",
            };
            Node::list(dot, [expression(base), word(&name.name)])
        }
        ExpressionKind::TupleField { base, index, .. } => {
            Node::list(".", [expression(base), word(&index.to_string())])
        }
        ExpressionKind::Index { base, index } => {
            Node::list("index", [expression(base), expression(index)])
        }
        ExpressionKind::Range {
            start,
            end,
            range_end,
        } => {
            let dots = match range_end {
                RangeEnd::Exclusive => "..",
                RangeEnd::Inclusive => "..=",
            };
            Node::list(dots, [expression(start), expression(end)])
        }
        ExpressionKind::Unary { operator, operand } => match operator {
            UnaryOperator::Negate => one("-", operand),
            UnaryOperator::Not => one("not", operand),
        },
        ExpressionKind::Binary {
            operator,
            left,
            right,
            ..
        } => Node::list(symbol(*operator), [expression(left), expression(right)]),
        ExpressionKind::As { value, ty } => {
            Node::list("as", [expression(value), type_expression(ty)])
        }
        ExpressionKind::Call {
            callee,
            arguments: inner,
            ..
        } => Node::list(
            "call",
            std::iter::once(expression(callee)).chain(arguments(inner)),
        ),
        ExpressionKind::By { call, agent } => {
            Node::list("by", [expression(call), expression(agent)])
        }
        ExpressionKind::With {
            call,
            settings: inner,
        } => Node::list(
            "with",
            std::iter::once(expression(call)).chain(settings(inner)),
        ),
        _ => compound(it),
    }
}

fn symbol(operator: BinaryOperator) -> &'static str {
    match operator {
        BinaryOperator::Or => "or",
        BinaryOperator::And => "and",
        BinaryOperator::Equal => "==",
        BinaryOperator::NotEqual => "!=",
        BinaryOperator::Less => "<",
        BinaryOperator::LessEqual => "<=",
        BinaryOperator::Greater => ">",
        BinaryOperator::GreaterEqual => ">=",
        BinaryOperator::In => "in",
        BinaryOperator::Otherwise => "??",
        BinaryOperator::Add => "+",
        BinaryOperator::Subtract => "-",
        BinaryOperator::Multiply => "*",
        BinaryOperator::Divide => "/",
        BinaryOperator::Remainder => "%",
    }
}

fn compound(it: &Expression) -> Node {
    match &it.kind {
        ExpressionKind::Record {
            path: names,
            fields,
            base,
        } => {
            let fields = fields.iter().map(|field| {
                let value = field.value.as_ref().map(expression);
                Node::list(&format!("{}:", field.name.name), value)
            });
            let base = optional("..", base.as_deref().map(expression));
            Node::list(
                "record",
                std::iter::once(path(names)).chain(fields).chain(base),
            )
        }
        ExpressionKind::Map(entries) => {
            let entry = |entry: &crate::ast::MapEntry| {
                Node::List(vec![expression(&entry.key), expression(&entry.value)])
            };
            Node::list("map", entries.iter().map(entry))
        }
        ExpressionKind::Lambda { parameters, body } => {
            let parameter = |parameter: &crate::ast::LambdaParameter| match &parameter.ty {
                Some(ty) => Node::List(vec![pattern(&parameter.pattern), type_expression(ty)]),
                None => pattern(&parameter.pattern),
            };
            let parameters = Node::List(parameters.iter().map(parameter).collect());
            Node::list("=>", [parameters, expression(body)])
        }
        ExpressionKind::Catch { value, arms } => with_arms("catch", value, arms),
        ExpressionKind::Match { value, arms } => with_arms("match", value, arms),
        _ => control(it),
    }
}

fn control(it: &Expression) -> Node {
    match &it.kind {
        ExpressionKind::If {
            condition,
            then,
            otherwise,
        } => Node::list(
            "if",
            [expression(condition), block(then)]
                .into_iter()
                .chain(otherwise.as_deref().map(expression)),
        ),
        ExpressionKind::IfLet {
            pattern: bound,
            value,
            then,
            otherwise,
        } => Node::list(
            "if-let",
            [pattern(bound), expression(value), block(then)]
                .into_iter()
                .chain(otherwise.as_deref().map(expression)),
        ),
        ExpressionKind::For {
            pattern: bound,
            iterable,
            body,
        } => Node::list("for", [pattern(bound), expression(iterable), block(body)]),
        ExpressionKind::While { condition, body } => {
            Node::list("while", [expression(condition), block(body)])
        }
        _ => task(it),
    }
}

fn task(it: &Expression) -> Node {
    match &it.kind {
        ExpressionKind::ParallelFor {
            pattern: bound,
            iterable,
            modifiers: inner,
            body,
        } => Node::list(
            "parallel-for",
            [pattern(bound), expression(iterable)]
                .into_iter()
                .chain(modifiers(inner))
                .chain([block(body)]),
        ),
        ExpressionKind::Step {
            name,
            modifiers: inner,
            body,
        } => Node::list(
            "step",
            std::iter::once(expression(name))
                .chain(modifiers(inner))
                .chain([block(body)]),
        ),
        ExpressionKind::Modified {
            modifiers: inner,
            body,
        } => Node::list(
            "modified",
            modifiers(inner).into_iter().chain([block(body)]),
        ),
        ExpressionKind::Reflect {
            call,
            max,
            until,
            by,
        } => Node::list(
            "reflect",
            std::iter::once(expression(call))
                .chain(optional("max", max.as_deref().map(expression)))
                .chain(optional("until", until.as_deref().map(expression)))
                .chain(optional("by", by.as_deref().map(expression))),
        ),
        _ => word("invalid"),
    }
}

fn with_arms(head: &str, value: &Expression, arms: &[MatchArm]) -> Node {
    let arm = |arm: &MatchArm| {
        let guard = optional("if", arm.guard.as_ref().map(expression));
        let parts = std::iter::once(pattern(&arm.pattern)).chain(guard);
        Node::List(parts.chain([expression(&arm.body)]).collect())
    };
    Node::list(
        head,
        std::iter::once(expression(value)).chain(arms.iter().map(arm)),
    )
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
    match &it.kind {
        ModifierKind::Timeout(value) => one("timeout", value),
        ModifierKind::Retry {
            count,
            backoff,
            max,
        } => Node::list(
            "retry",
            std::iter::once(expression(count))
                .chain(optional("backoff", backoff.as_ref().map(expression)))
                .chain(optional("max", max.as_ref().map(expression))),
        ),
        ModifierKind::Reflect { count, with } => Node::list(
            "reflect",
            std::iter::once(expression(count))
                .chain(optional("with", with.as_ref().map(expression))),
        ),
        ModifierKind::Budget(inner) => Node::list("budget", arguments(inner)),
        ModifierKind::Limit(value) => one("limit", value),
        ModifierKind::Errors(name) => Node::list("errors", [word(&name.name)]),
    }
}
