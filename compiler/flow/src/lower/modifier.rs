//! Modifiers, from the outside in: budget, reflect, retry, timeout. A modified block is a loop, never a closure.

use gsw_abi::builtin;
use gsw_abi::call::{NO_DOLLARS, NO_LIMIT, NodeKind, RuntimeCall};
use gsw_abi::types::{Field, Record, Secrecy, Trust, Type as Entry};
use gsw_infer::hir::{self, Budget, ExpressionId, Modifiers, Reflect, Retry};
use gsw_names::KnownItem;
use gsw_names::types::Type;
use gsw_source::ItemId;

use crate::ir::{LocalId, Operand};
use crate::lower::builder::Builder;
use crate::lower::emitter::{Emitter, type_word};
use crate::lower::region::Region;

/// Nanoseconds before the first further attempt when `backoff` is not written.
const BACKOFF: u64 = 1_000_000_000;

/// A body inside its modifiers, the values of which are evaluated before it.
pub(crate) struct ModifiedBody {
    budget: Option<BudgetValues>,
    reflect: Option<ReflectValues>,
    retry: Option<RetryValues>,
    /// In nanoseconds.
    timeout: Option<Operand>,
    body: ModifiedCode,
}

/// What modifiers stand around.
pub(crate) enum ModifiedCode {
    Written(ExpressionId),
    /// A call of a tool that the program's host has, and what it gives.
    Host(Type),
}

/// What a scope may use up.
#[derive(Clone, Copy)]
struct BudgetValues {
    usd: Operand,
    tokens: Operand,
    calls: Operand,
    /// In nanoseconds.
    time: Operand,
}

/// How often something is tried again.
#[derive(Clone, Copy)]
struct RetryValues {
    count: Operand,
    /// Nanoseconds before the first further attempt.
    backoff: Operand,
    /// Nanoseconds before any attempt at most.
    longest: Operand,
}

/// What `reflect` is to do.
#[derive(Clone, Copy)]
struct ReflectValues {
    count: Operand,
    judge: Operand,
    /// 1 when it is the prelude's.
    is_built_in: Operand,
    /// A record type whose fields are its parameters.
    parameters: Operand,
}

impl ModifiedBody {
    /// Evaluates the expressions of the modifiers of `body`.
    pub fn new(builder: &mut Builder<'_, '_>, modifiers: &Modifiers, body: ModifiedCode) -> Self {
        let Modifiers {
            budget,
            reflect,
            retry,
            timeout,
        } = modifiers;
        Self {
            budget: budget.as_ref().map(|it| BudgetValues::new(builder, it)),
            reflect: reflect.as_ref().map(|it| ReflectValues::new(builder, it)),
            retry: retry.as_ref().map(|it| RetryValues::new(builder, it)),
            timeout: timeout.map(|it| value(builder, it)),
            body,
        }
    }

    /// The body inside its modifiers; the tasks of its node are awaited in the innermost of them.
    pub fn write(&self, builder: &mut Builder<'_, '_>) -> Operand {
        let Some(budget) = self.budget else {
            return self.reflected(builder);
        };
        let BudgetValues {
            usd,
            tokens,
            calls,
            time,
        } = budget;
        let limits = vec![usd, tokens, calls, time];
        // Outermost, so that attempts and reflections spend from one budget and not each from its own.
        let scope = builder.runtime(builtin::INT, RuntimeCall::budget_enter, limits);
        let scope = builder.held(scope, builtin::INT);
        let landing = builder.new_landing();
        builder.open(Region::Budget { scope, landing });
        let value = self.reflected(builder);
        builder.close();
        // Left here on the usual way, by the region on `return` and `break`, and by `budget_fail` on an error: once on each.
        builder.perform(RuntimeCall::budget_leave, vec![Operand::Local(scope)]);
        let done = builder.block();
        builder.jump(done);
        builder.start(landing.block);
        fail_scope(builder, RuntimeCall::budget_fail, scope, landing.error);
        builder.start(done);
        value
    }

    fn reflected(&self, builder: &mut Builder<'_, '_>) -> Operand {
        let Some(reflect) = self.reflect else {
            return self.retried(builder);
        };
        let ReflectValues {
            count,
            judge,
            is_built_in,
            parameters,
        } = reflect;
        // A `reflect` is a catch with a jump back: `reflect_wait` either returns, and the loop continues, or raises the error
        // again. Counted by the loop itself, so the runtime keeps nothing for a `reflect` that is not failing.
        let rounds = builder.copy(Operand::Word(0), builtin::INT);
        let head = builder.block();
        builder.jump(head);
        builder.start(head);
        let landing = builder.new_landing();
        builder.open(Region::Catch(landing));
        let value = self.retried(builder);
        builder.close();
        let done = builder.block();
        builder.jump(done);
        builder.start(landing.block);
        let arguments = vec![
            Operand::Local(landing.error),
            Operand::Local(rounds),
            count,
            judge,
            is_built_in,
            reflection_type(builder),
            parameters,
        ];
        builder.runtime(builtin::UNIT, RuntimeCall::reflect_wait, arguments);
        builder.count_up(rounds);
        builder.jump(head);
        builder.start(done);
        value
    }

