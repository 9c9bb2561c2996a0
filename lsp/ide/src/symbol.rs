//! What names mean across files: one symbol stands for a declaration and for all that names it.
//!
//! Inference knows the names in bodies; types, imports and the heads of declarations are looked up here, from the syntax tree.
//! A parameter is one symbol, whether its own body names it or the named argument of a call elsewhere.

use std::collections::HashMap;

use gsw_infer::{Reference, infer_item};
use gsw_names::{
    Definition, declared_name, item_signature, module_file, resolve_error, resolve_member,
    resolve_name, type_declaration,
};
use gsw_source::{Db, File, ItemId, Name, Place, Span};
use gsw_syntax::ast::{self, Child, ItemBody};
use gsw_syntax::item_ast;

use crate::cursor::visit_nodes;
use crate::declared_name::name_span;
use crate::lost_name::lost_names;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Symbol {
    /// A variable, parameter or type parameter of an item, by where its name is declared in it.
    Local {
        item: ItemId,
        declared: Span,
    },
    Item(ItemId),
    Variant {
        item: ItemId,
        variant: u32,
    },
    /// A field of a record (`variant` 0), variant or error.
    Field {
        item: ItemId,
        variant: u32,
        field: u32,
    },
    Module(File),
}

/// A name in the text of an item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Occurrence {
    /// Relative to the item.
    pub span: Span,
    pub symbol: Symbol,
    pub role: Role,
}

/// What a name does where it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Role {
    Declaration,
    Use,
}

/// All names in `item` that mean something, in order of place; a name that stands for two things is there twice.
#[must_use]
pub fn occurrences(db: &dyn Db, item: ItemId) -> Vec<Occurrence> {
    let Some(tree) = item_ast(db, item) else {
        return Vec::new();
    };
    let mut found = Found {
        db,
        item,
        occurrences: Vec::new(),
    };
    found.declarations(&tree);
    found.references();
    found.types(&tree);
    if let ItemBody::Import(import) = &tree.body {
        found.import(import);
    }
    for (span, symbol) in crate::named::named(db, item, &tree, &found.occurrences) {
        found.refer(span, symbol);
    }
    for lost in lost_names(db, item, &found.occurrences) {
        if let Some(symbol) = lost.symbol {
            found.refer(lost.span, symbol);
        }
    }
    let mut occurrences = found.occurrences;
    occurrences.extend(other_alternatives(item, &tree));
    occurrences.sort_by_key(|it| (it.span, it.role));
    // A property is called by all of `context.node`, whose last word is what names it.
    let last: HashMap<(Symbol, u32), u32> = occurrences
        .iter()
        .map(|it| ((it.symbol, it.span.end), it.span.start))
        .collect();
    occurrences.retain(|it| last[&(it.symbol, it.span.end)] == it.span.start);
    // A declaration comes before a use at the same place, and is the one that stays.
    let mut seen: Vec<Occurrence> = Vec::with_capacity(occurrences.len());
    for it in occurrences {
        let mut last = seen.iter().rev().take_while(|other| other.span == it.span);
        if !last.any(|other| other.symbol == it.symbol) {
            seen.push(it);
        }
    }
    seen
}

/// The alternatives of a pattern bind one variable, which inference knows by the first of its places.
fn other_alternatives(item: ItemId, tree: &ast::Item) -> impl Iterator<Item = Occurrence> {
    let others = crate::scope::first_alternatives(tree).into_iter();
    others.map(move |(span, declared)| Occurrence {
        span,
        symbol: Symbol::Local { item, declared },
        role: Role::Declaration,
    })
}

struct Found<'db> {
    db: &'db dyn Db,
    item: ItemId,
    occurrences: Vec<Occurrence>,
}

