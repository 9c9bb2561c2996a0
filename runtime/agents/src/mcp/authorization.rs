//! Authorization to use a server in the name of a person: OAuth, as the MCP specification defines it.
//!
//! A server that refuses a request names its authorization server ([`discovery`]). The program is known there ([`identity`]), and
//! shows a person where to consent ([`Consent`]). The consent comes back as a code ([`loopback`]) that gives a token ([`token`]),
//! which is kept ([`kept`]) and shown with each request ([`bearer`]). The wait for a person is outside of all exchanges with the
//! server, whose time limits it would exceed: the request that was refused was not done, and is made again.
//!
//! What a server says is not believed further than it reaches: it authorizes for itself, over `https`, at the issuer that
//! calls itself so, and no issuer is shown what belongs to another one.

pub(super) mod bearer;
pub(super) mod challenge;
mod discovery;
mod exchange;
mod identity;
mod kept;
mod loopback;
mod proof;
mod token;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use gsw_driver::servers::{OAuth, ServerAddress, ServerFailure};
use gsw_driver::web::ReachOf;
use reqwest::Url;
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::mcp::authorization::bearer::Bearer;
use crate::mcp::authorization::challenge::{Challenge, Why};
use crate::mcp::authorization::discovery::{Metadata, Resource};
use crate::mcp::authorization::exchange::{Exchange, failed, is_local};
use crate::mcp::authorization::identity::Identity;
use crate::mcp::authorization::kept::{File, Grant};
use crate::mcp::authorization::loopback::Loopback;
use crate::mcp::authorization::proof::Proof;
use crate::mcp::authorization::token::{Refused, Token, TokenEndpoint};

/// The scope with which an authorization server issues refresh tokens.
const OFFLINE: &str = "offline_access";

/// Takes the question for a person's consent to that person.
pub trait Consent: Send + Sync + std::fmt::Debug {
    /// Whether a person can be asked.
    ///
    /// # Errors
    /// When no person can be asked: what to do instead.
    fn is_possible(&self, server: &ServerAddress) -> Result<(), String>;

    /// Shows a person the address at which to consent.
    ///
    /// # Errors
    /// When it cannot be shown.
    fn ask(&self, server: &ServerAddress, address: &str) -> Result<(), String>;
}

/// Where authorizations come from, and stay.
#[derive(Clone, Default, Debug)]
pub struct Authorizing {
    /// The folder in which they are kept; for the process alone if there is none.
    pub folder: Option<PathBuf>,
    /// Without one, no person is asked.
    pub consent: Option<Arc<dyn Consent>>,
}

/// The authorization to use one server.
pub(super) struct Authorization {
    server: ServerAddress,
    oauth: OAuth,
    url: Url,
    around: Authorizing,
    pub bearer: Bearer,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    grant: Option<Grant>,
    is_read: IsRead,
    /// Why what is kept is not used.
    unused: Option<String>,
    /// The scopes that this process has asked people for.
    asked: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum IsRead {
    #[default]
    No,
    Yes,
}

/// What server and authorization server say of themselves.
struct Described {
    resource: Resource,
    metadata: Metadata,
}

/// Whether a token was renewed.
enum Renewal {
    Done,
    /// A person has to authorize again.
    Impossible,
}

/// What was tried for one request already.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) enum Tried {
    #[default]
    Nothing,
    /// The token was renewed without a person.
    Renewing,
    /// A person was asked to consent at this issuer.
    Asking(String),
}

impl Authorization {
    /// `None` for a server without authorization.
    pub fn of(server: &ServerAddress, around: &Authorizing) -> Option<Result<Self, ServerFailure>> {
        let oauth = server.oauth.clone()?;
        let url = match Url::parse(&server.url) {
            Ok(url) => url,
            Err(why) => return Some(Err(failed(format!("it has no address: {why}")))),
        };
        if url.scheme() != "https" && !is_local(&url) {
            let why = "a token is shown to a server over `https` only, or on this machine";
            return Some(Err(failed(why.into())));
        }
        let mut names = server.headers.iter().map(|it| &it.0);
        if names.any(|it| it.eq_ignore_ascii_case("authorization")) {
            let why = "it is given an `Authorization` twice: by `headers` and by `auth`";
            return Some(Err(failed(why.into())));
        }
        Some(Ok(Self {
            server: server.clone(),
            oauth,
            url,
            around: around.clone(),
            bearer: Bearer::default(),
            state: Arc::default(),
        }))
    }

