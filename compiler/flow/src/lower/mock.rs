//! `mock`, only in programs made for tests: what stands in for an effect is asked before the effect itself.

use std::sync::Arc;

use gsw_abi::builtin;
use gsw_abi::call::{AnswerPurpose, RuntimeCall};
use gsw_abi::layout::json;
use gsw_abi::program::{Colour, Repeat};
use gsw_abi::types::Type as Entry;
use gsw_analysis::is_mockable;
use gsw_infer::hir::{
    Body, ExpressionId, ExpressionKind, Lambda, LocalId as HirLocal, Pattern, ScriptCall,
    ScriptTurn, StatementKind,
};
use gsw_names::substitute;
use gsw_names::types::Type;
use gsw_source::{Db, ItemId, ItemKind};

use crate::family::Family;
use crate::instance::{BodyInstance, Instance};
use crate::ir::{BlockId, Function, Operand, Operation, Terminator};
use crate::lower::builder::Builder;
use crate::lower::code::Join;
use crate::lower::emitter::{Emitter, type_word};
use crate::lower::variable::Variable;
use crate::lower::{Lowering, Purpose};

/// The session of a call that a mock answers.
#[derive(Clone, Copy)]
pub struct InSession {
    /// 0 where there is none.
    pub session: Operand,
    /// An exchange is replaced where one of these is not 0: the answer is a better one, or that of `revise`.
    pub replaces: [Operand; 2],
}

/// Effects that no test may have: the network.
const REFUSED: &[RuntimeCall] = &[RuntimeCall::http_request];

/// `mock item(…) -> …`: from here on the test's run asks this closure.
pub fn mock(
    builder: &mut Builder<'_, '_>,
    item: ItemId,
    outcome: &Lambda,
    calls: Option<HirLocal>,
) {
    let instance = Instance::Mock {
        owner: builder.owner.clone(),
        outcome: outcome.body,
    };
    // A closure, because the value of a mock may use variables of its test.
    let closure = builder.closure_of(instance, outcome);
    let number = builder.program.mock_number(item);
    let calls_type = calls.map(|it| builder.concrete(&builder.body.local(it).ty));
    let given = match &calls_type {
        Some(Type::Record(_, given)) => {
            let list = builder.type_id(&given[0].clone().list());
            let words = vec![type_word(list), Operand::Word(0)];
            builder.runtime(list, RuntimeCall::list_new, words)
        }
        Some(_) | None => Operand::Word(0),
    };
    let words = vec![number, closure, given];
    let index = builder.runtime(builtin::INT, RuntimeCall::mock_set, words);
    if let (Some(calls), Some(ty)) = (calls, calls_type) {
        let ty = builder.type_id(&ty);
        let value = builder.object(ty, 0, vec![number, index]);
        builder.bind(calls, value);
    }
}

/// `mock agent a { … }`: the turns are evaluated here and now, and what is called is named by its index.
pub fn mock_agent(builder: &mut Builder<'_, '_>, agent: ItemId, script: &[ScriptTurn]) {
    let list = builtin::LIST_JSON;
    let room = Operand::Word(script.len() as u64);
    let words = vec![type_word(list), room];
    let mut turns = builder.runtime(list, RuntimeCall::list_new, words);
    for turn in script {
        let turn = match turn {
            ScriptTurn::Calls(calls) => {
                let words = vec![type_word(list), Operand::Word(calls.len() as u64)];
                let mut made = builder.runtime(list, RuntimeCall::list_new, words);
                for call in calls {
                    let call = script_call(builder, call);
                    made = builder.runtime(list, RuntimeCall::list_push, vec![made, call]);
                }
                let calls = builder.json_of(json::LIST, made);
                builder.json_object(&[("calls", calls, &Type::Json)])
            }
            ScriptTurn::Answer(value) => {
                let value = builder.expression(*value);
                builder.json_object(&[("answer", value, &Type::Json)])
            }
            ScriptTurn::Fail(error) => {
                let error = builder.expression(*error);
                builder.json_object(&[("fail", error, &Type::Json)])
            }
        };
        turns = builder.runtime(list, RuntimeCall::list_push, vec![turns, turn]);
    }
    let turns = builder.json_of(json::LIST, turns);
    let index = Operand::Word(u64::from(builder.program.agent(agent)));
    builder.perform(RuntimeCall::mock_agent, vec![index, turns]);
}

