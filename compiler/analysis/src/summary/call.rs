//! What calls do: of items, of values, of prompts.

use gsw_infer::hir::{BodyPart, Callee, ExpressionId, ExpressionKind, Lambda, PromptMode};
use gsw_infer::{Requirement, requirements};
use gsw_names::types::{ErrorSet, FunctionType, Type};
use gsw_names::{find_held, item_signature};
use gsw_source::{Db, ItemId, ItemKind};

use super::Known;
use super::body::{BodyWalk, Outcome, checks_into};
use super::facts::{Facts, Raised, add, can_carry_effects, nothing, of_latent};
use super::head::add_given;
use super::task::deadlock;
use crate::call_summary::{ArgumentEffects, Kept, Summary, Waits};

/// What the arguments of a call bring.
struct Given {
    values: Facts,
    /// What calling those does that are functions for the called to call.
    handed: Summary,
}

impl Given {
    /// Adds what the defaults bring of parameters that the call leaves out.
    fn add_defaults(&mut self, called: &Known, arguments: &[(u32, ExpressionId)], run: &[u32]) {
        for (part, facts) in &called.defaults {
            let BodyPart::ParameterDefault(place) = *part else {
                continue;
            };
            if arguments.iter().any(|(given, _)| *given == place) {
                continue;
            }
            let mut facts = facts.clone();
            // A default may hold functions that were given for the parameters before it.
            close(&mut facts.call, &self.handed);
            facts.task.close(&self.handed);
            if run.contains(&place) {
                add(&mut self.handed, &facts.call);
            }
            self.values.join(&facts);
        }
    }

    /// The tasks that come out may raise what the functions raise that go in.
    fn add_late(&mut self) {
        let raised = Raised::taken_from(&mut self.values.call.clone());
        self.values.task.join(&raised);
    }
}

/// What happens to a lambda that is given to a call.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Fate {
    /// It is called, if at all, before the call ends, and gets nothing with functions or tasks in it but what the arguments bring.
    Called {
        /// The places of the parameters that may also be given what they gave before, as that of `fold`.
        fed_back: Vec<u32>,
    },
    Unknown,
}

/// How a prompt is called.
pub(super) struct Manner {
    /// What follows `with`: settings, a session.
    pub with: [Option<ExpressionId>; 2],
    pub mode: PromptMode,
}

