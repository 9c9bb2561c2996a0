//! Tools whose bodies the program's host has: `@host tool name(…) -> T`.

use gsw_source::{Db, Diagnostic, File, ItemId, ItemKind, Place, Project, Span};
use gsw_syntax::{ast, file_item_ids, item_ast};

use crate::errors::{self, HostToolProblem};
use crate::module::is_std;
use crate::tree::{declared_name, item_head};

/// Whether the host has the body of `item`.
pub fn is_host_tool(db: &dyn Db, item: ItemId) -> bool {
    let head = item_head(db, item);
    matches!(
        head.as_deref().map(|it| &it.body),
        Some(ast::ItemBody::Tool { body: None, signature }) if signature.by.is_none()
    )
}

/// What is wrong about `@host`, which is at `attribute`, and the item after it.
pub(crate) fn check(item: ItemId, tree: &ast::Item, attribute: Option<Span>) -> Option<Diagnostic> {
    let (problem, span) = match (&tree.body, attribute) {
        (ast::ItemBody::Tool { body: Some(_), .. }, Some(span)) => (HostToolProblem::HasBody, span),
        (
            ast::ItemBody::Tool {
                body: None,
                signature,
            },
            None,
        ) if signature.by.is_none() => (HostToolProblem::NoBody, signature.name.span),
        (
            ast::ItemBody::Tool {
                body: Some(_),
                signature: signature @ ast::Signature { by: Some(by), .. },
            },
            None,
        ) => match is_parameter(signature, by) {
            true => (HostToolProblem::HasKey, by.span),
            false => (HostToolProblem::HasServer, by.span),
        },
        (ast::ItemBody::Tool { .. }, _) | (_, None) => return None,
        (_, Some(span)) => (HostToolProblem::NotATool, span),
    };
    Some(errors::host_tool(Place::Item { item, span }, problem))
}

/// Whether what follows `by` is a parameter, which is the key of an `idempotent` tool and no server.
pub fn is_parameter(signature: &ast::Signature, by: &ast::Expression) -> bool {
    let ast::ExpressionKind::Name(name) = &by.kind else {
        return false;
    };
    signature.parameters.iter().any(|it| it.name.name == *name)
}

/// One error for each tool that only a host has: the program cannot run by itself.
pub fn needs_host(db: &dyn Db) -> Vec<Diagnostic> {
    let Some(project) = Project::try_get(db) else {
        return Vec::new();
    };
    let tools = host_tools(db, project).iter().copied();
    let found = tools.filter_map(|item| Some(errors::needs_host(place(db, item)?, item.name(db))));
    found.collect()
}

/// One error for each host tool of `file` whose name a host tool of another module has as well.
pub fn shared_names(db: &dyn Db, file: File) -> Vec<Diagnostic> {
    let Some(project) = Project::try_get(db) else {
        return Vec::new();
    };
    let all = host_tools(db, project);
    let own = all.iter().filter(|it| it.file(db) == file);
    let found = own.filter_map(|&item| {
        let is_other = |it: &&ItemId| it.file(db) != file && it.name(db) == item.name(db);
        let other = all.iter().find(is_other)?;
        let places = (place(db, item)?, place(db, *other)?);
        Some(errors::shared_host_tool(places.0, item.name(db), places.1))
    });
    found.collect()
}

/// The tools of all modules whose bodies the host has; a query because every file asks.
#[salsa::tracked(returns(ref))]
fn host_tools(db: &dyn Db, project: Project) -> Vec<ItemId> {
    // A host knows nothing of the library, most of which no program reads.
    let files = project.modules(db).values();
    let own = files.filter(|it| !is_std(db, **it));
    let tools = own.flat_map(|file| file_host_tools(db, *file));
    tools.copied().collect()
}

/// Those of one file, so that an edit checks only the items of one file.
#[salsa::tracked(returns(ref))]
fn file_host_tools(db: &dyn Db, file: File) -> Vec<ItemId> {
    // What does not even hold the word needs no tree.
    if !file.text(db).contains("tool") {
        return Vec::new();
    }
    let items = file_item_ids(db, file).iter().copied();
    items
        .filter(|it| it.kind(db) == ItemKind::Tool && is_host_tool(db, *it))
        .collect()
}

/// The name of a declaration.
fn place(db: &dyn Db, item: ItemId) -> Option<Place> {
    let tree = item_ast(db, item)?;
    let span = declared_name(&tree)?.span;
    Some(Place::Item { item, span })
}
