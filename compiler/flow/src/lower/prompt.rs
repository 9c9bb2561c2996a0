//! Prompts: the texts are made here, the runtime asks the model.

use gsw_abi::builtin;
use gsw_abi::call::RuntimeCall;
use gsw_abi::layout::json;
use gsw_abi::program::Colour;
use gsw_abi::setting::CallPart;
use gsw_infer::hir::{BodyPart, ExpressionId, PromptMode};
use gsw_names::types::{Type, is_media};
use gsw_source::ItemId;

use crate::family::Family;
use crate::instance::{Instance, PromptForm};
use crate::ir::{Function, Operand, Terminator};
use crate::lower::Lowering;
use crate::lower::builder::Builder;
use crate::lower::emitter::{Emitter, type_word};
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
    /// The answer that is to be improved, and the number of the round.
    pub improving: Option<(ExpressionId, ExpressionId)>,
    pub mode: PromptMode,
}

/// The parameters of a prompt's function after those of its declaration, each 0 when the call does not give it.
struct CallParameters {
    agent: Operand,
    settings: Operand,
    improving: Operand,
}

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
        improving,
        mode,
    } = options;
    // Listed at the call, so that prompts which nobody calls are not in the image.
    builder.program.prompt(item);
    let mut values = builder.arguments(item, &[], arguments);
    for value in &mut values {
        // The settings of the call are evaluated after its arguments and may assign what these were read from.
        *value = builder.settled(*value, settings.as_slice());
    }
    let settings = settings.map_or(Operand::Word(0), |it| builder.expression(it));
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
    values.extend([agent, settings, improving]);
    let form = match mode {
        PromptMode::Value => PromptForm::Value,
        PromptMode::Detail => PromptForm::Detail,
        PromptMode::Stream => PromptForm::Stream,
        PromptMode::Revise => PromptForm::Revise,
    };
    // The runtime gets an own call per form, because their results have different types.
    let function = builder.program.instance(Instance::Prompt { item, form });
    let ty = builder.type_id_of(id);
    builder.call(ty, function, values)
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

/// The user text of a prompt for these arguments.
pub fn prompt_text(
    builder: &mut Builder<'_, '_>,
    item: ItemId,
    arguments: &[(u32, ExpressionId)],
) -> Operand {
    let values = builder.arguments(item, &[], arguments);
    let function = builder.program.instance(Instance::PromptText { item });
    builder.call(builtin::STRING, function, values)
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
        if let (true, Operand::Local(local)) = (can_be_revised(&parameter.ty), *value) {
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
    emitter.json_of(json::OBJECT, map)
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
        let answer = self.view.signature(item).result.clone();
        let mut builder = self.builder(item, BodyPart::User, Colour::Resumable);
        let parameters = builder.declared_parameters(item);
        // Parameters come before every other local.
        let call = CallParameters {
            agent: Operand::Local(builder.parameter(optional_json, "")),
            settings: Operand::Local(builder.parameter(optional_json, "")),
            improving: Operand::Local(builder.parameter(optional_json, "")),
        };
        // Before mocks and the text: what a reflection revised is what the prompt is called with.
        revise_parameters(&mut builder, item, &parameters);
        match form {
            PromptForm::Value | PromptForm::Revise => {
                builder.return_mocked(item, &parameters, &answer);
            }
            PromptForm::Detail => builder.return_mocked_response(item, &parameters, &answer),
            PromptForm::Stream => {}
        }
        builder.refuse_unmocked(item, &parameters);
        let system = builder.part_value(item, BodyPart::System, builtin::STRING);
        let text = builder.program.instance(Instance::PromptText { item });
        let user = builder.call(builtin::STRING, text, parameters.clone());
        let arguments = builder.named_json(item, &parameters);
        let settings = prompt_settings(&mut builder, item, call);
        let (row, ty) = match form {
            PromptForm::Value => ("prompt_run", answer),
            PromptForm::Revise => ("prompt_revise", answer),
            PromptForm::Detail => ("prompt_detail", builder.program.response_of(answer)),
            PromptForm::Stream => ("prompt_stream", Type::Stream(std::sync::Arc::new(answer))),
        };
        let ty = builder.type_id(&ty);
        let index = Operand::Word(u64::from(index));
        let words = vec![type_word(ty), index, system, user, arguments, settings];
        let value = builder.runtime_named(ty, row, words);
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

    /// The user text of a prompt with what it does not mention attached as blocks.
    pub fn lower_prompt_text(&mut self, item: ItemId, colour: Colour) -> Function {
        let signature = self.view.signature(item);
        let body = self.view.body(item, BodyPart::User);
        let mut builder = self.builder(item, BodyPart::User, colour);
        let parameters = builder.declared_parameters(item);
        let mut text = builder.part_value(item, BodyPart::User, builtin::STRING);
        // A prompt without `user` is nothing but its parameters.
        if text == Operand::Word(0) {
            text = builder.text("");
        }
        let join = if signature.parameters.iter().any(|it| is_media(&it.ty)) {
            RuntimeCall::media_join
        } else {
            RuntimeCall::string_concat
        };
        for (index, parameter) in signature.parameters.iter().enumerate() {
            // Decided at compile time: what the text uses on any path counts, so that a prompt's form does not vary from call to call.
            let mentioned = body.as_ref().is_some_and(|body| {
                let local = body.parameters.get(index);
                local.is_some_and(|it| reads(body, body.root, *it))
            });
            // A secret that is not mentioned was not meant for the model.
            let is_shown = !matches!(parameter.ty, Type::Secret | Type::Unit);
            if !mentioned && is_shown {
                let name = &parameter.name;
                text = attached(
                    &mut builder,
                    text,
                    name,
                    parameters[index],
                    &parameter.ty,
                    join,
                );
            }
        }
        builder.end(Terminator::Return(text));
        builder.finish()
    }

    /// The few-shot pairs of a prompt: a `json` list of `[user text, answer]`.
    pub fn lower_examples(&mut self, item: ItemId) -> Function {
        let count = self.view.example_count(item);
        let mut builder = self.builder(item, BodyPart::Example(0), Colour::Plain);
        // As JSON when it leaves, since the requests to models are made of it.
        let pair = Type::Tuple([Type::String, Type::Json].into());
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