impl<'a> BodyWalk<'a, '_> {
    pub(super) fn function_value(&mut self, item: ItemId, type_arguments: &[Type]) -> Outcome {
        let known = self.unit.of(item);
        let (mut call, mut value) = (known.call, known.result);
        add(&mut call, &self.checked_results(item, type_arguments));
        // What it will be given is not known here.
        value.error.open |= lets_out(self.db(), item);
        // One summary for the function and for those that it gives, as for a lambda.
        add(&mut value.call, &call);
        // Who calls the value has no instance to choose, so its code takes the functions that it is given as waiting.
        if value.call.waits == Waits::WithArguments {
            value.call.waits = Waits::Always;
        }
        Outcome {
            does: nothing(),
            value,
        }
    }

    pub(super) fn call(
        &mut self,
        id: ExpressionId,
        callee: &'a Callee,
        arguments: &'a [(u32, ExpressionId)],
        ty: &Type,
    ) -> Outcome {
        let mut outcome = Outcome::nothing();
        let known = self.callee(callee, ty, &mut outcome.does);
        let run = self.run_by(callee);
        let mut brought =
            self.arguments(arguments, &run, fate(self.db(), callee), &mut outcome.does);
        brought.add_defaults(&known, arguments, &run);
        match callee {
            Callee::Item { .. } => self.add_passed(arguments, &run, &mut brought),
            Callee::Value(_) => brought.add_late(),
            Callee::EnumValues(_) => {}
        }
        let Given {
            values: given,
            handed,
        } = brought;
        let Known {
            call: called,
            mut result,
            ..
        } = known;
        // What the called does itself, apart from its function arguments, which are known here.
        let own = Summary {
            arguments: ArgumentEffects::None,
            kept: Kept::All,
            ..called.clone()
        };
        match callee {
            Callee::Item {
                item,
                type_arguments,
            } => {
                self.note_handed(id, handed.waits);
                add_called(&mut outcome.does, &own, &called, &handed);
                let checked = self.checked_results(*item, type_arguments);
                add(&mut outcome.does, &checked);
            }
            // A function value that calls a parameter of the enclosing function says so by itself. What its own parameters do it does
            // not say, whether they are functions or hold some.
            Callee::Value(_) | Callee::EnumValues(_) => {
                add(&mut outcome.does, &called);
                add(&mut outcome.does, &given.call);
                self.teach(callee, &given);
            }
        }
        match passed_on(self.db(), callee, ty) {
            PassedOn::All => result.join(&given),
            PassedOn::AllButErrors => result.join(&Facts {
                error: ErrorSet::default(),
                ..given
            }),
            PassedOn::Nothing => {}
        }
        if matches!(callee, Callee::Item { .. }) {
            close(&mut result.call, &handed);
            result.task.close(&handed);
        }
        result.keep_within(self.db(), ty);
        outcome.value = result;
        outcome
    }

    /// What the checks do that results of arithmetic pass in a generic declaration, which is compiled for each type that it is
    /// used with.
    fn checked_results(&mut self, item: ItemId, type_arguments: &[Type]) -> Summary {
        let mut does = nothing();
        for (place, ty) in (0..).zip(type_arguments) {
            let aliases = checks_into(self.db(), ty);
            if aliases.is_empty() || !has_arithmetic(self.db(), item, place) {
                continue;
            }
            for alias in aliases {
                add(&mut does, &self.unit.of(alias).call);
            }
        }
        does
    }

    /// What is known of what a call calls that gives a value of type `ty`.
    fn callee(&mut self, callee: &'a Callee, ty: &Type, does: &mut Summary) -> Known {
        match callee {
            Callee::Item { item, .. } => self.unit.of(*item),
            Callee::Value(value) => {
                let function = self.expression(*value);
                add(does, &function.does);
                let latent = self.function_type(*value).and_then(|it| it.latent.as_ref());
                Known {
                    call: latent.map_or_else(|| function.value.call.clone(), of_latent),
                    result: self.given_by(function.value, ty),
                    ..Known::nothing()
                }
            }
            Callee::EnumValues(_) => Known::nothing(),
        }
    }

    /// What the result of a function value brings: all that the value does, since its summary is of the functions that it gives as
    /// well; where the result holds none, the call that is made here is all that it does.
    fn given_by(&self, function: Facts, ty: &Type) -> Facts {
        let is_function = |it: &Type| matches!(it, Type::Function(_)).then_some(());
        match find_held(self.db(), ty, Some(()), is_function) {
            Some(()) => function,
            None => Facts {
                call: nothing(),
                ..function
            },
        }
    }

    /// What the parameters of a lambda are given that is called by its name.
    fn teach(&mut self, callee: &Callee, given: &Facts) {
        let Callee::Value(value) = callee else {
            return;
        };
        let ExpressionKind::Local(name) = self.body.expression(*value).kind else {
            return;
        };
        let lambda = self.called.iter().find(|(it, _)| *it == name);
        if let Some((_, lambda)) = lambda.copied() {
            for parameter in &lambda.parameters {
                self.learn(*parameter, given);
            }
        }
    }

    /// The parameters of what is called that it runs: it runs what it takes as a function, but not what it takes as a part of
    /// something else.
    fn run_by(&self, callee: &Callee) -> Vec<u32> {
        let is_run =
            |ty: &Type| matches!(ty, Type::Function(function) if function.latent.is_none());
        match callee {
            Callee::Item { item, .. } => {
                let parameters = &item_signature(self.db(), *item).signature.parameters;
                let places = (0..).zip(parameters).filter(|(_, it)| is_run(&it.ty));
                places.map(|(place, _)| place).collect()
            }
            Callee::Value(value) => {
                let function = self.function_type(*value);
                let parameters = function.map_or(&[][..], |it| &it.parameters);
                let places = (0..).zip(parameters).filter(|(_, it)| is_run(it));
                places.map(|(place, _)| place).collect()
            }
            Callee::EnumValues(_) => Vec::new(),
        }
    }

    /// The type of a function value.
    fn function_type(&self, value: ExpressionId) -> Option<&'a FunctionType> {
        let Type::Function(function) = &self.body.expression(value).ty else {
            return None;
        };
        Some(function)
    }

    /// Evaluates the arguments, of which those at the places in `run` are run; a lambda among them may get what the others bring.
    fn arguments(
        &mut self,
        arguments: &'a [(u32, ExpressionId)],
        run: &[u32],
        fate: Fate,
        does: &mut Summary,
    ) -> Given {
        let mut given = Facts::default();
        let mut handed = nothing();
        let body = self.body;
        let is_lambda = |id: ExpressionId| {
            let ExpressionKind::Lambda(lambda) = &body.expression(id).kind else {
                return None;
            };
            Some(lambda)
        };
        for (index, id) in arguments {
            if is_lambda(*id).is_some() {
                continue;
            }
            let outcome = self.expression(*id);
            add(does, &outcome.does);
            if run.contains(index) {
                add(&mut handed, &outcome.value.call);
            }
            given.join(&outcome.value);
        }
        // Lambdas last, as in inference: `tasks.map(t => await t)` raises what the tasks raise, because `t` may be any of them.
        let brought = given.clone();
        let mut lambdas: Vec<(u32, &Lambda, Facts)> = Vec::new();
        for (index, id) in arguments {
            let Some(lambda) = is_lambda(*id) else {
                continue;
            };
            for parameter in &lambda.parameters {
                self.learn(*parameter, &brought);
            }
            match &fate {
                Fate::Called { .. } => self.known_parameters.extend(&lambda.parameters),
                Fate::Unknown => {}
            }
            let value = self.expression(*id).value;
            if run.contains(index) {
                add(&mut handed, &value.call);
            }
            given.join(&value);
            lambdas.push((*index, lambda, value));
        }
        // What one lambda gives may be what another takes. The next walk sees what is learnt here.
        for (place, lambda, _) in &lambdas {
            for (other, _, value) in &lambdas {
                let takes = match &fate {
                    Fate::Called { fed_back } => other != place || fed_back.contains(place),
                    Fate::Unknown => other != place,
                };
                for parameter in lambda.parameters.iter().filter(|_| takes) {
                    self.learn(*parameter, value);
                }
            }
        }
        Given {
            values: given,
            handed,
        }
    }

    /// Adds what functions do that are run here and may be given the functions that the arguments bring. A lambda among them has
    /// learnt what it may be given.
    fn add_passed(&mut self, arguments: &[(u32, ExpressionId)], run: &[u32], brought: &mut Given) {
        let body = self.body;
        let is_lambda =
            |id: ExpressionId| matches!(body.expression(id).kind, ExpressionKind::Lambda(_));
        for (place, id) in arguments {
            if run.contains(place) && !is_lambda(*id) && self.takes_functions(*id) {
                let passed = self.passed_to(*id, &brought.values.call);
                add(&mut brought.handed, &passed);
                brought.add_late();
            }
        }
    }

    /// Whether a function value takes functions, or what holds some.
    fn takes_functions(&self, value: ExpressionId) -> bool {
        let function = self.function_type(value);
        let mut parameters = function.iter().flat_map(|it| &it.parameters);
        parameters.any(|it| can_carry_effects(self.db(), it))
    }

    /// What a function value does with functions that do `call` where it is given them.
    fn passed_to(&mut self, value: ExpressionId, call: &Summary) -> Summary {
        // Of a declaration it is known whether it calls what it is given, and what it catches.
        if let ExpressionKind::FunctionValue { item, .. } = self.body.expression(value).kind {
            let mut does = nothing();
            add_called(&mut does, &nothing(), &self.unit.of(item).call, call);
            does
        } else {
            call.clone()
        }
    }

    pub(super) fn prompt_call(
        &mut self,
        item: ItemId,
        arguments: &'a [(u32, ExpressionId)],
        asked: impl Iterator<Item = ItemId>,
        Manner { with, mode }: Manner,
    ) -> Outcome {
        let mut outcome = Outcome::nothing();
        // A prompt's arguments are data and are not run.
        self.arguments(arguments, &[], Fate::Unknown, &mut outcome.does);
        let mut called = self.unit.of(item).call;
        for source in asked {
            let given = self.unit.of(source).call;
            add_given(self.db(), source, &given, &mut called);
        }
        match mode {
            PromptMode::Value | PromptMode::Detail => {}
            // A task runs it: what it raises is raised where its parts or its result are waited for.
            PromptMode::Stream => {
                outcome.value.task = Raised::of(std::mem::take(&mut called.errors))
            }
        }
        add(&mut outcome.does, &called);
        if let [_, Some(_session)] = with {
            // Calls in one conversation wait for each other.
            outcome.does.late.extend(&deadlock(self.db()));
        }
        for part in with.into_iter().flatten() {
            let overrides = self.expression(part);
            add(&mut outcome.does, &overrides.does);
            outcome.does.effects = outcome.does.effects.union(overrides.value.call.effects);
        }
        outcome
    }

    /// A constant, or an agent as a value. A session of the agent may ask it what names no agent, so what its tools do counts
    /// where it is named.
    pub(super) fn constant(&mut self, item: ItemId) -> Outcome {
        let known = self.unit.of(item);
        let mut outcome = Outcome {
            does: nothing(),
            value: known.result,
        };
        if item.kind(self.db()) == ItemKind::Agent {
            add_given(self.db(), item, &known.call, &mut outcome.does);
        }
        outcome
    }
}

