//! What a call may raise, do and wait for: the least fixpoint over the functions of a file.
//!
//! ```text
//! fn load(path: string) -> string { fs.read(path) catch { IoError => "" } }   // raises nothing, does `fs.read`
//! fn each(xs: [int], f: fn(int) -> int) -> [int] { xs.map(f) }                // raises and does what `f` does
//! ```
//!
//! This is a type and effect system in the manner of Lucassen and Gifford (1988) without effect variables: a function that
//! calls its function parameters says so with one bit ([`ArgumentEffects`](crate::call_summary::ArgumentEffects)), and each call adds
//! what the functions given to it do.
//!
//! A *summary* holds the errors, effects and waiting of a call. *Facts* belong to a value: which errors awaiting the tasks in
//! it raises, which errors it may be, what calling the functions in it does. One walk over a body (`body`) computes both for
//! every expression, from the summaries of the items that it calls and the facts of its locals.
//!
//! Both are finite lattices (`facts`): sets of declared errors and effects, joined by union, with `open` above all errors.
//! Every rule is monotone, and what is known only grows, so the walks end: an item is walked again when an item that it asked
//! for, or one of its own locals, has grown.
//!
//! Invariants:
//!
//! - Nothing is missed: facts of a local ignore the order of statements and do not distinguish the parts of a value; both only
//!   add to what is found.
//! - `catch` removes only what an arm without a guard matches whatever the payload (`caught`); faults are in no set.
//! - A written `!` is what callers see; the body is checked against it (`declared`, `report`), after the fixpoint.
//! - A function that is stored, or given where a type says what it may raise, is checked against that type (`latent`);
//!   one whose type says nothing may do anything.
//!
//! The items of a file are summarised in groups that ask for each other, callees first (`groups`), and files imports first; files on a
//! cycle of imports know nothing of each other, and the cycle is reported elsewhere. Of the library, whose files call each other's methods without imports, each item is a unit of its own with
//! all that it calls: a program uses a few of a thousand.

mod body;
mod call;
mod caught;
mod control;
mod declared;
mod facts;
mod groups;
mod head;
mod latent;
mod left_task;
mod lost_update;
mod made;
mod report;
mod task;
mod unbounded;
mod unused_value;
mod used;
mod waiting;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gsw_infer::hir::{Body, BodyPart};
use gsw_infer::{Reference, infer_item};
use gsw_names::types::ErrorSet;
use gsw_names::{is_cycle, is_std, item_signature, listed_hooks, listed_spawns, listed_tools};
use gsw_source::{Db, Diagnostic, File, ItemId, ItemKind};
use gsw_syntax::file_item_ids;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::call_summary::{ItemSummary, PartSummary, Summary, Waits};
pub(crate) use body::checks_into;
use body::{BodyFacts, BodyWalk};
use facts::{Facts, nothing};
use groups::{file_groups, foreseen, group_of};
pub(crate) use made::fills;

/// The summaries of the items of a unit, in the order of [`index`].
#[derive(Clone, PartialEq, Eq, Debug)]
struct UnitSummary {
    items: Box<[(ItemId, ItemFacts)]>,
    asked: Asked,
}

impl UnitSummary {
    fn of(&self, item: ItemId) -> Option<&ItemFacts> {
        let items = &self.items;
        let place = items.binary_search_by_key(&index(item), |(it, _)| index(*it));
        place.ok().map(|place| &items[place].1)
    }
}

/// What the walks of a group of items have asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Asked {
    AsForeseen,
    /// Something that the group does not know.
    Otherwise,
}

/// What is known of one item. An editor holds it for every item of a project, so it is small where there is little to know.
#[derive(Clone, PartialEq, Eq, Debug)]
struct ItemFacts {
    summary: Arc<ItemSummary>,
    /// What its checks raise; `None` where that is nothing.
    checks: Option<Box<ErrorSet>>,
    /// Of what a call gives; `None` where that brings nothing.
    result: Option<Box<Facts>>,
    /// Of the defaults of its parameters and fields, where these bring anything.
    defaults: Box<[(BodyPart, Facts)]>,
    /// Errors that the signature leaves out, catches of what is never raised.
    diagnostics: Box<[Diagnostic]>,
}

impl ItemFacts {
    fn known(&self) -> Known {
        Known {
            call: self.summary.item.clone(),
            checks: self.checks.as_deref().cloned().unwrap_or_default(),
            result: self.result.as_deref().cloned().unwrap_or_default(),
            defaults: self.defaults.to_vec(),
        }
    }
}

