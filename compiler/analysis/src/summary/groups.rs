//! The items of a file in groups that ask for each other, so that an edit summarises its own group again and then only those that
//! see a difference.
//!
//! A group is a query, and asks for the groups that come before it. Which those are must be known before any walk, or two groups
//! could ask for each other, so it is read off the bodies (`foreseen`): all that a walk could ask for, whatever it learns. Should a
//! walk ask for something else all the same, the items of the file are walked as one unit, as if all asked for each other.

use std::sync::Arc;

use gsw_infer::hir::{Body, BodyPart, ExpressionKind, Modifiers};
use gsw_infer::{ItemBodies, Reference, infer_item};
use gsw_names::types::{Type, any_part};
use gsw_names::{alias_target, groups, item_signature, listed_hooks, listed_spawns, listed_tools};
use gsw_source::{Db, File, ItemId};
use gsw_syntax::file_item_ids;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{is_summarized, task};

/// Items that ask for each other, in order.
pub(super) type Group = Arc<[ItemId]>;

/// The groups of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Groups {
    /// What a group asks for comes before it.
    pub(super) ordered: Box<[Group]>,
    /// The index in `ordered` of the group of each item.
    places: FxHashMap<ItemId, usize>,
}

#[salsa::tracked(returns(ref))]
pub(super) fn file_groups(db: &dyn Db, file: File) -> Groups {
    let items = file_item_ids(db, file).iter().copied();
    let items = items.filter(|it| is_summarized(db, *it));
    let found = groups(items, |it| foreseen(db, it).to_vec());
    let ordered: Box<[Group]> = found.into_iter().map(Group::from).collect();
    let numbered = ordered.iter().enumerate();
    let places = numbered.flat_map(|(place, group)| group.iter().map(move |it| (*it, place)));
    Groups {
        places: places.collect(),
        ordered,
    }
}

/// The group of an item. Of its own, so that other groups may come and go.
#[salsa::tracked(returns(clone))]
pub(super) fn group_of(db: &dyn Db, item: ItemId) -> Option<Group> {
    let groups = file_groups(db, item.file(db));
    let place = groups.places.get(&item)?;
    Some(Arc::clone(&groups.ordered[*place]))
}

/// What a walk over an item may ask for in its file.
#[salsa::tracked(returns(deref))]
pub(super) fn foreseen(db: &dyn Db, item: ItemId) -> Box<[ItemId]> {
    let mut found = Foreseen {
        db,
        items: FxHashSet::default(),
        types: FxHashSet::default(),
    };
    let bodies = infer_item(db, item);
    found.of_head(item, bodies);
    for (_, reference) in &bodies.references {
        match reference {
            Reference::Item(item)
            | Reference::Variant { item, .. }
            | Reference::Field { item, .. } => found.add(*item),
            Reference::Local { .. } | Reference::Module(_) => {}
        }
    }
    for instance in &bodies.generic_uses {
        instance
            .type_arguments
            .iter()
            .for_each(|it| found.of_type(it));
    }
    bodies.bodies.iter().for_each(|it| found.of_body(it));
    let file = item.file(db);
    let own = found.items.into_iter();
    let mut own: Vec<ItemId> = own
        .filter(|it| it.file(db) == file && is_summarized(db, *it))
        .collect();
    own.sort_by_key(|it| super::index(*it));
    own.into()
}

struct Foreseen<'db> {
    db: &'db dyn Db,
    items: FxHashSet<ItemId>,
    /// Types that were looked at.
    types: FxHashSet<Type>,
}

impl Foreseen<'_> {
    fn add(&mut self, item: ItemId) {
        self.items.insert(item);
    }

    fn of_head(&mut self, item: ItemId, bodies: &ItemBodies) {
        let db = self.db;
        self.items.extend(listed_tools(db, item));
        self.items.extend(listed_hooks(db, item));
        self.items.extend(listed_spawns(db, item));
        self.items.extend(item_signature(db, item).signature.agent);
        let main = bodies.bodies.iter().find(|it| it.part == BodyPart::Main);
        if let Some(main) = main {
            self.of_modifiers(main, &bodies.modifiers);
        }
    }

    fn of_modifiers(&mut self, body: &Body, modifiers: &Modifiers) {
        self.items.extend(task::judge(self.db, body, modifiers));
    }

    #[expect(
        clippy::too_many_lines,
        reason = "one line a form: rustc names what a new form must join"
    )]
    fn of_body(&mut self, body: &Body) {
        body.locals.iter().for_each(|it| self.of_type(&it.ty));
        for expression in &body.expressions {
            self.of_type(&expression.ty);
            match &expression.kind {
                ExpressionKind::Record { item, .. }
                | ExpressionKind::Variant { item, .. }
                | ExpressionKind::ErrorValue { item, .. } => self.add(*item),
                ExpressionKind::PromptCall { given, agent, .. } => {
                    self.items.extend(given);
                    self.items.extend(agent);
                }
                ExpressionKind::Step { modifiers, .. }
                | ExpressionKind::Modified { modifiers, .. } => self.of_modifiers(body, modifiers),
                // What these name is among the references.
                ExpressionKind::Int(_)
                | ExpressionKind::Float(_)
                | ExpressionKind::Bool(_)
                | ExpressionKind::None
                | ExpressionKind::Unit
                | ExpressionKind::Duration(_)
                | ExpressionKind::String(_)
                | ExpressionKind::Local(_)
                | ExpressionKind::Constant(_)
                | ExpressionKind::FunctionValue { .. }
                | ExpressionKind::ConstructorValue { .. }
                | ExpressionKind::Lambda(_)
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
                | ExpressionKind::If { .. }
                | ExpressionKind::Matches { .. }
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
                | ExpressionKind::PromptText { .. }
                | ExpressionKind::OfferedTool { .. }
                | ExpressionKind::Spawn(_)
                | ExpressionKind::Undo(_)
                | ExpressionKind::SpawnDetached { .. }
                | ExpressionKind::Await(_)
                | ExpressionKind::Race { .. }
                | ExpressionKind::ParallelFor { .. }
                | ExpressionKind::Parallel { .. }
                | ExpressionKind::Invalid => {}
            }
        }
    }

    /// The aliases whose checks a value of this type passes, and the records whose parts may be assigned in it.
    fn of_type(&mut self, ty: &Type) {
        if let Type::Checked(item, _) | Type::Record(item, _) = ty
            && self.types.insert(ty.clone())
        {
            self.add(*item);
            if matches!(ty, Type::Checked(..)) {
                self.of_type(&alias_target(self.db, *item));
            }
        }
        any_part(ty, |it| {
            self.of_type(it);
            false
        });
    }
}