/// What happens to the lambdas that are given to a call of this.
///
/// A declaration whose types let functions in only as type parameters and as functions over data and type parameters can make no
/// function of its own for them to take, and cannot let them out: it does not know that a `T` is a function.
fn fate(db: &dyn Db, callee: &Callee) -> Fate {
    let Callee::Item { item, .. } = callee else {
        return Fate::Unknown;
    };
    let is_data = |ty: &Type| !can_carry_effects(db, ty);
    let signature = &item_signature(db, *item).signature;
    let is_plain = |ty: &Type| {
        if let Type::Function(it) = ty {
            is_data(&it.result) && it.parameters.iter().all(is_data)
        } else {
            is_data(ty)
        }
    };
    let mut parameters = signature.parameters.iter();
    if !is_data(&signature.result) || !parameters.all(|it| is_plain(&it.ty)) {
        return Fate::Unknown;
    }
    let places = (0..).zip(&signature.parameters);
    let fed_back = places.filter(|(_, it)| may_take_its_result(&it.ty));
    Fate::Called {
        fed_back: fed_back.map(|(place, _)| place).collect(),
    }
}

/// Whether what a function of this type gives may be given to it: both mention the same type parameter.
fn may_take_its_result(ty: &Type) -> bool {
    let Type::Function(function) = ty else {
        return false;
    };
    let (mut given, mut taken) = (Vec::new(), Vec::new());
    parameters_in(&function.result, &mut given);
    let takes = function.parameters.iter();
    takes.for_each(|it| parameters_in(it, &mut taken));
    taken.iter().any(|it| given.contains(it))
}