/// `{"tool": its index, "input": what it is given}`
fn script_call(builder: &mut Builder<'_, '_>, call: &ScriptCall) -> Operand {
    let signature = builder.program.view.signature(call.tool);
    let mut given = Vec::new();
    for (parameter, value) in &call.arguments {
        let value = builder.expression(*value);
        if let Some(parameter) = signature.parameters.get(*parameter as usize) {
            given.push((parameter.wire.as_str(), value, &Type::Json));
        }
    }
    let input = builder.json_object(&given);
    let tool = Operand::Word(u64::from(builder.program.tool(call.tool)));
    builder.json_object(&[("tool", tool, &Type::Int), ("input", input, &Type::Json)])
}

impl Emitter<'_, '_> {
    /// Returns what the first mock that matches gives; continues where none does.
    pub fn return_mocked(&mut self, item: ItemId, arguments: &[Operand], result: &Type) {
        // A program that is run has no trace of mocks: no call asks for them.
        if self.program.purpose == Purpose::Run || !is_mockable(self.program.view.db(), item) {
            return;
        }
        self.ask_mocks(item, arguments, result, |builder, value| {
            builder.end(Terminator::Return(value));
        });
    }

    /// Like [`Self::return_mocked`], for a prompt, whose answer is also kept in the session, where the call has one.
    pub fn return_mocked_answer(
        &mut self,
        item: ItemId,
        arguments: &[Operand],
        answer: &Type,
        session: InSession,
    ) {
        if self.program.purpose == Purpose::Test {
            self.ask_mocks(item, arguments, answer, |builder, value| {
                builder.keep_mocked(item, arguments, value, answer, session);
                builder.end(Terminator::Return(value));
            });
        }
    }

    /// What a mock has answered becomes a part of the conversation as if a model had answered it.
    fn keep_mocked(
        &mut self,
        item: ItemId,
        arguments: &[Operand],
        value: Operand,
        answer: &Type,
        session: InSession,
    ) {
        let InSession { session, replaces } = session;
        let (given, next) = (self.block(), self.block());
        self.branch(session, given, next);
        self.start(given);
        let said = self.said(item, arguments.to_vec());
        let answer = self.output_json(value, answer);
        let replaced = self.copy(Operand::Word(AnswerPurpose::Next as u64), builtin::INT);
        let purposes = [AnswerPurpose::Better, AnswerPurpose::Revision];
        for (purpose, word) in purposes.into_iter().zip(replaces) {
            let (yes, after) = (self.block(), self.block());
            self.branch(word, yes, after);
            self.start(yes);
            self.store(replaced, Operand::Word(purpose as u64));
            self.jump(after);
            self.start(after);
        }
        let prompt = Operand::Word(u64::from(self.program.prompt(item)));
        let words = vec![session, prompt, said, answer, Operand::Local(replaced)];
        self.runtime(builtin::UNIT, RuntimeCall::session_mocked, words);
        self.jump(next);
        self.start(next);
    }

    /// Delivers what the first mock that matches gives; continues where none does.
    pub fn deliver_mocked(
        &mut self,
        item: ItemId,
        arguments: &[Operand],
        result: &Type,
        join: Join,
    ) {
        if self.program.purpose == Purpose::Test {
            self.ask_mocks(item, arguments, result, |builder, value| {
                builder.deliver(join, value);
            });
        }
    }

    /// Like [`Self::return_mocked_answer`], as a `Response` in which only the value means anything.
    pub fn return_mocked_response(
        &mut self,
        item: ItemId,
        arguments: &[Operand],
        answer: &Type,
        session: InSession,
    ) {
        let response = self.program.response_of(answer.clone());
        let Type::Record(record, types) = &response else {
            return;
        };
        if self.program.purpose == Purpose::Run {
            return;
        }
        let fields = self.program.record_fields(*record);
        self.ask_mocks(item, arguments, answer, |builder, value| {
            builder.keep_mocked(item, arguments, value, answer, session);
            // By name and in the order of the declaration, so a further field of `Response` changes nothing here.
            let mut words = Vec::new();
            for field in &fields {
                let ty = substitute(&field.ty, types);
                words.push(if field.name == "value" {
                    value
                } else {
                    nothing_of(builder, &ty)
                });
            }
            let ty = builder.type_id(&response);
            let value = builder.object(ty, 0, words);
            builder.end(Terminator::Return(value));
        });
    }

