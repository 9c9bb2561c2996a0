//! Consent to the use of MCP servers: the person at the terminal is shown where to give it, or a program that opens addresses is.

use std::io::{IsTerminal, stderr, stdin};
use std::process::{Command, Stdio};
use std::sync::Arc;

use gsw_agents::{Authorizing, Consent};
use gsw_driver::servers::{OAuth, ServerAddress};

use crate::shell::quoted;
use crate::terminal::Stage;
use crate::{environment, state, terminal};

/// The variable with the program that opens addresses; no person need be at the terminal then.
pub const VARIABLE: &str = "GSW_BROWSER";

/// Where the authorizations of the user are kept, and how others are asked for: of the user who calls `command`.
#[must_use]
pub fn authorizing(command: &str) -> Authorizing {
    authorizing_on(&terminal::stage(), command)
}

/// Like [`authorizing`], where a run is shown on the terminal.
pub(crate) fn authorizing_on(stage: &Arc<Stage>, command: &str) -> Authorizing {
    Authorizing {
        folder: state::authorizations(),
        consent: Some(Arc::new(AtTerminal {
            stage: Arc::clone(stage),
            command: command.to_owned(),
        })),
    }
}

#[derive(Debug)]
struct AtTerminal {
    stage: Arc<Stage>,
    /// What the user types to call this program.
    command: String,
}

impl Consent for AtTerminal {
    fn is_possible(&self, server: &ServerAddress) -> Result<(), String> {
        let is_seen = stdin().is_terminal() && stderr().is_terminal();
        if is_seen || environment::text(VARIABLE).is_some() {
            return Ok(());
        }
        Err(format!(
            "a person must authorize its use, and this is not a terminal: first run `{} mcp login {}` on one",
            self.command,
            words(server)
        ))
    }

    fn ask(&self, server: &ServerAddress, address: &str) -> Result<(), String> {
        let Some(browser) = environment::text(VARIABLE) else {
            self.stage.aside(format!(
                "`{}` wants you to authorize its use. Open this address:\n\n{address}\n",
                server.url
            ));
            return Ok(());
        };
        open(&browser, address).map_err(|error| {
            format!("`{browser}`, the program in `{VARIABLE}`, cannot be started: {error}")
        })
    }
}

/// Starts a program for an address, without waiting for it.
fn open(browser: &str, address: &str) -> std::io::Result<()> {
    let mut words = browser.split_whitespace();
    let mut child = Command::new(words.next().unwrap_or_default())
        .args(words)
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let waiting = std::thread::Builder::new().name("gsw-browser".into());
    waiting.spawn(move || child.wait())?;
    Ok(())
}

/// What names a server to `mcp login`, as a shell takes it.
fn words(server: &ServerAddress) -> String {
    let mut words = vec![quoted(&server.url)];
    if let Some(oauth) = &server.oauth {
        let OAuth {
            client,
            secret,
            issuer,
            document,
            scopes,
            port,
        } = oauth;
        let mut option =
            |name: &str, value: &str| words.push(format!("--{name} {}", quoted(value)));
        for (name, value) in [
            ("client", client),
            ("issuer", issuer),
            ("document", document),
        ] {
            value.iter().for_each(|it| option(name, it));
        }
        if secret.is_some() {
            option("secret-from", "VARIABLE");
        }
        scopes.iter().for_each(|it| option("scope", it));
        if let Some(port) = port {
            option("port", &port.to_string());
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use gsw_driver::servers::{OAuth, ServerAddress};

    use super::words;

    #[test]
    fn a_secret_is_not_among_the_words() {
        let server = ServerAddress {
            url: "https://a.example/mcp?shop=1&floor=2".into(),
            headers: Vec::new(),
            oauth: Some(OAuth {
                client: Some("my shop".into()),
                secret: Some("s3cret".into()),
                issuer: Some("https://b.example".into()),
                document: None,
                scopes: vec!["read".into(), "write".into()],
                port: Some(8080),
            }),
        };
        assert_eq!(
            words(&server),
            "'https://a.example/mcp?shop=1&floor=2' --client 'my shop' --issuer https://b.example --secret-from VARIABLE \
             --scope read --scope write --port 8080"
        );
    }
}
