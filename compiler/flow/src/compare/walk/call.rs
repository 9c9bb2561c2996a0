//! Two terminators or calls of one shape: where they continue, and whether they ask for something else.

use gsw_abi::call::{Parameter, RuntimeCall};
use gsw_abi::program::FunctionIndex;
use gsw_abi::types::TypeId;

use crate::compare::item::{Cursor, Item, item, text_of};
use crate::compare::reach::{Side, is_operation};
use crate::compare::touched::Touched;
use crate::compare::walk::{After, Key, Lane, Walk};
use crate::compare::{Class, What};
use crate::ir::{BlockId, Function, Handler, Instruction, Operand, Terminator};

impl<'a> Walk<'a> {
    /// Which arguments of a runtime call differ, types and indices by what they name.
    fn arguments(
        &mut self,
        lane: &Lane<'a>,
        call: RuntimeCall,
        old: &[Operand],
        new: &[Operand],
    ) -> Vec<bool> {
        let mut differing = lane.pairing.differing(old, new);
        for (at, parameter) in call.parameters().iter().enumerate() {
            let (Some(Operand::Word(a)), Some(Operand::Word(b))) = (old.get(at), new.get(at))
            else {
                continue;
            };
            let named = match parameter {
                Parameter::Result | Parameter::Ty => Named::Type,
                Parameter::Word | Parameter::Borrow | Parameter::Own => named_by(call, at),
            };
            differing[at] = match named {
                Named::Number => a != b,
                Named::Type => !match (u32::try_from(*a), u32::try_from(*b)) {
                    (Ok(a), Ok(b)) => self.same_type(TypeId(a), TypeId(b)),
                    (Err(_), _) | (_, Err(_)) => a == b,
                },
                Named::Prompt => !self.same_prompt(*a, *b),
                Named::Tool => !self.begins_alike(*a, *b),
                Named::Agent => !self.same_agent(*a, *b),
                Named::Function => match (u32::try_from(*a), u32::try_from(*b)) {
                    (Ok(a), Ok(b)) => {
                        let key = Key::plain(FunctionIndex(a), FunctionIndex(b));
                        self.functions(&key).result
                    }
                    (Err(_), _) | (_, Err(_)) => true,
                },
            };
        }
        // By name, which is known only when it runs: it may be any of them.
        if call == RuntimeCall::workflow_start && !self.same_workflows() {
            differing[1] = true;
        }
        if call == RuntimeCall::tool_begin {
            // Shown to observers alone: what the tool does with them is compared in its body.
            differing[3] = false;
        }
        differing
    }

    /// Which arguments of two functions differ, the agent of a prompt's call by what it is.
    pub(super) fn given(
        &mut self,
        lane: &Lane<'a>,
        old: &Called<'_>,
        new: &Called<'_>,
    ) -> Vec<bool> {
        let mut differing = lane.pairing.differing(old.arguments, new.arguments);
        let places = (
            self.old.agent_parameter(old.function),
            self.new.agent_parameter(new.function),
        );
        let (Some(place), Some(other)) = places else {
            return differing;
        };
        let agents = (
            number_in_json(lane.old, old.arguments.get(place)),
            number_in_json(lane.new, new.arguments.get(other)),
        );
        if let ((Some(old), Some(new)), true) = (agents, place == other) {
            differing[place] = !self.same_agent(old, new);
        }
        differing
    }

    pub(super) fn plain_call(
        &mut self,
        lane: &mut Lane<'a>,
        call: RuntimeCall,
        old: &[Operand],
        old_at: Cursor,
        new: &[Operand],
        new_at: Cursor,
    ) -> bool {
        if call == RuntimeCall::node_enter {
            self.node(lane, old, old_at, new, new_at);
            return false;
        }
        let mut differing = self.arguments(lane, call, old, new);
        if call == RuntimeCall::json_new
            && let Some(is_same) = self.tools(lane, old, old_at, new, new_at)
        {
            differing.fill(!is_same);
        }
        let is_tainted = differing.contains(&true);
        if is_tainted {
            self.touch(Touched::by_call(call));
        }
        if is_tainted && is_operation(call) {
            self.asks(lane, call, (old, old_at), new_at);
        }
        is_tainted || self.gives_other(call, old)
    }

    /// Whether a call with the same arguments may return something else.
    fn gives_other(&mut self, call: RuntimeCall, arguments: &[Operand]) -> bool {
        if call == RuntimeCall::workflow_list {
            return !self.same_list();
        }
        self.touched.is_seen_by(call, arguments)
    }