    /// Takes what is kept, and renews it if it is about to end. What fails here fails again when the server refuses.
    ///
    /// While another call has a token renewed or a person asked, the one at hand is shown: it may be good enough for this call, which
    /// otherwise waits where the server refuses it.
    pub async fn prepare(self: &Arc<Self>, reach_of: &ReachOf) {
        let Ok(mut state) = Arc::clone(&self.state).try_lock_owned() else {
            return;
        };
        if state.is_read == IsRead::No {
            state.is_read = IsRead::Yes;
            self.take_kept(&mut state);
        }
        let token = state.grant.as_ref().map(|it| &it.token);
        if token.is_some_and(|it| it.is_over() && it.refresh.is_some()) {
            let exchange = self.exchange(reach_of);
            let described = self.described(&exchange, &Challenge::default()).await;
            if let Ok(described) = described {
                // Whether it was renewed is seen by what the server says.
                let _ = self.renew(state, described, reach_of).await;
            }
        }
    }

    /// Gets a token that a server which has refused another one may take. `seen` is which one it has refused.
    pub async fn settle(
        self: &Arc<Self>,
        seen: u64,
        challenge: &Challenge,
        tried: &mut Tried,
        reach_of: &ReachOf,
    ) -> Result<(), ServerFailure> {
        let mut state = Arc::clone(&self.state).lock_owned().await;
        // Another call or process has got a token meanwhile.
        if self.bearer.times() != seen || self.take_kept(&mut state) {
            return Ok(());
        }
        let exchange = self.exchange(reach_of);
        let described = self.described(&exchange, challenge).await?;
        let issuer = &described.metadata.issuer;
        match (challenge.why, &*tried) {
            (Why::Unknown, Tried::Asking(asked)) if asked == issuer => {
                return Err(failed("it refuses the token that it was just given".into()));
            }
            (Why::Unknown, Tried::Nothing) => {
                *tried = Tried::Renewing;
                match self.renew(state, Arc::clone(&described), reach_of).await? {
                    (_, Renewal::Done) => return Ok(()),
                    (same, Renewal::Impossible) => state = same,
                }
            }
            (Why::Unknown, Tried::Renewing | Tried::Asking(_)) => {}
            (Why::TooLittle, _) => {
                let is_asked = |it: &String| state.asked.contains(it);
                if challenge.scopes.iter().all(is_asked) {
                    return Err(failed(format!(
                        "it refuses what a person has consented to, with the scopes `{}`",
                        state.asked.join(" ")
                    )));
                }
            }
        }
        *tried = Tried::Asking(issuer.clone());
        self.ask(&mut state, &exchange, &described, challenge).await
    }

    /// Asks a person, even if there is a token.
    pub async fn ask_anew(&self, reach_of: &ReachOf) -> Result<(), ServerFailure> {
        let mut state = self.state.lock().await;
        let (exchange, challenge) = (self.exchange(reach_of), Challenge::default());
        let described = self.described(&exchange, &challenge).await?;
        self.ask(&mut state, &exchange, &described, &challenge)
            .await
    }

    /// Uses no token that is kept, so that a person is asked for another one.
    pub async fn drop_token(&self) {
        let mut state = self.state.lock().await;
        state.is_read = IsRead::Yes;
        self.take_kept(&mut state);
        if let Some(grant) = &mut state.grant {
            grant.token.refresh = None;
        }
        self.bearer.show(None);
    }

    fn exchange<'a>(&'a self, reach_of: &'a ReachOf) -> Exchange<'a> {
        Exchange {
            server: &self.url,
            reach_of,
        }
    }

