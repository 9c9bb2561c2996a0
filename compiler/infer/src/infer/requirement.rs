//! Query `requirements`: what generic declarations ask of their type arguments, and where
//! one is given that cannot do it.
//!
//! A body notes what it asks of its own type parameters and which generic declarations it uses with them; what those ask is
//! followed here, outside of inference, so that functions that call each other are no cycle of queries.

use gsw_names::types::{Type, parts};
use gsw_names::{
    ANY_VALUE, RequirementKind, alias_target, display_type, generics_of, holds_secret,
    item_signature, lower_type, std_file,
};
use gsw_source::{Db, Diagnostic, ItemId, ItemKind, Place};
use gsw_syntax::ast::{Child, TypeExpressionKind, children, item_children};
use gsw_syntax::{is_damaged, item_ast};
use rustc_hash::FxHashMap;

use crate::errors::elsewhere;
use crate::errors::habits;
use crate::errors::values as errors;
use crate::infer::capability::{Open, is_able};
use crate::infer::{infer_item, lookup};
use crate::item_bodies::{GenericUse, Requirement};

/// What `item` asks of its type parameters, by position; sorted.
#[salsa::tracked(returns(ref))]
pub fn requirements(db: &dyn Db, item: ItemId) -> Vec<(u32, Requirement)> {
    // A query of its own per function would be a cycle where functions call each other. So the declarations that are reached are
    // collected first, and the least fixpoint is computed over them here.
    let reached = reach(db, item);
    let mut asked: FxHashMap<ItemId, Vec<(u32, Requirement)>> =
        reached.iter().map(|&it| (it, own(db, it))).collect();
    // Each round follows one more call; a set that stays the same is complete.
    loop {
        let mut has_grown = false;
        for &user in &reached {
            for used in uses(db, user) {
                let passed = passed_on(db, used, asked.get(&used.item));
                let list = asked.entry(user).or_default();
                for requirement in passed {
                    if !list.contains(&requirement) {
                        list.push(requirement);
                        has_grown = true;
                    }
                }
            }
        }
        if !has_grown {
            break;
        }
    }
    let mut found = asked.remove(&item).unwrap_or_default();
    found.sort_unstable();
    found.dedup();
    found
}

/// Reports the type arguments in the bodies of `item` that cannot do what is asked of them.
pub fn requirement_diagnostics(db: &dyn Db, item: ItemId) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut keys: Vec<&Type> = Vec::new();
    for used in uses(db, item) {
        for &(parameter, requirement) in requirements(db, used.item) {
            let Some(ty) = used.type_arguments.get(parameter as usize) else {
                continue;
            };
            if is_able(db, requirement, ty, &mut Open::default()) {
                continue;
            }
            // `()` is also what stands for a type that nothing says, as where it could not be read.
            if *ty == Type::Unit && is_damaged(db, item) {
                continue;
            }
            // What is done with a map that cannot be is not reported again.
            if requirement == Requirement::Key {
                if keys.contains(&ty) {
                    continue;
                }
                keys.push(ty);
            }
            let place = Place::Item {
                item,
                span: used.span,
            };
            let generics = generics_of(db, used.item);
            let name = generics
                .get(parameter as usize)
                .map_or("", |it| it.as_str());
            let function = used.item.name(db).as_str();
            let report = errors::unmet_requirement(
                place,
                function,
                name,
                &display_type(db, ty),
                requirement.ability(),
            );
            found.push(instead(db, report, requirement, function, ty));
            break;
        }
    }
    found
}

/// What is written instead where a type cannot do what a function needs.
fn instead(
    db: &dyn Db,
    report: Diagnostic,
    requirement: Requirement,
    function: &str,
    ty: &Type,
) -> Diagnostic {
    if holds_secret(db, ty) {
        return errors::secret_stays(report);
    }
    let has_key_form = matches!(function, "sort" | "sort_desc" | "min" | "max");
    match requirement {
        Requirement::Order if has_key_form => errors::order_by_part(report, function),
        Requirement::Item => errors::items_of_queues(report),
        Requirement::Order
        | Requirement::Equal
        | Requirement::Add
        | Requirement::Subtract
        | Requirement::Multiply
        | Requirement::Divide
        | Requirement::Remainder
        | Requirement::Negate
        | Requirement::Json => report,
        Requirement::Numeric if *ty == Type::String => elsewhere::joined_texts(report),
        Requirement::Numeric if matches!(ty, Type::Task(_)) => elsewhere::sum_of_tasks(report),
        Requirement::Numeric if matches!(ty, Type::Optional(_)) => habits::sum_of_optionals(report),
        Requirement::Numeric => report,
        Requirement::Key if function == "group_by" && *ty == Type::Bool => {
            elsewhere::partitioned(elsewhere::keys_are(report))
        }
        Requirement::Key => elsewhere::keys_are(report),
    }
}

