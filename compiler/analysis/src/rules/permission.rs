//! Calls that the program's own `permissions` refuse, where that can be seen before it runs.

use gsw_abi::permission::{Permission, Permitted};
use gsw_infer::hir::{Body, Callee, ExpressionId, ExpressionKind};
use gsw_names::types::Effect;
use gsw_names::{KnownItem, PRELUDE, is_std, item_signature, module_path};
use gsw_source::{Db, Diagnostic, ItemId, Span};

use crate::constant::{ConstantValue, known_value};
use crate::errors;
use crate::manifest::{permission_source, permissions};
use crate::summary::item_summary;

pub(super) fn check(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
    if is_std(db, body.item.file(db)) {
        return;
    }
    for (span, item, arguments) in library_calls(db, body) {
        let Some(granted) = permissions(db) else {
            return;
        };
        environment(db, body, (span, item, arguments), &granted, found);
        let is_secret = module_path(db, item.file(db)) == Some(PRELUDE);
        let nth = |n| arguments.iter().find(|it| it.0 == n).map(|it| it.1);
        let subject = subject(db, item);
        for permission in own_permissions(db, item) {
            if permission == Permission::FsRead
                && may_ask(
                    db,
                    item,
                    &granted,
                    nth(subject).and_then(|it| target(db, body, it)).as_deref(),
                )
            {
                continue;
            }
            let listed = granted.get(&permission);
            let place = body.place(span);
            // The address of a request with any method follows the method.
            let is_address = |it: &String| permission != Permission::Net || host(it).is_some();
            let named = |n| {
                nth(n)
                    .and_then(|it| target(db, body, it))
                    .filter(is_address)
            };
            match (
                listed,
                named(subject).or_else(|| named(1).filter(|_| permission == Permission::Net)),
            ) {
                // A secret is shown nowhere; only one that is named is known to be refused where it is sent.
                (_, None) if is_secret => {}
                (None, target) => {
                    let entry = target.map(|it| entry_for(permission, &it));
                    let source = permission_source(db);
                    let entry = entry.as_deref();
                    found.push(errors::not_permitted(place, permission, source, entry));
                }
                (Some(list), Some(target))
                    if !list.iter().any(|it| admits(permission, it, &target)) =>
                {
                    let wanted = errors::Wanted {
                        permission,
                        entry: &entry_for(permission, &target),
                        target: &target,
                    };
                    let source = permission_source(db);
                    found.push(errors::target_not_permitted(place, &wanted, source, list));
                }
                (Some(_), _) => {}
            }
        }
    }
}

/// The variables that a program is to be started with: they are listed like those that are read.
fn environment(
    db: &dyn Db,
    body: &Body,
    (span, item, arguments): LibraryCall<'_>,
    granted: &Permitted,
    found: &mut Vec<Diagnostic>,
) {
    if module_path(db, item.file(db)) != Some("std/exec") {
        return;
    }
    let parameters = &item_signature(db, item).signature.parameters;
    let nth = parameters.iter().position(|it| it.name == "env");
    let given = arguments.iter().find(|it| Some(it.0 as usize) == nth);
    let Some(ExpressionKind::Map(entries)) = given.map(|it| &body.expression(it.1).kind) else {
        return;
    };
    let permission = Permission::Env;
    let listed = granted.get(&permission).map_or(&[][..], Vec::as_slice);
    for (key, _) in entries {
        let Some(name) = target(db, body, *key).filter(|it| !listed.contains(it)) else {
            continue;
        };
        let source = permission_source(db);
        let place = body.place(span);
        found.push(match listed.is_empty() {
            true => errors::not_permitted(place, permission, source, Some(&name)),
            false => {
                let wanted = errors::Wanted {
                    permission,
                    entry: &name,
                    target: &name,
                };
                errors::target_not_permitted(place, &wanted, source, listed)
            }
        });
    }
}

/// A call of a function of the library: where, which, with which arguments.
type LibraryCall<'a> = (Span, ItemId, &'a [(u32, ExpressionId)]);

/// The calls of functions of the library: where, which, with which arguments.
fn library_calls<'b>(db: &'b dyn Db, body: &'b Body) -> impl Iterator<Item = LibraryCall<'b>> {
    body.expressions.iter().filter_map(move |it| {
        let ExpressionKind::Call {
            callee: Callee::Item { item, .. },
            arguments,
        } = &it.kind
        else {
            return None;
        };
        is_std(db, item.file(db)).then_some((it.span, *item, arguments.as_slice()))
    })
}

/// Whether `item` only asks what is at a path that may be written.
fn may_ask(db: &dyn Db, item: ItemId, granted: &Permitted, path: Option<&str>) -> bool {
    let asks = [KnownItem::FsExists, KnownItem::FsIsFolder];
    let writes = Permission::FsWrite;
    let admitted =
        |list: &Vec<String>| path.is_none_or(|path| list.iter().any(|it| admits(writes, it, path)));
    asks.iter().any(|it| it.is(db, item)) && granted.get(&writes).is_some_and(admitted)
}

