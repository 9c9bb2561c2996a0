//! Expressions: one function that hands each kind to the file of its family, and the reading of variables.

use std::sync::Arc;

use gsw_abi::builtin;
use gsw_abi::call::RuntimeCall;
use gsw_infer::hir::{self, Captured, Expression, ExpressionId, ExpressionKind, OperatorClass};
use gsw_names::types::Type;

use crate::instance::LambdaUse;
use crate::ir::{Constant, Instruction, Operand};
use crate::lower::builder::Builder;
use crate::lower::prompt::CallOptions;
use crate::lower::region::LoopExit;
use crate::lower::variable::Variable;
use crate::lower::{
    catch, check, choice, collection, conversion, interpolation, iteration, json, membership,
    operator, optional, prompt, record, task,
};
use crate::walk::assigns;

impl Builder<'_, '_> {
    /// Writes the code of an expression and gives where its value is.
    ///
    /// The value may be the very local of a variable: code that evaluates something else before using it goes
    /// through [`Builder::operands`] or [`Builder::settled`].
    pub fn expression(&mut self, id: ExpressionId) -> Operand {
        let body = Arc::clone(&self.body);
        let expression = body.expression(id);
        // Restored afterwards: an operation of the parent that raises is reported at the parent.
        let outer = std::mem::replace(&mut self.span, expression.span);
        let in_scope = self.variables.in_scope().len();
        let value = if self.witnesses.is_some() {
            self.witnessed_expression(id, expression)
        } else {
            self.value_expression(id, expression)
        };
        self.variables.leave_scope(in_scope);
        self.span = outer;
        value
    }

    /// Like [`Self::expression`], in the condition of an `assert` of a test. What need not be evaluated is not watched.
    fn witnessed_expression(&mut self, id: ExpressionId, expression: &Expression) -> Operand {
        match watch(&expression.kind) {
            Watch::Kept => {
                let value = self.value_expression(id, expression);
                self.witness(id, value);
                value
            }
            Watch::Inside => self.value_expression(id, expression),
            Watch::Nothing => {
                // Taken away for the whole expression: its parts see that nothing is being watched and keep nothing either.
                let witnesses = self.witnesses.take();
                let value = self.value_expression(id, expression);
                self.witnesses = witnesses;
                value
            }
        }
    }

    /// Several expressions one after the other.
    pub fn operands(&mut self, ids: &[ExpressionId]) -> Vec<Operand> {
        let mut values = Vec::with_capacity(ids.len());
        let mut late = Vec::new();
        for (index, &id) in ids.iter().enumerate() {
            let later = &ids[index + 1..];
            // `xs = xs + f(ys)`: read before `f`, the list would have two owners and be copied.
            if self.may_read_late(id, later) {
                late.push(index);
                // A placeholder that keeps the positions; it is replaced below.
                values.push(Operand::Word(0));
                continue;
            }
            let value = self.expression(id);
            values.push(self.settled(value, later));
        }
        for index in late {
            values[index] = self.expression(ids[index]);
        }
        values
    }

    /// Whether a variable in a cell may be read after all of `later`: then an assignment of the result can change the value in
    /// place. Only where nothing else can assign the variable meanwhile.
    fn may_read_late(&self, id: ExpressionId, later: &[ExpressionId]) -> bool {
        let ExpressionKind::Local(local) = self.body.expression(id).kind else {
            return false;
        };
        matches!(self.variables.place(local), Variable::Cell(_))
            && self.body.local(local).captured == Captured::No
            // A watched value must be the one that the condition saw, so it is read in its turn.
            && self.witnesses.is_none()
            && !later.iter().any(|it| assigns(&self.body, *it, local))
    }

    /// The value as it is now: a copy, when evaluating `later` assigns the variable that holds it.
    pub fn settled(&mut self, value: Operand, later: &[ExpressionId]) -> Operand {
        let Operand::Local(local) = value else {
            return value;
        };
        let Some(variable) = self.variables.assignable(local) else {
            return value;
        };
        if later.iter().any(|it| assigns(&self.body, *it, variable)) {
            let ty = self.local_type(local);
            return Operand::Local(self.copy(value, ty));
        }
        value
    }

    /// The value of an expression that comes before a `defer`'s code or another copy of any code.
    pub fn detached(&mut self, value: Operand) -> Operand {
        let Operand::Local(local) = value else {
            return value;
        };
        // A local that nothing assigns serves as its value for as long as it is in scope, without a copy.
        if self.variables.assignable(local).is_none() {
            return value;
        }
        let ty = self.local_type(local);
        Operand::Local(self.copy(value, ty))
    }