/// A function that came out of a call and calls parameters of the called does what was given for these.
fn close(result: &mut Summary, given: &Summary) {
    // `fn twice(f) { () => f() + f() }`: the lambda that comes out calls a parameter of a call that has ended, so what was given
    // for the parameter is put in its place.
    if result.waits == Waits::WithArguments {
        result.waits = given.waits;
    }
    if result.arguments == ArgumentEffects::None {
        return;
    }
    result.arguments = ArgumentEffects::None;
    let given = &passed_by(result, given);
    result.kept = Kept::All;
    add(result, given);
}

/// Adds a call of something that does `own`, and what its function arguments do when it calls them.
fn add_called(does: &mut Summary, own: &Summary, called: &Summary, given: &Summary) {
    let waits = match called.waits {
        // A call waits with its arguments only where these wait; otherwise its instance is a plain function.
        Waits::WithArguments => given.waits,
        Waits::Never | Waits::Always => called.waits,
    };
    add(
        does,
        &Summary {
            waits,
            ..own.clone()
        },
    );
    if called.arguments == ArgumentEffects::Added {
        add(
            does,
            &Summary {
                waits: Waits::Never,
                ..passed_by(called, given)
            },
        );
    }
}

/// What is left of `given`, which `called` calls.
fn passed_by(called: &Summary, given: &Summary) -> Summary {
    Summary {
        errors: called.kept.passed(&given.errors),
        // The given function may itself call a parameter of the function around it; what both catch is taken out of that.
        kept: given.kept.or(&called.kept),
        ..given.clone()
    }
}