/// Which parameter says what is reached: the first one, unless another one is said to be of files.
fn subject(db: &dyn Db, item: ItemId) -> u32 {
    let parameters = &item_signature(db, item).signature.parameters;
    let files = parameters.iter().position(|it| it.name == "files");
    files.map_or(0, |it| it as u32)
}

/// What a permission must list for a target: of an address the host.
fn entry_for(permission: Permission, target: &str) -> String {
    let named = match permission {
        Permission::Net => host(target),
        Permission::FsRead | Permission::FsWrite | Permission::Exec | Permission::Env => None,
    };
    named.unwrap_or(target).to_owned()
}

/// What the function of the library itself needs; what its function arguments do is seen where they are.
fn own_permissions(db: &dyn Db, item: ItemId) -> Vec<Permission> {
    // A workflow that is started by name does what it does where it is declared.
    if module_path(db, item.file(db)) == Some("std/workflows") {
        return Vec::new();
    }
    // What a server is says what calls of it need.
    if KnownItem::McpStdio.is(db, item) {
        return vec![Permission::Exec];
    }
    if KnownItem::McpHttp.is(db, item) {
        return vec![Permission::Net];
    }
    if module_path(db, item.file(db)) == Some("std/mcp") {
        return Vec::new();
    }
    let effects = item_summary(db, item).item.effects;
    effects.iter().filter_map(Effect::permission).collect()
}

/// The file, host, command or variable that an argument names, when it is known.
fn target(db: &dyn Db, body: &Body, argument: ExpressionId) -> Option<String> {
    match known_value(db, body, argument)? {
        ConstantValue::Text(text) => Some(text.to_string()),
        ConstantValue::List(elements) => match elements.first()? {
            ConstantValue::Text(text) => Some(text.to_string()),
            ConstantValue::Bool(_)
            | ConstantValue::Int(_)
            | ConstantValue::Float(_)
            | ConstantValue::Duration(_)
            | ConstantValue::List(_) => None,
        },
        ConstantValue::Bool(_)
        | ConstantValue::Int(_)
        | ConstantValue::Float(_)
        | ConstantValue::Duration(_) => None,
    }
}

fn admits(permission: Permission, granted: &str, target: &str) -> bool {
    match permission {
        // Where the program runs is not known here, so whether a relative path is in an absolute folder is left to the run.
        Permission::FsRead | Permission::FsWrite => {
            (is_absolute(granted) && !is_absolute(target)) || is_beneath(granted, target)
        }
        Permission::Net => host(target).is_none_or(|it| is_host(granted, it)),
        Permission::Exec | Permission::Env => granted == target,
    }
}

/// Whether what `entry` lists is part of what `granted` lists.
pub fn contains(permission: Permission, granted: &str, entry: &str) -> bool {
    match permission {
        // Links and `..` are resolved only when the program runs, so a path that climbs is part of nothing.
        Permission::FsRead | Permission::FsWrite => {
            segments(entry).is_some() && is_beneath(granted, entry)
        }
        Permission::Net => is_host(granted, entry),
        Permission::Exec | Permission::Env => granted == entry,
    }
}

/// Whether a path is in the folder, or is the file, that is granted; decided by the texts alone. Of a pattern only the
/// part before its first `*` counts.
fn is_beneath(granted: &str, target: &str) -> bool {
    let wildcard = target.find(['*', '?', '[', '{']);
    let (fixed, rest) = target.split_at(wildcard.unwrap_or(target.len()));
    // What climbs after a wildcard is refused when it runs, whatever it would lead to.
    if rest.split('/').any(|it| it == "..") {
        return false;
    }
    match (segments(granted), segments(fixed)) {
        (Some(folder), Some(path)) => {
            is_absolute(granted) == is_absolute(target) && path.starts_with(&folder)
        }
        // A path that climbs out of where the program runs is left to the run.
        _ => true,
    }
}

fn is_absolute(path: &str) -> bool {
    path.starts_with('/')
}

/// The names of a path without `.`; `None` when `..` leads above its start.
fn segments(path: &str) -> Option<Vec<&str>> {
    let mut found = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                found.pop()?;
            }
            name => found.push(name),
        }
    }
    Some(found)
}

/// The host of an address, with its port where one is written.
fn host(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    // As in browsers, a backslash is a slash.
    let authority = rest.split(['/', '\\', '?', '#']).next()?;
    authority.rsplit('@').next()
}

/// Whether `api.example.org`, `api.example.org:8443`, `*.example.org` or `*` names a host. What a port that is not written
/// stands for is left to the run.
fn is_host(granted: &str, host: &str) -> bool {
    let granted = granted.to_ascii_lowercase();
    let host = host.to_ascii_lowercase();
    // The colons of an address of IPv6 are in brackets.
    let name_of = |it: &str| {
        let end = it.find(']').map_or(0, |end| end + 1);
        let length = it[end..].find(':').map_or(it.len(), |at| end + at);
        it[..length].to_owned()
    };
    let name = name_of(&host);
    let is_name = |it: &str| match granted.strip_prefix('*') {
        Some(ending) => ending.is_empty() || (ending.starts_with('.') && it.ends_with(ending)),
        None => granted == it,
    };
    let names_port = name_of(&granted) == name && host == name;
    is_name(&name) || is_name(&host) || names_port
}
