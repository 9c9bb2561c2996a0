//! Prompts: what they say is made here, the runtime asks the model.

use gsw_abi::builtin;
use gsw_abi::call::{NodeKind, RuntimeCall};
use gsw_abi::layout::json;
use gsw_abi::program::Colour;
use gsw_abi::setting::{CallPart, Turn};
use gsw_abi::speaker::Speaker;
use gsw_abi::types::Type as Entry;
use gsw_infer::hir::{Body, BodyPart, ExpressionId, PromptMode, conversation_type, said_type};
use gsw_names::Presence;
use gsw_names::types::{Type, is_media};
use gsw_source::{ItemId, Name};

use crate::family::Family;
use crate::instance::{Instance, PromptForm};
use crate::ir::{BlockId, Function, Operand, Terminator};
use crate::lower::Lowering;
use crate::lower::builder::Builder;
use crate::lower::emitter::{Emitter, type_word};
use crate::lower::mock::InSession;
use crate::lower::node::NodeHead;
use crate::lower::region::ReturnOutput;
use crate::waiting::ArgumentsWait;
use crate::walk::reads;

/// Whether a reflection can say a value of this type.
pub(crate) fn can_be_revised(ty: &Type) -> bool {
    !matches!(ty, Type::Image | Type::Document | Type::Secret | Type::Unit)
}

/// What a call of a prompt says besides its arguments.
#[derive(Clone, Copy)]
pub(crate) struct CallOptions {
    pub agent: Option<ItemId>,
    /// After `with`, a `json`.
    pub settings: Option<ExpressionId>,
    pub session: Option<ExpressionId>,
    pub turn: Turn,
    /// The answer that is to be improved, and the number of the round.
    pub improving: Option<(ExpressionId, ExpressionId)>,
    pub mode: PromptMode,
}

/// The parameters of a prompt's function after those of its declaration, each 0 when the call does not give it.
struct CallParameters {
    agent: Operand,
    settings: Operand,
    improving: Operand,
    session: Operand,
    /// Not 0 where the call replaces the last one.
    revises: Operand,
}

/// What a call says that is nothing but its arguments: neither an agent nor settings, an answer to improve or a session, and
/// nothing is replaced.
pub(crate) const BARE_CALL: [Operand; 5] = [Operand::Word(0); 5];

/// A call of a prompt.
pub fn prompt_call(
    builder: &mut Builder<'_, '_>,
    id: ExpressionId,
    item: ItemId,
    arguments: &[(u32, ExpressionId)],
    options: CallOptions,
) -> Operand {
    let CallOptions {
        agent,
        settings,
        session,
        turn,
        improving,
        mode,
    } = options;
    // Listed at the call, so that prompts without a call are not in the image.
    builder.program.prompt(item);
    let mut values = builder.arguments(item, &[], arguments, ArgumentsWait::No);
    let with: Vec<ExpressionId> = settings.into_iter().chain(session).collect();
    for value in &mut values {
        // The settings of the call are evaluated after its arguments and may assign what these were read from.
        *value = builder.settled(*value, &with);
    }
    let settings = settings.map_or(Operand::Word(0), |it| builder.expression(it));
    let session = session.map_or(Operand::Word(0), |it| builder.expression(it));
    let agent = match agent {
        Some(agent) => {
            let index = Operand::Word(u64::from(builder.program.agent(agent)));
            builder.json_of(json::INT, index)
        }
        None => Operand::Word(0),
    };
    let improving = improving.map_or(Operand::Word(0), |(answer, round)| {
        improvement(builder, answer, round)
    });
    let revises = Operand::Word(match turn {
        Turn::New => 0,
        Turn::Revised => 1,
    });
    values.extend([agent, settings, improving, session, revises]);
    let form = match mode {
        PromptMode::Value => PromptForm::Value,
        PromptMode::Detail => PromptForm::Detail,
        PromptMode::Stream => PromptForm::Stream,
    };
    // The runtime gets an own call per form, because their results have different types.
    let function = builder.program.instance(Instance::Prompt { item, form });
    let ty = builder.type_id_of(id);
    match mode {
        PromptMode::Stream => builder.stream_start(ty, function, values),
        PromptMode::Value | PromptMode::Detail => builder.call(ty, function, values),
    }
}

