//! Lists and reads what a server offers: tools, resources and prompts, page by page, within limits.

use rmcp::RoleClient;
use rmcp::model::{
    ClientRequest, GetPromptRequest, GetPromptRequestParams, PaginatedRequestParams, Prompt,
    ReadResourceRequest, ReadResourceRequestParams, Resource, ResourceContents, ResourceTemplate,
    ServerResult, Tool,
};
use rmcp::service::{Peer, ServiceError};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::mcp::newer;

/// The most things of a kind that a server may list; a longer list is refused.
const MOST: usize = 10_000;
/// The most pages of such a list.
const MOST_PAGES: usize = 1_000;

pub(super) enum Unseen {
    Service(ServiceError),
    /// The server's own words.
    Server(String),
}

impl From<ServiceError> for Unseen {
    fn from(error: ServiceError) -> Self {
        Self::Service(error)
    }
}

pub(super) async fn tools(peer: &Peer<RoleClient>) -> Result<Vec<Tool>, Unseen> {
    all("tools", |page| async move {
        let listed = peer.list_tools(page).await?;
        Ok::<_, ServiceError>((listed.tools, listed.next_cursor))
    })
    .await
}

pub(super) async fn resources(peer: &Peer<RoleClient>) -> Result<String, Unseen> {
    let listed: Vec<Resource> = all("resources", |page| async move {
        let listed = peer.list_resources(page).await?;
        Ok::<_, ServiceError>((listed.resources, listed.next_cursor))
    })
    .await?;
    json(&listed)
}

pub(super) async fn templates(peer: &Peer<RoleClient>) -> Result<String, Unseen> {
    let listed: Vec<ResourceTemplate> = all("templates of resources", |page| async move {
        let listed = peer.list_resource_templates(page).await?;
        Ok::<_, ServiceError>((listed.resource_templates, listed.next_cursor))
    })
    .await?;
    json(&listed)
}

pub(super) async fn prompts(peer: &Peer<RoleClient>) -> Result<String, Unseen> {
    let listed: Vec<Prompt> = all("prompts", |page| async move {
        let listed = peer.list_prompts(page).await?;
        Ok::<_, ServiceError>((listed.prompts, listed.next_cursor))
    })
    .await?;
    json(&listed)
}

/// The text of a resource if it is one text, else its contents as the protocol has them.
pub(super) async fn resource(peer: &Peer<RoleClient>, uri: String) -> Result<String, Unseen> {
    let params = ReadResourceRequestParams::new(uri);
    let request = ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params));
    let said = peer.send_request(request).await?;
    let result = newer::resource(said).map_err(|other| no_answer(&other))?;
    match result.contents.as_slice() {
        [ResourceContents::TextResourceContents { text, .. }] => json(text),
        contents => json(contents),
    }
}

/// The messages of a prompt as the protocol has them.
pub(super) async fn prompt(
    peer: &Peer<RoleClient>,
    name: String,
    input: &str,
) -> Result<String, Unseen> {
    let input: Map<String, Value> = serde_json::from_str(input)
        .map_err(|error| Unseen::Server(format!("no arguments: {error}")))?;
    let params = GetPromptRequestParams::new(name).with_arguments(input);
    let request = ClientRequest::GetPromptRequest(GetPromptRequest::new(params));
    let said = peer.send_request(request).await?;
    let result = newer::prompt(said).map_err(|other| no_answer(&other))?;
    json(&result.messages)
}

fn no_answer(said: &ServerResult) -> Unseen {
    if let ServerResult::InputRequiredResult(_) = said {
        let why = "it asks its caller for something, and a program has nothing to say";
        return Unseen::Server(why.into());
    }
    ServiceError::UnexpectedResponse.into()
}

/// All pages of a list.
async fn all<T, F>(
    what: &str,
    page: impl Fn(Option<PaginatedRequestParams>) -> F,
) -> Result<Vec<T>, Unseen>
where
    F: Future<Output = Result<(Vec<T>, Option<String>), ServiceError>>,
{
    let mut all = Vec::new();
    let mut cursor = None;
    for _ in 0..MOST_PAGES {
        let params = PaginatedRequestParams::default().with_cursor(cursor);
        let (more, next) = page(Some(params)).await?;
        all.extend(more);
        if all.len() > MOST {
            break;
        }
        match next {
            Some(next) => cursor = Some(next),
            None => return Ok(all),
        }
    }
    Err(Unseen::Server(format!("its list of {what} has no end")))
}

fn json(of: &(impl Serialize + ?Sized)) -> Result<String, Unseen> {
    serde_json::to_string(of)
        .map_err(|error| Unseen::Server(format!("its answer is no JSON: {error}")))
}
