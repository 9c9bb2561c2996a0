//! Declarations.

mod data;
mod head;

use gsw_source::Span;
use gsw_syntax::ast::{
    Attribute, Expression, HookHandler, Identifier, Import, Item, ItemBody, PromptEntry, Setting,
    SettingValue, TestRows, TextRole, Visibility,
};

use crate::document::{Document, concat, group, nest, text};
use crate::expression::{argument_entries, expressions};
use crate::printer::{Ending, Entry, Printer, entry};

impl<'run, 'file> Printer<'run, 'file> {
    /// A declaration with its doc comment and attributes.
    pub(crate) fn item(&mut self, item: &Item) -> Document {
        let end = item.span.end;
        let mut document = self.prefix(&item.attributes, 0);
        if item.visibility == Visibility::Private {
            document.push(text("private "));
        }
        let start = item
            .attributes
            .last()
            .map_or(0, |attribute| attribute.span.end);
        document.push(self.item_body(&item.body, Span::new(start, end)));
        concat(document)
    }

    /// The comments and attributes before the token at or after `start`.
    fn prefix(&mut self, attributes: &[Attribute], start: u32) -> Vec<Document> {
        let mut document = Vec::new();
        let mut start = start;
        for attribute in attributes {
            document.push(self.comments.before(attribute.span.start + self.offset));
            document.push(self.attribute(attribute));
            start = attribute.span.end;
            let next = self.next_token(start);
            let between = self
                .comments
                .raw(Span::new(start, next).shifted(self.offset));
            document.push(if between.contains('\n') {
                Document::HardLine
            } else {
                text(" ")
            });
        }
        let next = self.next_token(start);
        document.push(self.comments.before(next + self.offset));
        document
    }

    fn attribute(&mut self, attribute: &Attribute) -> Document {
        let name = text(format!("@{}", attribute.name.name));
        if attribute.arguments.is_empty() {
            return name;
        }
        let arguments = expressions(&attribute.arguments);
        concat([
            name,
            self.comma_list("(", arguments, ")", attribute.span, Ending::Nowhere),
        ])
    }

    fn item_body(&mut self, body: &ItemBody, span: Span) -> Document {
        match body {
            ItemBody::Import(it) => self.import(it, span),
            ItemBody::Function(function) => self.function(function),
            ItemBody::Record(record) => self.record(record, span),
            ItemBody::Alias {
                name,
                generics,
                target,
                check,
            } => self.alias(name, generics, target, check.as_ref()),
            ItemBody::Enum(it) => self.enumeration(it, span),
            ItemBody::Error(error) => self.error(error),
            ItemBody::Const(constant) => self.constant(constant),
            ItemBody::Agent { name, settings } => {
                let braces = self.braces(name.span.end, span.end);
                concat([
                    text(format!("agent {} ", name.name)),
                    self.settings(settings, braces),
                ])
            }
            ItemBody::Prompt { signature, entries } => {
                self.prompt("prompt ", signature, entries, span)
            }
            ItemBody::Human { signature, entries } => {
                self.prompt("human ", signature, entries, span)
            }
            ItemBody::External { signature } => self.signature("external ", signature),
            ItemBody::Workflow { signature, body } => {
                let head = self.signature("workflow ", signature);
                concat([head, text(" "), self.block(body)])
            }
            ItemBody::Tool { signature, body } => {
                let head = self.signature("tool ", signature);
                let body = body.as_ref().map(|it| self.block(it));
                body.map_or(head.clone(), |it| concat([head, text(" "), it]))
            }
            ItemBody::Mcp { name, transport } => concat([
                text(format!("mcp {} = ", name.name)),
                self.expression(transport),
            ]),
            ItemBody::Hook { name, handlers } => self.hook(name, handlers, span),
            ItemBody::Test { .. } => self.test(body),
            ItemBody::Permissions { settings } => {
                let braces = self.braces(span.start, span.end);
                concat([text("permissions "), self.settings(settings, braces)])
            }
            ItemBody::Skill { .. } | ItemBody::Invalid => {
                let start = self.next_token(span.start);
                self.verbatim(Span::new(start, span.end))
            }
        }
    }

    fn test(&mut self, body: &ItemBody) -> Document {
        let ItemBody::Test {
            name: _,
            name_span,
            rows,
            pass,
            repeat,
            cassette,
            body,
        } = body
        else {
            return concat([]);
        };
        let mut head = vec![text("test "), self.verbatim(*name_span)];
        if let Some(TestRows { pattern, rows }) = rows {
            head.extend([text(" for "), self.pattern(pattern)]);
            head.extend([text(" in "), self.expression(rows)]);
        }
        let clauses = [
            (" pass ", pass),
            (" repeat ", repeat),
            (" cassette ", cassette),
        ];
        for (word, value) in clauses {
            if let Some(value) = value {
                head.extend([text(word), self.expression(value)]);
            }
        }
        head.extend([text(" "), self.block(body)]);
        concat(head)
    }

