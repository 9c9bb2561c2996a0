//! Expressions.

mod chain;
mod control;

use gsw_source::Span;
use gsw_syntax::ast::{
    Argument, BinaryOperator, Expression, ExpressionKind, FieldInit, LambdaParameter, MapEntry,
    MatchArm, PatternKind, RangeEnd, UnaryOperator,
};

use crate::document::{Document, concat, group, nest, text};
use crate::printer::{Entry, Printer, entry};
use crate::type_expression::path;

impl<'run, 'file> Printer<'run, 'file> {
    /// An expression.
    pub(crate) fn expression(&mut self, it: &Expression) -> Document {
        match &it.kind {
            ExpressionKind::Literal(_)
            | ExpressionKind::Interpolation(_)
            | ExpressionKind::Invalid => self.verbatim(it.span),
            ExpressionKind::Name(name) => text(name.as_str()),
            ExpressionKind::Unit => text("()"),
            ExpressionKind::Field { .. }
            | ExpressionKind::TupleField { .. }
            | ExpressionKind::AllOf(_)
            | ExpressionKind::Index { .. }
            | ExpressionKind::Call { .. }
            | ExpressionKind::By { .. }
            | ExpressionKind::With { .. } => self.chain(it),
            ExpressionKind::Record {
                path: names,
                fields,
                base,
            } => {
                let start = names.last().map_or(it.span.start, |name| name.span.end);
                let braces = self.braces(start, it.span.end);
                let entries = record_entries(fields, base.as_deref());
                concat([path(names), text(" "), self.braced(entries, braces, ",")])
            }
            ExpressionKind::Map(entries) => {
                let entries = entries.iter().map(map_entry).collect();
                self.braced(entries, it.span, ",")
            }
            ExpressionKind::List(elements) => {
                self.comma_list("[", expressions(elements), "]", it.span)
            }
            ExpressionKind::Tuple(elements) => {
                self.comma_list("(", expressions(elements), ")", it.span)
            }
            ExpressionKind::Parenthesized(inner) => {
                let inside = nest(concat([Document::SoftLine, self.expression(inner)]));
                group(concat([text("("), inside, Document::SoftLine, text(")")]))
            }
            _ => self.operation(it),
        }
    }

    /// Operators and what is written between operands.
    fn operation(&mut self, it: &Expression) -> Document {
        match &it.kind {
            ExpressionKind::Range {
                start,
                end,
                range_end,
            } => {
                let dots = match range_end {
                    RangeEnd::Exclusive => "..",
                    RangeEnd::Inclusive => "..=",
                };
                concat([self.expression(start), text(dots), self.expression(end)])
            }
            ExpressionKind::Lambda { parameters, body } => self.lambda(parameters, body),
            ExpressionKind::Unary { operator, operand } => {
                let operator = match operator {
                    UnaryOperator::Negate => "-",
                    UnaryOperator::Not => "not ",
                };
                concat([text(operator), self.expression(operand)])
            }
            ExpressionKind::Binary { .. } => self.binary(it),
            ExpressionKind::As { value, ty } => concat([
                self.expression(value),
                text(" as "),
                self.type_expression(ty),
            ]),
            _ => self.control(it),
        }
    }

    /// A body: braces where it is a block.
    fn body(&mut self, it: &Expression) -> Document {
        match &it.kind {
            ExpressionKind::Do(block) => self.block(block),
            _ => self.expression(it),
        }
    }

    fn lambda(&mut self, parameters: &[LambdaParameter], body: &Expression) -> Document {
        let head = match parameters {
            [LambdaParameter { pattern, ty: None }]
                if matches!(
                    pattern.kind,
                    PatternKind::Binding(_) | PatternKind::Wildcard
                ) =>
            {
                self.pattern(pattern)
            }
            _ => self.lambda_parameters(parameters),
        };
        concat([head, text(" => "), self.body(body)])
    }

    fn lambda_parameters(&mut self, parameters: &[LambdaParameter]) -> Document {
        let parameters: Vec<_> = parameters
            .iter()
            .map(|LambdaParameter { pattern, ty }| {
                let pattern = self.pattern(pattern);
                match ty {
                    Some(ty) => concat([pattern, text(": "), self.type_expression(ty)]),
                    None => pattern,
                }
            })
            .collect();
        let inside = crate::document::join(parameters, &text(", "));
        concat([text("("), inside, text(")")])
    }