    /// Whether the tools are the same that two numbers in the settings of an agent name; `None` where they name none: they do after
    /// one key.
    fn tools(
        &mut self,
        lane: &Lane<'a>,
        old: &[Operand],
        old_at: Cursor,
        new: &[Operand],
        new_at: Cursor,
    ) -> Option<bool> {
        let key = |function: &Function, module, at: Cursor| {
            let before = at.index.checked_sub(1)?;
            let written = function.blocks[at.block].instructions.get(before)?;
            let local = Item::Instruction(written).writes()?;
            text_of(module, function, at, &Operand::Local(local)).map(str::to_owned)
        };
        let tool = Some("tool".to_owned());
        let are_keys = key(lane.old, self.old.module, old_at) == tool
            && key(lane.new, self.new.module, new_at) == tool;
        match (old, new) {
            ([Operand::Word(a), Operand::Word(one)], [Operand::Word(b), Operand::Word(other)])
                if are_keys && a == b =>
            {
                Some(self.same_tool(*one, *other))
            }
            _ => None,
        }
    }

    #[expect(
        clippy::too_many_lines,
        reason = "one arm a form: rustc names what a new form must join"
    )]
    pub(super) fn terminator(
        &mut self,
        lane: &mut Lane<'a>,
        old: &Terminator,
        old_at: Cursor,
        new: &Terminator,
        new_at: Cursor,
    ) {
        let (one, other) = (Item::Terminator(old), Item::Terminator(new));
        match (old, new) {
            (
                Terminator::Branch {
                    condition: a,
                    then: b,
                    otherwise: c,
                },
                Terminator::Branch {
                    condition: d,
                    then: e,
                    otherwise: f,
                },
            ) => {
                if !lane.pairing.same(a, d) {
                    return self.way(lane, old_at, new_at);
                }
                lane.left.push((Cursor::start(*b), Cursor::start(*e)));
                lane.left.push((Cursor::start(*c), Cursor::start(*f)));
                return;
            }
            (
                Terminator::Switch {
                    value: a,
                    cases: b,
                    default: c,
                },
                Terminator::Switch {
                    value: d,
                    cases: e,
                    default: f,
                },
            ) => {
                if !lane.pairing.same(a, d) {
                    return self.way(lane, old_at, new_at);
                }
                for (value, _) in b.iter().chain(e) {
                    let goes = |cases: &[(u64, BlockId)], default| {
                        let case = cases.iter().find(|(it, _)| it == value);
                        Cursor::start(case.map_or(default, |(_, block)| *block))
                    };
                    lane.left.push((goes(b, *c), goes(e, *f)));
                }
                lane.left.push((Cursor::start(*c), Cursor::start(*f)));
                return;
            }
            (Terminator::Return(a), Terminator::Return(b)) => {
                lane.pairing.result |= !lane.pairing.same(a, b);
                return;
            }
            (Terminator::Raise(a), Terminator::Raise(b)) => {
                lane.pairing.result |= !lane.pairing.same_local(*a, *b);
                return;
            }
            _ => {}
        }
        let is_tainted = self.call_differs(lane, old, old_at, new, new_at);
        if let (Some(old), Some(new)) = (one.writes(), other.writes()) {
            lane.pairing.write(old, new, is_tainted);
        }
        if let (Some(old), Some(new)) = (one.follows(old_at), other.follows(new_at)) {
            lane.left.push((old, new));
        }
        if let (Some(a), Some(b)) = (one.handler(), other.handler()) {
            let (
                Handler { error, block, .. },
                Handler {
                    error: it,
                    block: to,
                    ..
                },
            ) = (a, b);
            lane.pairing.write(*error, *it, is_tainted);
            lane.left.push((Cursor::start(*block), Cursor::start(*to)));
        }
    }

    /// Whether what two calls of one shape give may be another value; says so where they ask for something else, or one may
    /// raise where the other does not.
    #[expect(
        clippy::too_many_lines,
        reason = "one arm a form: rustc names what a new form must join"
    )]
    fn call_differs(
        &mut self,
        lane: &mut Lane<'a>,
        old: &Terminator,
        old_at: Cursor,
        new: &Terminator,
        new_at: Cursor,
    ) -> bool {
        let may_raise = match (old, new) {
            (
                Terminator::Call {
                    function: a,
                    arguments: b,
                    ..
                },
                Terminator::Call {
                    function: c,
                    arguments: d,
                    ..
                },
            ) => {
                let asks = self.old.asks(*a) || self.new.asks(*c);
                let touched = self.old.touched(*a).and(self.new.touched(*c));
                let key = Key {
                    old: *a,
                    new: *c,
                    tainted: self.given(lane, &Called::of(*a, b), &Called::of(*c, d)),
                    // A call without operations and without visible changes matters only by its result.
                    after: match asks || touched != Touched::default() {
                        true => self.after(lane, old_at, new_at),
                        false => After::NOTHING,
                    },
                };
                let outcome = self.functions(&key);
                if asks || !outcome.may_raise {
                    return outcome.result;
                }
                true
            }
            (
                Terminator::Checked {
                    left: a, right: b, ..
                },
                Terminator::Checked {
                    left: c, right: d, ..
                },
            ) => !lane.pairing.same(a, c) || !lane.pairing.same(b, d),
            (
                Terminator::CallValue {
                    closure: a,
                    arguments: b,
                    ..
                },
                Terminator::CallValue {
                    closure: c,
                    arguments: d,
                    ..
                },
            ) => !lane.pairing.same_local(*a, *c) || lane.pairing.differing(b, d).contains(&true),
            (
                Terminator::Runtime {
                    call: a,
                    arguments: b,
                    ..
                },
                Terminator::Runtime { arguments: c, .. },
            )
            | (
                Terminator::Suspend {
                    call: a,
                    arguments: b,
                    ..
                },
                Terminator::Suspend { arguments: c, .. },
            ) => {
                let is_tainted = self.arguments(lane, *a, b, c).contains(&true);
                if is_tainted {
                    self.touch(Touched::by_call(*a));
                }
                if is_tainted && is_operation(*a) {
                    self.asks(lane, *a, (b, old_at), new_at);
                    return true;
                }
                is_tainted || self.gives_other(*a, b)
            }
            // A loop continues, a fault has nothing that could differ.
            _ => false,
        };
        if may_raise {
            self.way(lane, old_at, new_at);
        }
        may_raise
    }

    fn asks(
        &mut self,
        lane: &Lane<'a>,
        call: RuntimeCall,
        (old, old_at): (&[Operand], Cursor),
        new_at: Cursor,
    ) {
        let operation = self.old.name_of(call, old);
        let what = What::Asks { operation };
        self.part(Class::Changes, what, (lane.old, old_at), (lane.new, new_at));
    }

    /// What may be asked for after a call at these places has returned.
    fn after(&self, lane: &Lane<'a>, old: Cursor, new: Cursor) -> After {
        let further = |side: &Side<'_>, function: &Function, at: Cursor| {
            let item = item(function, at);
            let next = item.follows(at).into_iter();
            let raised = item.handler().map(|it| Cursor::start(it.block));
            let mut places = next.chain(raised);
            places.any(|it| side.first_operation(function, it).is_some())
        };
        After {
            old: lane.after.old
                || further(self.old, lane.old, old)
                || lane.running.any(self.old, lane.old, old),
            new: lane.after.new || further(self.new, lane.new, new),
        }
    }
}

