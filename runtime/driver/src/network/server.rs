//! Requests to MCP servers.

use std::time::Duration;

use gsw_engine::operation::{
    AskOfServer, Failure, Grants, McpRequest, Outcome, PlaceOfServer, ServerReply,
};
use gsw_notation::calendar::rfc3339;
use gsw_tree::class::Class;

use crate::call::Call;
use crate::network::{Network, resolved, spawn};
use crate::perform::Handle;
use crate::process::Surroundings;
use crate::reactor::NETWORK;
use crate::servers::{
    Answered, OAuth, SILENCE, ServerAddress, ServerCall, ServerFailure, ServerPlace, ServerProgram,
};
use crate::work::Completion;

impl Network {
    pub(crate) fn call_server(
        &self,
        request: McpRequest,
        call: &Call,
        completion: Completion,
    ) -> Handle {
        let (server, what) = (request.server(), request.summary());
        let Some(servers) = self.servers.clone() else {
            let message = "this host has no client for it".into();
            completion.deliver(Outcome::Failed(Failure::Mcp { server, message }));
            return Handle::None;
        };
        let place = match self.place_of(request.at) {
            Ok(place) => place,
            Err(failure) => {
                completion.deliver(Outcome::Failed(failure));
                return Handle::None;
            }
        };
        let grants = match self.granted(request.grants, &request.ask) {
            Ok(grants) => grants,
            Err(failure) => {
                completion.deliver(Outcome::Failed(failure));
                return Handle::None;
            }
        };
        // Nothing but a tool fails as one.
        let tool = request.ask.tool().unwrap_or_default().to_owned();
        let calling = servers.ask(ServerCall {
            server: place,
            reach_of: self.reach_of(),
            ask: request.ask,
            key: call.idempotency_key(),
            silence: request.silence.map_or(SILENCE, Duration::from_millis),
            grants,
        });
        let (class, begun) = (call.class, call.begun);
        spawn(&NETWORK, completion, async move {
            let Answered { happened, answer } = calling.await;
            let answer = answer.map_err(|failure| match failure {
                ServerFailure::Server(message) => Failure::Mcp {
                    server: server.clone(),
                    message,
                },
                // What must not happen twice may have happened.
                ServerFailure::Lost(why) if class == Class::Once => Failure::Unknown {
                    what: format!("{what}, asked for at {}: {why}", rfc3339(begun)),
                },
                ServerFailure::Lost(message) => Failure::Mcp {
                    server: server.clone(),
                    message,
                },
                ServerFailure::Tool(message) => Failure::Tool { tool, message },
                ServerFailure::Denied(what) => Failure::Denied { what },
            });
            Outcome::Server(Box::new(ServerReply {
                server,
                happened,
                answer,
            }))
        })
    }

    /// Where a server is, with the values of its secrets.
    fn place_of(&self, at: PlaceOfServer) -> Result<ServerPlace, Failure> {
        Ok(match at {
            PlaceOfServer::Program { argv, env } => {
                let around = Surroundings {
                    inherited: self.permissions.inherited(),
                    added: resolved(&env, &self.variables)?,
                };
                ServerPlace::Program(ServerProgram::new(argv, around))
            }
            PlaceOfServer::Address {
                url,
                headers,
                oauth,
            } => ServerPlace::Address(ServerAddress {
                url,
                headers: resolved(&headers, &self.variables)?,
                oauth: OAuth::of(resolved(&oauth, &self.variables)?),
            }),
        })
    }

    /// What a server may ask for, with the addresses of its folders, which must be open to the program.
    fn granted(&self, grants: Option<Grants>, ask: &AskOfServer) -> Result<Grants, Failure> {
        let mut grants = grants.unwrap_or(Grants {
            forms: matches!(ask, AskOfServer::Talk { .. }),
            ..Grants::default()
        });
        for root in &mut grants.roots {
            let folder = self.permissions.folder(root)?;
            let address = url::Url::from_directory_path(&folder);
            *root = address.map_or_else(|()| String::new(), String::from);
        }
        Ok(grants)
    }
}
