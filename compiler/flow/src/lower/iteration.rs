//! `for` and `while`: plain loops over indices; a range is never built.

use std::sync::Arc;

use gsw_abi::builtin;
use gsw_abi::call::RuntimeCall;
use gsw_semantics::hir::{ExpressionId, ExpressionKind, Pattern, PatternKind, RangeEnd};
use gsw_semantics::types::Type;

use crate::family::Family;
use crate::ir::{BlockId, LocalId, Operand, Operation, Terminator};
use crate::lower::builder::Builder;
use crate::lower::region::Region;
use crate::lower::variable::Variable;

/// A range that is run over and never built.
#[derive(Clone, Copy)]
struct Range {
    start: ExpressionId,
    end: ExpressionId,
    range_end: RangeEnd,
}

/// The blocks of a loop.
struct Loop {
    head: BlockId,
    next: BlockId,
    leave: BlockId,
}

impl Builder<'_, '_> {
    /// `while`
    pub fn while_loop(&mut self, condition: ExpressionId, body: ExpressionId) -> Operand {
        let blocks = self.open_loop();
        let inside = self.block();
        self.branch_on(condition, inside, blocks.leave);
        self.start(inside);
        self.loop_body(&blocks, body);
        self.start(blocks.next);
        self.close_loop(&blocks);
        Operand::Word(0)
    }

    /// `for`
    pub fn for_loop(
        &mut self,
        pattern: &Pattern,
        iterable: ExpressionId,
        body: ExpressionId,
    ) -> Operand {
        let hir = Arc::clone(&self.body);
        if let ExpressionKind::Range {
            start,
            end,
            range_end,
        } = hir.expression(iterable).kind
        {
            self.for_range(
                pattern,
                Range {
                    start,
                    end,
                    range_end,
                },
                body,
            );
            return Operand::Word(0);
        }
        let ty = self.type_of(iterable);
        let ty = self.program.base_type(&ty);
        let id = self.type_id(&ty);
        let values = self.expression(iterable);
        let values = self.settled(values, &[body]);
        let values = self.held(values, id);
        if let Type::Stream(part) = &ty {
            self.for_stream(pattern, values, part, body);
            return Operand::Word(0);
        }
        match Family::of(&ty) {
            Family::List(element) => self.for_list(pattern, values, &element, body),
            Family::Map(key, value) => self.for_map(pattern, values, &key, &value, body),
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
            | Family::Plain => return self.unreachable(),
        }
        Operand::Word(0)
    }

    fn for_range(&mut self, pattern: &Pattern, range: Range, body: ExpressionId) {
        let Range {
            start,
            end,
            range_end,
        } = range;
        let bounds = self.operands(&[start, end]);
        let end = self.settled(bounds[1], &[body]);
        let index = self.copy(bounds[0], builtin::INT);
        let blocks = self.open_loop();
        let goes_on = match range_end {
            RangeEnd::Exclusive => Operation::IntLess,
            RangeEnd::Inclusive => Operation::IntLessEqual,
        };
        let goes_on = self.operation(builtin::BOOL, goes_on, Operand::Local(index), end);
        self.require(goes_on, blocks.leave);
        if let PatternKind::Binding(local) = pattern.kind {
            let body = Arc::clone(&self.body);
            self.name_local(index, &body.local(local).name);
            self.variables.bind(local, Variable::Local(index));
        } else {
            self.bind_element(pattern, Operand::Local(index));
        }
        self.loop_body(&blocks, body);
        self.start(blocks.next);
        if range_end == RangeEnd::Inclusive {
            // The last index may be the largest int, to which nothing can be added.
            let index = Operand::Local(index);
            let more = self.operation(builtin::BOOL, Operation::IntNotEqual, index, end);
            self.require(more, blocks.leave);
        }
        self.step_index(index);
        self.close_loop(&blocks);
    }

