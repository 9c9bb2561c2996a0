//! `for` and `while`: plain loops over indices; a range is never built.

use std::sync::Arc;

use gsw_abi::builtin;
use gsw_abi::call::RuntimeCall;
use gsw_infer::hir::{ExpressionId, ExpressionKind, Pattern, PatternKind, RangeEnd};
use gsw_names::partial;
use gsw_names::types::Type;

use crate::family::Family;
use crate::ir::{BlockId, LocalId, Operand, Operation, Terminator};
use crate::lower::builder::Builder;
use crate::lower::emitter::type_word;
use crate::lower::region::Region;
use crate::lower::variable::Variable;

/// The blocks of a loop.
struct Loop {
    head: BlockId,
    next: BlockId,
    leave: BlockId,
}

impl Loop {
    /// Continues at the head of a fresh loop.
    fn open(builder: &mut Builder<'_, '_>) -> Self {
        let blocks = Self {
            head: builder.block(),
            next: builder.block(),
            leave: builder.block(),
        };
        builder.jump(blocks.head);
        builder.start(blocks.head);
        blocks
    }

    /// A loop that is left when `index` reaches `length`.
    fn counted(builder: &mut Builder<'_, '_>, index: LocalId, length: Operand) -> Self {
        let blocks = Self::open(builder);
        let index = Operand::Local(index);
        let goes_on = builder.operation(builtin::BOOL, Operation::IntLess, index, length);
        builder.require(goes_on, blocks.leave);
        blocks
    }

    /// Writes the body and continues where the next iteration is prepared.
    fn body(&self, builder: &mut Builder<'_, '_>, body: ExpressionId) {
        builder.open(Region::Loop {
            leave: self.leave,
            next: self.next,
        });
        builder.expression(body);
        builder.close();
        builder.jump(self.next);
        builder.start(self.next);
    }

    /// Goes back to the head, and on where the loop is left.
    fn close(self, builder: &mut Builder<'_, '_>) {
        let stop = builder.handler();
        // A terminator of its own, so that codegen polls the stop flag on the way back; where the run is to stop, it raises.
        builder.end(Terminator::Loop {
            head: self.head,
            stop,
        });
        builder.start(self.leave);
    }
}

pub fn while_loop(
    builder: &mut Builder<'_, '_>,
    condition: ExpressionId,
    body: ExpressionId,
) -> Operand {
    let blocks = Loop::open(builder);
    let inside = builder.block();
    builder.branch_on(condition, inside, blocks.leave);
    builder.start(inside);
    blocks.body(builder, body);
    blocks.close(builder);
    Operand::Word(0)
}

pub fn for_loop(
    builder: &mut Builder<'_, '_>,
    pattern: &Pattern,
    iterable: ExpressionId,
    body: ExpressionId,
) -> Operand {
    let hir = Arc::clone(&builder.body);
    let mut iteration = Iteration {
        builder,
        pattern,
        body,
    };
    if let ExpressionKind::Range {
        start,
        end,
        range_end,
    } = hir.expression(iterable).kind
    {
        iteration.over_range(start, end, range_end);
    } else {
        iteration.over_value(iterable);
    }
    Operand::Word(0)
}

/// A `for`: what each turn binds, and what it does.
struct Iteration<'b, 'l, 'v> {
    builder: &'b mut Builder<'l, 'v>,
    pattern: &'b Pattern,
    body: ExpressionId,
}