/// The generic declarations that an item names in its types, and what it calls.
fn uses(db: &dyn Db, item: ItemId) -> impl Iterator<Item = &GenericUse> {
    let written = written_types(db, item).iter();
    written.chain(&infer_item(db, item).generic_uses)
}

/// The types with arguments that are written anywhere in `item`.
#[salsa::tracked(returns(ref))]
fn written_types(db: &dyn Db, item: ItemId) -> Vec<GenericUse> {
    let Some(tree) = item_ast(db, item) else {
        return Vec::new();
    };
    let generics = generics_of(db, item);
    let mut found = Vec::new();
    let mut waiting = item_children(&tree);
    while let Some(node) = waiting.pop() {
        if let Child::Type(ty) = node
            && matches!(&ty.kind, TypeExpressionKind::Named { arguments, .. } if !arguments.is_empty())
        {
            // What is wrong with it is reported where the type is used.
            let lowered = lower_type(db, item.file(db), &generics, ty, &mut Vec::new(), item);
            if let Type::Record(of, them) | Type::Enum(of, them) | Type::Checked(of, them) = lowered
            {
                found.push(GenericUse {
                    item: of,
                    type_arguments: them.to_vec(),
                    span: ty.span,
                });
            }
        }
        waiting.extend(children(node));
    }
    // In the order of the source, as reports are.
    found.sort_by_key(|it| it.span);
    found
}

/// The generic declarations that `item` uses, also by way of others, itself included.
fn reach(db: &dyn Db, item: ItemId) -> Vec<ItemId> {
    let mut reached = vec![item];
    let mut next = 0;
    while let Some(&user) = reached.get(next) {
        for used in uses(db, user) {
            if !reached.contains(&used.item) {
                reached.push(used.item);
            }
        }
        next += 1;
    }
    reached
}

/// What the item itself asks: its operators, or its attributes.
fn own(db: &dyn Db, item: ItemId) -> Vec<(u32, Requirement)> {
    let written = &infer_item(db, item).requirements;
    let mut own: Vec<_> = written.iter().map(|(index, it, _)| (*index, *it)).collect();
    own.extend(
        item_signature(db, item)
            .requirements
            .iter()
            .map(|(kind, index)| {
                let requirement = match kind {
                    RequirementKind::Equal => Requirement::Equal,
                    RequirementKind::Ordered => Requirement::Order,
                    RequirementKind::Numeric => Requirement::Numeric,
                    RequirementKind::Item => Requirement::Item,
                };
                (*index, requirement)
            }),
    );
    // What every value can do is to become JSON or text.
    // Functions of that module are intrinsics: there is no body from which their requirement could follow.
    if std_file(db, ANY_VALUE) == Some(item.file(db)) {
        let parameters = 0u32..u32::try_from(generics_of(db, item).len()).unwrap_or(0);
        own.extend(parameters.map(|it| (it, Requirement::Json)));
    }
    own.extend(keys(db, item).into_iter().map(|it| (it, Requirement::Key)));
    own.sort_unstable();
    own.dedup();
    own
}

/// The type parameters that stand for the keys of a map in the head of a function or the fields of a type.
fn keys(db: &dyn Db, item: ItemId) -> Vec<u32> {
    if generics_of(db, item).is_empty() {
        return Vec::new();
    }
    let signature = &item_signature(db, item).signature;
    let variants = lookup::variants(db, item).iter().flat_map(|it| &it.fields);
    let fields = lookup::fields(db, item).iter().chain(variants);
    let mut types: Vec<Type> = fields
        .chain(&signature.parameters)
        .map(|it| it.ty.clone())
        .collect();
    types.push(signature.result.clone());
    if item.kind(db) == ItemKind::Alias {
        types.push(alias_target(db, item));
    }
    let mut found = Vec::new();
    while let Some(ty) = types.pop() {
        if let Type::Map(key, _) = &ty
            && let Type::Parameter(index, _) = **key
        {
            found.push(index);
        }
        types.extend(parts(&ty));
    }
    found
}

/// What the user's own type parameters must be able to do because of what is used with them.
fn passed_on(
    db: &dyn Db,
    used: &GenericUse,
    asked: Option<&Vec<(u32, Requirement)>>,
) -> Vec<(u32, Requirement)> {
    let mut passed = Vec::new();
    for &(parameter, requirement) in asked.into_iter().flatten() {
        let Some(ty) = used.type_arguments.get(parameter as usize) else {
            continue;
        };
        let mut open = Open::default();
        // Where the type cannot, the use is reported (`requirement_diagnostics`) and its callers are not asked for anything.
        if is_able(db, requirement, ty, &mut open) {
            passed.extend(open.parameters.into_iter().map(|it| (it, requirement)));
        }
    }
    passed
}