    /// A call of an effect of the library, unless a mock stands in for it.
    pub fn mockable_intrinsic(
        &mut self,
        item: ItemId,
        call: RuntimeCall,
        arguments: Vec<Operand>,
        result: &Type,
        types: &[Type],
    ) -> Operand {
        if self.program.purpose == Purpose::Run || !is_mockable(self.program.view.db(), item) {
            return self.intrinsic(call, arguments, result, types);
        }
        let ty = self.type_id(result);
        let join = self.join(ty);
        self.ask_mocks(item, &arguments, result, |builder, value| {
            builder.deliver(join, value);
        });
        if REFUSED.contains(&call) {
            let module = self.program.view.module(item.file(self.program.view.db()));
            // The others may hold secrets.
            let shown = [
                ("method", arguments[0], &Type::String),
                ("url", arguments[1], &Type::String),
            ];
            let shown = self.json_object(&shown);
            refuse(self, item, &module, shown);
        }
        let value = self.intrinsic(call, arguments, result, types);
        self.deliver(join, value);
        self.joined_value(join)
    }

    /// Raises in a test: there is neither a person nor a network.
    pub fn refuse_unmocked(&mut self, item: ItemId, arguments: &[Operand]) {
        if self.program.purpose == Purpose::Test {
            let shown = self.named_json(item, arguments);
            let name = called(self.program.view.db(), item);
            refuse(self, item, &name, shown);
        }
    }

    /// Raises in a test, unless the call may reach a model.
    pub fn refuse_unmocked_prompt(
        &mut self,
        item: ItemId,
        arguments: &[Operand],
        agent: Operand,
        prompt: u32,
    ) {
        if self.program.purpose == Purpose::Run {
            return;
        }
        let shown = self.named_json(item, arguments);
        let number = self.program.mock_number(item);
        let name = called(self.program.view.db(), item);
        let name = self.text(&name);
        let prompt = Operand::Word(u64::from(prompt));
        let words = vec![number, name, shown, agent, prompt];
        self.runtime(builtin::UNIT, RuntimeCall::prompt_unmocked, words);
    }

    /// Asks the mocks of a declaration in order; continues where none matches.
    pub fn ask_mocks(
        &mut self,
        item: ItemId,
        arguments: &[Operand],
        result: &Type,
        matched: impl FnOnce(&mut Self, Operand),
    ) {
        let number = self.program.mock_number(item);
        let answer = answer_type(result);
        let answer = self.type_id(&answer);
        let optional = Entry::Optional(builtin::FUNCTION);
        let optional = self.program.types.structure(optional);
        // A closure learns which mock it is from the last argument.
        let index = self.copy(Operand::Word(0), builtin::INT);
        let [head, asked, answered, next, leave]: [BlockId; 5] =
            std::array::from_fn(|_| self.block());
        self.jump(head);

        self.start(head);
        let words = vec![number, Operand::Local(index)];
        // Asked one by one in compiled code and not in the runtime, because patterns and values of mocks are code.
        let closure = self.runtime(optional, RuntimeCall::mock_at, words);
        self.branch(closure, asked, leave);

        self.start(asked);
        // Of its own type and no longer an optional: it is there.
        let closure = self.copy(closure, builtin::FUNCTION);
        let to = self.local(answer);
        let mut arguments = arguments.to_vec();
        arguments.push(Operand::Local(index));
        self.raising(|next, handler| Terminator::CallValue {
            to,
            closure,
            arguments,
            next,
            handler,
        });
        // Matching and computing the value are one call, since a mock's value may use what its patterns bound.
        self.branch(Operand::Local(to), answered, next);

        self.start(answered);
        let value = self.only_part(to, result);
        matched(self, value);

        self.start(next);
        let one = Operand::Word(1);
        let add = Operation::IntAddUnchecked;
        let further = self.operation(builtin::INT, add, Operand::Local(index), one);
        self.store(index, further);
        let stop = self.handler();
        // Polls, as each loop does: a test with thousands of mocks can be stopped.
        self.end(Terminator::Loop { head, stop });
        self.start(leave);
    }
}

