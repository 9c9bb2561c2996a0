//! The names before a colon in calls and patterns: which parameter or field each of them means.

use gsw_names::{Parameter, item_signature, type_declaration};
use gsw_source::{Db, ItemId, Name, Span};
use gsw_syntax::ast::{
    self, Argument, Child, ExpressionKind, Identifier, ItemBody, PatternField, PatternKind,
    PromptEntry, StatementKind,
};

use crate::cursor::visit_nodes;
use crate::symbol::{Occurrence, Symbol};

/// The named arguments and fields in `tree`, given what the other names in it mean.
pub fn named(
    db: &dyn Db,
    item: ItemId,
    tree: &ast::Item,
    known: &[Occurrence],
) -> Vec<(Span, Symbol)> {
    let mut found = Found {
        db,
        known,
        named: Vec::new(),
    };
    if let ItemBody::Prompt { entries, .. } | ItemBody::Human { entries, .. } = &tree.body {
        for entry in entries {
            if let PromptEntry::Example { arguments, .. } = entry {
                found.arguments(Symbol::Item(item), arguments);
            }
        }
    }
    visit_nodes(tree, |node| found.node(node));
    found.named
}

struct Found<'a> {
    db: &'a dyn Db,
    known: &'a [Occurrence],
    named: Vec<(Span, Symbol)>,
}

impl Found<'_> {
    fn node(&mut self, node: Child<'_>) {
        match node {
            Child::Expression(it) => {
                if let ExpressionKind::Call {
                    callee, arguments, ..
                } = &it.kind
                    && let Some(called) = self.ending_at(callee.span)
                {
                    self.arguments(called, arguments);
                }
            }
            Child::Statement(it) => {
                if let StatementKind::Mock {
                    target, arguments, ..
                } = &it.kind
                    && let Some(called) = target.last().and_then(|it| self.ending_at(it.span))
                {
                    self.fields(called, arguments);
                }
            }
            Child::Pattern(it) => {
                if let PatternKind::Variant {
                    path,
                    fields: Some(fields),
                    ..
                }
                | PatternKind::Record { path, fields, .. } = &it.kind
                    && let Some(owner) = path.last().and_then(|it| self.ending_at(it.span))
                {
                    let is_record = matches!(it.kind, PatternKind::Record { .. });
                    self.fields(owner, fields);
                    if is_record {
                        self.short_fields(owner, fields);
                    }
                }
            }
            Child::Type(_) | Child::Name(_) => {}
        }
    }

    /// What the name means that ends where `span` does, inside of it.
    fn ending_at(&self, span: Span) -> Option<Symbol> {
        let mut known = self.known.iter();
        known
            .rfind(|it| span.start <= it.span.start && it.span.end == span.end)
            .map(|it| it.symbol)
    }

    fn arguments(&mut self, called: Symbol, arguments: &[Argument]) {
        let names = arguments.iter().filter_map(|it| it.name.as_ref());
        for name in names {
            self.name(called, name);
        }
    }

    fn fields(&mut self, owner: Symbol, fields: &[PatternField]) {
        let names = fields.iter().filter_map(|it| it.name.as_ref());
        for name in names {
            self.name(owner, name);
        }
    }

    /// `title` alone, which also binds a variable.
    fn short_fields(&mut self, owner: Symbol, fields: &[PatternField]) {
        for field in fields {
            if let (None, PatternKind::Binding(name)) = (&field.name, &field.pattern.kind) {
                self.name(owner, name);
            }
        }
    }

    fn name(&mut self, owner: Symbol, name: &Identifier) {
        if let Some(meant) = parameter(self.db, owner, &name.name) {
            self.named.push((name.span, meant));
        }
    }
}

/// The parameter or field of that name of what `owner` stands for.
fn parameter(db: &dyn Db, owner: Symbol, name: &Name) -> Option<Symbol> {
    let position = |them: &[Parameter]| {
        let found = them.iter().position(|it| it.name == *name)?;
        u32::try_from(found).ok()
    };
    match owner {
        Symbol::Item(item) if item.kind(db).is_data() => {
            let fields = type_declaration(db, item).declaration.fields();
            Some(Symbol::Field {
                item,
                variant: 0,
                field: position(fields)?,
            })
        }
        Symbol::Item(item) => {
            let parameters = &item_signature(db, item).signature.parameters;
            let declared = parameters.iter().find(|it| it.name == *name)?.span;
            Some(Symbol::Local { item, declared })
        }
        Symbol::Variant { item, variant } => {
            let fields = type_declaration(db, item).declaration.fields_of(variant);
            Some(Symbol::Field {
                item,
                variant,
                field: position(fields)?,
            })
        }
        Symbol::Local { .. } | Symbol::Field { .. } | Symbol::Module(_) => None,
    }
}