/// `{"answer": the answer that is to be improved, "round": the number of the round}`
fn improvement(
    builder: &mut Builder<'_, '_>,
    answer: ExpressionId,
    round: ExpressionId,
) -> Operand {
    let ty = builder.type_of(answer);
    let answer = builder.expression(answer);
    let round = builder.expression(round);
    builder.json_object(&[("answer", answer, &ty), ("round", round, &Type::Int)])
}

/// What a prompt says for these arguments.
pub fn prompt_text(
    builder: &mut Builder<'_, '_>,
    item: ItemId,
    arguments: &[(u32, ExpressionId)],
) -> Operand {
    let values = builder.arguments(item, &[], arguments, ArgumentsWait::No);
    builder.said(item, values)
}

impl Emitter<'_, '_> {
    /// A tool in a list of `tools`: `{"tool": its index, "name": what the model knows it by}`, the latter only after `as`.
    pub fn offered_tool(&mut self, tool: ItemId, name: Option<&str>) -> Operand {
        let index = Operand::Word(u64::from(self.program.tool(tool)));
        let mut entries = vec![("tool", index, &Type::Int)];
        if let Some(name) = name {
            entries.push(("name", self.text(name), &Type::String));
        }
        self.json_object(&entries)
    }

    /// What a prompt or human says for these arguments.
    pub fn said(&mut self, item: ItemId, arguments: Vec<Operand>) -> Operand {
        let function = self.program.instance(Instance::PromptText { item });
        let ty = self.program.said_by(item);
        let ty = self.type_id(&ty);
        self.call(ty, function, arguments)
    }

    /// The value of one of a prompt's parts for the parameters of this function, or 0 when it has no such part.
    pub fn part_value(
        &mut self,
        item: ItemId,
        part: BodyPart,
        ty: gsw_abi::types::TypeId,
    ) -> Operand {
        let Some(instance) = self.program.part(item, part, &[]) else {
            return Operand::Word(0);
        };
        let function = self.program.instance(instance);
        let count = self.program.view.signature(item).parameters.len() as u32;
        let arguments = (0..count)
            // Parts have the parameters of the prompt, which are the first locals of this function too.
            .map(|it| Operand::Local(crate::ir::LocalId(it)))
            .collect();
        self.call(ty, function, arguments)
    }

    /// Makes the parameters of a declaration the function's.
    pub fn declared_parameters(&mut self, item: ItemId) -> Vec<Operand> {
        let signature = self.program.view.signature(item);
        let mut values = Vec::new();
        for parameter in &signature.parameters {
            let ty = self.type_id(&parameter.ty);
            values.push(Operand::Local(self.parameter(ty, &parameter.name)));
        }
        values
    }
}

/// Puts what reflections around say in place of a prompt's parameters.
fn revise_parameters(emitter: &mut Emitter, item: ItemId, parameters: &[Operand]) {
    let signature = emitter.program.view.signature(item);
    for (parameter, value) in signature.parameters.iter().zip(parameters) {
        // A judge is a model, whose word is not trusted.
        let may_be = can_be_revised(&parameter.ty) && parameter.trusted == Presence::Absent;
        if let (true, Operand::Local(local)) = (may_be, *value) {
            let ty = emitter.type_id(&parameter.ty);
            let name = emitter.text(&parameter.name);
            let arguments = vec![type_word(ty), name, *value];
            let revised = emitter.runtime(ty, RuntimeCall::prompt_revised, arguments);
            emitter.store(local, revised);
        }
    }
}

