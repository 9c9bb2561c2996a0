//! `mcp login` and `mcp logout`: a person authorizes the use of a server once, or takes that back.

use std::sync::Arc;

use gsw_agents::McpServers;
use gsw_driver::servers::{OAuth, ServerAddress, ServerFailure, Servers};
use gsw_driver::web::{Reach, ReachOf};

use crate::arguments::UsageError;
use crate::exit::Exit;
use crate::say::say;
use crate::{consent, environment};

/// What is to be done about the authorization to use a server.
#[derive(Clone, PartialEq, Debug)]
pub struct Login {
    pub act: Act,
    pub url: String,
    pub oauth: OAuth,
    /// The variable with the secret.
    pub secret_from: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    In,
    Out,
}

impl Act {
    const fn name(self) -> &'static str {
        match self {
            Self::In => "login",
            Self::Out => "logout",
        }
    }
}

/// How the options are written, and what they do.
pub(crate) const OPTIONS: &[(&str, &str)] = &[
    (
        "--client <ID>",
        "The id under which the server knows the user's programs",
    ),
    (
        "--secret-from <VARIABLE>",
        "The variable with the secret of that id",
    ),
    (
        "--issuer <ADDRESS>",
        "The authorization server, where the server names several",
    ),
    (
        "--document <ADDRESS>",
        "Where the description of the client stands",
    ),
    (
        "--scope <SCOPE>",
        "What is asked for; may be given more than once",
    ),
    (
        "--port <NUMBER>",
        "The port of this machine to which the browser comes back",
    ),
];

/// Reads the words after `mcp login` or `mcp logout`.
///
/// # Errors
/// When a word does not fit; the message says which.
pub fn parse(act: Act, words: &[String]) -> Result<Login, UsageError> {
    let (mut url, mut oauth, mut secret_from) = (None, OAuth::default(), None);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(option) = word.strip_prefix("--") else {
            if url.replace(word.clone()).is_some() {
                let why = format!("`mcp {}` takes one address", act.name());
                return Err(UsageError(why));
            }
            continue;
        };
        let (name, inline) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (option, None),
        };
        let value = inline.or_else(|| words.next().cloned()).ok_or_else(|| {
            UsageError(format!("`--{name}` needs a value: write `--{name} VALUE`"))
        })?;
        match name {
            "client" => oauth.client = Some(value),
            "secret-from" => secret_from = Some(value),
            "issuer" => oauth.issuer = Some(value),
            "document" => oauth.document = Some(value),
            "scope" => oauth.scopes.push(value),
            "port" => {
                let port = value.parse();
                let port = port.map_err(|_| UsageError(format!("`{value}` is not a port")))?;
                oauth.port = Some(port);
            }
            _ => {
                let act = act.name();
                let known = OPTIONS.iter().map(|it| format!("`{}`", it.0));
                let known = known.collect::<Vec<_>>().join(", ");
                return Err(UsageError(format!(
                    "`mcp {act}` has no option `--{name}`; it has {known}"
                )));
            }
        }
    }
    let url = url.ok_or_else(|| {
        let act = act.name();
        UsageError(format!(
            "`mcp {act}` needs the address of the server: write `mcp {act} https://mcp.example.org/mcp`"
        ))
    })?;
    Ok(Login {
        act,
        url,
        oauth,
        secret_from,
    })
}

/// Logs in or out, for the user who has called `command`.
#[must_use]
pub fn log(login: Login, command: &str) -> Exit {
    let Login {
        act,
        url,
        mut oauth,
        secret_from,
    } = login;
    if let Some(variable) = secret_from {
        oauth.secret = environment::text(&variable);
        if oauth.secret.is_none() {
            say(&format!("error: the variable `{variable}` is not set"));
            return Exit::Usage;
        }
    }
    let server = ServerAddress {
        url: url.clone(),
        headers: Vec::new(),
        oauth: Some(oauth),
    };
    let servers = McpServers::authorizing(consent::authorizing(command));
    let done = match act {
        Act::In => log_in(&servers, server).map(|()| format!("`{url}` is authorized")),
        Act::Out => match servers.log_out(&server) {
            Ok(true) => Ok(format!("the authorization of `{url}` is forgotten")),
            Ok(false) => Ok(format!("there is no authorization of `{url}`")),
            Err(error) => Err(format!("it cannot be removed: {error}")),
        },
    };
    match done {
        Ok(said) => {
            say(&said);
            Exit::Done
        }
        Err(why) => {
            say(&format!("error: `{url}`: {why}"));
            Exit::Raised
        }
    }
}

fn log_in(servers: &McpServers, server: ServerAddress) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("the client cannot be started: {error}"))?;
    // The user who types the command permits it.
    let anywhere: ReachOf = Arc::new(|_, _| Reach::Anywhere);
    let done = runtime.block_on(servers.log_in(server, anywhere));
    servers.close();
    done.map_err(|failure| match failure {
        ServerFailure::Server(why)
        | ServerFailure::Lost(why)
        | ServerFailure::Tool(why)
        | ServerFailure::Denied(why) => why,
    })
}

#[cfg(test)]
mod tests {
    use super::{Act, Login, parse};

    fn read(words: &str) -> Result<Login, String> {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        parse(Act::In, &words).map_err(|error| error.0)
    }

    #[test]
    fn a_server_is_named_by_its_address_and_what_its_declaration_says() {
        let login = read(
            "https://a.example --client shop --secret-from KEY --scope=read --scope write --port 80",
        );
        let login = login.expect("it is right");
        assert_eq!(login.url, "https://a.example");
        assert_eq!(login.secret_from.as_deref(), Some("KEY"));
        assert_eq!(login.oauth.client.as_deref(), Some("shop"));
        assert_eq!(login.oauth.scopes, ["read", "write"]);
        assert_eq!(login.oauth.port, Some(80));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for wrong in ["", "a b", "a --port x", "a --client", "a --colour red"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