/// What those know of an item that mention it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Known {
    /// What calling it may raise and do.
    call: Summary,
    /// What its checks raise, which run again where a part of a value changes.
    checks: ErrorSet,
    /// Of what a call gives.
    result: Facts,
    /// Of the defaults of its parameters and fields, where these bring anything.
    defaults: Vec<(BodyPart, Facts)>,
}

impl Known {
    fn nothing() -> Self {
        Self {
            call: nothing(),
            checks: ErrorSet::default(),
            result: Facts::default(),
            defaults: Vec::new(),
        }
    }

    fn learn_default(&mut self, part: BodyPart, facts: &Facts) {
        match self.defaults.iter_mut().find(|(it, _)| *it == part) {
            Some((_, known)) => known.join(facts),
            None if facts.is_empty() => {}
            None => self.defaults.push((part, facts.clone())),
        }
    }
}

/// What calling `item` may raise and do, and each lambda in it.
#[salsa::tracked(returns(clone))]
pub fn item_summary(db: &dyn Db, item: ItemId) -> Arc<ItemSummary> {
    match facts_of(db, item) {
        Some(facts) => facts.summary.clone(),
        None => Arc::new(ItemSummary {
            item: nothing(),
            parts: Box::default(),
        }),
    }
}

/// Diagnostics about the error sets of `file`: undeclared errors, and catches that never match.
pub fn error_diagnostics(db: &dyn Db, file: File) -> Vec<Diagnostic> {
    let items = file_item_ids(db, file).iter();
    let facts = items.filter_map(|item| facts_of(db, *item));
    facts
        .flat_map(|it| it.diagnostics.iter().cloned())
        .collect()
}

/// What is known of an item, in the summaries of its unit.
fn facts_of(db: &dyn Db, item: ItemId) -> Option<&ItemFacts> {
    let file = item.file(db);
    if is_std(db, file) {
        return is_summarized(db, item).then(|| summarize_library_item(db, item));
    }
    match settle_file(db, file) {
        Asked::AsForeseen => in_group(db, item),
        Asked::Otherwise => summarize_file(db, file).of(item),
    }
}

/// What is known of an item in the summary of its group.
fn in_group(db: &dyn Db, item: ItemId) -> Option<&ItemFacts> {
    let group = group_of(db, item)?;
    summarize_group(db, *group.first()?).of(item)
}

fn is_summarized(db: &dyn Db, item: ItemId) -> bool {
    !matches!(item.kind(db), ItemKind::Import | ItemKind::Invalid)
}

/// Summarises the items of a file that is not of the library, group by group: asked for first, no group asks for one that asks for
/// another, and so on through a long chain of calls.
#[salsa::tracked(returns(copy))]
fn settle_file(db: &dyn Db, file: File) -> Asked {
    let groups = file_groups(db, file).ordered.iter();
    let mut leaders = groups.filter_map(|it| it.first().copied());
    match leaders.all(|it| summarize_group(db, it).asked == Asked::AsForeseen) {
        true => Asked::AsForeseen,
        false => Asked::Otherwise,
    }
}

/// The summaries of a group of items, by the first one of it.
#[salsa::tracked(returns(ref))]
fn summarize_group(db: &dyn Db, leader: ItemId) -> UnitSummary {
    let group = group_of(db, leader).unwrap_or_default();
    let mut asked = FxHashSet::default();
    // Before all else, so that a group which no longer asks for another one is not kept from being asked by it.
    for item in group.iter() {
        asked.extend(foreseen(db, *item));
    }
    let items = callees_first(db, &group, |it| group.contains(&it));
    let mut unit = Unit::new(db, leader.file(db), items);
    unit.foreseen = asked;
    unit.summary()
}

/// The summaries of all items of a file that is not of the library, walked as one group.
#[salsa::tracked(returns(ref))]
fn summarize_file(db: &dyn Db, file: File) -> UnitSummary {
    let items = file_item_ids(db, file).iter().copied();
    let items: Vec<ItemId> = items.filter(|it| is_summarized(db, *it)).collect();
    let own: FxHashSet<ItemId> = items.iter().copied().collect();
    let items = callees_first(db, &items, |it| own.contains(&it));
    Unit::new(db, file, items).summary()
}