/// A [`gsw_abi::setting::CallSettings`]; what is not given is left out.
fn prompt_settings(emitter: &mut Emitter, item: ItemId, call: CallParameters) -> Operand {
    let CallParameters {
        agent,
        settings,
        improving,
        session: _,
        revises,
    } = call;
    let ty = builtin::MAP_STRING_JSON;
    let own = emitter.part_value(item, BodyPart::Settings, builtin::JSON);
    let map = emitter.runtime(ty, RuntimeCall::map_new, vec![type_word(ty)]);
    let map = Operand::Local(emitter.copy(map, ty));
    if own != Operand::Word(0) {
        insert_into(emitter, map, CallPart::Prompt.key(), own);
    }
    for (part, value) in [
        // Whether the call gives them is known when it runs, as all forms of call share one function.
        (CallPart::Call, settings),
        (CallPart::Improving, improving),
        (CallPart::Agent, agent),
    ] {
        let (given, next) = (emitter.block(), emitter.block());
        emitter.branch(value, given, next);
        emitter.start(given);
        insert_into(emitter, map, part.key(), value);
        emitter.jump(next);
        emitter.start(next);
    }
    let (given, next) = (emitter.block(), emitter.block());
    emitter.branch(revises, given, next);
    emitter.start(given);
    let present = emitter.json_of(json::BOOL, Operand::Word(1));
    insert_into(emitter, map, CallPart::Revise.key(), present);
    emitter.jump(next);
    emitter.start(next);
    emitter.json_of(json::OBJECT, map)
}

/// What names no agent is asked of the session's.
fn take_agent_of_session(emitter: &mut Emitter, call: &CallParameters) {
    let (CallParameters { session, .. }, Operand::Local(agent)) = (call, call.agent) else {
        return;
    };
    let [in_session, unnamed, next]: [BlockId; 3] = std::array::from_fn(|_| emitter.block());
    emitter.branch(*session, in_session, next);
    emitter.start(in_session);
    emitter.branch(call.agent, next, unnamed);
    emitter.start(unnamed);
    let optional_json = emitter.program.optional_json();
    let own = emitter.runtime(optional_json, RuntimeCall::session_agent, vec![*session]);
    emitter.store(agent, own);
    emitter.jump(next);
    emitter.start(next);
}

/// Waits until no other call runs in the session, where there is one. The call of the runtime that follows leaves it again, so
/// nothing that can wait or raise may come between the two.
fn enter_session(emitter: &mut Emitter, session: Operand) {
    let (given, next) = (emitter.block(), emitter.block());
    emitter.branch(session, given, next);
    emitter.start(given);
    emitter.runtime(builtin::UNIT, RuntimeCall::session_enter, vec![session]);
    emitter.jump(next);
    emitter.start(next);
}

fn insert_into(emitter: &mut Emitter, map: Operand, key: &str, value: Operand) {
    let ty = builtin::MAP_STRING_JSON;
    let key = emitter.text(key);
    let grown = emitter.runtime(ty, RuntimeCall::map_insert, vec![map, key, value]);
    if let Operand::Local(map) = map {
        emitter.store(map, grown);
    }
}

