//! Expressions.

mod chain;
mod control;

use gsw_source::Span;
use gsw_syntax::ast::{
    Argument, BinaryOperator, CatchForm, Conversion, Expression, ExpressionKind, FieldInit,
    Identifier, LambdaParameter, MapEntry, MatchArm, PatternKind, UnaryOperator,
};

use crate::document::{Document, concat, group, join, nest, nothing, text};
use crate::printer::{Ending, Entry, Printer, entry};
use crate::type_expression::path;

impl<'run, 'file> Printer<'run, 'file> {
    #[expect(
        clippy::too_many_lines,
        reason = "one line a form: rustc names what a new form must join"
    )]
    pub(crate) fn expression(&mut self, it: &Expression) -> Document {
        use ExpressionKind as Kind;
        match &it.kind {
            Kind::Literal(_) | Kind::Interpolation(_) | Kind::Invalid => self.verbatim(it.span),
            Kind::Name(name) => text(name.as_str()),
            Kind::Unit => text("()"),
            Kind::Field { .. }
            | Kind::TupleField { .. }
            | Kind::AllOf(_)
            | Kind::Index { .. }
            | Kind::Call { .. }
            | Kind::By { .. }
            | Kind::With { .. } => self.chain(it),
            Kind::Record { path, fields, base } => {
                self.record_literal(path, fields, base.as_deref(), it.span)
            }
            Kind::Map(entries) => {
                let entries = entries.iter().map(map_entry).collect();
                self.braced(entries, it.span, ",")
            }
            Kind::List(elements) => {
                self.comma_list("[", expressions(elements), "]", it.span, Ending::Nowhere)
            }
            Kind::Tuple(elements) => {
                self.comma_list("(", expressions(elements), ")", it.span, Ending::Nowhere)
            }
            Kind::Parenthesized(inner) => {
                // Comments end with a line break, which breaks the group.
                let comments = self.comments.before(inner.span.start + self.offset);
                let mut inside = vec![Document::SoftLine, comments, self.expression(inner)];
                let trailing = self.comments.trailing(inner.span.end + self.offset);
                let ends_line = trailing.map(|it| concat([it, Document::Break]));
                inside.extend(ends_line);
                inside.extend(self.rest_before(it.span.end.saturating_sub(1)));
                let inside = nest(concat(inside));
                group(concat([text("("), inside, Document::SoftLine, text(")")]))
            }
            Kind::Range {
                start,
                end,
                range_end,
            } => {
                let gap = (start.span.end, end.span.start);
                let start = self.expression(start);
                let symbol = text(range_end.symbol());
                match self.between(gap.0, gap.1) {
                    Some(comments) => {
                        let end = concat([comments, self.expression(end)]);
                        concat([start, symbol, nest(end)])
                    }
                    None => concat([start, symbol, self.expression(end)]),
                }
            }
            Kind::Lambda { parameters, body } => self.lambda(parameters, body),
            Kind::Unary { operator, operand } => {
                concat([unary(*operator), self.expression(operand)])
            }
            Kind::Binary { .. } => self.binary(it),
            Kind::As { value, ty, form } => {
                let word = match form {
                    Conversion::Raising => " as ",
                    Conversion::Optional => " as? ",
                };
                concat([self.expression(value), text(word), self.type_expression(ty)])
            }
            Kind::Catch { value, arms, form } => {
                let guarded = self.expression(value);
                let word = self.next_token(value.span.end);
                let before = self.between(value.span.end, word);
                let arms = self.catch_arms(value, arms, *form, it.span.end);
                match before {
                    Some(comments) => {
                        concat([guarded, nest(concat([comments, text("catch "), arms]))])
                    }
                    None => concat([guarded, text(" catch "), arms]),
                }
            }
            Kind::Match { value, arms } => {
                let matched = self.expression(value);
                let braces = self.braces(value.span.end, it.span.end);
                concat([text("match "), matched, text(" "), self.arms(arms, braces)])
            }
            Kind::If { .. } => self.conditional(it),
            Kind::Let { pattern, value } => {
                let end = pattern.span.end;
                let pattern = self.pattern(pattern);
                concat([text("let "), pattern, self.assigned(end, value)])
            }
            Kind::Do(block) => concat([text("do "), self.block(block)]),
            Kind::For {
                pattern,
                iterable,
                body,
            } => {
                let head = self.loop_head("for ", pattern, iterable);
                concat([head, text(" "), self.block(body)])
            }
            Kind::While { condition, body } => {
                let head = self.after("while ", condition);
                concat([head, text(" "), self.block(body)])
            }
            Kind::Return(None) => text("return"),
            Kind::Return(Some(value)) => self.after("return ", value),
            Kind::Break => text("break"),
            Kind::Continue => text("continue"),
            Kind::Fail(value) => self.after("fail ", value),
            Kind::Emit(value) => self.after("emit ", value),
            Kind::Text { role, text: said } => self.prompt_text(*role, said),
            Kind::Await(value) => self.after("await ", value),
            Kind::Race { tasks, errors } => {
                let errors = errors.iter().map(|it| text(format!(" errors {}", it.name)));
                let parts: Vec<_> = std::iter::once(self.after("race ", tasks))
                    .chain(errors)
                    .collect();
                concat(parts)
            }
            Kind::Revise(value) => self.after("revise ", value),
            Kind::SpawnDetached(value) => self.after("spawn detached ", value),
            Kind::Spawn(value) => concat([text("spawn "), self.body(value)]),
            Kind::ParallelFor {
                pattern,
                iterable,
                modifiers,
                body,
            } => {
                let head = self.loop_head("parallel for ", pattern, iterable);
                self.with_modifiers(head, modifiers, body)
            }
            Kind::Step {
                was,
                name,
                modifiers,
                body,
            } => {
                let was = was
                    .as_ref()
                    .map_or_else(nothing, |it| concat([self.after("@was(", it), text(") ")]));
                let head = concat([was, self.after("step ", name)]);
                self.with_modifiers(head, modifiers, body)
            }
            Kind::Parallel {
                branches,
                branches_span,
                errors,
            } => {
                let span = *branches_span;
                let errors = errors.iter().map(|it| text(format!(" errors {}", it.name)));
                let head = [
                    text("parallel "),
                    self.comma_list("(", expressions(branches), ")", span, Ending::Nowhere),
                ];
                concat(head.into_iter().chain(errors).collect::<Vec<_>>())
            }
            Kind::Undo { modifiers, body } => self.with_modifiers(text("undo"), modifiers, body),
            Kind::Modified { modifiers, body } => {
                let modifiers: Vec<_> = modifiers.iter().map(|it| self.modifier(it)).collect();
                concat([join(modifiers, &text(" ")), text(" "), self.block(body)])
            }
            Kind::Reflect {
                call,
                max,
                until,
                by,
            } => {
                let mut document = vec![self.after("reflect ", call)];
                let parts = [(" max ", max), (" until ", until), (" by ", by)];
                for (word, part) in parts {
                    document.extend(part.as_deref().map(|part| self.after(word, part)));
                }
                concat(document)
            }
        }
    }

    fn record_literal(
        &mut self,
        names: &[Identifier],
        fields: &[FieldInit],
        base: Option<&Expression>,
        span: Span,
    ) -> Document {
        let start = names.last().map_or(span.start, |name| name.span.end);
        let braces = self.braces(start, span.end);
        let entries = record_entries(fields, base);
        concat([path(names), text(" "), self.braced(entries, braces, ",")])
    }

    /// `name: value`
    pub(crate) fn named(&mut self, name: &Identifier, value: &Expression) -> Document {
        let gap = Span::new(name.span.end, value.span.start);
        let value = self.signed(":", gap, |printer| printer.expression(value));
        concat([text(name.name.as_str()), value])
    }

    /// A word and the expression after it.
    fn after(&mut self, word: &'static str, value: &Expression) -> Document {
        concat([text(word), self.expression(value)])
    }

    /// A body: braces where it is a block, guarded or not.
    fn body(&mut self, it: &Expression) -> Document {
        if let ExpressionKind::Do(block) = &it.kind {
            self.block(block)
        } else if let ExpressionKind::Catch { value, arms, form } = &it.kind
            && is_guarded_block(value)
        {
            let guarded = self.body(value);
            let arms = self.catch_arms(value, arms, *form, it.span.end);
            concat([guarded, text(" catch "), arms])
        } else {
            self.expression(it)
        }
    }

    /// What follows the word `catch`, up to `end`.
    fn catch_arms(
        &mut self,
        value: &Expression,
        arms: &[MatchArm],
        form: CatchForm,
        end: u32,
    ) -> Document {
        match form {
            CatchForm::Braced => {
                let braces = self.braces(value.span.end, end);
                self.arms(arms, braces)
            }
            CatchForm::Bare => concat(arms.iter().map(|arm| self.arm(arm))),
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
        let (before, value) = self.after_arrow(body);
        concat([head, text(" =>"), before, value])
    }

    /// What follows an arrow: comments between, or a blank, and a body.
    fn after_arrow(&mut self, body: &Expression) -> (Document, Document) {
        let start = body.span.start;
        // Nothing but blanks and comments are between the arrow and the body.
        let arrow = self.end_before(start);
        match self.between(arrow, start) {
            Some(comments) => (nothing(), nest(concat([comments, self.body(body)]))),
            None => (text(" "), self.body(body)),
        }
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
        let inside = join(parameters, &text(", "));
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
            if links.last().is_some_and(|(last, _): &(BinaryOperator, _)| {
                last.precedence() != operator.precedence()
            }) {
                break;
            }
            links.push((*operator, &**right));
            first = left;
        }
        let mut document = vec![self.expression(first)];
        let mut end = first.span.end;
        for (operator, right) in links.into_iter().rev() {
            let symbol = operator.symbol();
            // Comments end with a line break, which breaks the group.
            let before = self.between(end, right.span.start);
            let before = before.unwrap_or(Document::Line);
            end = right.span.end;
            let right = self.expression(right);
            let link = if operator.may_start_line() {
                concat([before, text(format!("{symbol} ")), right])
            } else {
                concat([text(format!(" {symbol}")), before, right])
            };
            document.push(nest(link));
        }
        group(concat(document))
    }

    fn arguments(&mut self, arguments: &[Argument], span: Span) -> Document {
        self.comma_list(
            "(",
            argument_entries(arguments),
            ")",
            span,
            Ending::LastBrace,
        )
    }

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
        // What is left inside of it goes before it, not into what follows.
        let comments = self.comments.before(arm.pattern.span.end + self.offset);
        let guard = match &arm.guard {
            Some(guard) => concat([text(" if "), self.expression(guard)]),
            None => concat([]),
        };
        let (before, value) = self.after_arrow(&arm.body);
        concat([comments, pattern, guard, text(" =>"), before, value])
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
                move |printer: &mut Printer<'run, 'file>| match &argument.name {
                    Some(name) => printer.named(name, &argument.value),
                    None => printer.expression(&argument.value),
                },
            )
        })
        .collect()
}

fn map_entry<'run, 'file, 'tree>(it: &'tree MapEntry) -> Entry<'run, 'file, 'tree> {
    entry(
        it.key.span.to(it.value.span),
        move |printer: &mut Printer<'run, 'file>| {
            let gap = Span::new(it.key.span.end, it.value.span.start);
            let key = printer.expression(&it.key);
            let value = printer.signed(":", gap, |printer| printer.expression(&it.value));
            concat([key, value])
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
                Some(value) => printer.named(&field.name, value),
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

/// A prefix operator; a word is set apart from its operand.
fn unary(operator: UnaryOperator) -> Document {
    match operator {
        UnaryOperator::Negate => text(operator.symbol()),
        UnaryOperator::Not => text(format!("{} ", operator.symbol())),
    }
}

/// Whether it is a block, perhaps with a `catch` after it.
fn is_guarded_block(it: &Expression) -> bool {
    if let ExpressionKind::Catch { value, .. } = &it.kind {
        is_guarded_block(value)
    } else {
        matches!(it.kind, ExpressionKind::Do(_))
    }
}