    #[expect(
        clippy::too_many_lines,
        reason = "one arm a form: rustc names what a new form must join"
    )]
    fn value_expression(&mut self, id: ExpressionId, expression: &Expression) -> Operand {
        use ExpressionKind as Kind;
        match &expression.kind {
            Kind::Int(value) | Kind::Duration(value) => Operand::Word(value.cast_unsigned()),
            Kind::Float(bits) => Operand::Word(*bits),
            Kind::Bool(value) => Operand::Word(u64::from(*value)),
            // `none` is 0 for every optional, boxed or not, so it needs no type here.
            Kind::None | Kind::Unit => Operand::Word(0),
            Kind::String(text) => self.string_literal(id, text),
            Kind::Local(local) => self.read(*local),
            Kind::Constant(item) => self.constant_value(*item),
            Kind::FunctionValue {
                item,
                type_arguments,
            } => self.function_value(*item, type_arguments),
            Kind::ConstructorValue { item, variant } => self.constructor_value(id, *item, *variant),
            Kind::Lambda(lambda) => self.closure(id, 0, lambda, LambdaUse::Value),
            Kind::Record { item, fields, base } => record::record(self, id, *item, fields, *base),
            Kind::Variant {
                item,
                variant,
                fields,
            } => record::variant(self, id, *item, *variant, fields),
            Kind::ErrorValue { item, fields } => record::error_value(self, *item, fields),
            Kind::List(elements) => collection::list(self, id, elements),
            Kind::Map(entries) => collection::map(self, id, entries),
            Kind::Tuple(elements) => collection::tuple(self, id, elements),
            Kind::Field { base, index } | Kind::TupleField { base, index } => {
                self.field(id, *base, *index)
            }
            Kind::JsonField { base, name } => json::json_field(self, *base, name),
            Kind::Index { base, index } => collection::index(self, id, *base, *index),
            Kind::Interpolation(parts) => interpolation::interpolation(self, id, parts),
            Kind::Unary { operator, operand } => operator::unary(self, *operator, *operand),
            Kind::Binary {
                operator,
                left,
                right,
            } => operator::binary(self, id, *operator, *left, *right),
            Kind::In { value, container } => membership::membership(self, *value, *container),
            Kind::Otherwise { value, fallback } => optional::otherwise(self, id, *value, *fallback),
            Kind::Chain { base, local, body } => optional::chain(self, id, *base, *local, *body),
            Kind::Range {
                start,
                end,
                range_end,
            } => collection::range_list(self, *start, *end, *range_end),
            Kind::Coerce { value, coercion } => conversion::coerce(self, id, *value, *coercion),
            Kind::As(value) => check::checked_conversion(self, id, *value),
            Kind::If {
                condition,
                then,
                otherwise,
            } => choice::conditional(self, id, *condition, *then, *otherwise),
            Kind::Matches { .. } => operator::logical(self, id),
            Kind::Match { value, arms } => choice::matching(self, id, *value, arms),
            Kind::Catch { value, arms } => catch::catching(self, id, *value, arms),
            Kind::Block { statements, tail } => self.block_expression(statements, *tail),
            Kind::For {
                pattern,
                iterable,
                body,
            } => iteration::for_loop(self, pattern, *iterable, *body),
            Kind::While { condition, body } => iteration::while_loop(self, *condition, *body),
            Kind::Return(value) => self.return_expression(*value),
            Kind::Break => self.leave_loop(LoopExit::Break),
            Kind::Continue => self.leave_loop(LoopExit::Continue),
            Kind::Fail(error) => self.fail(*error),
            Kind::Emit(value) => self.emit_event(*value),
            Kind::Call { callee, arguments } => self.call_expression(id, callee, arguments),
            Kind::PromptCall {
                item,
                arguments,
                agent,
                settings,
                given,
                session,
                turn,
                mode,
                improving,
            } => {
                // What a call gives to its model belongs to the program even if nothing else names it.
                self.program.given(given);
                let options = CallOptions {
                    agent: *agent,
                    settings: *settings,
                    session: *session,
                    turn: *turn,
                    improving: *improving,
                    mode: *mode,
                };
                prompt::prompt_call(self, id, *item, arguments, options)
            }
            Kind::PromptText { item, arguments } => prompt::prompt_text(self, *item, arguments),
            Kind::OfferedTool { tool, name } => self.offered_tool(*tool, name.as_deref()),
            Kind::Spawn(lambda) => task::spawn(self, id, lambda),
            Kind::Undo(lambda) => task::undo(self, id, lambda),
            Kind::SpawnDetached {
                item,
                arguments,
                id,
            } => task::spawn_detached(self, *item, arguments, *id),
            Kind::Await(tasks) => task::await_tasks(self, id, *tasks),
            Kind::Race { tasks, policy } => task::race(self, id, *tasks, *policy),
            Kind::ParallelFor {
                iterable,
                limit,
                policy,
                body,
            } => task::parallel_for(self, id, *iterable, *limit, *policy, body),
            Kind::Parallel { branches, policy } => task::parallel(self, id, branches, *policy),
            Kind::Step {
                was,
                name,
                modifiers,
                body,
            } => self.step((*was, *name), modifiers, *body),
            Kind::Modified { modifiers, body } => self.modified(modifiers, *body),
            // What is invalid has been reported, and then nothing is compiled.
            Kind::Invalid => self.unreachable(),
        }
    }

    fn field(&mut self, id: ExpressionId, base: ExpressionId, index: u32) -> Operand {
        let base_type = self.type_id_of(base);
        let base = self.expression(base);
        let base = self.held(base, base_type);
        let ty = self.type_id_of(id);
        self.load(ty, base, index)
    }

    fn return_expression(&mut self, value: Option<ExpressionId>) -> Operand {
        let (value, ty) = match value {
            Some(it) => (self.expression(it), self.type_of(it)),
            None => (Operand::Word(0), Type::Unit),
        };
        self.leave_function(value, &ty);
        Operand::Word(0)
    }

    fn fail(&mut self, error: ExpressionId) -> Operand {
        let error = self.expression(error);
        let error = self.held(error, builtin::ERROR);
        self.raise(error);
        Operand::Word(0)
    }

    fn emit_event(&mut self, value: ExpressionId) -> Operand {
        let value = self.expression(value);
        self.perform(RuntimeCall::emit, vec![value]);
        Operand::Word(0)
    }

    fn string_literal(&mut self, id: ExpressionId, text: &str) -> Operand {
        let ty = self.type_of(id);
        let base = self.program.base_type(&ty);
        let ty = if matches!(base, Type::Literals(_)) {
            self.type_id(&base)
        } else {
            builtin::STRING
        };
        self.constant(
            ty,
            Constant::String {
                ty,
                text: text.to_owned(),
            },
        )
    }

    fn read(&mut self, local: hir::LocalId) -> Operand {
        match self.variables.place(local) {
            Variable::Local(local) => Operand::Local(local),
            Variable::Cell(cell) => {
                let ty = self.concrete(&Arc::clone(&self.body).local(local).ty);
                let ty = self.type_id(&ty);
                // A fresh local for each read: another read after an assignment must not change this one.
                let to = self.local(ty);
                self.emit(Instruction::CellGet { to, cell });
                Operand::Local(to)
            }
        }
    }
}

