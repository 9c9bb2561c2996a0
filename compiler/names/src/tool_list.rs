//! What an agent, a prompt or a call gives to its model: tools to call, workflows to start, hooks around both.

use gsw_abi::program::wire_name;
use gsw_abi::setting::Setting;
use gsw_source::{Db, File, ItemId, ItemKind, Name};
use gsw_syntax::ast::{
    Conversion, Expression, ExpressionKind, Identifier, ItemBody, PromptEntry, SettingValue,
    TypeExpressionKind,
};
use gsw_syntax::{ast, file_item_ids, item_ast};

use crate::item_signature;
use crate::module::{entry_file, shown_module, std_file};
use crate::scope::{Definition, is_private, resolve_member, resolve_name};
use crate::skill::skill_tools;

/// The module of the tools with which a model inspects its run.
const INTROSPECTION: &str = "std/introspect";
/// The one of them that starts something.
const SPAWN_REQUEST: &str = "request_spawn_workflow";
/// The one of them that runs what the model has written.
const WRITTEN_REQUEST: &str = "request_written_workflow";
/// What stands for all that such a workflow may do.
const WRITTEN_EFFECTS: &str = "written_effects";
/// The word in the lists of `spawns` for what a model writes, unless a declaration of the program has that name.
const WRITTEN_WORD: &str = "written";

/// The declarations listed after `tools` in the settings of `item`; what is no declaration is left out.
pub fn listed_tools(db: &dyn Db, item: ItemId) -> Vec<ItemId> {
    in_settings_of(db, item, Setting::Tools)
}

/// What the model of `item` knows by a name of the list: `when as ask_when`.
pub fn tool_by_alias(db: &dyn Db, item: ItemId, alias: &str) -> Option<ItemId> {
    let elements = elements_in_settings_of(db, item, Setting::Tools);
    let renamed = elements.iter().find_map(|it| match alias_of(it) {
        Alias::Name(value, name) if name.name == alias => Some(value),
        Alias::Name(..) | Alias::None | Alias::NoName => None,
    })?;
    items_of(db, item.file(db), [renamed]).first().copied()
}

/// The workflows listed after `spawns` in the settings of `item`, which its model may start.
pub fn listed_spawns(db: &dyn Db, item: ItemId) -> Vec<ItemId> {
    in_settings_of(db, item, Setting::Spawns)
}

/// The hooks listed after `hooks` in the settings of `item`.
pub fn listed_hooks(db: &dyn Db, item: ItemId) -> Vec<ItemId> {
    in_settings_of(db, item, Setting::Hooks)
}

/// The tools by which the model reads the skills in the settings of `item`; none without any.
pub fn listed_skill_tools(db: &dyn Db, item: ItemId) -> Vec<ItemId> {
    match elements_in_settings_of(db, item, Setting::Skills).is_empty() {
        true => Vec::new(),
        false => skill_tools(db),
    }
}

/// Whether a tool is one of those with which a model inspects its run.
pub fn is_question(db: &dyn Db, item: ItemId) -> bool {
    std_file(db, INTROSPECTION) == Some(item.file(db))
        && !is_spawn_request(db, item)
        && !is_written_request(db, item)
}

/// Whether a tool is the one with which a model asks for a workflow.
pub fn is_spawn_request(db: &dyn Db, item: ItemId) -> bool {
    std_file(db, INTROSPECTION) == Some(item.file(db)) && item.name(db) == SPAWN_REQUEST
}

/// Whether a tool is the one with which a model runs a workflow that it has written.
pub fn is_written_request(db: &dyn Db, item: ItemId) -> bool {
    std_file(db, INTROSPECTION) == Some(item.file(db)) && item.name(db) == WRITTEN_REQUEST
}

/// Whether an element of a list of `spawns` stands for what a model writes.
pub fn is_written_word(db: &dyn Db, file: File, element: &Expression) -> bool {
    let is_word = |name: &Name| *name == WRITTEN_WORD && resolve_name(db, file, name).is_none();
    matches!(&element.kind, ExpressionKind::Name(name) if is_word(name))
}

/// The name of a workflow in the lists of `spawns`, or of a hook in those of `hooks`: its own, outside of the entry module
/// after that of its module.
pub fn spawn_name(db: &dyn Db, item: ItemId) -> Name {
    let file = item.file(db);
    if entry_file(db) == Some(file) {
        return item.name(db).clone();
    }
    Name::from(format!("{}.{}", shown_module(db, file), item.name(db)))
}