    fn file(&self) -> Option<File> {
        let folder = self.around.folder.as_ref()?;
        Some(File::of(folder, &self.server))
    }

    /// Whether another token is kept than what is known here, which is then used.
    fn take_kept(&self, state: &mut State) -> bool {
        let known = state.grant.as_ref().map(|it| &it.token.access);
        let read = self.file().map_or(Ok(None), |it| it.read());
        let (kept, unused) = match read {
            Ok(kept) => (kept, None),
            Err(why) => (None, Some(why)),
        };
        state.unused = unused;
        let Some(kept) = kept.filter(|it| Some(&it.token.access) != known) else {
            return false;
        };
        self.bearer.show(Some(kept.token.access.clone()));
        state.grant = Some(kept);
        true
    }

    /// What server and authorization server say of themselves.
    async fn described(
        &self,
        exchange: &Exchange<'_>,
        challenge: &Challenge,
    ) -> Result<Arc<Described>, ServerFailure> {
        let resource = discovery::resource(exchange, challenge).await?;
        let issuers = &resource.authorization_servers;
        let wanted = self.oauth.issuer.as_ref().filter(|it| issuers.contains(it));
        let issuer = wanted.or_else(|| issuers.first()).ok_or_else(|| {
            failed("it names no authorization server that a person could be sent to".into())
        })?;
        let metadata = discovery::authorization_server(exchange, issuer).await?;
        Ok(Arc::new(Described { resource, metadata }))
    }

    /// Renews the token without a person, on a task of its own: a caller that stops waiting must not lose the token that comes in
    /// the place of one which counts no more.
    async fn renew(
        self: &Arc<Self>,
        mut state: OwnedMutexGuard<State>,
        described: Arc<Described>,
        reach_of: &ReachOf,
    ) -> Result<(OwnedMutexGuard<State>, Renewal), ServerFailure> {
        let (this, reach_of) = (Arc::clone(self), Arc::clone(reach_of));
        let renewing = tokio::spawn(async move {
            let renewal = this.renewed(&mut state, &described, &reach_of).await?;
            Ok((state, renewal))
        });
        let ended = renewing.await;
        ended
            .unwrap_or_else(|error| Err(failed(format!("its token could not be renewed: {error}"))))
    }

    async fn renewed(
        &self,
        state: &mut State,
        described: &Described,
        reach_of: &ReachOf,
    ) -> Result<Renewal, ServerFailure> {
        let file = self.file();
        let _lock = match &file {
            // Without a lock, a server that rotates its tokens may refuse, and another one issues a second token.
            Some(file) => file.lock().await.ok(),
            None => None,
        };
        if self.take_kept(state) {
            return Ok(Renewal::Done);
        }
        let Described { resource, metadata } = described;
        let grant = state.grant.clone();
        let Some(grant) = grant.filter(|it| it.issuer == metadata.issuer) else {
            return Ok(Renewal::Impossible);
        };
        let Some(refresh) = &grant.token.refresh else {
            return Ok(Renewal::Impossible);
        };
        let endpoint = TokenEndpoint {
            exchange: &self.exchange(reach_of),
            metadata,
            identity: &grant.identity,
            resource: &resource.resource,
        };
        match endpoint.renewed(&grant.token, refresh).await {
            Ok(token) => {
                self.keep(state, Grant { token, ..grant });
                Ok(Renewal::Done)
            }
            // A person would only see what the program sees.
            Err(Refused::Unseen(failure)) => Err(failure),
            // A person can still be asked…
            Err(Refused::Other(_)) => {
                let grant = state.grant.as_mut();
                grant
                    .expect("it is the one that was to be renewed")
                    .token
                    .refresh = None;
                Ok(Renewal::Impossible)
            }
            // …who would be asked in the name of an unknown program.
            Err(Refused::Unknown(_)) => {
                self.forget(state);
                Ok(Renewal::Impossible)
            }
        }
    }