/// The summary of an item of the library, found with those of all that it calls.
#[salsa::tracked(returns(ref))]
fn summarize_library_item(db: &dyn Db, item: ItemId) -> ItemFacts {
    let is_library = |it: ItemId| is_std(db, it.file(db)) && is_summarized(db, it);
    let items = callees_first(db, &[item], is_library);
    let mut unit = Unit::new(db, item.file(db), items);
    unit.settle();
    unit.finish(item)
}

/// The items and all that they mention and that belongs to their unit, in an order in which callees come before their callers,
/// except on cycles: so what a chain of calls raises grows once at each link, not once for each link below it. That is for speed
/// alone: the least fixpoint is the same for every order of walks.
fn callees_first(db: &dyn Db, items: &[ItemId], belongs: impl Fn(ItemId) -> bool) -> Vec<ItemId> {
    // A depth-first search in post-order with a stack of its own: a chain of calls in a program may be deeper than the native stack.
    let mut opened: FxHashSet<ItemId> = FxHashSet::default();
    let mut ordered = Vec::with_capacity(items.len());
    for item in items {
        let mut open = Vec::new();
        if opened.insert(*item) {
            open.push((*item, mentioned(db, *item)));
        }
        while let Some((user, mentioned_by_it)) = open.last_mut() {
            match mentioned_by_it.next() {
                // Noted when it is opened, not when it is done, so a cycle of calls is cut at the item that it was entered by.
                Some(next) if belongs(next) && opened.insert(next) => {
                    open.push((next, mentioned(db, next)));
                }
                Some(_) => {}
                None => {
                    ordered.push(*user);
                    open.pop();
                }
            }
        }
    }
    ordered
}

/// The items that the bodies of `item` name.
fn mentioned(db: &dyn Db, item: ItemId) -> impl Iterator<Item = ItemId> + '_ {
    let references = infer_item(db, item).references.iter();
    references.filter_map(|(_, reference)| {
        let Reference::Item(item) = reference else {
            return None;
        };
        Some(*item)
    })
}

/// What a walk of an item has found out.
struct Learnt {
    /// More about the values in its bodies, which expressions that were walked before may read; they are not visible
    /// elsewhere.
    is_more_inside: bool,
    /// More about what calling it may raise and do.
    is_more_of_itself: bool,
}

/// The state of the fixpoint over one unit; everything in it only grows.
struct Unit<'a> {
    db: &'a dyn Db,
    file: File,
    /// Callees first; a unit of the library gets more when they are asked for.
    items: Vec<ItemId>,
    known: FxHashMap<ItemId, Known>,
    bodies: BTreeMap<(u32, BodyPart), BodyFacts>,
    /// Whether the files outside that were asked for may be asked.
    outside: FxHashMap<File, bool>,
    /// Which items asked for what is known of one of this unit: they look again when it grows.
    askers: FxHashMap<ItemId, BTreeSet<u32>>,
    /// The place in the unit of the item that is walked.
    walked: Option<u32>,
    /// The items of its file that a group may ask for.
    foreseen: FxHashSet<ItemId>,
    asked: Asked,
}

impl<'a> Unit<'a> {
    fn new(db: &'a dyn Db, file: File, items: Vec<ItemId>) -> Self {
        Self {
            db,
            file,
            known: items.iter().map(|it| (*it, Known::nothing())).collect(),
            items,
            bodies: BTreeMap::new(),
            outside: FxHashMap::default(),
            askers: FxHashMap::default(),
            walked: None,
            foreseen: FxHashSet::default(),
            asked: Asked::AsForeseen,
        }
    }
}

