//! Lists and reads what a server offers: tools, resources and prompts, page by page, within limits.

use gsw_tree::event::McpWhat;
use rmcp::RoleClient;
use rmcp::model::{
    ClientRequest, GetPromptRequest, GetPromptRequestParams, ListPromptsRequest,
    ListResourceTemplatesRequest, ListResourcesRequest, ListToolsRequest, PaginatedRequestParams,
    Prompt, ReadResourceRequest, ReadResourceRequestParams, Resource, ResourceContents,
    ResourceTemplate, ServerResult, Tool,
};
use rmcp::service::{Peer, ServiceError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::mcp::happened::Happened;
use crate::mcp::newer::{self, Page};

/// The most things of a kind that a server may list; a longer list is refused.
const MOST: usize = 10_000;
/// The most pages of such a list.
const MOST_PAGES: usize = 1_000;

pub(super) type Seen<T> = Result<T, Unseen>;

pub(super) enum Unseen {
    Service(ServiceError),
    /// The server's own words.
    Server(String),
}

/// The request for a page of a list.
macro_rules! list {
    ($request:ident, $page:expr) => {
        ClientRequest::$request($request {
            params: $page,
            ..Default::default()
        })
    };
}

impl From<ServiceError> for Unseen {
    fn from(error: ServiceError) -> Self {
        Self::Service(error)
    }
}

pub(super) async fn tools(peer: &Peer<RoleClient>, happened: &Happened) -> Seen<Vec<Tool>> {
    all("tools", happened, |page| async move {
        match peer.list_tools(page.clone()).await {
            Ok(listed) => Ok(Page::of(listed.tools, listed.next_cursor)),
            Err(error) => again(peer, error, "tools", list!(ListToolsRequest, page)).await,
        }
    })
    .await
}

pub(super) async fn resources(peer: &Peer<RoleClient>, happened: &Happened) -> Seen<String> {
    let listed: Vec<Resource> = all("resources", happened, |page| async move {
        match peer.list_resources(page.clone()).await {
            Ok(listed) => Ok(Page::of(listed.resources, listed.next_cursor)),
            Err(error) => again(peer, error, "resources", list!(ListResourcesRequest, page)).await,
        }
    })
    .await?;
    json(&listed)
}

pub(super) async fn templates(peer: &Peer<RoleClient>, happened: &Happened) -> Seen<String> {
    let listed: Vec<ResourceTemplate> = all("resourceTemplates", happened, |page| async move {
        match peer.list_resource_templates(page.clone()).await {
            Ok(listed) => Ok(Page::of(listed.resource_templates, listed.next_cursor)),
            Err(error) => {
                let request = list!(ListResourceTemplatesRequest, page);
                again(peer, error, "resourceTemplates", request).await
            }
        }
    })
    .await?;
    json(&listed)
}

pub(super) async fn prompts(peer: &Peer<RoleClient>, happened: &Happened) -> Seen<String> {
    let listed: Vec<Prompt> = all("prompts", happened, |page| async move {
        match peer.list_prompts(page.clone()).await {
            Ok(listed) => Ok(Page::of(listed.prompts, listed.next_cursor)),
            Err(error) => again(peer, error, "prompts", list!(ListPromptsRequest, page)).await,
        }
    })
    .await?;
    json(&listed)
}

/// Asks for a page that the library cannot read, and takes what can be read of it.
async fn again<T: DeserializeOwned>(
    peer: &Peer<RoleClient>,
    error: ServiceError,
    what: &str,
    request: ClientRequest,
) -> Result<Page<T>, ServiceError> {
    if !matches!(error, ServiceError::UnexpectedResponse) {
        return Err(error);
    }
    newer::page(&peer.send_request(request).await?, what).ok_or(error)
}

/// The text of a resource if it is one text, else its contents as the protocol has them.
pub(super) async fn resource(peer: &Peer<RoleClient>, uri: String) -> Seen<String> {
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
pub(super) async fn prompt(peer: &Peer<RoleClient>, name: String, input: &str) -> Seen<String> {
    let input: Map<String, Value> = gsw_notation::json::read(input)
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

/// All pages of a list; of what cannot be read in it the names are noted.
async fn all<T, F>(
    what: &str,
    happened: &Happened,
    page: impl Fn(Option<PaginatedRequestParams>) -> F,
) -> Seen<Vec<T>>
where
    F: Future<Output = Result<Page<T>, ServiceError>>,
{
    let (mut all, mut unreadable) = (Vec::new(), Vec::new());
    let mut cursor = None;
    for _ in 0..MOST_PAGES {
        let params = PaginatedRequestParams::default().with_cursor(cursor);
        let more = page(Some(params)).await?;
        all.extend(more.listed);
        unreadable.extend(more.unreadable);
        if all.len() + unreadable.len() > MOST {
            break;
        }
        match more.next {
            Some(next) => cursor = Some(next),
            None => {
                if !unreadable.is_empty() {
                    let unreadable = serde_json::json!({ "list": what, "names": unreadable });
                    happened.note(McpWhat::Unreadable, Some(&unreadable));
                }
                return Ok(all);
            }
        }
    }
    Err(Unseen::Server(format!("its list of {what} has no end")))
}

fn json(of: &(impl Serialize + ?Sized)) -> Seen<String> {
    serde_json::to_string(of)
        .map_err(|error| Unseen::Server(format!("its answer is not JSON: {error}")))
}