impl Lowering<'_> {
    /// The function of a prompt.
    pub fn lower_prompt(&mut self, item: ItemId, form: PromptForm) -> Function {
        let index = self.prompt(item);
        let optional_json = self.optional_json();
        let optional_session = self.types.structure(Entry::Optional(builtin::SESSION));
        let signature = self.view.signature(item);
        let answer = signature.result.clone();
        let names_agent = signature.agent.is_some();
        let mut builder = self.builder(item, BodyPart::User, Colour::Resumable);
        let parameters = builder.declared_parameters(item);
        // Parameters come before every other local.
        let call = CallParameters {
            agent: Operand::Local(builder.parameter(optional_json, "")),
            settings: Operand::Local(builder.parameter(optional_json, "")),
            improving: Operand::Local(builder.parameter(optional_json, "")),
            session: Operand::Local(builder.parameter(optional_session, "")),
            revises: Operand::Local(builder.parameter(builtin::INT, "")),
        };
        let mocked = InSession {
            session: call.session,
            replaces: [call.improving, call.revises],
        };
        // Before mocks and the text: what a reflection revised is what the prompt is called with.
        revise_parameters(&mut builder, item, &parameters);
        builder.mark_prompt(item, &parameters);
        match form {
            PromptForm::Value | PromptForm::Stream => {
                builder.return_mocked_answer(item, &parameters, &answer, mocked);
            }
            PromptForm::Detail => {
                builder.return_mocked_response(item, &parameters, &answer, mocked);
            }
        }
        if !names_agent {
            take_agent_of_session(&mut builder, &call);
        }
        builder.refuse_unmocked_prompt(item, &parameters, call.agent, index);
        let system = builder.part_value(item, BodyPart::System, builtin::STRING);
        let said = builder.said(item, parameters.clone());
        let arguments = builder.named_json(item, &parameters);
        let session = call.session;
        let settings = prompt_settings(&mut builder, item, call);
        enter_session(&mut builder, session);
        let (row, ty) = match form {
            PromptForm::Value => ("prompt_run", answer),
            PromptForm::Detail => ("prompt_detail", builder.program.response_of(answer)),
            PromptForm::Stream => ("prompt_stream", answer),
        };
        let ty = builder.type_id(&ty);
        let index = Operand::Word(u64::from(index));
        let words = vec![
            type_word(ty),
            index,
            system,
            said,
            arguments,
            settings,
            session,
        ];
        let value = builder.runtime_named(ty, row, words);
        builder.end(Terminator::Return(value));
        builder.finish()
    }

    /// A prompt as something to start: a call of it that gives no agent and no settings.
    pub fn lower_prompt_entry(&mut self, item: ItemId) -> Function {
        let form = PromptForm::Value;
        let function = self.instance(Instance::Prompt { item, form });
        let answer = self.view.signature(item).result.clone();
        let mut builder = self.builder(item, BodyPart::User, Colour::Resumable);
        let mut arguments = builder.declared_parameters(item);
        arguments.extend(BARE_CALL);
        let ty = builder.type_id(&answer);
        let value = builder.call(ty, function, arguments);
        builder.end(Terminator::Return(value));
        builder.finish()
    }

    /// A prompt or `human` as a tool: the node of the call with the question inside.
    pub fn lower_called_by_model(&mut self, item: ItemId) -> Function {
        let answer = self.view.signature(item).result.clone();
        let mut builder = self.builder(item, BodyPart::User, Colour::Resumable);
        let arguments = builder.declared_parameters(item);
        let name = item.name(builder.program.view.db()).to_string();
        let head = NodeHead {
            kind: NodeKind::Tool,
            was: None,
            name: builder.text(&name),
            input: builder.named_json(item, &arguments),
            result: answer,
            output: ReturnOutput::Nothing,
        };
        let value = builder.node_around(head, |builder| {
            builder.call_item(item, &[], arguments, ArgumentsWait::No)
        });
        builder.end(Terminator::Return(value));
        builder.finish()
    }

    /// `Response<T>` of the prelude.
    pub fn response_of(&self, answer: Type) -> Type {
        match self.view.response() {
            Some(item) => Type::Record(item, [answer].into()),
            None => answer,
        }
    }

    /// The type of what a prompt or human says: a string, or the texts of a conversation.
    pub fn said_by(&self, item: ItemId) -> Type {
        match self.view.body(item, BodyPart::Messages) {
            Some(_) => conversation_type(),
            None => Type::String,
        }
    }

    /// What a prompt says, with what it does not mention attached as blocks.
    pub fn lower_prompt_text(&mut self, item: ItemId, colour: Colour) -> Function {
        match self.view.body(item, BodyPart::Messages) {
            Some(body) => self.lower_conversation(item, &body, colour),
            None => self.lower_user_text(item, colour),
        }
    }

    fn lower_user_text(&mut self, item: ItemId, colour: Colour) -> Function {
        let body = self.view.body(item, BodyPart::User);
        let unmentioned = self.unmentioned(item, body.as_deref());
        let join = self.joining_call(item);
        let mut builder = self.builder(item, BodyPart::User, colour);
        let parameters = builder.declared_parameters(item);
        let mut text = builder.part_value(item, BodyPart::User, builtin::STRING);
        // A prompt without `user` is nothing but its parameters.
        if text == Operand::Word(0) {
            text = builder.text("");
        }
        for (index, name, ty) in unmentioned {
            text = attached(&mut builder, text, &name, parameters[index], &ty, join);
        }
        builder.end(Terminator::Return(text));
        builder.finish()
    }

    /// The texts that the body gives, and a last one with the blocks.
    fn lower_conversation(&mut self, item: ItemId, body: &Body, colour: Colour) -> Function {
        let unmentioned = self.unmentioned(item, Some(body));
        let join = self.joining_call(item);
        let mut builder = self.builder(item, BodyPart::Messages, colour);
        let parameters = builder.declared_parameters(item);
        let list = builder.type_id(&conversation_type());
        let mut said = builder.part_value(item, BodyPart::Messages, list);
        if !unmentioned.is_empty() {
            let mut text = builder.text("");
            for (index, name, ty) in unmentioned {
                text = attached(&mut builder, text, &name, parameters[index], &ty, join);
            }
            let pair = builder.type_id(&said_type());
            let who = Operand::Word(Speaker::Block.word());
            let blocks = builder.object(pair, 0, vec![who, text]);
            said = builder.runtime(list, RuntimeCall::list_push, vec![said, blocks]);
        }
        builder.end(Terminator::Return(said));
        builder.finish()
    }

    /// The parameters that the body does not name: position, name, type. Decided at compile time: what it names on any path
    /// counts, so that a prompt's form does not vary from call to call.
    fn unmentioned(&self, item: ItemId, body: Option<&Body>) -> Vec<(usize, Name, Type)> {
        let signature = self.view.signature(item);
        let parameters = signature.parameters.iter().enumerate();
        let unmentioned = parameters.filter(|(index, it)| {
            let mentioned = body.is_some_and(|body| {
                let local = body.parameters.get(*index);
                local.is_some_and(|it| reads(body, body.root, *it))
            });
            // A secret that is not mentioned was not meant for the model.
            !mentioned && !matches!(it.ty, Type::Secret | Type::Unit)
        });
        unmentioned
            .map(|(index, it)| (index, it.name.clone(), it.ty.clone()))
            .collect()
    }

    /// What joins the texts of a prompt, which may hold media.
    fn joining_call(&self, item: ItemId) -> RuntimeCall {
        let signature = self.view.signature(item);
        let mut parameters = signature.parameters.iter();
        match parameters.any(|it| is_media(&it.ty)) {
            true => RuntimeCall::media_join,
            false => RuntimeCall::string_concat,
        }
    }

    /// The few-shot pairs of a prompt: a `json` list of `[messages, answer]`.
    pub fn lower_examples(&mut self, item: ItemId) -> Function {
        let count = self.view.example_count(item);
        let pair = Type::Tuple([self.said_by(item), Type::Json].into());
        let mut builder = self.builder(item, BodyPart::Example(0), Colour::Plain);
        // As JSON when it leaves, since the requests to models are made of it.
        let (pair, list) = (
            builder.type_id(&pair),
            builder.type_id(&pair.clone().list()),
        );
        let room = Operand::Word(u64::from(count));
        let mut pairs = builder.runtime(list, RuntimeCall::list_new, vec![type_word(list), room]);
        for index in 0..count {
            let Some(example) = builder.program.part(item, BodyPart::Example(index), &[]) else {
                continue;
            };
            let function = builder.program.instance(example);
            let example = builder.call(pair, function, Vec::new());
            pairs = builder.runtime(list, RuntimeCall::list_push, vec![pairs, example]);
        }
        let arguments = vec![type_word(list), pairs];
        let value = builder.runtime(builtin::JSON, RuntimeCall::value_to_json, arguments);
        builder.end(Terminator::Return(value));
        builder.finish()
    }
}