impl Unit<'_> {
    fn summary(mut self) -> UnitSummary {
        self.settle();
        let mut items = self.items.clone();
        items.sort_by_key(|it| index(*it));
        let facts = items.into_iter().map(|item| (item, self.finish(item)));
        UnitSummary {
            items: facts.collect(),
            asked: self.asked,
        }
    }

    /// Walks the items until nothing more is learnt, and says how many walks that took. An item is walked again only when what it
    /// asked for has grown, itself included; with callees first, a chain of calls costs one walk of each link.
    fn settle(&mut self) -> usize {
        let mut walks = 0;
        let mut waiting = BTreeSet::new();
        let mut known = 0;
        loop {
            // Items that have joined meanwhile are walked as well.
            let joined = known..self.items.len();
            known = joined.end;
            waiting.extend(joined.filter_map(|it| u32::try_from(it).ok()));
            let Some(place) = waiting.pop_first() else {
                return walks;
            };
            self.walked = Some(place);
            walks += 1;
            let item = self.items[place as usize];
            let learnt = self.pass(item);
            if learnt.is_more_inside {
                waiting.insert(place);
            }
            if learnt.is_more_of_itself {
                // Only the callers: in a file of a thousand functions a change of one walks its callers and not the
                // file.
                waiting.extend(self.askers.get(&item).into_iter().flatten());
            }
        }
    }

    /// Walks the bodies of `item` once more.
    fn pass(&mut self, item: ItemId) -> Learnt {
        let db = self.db;
        let before = self.known.get(&item).cloned();
        let mut known = before.clone().unwrap_or_else(Known::nothing);
        let mut is_more_inside = false;
        // Starts from what is known, never from nothing: a rule may only add, and what was passed on cannot be taken back.
        head::add_head(db, item, &mut known.call);
        let agent = item_signature(db, item).signature.agent;
        let spawns = listed_spawns(db, item);
        for source in listed_tools(db, item)
            .into_iter()
            .chain(listed_hooks(db, item))
            .chain(spawns)
            .chain(agent)
            .chain(head_judge(db, item))
        {
            let given = self.of(source).call;
            head::add_given(db, source, &given, &mut known.call);
        }
        // Examples come last: they show the text of their prompt.
        let is_example = |it: &&Arc<Body>| matches!(it.part, BodyPart::Example(_));
        let bodies = &infer_item(db, item).bodies;
        let examples = bodies.iter().filter(is_example);
        for body in bodies.iter().filter(|it| !is_example(it)).chain(examples) {
            let key = (index(item), body.part);
            let mut facts = self
                .bodies
                // Taken out while the walk borrows the unit, and put back after it.
                .remove(&key)
                .unwrap_or_else(|| BodyFacts::new(db, body));
            let outcome = BodyWalk::new(self, body, &mut facts).run();
            is_more_inside |= facts.take_learnt();
            self.bodies.insert(key, facts);
            head::add_part(body, outcome, &mut known);
        }
        // After the bodies: a written list replaces what they raise, also where that is less.
        head::fix_head(db, item, &mut known.call);
        let signature = &item_signature(db, item).signature;
        if signature.intrinsic.is_some()
            && matches!(signature.result, gsw_names::types::Type::Task(_))
        {
            // What the runtime starts by a name may raise anything.
            known.result.task.errors.open = true;
        }
        let is_more_of_itself = before.as_ref() != Some(&known);
        if is_more_of_itself {
            self.known.insert(item, known);
        }
        Learnt {
            is_more_inside,
            is_more_of_itself,
        }
    }

    fn finish(&mut self, item: ItemId) -> ItemFacts {
        let known = self.known.get(&item).cloned();
        let known = known.unwrap_or_else(Known::nothing);
        let mut parts = Vec::new();
        let mut diagnostics = Vec::new();
        for body in &infer_item(self.db, item).bodies {
            let Some(facts) = self.bodies.get(&(index(item), body.part)) else {
                continue;
            };
            let does = facts.does.get(body.root.0 as usize);
            parts.push(PartSummary {
                part: body.part,
                waits: does.map_or(Waits::Never, |it| it.waits),
                lambdas: facts.lambdas(),
                handed: facts.handed(),
            });
            diagnostics.extend(report::body_diagnostics(self.db, body, facts));
            diagnostics.extend(waiting::waiting_diagnostic(self.db, body, facts));
            diagnostics.extend(unused_value::unused_values(self.db, body, facts));
            diagnostics.extend(lost_update::lost_updates(body, facts));
            diagnostics.extend(unbounded::unbounded_loops(self.db, body, facts));
        }
        ItemFacts {
            summary: Arc::new(ItemSummary {
                item: known.call.clone(),
                parts: parts.into(),
            }),
            checks: (known.checks != ErrorSet::default()).then(|| Box::new(known.checks)),
            result: (known.result != Facts::default()).then(|| Box::new(known.result)),
            defaults: known.defaults.into(),
            diagnostics: diagnostics.into(),
        }
    }

    /// What a part of the item that is walked does, as far as known by now.
    fn part(&self, item: ItemId, part: BodyPart) -> Option<&Summary> {
        let root = infer_item(self.db, item).bodies.iter();
        let root = root.filter(|it| it.part == part).map(|it| it.root).next()?;
        let facts = self.bodies.get(&(index(item), part))?;
        facts.does.get(root.0 as usize)
    }

    /// What is known of `item` by now.
    fn of(&mut self, item: ItemId) -> Known {
        if let Some(known) = self.known.get(&item) {
            if let Some(place) = self.walked {
                self.askers.entry(item).or_default().insert(place);
            }
            return known.clone();
        }
        let (db, own) = (self.db, self.file);
        let file = item.file(db);
        // What no body names may be asked for as well, such as the check of an alias. It may ask for others of this unit, so it joins it.
        if is_std(db, own) && is_std(db, file) && is_summarized(db, item) {
            self.items.push(item);
            self.known.insert(item, Known::nothing());
            return self.of(item);
        }
        if file == own && is_summarized(db, item) {
            let facts = match self.foreseen.contains(&item) {
                true => in_group(db, item),
                false => {
                    self.asked = Asked::Otherwise;
                    None
                }
            };
            return facts.map_or_else(Known::nothing, ItemFacts::known);
        }
        let may_ask = *self.outside.entry(file).or_insert_with(|| {
            // On a cycle of imports the query would ask for itself, which salsa answers with a panic. The cycle is an error anyway.
            is_std(db, file) || !is_cycle(db, file, own)
        });
        match may_ask.then(|| facts_of(db, item)).flatten() {
            Some(facts) => facts.known(),
            None => Known {
                call: Summary {
                    // Of what cannot be asked the careful answer is that it waits; its errors are left out, since the program is refused.
                    waits: Waits::Always,
                    ..nothing()
                },
                ..Known::nothing()
            },
        }
    }
}