    async fn ask(
        &self,
        state: &mut State,
        exchange: &Exchange<'_>,
        described: &Described,
        challenge: &Challenge,
    ) -> Result<(), ServerFailure> {
        let Described { resource, metadata } = described;
        let nobody =
            || failed("it wants a person's authorization, and there is nobody to ask".into());
        let consent = self.around.consent.as_ref().ok_or_else(nobody)?;
        let before = state
            .grant
            .clone()
            .filter(|it| it.issuer == metadata.issuer);
        let given = before.as_ref().map(|it| it.token.scopes.clone());
        let scopes = self.scopes(challenge, resource, metadata, given.unwrap_or_default());
        let possible = consent.is_possible(&self.wanting(challenge));
        possible.map_err(|why| match &state.unused {
            Some(unused) => failed(format!("{why}; {unused}")),
            None => failed(why),
        })?;
        let (loopback, identity) = self.known_as(exchange, metadata, before.as_ref()).await?;
        let (proof, redirect) = (Proof::new()?, loopback.address());
        let question = Question {
            identity: &identity,
            redirect: &redirect,
            resource: &resource.resource,
            scopes: &scopes,
            proof: &proof,
        };
        let endpoint = exchange.address(&metadata.authorization_endpoint)?;
        consent
            .ask(&self.server, question.address(endpoint).as_str())
            .map_err(failed)?;
        let is_new = |it: &&String| !state.asked.contains(it);
        let new: Vec<String> = scopes.iter().filter(is_new).cloned().collect();
        state.asked.extend(new);
        let code = code(&loopback.answer().await?, &proof, metadata)?;
        let endpoint = TokenEndpoint {
            exchange,
            metadata,
            identity: &identity,
            resource: &resource.resource,
        };
        let token = endpoint.for_code(&code, &proof.verifier, &redirect, scopes);
        let token: Token = match token.await {
            Ok(token) => token,
            Err(refused) => {
                match &refused {
                    // The program registers again the next time.
                    Refused::Unknown(_) => self.forget(state),
                    Refused::Other(_) | Refused::Unseen(_) => {}
                }
                return Err(refused.failure());
            }
        };
        let grant = Grant {
            server: self.server.url.clone(),
            issuer: metadata.issuer.clone(),
            identity,
            token,
        };
        self.keep(state, grant);
        Ok(())
    }

    /// The server as a person has to name it to be asked for what is missing.
    fn wanting(&self, challenge: &Challenge) -> ServerAddress {
        let mut server = self.server.clone();
        if let (Why::TooLittle, Some(oauth)) = (challenge.why, server.oauth.as_mut()) {
            let missing = challenge.scopes.iter();
            let missing = missing.filter(|it| !self.oauth.scopes.contains(it));
            oauth.scopes.extend(missing.cloned());
        }
        server
    }

    /// The redirect address, and the identity of the program that is registered with it.
    async fn known_as(
        &self,
        exchange: &Exchange<'_>,
        metadata: &Metadata,
        before: Option<&Grant>,
    ) -> Result<(Loopback, Identity), ServerFailure> {
        let known = identity::known(&self.oauth, metadata, before.map(|it| &it.identity))?;
        let registered = known.as_ref().and_then(|it| it.redirect.as_deref());
        let registered = registered.and_then(|it| Url::parse(it).ok()?.port());
        let loopback = match (self.oauth.port, registered) {
            (Some(port), _) => Loopback::listen(Some(port)).await?,
            (None, Some(port)) => match Loopback::listen(Some(port)).await {
                Ok(loopback) => loopback,
                // Another process listens there now.
                Err(_) => Loopback::listen(None).await?,
            },
            (None, None) => Loopback::listen(None).await?,
        };
        let redirect = loopback.address();
        let fits = |it: &Identity| it.redirect.as_ref().is_none_or(|it| *it == redirect);
        let identity = match known.filter(fits) {
            Some(identity) => identity,
            None => identity::register(exchange, metadata, &redirect).await?,
        };
        Ok((loopback, identity))
    }

