//! What brings values from outside: by the effects of a row of the library, or by what a row is known to do.

use gsw_abi::call::RuntimeCall;
use gsw_names::types::{Effect, EffectSet};
use gsw_names::{Presence, is_host_tool, item_signature};
use gsw_source::{Db, ItemId, ItemKind};

/// What a call of an item gives, where that does not follow from its bodies.
pub(super) enum Origin {
    /// Inferred from its bodies.
    Bodies,
    /// A row of the library that makes something of its arguments.
    Arguments,
    /// A row that finds one of the values in its first argument: `m.get(key)`, as `m[key]`.
    Found,
    /// The program, a person, or a vouching `trust`.
    Trusted,
    Foreign,
}

/// The effects that bring something that others may have written.
const FOREIGN: [Effect; 7] = [
    Effect::Model,
    Effect::FsRead,
    Effect::Net,
    Effect::Exec,
    Effect::Spawn,
    Effect::External,
    Effect::Host,
];

/// Whether what an item gives is written in the program: the body of a tool of a server is the compiler's.
pub(super) fn has_body(db: &dyn Db, item: ItemId) -> bool {
    item_signature(db, item).signature.server.is_none() && !is_host_tool(db, item)
}

pub(super) fn origin(db: &dyn Db, item: ItemId) -> Origin {
    let declared = item_signature(db, item);
    let signature = &declared.signature;
    if let Some(row) = signature.intrinsic {
        return of_row(row, declared.effects);
    }
    // A `trusted` after the result of what has no body cannot be verified.
    let said = match signature.trusted {
        Presence::Present => Origin::Trusted,
        Presence::Absent => Origin::Foreign,
    };
    match item.kind(db) {
        ItemKind::Prompt => Origin::Foreign,
        ItemKind::Human => Origin::Trusted,
        ItemKind::External => said,
        ItemKind::Tool if !has_body(db, item) => said,
        ItemKind::Tool
        | ItemKind::Function
        | ItemKind::Workflow
        | ItemKind::Const
        | ItemKind::Import
        | ItemKind::Record
        | ItemKind::Alias
        | ItemKind::Enum
        | ItemKind::Error
        | ItemKind::Agent
        | ItemKind::Mcp
        | ItemKind::Hook
        | ItemKind::Skill
        | ItemKind::Test
        | ItemKind::Permissions
        | ItemKind::Invalid => match signature.trusted {
            // The bodies are held to it.
            Presence::Present => Origin::Trusted,
            Presence::Absent => Origin::Bodies,
        },
    }
}

fn of_row(row: RuntimeCall, effects: EffectSet) -> Origin {
    // What has gone through a queue, a conversation or the tree of the run may be anything that was put there, and a program that
    // was written may give anything.
    let hands_out = matches!(
        row,
        RuntimeCall::queue_pop
            | RuntimeCall::queue_first_when_full
            | RuntimeCall::session_messages
            | RuntimeCall::context_query
            | RuntimeCall::spawn_request
            | RuntimeCall::spawn_requested
            | RuntimeCall::workflow_start
            | RuntimeCall::plan_run
            | RuntimeCall::skill_read
            | RuntimeCall::error_message
    );
    if hands_out || FOREIGN.into_iter().any(|it| effects.has(it)) {
        Origin::Foreign
    } else if matches!(row, RuntimeCall::map_get | RuntimeCall::list_get) {
        Origin::Found
    } else {
        Origin::Arguments
    }
}