/// What the settings after `with` give to the model of that call: tools, workflows and hooks.
pub fn given_by_call(db: &dyn Db, file: File, settings: &[ast::Setting]) -> Vec<ItemId> {
    let mut given = named_in(db, file, settings, Setting::Tools);
    given.extend(named_in(db, file, settings, Setting::Spawns));
    given.extend(named_in(db, file, settings, Setting::Hooks));
    if elements_in(settings, Setting::Skills).next().is_some() {
        given.extend(skill_tools(db));
    }
    given
}

fn in_settings_of(db: &dyn Db, item: ItemId, name: Setting) -> Vec<ItemId> {
    let elements = elements_in_settings_of(db, item, name);
    items_of(db, item.file(db), &elements)
}

/// The elements of the lists after a setting of `item`.
fn elements_in_settings_of(db: &dyn Db, item: ItemId, name: Setting) -> Vec<Expression> {
    let Some(tree) = item_ast(db, item) else {
        return Vec::new();
    };
    let settings = settings_of(&tree.body);
    elements_in(settings, name).cloned().collect()
}

/// The settings in the body of an agent or a prompt.
pub fn settings_of(body: &ItemBody) -> Vec<&ast::Setting> {
    match body {
        ItemBody::Agent { settings, .. } => settings.iter().collect(),
        ItemBody::Prompt { entries, .. } => {
            let settings = entries.iter().filter_map(|it| match it {
                PromptEntry::Setting(setting) => Some(setting),
                PromptEntry::Text { .. }
                | PromptEntry::Statement(_)
                | PromptEntry::Example { .. } => None,
            });
            settings.collect()
        }
        ItemBody::Import(_)
        | ItemBody::Function(_)
        | ItemBody::Record(_)
        | ItemBody::Alias { .. }
        | ItemBody::Enum(_)
        | ItemBody::Error(_)
        | ItemBody::Const(_)
        | ItemBody::Workflow { .. }
        | ItemBody::Tool { .. }
        | ItemBody::Mcp { .. }
        | ItemBody::Hook { .. }
        | ItemBody::Human { .. }
        | ItemBody::External { .. }
        | ItemBody::Skill { .. }
        | ItemBody::Test { .. }
        | ItemBody::Permissions { .. }
        | ItemBody::Invalid => Vec::new(),
    }
}

fn named_in(db: &dyn Db, file: File, settings: &[ast::Setting], name: Setting) -> Vec<ItemId> {
    items_of(db, file, elements_in(settings, name))
}

fn items_of<'a>(
    db: &dyn Db,
    file: File,
    elements: impl IntoIterator<Item = &'a Expression>,
) -> Vec<ItemId> {
    let elements = elements.into_iter();
    elements.flat_map(|it| listed(db, file, it)).collect()
}

/// The elements of the lists after a setting.
fn elements_in<'a>(
    settings: impl IntoIterator<Item = &'a ast::Setting>,
    name: Setting,
) -> impl Iterator<Item = &'a Expression> {
    let named = settings
        .into_iter()
        .filter(move |it| it.name.name == name.name());
    let values = named.filter_map(|it| match &it.value {
        SettingValue::Expression(Expression {
            kind: ExpressionKind::List(elements),
            ..
        }) => Some(elements),
        SettingValue::Expression(_) | SettingValue::Settings { .. } => None,
    });
    values.flatten()
}

/// The tools that a module declares for all, in their order.
pub fn module_tools(db: &dyn Db, module: File) -> Vec<ItemId> {
    let items = file_item_ids(db, module).iter().copied();
    items
        .filter(|it| it.kind(db) == ItemKind::Tool && !is_private(db, *it))
        .collect()
}

/// The prompts that an agent in a list of tools stands for: those of the module that declares it, in their order.
pub fn agent_prompts(db: &dyn Db, agent: ItemId) -> Vec<ItemId> {
    let items = file_item_ids(db, agent.file(db)).iter().copied();
    let prompts = items.filter(|it| it.kind(db) == ItemKind::Prompt && !is_private(db, *it));
    prompts
        .filter(|it| item_signature(db, *it).signature.agent == Some(agent))
        .collect()
}

