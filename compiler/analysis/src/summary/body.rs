//! One walk over a body: what each expression does and what its value brings.

use std::cell::OnceCell;

use gsw_abi::builtin::BuiltinError;
use gsw_infer::hir::{
    Body, BodyPart, Coercion, Expression, ExpressionId, ExpressionKind, Lambda, LocalId, Pattern,
    PatternKind,
};
use gsw_infer::{Child, children, visit_patterns};
use gsw_names::types::Type;
use gsw_names::{alias_target, builtin_set, item_signature, substitute};
use gsw_source::{Db, ItemId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Unit;
use super::call::Manner;
use super::facts::{
    Facts, Raised, add, can_carry_effects, nothing, of_lambda_argument, of_lambda_parameter,
    of_latent, of_parameter,
};
use super::latent::{Leak, leak};
use super::left_task::Leaving;
use super::used::{bound, used};
use crate::call_summary::{Acts, ArgumentEffects, Summary, Waits};
use crate::named_lambda::called_lambdas;

/// What an expression does, and what its value brings.
pub(super) struct Outcome {
    pub(super) does: Summary,
    pub(super) value: Facts,
}

impl Outcome {
    pub(super) fn nothing() -> Self {
        Self {
            does: nothing(),
            value: Facts::default(),
        }
    }
}

/// The outcome of what acts besides.
pub(super) fn acting(mut outcome: Outcome, acts: Acts) -> Outcome {
    outcome.does.acts = outcome.does.acts.max(acts);
    outcome
}

/// What is known of a body; grows from walk to walk.
pub(super) struct BodyFacts {
    locals: Vec<Facts>,
    /// What each expression does by itself and inside.
    pub(super) does: Vec<Summary>,
    closures: Vec<((ExpressionId, u32), Summary)>,
    /// Whether functions wait that calls of items are given to call, where some do.
    handed: FxHashMap<ExpressionId, Waits>,
    /// Arms of `catch` by expression and position, with whether they can match; as the last walk found it.
    pub(super) impossible: Vec<(ExpressionId, Pattern)>,
    /// Functions that become ones of a type that says less of them; as the last walk found it.
    pub(super) leaks: Vec<Leak>,
    /// What expressions do whose value is dropped, with what tasks raise that are dropped so; as the last walk found it.
    dropped: Vec<(ExpressionId, Summary)>,
    /// Whether anybody uses each local, found when it is asked for: few bodies have tasks.
    used: OnceCell<Vec<bool>>,
    /// Whether another walk may find more.
    learnt: bool,
}

impl BodyFacts {
    pub(super) fn new(db: &dyn Db, body: &Body) -> Self {
        let mut locals = vec![Facts::default(); body.locals.len()];
        for &LocalId(index) in &body.parameters {
            if let (Some(facts), Some(local)) = (
                locals.get_mut(index as usize),
                body.locals.get(index as usize),
            ) {
                *facts = parameter_facts(db, &local.ty);
            }
        }
        Self {
            locals,
            used: OnceCell::new(),
            does: vec![nothing(); body.expressions.len()],
            closures: Vec::new(),
            handed: FxHashMap::default(),
            impossible: Vec::new(),
            leaks: Vec::new(),
            dropped: Vec::new(),
            learnt: false,
        }
    }

    /// Whether an expression does something that `is_meant`, or dropping its value.
    pub(super) fn does_so(&self, id: ExpressionId, is_meant: &dyn Fn(&Summary) -> bool) -> bool {
        let mut dropped = self.dropped.iter().filter(|(it, _)| *it == id);
        self.does.get(id.0 as usize).is_some_and(is_meant) || dropped.any(|(_, it)| is_meant(it))
    }

    pub(super) fn lambdas(&self) -> Box<[((ExpressionId, u32), Summary)]> {
        let mut all: Box<[_]> = self.closures.as_slice().into();
        all.sort_by_key(|(key, _)| *key);
        all
    }

    pub(super) fn handed(&self) -> Box<[(ExpressionId, Waits)]> {
        let mut all: Box<[_]> = self.handed.iter().map(|(id, it)| (*id, *it)).collect();
        all.sort_by_key(|it| it.0);
        all
    }

    pub(super) fn take_learnt(&mut self) -> bool {
        std::mem::take(&mut self.learnt)
    }
}

/// A function given as an argument does what the caller's does; anything deeper is stored.
fn parameter_facts(db: &dyn Db, ty: &Type) -> Facts {
    let Type::Function(function) = ty else {
        return Facts::unknown(db, ty);
    };
    // What the parameter gives when it is called is unknown; what the call itself does is what the caller's function does.
    let mut facts = Facts::unknown(db, &function.result);
    facts.call = function
        .latent
        .as_ref()
        .map_or_else(of_parameter, of_latent);
    facts
}

/// The aliases whose checks a value passes that becomes one of type `ty`.
pub(crate) fn checks_into(db: &dyn Db, ty: &Type) -> Vec<ItemId> {
    let mut found = Vec::new();
    let mut ty = ty.clone();
    loop {
        ty = if let Type::Checked(item, arguments) = &ty {
            found.push(*item);
            substitute(&alias_target(db, *item), arguments)
        } else if let Type::Optional(inside) | Type::List(inside) = &ty {
            (**inside).clone()
        } else {
            return found;
        };
    }
}

/// A walk over one body.
pub(super) struct BodyWalk<'a, 'u> {
    pub(super) unit: &'a mut Unit<'u>,
    pub(super) body: &'a Body,
    facts: &'a mut BodyFacts,
    /// What `return` gives, one per function or lambda that is open.
    returned: Vec<Facts>,
    /// How many steps and blocks with modifiers are open in the innermost of these.
    pub(super) nodes: u32,
    /// The parameters of lambdas of which the call that takes the lambda knows all that they may bring.
    pub(super) known_parameters: FxHashSet<LocalId>,
    /// Those of which all that they may be is learnt where the lambda is run.
    pub(super) learnt_parameters: FxHashSet<LocalId>,
    /// The lambdas of variables that are only called.
    pub(super) called: Vec<(LocalId, &'a Lambda)>,
}

impl<'a, 'u> BodyWalk<'a, 'u> {
    pub(super) fn new(unit: &'a mut Unit<'u>, body: &'a Body, facts: &'a mut BodyFacts) -> Self {
        // Not facts of the fixpoint: arms that look impossible in an early walk may match in a later one, so only the last counts.
        facts.impossible.clear();
        facts.dropped.clear();
        facts.leaks.clear();
        let called = called_lambdas(body);
        let parameters = called.iter().flat_map(|(_, it)| &it.parameters);
        Self {
            learnt_parameters: parameters.copied().collect(),
            called,
            unit,
            body,
            facts,
            returned: vec![Facts::default()],
            nodes: 0,
            known_parameters: FxHashSet::default(),
        }
    }

    pub(super) fn run(mut self) -> Outcome {
        let mut outcome = self.expression(self.body.root);
        if let Some(returned) = self.returned.pop() {
            outcome.value.join(&returned);
        }
        outcome
    }

    pub(super) fn db(&self) -> &'u dyn Db {
        self.unit.db
    }

    pub(super) fn expression(&mut self, id: ExpressionId) -> Outcome {
        let body = self.body;
        let expression = body.expression(id);
        let mut outcome = self.kind(id, expression);
        // An expression that never has a value is of any type: the one around it decides.
        if expression.ty != Type::Never {
            outcome.value.keep_within(self.db(), &expression.ty);
        }
        if let Type::Function(function) = &expression.ty
            && let Some(latent) = &function.latent
        {
            // From here on only the type is known to callers; whether the function keeps to it is checked where it became one of the type.
            outcome.value.call = of_latent(latent);
        }
        if let Some(known) = self.facts.does.get_mut(id.0 as usize) {
            known.clone_from(&outcome.does);
        }
        outcome
    }

    /// An expression whose value is dropped.
    pub(super) fn dropped(&mut self, value: ExpressionId) -> Summary {
        self.given(&[], value).does
    }

    /// What the tasks raise that `value` begins and that are in these locals, which are used.
    pub(super) fn begun(&self, locals: &[LocalId], value: ExpressionId) -> Raised {
        let mut late = Raised::default();
        if !self.are_used(locals) {
            return late;
        }
        let Some(does) = self.facts.does.get(value.0 as usize) else {
            return late;
        };
        for LocalId(index) in locals {
            if let Some(known) = self.facts.locals.get(*index as usize) {
                late.join(&known.task.begun_by(does));
            }
        }
        late
    }

    /// Notes that the tasks which `value` begins raise this at the end of their node.
    pub(super) fn late_at(&mut self, value: ExpressionId, late: &Raised) {
        let mut does = nothing();
        late.add_to(&mut does);
        self.facts.dropped.push((value, does));
    }

    /// Whether an expression may raise an error.
    pub(super) fn raises(&self, id: ExpressionId) -> bool {
        let does = self.facts.does.get(id.0 as usize);
        does.is_some_and(|it| !it.errors.is_empty() || it.arguments == ArgumentEffects::Added)
    }

    /// What a `return` does to tasks that are begun here.
    pub(super) fn leaving(&self) -> Leaving {
        match self.nodes {
            0 => Leaving::Awaits,
            _ => Leaving::Cancels,
        }
    }

    /// An expression whose value these locals get. Where they are not used, a task among it cannot be awaited: its error
    /// is raised when its node ends.
    pub(super) fn given(&mut self, locals: &[LocalId], value: ExpressionId) -> Outcome {
        let mut outcome = self.expression(value);
        for local in locals {
            self.learn(*local, &outcome.value);
        }
        if !outcome.value.task.is_empty() && !self.are_used(locals) {
            outcome.value.task.add_to(&mut outcome.does);
            self.facts.dropped.push((value, outcome.does.clone()));
        }
        outcome
    }

    #[expect(
        clippy::too_many_lines,
        reason = "one line a form: rustc names what a new form must join"
    )]
    fn kind(&mut self, id: ExpressionId, expression: &'a Expression) -> Outcome {
        use ExpressionKind as Kind;
        let kind = &expression.kind;
        match kind {
            Kind::Local(local) => self.local(*local),
            Kind::FunctionValue {
                item,
                type_arguments,
            } => self.function_value(*item, type_arguments),
            Kind::Lambda(lambda) => Outcome {
                does: nothing(),
                value: self.closure(id, 0, lambda),
            },
            Kind::Record { item, .. } | Kind::Variant { item, .. } => self.made(kind, *item),
            Kind::ErrorValue { item, .. } => self.error_value(*item, kind),
            Kind::JsonField { .. } | Kind::As(_) => self.decoding(kind),
            Kind::Index { base, .. } if self.body.expression(*base).ty == Type::Json => {
                self.decoding(kind)
            }
            Kind::Coerce { value, coercion } => self.coercion(expression, *value, *coercion),
            Kind::Matches { value, pattern } => self.testing(*value, pattern),
            Kind::Match { value, arms } => self.matching(*value, arms),
            Kind::Catch { value, arms } => self.catching(id, *value, arms),
            Kind::Block { statements, tail } => self.block(statements, *tail),
            Kind::Chain { base, local, body } => self.chained(*base, *local, *body),
            Kind::For {
                pattern,
                iterable,
                body,
            } => self.iterating(pattern, *iterable, *body),
            Kind::Return(value) => self.returning(*value),
            Kind::Fail(value) => self.failing(*value),
            Kind::Call { callee, arguments } => self.call(id, callee, arguments, &expression.ty),
            Kind::PromptCall {
                item,
                arguments,
                agent,
                settings,
                given,
                session,
                turn: _,
                mode,
                improving: _,
            } => {
                let asked = agent.iter().chain(given).copied();
                let manner = Manner {
                    with: [*settings, *session],
                    mode: *mode,
                };
                self.prompt_call(*item, arguments, asked, manner)
            }
            Kind::Constant(item) => self.constant(*item),
            Kind::PromptText { item, arguments } => self.prompt_text(kind, *item, arguments),
            Kind::Spawn(lambda) => self.spawning(id, lambda),
            Kind::Undo(lambda) => self.undoing(id, lambda),
            Kind::SpawnDetached { item, .. } => self.detaching(*item, kind),
            Kind::Await(value) => self.awaiting(*value),
            Kind::Race { tasks, policy } => self.racing(*tasks, *policy),
            Kind::ParallelFor {
                iterable,
                limit,
                policy,
                body,
            } => self.parallel_for(id, *iterable, *limit, *policy, body),
            Kind::Parallel { branches, policy } => self.parallel(id, branches, *policy),
            Kind::Step { modifiers, .. } | Kind::Modified { modifiers, .. } => {
                self.modified(modifiers, kind)
            }
            Kind::Int(_)
            | Kind::Float(_)
            | Kind::Bool(_)
            | Kind::None
            | Kind::Unit
            | Kind::Duration(_)
            | Kind::String(_)
            | Kind::ConstructorValue { .. }
            | Kind::List(_)
            | Kind::Map(_)
            | Kind::Tuple(_)
            | Kind::Field { .. }
            | Kind::TupleField { .. }
            | Kind::Index { .. }
            | Kind::Interpolation(_)
            | Kind::Unary { .. }
            | Kind::Binary { .. }
            | Kind::In { .. }
            | Kind::Otherwise { .. }
            | Kind::Range { .. }
            | Kind::If { .. }
            | Kind::While { .. }
            | Kind::OfferedTool { .. }
            | Kind::Invalid => self.inside(kind),
            Kind::Break | Kind::Continue => acting(self.inside(kind), Acts::Inside),
            Kind::Emit(_) => acting(self.inside(kind), Acts::Outside),
        }
    }

    fn local(&self, LocalId(index): LocalId) -> Outcome {
        let known = self.facts.locals.get(index as usize);
        Outcome {
            does: nothing(),
            value: known.cloned().unwrap_or_default(),
        }
    }

    fn coercion(
        &mut self,
        expression: &'a Expression,
        value: ExpressionId,
        coercion: Coercion,
    ) -> Outcome {
        let mut outcome = self.inside(&expression.kind);
        match coercion {
            Coercion::Widen => {
                let from = &self.body.expression(value).ty;
                // Inference marks the place with `Widen`, since only here it is known what the function does.
                let leak = leak(self.db(), value, from, &expression.ty, &outcome.value.call);
                self.facts.leaks.extend(leak);
            }
            Coercion::Check => {
                for alias in checks_into(self.db(), &expression.ty) {
                    let check = self.unit.of(alias).call;
                    add(&mut outcome.does, &check);
                }
            }
            Coercion::ToOptional
            | Coercion::ToJson
            | Coercion::ToArgument
            | Coercion::ToSecret
            | Coercion::FromNever => {}
        }
        outcome
    }

    /// The text of the prompt that an example belongs to, for these arguments.
    fn prompt_text(
        &mut self,
        kind: &'a ExpressionKind,
        item: ItemId,
        arguments: &[(u32, ExpressionId)],
    ) -> Outcome {
        let mut outcome = self.inside(kind);
        let given = |it: &u32| arguments.iter().any(|(given, _)| given == it);
        let count = item_signature(self.db(), item).signature.parameters.len();
        let defaults = (0u32..).take(count).filter(|it| !given(it));
        let defaults = defaults.map(BodyPart::ParameterDefault);
        for part in defaults.chain([BodyPart::User, BodyPart::Messages]) {
            // The text needs the prompt's own parts but asks no model, so the prompt's summary would say too much.
            if let Some(does) = self.unit.part(item, part) {
                add(&mut outcome.does, does);
            }
        }
        outcome
    }

    /// Everything inside, one after the other; the value brings what any part brings.
    pub(super) fn inside(&mut self, kind: &'a ExpressionKind) -> Outcome {
        let mut outcome = Outcome::nothing();
        for child in children(kind) {
            // Closures are values here; they run where they are called.
            if let Child::Inline(id) = child {
                self.then(id, &mut outcome);
            }
        }
        outcome
    }

    pub(super) fn then(&mut self, id: ExpressionId, outcome: &mut Outcome) {
        let next = self.expression(id);
        add(&mut outcome.does, &next.does);
        outcome.value.join(&next.value);
    }

    fn decoding(&mut self, kind: &'a ExpressionKind) -> Outcome {
        let mut outcome = self.inside(kind);
        let set = builtin_set(self.db(), BuiltinError::DecodeError);
        outcome.does.errors.extend(&set);
        outcome
    }

    /// Walks the code of a closure and gives what the closure, as a value, brings.
    pub(super) fn closure(&mut self, id: ExpressionId, position: u32, lambda: &'a Lambda) -> Facts {
        let Outcome { does, mut value } = self.lambda_code(lambda);
        let key = (id, position);
        // A lambda inside of a lambda is walked with the outer one, so the summary of each is kept for lowering, which compiles it as
        // waiting or plain.
        match self.facts.closures.iter_mut().find(|(it, _)| *it == key) {
            Some((_, known)) => known.clone_from(&does),
            None => self.facts.closures.push((key, does.clone())),
        }
        // One summary for the closure and for the functions that it gives: a holder of the value may call either.
        add(&mut value.call, &does);
        value
    }

    /// What a call of a lambda does and gives.
    pub(super) fn lambda_code(&mut self, lambda: &'a Lambda) -> Outcome {
        self.returned.push(Facts::default());
        for parameter in &lambda.parameters {
            if self.learnt_parameters.contains(parameter) {
                self.learn(*parameter, &of_lambda_argument());
            } else if !self.known_parameters.contains(parameter) {
                let ty = &self.body.local(*parameter).ty;
                self.learn(*parameter, &of_lambda_parameter(self.db(), ty));
            }
        }
        let around = std::mem::take(&mut self.nodes);
        let mut outcome = self.expression(lambda.body);
        self.nodes = around;
        // What it assigns may be a variable that it has captured.
        if outcome.does.acts == Acts::Inside {
            outcome.does.acts = Acts::Outside;
        }
        let mut value = self.returned.pop().unwrap_or_default();
        value.join(&outcome.value);
        Outcome {
            does: outcome.does,
            value,
        }
    }

    /// Whether functions wait that the call at `id` is given to call.
    pub(super) fn note_handed(&mut self, id: ExpressionId, waits: Waits) {
        match waits {
            Waits::Never => {}
            Waits::WithArguments | Waits::Always => {
                self.facts.handed.insert(id, waits);
            }
        }
    }

    /// The innermost open function or lambda gives this back.
    pub(super) fn give_back(&mut self, facts: &Facts) {
        if let Some(returned) = self.returned.last_mut() {
            returned.join(facts);
        }
    }

    /// An arm of the `catch` at `id`, or a part of one, takes nothing.
    pub(super) fn never_matches(&mut self, id: ExpressionId, pattern: &Pattern) {
        self.facts.impossible.push((id, pattern.clone()));
    }

    /// Whatever value a local gets brings `facts`.
    pub(super) fn learn(&mut self, LocalId(index): LocalId, facts: &Facts) {
        let Some(ty) = self.body.locals.get(index as usize).map(|it| &it.ty) else {
            return;
        };
        if facts.is_empty() || !can_carry_effects(self.unit.db, ty) {
            return;
        }
        if let Some(known) = self.facts.locals.get_mut(index as usize) {
            // `join` only adds, so a difference is growth, and growth ends.
            let before = known.clone();
            known.join(facts);
            self.facts.learnt |= *known != before;
        }
    }

    /// Whether each of these is used that may hold a task.
    fn are_used(&self, locals: &[LocalId]) -> bool {
        let mut holding = locals
            .iter()
            .filter(|it| can_carry_effects(self.db(), &self.body.local(**it).ty))
            .peekable();
        if holding.peek().is_none() {
            return false;
        }
        let used = self.facts.used.get_or_init(|| used(self.db(), self.body));
        holding.all(|LocalId(index)| used.get(*index as usize) == Some(&true))
    }

    pub(super) fn bind(&mut self, pattern: &'a Pattern, facts: &Facts) {
        // Each name gets the facts of the whole value: parts are not distinguished, which can only add.
        for local in bound(pattern) {
            self.learn(local, facts);
        }
        self.bind_carried(pattern);
    }

    /// The payload of an error may be anything of its type, whatever is known of the error itself.
    fn bind_carried(&mut self, pattern: &'a Pattern) {
        let mut carried = Vec::new();
        visit_patterns(pattern, &mut |it| {
            if let PatternKind::Error { fields, .. } = &it.kind {
                carried.extend(fields.iter().flat_map(|(_, field)| bound(field)));
            }
        });
        for local in carried {
            let anything = Facts::unknown(self.db(), &self.body.local(local).ty);
            self.learn(local, &anything);
        }
    }
}
