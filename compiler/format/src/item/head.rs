//! Heads: signatures and parameters.

use gsw_source::Span;
use gsw_syntax::ast::{Function, Identifier, Parameter, PromptEntry, RepeatClass, Signature};

use crate::document::{Document, concat, nothing, text};
use crate::printer::{Ending, Printer, entry};

impl<'run, 'file> Printer<'run, 'file> {
    pub(crate) fn function(&mut self, function: &Function) -> Document {
        let word = match &function.receiver {
            Some(receiver) => format!("fn {}.", receiver.name),
            None => "fn ".to_owned(),
        };
        let head = self.signature(&word, &function.signature);
        match &function.body {
            Some(body) => concat([head, text(" "), self.block(body)]),
            None => head,
        }
    }

    /// `prompt …` and `human …`
    pub(crate) fn prompt(
        &mut self,
        word: &str,
        signature: &Signature,
        entries: &[PromptEntry],
        span: Span,
    ) -> Document {
        let head = self.signature(word, signature);
        let braces = self.braces(self.signature_end(signature), span.end);
        // A comma may belong to a statement.
        let is_statement = |it: &PromptEntry| matches!(it, PromptEntry::Statement(_));
        let separator = if entries.iter().any(is_statement) {
            ";"
        } else {
            ","
        };
        let entries = self.prompt_entries(entries);
        concat([head, text(" "), self.braced(entries, braces, separator)])
    }

    /// Everything between the word of a declaration and its body.
    pub(crate) fn signature(&mut self, word: &str, signature: &Signature) -> Document {
        let name = text(format!("{word}{}", signature.name.name));
        let generics = generics(&signature.generics);
        let start = signature
            .generics
            .last()
            .map_or(signature.name.span, |last| last.span);
        let parameters = self.parameters(&signature.parameters, start.end);
        let end = self.parameters_end(signature);
        let result = self.result(end, signature.result.as_ref());
        let end = result_end(signature).unwrap_or(end);
        let throws = self.throws(end, signature.throws.as_deref());
        let repeat = self.repeat(signature.repeat.as_ref());
        let by = match &signature.by {
            Some(by) => {
                let end = self.end_before(by.span.start);
                let before = self.right_before(end.saturating_sub(2));
                let gap = Span::new(end, by.span.start);
                let by = self.signed("by", gap, |printer| printer.expression(by));
                concat([before.unwrap_or(Document::Line), by])
            }
            None => nothing(),
        };
        let modifiers = self.modifiers(&signature.modifiers);
        let trusted = trusted(signature.trusted);
        let head = concat([name, generics, parameters, result, trusted, throws]);
        concat([
            head,
            Self::broken_head(nothing(), concat([repeat, by, modifiers])),
        ])
    }

    fn repeat(&mut self, repeat: Option<&RepeatClass>) -> Document {
        let (span, word) = match repeat {
            None => return nothing(),
            Some(RepeatClass::Pure(span)) => (span, "pure"),
            Some(RepeatClass::Reads(span)) => (span, "reads"),
            Some(RepeatClass::Once(span)) => (span, "once"),
            Some(RepeatClass::Idempotent(key)) => {
                return concat([Document::Line, text("idempotent by "), self.expression(key)]);
            }
        };
        let before = self.right_before(span.start);
        concat([before.unwrap_or(Document::Line), text(word)])
    }

    /// Right after the parameters.
    fn parameters_end(&self, signature: &Signature) -> u32 {
        let last = signature.parameters.last();
        let last = last.map_or(signature.name.span, parameter_span);
        self.find(last.end, ')') + 1
    }

    /// Where the last part of a signature that has a place ends.
    fn signature_end(&self, signature: &Signature) -> u32 {
        let parameters = self.parameters_end(signature);
        let result = result_end(signature);
        let throws = signature.throws.as_ref().and_then(|throws| throws.last());
        let by = signature.by.as_ref().map(|by| by.span.end);
        let repeat = signature.repeat.as_ref().map(|repeat| match repeat {
            RepeatClass::Pure(span) | RepeatClass::Reads(span) | RepeatClass::Once(span) => {
                span.end
            }
            RepeatClass::Idempotent(key) => key.span.end,
        });
        let modifiers = signature.modifiers.last().map(|modifier| modifier.span.end);
        [result, throws.map(|ty| ty.span.end), by, repeat, modifiers]
            .into_iter()
            .flatten()
            .fold(parameters, u32::max)
    }

    /// `(parameters)`, whose opening parenthesis is the first after `start`.
    pub(crate) fn parameters(&mut self, parameters: &[Parameter], start: u32) -> Document {
        let last = parameters
            .last()
            .map_or(start, |last| parameter_span(last).end);
        let span = Span::new(start, self.find(last, ')') + 1);
        let entries = parameters
            .iter()
            .map(|parameter| {
                let span = parameter_span(parameter);
                entry(span, move |printer: &mut Printer<'run, 'file>| {
                    printer.parameter(parameter)
                })
            })
            .collect();
        self.comma_list("(", entries, ")", span, Ending::LastBrace)
    }

    fn parameter(&mut self, parameter: &Parameter) -> Document {
        let start = parameter_span(parameter).start;
        let mut document = self.prefix(&parameter.attributes, start);
        document.push(text(parameter.name.name.as_str()));
        let mut end = parameter.name.span.end;
        if let Some(ty) = &parameter.ty {
            document.push(self.annotation(end, ty));
            end = ty.span.end;
        }
        document.push(trusted(parameter.trusted));
        let end = parameter.trusted.map_or(end, |it| it.end);
        let default = parameter.default.as_ref();
        document.extend(default.map(|default| self.assigned(end, default)));
        concat(document)
    }
}

/// Where the result and what is said of it ends.
fn result_end(signature: &Signature) -> Option<u32> {
    let result = signature.result.as_ref().map(|it| it.span.end);
    signature.trusted.map(|it| it.end).or(result)
}

fn trusted(written: Option<Span>) -> Document {
    match written {
        Some(_) => text(" trusted"),
        None => nothing(),
    }
}

pub(super) fn generics(names: &[Identifier]) -> Document {
    if names.is_empty() {
        return nothing();
    }
    let names: Vec<&str> = names.iter().map(|name| name.name.as_str()).collect();
    text(format!("<{}>", names.join(", ")))
}

fn parameter_span(parameter: &Parameter) -> Span {
    let first = parameter
        .attributes
        .first()
        .map_or(parameter.name.span, |first| first.span);
    let ty = parameter
        .ty
        .as_ref()
        .map_or(parameter.name.span, |ty| ty.span);
    let ty = parameter.trusted.unwrap_or(ty);
    let default = parameter
        .default
        .as_ref()
        .map_or(ty, |default| default.span);
    first.to(default)
}
