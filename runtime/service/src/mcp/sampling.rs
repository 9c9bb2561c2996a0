//! A request to the model of a client as the client gets it, and the client's answer.
#![expect(
    deprecated,
    reason = "clients of both ages lend their models, whatever newer ones should do"
)]

use gsw_abi::provider::Provider;
use gsw_engine::media::{Media, MediaKind, MediaSource};
use gsw_engine::model::{
    Content, FailureKind, ModelAnswer, ModelFailure, ModelRequest, Role, StopReason,
};
use rmcp::model::{
    CreateMessageRequestParams, CreateMessageResult, ImageContent, ModelHint, ModelPreferences,
    Role as Theirs, SamplingMessage, SamplingMessageContentBlock,
};

/// What a program calls the model that its client takes by itself.
const ANY: &str = "default";

/// What a client is sent. Each piece is a message of its own, since clients of before 2025-11-25 take one in a message.
pub(super) fn request(request: &ModelRequest) -> Result<CreateMessageRequestParams, ModelFailure> {
    let mut messages = Vec::new();
    for message in &request.messages {
        for piece in &message.content {
            if let Some(block) = block(piece)? {
                messages.push(SamplingMessage::new(role(message.role), block));
            }
        }
    }
    let mut params = CreateMessageRequestParams::new(messages, request.max_tokens);
    params.model_preferences = hinted(&request.model);
    params.system_prompt.clone_from(&request.system);
    #[expect(
        clippy::cast_possible_truncation,
        reason = "no model tells temperatures apart that are one as a f32"
    )]
    let temperature = request.temperature.map(|it| it as f32);
    params.temperature = temperature;
    params.stop_sequences = (!request.stop.is_empty()).then(|| request.stop.clone());
    Ok(params)
}

/// The name behind `client/` is a hint for the client, which has the choice.
fn hinted(model: &str) -> Option<ModelPreferences> {
    let (_, name) = Provider::of(model)?;
    let hint = || ModelPreferences::new().with_hints(vec![ModelHint::new(name)]);
    (name != ANY).then(hint)
}

const fn role(role: Role) -> Theirs {
    match role {
        // There are no instructions in the middle of a conversation.
        Role::User | Role::System => Theirs::User,
        Role::Assistant => Theirs::Assistant,
    }
}

/// A piece as a client takes it; nothing of what belongs to another provider.
fn block(piece: &Content) -> Result<Option<SamplingMessageContentBlock>, ModelFailure> {
    match piece {
        Content::Text { text } => Ok(Some(SamplingMessageContentBlock::text(text))),
        Content::Media { media } => image(media).map(Some),
        Content::Opaque { .. } => Ok(None),
        // Tools were described.
        Content::ToolUse { .. } | Content::ToolResult { .. } => {
            Err(failure("a call of a tool is no text".into()))
        }
    }
}

fn image(media: &Media) -> Result<SamplingMessageContentBlock, ModelFailure> {
    match (&media.kind, &media.source) {
        (MediaKind::Image, MediaSource::Inline { media_type, data }) => Ok(
            SamplingMessageContentBlock::Image(ImageContent::new(data, media_type)),
        ),
        (MediaKind::Image, MediaSource::Url { .. }) => Err(failure(
            "the model of a client is shown no image at an address: give it the image itself"
                .into(),
        )),
        (MediaKind::Document, MediaSource::Inline { .. } | MediaSource::Url { .. }) => Err(
            failure("the model of a client is shown no documents".into()),
        ),
    }
}

/// What a client has answered.
pub(super) fn answer(result: CreateMessageResult) -> Result<ModelAnswer, ModelFailure> {
    let mut content = Vec::new();
    for block in result.message.content.into_vec() {
        let SamplingMessageContentBlock::Text(text) = block else {
            let why = "the model of the client has answered something else than texts";
            return Err(failure(why.into()));
        };
        content.push(Content::Text { text: text.text });
    }
    let said = result.stop_reason;
    let stop = match said.as_deref() {
        Some(CreateMessageResult::STOP_REASON_END_MAX_TOKEN) => StopReason::MaxTokens,
        // Clients may have reasons of their own.
        Some(_) | None => StopReason::End,
    };
    Ok(ModelAnswer {
        content,
        stop,
        stop_reason: said.unwrap_or_default(),
        model: result.model,
        request_id: None,
        // No client says how many tokens that was.
        usage: None,
        attempts: 1,
        simulated: false,
        first_token: None,
        circuit: None,
    })
}

/// Why its model cannot be asked.
pub(super) fn failure(message: String) -> ModelFailure {
    ModelFailure::new(FailureKind::Provider, message)
}