/// Whether a declaration computes values of the type that is given for this type parameter.
fn has_arithmetic(db: &dyn Db, item: ItemId, parameter: u32) -> bool {
    let asked = requirements(db, item).iter();
    let mut asked = asked.filter(|(place, _)| *place == parameter);
    asked.any(|(_, requirement)| match requirement {
        Requirement::Add
        | Requirement::Subtract
        | Requirement::Multiply
        | Requirement::Divide
        | Requirement::Remainder
        | Requirement::Negate
        | Requirement::Numeric => true,
        Requirement::Equal
        | Requirement::Order
        | Requirement::Json
        | Requirement::Key
        | Requirement::Item => false,
    })
}

/// What a call may give of what its arguments brought.
enum PassedOn {
    All,
    AllButErrors,
    Nothing,
}

fn passed_on(db: &dyn Db, callee: &Callee, result: &Type) -> PassedOn {
    match callee {
        Callee::Item { item, .. } if lets_out(db, *item) => PassedOn::All,
        Callee::Item { .. } | Callee::EnumValues(_) => PassedOn::Nothing,
        // Which errors a function gives its own facts say; what the constructor of an error is given it holds, but is not.
        Callee::Value(_) if *result == Type::Error => PassedOn::AllButErrors,
        // It may be a constructor, which holds what it is given.
        Callee::Value(_) => PassedOn::All,
    }
}

/// Whether a function may give what it was given: only a type parameter lets an argument out again, since a result of a written
/// type holds what the function's own facts say.
fn lets_out(db: &dyn Db, item: ItemId) -> bool {
    let mut found = Vec::new();
    parameters_in(&item_signature(db, item).signature.result, &mut found);
    !found.is_empty()
}

/// The type parameters in a type.
fn parameters_in(ty: &Type, found: &mut Vec<u32>) {
    match ty {
        Type::Parameter(index, _) => found.push(*index),
        Type::Optional(it)
        | Type::List(it)
        | Type::Task(it)
        | Type::Stream(it)
        | Type::Queue(it)
        | Type::Partial(it) => parameters_in(it, found),
        Type::Map(key, value) => {
            parameters_in(key, found);
            parameters_in(value, found);
        }
        Type::Tuple(them)
        | Type::Record(_, them)
        | Type::Enum(_, them)
        | Type::Checked(_, them) => them.iter().for_each(|it| parameters_in(it, found)),
        Type::Function(it) => {
            let parts = it.parameters.iter().chain([&it.result]);
            parts.for_each(|it| parameters_in(it, found));
        }
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
        | Type::Never
        | Type::Literals(_)
        | Type::Variable(_)
        | Type::Text(_)
        | Type::Invalid => {}
    }
}
