//! What a program says of itself before it runs: what each workflow can raise and do, which models it may ask, and what
//! the program permits itself.

use std::collections::{BTreeSet, HashSet};

use gsw_abi::permission::{Permission, Permitted};
use gsw_abi::setting;
use gsw_infer::hir::{Callee, ExpressionKind};
use gsw_infer::infer_item;
use gsw_names::types::{Effect, EffectSet};
use gsw_names::{item_signature, listed_hooks, listed_spawns, listed_tools};
use gsw_project::{project_configuration, resolved_model};
use gsw_source::{Db, File, ItemId, ItemKind, Project};
use gsw_syntax::ast::{
    Expression, ExpressionKind as Written, ItemBody, Literal, Setting, SettingValue,
};
use gsw_syntax::{file_item_ids, item_ast};

use crate::rules::{RepeatClass, written_class};
use crate::summary::item_summary;

/// What a workflow can raise, do and ask.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Manifest {
    /// Names of errors, sorted; `Error` when any may be raised.
    pub errors: Vec<String>,
    /// Names of effects, in the order of the page.
    pub effects: Vec<String>,
    /// Models that agents on the way name, sorted.
    pub models: Vec<String>,
}

/// The manifest of a call of `item`.
pub fn item_manifest(db: &dyn Db, item: ItemId) -> Manifest {
    let summary = item_summary(db, item);
    let mut errors: Vec<String> = summary
        .item
        .errors
        .kinds
        .iter()
        .map(|it| it.name.to_string())
        .collect();
    if summary.item.errors.open {
        errors.push("Error".into());
    }
    Manifest {
        errors,
        effects: summary
            .item
            .effects
            .iter()
            .map(|it| it.name().to_string())
            .collect(),
        models: models_of(db, item).into_iter().collect(),
    }
}

/// What the program permits itself, each permission with what it lists: the block of the entry module, else what `gsw.toml`
/// says; `None` without either.
pub fn permissions(db: &dyn Db) -> Option<Permitted> {
    let of_project = || project_configuration(db)?.permissions.clone();
    block(db).or_else(of_project)
}

/// Where the permissions that are in force are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PermissionSource {
    /// In the `permissions` block of the entry module.
    Block,
    /// In `[permissions]` of `gsw.toml`.
    Project,
}

/// Where what `permissions` gives comes from.
pub fn permission_source(db: &dyn Db) -> PermissionSource {
    match block(db) {
        Some(_) => PermissionSource::Block,
        None => PermissionSource::Project,
    }
}

fn block(db: &dyn Db) -> Option<Permitted> {
    let item = (*permission_block(db, Project::try_get(db)?))?;
    let tree = item_ast(db, item)?;
    let ItemBody::Permissions { settings } = &tree.body else {
        return None;
    };
    let mut listed = Permitted::new();
    for setting in settings {
        if let Some(permission) = Permission::named(&setting.name.name) {
            listed.entry(permission).or_insert_with(|| texts(setting));
        }
    }
    Some(listed)
}

/// The `permissions` block of the entry file, for which every body asks.
#[salsa::tracked]
fn permission_block(db: &dyn Db, project: Project) -> Option<ItemId> {
    let entry: File = *project.modules(db).get(project.entry(db))?;
    let mut items = file_item_ids(db, entry).iter().copied();
    items.find(|it| it.kind(db) == ItemKind::Permissions)
}

/// The strings of a setting: of a list, or one alone.
fn texts(setting: &Setting) -> Vec<String> {
    let SettingValue::Expression(value) = &setting.value else {
        return Vec::new();
    };
    if let Written::List(elements) = &value.kind {
        return elements.iter().filter_map(text).collect();
    }
    text(value).into_iter().collect()
}

/// A string that is written out.
pub(crate) fn text(value: &Expression) -> Option<String> {
    if let Written::Parenthesized(inside) = &value.kind {
        return text(inside);
    }
    let Written::Literal(Literal::String(text)) = &value.kind else {
        return None;
    };
    Some(text.to_string())
}

fn models_of(db: &dyn Db, item: ItemId) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    reach(db, item, |it| {
        found.extend(agent_models(db, it));
        Further::Yes
    });
    found
}

/// What a call of `item` does that others can see: by its effects, or by what a tool on the way is said to be.
pub fn changes_outside(db: &dyn Db, item: ItemId) -> bool {
    const READING: EffectSet = EffectSet(
        Effect::Model as u16
            | Effect::FsRead as u16
            | Effect::Env as u16
            | Effect::Time as u16
            | Effect::Random as u16,
    );
    let mut changes = item_summary(db, item).item.effects.union(READING) != READING;
    reach(db, item, |it| match written_class(db, it) {
        Some(RepeatClass::Once | RepeatClass::Idempotent) => {
            changes = true;
            Further::No
        }
        // What is said of the whole holds.
        Some(RepeatClass::Pure | RepeatClass::Reads) => Further::No,
        None => Further::Yes,
    });
    changes
}