    /// A chain of operators of one precedence, which breaks at all of them or at none.
    fn binary(&mut self, it: &Expression) -> Document {
        let mut links = Vec::new();
        let mut first = it;
        while let ExpressionKind::Binary {
            operator,
            left,
            right,
            ..
        } = &first.kind
        {
            if links
                .last()
                .is_some_and(|(last, _)| precedence(*last) != precedence(*operator))
            {
                break;
            }
            links.push((*operator, &**right));
            first = left;
        }
        let mut document = vec![self.expression(first)];
        for (operator, right) in links.into_iter().rev() {
            let symbol = symbol(operator);
            let right = self.expression(right);
            // A line that starts with `-` would be a statement of its own.
            let link = if operator == BinaryOperator::Subtract {
                concat([text(" -"), Document::Line, right])
            } else {
                concat([Document::Line, text(format!("{symbol} ")), right])
            };
            document.push(nest(link));
        }
        group(concat(document))
    }

    /// Arguments in parentheses.
    fn arguments(&mut self, arguments: &[Argument], span: Span) -> Document {
        self.comma_list("(", argument_entries(arguments), ")", span)
    }

    /// `{ arms }`
    fn arms(&mut self, arms: &[MatchArm], braces: Span) -> Document {
        let entries = arms
            .iter()
            .map(|arm| {
                let span = arm.pattern.span.to(arm.body.span);
                entry(span, move |printer: &mut Printer<'run, 'file>| {
                    printer.arm(arm)
                })
            })
            .collect();
        self.braced(entries, braces, ",")
    }

    fn arm(&mut self, arm: &MatchArm) -> Document {
        let pattern = self.pattern(&arm.pattern);
        let guard = match &arm.guard {
            Some(guard) => concat([text(" if "), self.expression(guard)]),
            None => concat([]),
        };
        concat([pattern, guard, text(" => "), self.body(&arm.body)])
    }
}

/// The entries of a list of expressions.
pub(crate) fn expressions<'run, 'file, 'tree>(
    elements: &'tree [Expression],
) -> Vec<Entry<'run, 'file, 'tree>> {
    elements
        .iter()
        .map(|element| {
            entry(element.span, move |printer: &mut Printer<'run, 'file>| {
                printer.expression(element)
            })
        })
        .collect()
}

/// The entries of a list of arguments.
pub(crate) fn argument_entries<'run, 'file, 'tree>(
    arguments: &'tree [Argument],
) -> Vec<Entry<'run, 'file, 'tree>> {
    arguments
        .iter()
        .map(|argument| {
            let start = argument
                .name
                .as_ref()
                .map_or(argument.value.span, |name| name.span);
            entry(
                start.to(argument.value.span),
                move |printer: &mut Printer<'run, 'file>| {
                    let value = printer.expression(&argument.value);
                    match &argument.name {
                        Some(name) => concat([text(format!("{}: ", name.name)), value]),
                        None => value,
                    }
                },
            )
        })
        .collect()
}

fn map_entry<'run, 'file, 'tree>(it: &'tree MapEntry) -> Entry<'run, 'file, 'tree> {
    entry(
        it.key.span.to(it.value.span),
        move |printer: &mut Printer<'run, 'file>| {
            let key = printer.expression(&it.key);
            concat([key, text(": "), printer.expression(&it.value)])
        },
    )
}

fn record_entries<'run, 'file, 'tree>(
    fields: &'tree [FieldInit],
    base: Option<&'tree Expression>,
) -> Vec<Entry<'run, 'file, 'tree>> {
    let fields = fields.iter().map(|field| {
        let end = field
            .value
            .as_ref()
            .map_or(field.name.span, |value| value.span);
        entry(
            field.name.span.to(end),
            move |printer: &mut Printer<'run, 'file>| match &field.value {
                Some(value) => concat([
                    text(format!("{}: ", field.name.name)),
                    printer.expression(value),
                ]),
                None => text(field.name.name.as_str()),
            },
        )
    });
    let base = base.map(|base| {
        let span = Span::new(base.span.start.saturating_sub(2), base.span.end);
        entry(span, move |printer: &mut Printer<'run, 'file>| {
            concat([text(".."), printer.expression(base)])
        })
    });
    let mut entries: Vec<_> = fields.chain(base).collect();
    entries.sort_by_key(|entry| entry.span.start);
    entries
}

fn precedence(operator: BinaryOperator) -> u8 {
    match operator {
        BinaryOperator::Or => 0,
        BinaryOperator::And => 1,
        BinaryOperator::Equal
        | BinaryOperator::NotEqual
        | BinaryOperator::Less
        | BinaryOperator::LessEqual
        | BinaryOperator::Greater
        | BinaryOperator::GreaterEqual
        | BinaryOperator::In => 2,
        BinaryOperator::Otherwise => 3,
        BinaryOperator::Add | BinaryOperator::Subtract => 4,
        BinaryOperator::Multiply | BinaryOperator::Divide | BinaryOperator::Remainder => 5,
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