impl Found<'_> {
    fn declare(&mut self, span: Span, symbol: Symbol) {
        self.occurrences.push(Occurrence {
            span,
            symbol,
            role: Role::Declaration,
        });
    }

    fn refer(&mut self, span: Span, symbol: Symbol) {
        self.occurrences.push(Occurrence {
            span,
            symbol,
            role: Role::Use,
        });
    }

    fn local(&mut self, name: &ast::Identifier) {
        let symbol = Symbol::Local {
            item: self.item,
            declared: name.span,
        };
        self.declare(name.span, symbol);
    }

    fn declarations(&mut self, tree: &ast::Item) {
        let item = self.item;
        if let Some(name) = declared_name(tree) {
            self.declare(name.span, Symbol::Item(item));
        }
        for name in tree.body.generics() {
            self.local(name);
        }
        match &tree.body {
            ItemBody::Record(record) => {
                for (field, it) in (0u32..).zip(&record.fields) {
                    self.field(0, field, it.name.span);
                }
            }
            ItemBody::Enum(declaration) => {
                for (variant, it) in (0u32..).zip(&declaration.variants) {
                    self.declare(it.name.span, Symbol::Variant { item, variant });
                    for (field, it) in (0u32..).zip(&it.fields) {
                        self.field(variant, field, it.name.span);
                    }
                }
            }
            ItemBody::Error(error) => {
                for (field, it) in (0u32..).zip(&error.fields) {
                    self.field(0, field, it.name.span);
                }
            }
            ItemBody::Function(function) => {
                if let Some(receiver) = &function.receiver {
                    self.path(std::slice::from_ref(receiver));
                }
            }
            ItemBody::Import(_)
            | ItemBody::Alias { .. }
            | ItemBody::Const(_)
            | ItemBody::Agent { .. }
            | ItemBody::Prompt { .. }
            | ItemBody::Workflow { .. }
            | ItemBody::Tool { .. }
            | ItemBody::Mcp { .. }
            | ItemBody::Hook { .. }
            | ItemBody::Human { .. }
            | ItemBody::External { .. }
            | ItemBody::Skill { .. }
            | ItemBody::Test { .. }
            | ItemBody::Permissions { .. }
            | ItemBody::Invalid => {}
        }
        if let Some(signature) = tree.body.signature() {
            for it in &signature.parameters {
                self.local(&it.name);
            }
            if let Some(by) = &signature.by {
                self.expression_path(by);
            }
        }
    }

    fn field(&mut self, variant: u32, field: u32, span: Span) {
        let item = self.item;
        let symbol = Symbol::Field {
            item,
            variant,
            field,
        };
        self.declare(span, symbol);
    }

    /// The names that inference resolved, and the locals that it made.
    fn references(&mut self) {
        let inferred = infer_item(self.db, self.item);
        for (span, reference) in &inferred.references {
            if let Some(symbol) = symbol_of(self.db, self.item, *span, *reference) {
                self.refer(*span, symbol);
            }
        }
        for body in &inferred.bodies {
            for local in &body.locals {
                let declared = local.span;
                if is_named(self.db, self.item, declared, &local.name) {
                    let item = self.item;
                    self.declare(declared, Symbol::Local { item, declared });
                }
            }
        }
    }

    fn types(&mut self, tree: &ast::Item) {
        let item = self.item;
        let own = tree.body.generics().iter();
        let mut generics: Vec<(Name, Symbol)> = own
            .map(|it| {
                let declared = it.span;
                (it.name.clone(), Symbol::Local { item, declared })
            })
            .collect();
        generics.extend(self.of_receiver(tree));
        let errors = thrown(tree);
        let mut waiting = ast::item_children(tree);
        while let Some(node) = waiting.pop() {
            if let Child::Type(ty) = node
                && let ast::TypeExpressionKind::Named { path, .. } = &ty.kind
            {
                let parameter = match path.as_slice() {
                    [name] => generics.iter().find(|it| it.0 == name.name),
                    _ => None,
                };
                match parameter.zip(path.first()) {
                    Some(((_, symbol), name)) => self.refer(name.span, *symbol),
                    None if errors.iter().any(|it| it.holds(ty.span)) => self.error(path),
                    None => self.path(path),
                }
            }
            waiting.extend(ast::children(node));
        }
    }

    /// A path of names where an error is wanted.
    fn error(&mut self, path: &[ast::Identifier]) {
        let file = self.item.file(self.db);
        match path {
            [name] => {
                if let Some(found) = resolve_error(self.db, file, &name.name) {
                    self.refer(name.span, symbol_of_definition(found));
                }
            }
            path => self.path(path),
        }
    }

    /// The type parameters of the type that a method is of, which it names without declaring them.
    fn of_receiver(&self, tree: &ast::Item) -> Vec<(Name, Symbol)> {
        let ItemBody::Function(function) = &tree.body else {
            return Vec::new();
        };
        let receiver = function.receiver.as_ref();
        let file = self.item.file(self.db);
        let definition = receiver.and_then(|it| resolve_name(self.db, file, &it.name));
        let Some(Definition::Item(item)) = definition else {
            return Vec::new();
        };
        let Some(declaration) = item_ast(self.db, item) else {
            return Vec::new();
        };
        let generics = declaration.body.generics().iter();
        generics
            .map(|it| {
                let declared = it.span;
                (it.name.clone(), Symbol::Local { item, declared })
            })
            .collect()
    }

    /// A path of names outside of bodies.
    fn path(&mut self, path: &[ast::Identifier]) {
        let file = self.item.file(self.db);
        let Some((first, rest)) = path.split_first() else {
            return;
        };
        let Some(definition) = resolve_name(self.db, file, &first.name) else {
            return;
        };
        self.refer(first.span, symbol_of_definition(definition));
        if let (Definition::Module(module), [name]) = (definition, rest)
            && let Some(member) = resolve_member(self.db, module, &name.name, file)
        {
            self.refer(name.span, symbol_of_definition(member));
        }
    }

    /// A name, or a module's and a name, as an expression in a head.
    fn expression_path(&mut self, expression: &ast::Expression) {
        let name = |name: &Name, span| ast::Identifier {
            name: name.clone(),
            span,
        };
        if let ast::ExpressionKind::Name(it) = &expression.kind {
            self.path(&[name(it, expression.span)]);
        } else if let ast::ExpressionKind::Field {
            base, name: last, ..
        } = &expression.kind
            && let ast::ExpressionKind::Name(first) = &base.kind
        {
            self.path(&[name(first, base.span), last.clone()]);
        }
    }

    fn import(&mut self, import: &ast::Import) {
        let file = self.item.file(self.db);
        let Some(module) = module_file(self.db, file, &import.path) else {
            return;
        };
        self.refer(import.path_span, Symbol::Module(module));
        if let Some(alias) = &import.alias {
            self.refer(alias.span, Symbol::Module(module));
        }
        for it in import.names.iter().flatten() {
            let Some(found) = resolve_member(self.db, module, &it.name.name, file) else {
                continue;
            };
            self.refer(it.name.span, symbol_of_definition(found));
            if let Some(alias) = &it.alias {
                self.refer(alias.span, symbol_of_definition(found));
            }
        }
    }
}