/// The text with a parameter attached as a block; strings and media are bare, everything else as JSON.
fn attached(
    emitter: &mut Emitter,
    text: Operand,
    name: &str,
    value: Operand,
    ty: &Type,
    concat: RuntimeCall,
) -> Operand {
    if is_media(&emitter.program.base_type(ty)) {
        // Media are no text that could close a block.
        let media = emitter.media_text(value, &emitter.program.base_type(ty));
        let opening = emitter.text(&format!("\n<{name}>\n"));
        let text = emitter.runtime(builtin::STRING, concat, vec![text, opening]);
        let text = emitter.runtime(builtin::STRING, concat, vec![text, media]);
        let closing = emitter.text(&format!("\n</{name}>"));
        return emitter.runtime(builtin::STRING, concat, vec![text, closing]);
    }
    let content = if matches!(emitter.program.family(ty), Family::Text) {
        value
    } else {
        let value = emitter.json_form(value, ty);
        emitter.text_form(value, &Type::Json)
    };
    let name = emitter.text(name);
    // Made by the runtime, which numbers the tag where the content holds its end.
    let call = RuntimeCall::data_block;
    let block = emitter.runtime(builtin::STRING, call, vec![name, content]);
    emitter.runtime(builtin::STRING, concat, vec![text, block])
}