/// What is kept of an expression in the condition of an `assert`.
enum Watch {
    /// Its value, which says something when the condition does not hold.
    Kept,
    /// Nothing but what is kept of its parts: they are all evaluated when it is.
    Inside,
    /// Nothing, also of its parts: they may stay unevaluated, run elsewhere or later, or hold nothing.
    Nothing,
}

#[expect(
    clippy::too_many_lines,
    reason = "one line a form: rustc names what a new form must join"
)]
fn watch(kind: &ExpressionKind) -> Watch {
    use ExpressionKind as Kind;
    match kind {
        Kind::Local(_)
        | Kind::Field { .. }
        | Kind::TupleField { .. }
        | Kind::JsonField { .. }
        | Kind::Index { .. }
        | Kind::Call { .. }
        | Kind::PromptCall { .. } => Watch::Kept,
        Kind::Binary { operator, .. } => match operator.class() {
            OperatorClass::Logic(_) => Watch::Nothing,
            OperatorClass::Equality(_) | OperatorClass::Order(_) | OperatorClass::Arithmetic(_) => {
                Watch::Inside
            }
        },
        Kind::Unary { .. }
        | Kind::In { .. }
        | Kind::Coerce { .. }
        | Kind::As(_)
        | Kind::List(_)
        | Kind::Tuple(_)
        | Kind::Record { .. }
        | Kind::Variant { .. }
        | Kind::Interpolation(_) => Watch::Inside,
        Kind::Int(_)
        | Kind::Float(_)
        | Kind::Bool(_)
        | Kind::None
        | Kind::Unit
        | Kind::Duration(_)
        | Kind::String(_)
        | Kind::Constant(_)
        | Kind::FunctionValue { .. }
        | Kind::ConstructorValue { .. }
        | Kind::Lambda(_)
        | Kind::ErrorValue { .. }
        | Kind::Map(_)
        | Kind::Otherwise { .. }
        | Kind::Chain { .. }
        | Kind::Range { .. }
        | Kind::If { .. }
        | Kind::Matches { .. }
        | Kind::Match { .. }
        | Kind::Catch { .. }
        | Kind::Block { .. }
        | Kind::For { .. }
        | Kind::While { .. }
        | Kind::Return(_)
        | Kind::Break
        | Kind::Continue
        | Kind::Fail(_)
        | Kind::Emit(_)
        | Kind::PromptText { .. }
        | Kind::OfferedTool { .. }
        | Kind::Spawn(_)
        | Kind::Undo(_)
        | Kind::SpawnDetached { .. }
        | Kind::Await(_)
        | Kind::Race { .. }
        | Kind::ParallelFor { .. }
        | Kind::Parallel { .. }
        | Kind::Step { .. }
        | Kind::Modified { .. }
        | Kind::Invalid => Watch::Nothing,
    }
}