/// The value of a type of `Response`'s fields that says the least.
fn nothing_of(emitter: &mut Emitter, ty: &Type) -> Operand {
    let id = emitter.type_id(ty);
    if let Type::Record(item, _) = ty {
        let fields = emitter.program.record_fields(*item);
        let words = fields
            .iter()
            .map(|it| nothing_of(emitter, &it.ty))
            .collect();
        return emitter.object(id, 0, words);
    }
    match emitter.program.family(ty) {
        Family::Text => emitter.text(""),
        Family::List(_) => {
            let words = vec![type_word(id), Operand::Word(0)];
            emitter.runtime(id, RuntimeCall::list_new, words)
        }
        Family::Map(..) => emitter.runtime(id, RuntimeCall::map_new, vec![type_word(id)]),
        // An optional is `none`.
        Family::Nothing
        | Family::Bool
        | Family::Int
        | Family::Duration
        | Family::Time
        | Family::Float
        | Family::Secret
        | Family::Media
        | Family::Json
        | Family::Plain => Operand::Word(0),
    }
}

/// An item as a mock names it: what a program need not have imported with its module.
fn called(db: &dyn Db, item: ItemId) -> String {
    let name = item.name(db);
    let module = gsw_names::module_path(db, item.file(db));
    match module.and_then(|it| it.strip_prefix("std/")) {
        Some(module) => format!("{module}.{name}"),
        None => name.to_string(),
    }
}

fn refuse(emitter: &mut Emitter, item: ItemId, name: &str, arguments: Operand) {
    let number = emitter.program.mock_number(item);
    let name = emitter.text(name);
    let words = vec![number, name, arguments];
    emitter.runtime(builtin::UNIT, RuntimeCall::unmocked, words);
}

impl Lowering<'_> {
    /// The number under which a run keeps the mocks of an item.
    fn mock_number(&mut self, item: ItemId) -> Operand {
        // Numbered in the order of first use, and the same in all functions, since one table serves the program.
        Operand::Word(self.mocked.insert_full(item).0 as u64)
    }

    /// The code of a mock: gives a tuple with the value, or nothing where its patterns do not match.
    pub fn lower_mock(
        &mut self,
        owner: &BodyInstance,
        outcome: ExpressionId,
        colour: Colour,
    ) -> Function {
        let Some(body) = self.view.body(owner.item, owner.part) else {
            return self.builder(owner.item, owner.part, colour).finish();
        };
        let mut builder = Builder::new(self, Arc::clone(&body), owner.clone(), colour);
        builder.span = body.expression(outcome).span;
        if let Some(mock) = mock_at(&body, outcome) {
            mock_code(&mut builder, mock);
        }
        builder.finish()
    }
}

/// A `mock` as its closure is made from it.
struct Mocking<'a> {
    item: ItemId,
    patterns: &'a [Pattern],
    outcome: &'a Lambda,
    calls: Option<HirLocal>,
}

fn mock_code(builder: &mut Builder<'_, '_>, mock: Mocking<'_>) {
    let Mocking {
        item,
        patterns,
        outcome,
        calls,
    } = mock;
    builder.lambda_head(outcome);
    let other = builder.block();
    let mut arguments = Vec::with_capacity(patterns.len());
    for (index, pattern) in (1..).zip(patterns) {
        // Parameter 0 is the closure.
        let value = Operand::Local(crate::ir::LocalId(index));
        builder.test(pattern, value, other);
        arguments.push(value);
    }
    // The last parameter says which mock of the item this is; the code reads how often that has answered.
    if let Some(turn) = outcome.parameters.last() {
        let index = Operand::Local(crate::ir::LocalId(arguments.len() as u32 + 1));
        let number = builder.program.mock_number(item);
        announce_call(builder, item, &arguments);
        if let Some(calls) = calls {
            keep_given(builder, calls, [number, index], &arguments);
        }
        let words = vec![number, index];
        let answered = builder.runtime(builtin::INT, RuntimeCall::mock_turn, words);
        let answered = builder.copy(answered, builtin::INT);
        builder.variables.bind(*turn, Variable::Local(answered));
    }
    let value = builder.expression(outcome.body);
    let result = builder.type_of(outcome.body);
    // A mock may end in `fail` and give nothing; it still needs a type for its tuple.
    let value = builder.returned(value, &result);
    let result = if result == Type::Never {
        Type::Unit
    } else {
        result
    };
    let answer = Type::Tuple([result].into());
    let answer = builder.type_id(&answer);
    let value = builder.object(answer, 0, vec![value]);
    builder.end(Terminator::Return(value));
    builder.start(other);
    builder.end(Terminator::Return(Operand::Word(0)));
}

