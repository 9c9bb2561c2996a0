//! Where values come from: what a stranger may have written must not come to where a declaration says `trusted`.
//!
//! ```text
//! tool pay(to: string trusted) once { … }
//! pay(read(letter).iban)                 // error: a model has answered it
//! pay(trust(read(letter).iban, "…"))     // the program vouches for it
//! ```
//!
//! A dataflow analysis over whole programs: each expression has a [`Label`] that says what of it comes from outside, and of which
//! parameters of its item it is made. Of each item a summary ([`ItemTrust`]) says the same of its result, and which of its
//! parameters come to a `trusted` place, and what it calls the functions with that it is given. Labels only grow, so the walks end:
//! an item is walked again when one that it asked for has grown.
//!
//! Invariants:
//!
//! - What flows through values is missed nowhere: a local has one label for all its values and all their parts, keys included, a
//!   function that is handed over is called with what the callee's summary says, and what cannot be followed (queues, errors,
//!   functions that are kept) counts as foreign.
//! - The label of a function is that of what it gives. It also says from which parameters of the item the function comes, so
//!   that its callers are noted in the summary.
//! - What flows through decisions is not followed: `if page == "x" { pay("a") } else { pay("b") }` chooses between trusted values.
//! - A program in which nothing is `trusted` is not walked.

mod label;
mod origin;
mod walk;

use std::collections::{BTreeMap, VecDeque};

use gsw_infer::hir::BodyPart;
use gsw_infer::infer_item;
use gsw_names::{Presence, Signature, is_std, item_signature, listed_spawns, listed_tools};
use gsw_source::{Db, Diagnostic, File, ItemId, ItemKind, Name, Project};
use gsw_syntax::file_item_ids;
use rustc_hash::{FxHashMap, FxHashSet};

use label::Label;
use walk::{ItemWalk, Known};

/// What is wrong in `file` with where values come from.
pub fn trust_diagnostics(db: &dyn Db, file: File) -> &[Diagnostic] {
    let found = found(db).and_then(|it| it.reports.get(&file));
    found.map_or(&[], Vec::as_slice)
}

/// Whether the texts and settings of a prompt hold something from outside besides its arguments.
pub fn says_foreign(db: &dyn Db, prompt: ItemId) -> bool {
    found(db).is_some_and(|it| it.foreign.contains(&prompt))
}

/// A parameter that flows to a `trusted` place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GuardedParameter {
    pub name: Name,
    /// As in "`to` of `pay`"; `None` where the parameter itself is declared `trusted`.
    pub place: Option<String>,
}

/// The parameters of a workflow that must not come from an untrusted caller.
pub fn guarded_parameters(db: &dyn Db, workflow: ItemId) -> Vec<GuardedParameter> {
    let Some(found) = found(db) else {
        return Vec::new();
    };
    let needs = found.needs.get(&workflow);
    let parameters = (0u32..).zip(&item_signature(db, workflow).signature.parameters);
    let guarded = parameters.filter_map(|(index, it)| {
        let place = match it.trusted {
            Presence::Present => None,
            Presence::Absent => Some(needs?.get(&index)?.clone()),
        };
        Some(GuardedParameter {
            name: it.name.clone(),
            place,
        })
    });
    guarded.collect()
}

fn found(db: &dyn Db) -> Option<&Found> {
    let project = Project::try_get(db).filter(|it| asks_for_trust(db, *it))?;
    Some(untrusted_values(db, project))
}

/// What the walks of a program have found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Found {
    reports: FxHashMap<File, Vec<Diagnostic>>,
    /// The prompts that say something from outside, whatever they are given.
    foreign: FxHashSet<ItemId>,
    /// The parameters of workflows that come to a `trusted` place, and to which.
    needs: FxHashMap<ItemId, BTreeMap<u32, String>>,
}

/// Whether anything in the project is declared `trusted`.
#[salsa::tracked(returns(copy))]
fn asks_for_trust(db: &dyn Db, project: Project) -> bool {
    own_files(db, project).any(|it| file_asks_for_trust(db, it))
}

/// Whether anything in a file is, so that an edit checks only the items of one file.
#[salsa::tracked(returns(copy))]
fn file_asks_for_trust(db: &dyn Db, file: File) -> bool {
    // What does not even hold the word needs no tree.
    if !file.text(db).contains("trusted") {
        return false;
    }
    let asks = |it: &Signature| {
        let parameters = it.parameters.iter().map(|it| it.trusted);
        parameters
            .chain([it.trusted])
            .any(|it| it == Presence::Present)
    };
    let mut items = file_item_ids(db, file).iter();
    items.any(|it| asks(&item_signature(db, *it).signature))
}

fn own_files(db: &dyn Db, project: Project) -> impl Iterator<Item = File> {
    let files = project.modules(db).values().copied();
    files.filter(|it| !is_std(db, *it))
}

fn own_items(db: &dyn Db, project: Project) -> impl Iterator<Item = ItemId> {
    let files = own_files(db, project);
    files.flat_map(|it| file_item_ids(db, it).iter().copied())
}

#[salsa::tracked(returns(ref))]
fn untrusted_values(db: &dyn Db, project: Project) -> Found {
    let mut unit = Unit::new(db);
    // A test hands over what its author has written.
    let items =
        own_items(db, project).filter(|it| is_walked(db, *it) && it.kind(db) != ItemKind::Test);
    let items: Vec<ItemId> = items.collect();
    for item in own_items(db, project) {
        unit.given.extend(listed_spawns(db, item));
        unit.given.extend(listed_tools(db, item));
        if item.kind(db) == ItemKind::External
            && item_signature(db, item).signature.trusted == Presence::Present
        {
            unit.trusted_external = Presence::Present;
        }
    }
    items.iter().for_each(|it| unit.ask(*it));
    unit.settle();
    let mut found = Found::default();
    for item in items {
        let Walked { trust, reports } = unit.walk(item);
        if trust.says.foreign.is_some() {
            found.foreign.insert(item);
        }
        if item.kind(db) == ItemKind::Workflow && !trust.needs.is_empty() {
            found.needs.insert(item, trust.needs);
        }
        if !reports.is_empty() {
            let of_file = found.reports.entry(item.file(db)).or_default();
            of_file.extend(reports.into_values());
        }
    }
    found
}