/// Where errors are listed after `!`, in the head of `tree` and in the types of functions.
fn thrown(tree: &ast::Item) -> Vec<Span> {
    let head = tree.body.signature().and_then(|it| it.throws.as_ref());
    let mut found: Vec<Span> = head.into_iter().flatten().map(|it| it.span).collect();
    visit_nodes(tree, |node| {
        if let Child::Type(ty) = node
            && let ast::TypeExpressionKind::Function(function) = &ty.kind
        {
            let listed = function.throws.iter().flatten();
            found.extend(listed.map(|it| it.span));
        }
    });
    found
}

pub fn symbol_of_definition(definition: Definition) -> Symbol {
    match definition {
        Definition::Item(item) => Symbol::Item(item),
        Definition::Variant { item, variant } => Symbol::Variant { item, variant },
        Definition::Module(file) => Symbol::Module(file),
    }
}

fn symbol_of(db: &dyn Db, item: ItemId, span: Span, reference: Reference) -> Option<Symbol> {
    Some(match reference {
        Reference::Local { part, local } => {
            let body = gsw_infer::body(db, item, part)?;
            let declared = body.local(local).span;
            // What the compiler has written itself, as the call of a server's tool, stands at a place that is named otherwise.
            let name = &body.local(local).name;
            if ![declared, span]
                .iter()
                .all(|it| is_named(db, item, *it, name))
            {
                return None;
            }
            Symbol::Local { item, declared }
        }
        Reference::Item(named) => {
            // A method has no other name, so where that is not written the compiler has put the call.
            let method = named.name(db).rsplit_once('.').map(|it| it.1);
            let text = gsw_names::source_text(db, item, span);
            if method.is_some_and(|it| !text.ends_with(it)) {
                return None;
            }
            Symbol::Item(named)
        }
        Reference::Variant { item, variant } => Symbol::Variant { item, variant },
        Reference::Field {
            item,
            variant,
            field,
        } if item.kind(db).is_data() => Symbol::Field {
            item,
            variant,
            field,
        },
        Reference::Field { item, field, .. } => {
            let parameters = &item_signature(db, item).signature.parameters;
            let declared = parameters.get(field as usize)?.span;
            Symbol::Local { item, declared }
        }
        Reference::Module(file) => Symbol::Module(file),
    })
}

/// Whether the text at a span of `item` is this name: what the compiler made itself has no place of its own.
fn is_named(db: &dyn Db, item: ItemId, span: Span, name: &Name) -> bool {
    !name.is_empty() && *name != "_" && gsw_names::source_text(db, item, span) == name.as_str()
}

/// Where a symbol is declared.
#[must_use]
pub fn declaration(db: &dyn Db, symbol: Symbol) -> Option<Place> {
    let (item, span) = match symbol {
        Symbol::Local { item, declared } => (item, declared),
        Symbol::Item(item) => (item, name_span(db, item)?),
        Symbol::Variant { item, variant } => (item, variant_span(db, item, variant)?),
        Symbol::Field {
            item,
            variant,
            field,
        } => (item, field_span(db, item, variant, field)?),
        Symbol::Module(file) => {
            return Some(Place::File {
                file,
                span: Span::new(0, 0),
            });
        }
    };
    Some(Place::Item { item, span })
}

/// The name under which a symbol is declared; a module has none.
#[must_use]
pub fn declared_text(db: &dyn Db, symbol: Symbol) -> Option<Name> {
    match declaration(db, symbol)? {
        Place::Item { item, span } => Some(gsw_names::source_text(db, item, span)),
        Place::File { .. } => None,
    }
}

fn variant_span(db: &dyn Db, item: ItemId, variant: u32) -> Option<Span> {
    let variants = type_declaration(db, item).declaration.variants();
    variants.get(variant as usize).map(|it| it.span)
}

fn field_span(db: &dyn Db, item: ItemId, variant: u32, field: u32) -> Option<Span> {
    let fields = type_declaration(db, item).declaration.fields_of(variant);
    fields.get(field as usize).map(|it| it.span)
}