/// Before the mock answers, the call happens as far as is visible outside of the run.
fn announce_call(builder: &mut Builder<'_, '_>, item: ItemId, arguments: &[Operand]) {
    let class = class_of(builder, item);
    let name = item.name(builder.program.view.db()).to_string();
    let name = builder.text(&name);
    let arguments = builder.named_json(item, arguments);
    let unit = type_word(builtin::UNIT);
    let words = vec![unit, Operand::Word(class), name, arguments];
    builder.runtime(builtin::UNIT, RuntimeCall::mock_called, words);
}

/// How what is mocked may be repeated, as `mock_called` takes it.
fn class_of(builder: &Builder<'_, '_>, item: ItemId) -> u64 {
    const READS: u64 = 1;
    const IDEMPOTENT: u64 = 2;
    let view = builder.program.view;
    let repeat = match view.repeat(item) {
        Repeat::Pure => 0,
        Repeat::Reads => READS,
        Repeat::Idempotent(_) => IDEMPOTENT,
        Repeat::Once => 3,
    };
    match item.kind(view.db()) {
        // Effects of the library are what they ask for, which their sets of effects are too coarse for.
        ItemKind::Function => match item.name(view.db()).as_str() {
            "get" => repeat.min(READS),
            "put" | "write" | "write_bytes" | "remove" | "make_dir" => repeat.min(IDEMPOTENT),
            _ => repeat,
        },
        ItemKind::Tool => repeat,
        // Asked again they cost something and change nothing; what is inside of a workflow has a class each.
        ItemKind::Prompt | ItemKind::Human | ItemKind::External | ItemKind::Workflow => IDEMPOTENT,
        ItemKind::Import
        | ItemKind::Record
        | ItemKind::Alias
        | ItemKind::Enum
        | ItemKind::Error
        | ItemKind::Const
        | ItemKind::Agent
        | ItemKind::Mcp
        | ItemKind::Hook
        | ItemKind::Skill
        | ItemKind::Test
        | ItemKind::Permissions
        | ItemKind::Invalid => repeat,
    }
}

/// Keeps what the mock was given for its `Calls`.
fn keep_given(
    builder: &mut Builder<'_, '_>,
    calls: HirLocal,
    [number, index]: [Operand; 2],
    arguments: &[Operand],
) {
    let ty = builder.concrete(&builder.body.local(calls).ty);
    let Type::Record(_, given) = &ty else {
        return;
    };
    let given = match arguments {
        [] => Operand::Word(0),
        [only] => *only,
        several => {
            let ty = builder.type_id(&given[0]);
            builder.object(ty, 0, several.to_vec())
        }
    };
    builder.perform(RuntimeCall::mock_given, vec![number, index, given]);
}

/// What a mock's closure gives.
fn answer_type(result: &Type) -> Type {
    Type::Tuple([result.clone()].into()).optional()
}

/// The mock in `body` whose value is this expression.
fn mock_at(body: &Body, value: ExpressionId) -> Option<Mocking<'_>> {
    body.expressions.iter().find_map(|it| {
        let ExpressionKind::Block { statements, .. } = &it.kind else {
            return None;
        };
        statements.iter().find_map(|it| {
            let StatementKind::Mock {
                item,
                patterns,
                outcome,
                calls,
            } = &it.kind
            else {
                return None;
            };
            (outcome.body == value).then_some(Mocking {
                item: *item,
                patterns,
                outcome,
                calls: *calls,
            })
        })
    })
}
