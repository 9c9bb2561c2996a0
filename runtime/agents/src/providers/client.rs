//! Models of clients: the program is an MCP server, and asks the model of the client whose call it works on.
//!
//! Clients take texts and images. The schema of an answer is described to them, and so are tools.

use std::sync::Arc;

use gsw_driver::call::Call;
use gsw_driver::models::Models;
use gsw_engine::model::{
    Content, FailureKind, ModelAnswer, ModelFailure, ModelRequest, StopReason, Wording,
};
use tokio::time::timeout;

use super::network::{Delta, Network, OnDelta};
use super::{schema, tools_in_words, window};

/// Asks the client; without one nobody can be asked.
pub(super) async fn ask(
    network: &Network,
    client: Option<&Arc<dyn Models>>,
    request: &ModelRequest,
    call: &Call,
    mut on_delta: OnDelta,
) -> Result<ModelAnswer, ModelFailure> {
    window::check(request)?;
    let client = client.ok_or_else(|| nobody(&request.model))?;
    network.traffic.keep_pace(request.rate.as_ref()).await;
    let asked = client.ask(Arc::new(in_words(request)), call);
    let Ok(answer) = timeout(request.timeout, asked).await else {
        let limit = request.timeout.as_secs_f64();
        return Err(failure(format!(
            "the client gave no answer within {limit} s"
        )));
    };
    let answer = match request.tools.is_empty() {
        true => answer?,
        false => tools_in_words::answer(answer?, request),
    };
    if answer.stop == StopReason::End {
        let texts = answer.content.iter().filter_map(Content::text);
        texts.for_each(|it| on_delta(Delta::Text(it)));
    }
    Ok(answer)
}

/// The request with everything in its texts that no client takes.
fn in_words(request: &ModelRequest) -> ModelRequest {
    let is_about_tools =
        |it: &Content| matches!(it, Content::ToolUse { .. } | Content::ToolResult { .. });
    let mut pieces = request.messages.iter().flat_map(|it| &it.content);
    let mut plain = match request.tools.is_empty() && !pieces.any(is_about_tools) {
        true => request.clone(),
        false => tools_in_words::request(request),
    };
    if let Some(wanted) = plain.schema.take() {
        plain.system = Some(schema::described(plain.system.as_deref(), &wanted));
        plain.schema_delivery = Wording::Described;
    }
    plain
}

fn nobody(model: &str) -> ModelFailure {
    failure(format!(
        "`{model}` is the model of a client that calls the program as an MCP server, and no client waits for this run; \
         `--model` names another one"
    ))
}

/// Why no request can be shown.
pub(super) fn shown_by_its_client() -> ModelFailure {
    failure("the client that calls the program as an MCP server asks its model itself: there is no request of HTTP".into())
}

fn failure(message: String) -> ModelFailure {
    ModelFailure::new(FailureKind::Provider, message)
}