impl Iteration<'_, '_, '_> {
    fn over_value(&mut self, iterable: ExpressionId) {
        let ty = self.builder.type_of(iterable);
        let ty = self.builder.program.base_type(&ty);
        let id = self.builder.type_id(&ty);
        let values = self.builder.expression(iterable);
        // The loop goes over the value from before, whatever the body assigns to the variable.
        let values = self.builder.settled(values, &[self.body]);
        let values = self.builder.held(values, id);
        if let Type::Stream(part) = &ty {
            return self.over_stream(values, part);
        }
        if let Type::Queue(item) = &ty {
            return self.over_queue(values, item);
        }
        match Family::of(&ty) {
            Family::List(element) => self.over_list(values, &element),
            Family::Map(key, value) => self.over_map(values, &key, &value),
            Family::Nothing
            | Family::Bool
            | Family::Int
            | Family::Duration
            | Family::Time
            | Family::Float
            | Family::Text
            | Family::Secret
            | Family::Media
            | Family::Json
            | Family::Plain => {
                self.builder.unreachable();
            }
        }
    }

    fn over_range(&mut self, start: ExpressionId, end: ExpressionId, range_end: RangeEnd) {
        let bounds = self.builder.operands(&[start, end]);
        let end = self.builder.settled(bounds[1], &[self.body]);
        let index = self.builder.copy(bounds[0], builtin::INT);
        let blocks = Loop::open(self.builder);
        let goes_on = match range_end {
            RangeEnd::Exclusive => Operation::IntLess,
            RangeEnd::Inclusive => Operation::IntLessEqual,
        };
        let counter = Operand::Local(index);
        let goes_on = self.builder.operation(builtin::BOOL, goes_on, counter, end);
        self.builder.require(goes_on, blocks.leave);
        // The counter is the variable itself: nothing can assign it, and each turn's closures capture it by value.
        if let PatternKind::Binding(local) = self.pattern.kind {
            let body = Arc::clone(&self.builder.body);
            self.builder.name_local(index, &body.local(local).name);
            self.builder.variables.bind(local, Variable::Local(index));
        } else {
            self.bind(self.pattern, counter);
        }
        blocks.body(self.builder, self.body);
        if range_end == RangeEnd::Inclusive {
            // The last index may be the largest int, to which nothing can be added.
            let differs = Operation::IntNotEqual;
            let more = self.builder.operation(builtin::BOOL, differs, counter, end);
            self.builder.require(more, blocks.leave);
        }
        self.builder.count_up(index);
        blocks.close(self.builder);
    }

    fn over_list(&mut self, list: LocalId, element: &Type) {
        let element = self.builder.type_id(element);
        // Once: the list cannot change while the loop holds it.
        let length = self.builder.load(builtin::INT, list, 0);
        let index = self.builder.copy(Operand::Word(0), builtin::INT);
        let blocks = Loop::counted(self.builder, index, length);
        let arguments = vec![Operand::Local(list), Operand::Local(index)];
        let call = RuntimeCall::list_at;
        let value = self.builder.runtime(element, call, arguments);
        self.bind(self.pattern, value);
        blocks.body(self.builder, self.body);
        self.builder.count_up(index);
        blocks.close(self.builder);
    }

    fn over_map(&mut self, map: LocalId, key_type: &Type, value_type: &Type) {
        let key = self.builder.type_id(key_type);
        let value = self.builder.type_id(value_type);
        let call = RuntimeCall::map_len;
        let length = self
            .builder
            .runtime(builtin::INT, call, vec![Operand::Local(map)]);
        let index = self.builder.copy(Operand::Word(0), builtin::INT);
        let blocks = Loop::counted(self.builder, index, length);
        let arguments = vec![Operand::Local(map), Operand::Local(index)];
        let call = RuntimeCall::map_key_at;
        let key = self.builder.runtime(key, call, arguments.clone());
        let call = RuntimeCall::map_value_at;
        let value = self.builder.runtime(value, call, arguments);
        if let PatternKind::Tuple(parts) = &self.pattern.kind
            && let [first, second] = parts.as_slice()
        {
            self.bind(first, key);
            self.bind(second, value);
        } else if !matches!(self.pattern.kind, PatternKind::Wildcard) {
            let pair = Type::Tuple([key_type.clone(), value_type.clone()].into());
            let pair = self.builder.type_id(&pair);
            let pair = self.builder.object(pair, 0, vec![key, value]);
            self.bind(self.pattern, pair);
        }
        blocks.body(self.builder, self.body);
        self.builder.count_up(index);
        blocks.close(self.builder);
    }

    fn over_stream(&mut self, stream: LocalId, part: &Type) {
        let whole = self.builder.program.base_type(part);
        let part = partial(self.builder.program.view.db(), whole);
        let optional = self.builder.type_id(&part.clone().optional());
        let blocks = Loop::open(self.builder);
        let next = self.builder.stream_next(optional, stream);
        self.builder.require(next, blocks.leave);
        let value = self.builder.unwrapped(next, &part);
        self.bind(self.pattern, value);
        blocks.body(self.builder, self.body);
        blocks.close(self.builder);
    }

    /// Items are never optional, so `none` is the end.
    fn over_queue(&mut self, queue: LocalId, item: &Type) {
        let optional = self.builder.type_id(&item.clone().optional());
        let blocks = Loop::open(self.builder);
        let arguments = vec![type_word(optional), Operand::Local(queue)];
        let next = self
            .builder
            .runtime(optional, RuntimeCall::queue_pop, arguments);
        self.builder.require(next, blocks.leave);
        let value = self.builder.unwrapped(next, item);
        self.bind(self.pattern, value);
        blocks.body(self.builder, self.body);
        blocks.close(self.builder);
    }

    fn bind(&mut self, pattern: &Pattern, value: Operand) {
        // The checker proved that the pattern always matches.
        let never = self.builder.block();
        self.builder.test(pattern, value, never);
    }
}