    /// What a person is asked to consent to, with all that was `given` before.
    fn scopes(
        &self,
        challenge: &Challenge,
        resource: &Resource,
        metadata: &Metadata,
        given: Vec<String>,
    ) -> Vec<String> {
        let supported = resource.scopes_supported.as_ref();
        let mut wanted = match (self.oauth.scopes.as_slice(), challenge.scopes.as_slice()) {
            ([], []) => supported.cloned().unwrap_or_default(),
            ([], challenged) => challenged.to_vec(),
            (own, _) => own.to_vec(),
        };
        match challenge.why {
            Why::TooLittle => wanted.extend(challenge.scopes.iter().cloned()),
            Why::Unknown => {}
        }
        wanted.extend(given);
        let offered = metadata.scopes_supported.as_ref();
        if !wanted.is_empty() && offered.is_some_and(|it| it.iter().any(|it| it == OFFLINE)) {
            wanted.push(OFFLINE.to_owned());
        }
        let mut scopes: Vec<String> = Vec::new();
        for scope in wanted {
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
        scopes
    }

    /// Removes the tokens and the identity.
    fn forget(&self, state: &mut State) {
        state.grant = None;
        self.bearer.show(None);
        if let Some(file) = self.file() {
            // A token that cannot be removed is refused again the next time.
            let _ = file.remove();
        }
    }

    /// Uses a grant from now on, in this process and in others if it can be kept.
    fn keep(&self, state: &mut State, grant: Grant) {
        if let Some(file) = self.file() {
            // If it cannot be kept, the next process asks again.
            let _ = file.write(&grant);
        }
        self.bearer.show(Some(grant.token.access.clone()));
        state.grant = Some(grant);
    }
}

/// Forgets what is kept for a server, and says whether there was anything.
pub(super) fn forget(server: &ServerAddress, around: &Authorizing) -> std::io::Result<bool> {
    match &around.folder {
        Some(folder) => File::of(folder, server).remove(),
        None => Ok(false),
    }
}

/// What a person is asked.
struct Question<'a> {
    identity: &'a Identity,
    redirect: &'a str,
    resource: &'a str,
    scopes: &'a [String],
    proof: &'a Proof,
}

impl Question<'_> {
    fn address(&self, mut endpoint: Url) -> Url {
        let mut query = endpoint.query_pairs_mut();
        query
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.identity.id)
            .append_pair("redirect_uri", self.redirect)
            .append_pair("state", &self.proof.state)
            .append_pair("code_challenge", &self.proof.challenge())
            .append_pair("code_challenge_method", "S256")
            .append_pair("resource", self.resource);
        if !self.scopes.is_empty() {
            query.append_pair("scope", &self.scopes.join(" "));
        }
        if self.scopes.iter().any(|it| it == OFFLINE) {
            // By OpenID Connect it is ignored otherwise.
            query.append_pair("prompt", "consent");
        }
        drop(query);
        endpoint
    }
}

/// The authorization code in the address that a person has brought back, if it answers our request and comes from the issuer
/// that was asked.
fn code(
    answer: &BTreeMap<String, String>,
    proof: &Proof,
    metadata: &Metadata,
) -> Result<String, ServerFailure> {
    if answer.get("state") != Some(&proof.state) {
        return Err(failed(
            "the answer that came back is to another question (`state`): try again".into(),
        ));
    }
    // As texts: addresses that look alike may be those of another one.
    let is_right = match answer.get("iss") {
        Some(issuer) => *issuer == metadata.issuer,
        None => !metadata.authorization_response_iss_parameter_supported,
    };
    if !is_right {
        return Err(failed(format!(
            "the answer that came back is not by `{}` (`iss`)",
            metadata.issuer
        )));
    }
    if let Some(error) = answer.get("error") {
        let more = answer.get("error_description").map_or("", String::as_str);
        return Err(failed(format!("consent was not given: {error} {more}")));
    }
    answer
        .get("code")
        .cloned()
        .ok_or_else(|| failed("no code came back after consenting".into()))
}