    fn retried(&self, builder: &mut Builder<'_, '_>) -> Operand {
        let Some(retry) = self.retry else {
            // Each attempt has a node, that of the innermost loop: a round of `reflect` around a `retry` has none of its own.
            return if self.reflect.is_some() {
                self.attempt(builder)
            } else {
                self.timed(builder)
            };
        };
        let RetryValues {
            count,
            backoff,
            longest,
        } = retry;
        // Inside of `reflect`, so each round of that begins with all attempts.
        let attempts = builder.copy(Operand::Word(0), builtin::INT);
        let head = builder.block();
        builder.jump(head);
        builder.start(head);
        let landing = builder.new_landing();
        builder.open(Region::Catch(landing));
        let value = self.attempt(builder);
        builder.close();
        let done = builder.block();
        builder.jump(done);
        builder.start(landing.block);
        builder.count_up(attempts);
        let error = Operand::Local(landing.error);
        // The runtime decides whether there is another attempt: it knows which errors are worth one, and waits the backoff.
        let arguments = vec![error, Operand::Local(attempts), count, backoff, longest];
        builder.runtime(builtin::UNIT, RuntimeCall::retry_wait, arguments);
        builder.jump(head);
        builder.start(done);
        value
    }

    /// One attempt, a node of its own: its tasks end with it, and its effects are kept apart from those of the next.
    fn attempt(&self, builder: &mut Builder<'_, '_>) -> Operand {
        let kind = Operand::Word(NodeKind::Attempt as u64);
        let name = builder.text("");
        builder.perform(RuntimeCall::node_enter, vec![kind, name, Operand::Word(0)]);
        let landing = builder.new_landing();
        let output = builder.enclosing_output();
        builder.open(Region::Node { landing, output });
        let value = self.timed(builder);
        let value = builder.detached(value);
        builder.close();
        builder.perform(RuntimeCall::node_complete, vec![Operand::Word(0)]);
        let done = builder.block();
        builder.jump(done);
        builder.start(landing.block);
        builder.fail_node(NodeKind::Attempt, landing.error);
        builder.start(done);
        value
    }

    fn timed(&self, builder: &mut Builder<'_, '_>) -> Operand {
        match self.timeout {
            Some(limit) => builder.in_timeout(limit, |builder| self.joined(builder)),
            None => self.joined(builder),
        }
    }

    fn joined(&self, builder: &mut Builder<'_, '_>) -> Operand {
        // Inside of the timeout, so that tasks which do not end are given up with the body that started them.
        // A region, since tasks must also be joined or cancelled where control leaves by `return` or `break`.
        builder.open(Region::Join);
        let (value, ty) = match &self.body {
            ModifiedCode::Written(body) => (builder.expression(*body), builder.type_of(*body)),
            ModifiedCode::Host(result) => (builder.host_call(result), result.clone()),
        };
        builder.close();
        let value = if ty == Type::Unit {
            Operand::Word(0)
        } else {
            builder.detached(value)
        };
        builder.join_tasks();
        value
    }
}

impl BudgetValues {
    fn new(builder: &mut Builder<'_, '_>, budget: &Budget) -> Self {
        let Budget {
            usd,
            tokens,
            calls,
            time,
        } = budget;
        let unlimited = Operand::Word(NO_LIMIT.cast_unsigned());
        Self {
            usd: value_or(builder, *usd, Operand::Word(NO_DOLLARS)),
            tokens: value_or(builder, *tokens, unlimited),
            calls: value_or(builder, *calls, unlimited),
            time: value_or(builder, *time, unlimited),
        }
    }
}

impl ReflectValues {
    fn new(builder: &mut Builder<'_, '_>, reflect: &Reflect) -> Self {
        let Reflect { count, with } = reflect;
        let count = value(builder, *count);
        let (judge, parameters) = match with {
            Some(with) => {
                let parameters = parameters_of_judge(builder, *with);
                (value(builder, *with), parameters)
            }
            None => prelude_judge(builder),
        };
        Self {
            count,
            judge,
            is_built_in: Operand::Word(u64::from(with.is_none())),
            parameters: type_word(builder.program.types.structure(parameters)),
        }
    }
}