/// The prompt that the `reflect` in the head of a workflow asks.
fn head_judge(db: &dyn Db, item: ItemId) -> Option<ItemId> {
    let bodies = infer_item(db, item);
    let main = bodies.bodies.iter().find(|it| it.part == BodyPart::Main)?;
    task::judge(db, main, &bodies.modifiers)
}

/// Salsa's number of an item: a key with an order.
fn index(item: ItemId) -> u32 {
    salsa::plumbing::AsId::as_id(&item).index()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::Write;

    use gsw_source::{Database, Project};

    use super::{Asked, File, Unit, callees_first, file_item_ids};

    /// How many walks each item costs, where each of many calls the next one, and the last `end`.
    fn walks_of_a_chain(links: usize, end: &str) -> usize {
        let mut text = String::new();
        for link in 0..links {
            let next = match link + 1 {
                next if next == links => end.to_owned(),
                next => format!("f{next}(x)"),
            };
            let _ = writeln!(
                text,
                "error E{link}\nfn f{link}(x: int) -> int {{ if x == {link} {{ fail E{link} }} else {{ {next} }} }}"
            );
        }
        let db = Database::default();
        let file = File::new(&db, "main.gsw".into(), text.into());
        let modules = BTreeMap::from([("main".to_owned(), file)]);
        Project::new(&db, modules, "main".into());
        let items = callees_first(&db, file_item_ids(&db, file), |it| it.file(&db) == file);
        let count = items.len();
        Unit::new(&db, file, items).settle().div_ceil(count)
    }

    #[test]
    fn a_chain_of_calls_costs_one_walk_of_each_link_however_long_it_is() {
        for links in [10, 100] {
            assert_eq!(walks_of_a_chain(links, "x"), 1, "{links}");
            assert!(walks_of_a_chain(links, "f0(x)") <= 5, "{links}");
        }
    }

    #[test]
    fn what_a_group_does_not_know_of_is_asked_of_the_whole_file() {
        let db = Database::default();
        let text = "error E\nfn f() -> int { fail E }\nfn g() -> int { f() }\n";
        let file = File::new(&db, "main.gsw".into(), text.into());
        let modules = BTreeMap::from([("main".to_owned(), file)]);
        Project::new(&db, modules, "main".into());
        let last = *file_item_ids(&db, file).last().expect("it has three");
        let mut unit = Unit::new(&db, file, vec![last]);
        unit.settle();
        assert_eq!(unit.asked, Asked::Otherwise);
        assert_eq!(super::settle_file(&db, file), Asked::AsForeseen);
        let whole = super::summarize_file(&db, file);
        assert_eq!(whole.of(last), super::in_group(&db, last));
    }
}