/// The tools of an MCP server that its module declares for all, in their order.
pub fn server_tools(db: &dyn Db, server: ItemId) -> Vec<ItemId> {
    let tools = module_tools(db, server.file(db)).into_iter();
    tools
        .filter(|it| item_signature(db, *it).signature.server == Some(server))
        .collect()
}

/// The tool of an MCP server with this name; none of what is no server.
pub fn server_tool(db: &dyn Db, server: ItemId, name: &str) -> Option<ItemId> {
    if server.kind(db) != ItemKind::Mcp {
        return None;
    }
    // By its name at once: each declaration of a tool by the server looks here, and there may be thousands.
    let module = server.file(db);
    let Definition::Item(tool) = resolve_member(db, module, name, module)? else {
        return None;
    };
    let is_open = tool.kind(db) == ItemKind::Tool && !is_private(db, tool);
    (is_open && item_signature(db, tool).signature.server == Some(server)).then_some(tool)
}

/// What follows `as` in a list of tools.
pub enum Alias<'a> {
    None,
    /// What is renamed, and the name.
    Name(&'a Expression, &'a Identifier),
    /// Something that is no name.
    NoName,
}

/// The name that an element of a list of tools has for the model: `accounts.remove as remove_account`.
pub fn alias_of(element: &Expression) -> Alias<'_> {
    let ExpressionKind::As { value, ty, form } = &element.kind else {
        return Alias::None;
    };
    if *form == Conversion::Optional {
        return Alias::NoName;
    }
    match &ty.kind {
        TypeExpressionKind::Named { path, arguments } if arguments.is_empty() => match &path[..] {
            [name] => Alias::Name(value, name),
            _ => Alias::NoName,
        },
        TypeExpressionKind::Named { .. }
        | TypeExpressionKind::Optional(_)
        | TypeExpressionKind::List(_)
        | TypeExpressionKind::Map { .. }
        | TypeExpressionKind::Unit
        | TypeExpressionKind::Tuple(_)
        | TypeExpressionKind::Literal(_)
        | TypeExpressionKind::Union(_)
        | TypeExpressionKind::Function(_)
        | TypeExpressionKind::Invalid => Alias::NoName,
    }
}

/// A name for a tool that distinguishes it from one of another module: that of its module before its own.
pub fn suggested_alias(db: &dyn Db, tool: ItemId) -> String {
    let module = shown_module(db, tool.file(db));
    let module = module.rsplit('/').next().unwrap_or_default();
    wire_name(&format!("{module}_{}", tool.name(db)))
}

fn listed(db: &dyn Db, file: File, element: &Expression) -> Vec<ItemId> {
    if let ExpressionKind::As { value: inner, .. } | ExpressionKind::AllOf(inner) = &element.kind {
        return listed(db, file, inner);
    }
    let found = if let ExpressionKind::Name(name) = &element.kind {
        resolve_name(db, file, name).or_else(|| what_is_written(db, name))
    } else if let ExpressionKind::Field { base, name, .. } = &element.kind
        && let ExpressionKind::Name(module) = &base.kind
    {
        match resolve_name(db, file, module) {
            Some(Definition::Module(target)) => resolve_member(db, target, &name.name, file),
            Some(Definition::Item(server)) => {
                server_tool(db, server, &name.name).map(Definition::Item)
            }
            other @ (Some(Definition::Variant { .. }) | None) => other,
        }
    } else {
        None
    };
    match found {
        Some(Definition::Item(item)) if item.kind(db) == ItemKind::Agent => agent_prompts(db, item),
        Some(Definition::Item(item)) if item.kind(db) == ItemKind::Mcp => server_tools(db, item),
        Some(Definition::Item(item)) => vec![item],
        Some(Definition::Module(module)) => module_tools(db, module),
        Some(Definition::Variant { .. }) | None => Vec::new(),
    }
}

/// What stands for a workflow that is not written yet: a function with all effects that it may have.
fn what_is_written(db: &dyn Db, name: &str) -> Option<Definition> {
    let introspection = std_file(db, INTROSPECTION).filter(|_| name == WRITTEN_WORD)?;
    let mut items = file_item_ids(db, introspection).iter().copied();
    items
        .find(|it| it.name(db) == WRITTEN_EFFECTS)
        .map(Definition::Item)
}