/// Whether the items that an item names are followed.
enum Further {
    Yes,
    No,
}

/// Follows calls, function values and agents from `item`.
fn reach(db: &dyn Db, item: ItemId, mut visit: impl FnMut(ItemId) -> Further) {
    let mut seen: HashSet<ItemId> = HashSet::from([item]);
    let mut waiting = vec![item];
    while let Some(item) = waiting.pop() {
        if matches!(visit(item), Further::No) {
            continue;
        }
        let mut next: Vec<ItemId> = item_signature(db, item)
            .signature
            .agent
            .into_iter()
            .collect();
        next.extend(listed_tools(db, item));
        next.extend(listed_spawns(db, item));
        next.extend(listed_hooks(db, item));
        for body in &infer_item(db, item).bodies {
            next.extend(body.expressions.iter().flat_map(|it| named_items(&it.kind)));
        }
        waiting.extend(next.into_iter().filter(|it| seen.insert(*it)));
    }
}

#[expect(
    clippy::too_many_lines,
    reason = "one line a form: rustc names what a new form must join"
)]
fn named_items(kind: &ExpressionKind) -> Vec<ItemId> {
    match kind {
        ExpressionKind::Call {
            callee: Callee::Item { item, .. },
            ..
        }
        | ExpressionKind::FunctionValue { item, .. }
        | ExpressionKind::Constant(item)
        | ExpressionKind::PromptText { item, .. }
        | ExpressionKind::SpawnDetached { item, .. } => vec![*item],
        ExpressionKind::PromptCall {
            item, agent, given, ..
        } => [*item]
            .into_iter()
            .chain(*agent)
            .chain(given.iter().copied())
            .collect(),
        ExpressionKind::Int(_)
        | ExpressionKind::Float(_)
        | ExpressionKind::Bool(_)
        | ExpressionKind::None
        | ExpressionKind::Unit
        | ExpressionKind::Duration(_)
        | ExpressionKind::String(_)
        | ExpressionKind::Local(_)
        | ExpressionKind::ConstructorValue { .. }
        | ExpressionKind::Lambda(_)
        | ExpressionKind::Record { .. }
        | ExpressionKind::Variant { .. }
        | ExpressionKind::ErrorValue { .. }
        | ExpressionKind::List(_)
        | ExpressionKind::Map(_)
        | ExpressionKind::Tuple(_)
        | ExpressionKind::Field { .. }
        | ExpressionKind::TupleField { .. }
        | ExpressionKind::JsonField { .. }
        | ExpressionKind::Index { .. }
        | ExpressionKind::Interpolation(_)
        | ExpressionKind::Unary { .. }
        | ExpressionKind::Binary { .. }
        | ExpressionKind::In { .. }
        | ExpressionKind::Otherwise { .. }
        | ExpressionKind::Chain { .. }
        | ExpressionKind::Range { .. }
        | ExpressionKind::Coerce { .. }
        | ExpressionKind::As(_)
        | ExpressionKind::Matches { .. }
        | ExpressionKind::If { .. }
        | ExpressionKind::Match { .. }
        | ExpressionKind::Catch { .. }
        | ExpressionKind::Block { .. }
        | ExpressionKind::For { .. }
        | ExpressionKind::While { .. }
        | ExpressionKind::Return(_)
        | ExpressionKind::Break
        | ExpressionKind::Continue
        | ExpressionKind::Fail(_)
        | ExpressionKind::Emit(_)
        | ExpressionKind::Call { .. }
        | ExpressionKind::OfferedTool { .. }
        | ExpressionKind::Spawn(_)
        | ExpressionKind::Undo(_)
        | ExpressionKind::Await(_)
        | ExpressionKind::Race { .. }
        | ExpressionKind::ParallelFor { .. }
        | ExpressionKind::Parallel { .. }
        | ExpressionKind::Step { .. }
        | ExpressionKind::Modified { .. }
        | ExpressionKind::Invalid => Vec::new(),
    }
}

/// The models that an agent's settings name: one, or those of `first_of(…)`; of an agent that names none, what `gsw.toml` says.
pub fn agent_models(db: &dyn Db, item: ItemId) -> Vec<String> {
    let tree = item_ast(db, item);
    let Some(ItemBody::Agent { settings, .. }) = tree.as_deref().map(|it| &it.body) else {
        return Vec::new();
    };
    let model = settings
        .iter()
        .find(|it| it.name.name == setting::Setting::Model.name());
    let named = match model.map(|it| &it.value) {
        Some(SettingValue::Expression(value)) => {
            if let Written::Call { arguments, .. } = &value.kind {
                return arguments.iter().filter_map(|it| text(&it.value)).collect();
            }
            text(value).into_iter().collect()
        }
        Some(SettingValue::Settings { .. }) => Vec::new(),
        None => default_model(db).into_iter().collect::<Vec<_>>(),
    };
    named.iter().map(|it| resolved_model(db, it)).collect()
}

fn default_model(db: &dyn Db) -> Option<String> {
    project_configuration(db)?.models.default.clone()
}
