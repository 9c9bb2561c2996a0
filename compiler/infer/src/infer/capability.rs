//! What values of a type can do: be compared, ordered, added, written as JSON.

use std::collections::HashSet;

use gsw_names::errors::map_key_type;
use gsw_names::types::{Nature, Type, parts};
use gsw_names::{
    MOST_INSTANCES, holds_secret, is_key, is_plain_enum, is_too_large, substitute, type_grows,
};
use gsw_source::{Db, ItemId, Span};

use crate::errors::values as errors;
use crate::infer::hir_builder::HirBuilder;
use crate::infer::lookup;
use crate::item_bodies::Requirement;

/// What an answer depends on.
#[derive(Default)]
pub(crate) struct Open {
    /// Type parameters of the enclosing declaration that must be able as well.
    pub(crate) parameters: Vec<u32>,
    /// Whether some part is not known yet.
    pub(crate) unknown: bool,
}

/// Whether values of `ty` can do what `requirement` asks, given that those in `open` can.
pub(crate) fn is_able(db: &dyn Db, requirement: Requirement, ty: &Type, open: &mut Open) -> bool {
    Check {
        db,
        requirement,
        seen: HashSet::new(),
        depth: 0,
        is_whole: true,
    }
    .able(ty, open)
}

/// Whether `ty` has a JSON form as far as known. Type parameters in it become requirements of the enclosing item.
pub(super) fn has_json_form(hir: &mut HirBuilder, ty: &Type) -> bool {
    let ty = hir.table.zonk(ty);
    let mut open = Open::default();
    if !is_able(hir.db, Requirement::Json, &ty, &mut open) {
        return false;
    }
    require_of_parameters(hir, Requirement::Json, &open, Span::default());
    true
}

struct Check<'db> {
    db: &'db dyn Db,
    requirement: Requirement,
    /// Instances that were looked into. All parts must be able, so each has to be looked at once; one that contains itself is as
    /// able as its other parts.
    seen: HashSet<Type>,
    /// How deep the part is nested that is checked.
    depth: u32,
    /// Whether that is the type itself and no part of it; a checked type is its base.
    is_whole: bool,
}

/// Parts that are deeper are those of a type that holds ever larger instances of itself: source nests no deeper.
const DEEPEST: u32 = 1_000;