/// A function as it is called.
pub(super) struct Called<'a> {
    function: FunctionIndex,
    arguments: &'a [Operand],
}

impl<'a> Called<'a> {
    pub(super) const fn of(function: FunctionIndex, arguments: &'a [Operand]) -> Self {
        Self {
            function,
            arguments,
        }
    }
}

/// The number that a local holds as `json`, where one instruction writes it, from a constant.
fn number_in_json(function: &Function, operand: Option<&Operand>) -> Option<u64> {
    let Some(Operand::Local(local)) = operand else {
        return None;
    };
    let instructions = function.blocks.iter().flat_map(|it| &it.instructions);
    let mut writers = instructions.filter(|it| Item::Instruction(it).writes() == Some(*local));
    let (Some(written), None) = (writers.next(), writers.next()) else {
        return None;
    };
    if let Instruction::Runtime {
        call: RuntimeCall::json_new,
        arguments,
        ..
    } = written
        && let [_, Operand::Word(number)] = &arguments[..]
    {
        return Some(*number);
    }
    None
}

/// What a word in a call means.
enum Named {
    Number,
    Type,
    Prompt,
    Tool,
    Agent,
    Function,
}

fn named_by(call: RuntimeCall, at: usize) -> Named {
    let is_prompt = matches!(
        call,
        RuntimeCall::prompt_run
            | RuntimeCall::prompt_stream
            | RuntimeCall::prompt_detail
            | RuntimeCall::human_ask
            | RuntimeCall::external_ask
    );
    match (call, at) {
        (RuntimeCall::tool_begin, 1) => Named::Tool,
        (RuntimeCall::session_new, 0) => Named::Agent,
        (RuntimeCall::constant_kept | RuntimeCall::constant_keep, 0) => Named::Function,
        // What it runs is a run of its own, known by name and input.
        (RuntimeCall::spawn_detached, 0) => Named::Function,
        (RuntimeCall::spawn_detached, 1 | 2)
        | (RuntimeCall::state_begin | RuntimeCall::object_new, 0)
        | (RuntimeCall::reflect_wait, 6) => Named::Type,
        (_, 1) if is_prompt => Named::Prompt,
        _ => Named::Number,
    }
}