    fn import(&mut self, import: &Import, span: Span) -> Document {
        let path = text(format!("import {}", import.path));
        if let Some(alias) = &import.alias {
            return concat([path, text(format!(" as {}", alias.name))]);
        }
        let Some(names) = &import.names else {
            return path;
        };
        let names = names
            .iter()
            .map(|name| {
                let end = name
                    .alias
                    .as_ref()
                    .map_or(name.name.span, |alias| alias.span);
                entry(
                    name.name.span.to(end),
                    move |_: &mut Printer<'run, 'file>| match &name.alias {
                        Some(alias) => text(format!("{} as {}", name.name.name, alias.name)),
                        None => text(name.name.name.as_str()),
                    },
                )
            })
            .collect();
        concat([
            path,
            text("."),
            self.comma_list("{", names, "}", span, Ending::Nowhere),
        ])
    }

    fn hook(&mut self, name: &Identifier, handlers: &[HookHandler], span: Span) -> Document {
        let braces = self.braces(name.span.end, span.end);
        let entries = handlers
            .iter()
            .map(|handler| {
                let span = handler.name.span.to(handler.body.span);
                entry(span, move |printer: &mut Printer<'run, 'file>| {
                    let parameters = printer.parameters(&handler.parameters, handler.name.span.end);
                    let head = [text(handler.name.name.as_str()), parameters, text(" ")];
                    concat(head.into_iter().chain([printer.block(&handler.body)]))
                })
            })
            .collect();
        concat([
            text(format!("hook {} ", name.name)),
            self.braced(entries, braces, ""),
        ])
    }

    /// `{ name: value … }`
    pub(crate) fn settings(&mut self, settings: &[Setting], braces: Span) -> Document {
        let entries = settings.iter().map(setting_entry).collect();
        self.braced(entries, braces, ",")
    }

    fn setting(&mut self, setting: &Setting) -> Document {
        match &setting.value {
            SettingValue::Expression(value) => self.named(&setting.name, value),
            SettingValue::Settings { settings, span } => {
                let name = text(format!("{}: ", setting.name.name));
                concat([name, self.settings(settings, *span)])
            }
        }
    }

    /// `user "…"`
    pub(crate) fn prompt_text(&mut self, role: TextRole, said: &Expression) -> Document {
        concat([text(role.text()), text(" "), self.expression(said)])
    }

    /// The lines of a prompt or human.
    fn prompt_entry(&mut self, it: &PromptEntry) -> Document {
        match it {
            PromptEntry::Text { role, text, .. } => self.prompt_text(*role, text),
            PromptEntry::Statement(it) => self.statement(it),
            PromptEntry::Example {
                arguments,
                answer,
                span,
            } => {
                let arguments_end = Span::new(span.start, answer.span.start);
                let arguments = self.comma_list(
                    "(",
                    argument_entries(arguments),
                    ")",
                    arguments_end,
                    Ending::LastBrace,
                );
                concat([
                    text("example "),
                    arguments,
                    text(" -> "),
                    self.expression(answer),
                ])
            }
            PromptEntry::Setting(setting) => self.setting(setting),
        }
    }

    fn prompt_entries<'tree>(
        &mut self,
        entries: &'tree [PromptEntry],
    ) -> Vec<Entry<'run, 'file, 'tree>> {
        entries
            .iter()
            .map(|it| {
                let span = match it {
                    PromptEntry::Text { span, .. } | PromptEntry::Example { span, .. } => *span,
                    PromptEntry::Statement(it) => it.span,
                    PromptEntry::Setting(setting) => setting_span(setting),
                };
                entry(span, move |printer: &mut Printer<'run, 'file>| {
                    printer.prompt_entry(it)
                })
            })
            .collect()
    }

    /// A head that is broken before its parts, if it is too long.
    fn broken_head(head: Document, parts: Document) -> Document {
        group(concat([head, nest(parts)]))
    }
}

fn setting_entry<'run, 'file, 'tree>(setting: &'tree Setting) -> Entry<'run, 'file, 'tree> {
    entry(
        setting_span(setting),
        move |printer: &mut Printer<'run, 'file>| printer.setting(setting),
    )
}

fn setting_span(setting: &Setting) -> Span {
    let value = match &setting.value {
        SettingValue::Expression(value) => value.span,
        SettingValue::Settings { span, .. } => *span,
    };
    setting.name.span.to(value)
}