impl Check<'_> {
    fn able(&mut self, ty: &Type, open: &mut Open) -> bool {
        if self.depth == DEEPEST {
            return false;
        }
        self.depth += 1;
        let is_able = self.able_here(ty, open);
        self.depth -= 1;
        is_able
    }

    fn able_here(&mut self, ty: &Type, open: &mut Open) -> bool {
        match ty {
            // An invalid type has every capability, so that one mistake causes one report.
            Type::Invalid | Type::Never => true,
            // Assume it can; the caller keeps the question (`Postponed`) and asks again when inference has ended.
            Type::Variable(_) => {
                open.unknown = true;
                true
            }
            // A type parameter can do what its callers can be asked for: the requirement moves to the head of this declaration.
            Type::Parameter(index, _) => {
                if !open.parameters.contains(index) {
                    open.parameters.push(*index);
                }
                true
            }
            Type::Checked(item, arguments) => lookup::alias_target(self.db, *item, arguments)
                .is_none_or(|base| self.able(&base, open)),
            Type::Unit
            | Type::Bool
            | Type::Int
            | Type::Float
            | Type::String
            | Type::Bytes
            | Type::Time
            | Type::Duration
            | Type::Json
            | Type::Secret
            | Type::Image
            | Type::Document
            | Type::Session
            | Type::Error
            | Type::Agent
            | Type::Literals(_)
            | Type::Optional(_)
            | Type::List(_)
            | Type::Map(..)
            | Type::Tuple(_)
            | Type::Record(..)
            | Type::Enum(..)
            | Type::Function(_)
            | Type::Task(_)
            | Type::Stream(_)
            | Type::Queue(_)
            | Type::Partial(_)
            | Type::Text(_) => match self.requirement {
                Requirement::Equal => self.equal(ty, open),
                Requirement::Json => self.json(ty, open),
                Requirement::Order => self.order(ty, open),
                Requirement::Key => is_key(self.db, ty),
                Requirement::Item => self.item(ty, open),
                Requirement::Add => matches!(
                    ty,
                    Type::Int | Type::Float | Type::Duration | Type::String | Type::List(_)
                ),
                Requirement::Subtract | Requirement::Negate | Requirement::Numeric => {
                    matches!(ty, Type::Int | Type::Float | Type::Duration)
                }
                Requirement::Multiply | Requirement::Divide | Requirement::Remainder => {
                    matches!(ty, Type::Int | Type::Float)
                }
            },
        }
    }

    fn equal(&mut self, ty: &Type, open: &mut Open) -> bool {
        match ty.nature() {
            Nature::Live | Nature::Secret | Nature::Agent => false,
            Nature::Data | Nature::Media => self.inside(ty, open),
        }
    }

    fn json(&mut self, ty: &Type, open: &mut Open) -> bool {
        match ty.nature() {
            Nature::Live | Nature::Secret | Nature::Agent | Nature::Media => false,
            Nature::Data => self.inside(ty, open),
        }
    }

    /// An item that held a queue, or what captures one, could hold itself, and counting references would never free it. One that
    /// may be `none` could not be distinguished from the end of the queue.
    fn item(&mut self, ty: &Type, open: &mut Open) -> bool {
        let is_end = self.is_whole && matches!(ty, Type::Optional(_));
        match ty.nature() {
            Nature::Live => false,
            Nature::Data | Nature::Secret | Nature::Agent | Nature::Media => {
                !is_end && self.inside(ty, open)
            }
        }
    }

    fn order(&mut self, ty: &Type, open: &mut Open) -> bool {
        match ty {
            Type::Int
            | Type::Float
            | Type::String
            | Type::Literals(_)
            | Type::Bool
            | Type::Time
            | Type::Duration => true,
            // Variants with a payload have no order that a reader could guess. Records have none either: the order of their fields is
            // an accident of the declaration.
            Type::Enum(item, _) => is_plain_enum(self.db, *item),
            Type::Tuple(_) | Type::List(_) | Type::Optional(_) => self.inside(ty, open),
            Type::Unit
            | Type::Bytes
            | Type::Json
            | Type::Secret
            | Type::Image
            | Type::Document
            | Type::Session
            | Type::Error
            | Type::Agent
            | Type::Never
            | Type::Map(..)
            | Type::Record(..)
            | Type::Checked(..)
            | Type::Function(_)
            | Type::Task(_)
            | Type::Stream(_)
            | Type::Queue(_)
            | Type::Partial(_)
            | Type::Parameter(..)
            | Type::Variable(_)
            | Type::Text(_)
            | Type::Invalid => false,
        }
    }

    /// Whether everything that a value of `ty` holds is able.
    fn inside(&mut self, ty: &Type, open: &mut Open) -> bool {
        self.is_whole = false;
        if let Type::Record(item, arguments) | Type::Enum(item, arguments) = ty {
            // A type that contains ever larger instances of itself has no capability.
            let is_endless = type_grows(self.db, *item) || is_too_large(ty);
            if is_endless || self.seen.len() > MOST_INSTANCES {
                return false;
            }
            // Coinductive: an instance met again while it is looked into is assumed able, so recursive types terminate.
            return !self.seen.insert(ty.clone()) || self.declared(*item, arguments, open);
        }
        parts(ty).iter().all(|it| self.able(it, open))
    }

    fn declared(&mut self, item: ItemId, arguments: &[Type], open: &mut Open) -> bool {
        let db = self.db;
        let variants = lookup::variants(db, item).iter().flat_map(|it| &it.fields);
        lookup::fields(db, item)
            .iter()
            .chain(variants)
            .all(|it| self.able(&substitute(&it.ty, arguments), open))
    }
}

impl HirBuilder<'_> {
    /// Values of `ty` must be able to do this; reports when they are not. What is not known yet is looked at at the end.
    pub(super) fn require(&mut self, requirement: Requirement, ty: &Type, span: Span) {
        let ty = self.table.zonk(ty);
        let mut open = Open::default();
        if !is_able(self.db, requirement, &ty, &mut open) {
            let place = self.place(span);
            let text = self.show(&ty);
            let report = match requirement {
                Requirement::Json => errors::no_json_form(place, &text),
                Requirement::Key => map_key_type(place, &text),
                Requirement::Equal
                | Requirement::Order
                | Requirement::Add
                | Requirement::Subtract
                | Requirement::Multiply
                | Requirement::Divide
                | Requirement::Remainder
                | Requirement::Negate
                | Requirement::Numeric
                | Requirement::Item => errors::not_able(place, &text, requirement.ability()),
            };
            self.report(match holds_secret(self.db, &ty) {
                true => errors::secret_stays(report),
                false => report,
            });
        } else if open.unknown {
            // Type parameters found so far are not noted here: the question is asked again as a whole, and would note them twice.
            self.postponed.add_requirement(requirement, ty, span);
        } else {
            require_of_parameters(self, requirement, &open, span);
        }
    }
}

/// Notes what the body asks of its own type parameters.
pub(super) fn require_of_parameters(
    hir: &mut HirBuilder,
    requirement: Requirement,
    open: &Open,
    span: Span,
) {
    for &parameter in &open.parameters {
        hir.findings.require(parameter, requirement, span);
    }
}

/// Looks again at what was not known when an operator met it.
pub(super) fn settle_pending(hir: &mut HirBuilder) {
    for (requirement, ty, span) in hir.postponed.take_requirements() {
        hir.require(requirement, &ty, span);
    }
}

/// A map that stays empty has keys of some type; strings are as good as any.
pub(super) fn settle_keys(hir: &mut HirBuilder) {
    for (requirement, ty, _) in hir.postponed.take_requirements() {
        if requirement == Requirement::Key
            && let Type::Variable(key) = hir.table.zonk(&ty)
        {
            // Without a binding the key would become `()`, which no map can have as its key.
            hir.table.bind(key, &Type::String);
        }
    }
}