/// Whether an item has bodies through which values flow.
fn is_walked(db: &dyn Db, item: ItemId) -> bool {
    match item.kind(db) {
        ItemKind::Function
        | ItemKind::Const
        | ItemKind::Workflow
        | ItemKind::Tool
        | ItemKind::Prompt
        | ItemKind::Human
        | ItemKind::External
        | ItemKind::Hook
        | ItemKind::Test
        | ItemKind::Record
        | ItemKind::Alias
        | ItemKind::Enum
        | ItemKind::Error => true,
        ItemKind::Import
        | ItemKind::Agent
        | ItemKind::Mcp
        | ItemKind::Skill
        | ItemKind::Permissions
        | ItemKind::Invalid => false,
    }
}

/// What is known of an item.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct ItemTrust {
    /// Of what a call gives, over its parameters.
    result: Label,
    /// The parameters that come to a `trusted` place, and to which.
    needs: BTreeMap<u32, String>,
    /// What the functions are called with that come from each of its parameters, over its parameters.
    passes: BTreeMap<u32, Label>,
    /// Of what a prompt says, settings included, over its parameters.
    says: Label,
    /// Of the defaults of its fields.
    defaults: BTreeMap<BodyPart, Label>,
}

/// What a walk of an item has found.
#[derive(Default)]
struct Walked {
    trust: ItemTrust,
    /// By place, so that each has one.
    reports: BTreeMap<(u32, u32), Diagnostic>,
}

/// The items that are to be walked, each once, first come first walked: of two reports for one place the first one stays.
#[derive(Default)]
struct Waiting {
    line: VecDeque<ItemId>,
    members: FxHashSet<ItemId>,
}

impl Waiting {
    fn add(&mut self, item: ItemId) {
        if self.members.insert(item) {
            self.line.push_back(item);
        }
    }

    fn next(&mut self) -> Option<ItemId> {
        let item = self.line.pop_front()?;
        self.members.remove(&item);
        Some(item)
    }
}

/// The state of the fixpoint; everything in it only grows.
struct Unit<'a> {
    db: &'a dyn Db,
    known: FxHashMap<ItemId, ItemTrust>,
    bodies: FxHashMap<(ItemId, BodyPart), Known>,
    /// Which items asked for what is known of one, in order.
    askers: FxHashMap<ItemId, Vec<ItemId>>,
    asked: FxHashSet<(ItemId, ItemId)>,
    waiting: Waiting,
    /// What a model may call or start.
    given: FxHashSet<ItemId>,
    /// Whether the program believes the answer of an `external`.
    trusted_external: Presence,
}

impl<'a> Unit<'a> {
    fn new(db: &'a dyn Db) -> Self {
        Self {
            db,
            known: FxHashMap::default(),
            bodies: FxHashMap::default(),
            askers: FxHashMap::default(),
            asked: FxHashSet::default(),
            waiting: Waiting::default(),
            given: FxHashSet::default(),
            trusted_external: Presence::Absent,
        }
    }

    /// Has an item walked, if it was not.
    fn ask(&mut self, item: ItemId) {
        if is_walked(self.db, item) && !self.known.contains_key(&item) {
            self.known.insert(item, ItemTrust::default());
            self.waiting.add(item);
        }
    }

    /// What is known of an item by now, for another one, which is walked again when it grows.
    fn of(&mut self, item: ItemId, asker: ItemId) -> ItemTrust {
        self.ask(item);
        if self.asked.insert((item, asker)) {
            self.askers.entry(item).or_default().push(asker);
        }
        self.known.get(&item).cloned().unwrap_or_default()
    }

    /// A model may call or start something, as is found while its callers are walked.
    fn note_given(&mut self, item: ItemId) {
        if self.given.insert(item) && is_walked(self.db, item) {
            self.ask(item);
            self.waiting.add(item);
        }
    }

    fn settle(&mut self) {
        while let Some(item) = self.waiting.next() {
            let found = self.walk(item).trust;
            let known = self.known.entry(item).or_default();
            let before = known.clone();
            known.grow(found);
            if *known != before {
                let askers = self.askers.get(&item).into_iter().flatten();
                askers.for_each(|it| self.waiting.add(*it));
            }
        }
    }

    /// Walks the bodies of an item until nothing more is learnt of its locals.
    fn walk(&mut self, item: ItemId) -> Walked {
        let bodies = infer_item(self.db, item);
        // What has no body, such as a row of the library, is known by its head.
        let Some(first) = bodies.bodies.first() else {
            return Walked::default();
        };
        let mut walk = ItemWalk::new(self, item, bodies, first);
        walk.run();
        walk.finish()
    }
}

impl ItemTrust {
    /// Adds what another walk has found; what was found first stays.
    fn grow(&mut self, found: Self) {
        self.result.join(&found.result);
        self.says.join(&found.says);
        for (parameter, what) in &found.passes {
            self.passes.entry(*parameter).or_default().join(what);
        }
        for (default, label) in &found.defaults {
            self.defaults.entry(*default).or_default().join(label);
        }
        for (parameter, what) in found.needs {
            self.needs.entry(parameter).or_insert(what);
        }
    }
}
