//! Modifiers, from the outside in: budget, reflect, retry, timeout. A modified block is a loop, never a closure.

use gsw_abi::builtin;
use gsw_abi::call::{NO_DOLLARS, NO_LIMIT, NodeKind, RuntimeCall};
use gsw_abi::types::{Field, Record, Secrecy, Type as Entry};
use gsw_semantics::hir::{self, Budget, ExpressionId, Modifiers, Reflect, Retry};
use gsw_semantics::types::Type;
use gsw_source::ItemId;

use crate::ir::{LocalId, Operand};
use crate::lower::builder::Builder;
use crate::lower::emitter::{Emitter, type_word};
use crate::lower::region::Region;

/// Nanoseconds before the first further attempt when `backoff` is not written.
const BACKOFF: u64 = 1_000_000_000;
/// The longest wait between attempts in nanoseconds when `max` is not written.
const LONGEST_BACKOFF: u64 = 60_000_000_000;

/// The values of modifiers, evaluated before what they modify.
pub(crate) struct ModifierValues {
    budget: Option<BudgetValues>,
    reflect: Option<ReflectValues>,
    retry: Option<RetryValues>,
    /// In nanoseconds.
    timeout: Option<Operand>,
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
    /// A function value.
    judge: Operand,
    /// 1 when it is the prelude's.
    is_built_in: Operand,
    /// A record type whose fields are its parameters.
    parameters: Operand,
}

impl Builder<'_, '_> {
    /// Evaluates the expressions of modifiers.
    pub fn modifier_values(&mut self, modifiers: &Modifiers) -> ModifierValues {
        let Modifiers {
            budget,
            reflect,
            retry,
            timeout,
        } = modifiers;
        ModifierValues {
            budget: budget.as_ref().map(|it| self.budget_values(it)),
            reflect: reflect.as_ref().map(|it| self.reflect_values(it)),
            retry: retry.as_ref().map(|it| self.retry_values(it)),
            timeout: timeout.map(|it| self.modifier_value(it)),
        }
    }

    fn budget_values(&mut self, budget: &Budget) -> BudgetValues {
        let Budget {
            usd,
            tokens,
            calls,
            time,
        } = budget;
        let unlimited = Operand::Word(NO_LIMIT.cast_unsigned());
        BudgetValues {
            usd: self.modifier_or(*usd, Operand::Word(NO_DOLLARS)),
            tokens: self.modifier_or(*tokens, unlimited),
            calls: self.modifier_or(*calls, unlimited),
            time: self.modifier_or(*time, unlimited),
        }
    }

    fn reflect_values(&mut self, reflect: &Reflect) -> ReflectValues {
        let Reflect { count, with } = reflect;
        let count = self.modifier_value(*count);
        let (judge, parameters) = match with {
            Some(with) => {
                let parameters = self.parameters_of_judge(*with);
                (self.modifier_value(*with), parameters)
            }
            None => self.prelude_judge(),
        };
        ReflectValues {
            count,
            judge,
            is_built_in: Operand::Word(u64::from(with.is_none())),
            parameters: type_word(self.program.types.structure(parameters)),
        }
    }

    fn retry_values(&mut self, retry: &Retry) -> RetryValues {
        let Retry {
            count,
            backoff,
            max,
        } = retry;
        RetryValues {
            count: self.modifier_value(*count),
            backoff: self.modifier_or(*backoff, Operand::Word(BACKOFF)),
            longest: self.modifier_or(*max, Operand::Word(LONGEST_BACKOFF)),
        }
    }

    fn modifier_or(&mut self, id: Option<ExpressionId>, absent: Operand) -> Operand {
        id.map_or(absent, |it| self.modifier_value(it))
    }

    fn modifier_value(&mut self, id: ExpressionId) -> Operand {
        let value = self.expression(id);
        self.detached(value)
    }

    /// The body inside its modifiers; the tasks of its node are awaited in the innermost of them.
    pub fn modified_body(&mut self, modifiers: &ModifierValues, body: ExpressionId) -> Operand {
        let Some(budget) = modifiers.budget else {
            return self.reflected(modifiers, body);
        };
        let BudgetValues {
            usd,
            tokens,
            calls,
            time,
        } = budget;
        let limits = vec![usd, tokens, calls, time];
        let scope = self.runtime(builtin::INT, RuntimeCall::budget_enter, limits);
        let scope = self.held(scope, builtin::INT);
        let landing = self.new_landing();
        self.open(Region::Budget { scope, landing });
        let value = self.reflected(modifiers, body);
        self.close();
        self.perform(RuntimeCall::budget_leave, vec![Operand::Local(scope)]);
        let done = self.block();
        self.jump(done);
        self.start(landing.block);
        self.fail_scope(RuntimeCall::budget_fail, scope, landing.error);
        self.start(done);
        value
    }