    fn for_list(&mut self, pattern: &Pattern, list: LocalId, element: &Type, body: ExpressionId) {
        let element = self.type_id(element);
        let length = self.load(builtin::INT, list, 0);
        let index = self.copy(Operand::Word(0), builtin::INT);
        let blocks = self.open_counted_loop(index, length);
        let arguments = vec![Operand::Local(list), Operand::Local(index)];
        let value = self.runtime(element, RuntimeCall::list_at, arguments);
        self.bind_element(pattern, value);
        self.loop_body(&blocks, body);
        self.start(blocks.next);
        self.step_index(index);
        self.close_loop(&blocks);
    }

    fn for_map(
        &mut self,
        pattern: &Pattern,
        map: LocalId,
        key_type: &Type,
        value_type: &Type,
        body: ExpressionId,
    ) {
        let (key, value) = (self.type_id(key_type), self.type_id(value_type));
        let length = self.runtime(
            builtin::INT,
            RuntimeCall::map_len,
            vec![Operand::Local(map)],
        );
        let index = self.copy(Operand::Word(0), builtin::INT);
        let blocks = self.open_counted_loop(index, length);
        let arguments = vec![Operand::Local(map), Operand::Local(index)];
        let key = self.runtime(key, RuntimeCall::map_key_at, arguments.clone());
        let value = self.runtime(value, RuntimeCall::map_value_at, arguments);
        if let PatternKind::Tuple(parts) = &pattern.kind
            && let [first, second] = parts.as_slice()
        {
            self.bind_element(first, key);
            self.bind_element(second, value);
        } else if !matches!(pattern.kind, PatternKind::Wildcard) {
            let pair = Type::Tuple([key_type.clone(), value_type.clone()].into());
            let pair = self.type_id(&pair);
            let pair = self.object(pair, 0, vec![key, value]);
            self.bind_element(pattern, pair);
        }
        self.loop_body(&blocks, body);
        self.start(blocks.next);
        self.step_index(index);
        self.close_loop(&blocks);
    }

    fn for_stream(&mut self, pattern: &Pattern, stream: LocalId, part: &Type, body: ExpressionId) {
        let part = Type::Partial(Arc::new(part.clone()));
        let optional = part.clone().optional();
        let optional_id = self.type_id(&optional);
        let blocks = self.open_loop();
        let next = self.stream_next(optional_id, stream);
        self.require(next, blocks.leave);
        let value = self.unwrapped(next, &part);
        self.bind_element(pattern, value);
        self.loop_body(&blocks, body);
        self.start(blocks.next);
        self.close_loop(&blocks);
    }

    fn bind_element(&mut self, pattern: &Pattern, value: Operand) {
        // The checker proved that the pattern always matches.
        let never = self.block();
        self.test(pattern, value, never);
    }

    fn open_loop(&mut self) -> Loop {
        let blocks = Loop {
            head: self.block(),
            next: self.block(),
            leave: self.block(),
        };
        self.jump(blocks.head);
        self.start(blocks.head);
        blocks
    }

    fn open_counted_loop(&mut self, index: LocalId, length: Operand) -> Loop {
        let blocks = self.open_loop();
        let index = Operand::Local(index);
        let goes_on = self.operation(builtin::BOOL, Operation::IntLess, index, length);
        self.require(goes_on, blocks.leave);
        blocks
    }

    fn loop_body(&mut self, blocks: &Loop, body: ExpressionId) {
        self.open(Region::Loop {
            leave: blocks.leave,
            next: blocks.next,
        });
        self.expression(body);
        self.close();
        self.jump(blocks.next);
    }

    fn step_index(&mut self, index: LocalId) {
        let one = Operand::Word(1);
        let operation = Operation::IntAddUnchecked;
        let next = self.operation(builtin::INT, operation, Operand::Local(index), one);
        self.store(index, next);
    }

    fn close_loop(&mut self, blocks: &Loop) {
        let stop = self.handler();
        self.end(Terminator::Loop {
            head: blocks.head,
            stop,
        });
        self.start(blocks.leave);
    }
}
