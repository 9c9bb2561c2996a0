//! What the answer to `initialize` says besides what the library has fields for.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use tower_lsp::jsonrpc::{Request, Response};
use tower_service::Service;

/// The capabilities of LSP that `ServerCapabilities` lacks. Said there and not by a registration afterwards, which many clients do
/// not take.
const BESIDES: &[&str] = &["typeHierarchyProvider"];

/// A service whose answer to `initialize` has all capabilities.
pub struct Announced<S>(pub S);

impl<S> Service<Request> for Announced<S>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
{
    type Response = Option<Response>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let is_first = request.method() == "initialize";
        let answer = self.0.call(request);
        if !is_first {
            return Box::pin(answer);
        }
        Box::pin(async move { Ok(answer.await?.map(with_all)) })
    }
}

fn with_all(answer: Response) -> Response {
    let (id, mut body) = answer.into_parts();
    if let Ok(result) = &mut body
        && let Some(capabilities) = result.get_mut("capabilities")
        && let Some(said) = capabilities.as_object_mut()
    {
        said.extend(BESIDES.iter().map(|it| ((*it).to_owned(), true.into())));
    }
    Response::from_parts(id, body)
}