    fn reflected(&mut self, modifiers: &ModifierValues, body: ExpressionId) -> Operand {
        let Some(reflect) = modifiers.reflect else {
            return self.retried(modifiers, body);
        };
        let ReflectValues {
            count,
            judge,
            is_built_in,
            parameters,
        } = reflect;
        let rounds = self.copy(Operand::Word(0), builtin::INT);
        let head = self.block();
        self.jump(head);
        self.start(head);
        let landing = self.new_landing();
        self.open(Region::Catch(landing));
        let value = self.retried(modifiers, body);
        self.close();
        let done = self.block();
        self.jump(done);
        self.start(landing.block);
        let arguments = vec![
            Operand::Local(landing.error),
            Operand::Local(rounds),
            count,
            judge,
            is_built_in,
            self.reflection_type(),
            parameters,
        ];
        self.runtime(builtin::UNIT, RuntimeCall::reflect_wait, arguments);
        self.count_up(rounds);
        self.jump(head);
        self.start(done);
        value
    }

    /// The parameters of what stands after `with`; only those of a declaration have names that tell.
    fn parameters_of_judge(&mut self, with: ExpressionId) -> Entry {
        if let hir::ExpressionKind::FunctionValue { item, .. } = self.body.expression(with).kind {
            return self.parameters_of(item);
        }
        let Type::Function(function) = self.type_of(with) else {
            return record_of(Vec::new());
        };
        let fields = function.parameters.iter().map(|ty| Field {
            name: String::new(),
            wire: String::new(),
            docs: None,
            ty: self.type_id(ty),
            default: None,
            check: None,
            secrecy: Secrecy::Shown,
        });
        record_of(fields.collect())
    }

    fn retried(&mut self, modifiers: &ModifierValues, body: ExpressionId) -> Operand {
        let Some(retry) = modifiers.retry else {
            return if modifiers.reflect.is_some() {
                self.attempt(modifiers, body)
            } else {
                self.timed(modifiers, body)
            };
        };
        let RetryValues {
            count,
            backoff,
            longest,
        } = retry;
        let attempts = self.copy(Operand::Word(0), builtin::INT);
        let head = self.block();
        self.jump(head);
        self.start(head);
        let landing = self.new_landing();
        self.open(Region::Catch(landing));
        let value = self.attempt(modifiers, body);
        self.close();
        let done = self.block();
        self.jump(done);
        self.start(landing.block);
        self.count_up(attempts);
        let error = Operand::Local(landing.error);
        let arguments = vec![error, Operand::Local(attempts), count, backoff, longest];
        self.runtime(builtin::UNIT, RuntimeCall::retry_wait, arguments);
        self.jump(head);
        self.start(done);
        value
    }

    /// One attempt, a node of its own: its tasks end with it, and its effects are told from those of the next.
    fn attempt(&mut self, modifiers: &ModifierValues, body: ExpressionId) -> Operand {
        let kind = Operand::Word(NodeKind::Attempt as u64);
        let name = self.text("");
        self.perform(RuntimeCall::node_enter, vec![kind, name, Operand::Word(0)]);
        let landing = self.new_landing();
        let output = self.enclosing_output();
        self.open(Region::Node { landing, output });
        let value = self.timed(modifiers, body);
        let value = self.detached(value);
        self.close();
        self.perform(RuntimeCall::node_complete, vec![Operand::Word(0)]);
        let done = self.block();
        self.jump(done);
        self.start(landing.block);
        self.fail_node(landing.error);
        self.start(done);
        value
    }

    fn timed(&mut self, modifiers: &ModifierValues, body: ExpressionId) -> Operand {
        match modifiers.timeout {
            Some(limit) => self.in_timeout(limit, |builder| builder.joined_body(body)),
            None => self.joined_body(body),
        }
    }

    /// The code that `body` writes, for at most so many nanoseconds.
    pub fn in_timeout(
        &mut self,
        limit: Operand,
        body: impl FnOnce(&mut Self) -> Operand,
    ) -> Operand {
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
        self.fail_scope(RuntimeCall::timeout_fail, scope, landing.error);
        self.start(done);
        value
    }

    fn joined_body(&mut self, body: ExpressionId) -> Operand {
        self.open(Region::Join);
        let value = self.expression(body);
        self.close();
        let value = if self.type_of(body) == Type::Unit {
            Operand::Word(0)
        } else {
            self.detached(value)
        };
        self.join_tasks();
        value
    }
}

impl Emitter<'_, '_> {
    /// What is done where an error leaves a scope, which may give another error to go on with.
    fn fail_scope(&mut self, call: RuntimeCall, scope: LocalId, error: LocalId) {
        let arguments = vec![Operand::Local(scope), Operand::Local(error)];
        let error = self.runtime(builtin::ERROR, call, arguments);
        let error = self.held(error, builtin::ERROR);
        self.pass_on(error);
    }

    /// The prompt of the prelude that judges where no other is named.
    fn prelude_judge(&mut self) -> (Operand, Entry) {
        match self.program.view.prelude("reflect_on_failure") {
            Some(item) => (self.function_value(item, &[]), self.parameters_of(item)),
            None => (Operand::Word(0), Entry::Unit),
        }
    }

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

    fn reflection_type(&mut self) -> Operand {
        let ty = match self.program.view.prelude("Reflection") {
            Some(item) => self.type_id(&Type::Record(item, [].into())),
            None => builtin::UNIT,
        };
        type_word(ty)
    }
}

fn record_of(fields: Vec<Field>) -> Entry {
    Entry::Record(Record {
        name: String::new(),
        docs: None,
        fields,
    })
}
