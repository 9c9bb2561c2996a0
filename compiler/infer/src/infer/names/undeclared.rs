//! Reports of variables that are assigned without having been declared.

use gsw_names::{errors, is_reported, suggest};
use gsw_source::{Name, Span};
use gsw_syntax::ast::{self, Child, children, item_children};
use gsw_syntax::{TokenKind, item_ast, lex};

use crate::infer::assignment::root;
use crate::infer::names::Names;

/// What is done with a name that nothing declares, in a body.
#[derive(Default)]
struct Uses {
    /// Where it is assigned as a whole, with `=`.
    declarable: Vec<Span>,
    /// The values that it is given there.
    values: Vec<Span>,
    /// How often it or a part of it is assigned.
    changes: usize,
    all: Vec<Span>,
}

impl Uses {
    fn note(&mut self, child: &Child<'_>, name: &Name) {
        let is_name =
            |it: &ast::Expression| matches!(&it.kind, ast::ExpressionKind::Name(it) if it == name);
        match child {
            Child::Statement(statement) => {
                let ast::StatementKind::Assign {
                    target,
                    operator,
                    value,
                } = &statement.kind
                else {
                    return;
                };
                self.changes += usize::from(is_name(root(target)));
                if is_name(target) && *operator == ast::AssignOperator::Set {
                    self.declarable.push(target.span);
                    self.values.push(value.span);
                }
            }
            Child::Expression(it) if is_name(it) => self.all.push(it.span),
            Child::Expression(_) | Child::Pattern(_) | Child::Type(_) | Child::Name(_) => {}
        }
    }
}

impl Names<'_, '_> {
    /// Reports an assignment to a name that nothing has. One report is enough for all of them.
    pub(in crate::infer) fn unknown_variable(&mut self, name: &Name, span: Span) {
        let locals: Vec<Name> = self.scopes.names().cloned().collect();
        if suggest(self.db, self.file, name, &locals).is_some() {
            self.unknown_name(name, span);
            return;
        }
        let place = self.place(span);
        if is_reported(self.db, self.file, name) || self.findings.is_known_as_unknown(name, place) {
            return;
        }
        let report = errors::undeclared_variable(place, name);
        let start = self.place(Span::new(span.start, span.start));
        let report = match self.binding_word(name, span) {
            Some(word) => errors::declare(report, start, word),
            None => report,
        };
        self.findings.report_unknown(name, report);
    }

    /// What declares a name where it is assigned at `span`; `None` where that is not certain: of a part, of a value that is made of
    /// the name, and in a block outside of which it is used as well.
    fn binding_word(&self, name: &Name, span: Span) -> Option<&'static str> {
        let tree = item_ast(self.db, self.item)?;
        let mut uses = Uses::default();
        let mut waiting = item_children(&tree);
        while let Some(child) = waiting.pop() {
            uses.note(&child, name);
            waiting.extend(children(child));
        }
        let position = uses.declarable.iter().position(|it| *it == span)?;
        let value = *uses.values.get(position)?;
        let block = self.block_around(span)?;
        let is_declared_there = |it: &Span| {
            let is_later = *it == span || it.start >= value.end;
            is_later && block.holds(*it)
        };
        let word = match uses.changes {
            0 | 1 => "let ",
            _ => "var ",
        };
        uses.all.iter().all(is_declared_there).then_some(word)
    }

    /// The innermost braces around a span.
    fn block_around(&self, span: Span) -> Option<Span> {
        let text = gsw_names::item_text(self.db, self.item);
        let mut open = Vec::new();
        for token in lex(text.as_ref()).tokens {
            if token.kind.is_opener() {
                open.push(token);
            } else if token.kind.is_closer() {
                let opener = open.pop()?;
                let whole = opener.span.to(token.span);
                if opener.kind == TokenKind::BraceOpen && whole.holds(span) {
                    return Some(whole);
                }
            }
        }
        None
    }
}
