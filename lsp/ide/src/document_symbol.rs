//! `textDocument/documentSymbol`: the declarations of a file, their parts, and the steps of what they do.

use gsw_source::{Db, File, ItemId, ItemKind, Span};
use gsw_syntax::ast::{
    Child, Expression, ExpressionKind, FieldDeclaration, Item, ItemBody, Literal, Parameter,
    StringPart, children, item_children,
};
use gsw_syntax::{file_item_ids, item_ast};

use crate::cursor::in_file;
use crate::declared_name::name_span;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DocumentSymbol {
    pub name: String,
    pub kind: SymbolKind,
    /// All of it, in the file.
    pub span: Span,
    /// Its name, in the file.
    pub name_span: Span,
    pub children: Vec<DocumentSymbol>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymbolKind {
    Item(ItemKind),
    /// A `fn Type.name`, or a handler of a hook.
    Method,
    Field,
    Variant,
    /// A `step` of a body.
    Step,
}

#[must_use]
pub fn document_symbol(db: &dyn Db, file: File) -> Vec<DocumentSymbol> {
    let items = file_item_ids(db, file).iter().copied();
    items.filter_map(|item| of_item(db, item)).collect()
}

/// The kind under which an item is shown; `None` for what declares nothing.
pub fn item_kind(db: &dyn Db, item: ItemId) -> Option<SymbolKind> {
    match item.kind(db) {
        ItemKind::Import | ItemKind::Invalid => None,
        ItemKind::Function if item.name(db).contains('.') => Some(SymbolKind::Method),
        kind @ (ItemKind::Function
        | ItemKind::Record
        | ItemKind::Alias
        | ItemKind::Enum
        | ItemKind::Error
        | ItemKind::Const
        | ItemKind::Agent
        | ItemKind::Prompt
        | ItemKind::Workflow
        | ItemKind::Tool
        | ItemKind::Mcp
        | ItemKind::Hook
        | ItemKind::Human
        | ItemKind::External
        | ItemKind::Skill
        | ItemKind::Test
        | ItemKind::Permissions) => Some(SymbolKind::Item(kind)),
    }
}

fn of_item(db: &dyn Db, item: ItemId) -> Option<DocumentSymbol> {
    let kind = item_kind(db, item)?;
    let tree = item_ast(db, item)?;
    let name = if item.kind(db) == ItemKind::Permissions {
        "permissions".to_owned()
    } else {
        item.name(db).to_string()
    };
    let own = name_span(db, item).unwrap_or(Span::new(0, 0));
    let mut parts = parts(&tree);
    steps(item_children(&tree), &mut parts);
    let mut symbol = DocumentSymbol {
        // Editors refuse a symbol without a name.
        name: if name.is_empty() { "_".into() } else { name },
        kind,
        span: tree.span,
        name_span: own,
        children: parts,
    };
    shift(&mut symbol, &|span| in_file(db, item, span));
    Some(symbol)
}

fn shift(symbol: &mut DocumentSymbol, place: &dyn Fn(Span) -> Span) {
    symbol.span = place(symbol.span);
    symbol.name_span = place(symbol.name_span);
    for child in &mut symbol.children {
        shift(child, place);
    }
}

fn part(name: &gsw_syntax::ast::Identifier, kind: SymbolKind, end: u32) -> DocumentSymbol {
    DocumentSymbol {
        name: name.name.to_string(),
        kind,
        span: Span::new(name.span.start, end.max(name.span.end)),
        name_span: name.span,
        children: Vec::new(),
    }
}

/// The fields and variants of a type, the handlers of a hook.
fn parts(tree: &Item) -> Vec<DocumentSymbol> {
    let field = |it: &FieldDeclaration| part(&it.name, SymbolKind::Field, it.ty.span.end);
    let parameter = |it: &Parameter| {
        let end = it.ty.as_ref().map_or(it.name.span.end, |ty| ty.span.end);
        part(&it.name, SymbolKind::Field, end)
    };
    match &tree.body {
        ItemBody::Record(it) => it.fields.iter().map(field).collect(),
        ItemBody::Error(it) => it.fields.iter().map(parameter).collect(),
        ItemBody::Enum(it) => it
            .variants
            .iter()
            .map(|it| {
                let payload: Vec<_> = it.fields.iter().map(parameter).collect();
                let end = payload.last().map_or(it.name.span.end, |it| it.span.end);
                DocumentSymbol {
                    children: payload,
                    ..part(&it.name, SymbolKind::Variant, end)
                }
            })
            .collect(),
        ItemBody::Hook { handlers, .. } => handlers
            .iter()
            .map(|it| part(&it.name, SymbolKind::Method, it.body.span.end))
            .collect(),
        ItemBody::Import(_)
        | ItemBody::Function(_)
        | ItemBody::Alias { .. }
        | ItemBody::Const(_)
        | ItemBody::Agent { .. }
        | ItemBody::Prompt { .. }
        | ItemBody::Workflow { .. }
        | ItemBody::Tool { .. }
        | ItemBody::Mcp { .. }
        | ItemBody::Human { .. }
        | ItemBody::External { .. }
        | ItemBody::Skill { .. }
        | ItemBody::Test { .. }
        | ItemBody::Permissions { .. }
        | ItemBody::Invalid => Vec::new(),
    }
}

/// Adds the steps in these nodes, each with the steps in it.
fn steps(nodes: Vec<Child<'_>>, found: &mut Vec<DocumentSymbol>) {
    for node in nodes {
        if let Child::Expression(step) = node
            && let ExpressionKind::Step { name, .. } = &step.kind
        {
            let mut inside = Vec::new();
            steps(children(node), &mut inside);
            found.push(DocumentSymbol {
                name: step_name(name),
                kind: SymbolKind::Step,
                span: step.span,
                name_span: name.span,
                children: inside,
            });
        } else {
            steps(children(node), found);
        }
    }
}

/// The name of a step as it is written, what is interpolated as `…`.
pub fn step_name(name: &Expression) -> String {
    let text = if let ExpressionKind::Literal(Literal::String(text)) = &name.kind {
        text.to_string()
    } else if let ExpressionKind::Interpolation(parts) = &name.kind {
        let shown = parts.iter().map(|part| match part {
            StringPart::Text(text) => text.as_str(),
            StringPart::Expression(_) => "…",
        });
        shown.collect()
    } else {
        String::new()
    };
    if text.trim().is_empty() {
        return "step".into();
    }
    text
}