impl RetryValues {
    fn new(builder: &mut Builder<'_, '_>, retry: &Retry) -> Self {
        let Retry {
            count,
            backoff,
            max,
        } = retry;
        Self {
            count: value(builder, *count),
            backoff: value_or(builder, *backoff, Operand::Word(BACKOFF)),
            longest: value_or(builder, *max, Operand::Word(NO_LIMIT as u64)),
        }
    }
}

fn value_or(builder: &mut Builder<'_, '_>, id: Option<ExpressionId>, absent: Operand) -> Operand {
    id.map_or(absent, |it| value(builder, it))
}

/// Evaluated once, before what is modified, whatever assigns its variables there.
fn value(builder: &mut Builder<'_, '_>, id: ExpressionId) -> Operand {
    let value = builder.expression(id);
    builder.detached(value)
}

/// The parameters of what follows `with`: by their names the runtime knows which fact each takes.
fn parameters_of_judge(builder: &mut Builder<'_, '_>, with: ExpressionId) -> Entry {
    let body = std::sync::Arc::clone(&builder.body);
    let kind = &body.expression(with).kind;
    if let hir::ExpressionKind::FunctionValue { item, .. } = kind {
        return builder.parameters_of(*item);
    }
    let named = if let hir::ExpressionKind::Lambda(lambda) = kind {
        lambda.parameters.as_slice()
    } else {
        // Of a value only the type is known.
        &[]
    };
    let name_of = |it: &hir::LocalId| body.local(*it).name.as_str().to_owned();
    let Type::Function(function) = builder.type_of(with) else {
        return record_of(Vec::new());
    };
    let fields = (0..)
        .zip(function.parameters.iter())
        .map(|(place, ty)| Field {
            name: named.get(place).map(name_of).unwrap_or_default(),
            wire: String::new(),
            docs: None,
            ty: builder.type_id(ty),
            default: None,
            check: None,
            secrecy: Secrecy::Shown,
            trust: Trust::Any,
        });
    record_of(fields.collect())
}

impl Builder<'_, '_> {
    /// The code that `body` writes, for at most so many nanoseconds.
    pub fn in_timeout(
        &mut self,
        limit: Operand,
        body: impl FnOnce(&mut Self) -> Operand,
    ) -> Operand {
        // The scope is a number that the run knows; it is left on every way out, by the region that is opened here.
        let scope = self.runtime(builtin::INT, RuntimeCall::timeout_enter, vec![limit]);
        let scope = self.held(scope, builtin::INT);
        let landing = self.new_landing();
        self.open(Region::Timeout { scope, landing });
        let value = body(self);
        self.close();
        self.perform(RuntimeCall::timeout_leave, vec![Operand::Local(scope)]);
        let done = self.block();
        self.jump(done);
        self.start(landing.block);
        fail_scope(self, RuntimeCall::timeout_fail, scope, landing.error);
        self.start(done);
        value
    }
}

impl Emitter<'_, '_> {
    /// The parameters of a declaration as the fields of a record.
    pub fn parameters_of(&mut self, item: ItemId) -> Entry {
        let signature = self.program.view.signature(item);
        let fields = signature
            .parameters
            .iter()
            .map(|it| Field {
                wire: it.name.to_string(),
                docs: None,
                ..self.program.field(it, &[])
            })
            .collect();
        record_of(fields)
    }
}

/// What is done where an error leaves a scope, which may give another error to raise.
fn fail_scope(emitter: &mut Emitter, call: RuntimeCall, scope: LocalId, error: LocalId) {
    let arguments = vec![Operand::Local(scope), Operand::Local(error)];
    let error = emitter.runtime(builtin::ERROR, call, arguments);
    let error = emitter.held(error, builtin::ERROR);
    emitter.pass_on(error);
}

/// The prompt of the prelude that judges where no other is named.
fn prelude_judge(emitter: &mut Emitter) -> (Operand, Entry) {
    match emitter.program.view.known(KnownItem::ReflectOnFailure) {
        Some(item) => (
            emitter.function_value(item, &[]),
            emitter.parameters_of(item),
        ),
        None => (Operand::Word(0), Entry::Unit),
    }
}

fn reflection_type(emitter: &mut Emitter) -> Operand {
    let ty = match emitter.program.view.known(KnownItem::Reflection) {
        Some(item) => emitter.type_id(&Type::Record(item, [].into())),
        None => builtin::UNIT,
    };
    type_word(ty)
}

fn record_of(fields: Vec<Field>) -> Entry {
    Entry::Record(Record {
        name: String::new(),
        docs: None,
        fields,
    })
}
